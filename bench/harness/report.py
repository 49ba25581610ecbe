"""results.json as a page people can read: verdicts first, tables below."""

from . import scale

VERDICTS = {True: "pass", False: "**FAIL**", None: "not measured"}


def render(results, titles):
    """Markdown of a whole run. `titles`: section names and headings, in the order of the report."""
    lines = ["# Benchmark run " + results["name"], ""]
    lines += _state(results, titles)
    lines += _machine(results)
    lines += _summary(results, titles)
    for name, title in titles.items():
        if name in results["sections"]:
            lines += _section(name, title, results["sections"][name])
    if results.get("scale"):
        lines += [scale.HEADING, "", results["scale"], ""]
    return "\n".join(lines).rstrip() + "\n"


def _state(results, titles):
    binaries = {section.get("gage_sha256") for section in results["sections"].values()}
    missing = [name for name in titles if name not in results["sections"]]
    lines = []
    if results["quick"]:
        lines += [
            "A **quick** run on small data: it shows that the harness works, its ratios say "
            "little.",
            "",
        ]
    if len(binaries) > 1:
        lines += [
            "Sections were measured with **different builds** of gage (their hashes are in "
            "results.json).",
            "",
        ]
    if results["settings"].get("data"):
        lines += [f"Kept to these data sets: {', '.join(results['settings']['data'])}.", ""]
    if missing:
        lines += [f"Not run: {', '.join(missing)}.", ""]
    return lines


def _machine(results):
    m = results["machine"]
    shared = {1: "one thread a core", None: "threads a core unknown"}.get(
        m["threads_per_core"], f"{m['threads_per_core']} threads a core"
    )
    changed = " with local changes" if m["source_changed"] else ""
    settings = results["settings"]
    return [
        f"{m['cpu']}, {m['cores']} processors ({shared}), {m['memory_bytes'] / 2**30:.1f} GiB, "
        f"{m['system']} {m['kernel']}, "
        f"Python {m['python']}; {results['gage_version']}, commit {m['commit'][:12]}{changed}. "
        f"{settings['threads']} threads, {settings['dim']} columns, up to {settings['rounds']} "
        "rounds.",
        "",
    ]


def _summary(results, titles):
    lines = ["| section | passed | failed | not measured | load before |", "|---|--:|--:|--:|--:|"]
    for name in titles:
        section = results["sections"].get(name)
        if section:
            counts = [
                sum(c["passed"] is verdict for c in section["checks"])
                for verdict in (True, False, None)
            ]
            lines.append(
                f"| [{name}](#{name}) | {counts[0]} | {counts[1]} | {counts[2]} | "
                f"{section['load_before']} |"
            )
    return [*lines, ""]


def _section(name, title, section):
    lines = [f'<a id="{name}"></a>', "", f"## {title}", ""]
    if section.get("error"):
        lines += [f"The section could not be run: {section['error']}", ""]
    if section["checks"]:
        lines += ["| | target | measured | |", "|---|---|---|---|"]
        for check in section["checks"]:
            note = f" ({check['note']})" if check["note"] else ""
            lines.append(
                f"| {_cell(check['what'])} | {check['target']} | {check['measured']} | "
                f"{VERDICTS[check['passed']]}{_cell(note)} |"
            )
        lines.append("")
    for table in section["tables"]:
        lines += [f"{table['title']}:", "", *_table(table), ""]
    lines += [line for plot in section["plots"] for line in (f"![{plot}]({plot})", "")]
    lines += [line for note in section["notes"] for line in (note, "")]
    return lines


def _table(table):
    # A column of numbers stands to the right.
    right = [
        all(not isinstance(row[k], str) or row[k][:1].isdigit() for row in table["rows"])
        for k in range(len(table["columns"]))
    ]
    yield "| " + " | ".join(table["columns"]) + " |"
    yield "|" + "|".join("--:" if r else "---" for r in right) + "|"
    for row in table["rows"]:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"


def _cell(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
    return str(value).replace("|", "\\|").replace("\n", " ")
