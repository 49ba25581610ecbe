"""Whatever a user has, as the parts of a graph."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _frames, _native, _objects, _rows
from ._arrays import csr, is_sparse, strings, table
from ._columns import Columns
from ._links import adjacency_ids, as_links, is_edge_list, is_path, may_be_links
from ._rows import IdTypes, Other, RowIds

Named = List[Tuple[str, Any]]

LINKS = "links"
ATTRIBUTES = "attributes"


class Parts(NamedTuple):
    """Relations and tables by name, and the nodes if something says who they are."""

    links: Named
    tables: Named
    nodes: Optional[List[str]]
    types: IdTypes


def as_table(
    name: str,
    value: Any,
    id_column: Optional[str] = None,
    like: Any = None,
    said: Columns = Columns(),
) -> Any:
    """A table of attributes: a sparse or dense matrix, or a file; frames are joined first."""
    if isinstance(value, _native.Table):
        return value
    if is_path(value):
        return _native.Table.from_file(name, os.fspath(value), id_column, True, like, said.json)
    if is_sparse(value):
        matrix = csr(name, value)
        return _native.Table.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    return _native.Table.from_dense(name, table(name, value))


def table_of_frame(
    name: str,
    frame: Any,
    rows: RowIds,
    by_id: bool,
    like: Any = None,
    said: Columns = Columns(),
) -> Any:
    """A table of the columns of a frame, with the ids of its rows if they are joined by id."""
    leave_out = () if rows.column is None else (rows.column,)
    columns = _frames.columns(frame, leave_out)
    if not columns:
        raise ValueError(f"{name}: found a frame without columns, expected at least one")
    id_column = None
    if by_id and rows.values is not None:
        names = [name for name, _ in columns]
        id_column = next(free for free in ("id", "__id__", "__gage_id__") if free not in names)
        where = "index" if rows.column is None else f"column `{rows.column}`"
        columns.insert(0, (id_column, strings(f"{name}, {where}", rows.values)))
    return _native.Table.from_frame(name, columns, id_column, like, said.json)


class Join(NamedTuple):
    """How rows meet nodes: what a call says about it."""

    id_column: Optional[str] = None
    align: Optional[str] = None
    nodes: Any = None
    said: Columns = Columns()


def collect(
    data: Any,
    links: Any = None,
    attributes: Any = None,
    views: Optional[Mapping[str, Any]] = None,
    *,
    join: Join = Join(),
    node_type: Optional[str] = None,
    model: Any = None,
) -> Parts:
    """Everything that was given, as parts. `model` is set when the data are of new nodes."""
    _rows.check_align(join.align)
    types = IdTypes()
    found = Parts([], [], None, types)
    given: Dict[str, Any] = {}
    by_name("views", views)
    if data is not None:
        found, given = _of_data(data, links, attributes, node_type, model, types, join.said)
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
    count = _node_count(given, found, join.nodes, model)
    columns = [_frames.names(v) for v in given.values() if _frames.is_frame(v)]
    join = join._replace(said=join.said.among(columns))
    frames: List[Tuple[str, Any, RowIds]] = []
    for name, value in given.items():
        kind = _kind(name, value, model)
        if kind == "file":
            part_links, part_table = _native.read_view(
                os.fspath(value), join.id_column, join.said.json
            )
            kind, value = ("links", part_links) if part_links is not None else ("table", part_table)
        if kind == "links":
            if _objects.is_graph(value):
                relations.append((name, _objects.as_links(name, value, model, types)))
                continue
            fitted = None if model is None else len(model)
            relations.append((name, as_links(name, value, fitted, types, count, join.said)))
        elif _frames.is_frame(value):
            frame = _frames.frame_of(value)
            frames.append((name, frame, _rows.row_ids(name, frame, join.id_column)))
            tables.append((name, None))
        else:
            tables.append((name, as_table(name, value, join.id_column, model, join.said)))
    if not relations and not tables:
        raise ValueError("nothing was given: expected links, attributes or views")
    nodes = found.nodes
    if join.nodes is not None:
        types = IdTypes()
        types.add(join.nodes if hasattr(join.nodes, "__len__") else list(join.nodes))
        nodes = strings("nodes", join.nodes)
    if frames:
        joined = _join_frames(frames, relations, tables, nodes, join, types, model)
        tables = [(name, joined.get(name, part)) for name, part in tables]
        nodes = _nodes_by_position(frames, nodes, join.align, types)
    if nodes is None and model is None:
        nodes = _rows.names_of_rows(graph_names(given, relations), tables, join.align)
    return Parts(relations, tables, nodes, types)


def graph_names(given: Dict[str, Any], relations: Named) -> Optional[Tuple[str, List[str]]]:
    """Names of the nodes of the first graph of another package, in its order."""
    for name, part in relations:
        if _objects.is_graph(given.get(name)) and part.ids is not None:
            return name, part.ids
    return None


def _node_count(given: Dict[str, Any], found: Parts, nodes: Any, model: Any) -> Optional[int]:
    """How many nodes there are, if anything but lists of links says it."""
    if model is not None:
        return None
    if nodes is not None:
        return len(nodes) if hasattr(nodes, "__len__") else None
    if found.tables:
        return int(found.tables[0][1].shape[0])
    for name, value in given.items():
        if is_path(value) or _kind(name, value, None) != "table":
            continue
        if hasattr(value, "shape") and len(value.shape) == 2:
            return int(value.shape[0])
        if isinstance(value, list):
            return len(value)
    return None


def _join_frames(
    frames: List[Tuple[str, Any, RowIds]],
    relations: Named,
    tables: Named,
    nodes: Optional[List[str]],
    join: Join,
    types: IdTypes,
    model: Any,
) -> Dict[str, Any]:
    """Frames as tables, once it is known whether their rows are joined by id."""
    out = {}
    align = join.align
    for name, frame, rows in frames:
        by_id = rows.values is not None and align != "position"
        if rows.values is not None and rows.leftover and align is None:
            others = _others(name, frames, relations, tables, nodes)
            # Rows of new nodes keep their order; only links by name need their numbers.
            by_id = (
                any(other.ids is not None for other in others)
                if model is not None
                else _rows.join_by_id(f"{name}, index", rows.values, others, align)
            )
        if by_id and rows.values is not None and nodes is None:
            types.add(rows.values)
        out[name] = table_of_frame(name, frame, rows, by_id, model, join.said)
    return out


def _others(
    own: str,
    frames: List[Tuple[str, Any, RowIds]],
    relations: Named,
    tables: Named,
    nodes: Optional[List[str]],
) -> List[Other]:
    """What the rows of a frame are to be joined with."""
    out = [] if nodes is None else [Other("nodes", nodes, len(nodes))]
    for name, part in (*relations, *tables):
        if part is not None:
            ids = part.ids if part.ids is not None or nodes is None else nodes
            ordered = part.ids is None or isinstance(part, _native.Table)
            out.append(Other(name, ids, part.shape[0], ordered=ordered))
    for name, frame, rows in frames:
        if name != own:
            ids = None if rows.values is None else strings(name, rows.values)
            out.append(Other(name, ids, len(frame), rows.leftover))
    return out


def _nodes_by_position(
    frames: List[Tuple[str, Any, RowIds]],
    nodes: Optional[List[str]],
    align: Optional[str],
    types: IdTypes,
) -> Optional[List[str]]:
    """Rows that are joined by position are still called what their ids say."""
    if nodes is not None or align != "position":
        return nodes
    for name, _, rows in frames:
        if rows.values is not None and not rows.leftover:
            types.add(rows.values)
            return strings(name, rows.values)
    return None


def by_name(what: str, value: Any) -> None:
    """Refuses anything that is not a mapping from names."""
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(
            f"{what}: found {type(value).__name__}, expected a mapping from names of views"
        )


def _of_data(
    data: Any,
    links: Any,
    attributes: Any,
    node_type: Optional[str],
    model: Any,
    types: IdTypes,
    said: Columns = Columns(),
) -> Tuple[Parts, Dict[str, Any]]:
    """The first argument of `fit` and `transform`: a graph object, several views, or one."""
    if _objects.is_graph(data):
        if attributes is not None:
            return Parts([], [], None, types), {LINKS: data}
        return Parts(*_objects.as_parts(data, node_type, model, types, said), types), {}
    empty = Parts([], [], None, types)
    # A dictionary of keys is a sparse matrix, not a mapping from names to views.
    if isinstance(data, Mapping) and not is_sparse(data):
        return empty, {str(name): value for name, value in data.items()}
    if isinstance(data, tuple) and len(data) == 2 and not np.isscalar(data[0]):
        return empty, {LINKS: data[0], ATTRIBUTES: data[1]}
    if links is None and attributes is not None:
        return empty, {LINKS: data}
    if links is not None:
        return empty, {ATTRIBUTES: data}
    return empty, {(LINKS if _looks_like_links(data, model, said) else ATTRIBUTES): data}


def _looks_like_links(data: Any, model: Any, said: Columns = Columns()) -> bool:
    """Whether a single thing is links: an edge list, a square frame of named nodes or a file. Of
    new nodes a matrix is what the model knows; of a fit it is attributes, unless it may be both.
    """
    if is_edge_list(data, said) or is_path(data) or adjacency_ids(data) is not None:
        return True
    if model is not None:
        return not _frames.is_frame(data) and not model.has_block(ATTRIBUTES)
    if may_be_links(data):
        count = data.shape[0]
        raise ValueError(
            f"X: found a square matrix of {count} x {count}, and two readings are plausible: links "
            f"between {count} nodes (fit(links=X)), or {count} attributes of as many nodes "
            "(fit(attributes=X)); say which"
        )
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
    if _objects.is_graph(value):
        return "links"
    square = is_sparse(value) and len(value.shape) == 2 and value.shape[0] == value.shape[1]
    named = adjacency_ids(value) is not None
    return "links" if square or named or is_edge_list(value) else "table"


def as_graph(parts: Parts, said: Any, labels: Any = None, directed: Optional[bool] = None) -> Any:
    """The parts put together as the call says: ids joined, directions decided."""
    missing = said.zero_rows == "missing"
    links, tables, nodes, _ = parts
    return _native.Graph.assemble(
        links, tables, nodes, labels, directed, missing, [], said.align, said.ids
    )


__all__ = ["Join", "Parts", "as_graph", "as_links", "as_table", "collect", "is_path"]
