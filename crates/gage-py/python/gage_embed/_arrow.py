"""Tables of pyarrow as frames, by their methods: pyarrow is not imported."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

# What pandas calls the index of a frame that it turned into a table.
INDEX_COLUMN = "__index_level_0__"

_NUMBERS = {"double": "float64", "float": "float32", "halffloat": "float16"}


def is_arrow(value: Any) -> bool:
    """Whether something is a table or a batch of records of pyarrow."""
    module = type(value).__module__.partition(".")[0]
    return module == "pyarrow" and hasattr(value, "schema") and hasattr(value, "column")


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
