"""Tables of Arrow as frames: those of pyarrow by their methods, streams of other packages by
whatever package there is that reads them.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, List, Optional, Tuple

# What pandas calls the index of a frame that it turned into a table.
INDEX_COLUMN = "__index_level_0__"

_NUMBERS = {"double": "float64", "float": "float32", "halffloat": "float16"}


def is_arrow(value: Any) -> bool:
    """Whether something is a table or a batch of records of pyarrow."""
    module = type(value).__module__.partition(".")[0]
    return module == "pyarrow" and hasattr(value, "schema") and hasattr(value, "column")


def is_stream(value: Any) -> bool:
    """Whether something is a table that can be had as a stream of Arrow only."""
    if not hasattr(value, "__arrow_c_stream__"):
        return False
    module = type(value).__module__.partition(".")[0]
    # These have methods of their own; a reader of pyarrow has not.
    return module not in ("pandas", "polars") and not (
        module == "pyarrow" and (is_arrow(value) or hasattr(value, "__array__"))
    )


def read_stream(name: str, value: Any) -> Any:
    """The table of a stream, which may be there once only."""
    for package, read in _READERS:
        try:
            module = importlib.import_module(package)
        except ImportError:
            continue
        return read(module, value)
    raise ImportError(
        f"{name}: found {type(value).__name__}, a stream of Arrow, which is read by pyarrow or "
        "polars; neither is installed"
    )


_READERS: List[Tuple[str, Callable[[Any, Any], Any]]] = [
    ("pyarrow", lambda module, value: module.table(value)),
    ("polars", lambda module, value: module.DataFrame(value)),
]


class ArrowColumn:
    """One column, with what the package uses of a column of pandas."""

    ndim = 1

    def __init__(self, name: str, values: Any) -> None:
        self.name = name
        self._values = values
        kind = str(values.type)
        self.dtype = _NUMBERS.get(kind, kind)

    def to_list(self) -> List[Any]:
        """The cells; None where one is missing."""
        cells: List[Any] = self._values.to_pylist()
        return cells

    def to_numpy(self, dtype: Optional[Any] = None) -> Any:
        """The cells as an array; NaN or NaT where one is missing."""
        values = self._values
        flat = values.combine_chunks() if hasattr(values, "combine_chunks") else values
        found = flat.to_numpy(zero_copy_only=False)
        return found if dtype is None else found.astype(dtype)


class ArrowFrame:
    """A table of pyarrow with what the package uses of a frame of pandas."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns: List[str] = [str(name) for name in table.schema.names]
        self.shape: Tuple[int, int] = (int(table.num_rows), len(self.columns))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, name: str) -> ArrowColumn:
        if self.columns.count(name) != 1:
            raise ValueError(f"two columns are called `{name}`; names must differ")
        return ArrowColumn(name, self._table.column(self.columns.index(name)))
