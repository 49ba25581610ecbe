"""How rows meet nodes: by id, or by position. `docs/joining.md` states the rule."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from . import _frames, _native
from ._arrays import is_missing, strings

ALIGN = (None, "id", "position")
SPELLINGS = (None, "exact", "fold-case")


def check_align(align: Any, ids: Any = None) -> None:
    """Refuses anything that is no way to join."""
    if align not in ALIGN:
        raise ValueError(f"align: found {align!r}, expected 'id', 'position' or None")
    if ids not in SPELLINGS:
        raise ValueError(f"ids: found {ids!r}, expected 'exact', 'fold-case' or None")


class RowIds(NamedTuple):
    """Who the rows of a frame are."""

    values: Optional[List[Any]] = None
    # The column that holds the ids, which is then no attribute.
    column: Optional[str] = None
    # Whether the values may be row numbers left over from sorting or slicing.
    leftover: bool = False


class Other(NamedTuple):
    """A part that the rows are to be joined with: its ids, or None if its rows are positions."""

    name: str
    ids: Optional[Sequence[str]]
    rows: int
    # Whether its ids may be left over, too.
    leftover: bool = False
    # Whether its rows have an order of their own, which those of a list of links have not.
    ordered: bool = True


def row_ids(what: str, frame: Any, id_column: Optional[str] = None) -> RowIds:
    """Who the rows of a frame are, by a column of ids or else by the index."""
    columns, index = _frames.names(frame), _frames.index_of(frame)
    if id_column is not None:
        if id_column in columns:
            return RowIds(_cells(frame, id_column), id_column)
        if index is not None and index.name == id_column:
            return RowIds(index.values)
        raise ValueError(f"{what}: there is no column `{id_column}`; there are {columns}")
    column = _frames.find(columns, _native.ID_NAMES)
    if column is None:
        if index is None or index.trivial:
            return RowIds()
        return RowIds(index.values, None, index.counts)
    values = _cells(frame, column)
    if index is None or index.counts or list(values) == index.values:
        return RowIds(values, column)
    if any(is_missing(value) for value in values) or len(set(map(str, values))) < len(values):
        return RowIds(index.values)
    raise ValueError(
        f"{what}: found ids in the index ({_some(index.values)}) and in the column `{column}` "
        f"({_some(values)}); say id_column={column!r}, or rename the column if the index is meant"
    )


def _cells(frame: Any, column: str) -> List[Any]:
    for name in frame.columns:
        if str(name) == column:
            found = frame[name]
            if getattr(found, "ndim", 1) != 1:
                raise ValueError(f"two columns are called `{column}`; names must differ")
            cells: List[Any] = found.to_list()
            return cells
    raise KeyError(column)


def _some(values: Iterable[Any]) -> str:
    first = [str(value) for value, _ in zip(values, range(3))]
    return ", ".join(first) + ", ..."


def join_by_id(
    what: str, values: Sequence[Any], others: Sequence[Other], align: Optional[str]
) -> bool:
    """Whether whole numbers beside rows are ids, and not what sorting or slicing left over.

    Both readings are tried against the other parts. Where both fit and differ, it is for the
    caller to say.
    """
    if align is not None:
        return align == "id"
    ids = [str(value) for value in strings(what, list(values))]
    unique = len(set(ids)) == len(ids)
    if not others:
        return unique
    by_id = unique and all(_shares_ids(ids, other) for other in others)
    by_position = all(_counts_rows(len(ids), other) for other in others)
    if by_id and by_position and not all(_same_order(ids, other) for other in others):
        raise ambiguous(what, ids, others[0])
    return by_id or not by_position and unique


def ambiguous(what: str, ids: Sequence[str], other: Other) -> ValueError:
    """Both readings of the values beside rows, and the option that settles it."""
    rows = "nodes" if other.name == "nodes" else f"`{other.name}`"
    return ValueError(
        f"{what}: the first row is numbered {ids[0]}, and two readings are plausible: it is node "
        f"{ids[0]} of {rows} (align='id'), or the numbers are left over from sorting or slicing "
        f"and it is row 0 of {rows} (align='position'); say which, or give a column of ids"
    )


def names_of_rows(
    named: Optional[Tuple[str, List[str]]], tables: Sequence[Tuple[str, Any]], align: Optional[str]
) -> Optional[List[str]]:
    """The names of the rows of matrices beside a graph, whose nodes have names and an order.
    Numbers from 0 are positions anyway, and others must be in order: then there is one reading.
    """
    plain = next(((name, part) for name, part in tables if part.ids is None), None)
    if named is None or plain is None or align == "id":
        return None
    (name, ids), count = named, int(plain[1].shape[0])
    numbers = [int(one) for one in ids] if all(one.isdecimal() for one in ids) else None
    if len(ids) != count or numbers is not None and max(numbers) < count:
        return None
    if numbers is None or align == "position" or numbers == sorted(numbers):
        return ids
    raise ambiguous(f"{name}, nodes", ids, Other(plain[0], None, count))


def _shares_ids(ids: Sequence[str], other: Other) -> bool:
    if other.ids is None:
        return all(0 <= int(one) < other.rows for one in ids)
    return not set(ids).isdisjoint(other.ids)


def _counts_rows(count: int, other: Other) -> bool:
    if other.ids is None or other.leftover:
        return other.rows == count
    if all(_is_row(one, count) for one in other.ids):
        return True
    names = not any(_is_row(one, count) for one in other.ids)
    return other.ordered and other.rows == count and names


def _is_row(text: str, count: int) -> bool:
    return text.isdecimal() and int(text) < count


def _same_order(ids: Sequence[str], other: Other) -> bool:
    if other.ids is None:
        return list(ids) == [str(at) for at in range(len(ids))]
    return list(ids) == list(other.ids)


class IdTypes:
    """What ids were before they became texts, so that they are given back as they came."""

    def __init__(self) -> None:
        self._numbers = True
        self._any = False
        self._others: Dict[str, Any] = {}

    def add(self, values: Any) -> None:
        """Takes note of ids of one part."""
        self._any = True
        if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
            return
        values = values.tolist() if hasattr(values, "tolist") else values
        for value in values:
            if isinstance(value, str):
                self._numbers = False
                return
            if not isinstance(value, (int, np.integer)) and not (
                isinstance(value, float) and value.is_integer()
            ):
                self._numbers = False
                self._others.setdefault(str(value), value)

    @property
    def numbers(self) -> bool:
        """Whether all ids are whole numbers."""
        return self._any and self._numbers

    def restored(self, ids: Optional[Sequence[str]]) -> Optional[List[Any]]:
        """The ids as they came."""
        if ids is None:
            return None
        if self.numbers:
            return [int(one) for one in ids]
        return [self._others.get(one, one) for one in ids] if self._others else list(ids)


def of_series(values: Any) -> Optional[Tuple[List[Any], List[Any], bool]]:
    """Ids and cells of a mapping or a series with an index, and whether the ids only count rows."""
    if isinstance(values, Mapping):
        return list(values.keys()), list(values.values()), False
    if getattr(values, "ndim", None) != 1:
        return None
    index = _frames.index_of(values)
    return None if index is None else (index.values, values.to_list(), index.counts)


def ids_of_values(
    what: str,
    values: Any,
    nodes: Optional[Sequence[str]],
    count: int,
    align: Optional[str] = None,
) -> Optional[Tuple[List[str], List[Any]]]:
    """Ids and cells of values that belong to nodes by id; None if they are in the order of the
    nodes, which are named by their positions if they have no names.
    """
    found = of_series(values)
    if found is None or align == "position":
        return None
    ids, cells, counts = found
    texts = strings(f"{what}, index", ids)
    own = [str(at) for at in range(count)] if nodes is None else list(nodes)
    if texts == own:
        return None
    by_position = len(texts) == count and not isinstance(values, Mapping)
    by_id = set(texts) <= set(own)
    if by_id and by_position and counts and align is None:
        raise ambiguous(what, texts, Other("nodes", nodes, count))
    if align is None and by_position and not by_id and (counts or nodes is None):
        return None
    return texts, cells
