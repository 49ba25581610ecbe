"""What a section hands back: checks against targets, tables, plots and the raw measurements."""

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Result of one section; everything in it can be written as JSON."""

    checks: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    plots: list = field(default_factory=list)  # (file name, SVG text)
    notes: list = field(default_factory=list)
    raw: dict = field(default_factory=dict)

    def at_least(self, what, value, target, unit="x", note=""):
        """A measured value that should be `target` or more."""
        self._check(what, value, f"at least {target:g}{unit}", lambda v: v >= target, unit, note)

    def at_most(self, what, value, target, unit="x", note=""):
        """A measured value that should be `target` or less."""
        self._check(what, value, f"at most {target:g}{unit}", lambda v: v <= target, unit, note)

    def holds(self, what, target, value, note=""):
        """A statement that should be true; None: could not be found out."""
        measured = "not measured" if value is None else ("yes" if value else "no")
        self.checks.append(_check(what, target, measured, None, value, note))

    def table(self, title, columns, rows):
        """Rows of text or numbers under column names."""
        self.tables.append({"title": title, "columns": columns, "rows": rows})

    def record(self):
        """As a plain dictionary; plots are kept as names only."""
        return {
            "checks": self.checks,
            "tables": self.tables,
            "plots": [name for name, _ in self.plots],
            "notes": self.notes,
            "raw": self.raw,
        }

    def _check(self, what, value, target, passes, unit, note):
        if value is None:
            self.checks.append(_check(what, target, "not measured", None, None, note))
        else:
            measured = f"{value:.3g}{unit}" if value < 1000 else f"{value:,.0f}{unit}"
            self.checks.append(_check(what, target, measured, value, bool(passes(value)), note))


def _check(what, target, measured, value, passed, note):
    return {
        "what": what,
        "target": target,
        "measured": measured,
        "value": value,
        "passed": passed,
        "note": note,
    }
