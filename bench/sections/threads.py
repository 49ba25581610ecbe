"""What the second thread is worth, beside what the second core of this machine is worth."""

from statistics import median

from harness import data, measure, rounds
from harness.outcome import Outcome

TITLE = "Two threads against one"
TARGET = 1.7
# A machine on which two separate processes hinder each other more than this has no second core to
# give.
OWN_SCALING = 1.8


def run(settings):
    outcome = Outcome()
    rows = []
    for name in settings.choose(["wordnet", "generated:1000000"], ["generated:20000"]):
        try:
            folder = data.folder_for(name, settings)
        except data.Missing as reason:
            outcome.at_least(f"{name}: two threads faster than one", None, TARGET, note=str(reason))
            continue
        measure.warm([folder])
        # The default preset on real data only: the same kernels, several times as often.
        for preset in ("paper", "auto") if name == "wordnet" else ("paper",):
            settings.say(f"  {name}, preset {preset}")
            rows.append(_one(name, preset, data.two_matrices(folder), settings, outcome))
    columns = [
        "data",
        "preset",
        "one thread s",
        "two threads s",
        "faster",
        "fit alone faster",
        "the machine's own",
    ]
    outcome.table("Whole processes", columns, rows)
    outcome.notes.append(
        "The machine's own scaling: twice the time of one one-thread process over the time of two "
        "such processes at once. Two full "
        f"cores give 2; below about {OWN_SCALING} the two processors share a core, memory or "
        "visitors, and no program can do better."
    )
    return outcome


def _one(name, preset, inputs, settings, outcome):
    def command(threads, output):
        return settings.embed(
            inputs, settings.scratch / output, "--preset", preset, threads=threads
        )

    def measured(threads, output):
        measure.touch_memory(memory)
        return measure.run(command(threads, output), threads=threads, timeout=settings.timeout)

    memory = data.likely_bytes(1_000_000) if name == "generated:1000000" else rounds.USUAL_BYTES
    runs = {"one": [], "two": []}
    own = []
    for number in range(min(3, settings.rounds)):
        runs["one"].append(measured(1, "one.npy"))
        runs["two"].append(measured(2, "two.npy"))
        measure.touch_memory(2 * memory)
        both, _ = measure.run_together(
            [command(1, "left.npy"), command(1, "right.npy")], threads=1, timeout=settings.timeout
        )
        own.append(2 * runs["one"][-1].seconds / both)
        one, two = runs["one"][-1].seconds, runs["two"][-1].seconds
        settings.say(
            f"    round {number + 1}: one thread {one:.2f} s, two {two:.2f} s, two processes at "
            f"once {both:.2f} s"
        )
    outcome.raw[f"{name} {preset}"] = {**rounds.records(runs), "own_scaling": own}
    faster = rounds.ratio(runs["one"], runs["two"])
    fit_faster = rounds.ratio(runs["one"], runs["two"], lambda m: m.report["seconds"]["fit"])
    note = f"the machine's own scaling is {median(own):.2f}" if median(own) < OWN_SCALING else ""
    outcome.at_least(
        f"{name}, preset {preset}: two threads faster than one", faster, TARGET, note=note
    )
    seconds = rounds.median_seconds(runs["one"]), rounds.median_seconds(runs["two"])
    return [name, preset, *seconds, faster, fit_faster, median(own)]
