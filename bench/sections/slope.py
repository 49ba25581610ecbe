"""Growth of time and memory with the size of the graph."""

from harness import data, measure, plot, rounds
from harness.outcome import Outcome

TITLE = "Growth with the number of nodes"
SIZES = [125_000, 250_000, 500_000, 1_000_000, 2_000_000]
# The default preset takes longer, and grows in the same way.
MOST_WITH_AUTO = 1_000_000
QUICK = [5_000, 10_000, 20_000]
TIME, MEMORY = 2.2, 2.1
MILLION_GIB = 5


def run(settings):
    outcome = Outcome()
    sizes = settings.choose(SIZES, QUICK)
    folders = {str(n): data.generated(n, settings) for n in sizes}
    measure.warm(folders.values())
    for preset in ("paper", "auto"):
        most = MOST_WITH_AUTO if preset == "auto" else max(SIZES)
        _one(
            preset,
            {size: folder for size, folder in folders.items() if int(size) <= most},
            settings,
            outcome,
        )
    outcome.notes.append(
        "Mean degree 20, 20 attribute entries a node, power-law degrees. Ratios of doublings are "
        "taken inside a round."
    )
    return outcome


def _one(preset, folders, settings, outcome):
    commands = {
        size: settings.embed(folder, settings.scratch / "slope.npy", "--preset", preset)
        for size, folder in folders.items()
    }
    settings.say(f"  preset {preset}")
    count = min(3, settings.rounds)
    memory = {size: data.likely_bytes(int(size)) for size in commands}
    results = rounds.interleave(
        commands, count, settings.threads, settings.timeout, settings.say, memory=memory
    )
    outcome.raw[preset] = rounds.records(results)
    rows, points, before = [], [], None
    for size, runs in results.items():
        seconds, peak, fit = (
            rounds.median_seconds(runs),
            rounds.peak_bytes(runs),
            rounds.median_stage(runs, "fit"),
        )
        growth = rounds.ratio(runs, results[before]) if before else None
        fit_growth = (
            rounds.ratio(runs, results[before], lambda m: m.report["seconds"]["fit"])
            if before and fit
            else None
        )
        memory_growth = (
            rounds.ratio(runs, results[before], lambda m: m.peak_bytes) if before else None
        )
        rows.append(
            [f"{int(size):,}", seconds, fit, rounds.mib(peak), growth, fit_growth, memory_growth]
        )
        if before:
            step = f"{preset}: {int(before):,} to {int(size):,} nodes"
            outcome.at_most(f"{step}: time", growth, TIME)
            outcome.at_most(f"{step}: time of the fit alone", fit_growth, TIME)
            outcome.at_most(f"{step}: memory", memory_growth, MEMORY)
        if size == "1000000":
            outcome.at_most(
                f"{preset}: memory at 1,000,000 nodes",
                peak and peak / 2**30,
                MILLION_GIB,
                unit=" GiB",
            )
        if seconds:
            points.append(
                {"nodes": int(size), "seconds": seconds, "fit_seconds": fit, "peak_bytes": peak}
            )
        before = size
    columns = ["nodes", "seconds", "fit alone", "peak MiB", "time grew", "fit grew", "memory grew"]
    outcome.table(f"Whole processes, preset {preset}", columns, rows)
    outcome.raw.setdefault("points", {})[preset] = points
    if len(points) > 1:
        _plot(preset, points, outcome)


def _plot(preset, points, outcome):
    nodes = [p["nodes"] for p in points]
    times = plot.Series(
        "whole process", list(zip(nodes, [p["seconds"] for p in points])), line=True
    )
    fits = plot.Series(
        "fit alone", [(p["nodes"], p["fit_seconds"]) for p in points if p["fit_seconds"]], line=True
    )
    memory = plot.Series(
        "peak memory", list(zip(nodes, [p["peak_bytes"] / 2**20 for p in points])), line=True
    )
    outcome.plots.append(
        (
            f"slope-time-{preset}.svg",
            plot.chart(f"Time, preset {preset}", "nodes", "seconds", [times, fits]),
        )
    )
    outcome.plots.append(
        (
            f"slope-memory-{preset}.svg",
            plot.chart(f"Peak memory, preset {preset}", "nodes", "MiB", [memory]),
        )
    )
