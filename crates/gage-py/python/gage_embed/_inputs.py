"""Whatever a user has, as the parts of a graph."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _frames, _native, _objects
from ._arrays import csr, floats, is_missing, is_sparse, mask, plain, strings, table

Named = List[Tuple[str, Any]]

LINKS = "links"
ATTRIBUTES = "attributes"


class Parts(NamedTuple):
    """Relations and tables by name, and the nodes if something says who they are."""

    links: Named
    tables: Named
    nodes: Optional[List[str]]


def is_path(value: Any) -> bool:
    """Whether something names a file."""
    return isinstance(value, (str, os.PathLike))


def is_edge_list(value: Any) -> bool:
    """Whether something is a list of links: a frame with columns of ends, or pairs of names,
    perhaps with weights.

    Pairs of numbers could as well be a table, and so could texts that are numbers; those are links
    only where links are requested.
    """
    if _frames.is_frame(value):
        columns = _frames.names(value)
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


def as_links(name: str, value: Any, fitted: Optional[int] = None) -> Any:
    """A relation: a sparse or square dense matrix, an edge list as array or frame, or a file.

    With `fitted` a matrix has one row per new node and that many columns, one per fitted node.
    """
    if isinstance(value, _native.Links):
        return value
    if is_path(value):
        return _native.Links.from_file(os.fspath(value))
    if _frames.is_frame(value):
        return _pairs_of_frame(name, value)
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
    square = array.shape[0] == array.shape[1] if fitted is None else array.shape[1] == fitted
    # Names are the ends of links whatever the shape; two links between numbers look like a matrix,
    # and are one.
    if array.dtype.kind in "OUST" or (not square and array.shape[1] in (2, 3)):
        return _pairs_of_array(name, array)
    if not square:
        expected = (
            "as many columns as rows"
            if fitted is None
            else f"{fitted} columns, one per fitted node"
        )
        raise ValueError(
            f"{name}: found {array.shape[0]} rows and {array.shape[1]} columns, expected {expected}"
        )
    return _dense_links(name, floats(name, array))


def _dense_links(name: str, array: Any) -> Any:
    if np.isnan(array).any():
        raise ValueError(
            f"{name}: found NaN in a matrix of links, expected numbers; use 0 where there is no "
            "link"
        )
    rows, columns = np.nonzero(array)
    indptr = np.zeros(array.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=array.shape[0]), out=indptr[1:])
    return _native.Links.from_csr(
        array.shape, indptr, columns.astype(np.int32), floats(name, array[rows, columns])
    )


def _ids(name: str, values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind in "iu" and (array.size == 0 or int(array.max()) < 2**63):
        return np.require(array, dtype=np.int64, requirements=["C", "A"])
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all():
        return array.astype(np.int64)
    return strings(name, values if isinstance(values, list) else array)


def _pairs_of_array(name: str, array: Any) -> Any:
    weights = None
    if array.dtype.kind in "if" and array.size and (array[:, :2] < 0).any():
        row = int(np.flatnonzero((array[:, :2] < 0).any(axis=1))[0])
        raise ValueError(
            f"{name}: row {row}: found a negative index, expected whole numbers from 0; leave out "
            "links to nobody, and "
            "give ids that are such numbers as texts"
        )
    if array.shape[1] == 3:
        third = array[:, 2].astype(np.float64) if array.dtype.kind in "UST" else array[:, 2]
        weights = floats(f"{name}, third column", third).astype(np.float64).tolist()
    elif array.shape[1] != 2:
        raise ValueError(
            f"{name}: found {array.shape[1]} columns, expected source, target and perhaps a weight"
        )
    return _native.Links.from_pairs(name, _ids(name, array[:, 0]), _ids(name, array[:, 1]), weights)


def _pairs_of_frame(name: str, frame: Any) -> Any:
    columns = _frames.names(frame)
    source = _frames.find(columns, _native.SOURCE_NAMES)
    target = _frames.find(columns, _native.TARGET_NAMES)
    if source is None or target is None:
        if len(columns) < 2:
            raise ValueError(f"{name}: found the columns {columns}, expected `source` and `target`")
        source, target = columns[0], columns[1]
    weight = _frames.find(
        [column for column in columns if column not in (source, target)], _native.WEIGHT_NAMES
    )
    by_name = {str(column): frame[column] for column in frame.columns}
    ends = []
    for column in (source, target):
        values = by_name[column]
        ends.append(_ids(f"{name}, column `{column}`", values.to_list()))
    weights = None
    if weight is not None:
        cells = _frames.cells(weight, by_name[weight])
        weights = floats(f"{name}, column `{weight}`", cells).astype(np.float64).tolist()
    return _native.Links.from_pairs(name, ends[0], ends[1], weights)


def as_table(name: str, value: Any, id_column: Optional[str] = None, like: Any = None) -> Any:
    """A table of attributes: a sparse or dense matrix, a frame, or a file."""
    if isinstance(value, _native.Table):
        return value
    if is_path(value):
        return _native.Table.from_file(name, os.fspath(value), id_column, True, like)
    if _frames.is_frame(value):
        return _table_of_frame(name, value, id_column, like)
    if is_sparse(value):
        matrix = csr(name, value)
        return _native.Table.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    return _native.Table.from_dense(name, table(name, value))


def _table_of_frame(name: str, frame: Any, id_column: Optional[str], like: Any) -> Any:
    ids = None
    if id_column is None:
        index = _frames.index_ids(frame)
        if index is not None:
            ids = strings(f"{name}, index", index.tolist())
        else:
            id_column = _frames.find(_frames.names(frame), _native.ID_NAMES)
    elif id_column not in _frames.names(frame):
        raise ValueError(
            f"{name}: there is no column `{id_column}`; there are {_frames.names(frame)}"
        )
    columns = _frames.columns(frame)
    if not columns:
        raise ValueError(f"{name}: found a frame without columns, expected at least one")
    if id_column is not None:
        columns = [
            (column, strings(f"{name}, column `{column}`", cells) if column == id_column else cells)
            for column, cells in columns
        ]
    if ids is not None:
        id_column = next(
            free for free in ("id", "__id__", "__gage_id__") if free not in _frames.names(frame)
        )
        columns.insert(0, (id_column, ids))
    return _native.Table.from_frame(name, columns, id_column, like)


def collect(
    data: Any,
    links: Any = None,
    attributes: Any = None,
    views: Optional[Mapping[str, Any]] = None,
    *,
    id_column: Optional[str] = None,
    node_type: Optional[str] = None,
    model: Any = None,
) -> Parts:
    """Everything that was given, as parts. `model` is set when the data are of new nodes."""
    found = Parts([], [], None)
    given: Dict[str, Any] = {}
    by_name("views", views)
    if data is not None:
        found, given = _of_data(data, links, attributes, node_type, model)
    for name, value in ((LINKS, links), (ATTRIBUTES, attributes)):
        if value is not None:
            if name in given:
                raise ValueError(f"`{name}` was given twice")
            given[name] = value
    for name, value in (views or {}).items():
        if name in given:
            raise ValueError(f"the view `{name}` was given twice")
        given[str(name)] = value
    relations, tables = list(found.links), list(found.tables)
    for name, value in given.items():
        kind = _kind(name, value, model)
        if kind == "file":
            part_links, part_table = _native.read_view(os.fspath(value), id_column)
            kind, value = ("links", part_links) if part_links is not None else ("table", part_table)
        if kind == "links":
            relations.append((name, as_links(name, value, None if model is None else len(model))))
        else:
            tables.append((name, as_table(name, value, id_column, model)))
    if not relations and not tables:
        raise ValueError("nothing was given: expected links, attributes or views")
    return Parts(relations, tables, found.nodes)


def by_name(what: str, value: Any) -> None:
    """Refuses anything that is not a mapping from names."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(
            f"{what}: found {type(value).__name__}, expected a mapping from names of views"
        )


