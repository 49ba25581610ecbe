"""Nearest nodes by an index: whole processes of `gage similar`, and the index beside a library of
graphs of neighbours.
"""

from statistics import median

from harness import data, measure, rounds, venvs
from harness.outcome import Outcome

TITLE = "Nearest nodes"
SIZES = [100_000, 1_000_000]
QUICK = [20_000]
MILLISECONDS = 50
RECALL = 0.95
QUESTIONS = 20


def run(settings):
    outcome = Outcome()
    python = venvs.python_of("usearch", settings.cache, settings.say)
    rows = []
    for nodes in settings.choose(SIZES, QUICK):
        settings.say(f"  {nodes:,} nodes")
        rows += _one(nodes, python, settings, outcome)
    columns = [
        "nodes",
        "program",
        "build s",
        "build peak MiB",
        "index MiB",
        "question ms",
        "recall",
    ]
    outcome.table(
        "An index of an embedding with 128 columns, ten neighbours by cosine", columns, rows
    )
    outcome.notes.append(
        f"`gage similar`: median over {QUESTIONS} whole processes, from start to end, with the "
        "index in the page cache; its recall is what "
        "the index measured when it was built. usearch: the question alone, in a process that has "
        "mapped the index; its recall on 200 rows."
    )
    return outcome


def _one(nodes, python, settings, outcome):
    folder = data.generated(nodes, settings)
    embedding, index = (
        settings.scratch / f"search-{nodes}.npy",
        settings.scratch / f"search-{nodes}.index",
    )
    fitted = measure.run(
        settings.embed(folder, embedding, "--preset", "paper"), settings.threads, settings.timeout
    )
    if not fitted.ok:
        outcome.holds(
            f"{nodes:,} nodes: an embedding", "made", False, note=fitted.error.strip()[-200:]
        )
        return []
    common = ["--threads", settings.threads, "--json", "--quiet"]
    built = measure.run(
        [settings.gage, "index", embedding, "-o", index, *common],
        settings.threads,
        settings.timeout,
    )
    asked = []
    for question in range(QUESTIONS):
        node = question * (nodes // QUESTIONS)
        command = [settings.gage, "similar", embedding, node, "-k", 10, "--index", index, *common]
        asked.append(measure.run(command, settings.threads, settings.timeout))
    outcome.raw[str(nodes)] = {"build": built.record(), "questions": [m.record() for m in asked]}
    took = 1000 * median(m.seconds for m in asked) if all(m.ok for m in asked) else None
    note = "" if built.ok and took is not None else (built.error or asked[0].error).strip()[-200:]
    # Recall is listed by tiers of how many neighbours are requested.
    recall = next(
        (tier["recall"] for tier in built.report.get("recall", []) if tier["neighbours"] >= 10),
        None,
    )
    outcome.at_most(
        f"{nodes:,} nodes: a question, whole process", took, MILLISECONDS, unit=" ms", note=note
    )
    outcome.at_least(f"{nodes:,} nodes: recall of ten neighbours", recall, RECALL, unit="")
    size = index.stat().st_size if index.exists() else None
    ours = [
        f"{nodes:,}",
        "gage index",
        built.seconds,
        rounds.mib(built.peak_bytes),
        rounds.mib(size),
        took,
        recall,
    ]
    peer = [
        python,
        settings.root / "bench" / "peers" / "search_usearch.py",
        embedding,
        settings.scratch / "usearch.index",
    ]
    theirs = measure.run([*peer, "--threads", settings.threads], settings.threads, settings.timeout)
    outcome.raw[str(nodes)]["usearch"] = theirs.record()
    outcome.at_least(
        f"{nodes:,} nodes: index built faster than by usearch",
        _faster(theirs, built),
        1,
        note=theirs.error.strip()[-120:],
    )
    for file in (embedding, index, settings.scratch / "usearch.index"):
        file.unlink(missing_ok=True)
    if not theirs.ok:
        return [ours]
    found = theirs.report
    peak, size = rounds.mib(theirs.peak_bytes), rounds.mib(found["index_bytes"])
    return [
        ours,
        [
            f"{nodes:,}",
            "usearch",
            found["build_seconds"],
            peak,
            size,
            1000 * found["query_seconds"],
            found["recall"],
        ],
    ]


def _faster(theirs, built):
    return theirs.report["build_seconds"] / built.seconds if theirs.ok and built.ok else None
