"""Against peers that can be installed: time, memory, and how well classes are predicted from the
result.
"""

from harness import data, limit, measure, plot, rounds, venvs
from harness.outcome import Outcome

TITLE = "Against installable peers"
OURS = "gage"
# Name in the report: environment, program, further flags.
PEERS = {
    "pycleora": ("pycleora", "embed_pycleora.py", []),
    "scikit-network Spectral": ("sknetwork", "embed_sknetwork.py", []),
    "karateclub TADW": ("karateclub", "embed_karateclub.py", ["--method", "TADW"]),
    "karateclub BANE": ("karateclub", "embed_karateclub.py", ["--method", "BANE"]),
    "karateclub TENE": ("karateclub", "embed_karateclub.py", ["--method", "TENE"]),
}
# By number of nodes: a peer that ran out of time is not tried on what is larger.
DATA = ["wiki", "planetoid_cora", "blogcatalog", "pubmed", "debian_bookworm", "wordnet"]
LIMIT_SECONDS = 600
ONE = ", one BLAS thread"
SHARES = ["0.5", "0.1"]


def run(settings):
    outcome = Outcome()
    pythons = _environments(settings, outcome)
    rows, given_up = [], {}
    for name in settings.choose(DATA, ["planetoid_cora"]):
        try:
            folder = data.real(name, settings)
        except data.Missing as reason:
            outcome.notes.append(str(reason))
            continue
        settings.say(f"  {name}")
        rows += _one(name, folder, pythons, given_up, settings, outcome)
    columns = [
        "data",
        "program",
        "seconds",
        "fit alone",
        "peak MiB",
        "micro F1 50%",
        "macro F1 50%",
        "micro F1 10%",
        "macro F1 10%",
    ]
    outcome.table(
        "Whole processes, 128 columns; classification of the same random splits", columns, rows
    )
    outcome.notes.append(
        "All embeddings are scaled to a mean squared entry of 1 before they are classified. "
        "pycleora reads the graph only; nodes "
        "without links get zeros. Peers run with one and with two BLAS threads, and the faster of "
        "the two counts in every round. "
        "A peer that ran out of time is counted with its limit, which is less than it would take. "
        "Verdicts are "
        "about gage as it comes (preset `auto`); the other presets are shown beside it."
    )
    return outcome


def _environments(settings, outcome):
    pythons = {}
    for environment in {p[0] for p in PEERS.values()} | {"numpy"}:
        try:
            pythons[environment] = venvs.python_of(environment, settings.cache, settings.say)
        except venvs.Unavailable as reason:
            outcome.notes.append(f"{environment} could not be installed: {reason}")
    return pythons


def _one(name, folder, pythons, given_up, settings, outcome):
    measure.warm([folder / "adj.npz", folder / "features.npz"])
    inputs, outputs, commands = data.two_matrices(folder), {}, {}
    for label, preset in ((OURS, "auto"), ("gage, balanced", "balanced"), ("gage, paper", "paper")):
        outputs[label] = settings.scratch / f"peer-{preset}.npy"
        commands[label] = settings.embed(inputs, outputs[label], "--preset", preset)
    for label, (environment, program, flags) in PEERS.items():
        if environment in pythons and label not in given_up:
            outputs[label] = settings.scratch / f"peer-{label.replace(' ', '-')}.npy"
            commands[label] = settings.peer(
                pythons[environment], program, folder, outputs[label], *flags
            )
            commands[label + ONE] = rounds.one_blas_thread(commands[label])
    timeout = min(settings.timeout, LIMIT_SECONDS)
    count = min(3, settings.rounds)
    every = rounds.interleave(
        commands, count, settings.threads, timeout, settings.say, limits=limit.spare_the_machine
    )
    # Of a peer the faster of its two ways counts, round by round.
    results = {label: rounds.better(every[label], every.get(label + ONE, [])) for label in outputs}
    scores = {}
    for label, runs in results.items():
        if runs[-1].ok and "numpy" in pythons:
            scores[label] = _quality(outputs[label], folder, pythons["numpy"], settings)
    for path in outputs.values():
        path.unlink(missing_ok=True)  # the next data set must not find these
    outcome.raw[name] = {"runs": rounds.records(every), "scores": scores}
    _checks(name, results, scores, outcome)
    _plot(name, results, scores, outcome)
    rows = [_row(name, label, runs, scores.get(label)) for label, runs in results.items()]
    rows += [
        [name, label, f"not tried: out of time on {where}", *[None] * 6]
        for label, where in given_up.items()
    ]
    given_up.update(
        {
            label: name
            for label, runs in results.items()
            if label in PEERS and runs[-1].status == "timeout"
        }
    )
    return rows


def _quality(embedding, folder, python, settings):
    """Micro and macro F1 by share of training nodes; None where there are no labels or the
    embedding is not finite.
    """
    labels = folder / "labels.npy"
    if not labels.exists():
        return None
    scaled = settings.scratch / "scaled.npy"
    unit = settings.root / "bench" / "peers" / "unit_scale.py"
    if not measure.run([python, unit, embedding, scaled], settings.threads).ok:
        return None
    command = [
        settings.gage,
        "evaluate",
        "classify",
        scaled,
        "--labels",
        labels,
        "--train",
        ",".join(SHARES),
        "--json",
        "--quiet",
    ]
    found = measure.run(
        [*command, "--shuffles", 2 if settings.quick else 5, "--threads", settings.threads],
        settings.threads,
    )
    if not found.ok:
        settings.say(f"    not classified: {found.error.strip()[:200]}")
        return None
    return {
        str(r["train"]["share"]): {"micro": r["micro_f1"]["mean"], "macro": r["macro_f1"]["mean"]}
        for r in found.report["results"]
    }


def _checks(name, results, scores, outcome):
    for peer in (label for label in results if label in PEERS):
        first = results[peer][0]
        note = {
            "ok": "",
            "timeout": "the peer ran out of time",
            "failed": "the peer failed: " + first.error.strip()[-120:],
        }[first.status]
        outcome.at_least(
            f"{name}: faster than {peer}", rounds.ratio(results[peer], results[OURS]), 1, note=note
        )
        if scores.get(peer) and scores.get(OURS):
            ahead = min(scores[OURS][s]["micro"] - scores[peer][s]["micro"] for s in SHARES)
            outcome.at_least(
                f"{name}: micro F1 against {peer} (the lesser lead of 50% and 10%)",
                ahead,
                0,
                unit="",
            )
            outcome.checks[-1].update(target="not behind", measured=f"{ahead:+.4f}")


def _row(name, label, runs, score):
    status = runs[-1].status
    seconds = (
        rounds.median_seconds(runs)
        if status == "ok"
        else f"{status} after {runs[-1].seconds:.0f} s"
    )
    cells = [score[s][k] if score else None for s in SHARES for k in ("micro", "macro")]
    return [
        name,
        label,
        seconds,
        rounds.median_stage(runs, "fit"),
        rounds.mib(rounds.peak_bytes(runs)),
        *cells,
    ]


def _plot(name, results, scores, outcome):
    series = [
        plot.Series(label, [(rounds.median_seconds(runs), scores[label]["0.5"]["micro"])])
        for label, runs in results.items()
        if scores.get(label) and rounds.median_seconds(runs)
    ]
    svg = plot.chart(
        f"{name}: quality over time",
        "seconds, whole process",
        "micro F1, 50% trained on",
        series,
        log_y=False,
    )
    outcome.plots.append((f"peers-{name}.svg", svg))
