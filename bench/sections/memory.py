"""A data set three times as large as the memory allowed, and the same bits as without a limit."""

import hashlib
import os
import subprocess
import zipfile

from harness import data, limit, measure, rounds
from harness.outcome import Outcome

TITLE = "More data than memory"
TIMES = 3
# Many entries a node, so that the matrices and not the vectors are what is large.
FULL = {"nodes": 100_000, "degree": 1000, "entries": 1000, "columns": 20_000}
QUICK = {"nodes": 10_000, "degree": 500, "entries": 500, "columns": 10_000}


def run(settings):
    outcome = Outcome()
    shape = QUICK if settings.quick else FULL
    folder = data.generated(
        shape["nodes"], settings, shape["degree"], shape["entries"], shape["columns"]
    )
    size = matrix_bytes(folder)
    allowed = size // TIMES
    how = limit.kind(settings)
    outcome.notes.append(
        f"Matrices of {rounds.mib(size)} MiB (four bytes each for index and value), allowed "
        f"{rounds.mib(allowed)} MiB; "
        f"limit: {limit.DESCRIPTIONS[how]}."
    )
    free = measure.run(
        settings.embed(folder, settings.scratch / "free.npy", "--preset", "paper"),
        settings.threads,
        settings.timeout,
    )
    outcome.raw["without limit"] = free.record()
    what = f"{shape['nodes']:,} nodes, matrices {TIMES} times the memory allowed"
    if not accepts(settings, "--max-memory"):
        note = "not available: this binary has no --max-memory"
        for check, target in (("completes", "within the limit"), ("same result", "the same bits")):
            outcome.holds(f"{what}: {check}", target, None, note=note)
        _table(outcome, [("without limit", free)])
        return outcome
    # Made once, without the limit, by whoever has the memory or the time: matrices that are mapped
    # and not read.
    mapped = settings.scratch / "mapped"
    converted = measure.run(
        [settings.gage, "convert", folder, mapped, "--mapped", "--quiet"],
        settings.threads,
        settings.timeout,
    )
    outcome.raw["convert"] = converted.record()
    evict(mapped)
    command = settings.embed(
        mapped,
        settings.scratch / "held.npy",
        "--preset",
        "paper",
        "--max-memory",
        f"{allowed // 2**20}MiB",
    )
    with limit.limited(allowed, settings) as (prefix, apply):
        held = measure.run([*prefix, *command], settings.threads, settings.timeout, limits=apply)
        # The control: on data that are read, and without the flag, the same limit must stop the
        # same program, or it limits nothing.
        control_command = settings.embed(
            folder, settings.scratch / "control.npy", "--preset", "paper"
        )
        control = measure.run(
            [*prefix, *control_command], settings.threads, settings.timeout, limits=apply
        )
    outcome.raw["held"], outcome.raw["control"] = held.record(), control.record()
    outcome.holds(f"{what}: completes", "within the limit", held.ok, note=held.error.strip()[-200:])
    if held.ok:
        if how == "rlimit":
            outcome.at_most(
                f"{what}: peak of resident memory",
                held.peak_bytes / allowed,
                1,
                unit=" of what is allowed",
            )
        else:
            outcome.notes.append(
                "The limit counts everything that the process brings into memory. Its resident "
                "memory may be larger by pages that "
                "were there already: those of the program, which an earlier process has read."
            )
        same = (
            digest(settings.scratch / "free.npy") == digest(settings.scratch / "held.npy")
            if free.ok
            else None
        )
        outcome.holds(f"{what}: same result", "the same bits", same)
    outcome.holds("the limit holds: without the flag the fit is stopped", "stopped", not control.ok)
    _table(
        outcome,
        [
            ("without limit", free),
            ("convert --mapped", converted),
            ("held", held),
            ("control: limit, no flag", control),
        ],
    )
    return outcome


def matrix_bytes(folder):
    """Bytes of both matrices as rows of indices and single-precision values, four bytes each; no
    transposes.
    """
    total = 0
    for name in ("adj.npz", "features.npz"):
        with zipfile.ZipFile(folder / name) as archive:
            size = {entry.filename: entry.file_size for entry in archive.infolist()}
        total += 2 * size["indices.npy"] + size["indptr.npy"]
    return total


def evict(folder):
    """Takes files out of the page cache: pages that are there already count for nobody, and would
    be no part of the limit.
    """
    for path in folder.rglob("*"):
        if path.is_file():
            with open(path, "rb") as stream:
                os.fsync(stream.fileno())
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def accepts(settings, flag):
    """Whether `gage embed` knows a flag."""
    text = subprocess.run([settings.gage, "embed", "--help"], capture_output=True, text=True).stdout
    return flag in text


def digest(path):
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _table(outcome, runs):
    rows = [[name, m.status, m.seconds, rounds.mib(m.peak_bytes)] for name, m in runs]
    outcome.table("Whole processes, preset paper", ["run", "ended", "seconds", "peak MiB"], rows)
