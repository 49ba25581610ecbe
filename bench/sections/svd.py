"""Against two truncated SVDs of scikit-learn, which see the same two matrices."""

from harness import data, measure, rounds, venvs
from harness.outcome import Outcome

TITLE = "Against two truncated SVDs (scikit-learn)"
TARGETS = {"wordnet": 3, "debian_bookworm": 3, "generated:1000000": 3, "blogcatalog": 1}
QUICK = {"blogcatalog": 1, "generated:20000": 3}


def run(settings):
    outcome = Outcome()
    python = venvs.python_of("numpy", settings.cache, settings.say)
    rows = []
    for name, target in (QUICK if settings.quick else TARGETS).items():
        try:
            folder = data.folder_for(name, settings)
        except data.Missing as reason:
            outcome.at_least(f"{name}: faster than the SVDs", None, target, note=str(reason))
            continue
        settings.say(f"  {name}")
        measure.warm([folder / "adj.npz", folder / "features.npz"])
        inputs, scratch = data.two_matrices(folder), settings.scratch
        commands = {
            "gage, preset paper": settings.embed(inputs, scratch / "raw.npy", "--preset", "paper"),
            "gage, default preset": settings.embed(inputs, scratch / "auto.npy"),
            "two SVDs": settings.peer(python, "svd_pair.py", folder, scratch / "svd.npy"),
        }
        results = rounds.interleave(commands, settings.rounds, settings.threads, settings.timeout, settings.say)
        outcome.raw[name] = rounds.records(results)
        for program, measurements in results.items():
            speed = None if program == "two SVDs" else rounds.ratio(results["two SVDs"], measurements)
            peak = rounds.mib(rounds.peak_bytes(measurements))
            seconds, fit = rounds.median_seconds(measurements), rounds.median_stage(measurements, "fit")
            rows.append([name, program, seconds, fit, peak, speed])
            if speed is not None:
                outcome.at_least(f"{name}: {program}, faster than the SVDs", speed, target)
    outcome.table("Whole processes, 128 columns", ["data", "program", "seconds", "fit alone", "peak MiB", "times faster"], rows)
    outcome.notes.append(
        "Preset `paper` works on the same two raw matrices as the SVDs; the default preset also measures the graph and adds "
        "views smoothed over the links, so it does more. Both get `adj.npz` and `features.npz` only."
    )
    return outcome
