"""Relations between nodes: matrices, square frames, lists of links."""

from __future__ import annotations

import os
from typing import Any, List, Optional

import numpy as np

from . import _dense_links, _frames, _native, _rows
from ._arrays import csr, floats, is_missing, is_sparse, plain, strings
from ._columns import Columns
from ._graph_object import compressed
from ._rows import IdTypes, RowIds


def is_path(value: Any) -> bool:
    """Whether something names a file."""
    return isinstance(value, (str, os.PathLike))


def is_edge_list(value: Any, said: Columns = Columns()) -> bool:
    """Whether something is a list of links: a frame with columns of ends, or pairs of names,
    perhaps with weights.

    Pairs of numbers could as well be a table, and so could texts that are numbers; those are links
    only where links are requested.
    """
    if _frames.is_frame(value):
        columns = _frames.names(value)
        if said.source in columns and said.target in columns:
            return True
        return _frames.find(columns, _native.SOURCE_NAMES) is not None and (
            _frames.find(columns, _native.TARGET_NAMES) is not None
        )
    if not isinstance(value, (list, np.ndarray)) or np.ndim(value) == 0 or len(value) == 0:
        return False
    first = value[0]
    if not isinstance(first, (list, tuple, np.ndarray)) or len(first) not in (2, 3):
        return False
    return all(isinstance(end, str) and not _is_number(end) for end in first[:2])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_links(
    name: str,
    value: Any,
    fitted: Optional[int] = None,
    types: Optional[IdTypes] = None,
    count: Optional[int] = None,
    said: Columns = Columns(),
) -> Any:
    """A relation: a sparse or square dense matrix, a square frame, an edge list as array or frame,
    an edge index, or a file.

    With `fitted` a matrix has one row per new node and that many columns, one per fitted node.
    `count` is the number of nodes if something else says it.
    """
    if isinstance(value, _native.Links):
        return value
    if is_path(value):
        return _native.Links.from_file(os.fspath(value), said.json)
    types = IdTypes() if types is None else types
    if _frames.is_frame(value):
        return _links_of_frame(name, value, types, said)
    if is_sparse(value):
        matrix = csr(name, value)
        return _native.Links.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    array = plain(value)
    if array.dtype.kind == "c":
        raise ValueError(
            f"{name}: found complex numbers, expected real ones; Complex data not supported"
        )
    if array.ndim != 2:
        raise ValueError(
            f"{name}: found {array.ndim} dimensions, expected a square matrix, or an edge list "
            "with two or three columns"
        )
    # Names are the ends of links whatever the shape.
    if array.dtype.kind in "OUST":
        return _pairs_of_array(name, array, types)
    found = _dense_links.reading(name, array, count, fitted)
    if found == _dense_links.MATRIX:
        return _matrix(name, floats(name, array))
    if found == _dense_links.PAIRS:
        return _pairs_of_array(name, array, types)
    if found == _dense_links.INDEX:
        return _edge_index(name, array, count, fitted, types)
    expected = (
        "as many columns as rows" if fitted is None else f"{fitted} columns, one per fitted node"
    )
    raise ValueError(
        f"{name}: found {array.shape[0]} rows and {array.shape[1]} columns, expected {expected}, "
        "two or three columns (source, target, weight), or two rows of whole numbers"
    )


def _edge_index(
    name: str, array: Any, count: Optional[int], fitted: Optional[int], types: IdTypes
) -> Any:
    """Ends of links in two rows. Both directions of an undirected link are named, so it is taken as
    it stands; the nodes are numbered from 0 up to their number or the largest end.
    """
    if fitted is not None:
        return _pairs_of_array(name, array.T, types)
    _refuse_negative(name, "column", array.T)
    ends = array.T.astype(np.int64)
    count = int(ends.max()) + 1 if count is None else count
    return compressed(count, ends, np.ones(len(ends)), directed=True)


def _matrix(name: str, array: Any, ids: Optional[List[str]] = None) -> Any:
    if np.isnan(array).any():
        raise ValueError(
            f"{name}: found NaN in a matrix of links, expected numbers; use 0 where there is no "
            "link"
        )
    rows, columns = np.nonzero(array)
    indptr = np.zeros(array.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=array.shape[0]), out=indptr[1:])
    return _native.Links.from_csr(
        array.shape, indptr, columns.astype(np.int32), floats(name, array[rows, columns]), ids
    )


def _ids(name: str, values: Any, types: IdTypes) -> Any:
    array = np.asarray(values)
    types.add(array if array.dtype.kind in "iuf" else values)
    if array.dtype.kind in "iu" and (array.size == 0 or int(array.max()) < 2**63):
        return np.require(array, dtype=np.int64, requirements=["C", "A"])
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        return array.astype(np.int64)
    return strings(name, values if isinstance(values, list) else array)


