"""What a call from Python costs beyond the command line: reading, fitting and weighting the same
data.

    python bench/python_overhead.py target/release/gage crates/gage-debian/data/debian [--rounds 7]
    [--dim 128] [--json]

Build both from one profile: `cargo build --release -p gage-cli`, and install the wheel of
`maturin build --release`; the section `python` of bench/run.py does so. Every measurement is a
process of its own, which says how long reading and fitting took; what it takes to start is not
counted on either side. The two take turns, each round beginning with the other one, and the
overhead is the median over rounds of ratios taken inside a round. Exit code 1 if it is over 3%, or
if the bits differ; with `--json` only if something could not be measured.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

BOUND = 0.03


def by_command(options, out):
    """Seconds of reading and fitting, as the command itself reports them. With a model, for Python
    makes one, too.
    """
    words = [
        options.program,
        "embed",
        options.data,
        "--directed",
        "no",
        "--dim",
        str(options.dim),
        "-o",
        str(out),
        "--json",
        "--quiet",
    ]
    words += ["--model", str(out.with_suffix(".gage"))]
    words += ["--threads", str(options.threads)] if options.threads else []
    seconds = json.loads(_output(words))["seconds"]
    return seconds["read"] + seconds["fit"]


def by_python(options, out):
    """Seconds of the same from Python, from the call to the array of the embedding."""
    words = [
        sys.executable,
        __file__,
        options.program,
        options.data,
        "--dim",
        str(options.dim),
        "--write",
        str(out),
    ]
    words += ["--threads", str(options.threads)] if options.threads else []
    return json.loads(_output(words))["seconds"]


def fit_and_write(options):
    """One measurement, in the process that was started for it."""
    import numpy as np

    from gage_embed import GAGE

    clock = time.perf_counter()
    rows = GAGE(options.dim, directed=False, n_jobs=options.threads).fit_transform(options.data)
    seconds = time.perf_counter() - clock
    np.save(options.write, rows)
    print(json.dumps({"seconds": seconds}))


def same_bits(left, right):
    """Whether two files hold the same array, bit for bit."""
    import numpy as np

    left, right = np.load(left), np.load(right)
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


def compare(options):
    """Seconds of every round, and what they come to."""
    ways = {"command": by_command, "python": by_python}
    rounds, equal = [], True
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.npy" for name in ways}
        for number in range(options.rounds):
            order = list(ways) if number % 2 == 0 else list(ways)[::-1]
            rounds.append({name: ways[name](options, files[name]) for name in order})
            equal = equal and same_bits(*files.values())
    return summary(rounds, equal)


def summary(rounds, equal):
    """Medians of the seconds, the median of the ratios, and whether all bits were equal."""
    return {
        "rounds": rounds,
        "seconds": {name: median(one[name] for one in rounds) for name in ("command", "python")},
        "overhead": median(one["python"] / one["command"] for one in rounds) - 1,
        "same_bits": bool(equal),
    }


def _output(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: {Path(words[0]).name} failed: {done.stderr.strip()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the release binary `gage`")
    parser.add_argument("data", help="a folder that both read")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--threads", type=int, help="threads of both [default: all processors]")
    parser.add_argument("--json", action="store_true", help="print everything that was measured")
    parser.add_argument("--write", help="measure one fit from Python, and write its embedding here")
    options = parser.parse_args()
    if options.write:
        return fit_and_write(options)
    if options.rounds < 1:
        sys.exit(f"error: --rounds: found {options.rounds}, expected at least 1")
    found = compare(options)
    if options.json:
        print(json.dumps(found))
        return None
    seconds, overhead = found["seconds"], found["overhead"]
    print(
        f"command {seconds['command']:.3f} s, Python {seconds['python']:.3f} s, overhead "
        f"{100 * overhead:+.1f}%"
    )
    if not found["same_bits"]:
        print("not the same bits: the builds differ")
    return sys.exit(overhead > BOUND or not found["same_bits"])


if __name__ == "__main__":
    main()
