"""What the Python package adds to the time of the engine: a release wheel of this tree beside the
program.
"""

from harness import data, measure, venvs
from harness.outcome import Outcome

TITLE = "Overhead of the Python package"
TARGET = 3


def run(settings):
    outcome = Outcome()
    python = install(settings)
    rows = []
    debian = settings.root / "crates" / "gage-debian" / "data" / "debian"
    for name in settings.choose(["debian", "generated:125000"], ["debian", "generated:20000"]):
        folder = debian if name == "debian" else data.folder_for(name, settings)
        measure.warm([folder])
        settings.say(f"  {name}")
        rounds = 3 if settings.quick else 2 * settings.rounds + 1
        command = [
            python,
            settings.root / "bench" / "python_overhead.py",
            settings.gage,
            folder,
            "--json",
            "--rounds",
            rounds,
        ]
        command += ["--dim", settings.dim, "--threads", settings.threads]
        found = measure.run(command, settings.threads, settings.timeout * rounds)
        rows.append(judge(name, found, outcome))
    outcome.table(
        "Reading and fitting", ["data", "rounds", "command s", "Python s", "overhead %"], rows
    )
    return outcome


def install(settings):
    """An interpreter with NumPy and this tree's package, built as users build it."""
    python = venvs.python_of("package", settings.cache, settings.say)
    settings.say("  building the wheel")
    wheels = settings.scratch / "wheels"
    venvs.call(
        [python.parent / "maturin", "build", "--release", "--out", wheels], folder=settings.root
    )
    pip = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--force-reinstall",
    ]
    venvs.call([*pip, *wheels.glob("*.whl")])
    return python


def judge(name, found, outcome):
    """The checks of one data set, and its row of the table."""
    outcome.raw[name] = found.record()
    report = found.report if found.ok else {}
    overhead = 100 * report["overhead"] if report else None
    note = "" if found.ok else (found.error.strip()[-200:] or found.status)
    outcome.at_most(
        f"{name}: time of Python over that of the command line",
        overhead,
        TARGET,
        unit="%",
        note=note,
    )
    outcome.holds(f"{name}: the command line's bits", "equal", report.get("same_bits"), note=note)
    seconds = report.get("seconds", {})
    return [
        name,
        len(report.get("rounds", [])),
        seconds.get("command"),
        seconds.get("python"),
        overhead,
    ]
