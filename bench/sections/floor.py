"""Time of a fit over the least time that its traffic and arithmetic take on this machine."""

import shutil

from harness import data, measure
from harness.outcome import Outcome

TITLE = "Distance from the machine's floor"
TARGET = 1.6


def run(settings):
    outcome = Outcome()
    if not (settings.root / "crates" / "gage-bench").is_dir() or not shutil.which("cargo"):
        note = "not available: the program `gage-bench floor` is not in this tree"
        outcome.at_most("time of a fit over its floor", None, TARGET, note=note)
        return outcome
    names = settings.choose(["blogcatalog", "wordnet", "generated:1000000"], ["blogcatalog"])
    for name, preset in [(name, preset) for name in names for preset in ("balanced", "auto")]:
        label = f"{name}, preset {preset}"
        try:
            folder = data.folder_for(name, settings)
        except data.Missing as reason:
            outcome.at_most(f"{label}: time over floor", None, TARGET, note=str(reason))
            continue
        manifest = settings.root / "Cargo.toml"
        command = [
            "cargo",
            "run",
            "--quiet",
            "--release",
            "--manifest-path",
            manifest,
            "-p",
            "gage-bench",
        ]
        found = measure.run(
            [*command, "--", "floor", folder, "--json", "--preset", preset],
            settings.threads,
            settings.timeout,
        )
        outcome.raw[label] = found.record()
        ratio = found.report.get("total_ratio") if found.ok else None
        outcome.at_most(
            f"{label}: time over floor",
            ratio,
            TARGET,
            note="" if found.ok else found.error.strip()[-200:],
        )
        rows = [
            [s["name"], s["seconds"], s["floor_seconds"], _over(s)]
            for s in found.report.get("stages", [])
        ]
        if rows:
            outcome.table(label, ["stage", "seconds", "floor seconds", "ratio"], rows)
    return outcome


def _over(stage):
    return stage["seconds"] / stage["floor_seconds"] if stage["floor_seconds"] else None
