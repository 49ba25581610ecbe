"""Graph objects of other packages, known by their attributes: none of them is imported."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _native
from ._arrays import csr, floats, indices, is_sparse, plain, strings
from ._frames import cells

Parts = Tuple[List[Tuple[str, Any]], List[Tuple[str, Any]], Optional[List[str]]]


def module_of(value: Any) -> str:
    """The package a thing is from."""
    return type(value).__module__.partition(".")[0]


def is_networkx(value: Any) -> bool:
    """NetworkX graphs of every kind."""
    return (
        hasattr(value, "nodes")
        and hasattr(value, "edges")
        and hasattr(value, "is_directed")
        and hasattr(value, "adjacency")
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


def _attribute_table(rows: List[Dict[str, Any]], like: Any) -> Optional[Any]:
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
    return _native.Table.from_frame("attributes", columns, None, like)


def _vectors(name: str, vectors: List[Any], width: int) -> Any:
    missing = [np.nan] * width
    rows = [missing if vector is None else vector for vector in vectors]
    if any(len(row) != width for row in rows):
        raise ValueError(
            f"attribute `{name}`: found vectors of different lengths, expected {width} numbers each"
        )
    return _native.Table.from_dense("attributes", floats(name, rows))


def _of_new_nodes(
    model: Any, names: List[str], ends: Any, weights: Any, rows: List[Dict[str, Any]]
) -> Parts:
    """Links by name, since they lead to nodes of the model, and the attributes of those the model
    does not know.
    """
    known = set(model.ids or ())
    new = [at for at, name in enumerate(names) if name not in known]
    sources, targets = ([names[at] for at in column] for column in (ends[:, 0], ends[:, 1]))
    links = (
        _native.Links.from_pairs(
            "links", sources, targets, np.asarray(weights, dtype=np.float64).tolist()
        )
        if len(ends)
        else None
    )
    table = _attribute_table([rows[at] for at in new], model)
    return (
        [] if links is None else [("links", links)],
        [] if table is None else [("attributes", table)],
        [names[at] for at in new],
    )


def from_networkx(graph: Any, like: Any = None) -> Parts:
    """Nodes, their data, and edges with their weights; of new nodes if a model is given."""
    nodes = list(graph.nodes(data=True))
    names = strings("nodes", [node for node, _ in nodes])
    position = {node: at for at, (node, _) in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    ends = np.array([(position[u], position[v]) for u, v, *_ in edges], dtype=np.int64).reshape(
        -1, 2
    )
    weights = [data.get("weight", 1.0) for *_, data in edges]
    if like is not None:
        return _of_new_nodes(
            like, names, ends, floats("weight", weights), [data for _, data in nodes]
        )
    links = _links(len(nodes), ends, floats("weight", weights), bool(graph.is_directed()))
    table = _attribute_table([data for _, data in nodes], None)
    return [("links", links)], [] if table is None else [("attributes", table)], names


def from_igraph(graph: Any, like: Any = None) -> Parts:
    """Vertices, their attributes, and weighted edges; of new nodes if a model is given."""
    count = graph.vcount()
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = graph.es["weight"] if "weight" in graph.es.attributes() else np.ones(len(ends))
    attributes = list(graph.vs.attributes())
    names = strings("name", graph.vs["name"]) if "name" in attributes else None
    rows = [{key: vertex[key] for key in attributes if key != "name"} for vertex in graph.vs]
    if like is not None:
        if names is None:
            raise ValueError(
                "igraph: found no attribute `name` of the vertices, by which new nodes are known "
                "from those of the model"
            )
        return _of_new_nodes(like, names, ends, floats("weight", weights), rows)
    links = _links(count, ends, floats("weight", weights), bool(graph.is_directed()))
    table = _attribute_table(rows, None) if count else None
    return [("links", links)], [] if table is None else [("attributes", table)], names


def _links(
    count: int, ends: Any, weights: Any, directed: bool, target_count: Optional[int] = None
) -> Any:
    """Compressed rows of links between positions; undirected links are entered both ways, repeated
    ones summed.
    """
    columns = count if target_count is None else target_count
    if ends.size and (ends.min() < 0 or ends[:, 0].max() >= count or ends[:, 1].max() >= columns):
        raise ValueError(
            f"links: found an end outside the {count} nodes, which are numbered from 0 to "
            f"{count - 1}"
        )
    weights = np.asarray(weights, dtype=np.float64).ravel()
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
    narrow = targets[order].astype(np.int32 if columns < 2**31 else np.int64)
    return _native.Links.from_csr(
        (count, columns), indptr, narrow, floats("weights", weights[order])
    )


def _edges(store: Any) -> Optional[Tuple[Any, Any]]:
    """Ends and weights of the links of a store; None if it has none."""
    index = getattr(store, "edge_index", None)
    if index is None:
        transposed = getattr(store, "adj_t", None)
        if transposed is None:
            return None
        matrix = csr("adj_t", transposed)
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        return np.stack([matrix.indices.astype(np.int64), rows], axis=1), matrix.data
    ends = indices("edge_index", index)
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise ValueError(f"edge_index: found shape {ends.shape}, expected two rows")
    weights = getattr(store, "edge_weight", None)
    if weights is None:
        weights = getattr(store, "edge_attr", None)
        if weights is not None and plain(weights).size != ends.shape[1]:
            columns = plain(weights).size // max(1, ends.shape[1])
            warnings.warn(
                f"edge_attr has {columns} columns, which are no weights; every link counts as 1 "
                "unless edge_weight says otherwise",
                stacklevel=6,
            )
            weights = None
    return ends.T.astype(np.int64), np.ones(ends.shape[1]) if weights is None else plain(weights)


def _features(name: str, values: Any) -> Any:
    if is_sparse(values):
        matrix = csr(name, values)
        return _native.Table.from_csr(matrix.shape, matrix.indptr, matrix.indices, matrix.data)
    array = floats(name, values)
    return _native.Table.from_dense(name, array.reshape(len(array), -1))


def _count(name: str, store: Any) -> int:
    count = store.num_nodes
    if count is None:
        raise ValueError(f"{name}: the number of nodes is not known; set `x` or `num_nodes`")
    return int(count)


def from_pyg(data: Any) -> Parts:
    """`edge_index`, `edge_weight` (or one column of `edge_attr`) and `x` of a `Data`."""
    count, edges = _count("Data", data), _edges(data)
    # An edge index names both directions of an undirected link, so it is taken as it stands.
    links = [] if edges is None else [("links", _links(count, *edges, directed=True))]
    x = getattr(data, "x", None)
    return links, [] if x is None else [("attributes", _features("attributes", x))], None


def from_pyg_hetero(data: Any, node_type: Optional[str]) -> Parts:
    """One type of nodes of a `HeteroData`: its features; relations within it are links, relations
    with other types are tables with one column per node of the other type."""
    types = list(data.node_types)
    if not types:
        raise ValueError("HeteroData: found no types of nodes, expected at least one")
    if node_type is None:
        if len(types) != 1:
            raise ValueError(
                f"node_type: say which type of node to embed; there are {', '.join(types)}"
            )
        node_type = types[0]
    if node_type not in types:
        raise ValueError(f"node_type: there is no type {node_type!r}; there are {', '.join(types)}")
    store = data[node_type]
    count = _count(node_type, store)
    links: List[Tuple[str, Any]] = []
    tables: List[Tuple[str, Any]] = []
    x = getattr(store, "x", None)
    if x is not None:
        tables.append(("attributes", _features("attributes", x)))
    for source, relation, target in data.edge_types:
        if node_type not in (source, target):
            continue
        name = f"{source} {relation} {target}"
        edges = _edges(data[source, relation, target])
        if edges is None:
            raise ValueError(f"{name}: found neither edge_index nor adj_t")
        ends, weights = edges
        if source == target:
            links.append(
                ("links" if not links else name, _links(count, ends, weights, directed=True))
            )
        else:
            if target == node_type:
                ends = ends[:, ::-1]
            other = target if source == node_type else source
            matrix = _links(
                count, ends, weights, directed=True, target_count=_count(other, data[other])
            )
            tables.append((name, matrix.as_table()))
    return links, tables, None
