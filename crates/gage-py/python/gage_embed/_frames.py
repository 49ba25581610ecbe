"""Data frames of pandas, polars and pyarrow as named columns, without importing any of them."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import is_missing
from ._arrow import INDEX_COLUMN, ArrowFrame, is_arrow

Columns = List[Tuple[str, Any]]


class Index(NamedTuple):
    """What stands beside the rows of a frame."""

    name: Optional[str]
    values: List[Any]
    # Whether nobody named it and it holds whole numbers, which count rows, perhaps earlier ones.
    counts: bool

    @property
    def trivial(self) -> bool:
        """Whether it says no more than the order of the rows does."""
        return self.counts and self.values == list(range(len(self.values)))


def is_frame(value: Any) -> bool:
    """Whether something is a frame of pandas, polars or pyarrow."""
    if isinstance(value, ArrowFrame) or is_arrow(value):
        return True
    module = type(value).__module__.partition(".")[0]
    return module in ("pandas", "polars") and hasattr(value, "columns") and hasattr(value, "shape")


def frame_of(value: Any) -> Any:
    """The frame itself, or a table of pyarrow as one."""
    return ArrowFrame(value) if is_arrow(value) else value


def is_polars(frame: Any) -> bool:
    """Whether a frame is one of polars."""
    return type(frame).__module__.partition(".")[0] == "polars"


def names(frame: Any) -> list[str]:
    """Names of the columns."""
    return [str(name) for name in frame.columns]


def index_of(value: Any) -> Optional[Index]:
    """The index of a frame or a series, if it has one."""
    if isinstance(value, ArrowFrame):
        if INDEX_COLUMN not in value.columns:
            return None
        cells = value[INDEX_COLUMN].to_list()
        return Index(None, cells, _whole(cells))
    index = getattr(value, "index", None)
    if index is None or callable(index) or type(value).__module__.startswith("polars"):
        return None
    cells = index.tolist()
    name = None if index.name is None else str(index.name)
    return Index(name, cells, name is None and _whole(cells))


def _whole(cells: List[Any]) -> bool:
    return all(
        isinstance(cell, (int, np.integer))
        and not isinstance(cell, bool)
        or isinstance(cell, float)
        and cell.is_integer()
        for cell in cells
    )


def find(columns: List[str], known: List[str]) -> Optional[str]:
    """The first column with one of the known names, in any case."""
    lower = {name.lower(): name for name in reversed(columns)}
    return next((lower[name] for name in known if name in lower), None)


def cells(name: str, column: Any) -> Any:
    """A column as floats (NaN where missing) or as a list of texts (None where missing)."""
    kind = kind_of(column)
    if kind == "number":
        values = column.to_numpy()
        return np.require(np.asarray(values, dtype=np.float64), requirements=["C", "A"])
    if kind in ("datetime64[ns]", "timedelta64[ns]"):
        # Zones of pandas are turned into universal time on the way.
        values = (
            column.to_numpy().astype(kind)
            if _is_polars_column(column)
            else column.to_numpy(dtype=kind)
        )
        seconds = values.astype(np.int64) / 1e9
        seconds[np.isnat(values)] = np.nan
        return np.require(seconds, requirements=["C", "A"])
    if kind == "period":
        return cells(name, column.dt.to_timestamp())
    if kind == "time":
        # Nanoseconds since midnight.
        return cells(name, column.cast(int)) / 1e9
    return [_text(name, at, value) for at, value in enumerate(column.to_list())]


def kind_of(column: Any) -> str:
    """Whether cells are numbers, points or lengths of time, or texts."""
    dtype = str(column.dtype).lower()
    if dtype.startswith(("datetime", "date", "timestamp")):
        return "datetime64[ns]"
    if dtype.startswith(("timedelta", "duration")):
        return "timedelta64[ns]"
    if dtype.startswith("period"):
        return "period"
    if dtype == "time":
        return "time"
    if dtype.startswith("complex"):
        raise ValueError(f"column `{column.name}`: found complex numbers, expected real ones")
    numeric = dtype.startswith(("int", "uint", "float"))
    # Nullable whole numbers of pandas refuse to become floats while cells are missing; as texts
    # they can.
    nullable = (
        dtype.startswith(("int", "uint"))
        and str(column.dtype)[0].isupper()
        and not _is_polars_column(column)
    )
    return "number" if numeric and not nullable else "text"


def _is_polars_column(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "polars"


def _text(name: str, at: int, value: Any) -> Optional[str]:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, dict, set, np.ndarray)):
        raise TypeError(
            f"column `{name}`, row {at}: found {type(value).__name__}, expected a number or a text"
        )
    if isinstance(value, complex):
        raise ValueError(f"column `{name}`, row {at}: found a complex number, expected a real one")
    return None if is_missing(value) else str(value)


def columns(frame: Any, leave_out: Tuple[str, ...] = ()) -> Columns:
    """Name and cells of every column."""
    out: Columns = []
    for name in frame.columns:
        if str(name) not in (*leave_out, INDEX_COLUMN):
            column = frame[name]
            if getattr(column, "ndim", 1) != 1:
                raise ValueError(f"two columns are called `{name}`; names must differ")
            out.append((str(name), cells(str(name), column)))
    return out


def to_frame(kind: str, values: Any, names: List[str], ids: Optional[Any]) -> Any:
    """An embedding as a frame: pandas with ids as index, polars with ids as first column."""
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(values, columns=names, index=ids)
    if kind == "polars":
        import polars

        frame = polars.DataFrame(values, schema=names)
        if ids is None:
            return frame
        return frame.insert_column(0, polars.Series("id", ids))
    raise ValueError(f"as_frame: found {kind!r}, expected 'pandas' or 'polars'")
