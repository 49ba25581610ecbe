"""Graph objects of other packages, told by what they look like, so that nothing has to be imported."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _native
from ._arrays import csr, floats, is_sparse, strings
from ._frames import cells

Parts = Tuple[List[Tuple[str, Any]], List[Tuple[str, Any]], Optional[List[str]]]


def module_of(value: Any) -> str:
    """The package a thing is from."""
    return type(value).__module__.partition(".")[0]


def is_networkx(value: Any) -> bool:
    """NetworkX graphs of every kind."""
    return hasattr(value, "nodes") and hasattr(value, "edges") and hasattr(value, "is_directed") and hasattr(
        value, "adjacency"
    )


def is_igraph(value: Any) -> bool:
    """igraph graphs."""
    return hasattr(value, "vs") and hasattr(value, "es") and hasattr(value, "get_edgelist")


def is_pyg(value: Any) -> bool:
    """`Data` of PyTorch Geometric."""
    return hasattr(value, "edge_index") and hasattr(value, "num_nodes") and not is_pyg_hetero(value)


def is_pyg_hetero(value: Any) -> bool:
    """`HeteroData` of PyTorch Geometric."""
    return hasattr(value, "node_types") and hasattr(value, "edge_types")


class _Column:
    """Values of one attribute in a shape that columns of frames have."""

    def __init__(self, name: str, values: List[Any]) -> None:
        self.name = name
        self._values = values
        numbers = all(
            value is None or isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            for value in values
        )
        self.dtype = "float64" if numbers and any(value is not None for value in values) else "object"

    def to_numpy(self) -> Any:
        return np.array([np.nan if value is None else value for value in self._values], dtype=np.float64)

    def to_list(self) -> List[Any]:
        return self._values


def _attribute_table(rows: List[Dict[str, Any]], like: Any) -> Optional[Any]:
    """Attributes of nodes as a table: vectors side by side if they are numbers, mixed columns otherwise."""
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
    return _native.Table.from_frame("attributes", columns, None, like)


def _vectors(name: str, vectors: List[Any], width: int) -> Any:
    missing = [np.nan] * width
    rows = [missing if vector is None else vector for vector in vectors]
    if any(len(row) != width for row in rows):
        raise ValueError(f"attribute `{name}`: found vectors of different lengths, expected {width} numbers each")
    return _native.Table.from_dense("attributes", floats(name, rows))


def from_networkx(graph: Any, like: Any = None) -> Parts:
    """Nodes, their data, and edges with their weights."""
    nodes = list(graph.nodes(data=True))
    names = strings("nodes", [node for node, _ in nodes])
    position = {node: at for at, (node, _) in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    ends = np.array([(position[u], position[v]) for u, v, *_ in edges], dtype=np.int64).reshape(-1, 2)
    weights = [data.get("weight", 1.0) for *_, data in edges]
    links = _links(len(nodes), ends, floats("weight", weights), bool(graph.is_directed()))
    table = _attribute_table([data for _, data in nodes], like)
    return [("links", links)], [] if table is None else [("attributes", table)], names


def from_igraph(graph: Any, like: Any = None) -> Parts:
    """Vertices, their attributes, and edges with their weights."""
    count = graph.vcount()
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else np.ones(len(ends))
    links = _links(count, ends, floats("weight", weights), bool(graph.is_directed()))
    attributes = list(graph.vs.attributes())
    names = strings("name", graph.vs["name"]) if "name" in attributes else None
    rows = [{key: vertex[key] for key in attributes if key != "name"} for vertex in graph.vs]
    table = _attribute_table(rows, like) if count else None
    return [("links", links)], [] if table is None else [("attributes", table)], names


def _links(count: int, ends: Any, weights: Any, directed: bool, target_count: Optional[int] = None) -> Any:
    """Compressed rows of links between positions; undirected links are entered both ways, repeated ones summed."""
    columns = count if target_count is None else target_count
    if ends.size and (ends.min() < 0 or ends[:, 0].max() >= count or ends[:, 1].max() >= columns):
        raise ValueError(f"links: found an end outside the {count} nodes, which are numbered from 0 to {count - 1}")
    weights = np.asarray(weights, dtype=np.float64).ravel()
    if weights.size != len(ends):
        raise ValueError(f"links: found {weights.size} weights for {len(ends)} links, expected one for each")
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
    narrow = targets[order].astype(np.int32 if columns < 2**31 else np.int64)
    return _native.Links.from_csr((count, columns), indptr, narrow, floats("weights", weights[order]))


def _numpy(tensor: Any) -> Any:
    """An array from a tensor, wherever it lives."""
    for step in ("detach", "cpu"):
        if hasattr(tensor, step):
            tensor = getattr(tensor, step)()
    return np.asarray(tensor.numpy() if hasattr(tensor, "numpy") else tensor)


def _edges(store: Any) -> Tuple[Any, Any]:
    ends = _numpy(store.edge_index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise ValueError(f"edge_index: found shape {ends.shape}, expected two rows")
    weights = getattr(store, "edge_weight", None)
    if weights is None:
        attributes = getattr(store, "edge_attr", None)
        weights = None if attributes is None or _numpy(attributes).size != ends.shape[1] else attributes
    values = np.ones(ends.shape[1]) if weights is None else _numpy(weights)
    return ends.T.astype(np.int64), values


def _features(name: str, values: Any) -> Any:
    if is_sparse(values) and hasattr(values, "tocsr"):
        matrix = csr(name, values)
        return _native.Table.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    array = floats(name, _numpy(values))
    return _native.Table.from_dense(name, array.reshape(len(array), -1))


def from_pyg(data: Any) -> Parts:
    """`edge_index`, `edge_weight` (or one column of `edge_attr`) and `x` of a `Data`."""
    count = int(data.num_nodes)
    ends, weights = _edges(data)
    # An edge index names both directions of an undirected link, so it is taken as it stands.
    links = _links(count, ends, weights, directed=True)
    x = getattr(data, "x", None)
    return [("links", links)], [] if x is None else [("attributes", _features("attributes", x))], None


def from_pyg_hetero(data: Any, node_type: Optional[str]) -> Parts:
    """One type of nodes of a `HeteroData`: its features; relations within it are links, relations with other types
    are tables with one column per node of the other type."""
    types = list(data.node_types)
    if node_type is None:
        if len(types) != 1:
            raise ValueError(f"node_type: say which type of node to embed; there are {', '.join(types)}")
        node_type = types[0]
    if node_type not in types:
        raise ValueError(f"node_type: there is no type {node_type!r}; there are {', '.join(types)}")
    store = data[node_type]
    count = int(store.num_nodes)
    links: List[Tuple[str, Any]] = []
    tables: List[Tuple[str, Any]] = []
    x = getattr(store, "x", None)
    if x is not None:
        tables.append(("attributes", _features("attributes", x)))
    for source, relation, target in data.edge_types:
        ends, weights = _edges(data[source, relation, target])
        name = f"{source} {relation} {target}"
        if source == target == node_type:
            links.append(("links" if not links else name, _links(count, ends, weights, directed=True)))
        elif node_type in (source, target):
            if target == node_type:
                ends = ends[:, ::-1]
            others = int(data[target if source == node_type else source].num_nodes)
            matrix = _links(count, ends, weights, directed=True, target_count=others)
            tables.append((name, matrix.as_table()))
    return links, tables, None
