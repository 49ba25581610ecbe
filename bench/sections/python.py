"""What the Python package adds to the time of the engine; measured by bench/python_overhead.py if it is there."""

import json
import sys

from harness import measure
from harness.outcome import Outcome

TITLE = "Overhead of the Python package"


def run(settings):
    outcome = Outcome()
    program = settings.root / "bench" / "python_overhead.py"
    if not program.exists():
        outcome.holds("overhead of the Python package", "measured", None, note="not available: bench/python_overhead.py is not there")
        return outcome
    found = measure.run([sys.executable, program, *(["--quick"] if settings.quick else [])], settings.threads, settings.timeout)
    outcome.raw["run"] = found.record()
    for check in found.report.get("checks", []):
        outcome.checks.append({"note": "", "value": None, **check})
    if not found.report.get("checks"):
        note = found.error.strip()[-200:] or json.dumps(found.report)[:200]
        outcome.holds("overhead of the Python package", "the program ends well", found.ok, note=note)
    return outcome
