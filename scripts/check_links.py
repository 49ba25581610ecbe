#!/usr/bin/env python3
"""Checks relative links and anchors of the documentation.

    python3 scripts/check_links.py [ROOT]

Reads every Markdown page of `docs`, the pages at the root and the READMEs of `bench` and of the
crates. A link must lead to a file that exists, an anchor to a heading of the page, and a page of
the book must stay inside the book, because only `docs` is rendered. Every page of `docs` must be in
`SUMMARY.md`. Faults are printed as `FILE:LINE: what`, and the exit code is then 1. Links to other
hosts are not followed.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"!?\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$")
SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*:")
FENCE = re.compile(r"^\s*(```|~~~)")
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1")
HTML_ID = re.compile(r"<[^>]*\b(?:id|name)=\"([^\"]+)\"")


def prose(text):
    """Lines outside code blocks, with their numbers."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def slug(heading):
    """The anchor that GitHub and mdBook give a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def anchors(path):
    """All anchors of a page."""
    found, seen = set(), {}
    for _, line in prose(path.read_text(encoding="utf-8")):
        found.update(HTML_ID.findall(line))
        heading = re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            name = slug(heading[1])
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found


def links(path):
    """Targets of the links of a page, with their lines."""
    for number, line in prose(path.read_text(encoding="utf-8")):
        line = CODE.sub(lambda code: "`" * len(code[0]), line)
        targets = LINK.findall(line) + REFERENCE.findall(line)
        yield from ((number, target) for target in targets)


def faults(root):
    """What is wrong, as lines to print."""
    book = root / "docs"
    pages = sorted(book.rglob("*.md"))
    others = [root / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    others += [root / "bench/README.md", *sorted(root.glob("crates/*/README.md"))]
    known, reached = {}, set()
    for page in [*pages, *(other for other in others if other.exists())]:
        place = page.relative_to(root)
        for number, target in links(page):
            if SCHEME.match(target) or target.startswith("//"):
                continue
            path, _, anchor = unquote(target).partition("#")
            goal = (page.parent / path).resolve() if path else page.resolve()
            if not goal.exists():
                yield f"{place}:{number}: {target}: there is no such file"
                continue
            if book in page.parents and goal != book and book not in goal.parents:
                yield f"{place}:{number}: {target}: leads out of the book"
            if page == book / "SUMMARY.md":
                reached.add(goal)
            if anchor and goal.suffix == ".md":
                if goal not in known:
                    known[goal] = anchors(goal)
                if anchor not in known[goal]:
                    yield f"{place}:{number}: {target}: the page has no such heading"
    for page in pages:
        if page.name != "SUMMARY.md" and page not in reached:
            yield f"{page.relative_to(root)}:1: the page is not in docs/SUMMARY.md"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = list(faults(root))
    print("\n".join(found) if found else "all links lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