def _of_data(
    data: Any, links: Any, attributes: Any, node_type: Optional[str], model: Any
) -> Tuple[Parts, Dict[str, Any]]:
    """The first argument of `fit` and `transform`: a graph object, several views, or one."""
    if _objects.is_networkx(data):
        return Parts(*_objects.from_networkx(data, model)), {}
    if _objects.is_igraph(data):
        return Parts(*_objects.from_igraph(data, model)), {}
    if _objects.is_pyg_hetero(data):
        return Parts(*_objects.from_pyg_hetero(data, node_type)), {}
    if _objects.is_pyg(data):
        return Parts(*_objects.from_pyg(data)), {}
    empty = Parts([], [], None)
    # A dictionary of keys is a sparse matrix, not a mapping from names to views.
    if isinstance(data, Mapping) and not is_sparse(data):
        return empty, {str(name): value for name, value in data.items()}
    if isinstance(data, tuple) and len(data) == 2 and not np.isscalar(data[0]):
        return empty, {LINKS: data[0], ATTRIBUTES: data[1]}
    if links is None and attributes is not None:
        return empty, {LINKS: data}
    if links is not None:
        return empty, {ATTRIBUTES: data}
    return empty, {(LINKS if _looks_like_links(data, model) else ATTRIBUTES): data}


