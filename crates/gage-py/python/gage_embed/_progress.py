"""A bar that shows how far a fit is: tqdm's if it is installed, otherwise a line of text."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional

_STAGES = {
    "Norms": "norms of the views",
    "Basis": "common basis",
    "Factors": "factors",
    "MissingRows": "rows of nodes that lack a view",
    "Refine": "refinement",
    "Loadings": "tables for new nodes",
    "Certificate": "certificate",
}


class Bar:
    """Called with `(stage, done, planned, loss)`; closed at the end."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._bar: Any = None
        self._width = 0
        try:
            from tqdm.auto import tqdm

            self._make: Any = tqdm
        except ImportError:
            self._make = None

    def __call__(self, stage: str, done: int, planned: int, loss: Optional[float]) -> None:
        words = _STAGES.get(stage, stage)
        if self._make is None:
            self._line(words, done, planned, loss)
            return
        if self._bar is None:
            self._bar = self._make(total=planned, desc=self._title, unit="pass", leave=True)
        if self._bar.total != planned:
            self._bar.total = planned
        self._bar.n = done
        self._bar.set_postfix_str(words if loss is None else f"{words}, loss {loss:.4f}")

    def _line(self, words: str, done: int, planned: int, loss: Optional[float]) -> None:
        text = f"{self._title}: {done}/{planned} {words}" + (
            "" if loss is None else f", loss {loss:.4f}"
        )
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        """Ends the bar, or the line."""
        if self._bar is not None:
            self._bar.close()
        elif self._width:
            sys.stderr.write("\n")

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Silence:
    """Stands where no bar is wanted."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def bar(title: str, verbose: Any) -> Any:
    """A bar if one is wanted; otherwise nothing, which is also what the native layer is given."""
    return Bar(title) if verbose else Silence()


def threads(n_jobs: Optional[int]) -> Optional[int]:
    """Threads for `n_jobs`: all processors for None and -1, all but one for -2, and so on."""
    if n_jobs is None or n_jobs == -1:
        return None
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__"):
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected a whole number or None")
    if n_jobs == 0:
        raise ValueError("n_jobs: found 0, expected at least 1, -1 for all processors, or None")
    processors = os.cpu_count() or 1
    if n_jobs > 0:
        # Many more threads than processors only take memory, and the result does not depend on
        # them.
        return min(int(n_jobs), 4 * processors)
    return max(1, processors + 1 + int(n_jobs))
