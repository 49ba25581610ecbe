"""At what size one machine is not enough: the measured slope, carried on to 10^9 links."""

import math

# Links (each counted once) of the sizes shown; the generated graphs have ten of them a node.
LINKS = [10**7, 3 * 10**7, 10**8, 3 * 10**8, 10**9]
LINKS_PER_NODE = 10
MEMORIES_GIB = [16, 32, 64, 128, 256, 512, 1024]
HOUR = 3600
HEADING = "## At what size do you need more than one machine?"
BEGIN, END = "<!-- written by bench/run.py --page: begin -->", "<!-- end -->"


def fit_line(points, value):
    """Exponent and constant of `value ~ constant * nodes^exponent` over the upper half of the
    sizes, by least squares.

    Only the upper half, because small graphs fit into caches and large ones do not. Never an
    exponent below one: what looked better than linear would not last.
    """
    upper = points[len(points) // 2 - (len(points) % 2 == 0) :] if len(points) > 2 else points
    xs = [math.log(p["nodes"]) for p in upper]
    ys = [math.log(p[value]) for p in upper]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum(
        (x - mean_x) ** 2 for x in xs
    )
    exponent = max(slope, 1.0)
    last = points[-1]
    return exponent, last[value] / last["nodes"] ** exponent


def extrapolate(points):
    """Rows (links, nodes, seconds, bytes), from measured points of one preset."""
    time, memory = fit_line(points, "seconds"), fit_line(points, "peak_bytes")
    rows = []
    for links in LINKS:
        nodes = links // LINKS_PER_NODE
        rows.append((links, nodes, time[1] * nodes ** time[0], memory[1] * nodes ** memory[0]))
    return rows, time[0], memory[0]


def page(results):
    """Markdown for docs/performance.md, or "" if the slope has not been measured on full sizes."""
    points = results["sections"].get("slope", {}).get("raw", {}).get("points", {})
    parts = [_preset(name, p) for name, p in points.items() if len(p) >= 3]
    if not parts:
        return ""
    threads, dim = results["settings"]["threads"], results["settings"]["dim"]
    start = (
        f"Extrapolated from the slope measured on {threads} threads of "
        f"{results['machine']['cpu']}, {dim} columns, "
        "ten links and twenty attribute entries a node."
    )
    if results["quick"]:
        start += " The graphs measured were those of a **quick** run: "
        start += "the table shows the form, not the truth."
    return "\n\n".join([start, *parts])


def insert(document, text):
    """The document with `text` between its markers, which are appended where missing."""
    before, found, rest = document.partition(BEGIN)
    if not found:
        return f"{document.rstrip()}\n\n{HEADING}\n\n{BEGIN}\n{text}\n{END}\n"
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def _preset(name, points):
    rows, time, memory = extrapolate(points)
    largest = points[-1]["nodes"]
    lines = [
        f"Preset `{name}`: time grows with nodes to the power {time:.2f}, memory {memory:.2f}; "
        f"measured up to {largest:,} nodes.",
        "",
        "| links | nodes | time | memory | smallest machine | |",
        "|--:|--:|--:|--:|--:|---|",
    ]
    for links, nodes, seconds, size in rows:
        fits = next((f"{m} GiB" for m in MEMORIES_GIB if m * 2**30 * 0.9 >= size), "more than one")
        kind = "measured range" if nodes <= largest else "extrapolated"
        lines.append(
            f"| {links:,} | {nodes:,} | {duration(seconds)} | {size / 2**30:,.1f} GiB | {fits} | "
            f"{kind} |"
        )
    return "\n".join([*lines, "", _answer(rows)])


def _answer(rows):
    """One sentence: the first size that no machine of the list holds, or that takes longer than a
    day.
    """
    too_large = next((r for r in rows if r[3] > MEMORIES_GIB[-1] * 2**30 * 0.9), None)
    too_slow = next((r for r in rows if r[2] > 24 * HOUR), None)
    memory = "memory does not require a second machine (1 TiB) up to 1,000,000,000 links"
    if too_large:
        memory = f"memory requires a second machine of 1 TiB at {too_large[0]:,} links"
    time = "a fit takes less than a day at all these sizes"
    if too_slow:
        time = f"at this speed a fit takes more than a day from {too_slow[0]:,} links on"
    return f"So {memory}; {time}."


def duration(seconds):
    """Seconds as people say them."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * HOUR else f"{seconds / HOUR:.1f} h"