def _looks_like_links(data: Any, model: Any) -> bool:
    """A single thing is links if it is an edge list or a square sparse matrix, as for the command
    line.
    """
    if is_edge_list(data):
        return True
    if is_path(data):
        return True
    if is_sparse(data):
        if model is None:
            return len(data.shape) == 2 and bool(data.shape[0] == data.shape[1])
        return not model.has_block(ATTRIBUTES)
    return False


def _kind(name: str, value: Any, model: Any) -> str:
    if isinstance(value, _native.Links):
        return "links"
    if isinstance(value, _native.Table):
        return "table"
    if name in (LINKS, ATTRIBUTES):
        return "links" if name == LINKS else "table"
    if model is not None:
        return "links" if model.is_relation(name) else "table"
    if is_path(value):
        return "file"
    square = is_sparse(value) and len(value.shape) == 2 and value.shape[0] == value.shape[1]
    return "links" if square or is_edge_list(value) else "table"


def as_graph(
    parts: Parts,
    *,
    nodes: Any = None,
    labels: Any = None,
    directed: Optional[bool] = None,
    masks: Optional[Mapping[str, Any]] = None,
    zero_rows: str = "zero",
) -> Any:
    """The parts put together: ids joined, directions decided, masks laid on."""
    names = parts.nodes if nodes is None else strings("nodes", nodes)
    flags = [(str(name), mask(str(name), values)) for name, values in (masks or {}).items()]
    made = None if labels is None else as_labels(labels)
    return _native.Graph.assemble(
        parts.links, parts.tables, names, made, directed, zero_rows == "missing", flags
    )


def as_labels(labels: Any) -> Any:
    """Classes of nodes: numbers (negative for none), names (None for none), a 0/1 matrix, lists of
    classes, a file.
    """
    if isinstance(labels, _native.Labels):
        return labels
    if is_path(labels):
        return _native.Labels.from_file(os.fspath(labels))
    ids = None
    if _frames.is_frame(labels):
        raise ValueError("labels: found a frame, expected one column of it")
    if hasattr(labels, "to_list"):
        labels = labels.to_list()
    if isinstance(labels, (list, tuple)) and any(
        isinstance(label, (list, tuple, set)) for label in labels
    ):
        names = sorted({str(one) for label in labels for one in label})
        code = {name: at for at, name in enumerate(names)}
        return _native.Labels.from_lists(
            names, [sorted(code[str(one)] for one in label) for label in labels], ids
        )
    if is_sparse(labels):
        labels = labels.toarray()
    if isinstance(labels, (list, tuple)):
        labels = [None if is_missing(label) else label for label in labels]
    array = plain(labels)
    if array.ndim == 2 and array.shape[1] > 1:
        if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
            raise ValueError(
                "labels: found a table of other values than 0 and 1, expected one column per class"
            )
        lists = [np.flatnonzero(row).tolist() for row in array]
        return _native.Labels.from_lists([str(at) for at in range(array.shape[1])], lists, ids)
    array = array.ravel()
    if array.dtype.kind in "iub":
        return _native.Labels.from_numbers(array.astype(np.int64).tolist(), ids)
    if array.dtype.kind == "f":
        whole = np.where(np.isfinite(array), array, -1)
        if (whole == np.floor(whole)).all():
            return _native.Labels.from_numbers(whole.astype(np.int64).tolist(), ids)
        raise ValueError("labels: found fractions, expected whole numbers or names")
    values = array.tolist()
    # Whole numbers among which some are missing are numbers all the same.
    if any(isinstance(value, int) for value in values) and all(
        value is None or isinstance(value, int) for value in values
    ):
        return _native.Labels.from_numbers(
            [-1 if value is None else int(value) for value in values], ids
        )
    names_or_none = [None if is_missing(value) else str(value) for value in values]
    return _native.Labels.from_names(names_or_none, ids)


__all__ = ["Parts", "as_graph", "as_labels", "as_links", "as_table", "collect", "is_path"]
