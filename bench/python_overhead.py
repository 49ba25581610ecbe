"""What a call from Python costs beyond the command line: reading, fitting and re-weighting the same data.

    python bench/python_overhead.py target/release/gage crates/gage-debian/data/debian [--rounds 7] [--dim 128]

Build both from one profile: `cargo build --release -p gage-cli`, and install the wheel of `maturin build --release`. The two take turns, so
that whatever else the machine does meets both alike; the medians are compared. Exit code 1 if Python takes over 3% more.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from gage_embed import GAGE

BOUND = 0.03


def by_command(program, data, dim, folder):
    """Seconds of reading and fitting, as the command itself reports them, and the embedding."""
    out = Path(folder) / "e.npy"
    words = [program, "embed", data, "--directed", "no", "--dim", str(dim), "-o", str(out), "--json", "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds = json.loads(done.stdout)["seconds"]
    return seconds["read"] + seconds["fit"], np.load(out)


def by_python(data, dim):
    """Seconds of the same calls from Python, from the first to the array of the embedding."""
    clock = time.perf_counter()
    rows = GAGE(dim, directed=False).fit_transform(data)
    return time.perf_counter() - clock, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dim", type=int, default=128)
    wishes = parser.parse_args()
    command, python = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(wishes.rounds):
            seconds, expected = by_command(wishes.program, wishes.data, wishes.dim, folder)
            command.append(seconds)
            seconds, rows = by_python(wishes.data, wishes.dim)
            python.append(seconds)
            assert rows.tobytes() == expected.tobytes(), "not the same bits: the builds differ"
    medians = statistics.median(command), statistics.median(python)
    overhead = medians[1] / medians[0] - 1
    print(f"command {medians[0]:.3f} s, Python {medians[1]:.3f} s, overhead {100 * overhead:+.1f}%")
    sys.exit(overhead > BOUND)


if __name__ == "__main__":
    main()
