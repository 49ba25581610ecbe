"""Graphs of other packages as parts of a data set."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _native
from ._arrays import csr, floats, is_sparse, strings
from ._columns import Columns
from ._frames import cells

Named = List[Tuple[str, Any]]
Parts = Tuple[Named, Named, Optional[List[str]]]


class GraphObject(NamedTuple):
    """Nodes and links of a graph, and what is known about its nodes."""

    nodes: int
    # Names of the nodes as they came, or None if they are positions.
    ids: Optional[List[Any]]
    # One row per link: the positions of its ends; None if there are no links at all.
    ends: Any
    weights: Any
    directed: bool
    # Attributes: one mapping per node, or a matrix.
    rows: Optional[List[Dict[str, Any]]] = None
    features: Any = None


def parts_of(graph: GraphObject, like: Any = None, said: Columns = Columns()) -> Parts:
    """Links, attributes and names of the nodes; of new nodes if a model is given."""
    names = None if graph.ids is None else strings("nodes", graph.ids)
    if like is not None and names is not None:
        return _of_new_nodes(like, names, graph)
    table = _table_of(graph, None, None, said)
    tables = [] if table is None else [("attributes", table)]
    if graph.ends is None:
        return [], tables, names
    links = compressed(graph.nodes, graph.ends, graph.weights, graph.directed)
    return [("links", links)], tables, names


def links_of(name: str, graph: GraphObject, like: Any = None) -> Any:
    """The links of a graph alone, with the names of its nodes."""
    if graph.ends is None:
        raise ValueError(f"{name}: found a graph without links")
    ids = None if graph.ids is None else strings(f"{name}, nodes", graph.ids)
    if like is not None and ids is not None:
        return _pairs(name, ids, graph)
    return compressed(graph.nodes, graph.ends, graph.weights, graph.directed, ids=ids)


def _of_new_nodes(model: Any, names: List[str], graph: GraphObject) -> Parts:
    """Links by name, since they lead to nodes of the model, and the attributes of those the model
    does not know.
    """
    known = set(model.ids or ())
    new = [at for at, name in enumerate(names) if name not in known]
    links = _pairs("links", names, graph) if len(graph.ends) else None
    table = _table_of(graph, new, model)
    return (
        [] if links is None else [("links", links)],
        [] if table is None else [("attributes", table)],
        [names[at] for at in new],
    )


def _pairs(name: str, names: List[str], graph: GraphObject) -> Any:
    sources, targets = ([names[at] for at in column] for column in np.asarray(graph.ends).T)
    weights = floats("weight", graph.weights).astype(np.float64).ravel().tolist()
    return _native.Links.from_pairs(name, sources, targets, weights)


def _table_of(
    graph: GraphObject, which: Optional[List[int]], like: Any, said: Columns = Columns()
) -> Optional[Any]:
    if graph.features is not None:
        return features("attributes", graph.features if which is None else graph.features[which])
    if graph.rows is None:
        return None
    rows = graph.rows if which is None else [graph.rows[at] for at in which]
    return _attribute_table(rows, like, said)


class _Column:
    """Values of one attribute in a shape that columns of frames have."""

    def __init__(self, name: str, values: List[Any]) -> None:
        self.name = name
        self._values = values
        numbers = all(
            value is None
            or isinstance(value, (int, float, np.integer, np.floating))
            and not isinstance(value, bool)
            for value in values
        )
        self.dtype = (
            "float64" if numbers and any(value is not None for value in values) else "object"
        )

    def to_numpy(self) -> Any:
        return np.array(
            [np.nan if value is None else value for value in self._values], dtype=np.float64
        )

    def to_list(self) -> List[Any]:
        return self._values


def _attribute_table(
    rows: List[Dict[str, Any]], like: Any, said: Columns = Columns()
) -> Optional[Any]:
    """Attributes of nodes as a table: vectors side by side if they are numbers, mixed columns
    otherwise.
    """
    names: Dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(str(name) for name in row))
    if not names:
        return None
    values = {name: [row.get(name) for row in rows] for name in names}
    if len(names) == 1:
        (name,) = names
        vectors = values[name]
        first = next((vector for vector in vectors if vector is not None), None)
        if isinstance(first, (list, tuple, np.ndarray)):
            return _vectors(name, vectors, len(first))
    columns = [(name, cells(name, _Column(name, column))) for name, column in values.items()]
    return _native.Table.from_frame("attributes", columns, None, like, said.json)


def _vectors(name: str, vectors: List[Any], width: int) -> Any:
    missing = [np.nan] * width
    rows = [missing if vector is None else vector for vector in vectors]
    if any(len(row) != width for row in rows):
        raise ValueError(
            f"attribute `{name}`: found vectors of different lengths, expected {width} numbers each"
        )
    return _native.Table.from_dense("attributes", floats(name, rows))


def features(name: str, values: Any) -> Any:
    """A matrix of numbers, one row per node."""
    if is_sparse(values):
        matrix = csr(name, values)
        return _native.Table.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    array = floats(name, values)
    return _native.Table.from_dense(name, array.reshape(len(array), -1))


def compressed(
    count: int,
    ends: Any,
    weights: Any,
    directed: bool,
    columns: Optional[int] = None,
    ids: Optional[List[str]] = None,
) -> Any:
    """Compressed rows of links between positions; undirected links are entered both ways, repeated
    ones summed. With `columns` the links lead to so many things of another kind.
    """
    width = count if columns is None else columns
    if ends.size and (ends.min() < 0 or ends[:, 0].max() >= count or ends[:, 1].max() >= width):
        raise ValueError(
            f"links: found an end outside the {count} nodes, which are numbered from 0 to "
            f"{count - 1}"
        )
    weights = floats("weight", weights).astype(np.float64).ravel()
    if weights.size != len(ends):
        raise ValueError(
            f"links: found {weights.size} weights for {len(ends)} links, expected one for each"
        )
    sources, targets = ends[:, 0], ends[:, 1]
    if not directed:
        other = sources != targets
        sources, targets, weights = (
            np.concatenate([sources, targets[other]]),
            np.concatenate([targets, sources[other]]),
            np.concatenate([weights, weights[other]]),
        )
    order = np.lexsort((targets, sources))
    indptr = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=count), out=indptr[1:])
    narrow = targets[order].astype(np.int32 if width < 2**31 else np.int64)
    return _native.Links.from_csr(
        (count, width), indptr, narrow, floats("weights", weights[order]), ids
    )