def _refuse_negative(name: str, what: str, ends: Any) -> None:
    if ends.dtype.kind in "if" and ends.size and (ends < 0).any():
        at = int(np.flatnonzero((ends < 0).any(axis=1))[0])
        raise ValueError(
            f"{name}: {what} {at}: found a negative index, expected whole numbers from 0; leave "
            "out links to nobody, and give ids that are such numbers as texts"
        )


def _pairs_of_array(name: str, array: Any, types: IdTypes) -> Any:
    weights = None
    _refuse_negative(name, "row", array[:, :2])
    if array.shape[1] == 3:
        third = array[:, 2].astype(np.float64) if array.dtype.kind in "UST" else array[:, 2]
        weights = floats(f"{name}, third column", third).astype(np.float64).tolist()
    elif array.shape[1] != 2:
        raise ValueError(
            f"{name}: found {array.shape[1]} columns, expected source, target and perhaps a weight"
        )
    sources, targets = (_ids(name, array[:, at], types) for at in (0, 1))
    return _native.Links.from_pairs(name, sources, targets, weights)


def _links_of_frame(name: str, frame: Any, types: IdTypes, said: Columns) -> Any:
    frame = _frames.frame_of(frame)
    columns = _frames.names(frame)
    if adjacency_ids(frame) is not None:
        return _adjacency(name, frame, types)
    if list(frame.columns) in ([0, 1], [0, 1, 2]):
        return _pairs_of_array(name, frame.to_numpy(), types)
    if list(frame.columns) == list(range(len(frame))):
        return _matrix(name, floats(name, frame.to_numpy()))
    return _pairs_of_frame(name, frame, columns, types, said)


def adjacency_ids(value: Any) -> Optional[RowIds]:
    """Who the rows are, if they and the columns of a frame are the same nodes, by name."""
    if not _frames.is_frame(value):
        return None
    frame = _frames.frame_of(value)
    columns, index = _frames.names(frame), _frames.index_of(frame)
    rows = RowIds(None if index is None or index.trivial else index.values)
    if rows.values is None and len(columns) == len(frame) + 1:
        column = _frames.find(columns, _native.ID_NAMES)
        rows = RowIds() if column is None else _rows.row_ids("", frame, column)
    ends = [column for column in columns if column != rows.column]
    if rows.values is None or len(ends) < 2 or sorted(map(str, rows.values)) != sorted(ends):
        return None
    return rows


def _adjacency(name: str, frame: Any, types: IdTypes) -> Any:
    rows = adjacency_ids(frame)
    values = [] if rows is None or rows.values is None else rows.values
    types.add(values)
    ids = strings(name, values)
    by_name = {str(column): frame[column] for column in frame.columns}
    cells = [floats(f"{name}, column `{one}`", _frames.cells(one, by_name[one])) for one in ids]
    return _matrix(name, np.stack(cells, axis=1), ids)


def _pairs_of_frame(
    name: str, frame: Any, columns: List[str], types: IdTypes, said: Columns
) -> Any:
    values = [frame[column].to_list() for column in frame.columns]
    first = range(min(len(frame), _SAMPLE))
    rows = [[_shown(column[row]) for column in values] for row in first]
    found = _native.edge_columns(name, columns, rows, said.json)
    source, target, weight, relation, time = found.positions
    ends = [
        _ids(f"{name}, column `{columns[at]}`", values[at], types) for at in (source, target)
    ]
    weights = None
    if weight is not None:
        cells = _frames.cells(columns[weight], frame[frame.columns[weight]])
        numbers = floats(f"{name}, column `{columns[weight]}`", cells).astype(np.float64)
        weights = numbers.tolist()
    relations = None if relation is None else [_shown(value) for value in values[relation]]
    times = None
    if time is not None and said.half_life is not None:
        times = ([_shown(value) for value in values[time]], float(said.half_life))
    links = _native.Links.from_pairs(name, ends[0], ends[1], weights, False, relations, times)
    return found.described(links)


# Rows of a frame by which its columns are recognised, as of a file.
_SAMPLE = 200


def _shown(value: Any) -> str:
    return "" if is_missing(value) else str(value)


def may_be_links(data: Any) -> bool:
    """Whether a matrix, sparse or dense, may be links: it is square, and either symmetric or
    without negative numbers.
    """
    shape = getattr(data, "shape", None)
    if shape is None or len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2:
        return False
    if _frames.is_frame(data):
        labels = list(data.columns)
        if labels != list(range(len(labels))):
            return False
        data = data.to_numpy()
    if is_sparse(data):
        values = csr("X", data).data
        return bool(not values.size or values.min() >= 0) or _is_symmetric(data)
    array = plain(data)
    if array.dtype.kind not in "biuf":
        return False
    return bool(array.min() >= 0) or bool((array == array.T).all())


def _is_symmetric(matrix: Any) -> bool:
    indptr, columns, values, shape = csr("X", matrix)
    rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
    order, back = np.lexsort((columns, rows)), np.lexsort((rows, columns))
    return all(
        np.array_equal(one[order], other[back])
        for one, other in ((rows, columns), (columns, rows), (values, values))
    )
