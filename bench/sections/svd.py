"""Against two truncated SVDs of scikit-learn, which see the same two matrices."""

from harness import data, measure, rounds, venvs
from harness.outcome import Outcome

TITLE = "Against two truncated SVDs (scikit-learn)"
TARGETS = {"wordnet": 3, "debian_bookworm": 3, "generated:1000000": 3, "blogcatalog": 1}
QUICK = {"blogcatalog": 1, "generated:20000": 3}
# The default preset over preset `paper`.
DEFAULT_OVER_PAPER = 2.0


def run(settings):
    outcome = Outcome()
    python = venvs.python_of("numpy", settings.cache, settings.say)
    rows = []
    for name in settings.choose(TARGETS, QUICK):
        target = (QUICK if settings.quick else TARGETS)[name]
        try:
            folder = data.folder_for(name, settings)
        except data.Missing as reason:
            outcome.at_least(f"{name}: faster than the SVDs", None, target, note=str(reason))
            continue
        settings.say(f"  {name}")
        measure.warm([folder / "adj.npz", folder / "features.npz"])
        inputs, scratch = data.two_matrices(folder), settings.scratch
        theirs = settings.peer(python, "svd_pair.py", folder, scratch / "svd.npy")
        commands = {
            "gage, preset paper": settings.embed(inputs, scratch / "raw.npy", "--preset", "paper"),
            "gage, default preset": settings.embed(inputs, scratch / "auto.npy"),
            "two SVDs": theirs,
            "two SVDs, one BLAS thread": rounds.one_blas_thread(theirs),
        }
        # Minutes each at a million nodes, where seconds of noise do not matter.
        million = name == "generated:1000000"
        count = 1 if million else settings.rounds
        memory = (
            {program: data.likely_bytes(1_000_000) for program in commands} if million else None
        )
        results = rounds.interleave(
            commands, count, settings.threads, settings.timeout, settings.say, memory=memory
        )
        outcome.raw[name] = rounds.records(results)
        at_best = rounds.better(results["two SVDs"], results["two SVDs, one BLAS thread"])
        for program, measurements in results.items():
            theirs = program.startswith("two SVDs")
            speed = None if theirs else rounds.ratio(at_best, measurements)
            fit_speed = None if theirs else rounds.ratio(at_best, measurements, fit_seconds)
            peak = rounds.mib(rounds.peak_bytes(measurements))
            seconds, fit = (
                rounds.median_seconds(measurements),
                rounds.median_stage(measurements, "fit"),
            )
            rows.append([name, program, seconds, fit, peak, speed, fit_speed])
            if speed is not None:
                outcome.at_least(f"{name}: {program}, faster than the SVDs", speed, target)
        over = rounds.ratio(results["gage, default preset"], results["gage, preset paper"])
        outcome.at_most(f"{name}: the default preset over `paper`", over, DEFAULT_OVER_PAPER)
    columns = [
        "data",
        "program",
        "seconds",
        "fit alone",
        "peak MiB",
        "times faster",
        "fit alone, times faster",
    ]
    outcome.table("Whole processes, 128 columns", columns, rows)
    outcome.notes.append(
        "Preset `paper` works on the same two raw matrices as the SVDs; the default preset also "
        "measures the graph and adds "
        "views smoothed over the links, so it does more. Both get `adj.npz` and `features.npz` "
        "only. "
        "A process of scikit-learn spends about a second on importing it, which counts in whole "
        "processes and not in the fit alone. The "
        "SVDs run with one and with two BLAS threads, and the faster of the two counts in every "
        "round."
    )
    return outcome


def fit_seconds(measured):
    """What the program itself says its fit took."""
    return measured.report.get("seconds", {}).get("fit", measured.seconds)
