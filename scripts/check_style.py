#!/usr/bin/env python3
"""Checks the width of lines, and that the words of the field are used.

    python3 scripts/check_style.py [--strict] [PATH ...]

Lines of Rust, Python, Markdown, TOML and of the Makefile have at most 100 columns. Tables in
Markdown, lines that are one address or link, generated reports and data are exempt. `WORDS` are
names that were replaced, with what to write instead.

With paths (files or folders) each fault is printed as `FILE:LINE: what`, and any fault is an error.
Without, the files that Git knows are counted by folder, and faults are errors with `--strict` only.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

WIDTH = 100
ROOT = Path(__file__).resolve().parent.parent
CHECKED = {".rs", ".py", ".pyi", ".md", ".toml"}
GENERATED = ("docs/report/", "bench/results/", "crates/gage-embed/tests/corpus/")
# This list itself, and the page that tells which public names are gone.
NAMES_OLD_WORDS = ("scripts/check_style.py", "CHANGELOG.md")

LINK = re.compile(r"^\W*(<?https?://\S+|\[[^\]]*\]\(\S+\)|\[[^\]]*\]:\s*\S+)\W*$")

# Words that cannot mean anything else, and what to write instead.
WORDS = [
    (r"\bask(s|ed|ing)? (for )?\w* ?ahead\b|ASKED_FOR|\bAHEAD\b", "prefetch, PREFETCH_DISTANCE"),
    (r"FewSigns", "SparseSignSketch"),
    (r"\bBegin::|\bBegin \{|\bHELD\b", "RowInit::{Accumulate, Overwrite}"),
    (r"[rR]ough_?([gG]ram|[uU]pdate)", "gram_working_precision, update_working_precision"),
    (r"\bunspecified\(", "uninit("),
    (r"write_turned", "transpose_into"),
    (
        r"\b(square|scatter|few|wide)\.rs\b|\bmod (square|scatter|few|wide);",
        "dense_transpose, spmm_transposed, sparse_sign, tiled",
    ),
    (r"\bmod (forecast|rehearsal);|[rR]ehears", "convergence, calibration"),
    (r"SoFar\b|\bso_far_of\b", "*Checkpoint"),
    (r"\bDraft\b|\bKeeping\b|tick_or_keep|tick_or_save", "*Checkpoint, checkpoint"),
    (
        r"blind_(nodes|ones)|\bblind(_nodes)?:|\.blind\b|let blind\b|\bblind (node|new)",
        "unobserved",
    ),
    (r"choose::|\bmod choose;", "preset_selection"),
    (r"\bFacts\b", "GraphStatistics"),
    (r"\blasting\b|\bLASTING\b", "smoothing_retention"),
    (r"\bPlacer\b|\bmod place;", "Aligner, align"),
    (r"\bmod (identify|join|assemble);", "node_order, reindex, sparse_builder"),
    (r"[nN]ewcomer", "new_nodes, NewNodes"),
    (r"\bListing\b", "EdgeSemantics"),
    (r"\b[rR]ivals?\b|\bRival[A-Z]\w*|_rival\b", "baseline"),
    (r"\bWishes\b|\bwishes\b", "Options, options"),
    (r"\bFault\b", "BindingError, or the error of the stage"),
    (r"\bPatient\b", "IgnoreBrokenPipe"),
    (r"\bfn (here|free)<", "run_attached, run_detached"),
    (r"\bNumbersRef\b|\bNumbers::", "AnyTall"),
    (r"\bReuse::", "BufferPool"),
    (r"links a node\b", "mean degree"),
    (r"written out instead|instead of written out", "applied as matrix-free operators"),
    (r"\bwritten out by hand|\bevery cell written out", "given explicitly, stored"),
    (r"\bask(s|ed) for\b", "requests, requires, allocates; requested"),
    (r"\b[uU]nless told\b", "by default"),
    (r"\btold (apart|from|by)\b", "distinguished from, detected by"),
    (r"\b(is|are|was|were) told\b", "is reported, is distinguished"),
    (r"\b(it|fit|model|preset|never) saw\b", "found, was fitted to; held out"),
    (r"\b(in|at|by|of|a) forecast|\bforecasts?(_|\()", "convergence, time estimate"),
    (r"out loud\b", "in the output"),
    (r"a walk (through|over) (the|all) (entries|nonzeros)", "one pass over the nonzeros"),
    (r"\bpatient(ly)? (writer|output)", "IgnoreBrokenPipe"),
    (r"\bagreement of linked nodes\b", "attribute assortativity"),
    (r"\bTopK nodes\b", "nearest nodes"),
]
WORDS = [(re.compile(pattern), instead) for pattern, instead in WORDS]

# What users type or have in files keeps its name: path, line, and why.
KEPT = [
    (
        r"gage-core/src/(artifact|model)/|tests/readers/|make_reader_corpus|mutate",
        r"blind_nodes",
        "a field of model files",
    ),
    (
        r"gage-cli/src/reproduce|gage-cli/tests|gage-cli/src/cmd/reproduce",
        r"\"rivals?\"",
        "a field and a value of defaults.json",
    ),
    (
        r"preset_selection/auto|engine/preset_selection",
        r"links a node|lasting|agreement of linked",
        "text of model files",
    ),
    (r"preset_selection/graph_stat", r"rename = \"lasting\"", "a field of model files"),
]
KEPT = [(re.compile(path), re.compile(line)) for path, line, _ in KEPT]


def tracked():
    """Files that Git knows, and new ones that it does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.splitlines()]


def below(paths):
    """Files of folders, and files."""
    for path in map(Path, paths):
        if not path.exists():
            sys.exit(f"error: {path}: there is no such file")
        inside = path.resolve()
        yield from [file for file in tracked() if inside == file or inside in file.parents]


def wanted(path):
    """Whether a file is checked."""
    name = path.relative_to(ROOT).as_posix()
    kind = path.suffix in CHECKED or path.name == "Makefile"
    return kind and path.is_file() and not name.startswith(GENERATED)


def too_wide(path, line):
    """Whether a line has more columns than it may."""
    table = path.suffix == ".md" and line.lstrip().startswith("|")
    # A package has its description in one line.
    single = table or LINK.match(line) or line.startswith("description = ")
    return len(line) > WIDTH and not single


def faults(path):
    """Lines of a file that are wrong: number and what to do."""
    name = path.relative_to(ROOT).as_posix()
    words = [] if name in NAMES_OLD_WORDS else WORDS
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if too_wide(path, line):
            yield number, f"{len(line)} columns, at most {WIDTH}"
        for pattern, instead in words:
            found = pattern.search(line)
            if found and not any(kept.search(name) and keep.search(line) for kept, keep in KEPT):
                yield number, f"`{found[0]}`: write {instead}"


def group(path):
    """The crate or folder that a file is counted under."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2] if parts[0] == "crates" else parts[:1])


def main():
    words = sys.argv[1:]
    paths = [word for word in words if word != "--strict"]
    strict = len(paths) < len(words)
    counts = Counter()
    for path in filter(wanted, below(paths) if paths else tracked()):
        for number, what in faults(path):
            counts[group(path), "width" if what.endswith(str(WIDTH)) else "words"] += 1
            if paths or strict:
                print(f"{path.relative_to(ROOT)}:{number}: {what}")
    for (where, kind), count in sorted(counts.items()):
        print(f"{where}: {count} {'lines too wide' if kind == 'width' else 'old words'}")
    return 1 if counts and (paths or strict) else 0


if __name__ == "__main__":
    sys.exit(main())
