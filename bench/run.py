#!/usr/bin/env python3
"""Benchmarks of gage against other programs, against the machine and against itself: one command,
one folder a run.

python3 bench/run.py                    everything (hours)
python3 bench/run.py --quick            a small run of everything (minutes)
python3 bench/run.py --only slope,svd   some sections
python3 bench/run.py --resume FOLDER    what an unfinished run has not done yet
"""

import argparse
import datetime
import hashlib
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import data, machine, report, scale, venvs  # noqa: E402
from harness.anonymous import without_places  # noqa: E402
from harness.outcome import Outcome  # noqa: E402
from harness.settings import Settings  # noqa: E402

SECTIONS = [
    "paper",
    "svd",
    "peers",
    "floor",
    "slope",
    "threads",
    "memory",
    "search",
    "explore",
    "python",
]
ENVIRONMENTS = ["numpy", "pycleora", "sknetwork", "karateclub", "package", "usearch"]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", help="sections to run, separated by commas: " + ", ".join(SECTIONS)
    )
    parser.add_argument(
        "--data",
        default="",
        help="only these data sets of the sections, separated by commas (slope: numbers of nodes)",
    )
    parser.add_argument("--quick", action="store_true", help="small data, one or two rounds")
    parser.add_argument(
        "--gage", type=Path, help="the program [default: target/release/gage, built if absent]"
    )
    parser.add_argument(
        "--datasets",
        type=Path,
        help="folder of real data sets [default: GAGE_DATASETS or ../shared/datasets]",
    )
    parser.add_argument(
        "--cache", type=Path, default=HERE / ".cache", help="environments and generated graphs"
    )
    parser.add_argument(
        "--results", type=Path, default=HERE / "results", help="where the folder of the run is made"
    )
    parser.add_argument("--name", default="run", help="second part of the folder's name")
    parser.add_argument(
        "--resume", type=Path, help="folder of an unfinished run: only what is missing is done"
    )
    parser.add_argument(
        "--rounds", type=int, help="rounds of each comparison [default: 5, quick: 1]"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument(
        "--timeout", type=float, help="seconds for one process [default: 1800, quick: 120]"
    )
    parser.add_argument(
        "--cgroup", type=Path, help="memory cgroup you own; groups for limits are made in it"
    )
    parser.add_argument(
        "--render", action="store_true", help="with --resume: write the report again, run nothing"
    )
    parser.add_argument(
        "--page",
        type=Path,
        help="with --render: put the extrapolation into this document, between its markers",
    )
    return parser.parse_args()


def main():
    args = arguments()
    # Ends like Ctrl-C: the process being measured is stopped and scratch files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chosen = args.only.split(",") if args.only else SECTIONS
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        sys.exit(f"error: unknown section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    folder = (
        args.resume
        or args.results
        / f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%SZ}-{args.name}"
    )
    old = json.loads((folder / "results.json").read_text()) if args.resume else None
    if args.render:
        write(old, folder)
        if args.page:
            document = args.page.read_text() if args.page.exists() else "# Performance\n"
            args.page.write_text(scale.insert(document, old["scale"]))
        return
    quick = old["quick"] if old else args.quick
    args.cache.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.cache.resolve(), prefix="scratch-") as scratch:
        settings = Settings(
            root=HERE.parent,
            cache=args.cache.resolve(),
            # A copy, so that a build in the meantime does not change what is measured.
            gage=Path(shutil.copy2(program(args), Path(scratch) / "gage")),
            datasets=args.datasets or data.default_folder(HERE.parent),
            scratch=Path(scratch),
            cgroup=args.cgroup,
            threads=args.threads,
            dim=args.dim,
            rounds=args.rounds or (1 if quick else 5),
            timeout=args.timeout or (120 if quick else 1800),
            quick=quick,
            data=tuple(filter(None, args.data.split(","))),
            say=lambda text: print(text, flush=True),
        )
        results = old or begin(folder, settings)
        if any(
            results["machine"][fact] != machine.facts(settings.root)[fact]
            for fact in ("cpu", "cores", "memory_bytes")
        ):
            sys.exit("error: the run was begun on another machine; its ratios must come from one")
        for name in chosen:
            if name in results["sections"] and not results["sections"][name].get("error"):
                settings.say(f"{name}: done before")
                continue
            run_section(name, settings, results, folder)
    write(results, folder)
    print(f"\n{folder / 'report.md'}")


def program(args):
    """The binary to measure, built if it is the default one and absent."""
    if args.gage:
        return args.gage.resolve()
    default = HERE.parent / "target" / "release" / "gage"
    if not default.exists():
        subprocess.run(["cargo", "build", "--release"], cwd=HERE.parent, check=True)
    return default


def begin(folder, settings):
    version = subprocess.run(
        [settings.gage, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return {
        "name": folder.name,
        "quick": settings.quick,
        "gage_version": version,
        "machine": machine.facts(settings.root),
        "settings": {
            k: getattr(settings, k) for k in ("threads", "dim", "rounds", "timeout", "data")
        },
        "sections": {},
        "packages": {},
    }


def digest(path):
    """Hash of a file, read in pieces: what this driver holds at its peak is charged to every
    process it starts.
    """
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def run_section(name, settings, results, folder):
    """Runs one section and keeps its result at once, so that a later failure costs only itself."""
    settings.say(f"{name}:")
    before = machine.load()
    try:
        outcome, error = importlib.import_module(f"sections.{name}").run(settings), ""
    except (data.Missing, venvs.Unavailable) as reason:
        outcome, error = Outcome(), str(reason)
        settings.say(f"  could not be run: {reason}")
    for file, svg in outcome.plots:
        (folder / file).write_text(svg)
    section = {
        **outcome.record(),
        "error": error,
        "load_before": before,
        "load_after": machine.load(),
        # The program need not have been built from the commit of this tree, nor be the one of an
        # earlier section.
        "gage_sha256": digest(settings.gage),
    }
    results["sections"][name] = without_places(section, settings)
    results["packages"] = {e: venvs.versions(e, settings.cache) for e in ENVIRONMENTS}
    for check in outcome.checks:
        settings.say(
            f"  {report.VERDICTS[check['passed']]}: {check['what']}: {check['measured']} (target "
            f"{check['target']})"
        )
    write(results, folder)


def write(results, folder):
    """results.json and the page made from it; the old file stays until the new one is whole."""
    results["scale"] = scale.page(results)
    partial = folder / "results.json.part"
    partial.write_text(json.dumps(results, indent=1) + "\n")
    os.replace(partial, folder / "results.json")
    titles = {name: importlib.import_module(f"sections.{name}").TITLE for name in SECTIONS}
    (folder / "report.md").write_text(report.render(results, titles))


if __name__ == "__main__":
    main()
