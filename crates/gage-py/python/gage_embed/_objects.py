"""Graph objects of other packages, known by their attributes: none of them is imported."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _dgl, _pyg, _rustworkx
from ._columns import Columns
from ._graph_object import GraphObject, Parts, links_of, parts_of
from ._rows import IdTypes
from ._typed_graph import TypedGraph, of_type


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


def read_networkx(graph: Any) -> GraphObject:
    """Nodes, their data, and edges with their weights."""
    nodes = list(graph.nodes(data=True))
    position = {node: at for at, (node, _) in enumerate(nodes)}
    edges = list(graph.edges(data=True))
    ends = [(position[source], position[target]) for source, target, *_ in edges]
    return GraphObject(
        nodes=len(nodes),
        ids=[node for node, _ in nodes],
        ends=np.array(ends, dtype=np.int64).reshape(-1, 2),
        weights=[data.get("weight", 1.0) for *_, data in edges],
        directed=bool(graph.is_directed()),
        rows=[data for _, data in nodes],
    )


def read_igraph(graph: Any) -> GraphObject:
    """Vertices, their attributes, and weighted edges; `name` is the name of a vertex."""
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    attributes = list(graph.vs.attributes())
    return GraphObject(
        nodes=int(graph.vcount()),
        ids=list(graph.vs["name"]) if "name" in attributes else None,
        ends=ends,
        weights=graph.es["weight"] if "weight" in graph.es.attributes() else np.ones(len(ends)),
        directed=bool(graph.is_directed()),
        rows=[{key: vertex[key] for key in attributes if key != "name"} for vertex in graph.vs],
    )


def read(value: Any, links_only: bool = False) -> Union[GraphObject, TypedGraph, None]:
    """A graph of another package; None if it is none that is known."""
    if is_networkx(value):
        return read_networkx(value)
    if is_igraph(value):
        return read_igraph(value)
    if _rustworkx.is_rustworkx(value):
        return _rustworkx.read(value)
    if _dgl.is_dgl(value):
        return _dgl.read(value, links_only)
    if _pyg.is_pyg_hetero(value):
        return _pyg.read_hetero(value)
    return _pyg.read(value) if _pyg.is_pyg(value) else None


def is_graph(value: Any) -> bool:
    """Whether something is a graph of another package."""
    return (
        is_networkx(value)
        or is_igraph(value)
        or _rustworkx.is_rustworkx(value)
        or _dgl.is_dgl(value)
        or _pyg.is_pyg_hetero(value)
        or _pyg.is_pyg(value)
    )


def as_parts(
    value: Any,
    node_type: Optional[str],
    model: Any,
    types: IdTypes,
    said: Columns = Columns(),
) -> Parts:
    """All of a graph: links, attributes and names; of new nodes if a model is given."""
    graph = read(value)
    if isinstance(graph, TypedGraph):
        return of_type(graph, node_type)
    if graph is None:
        raise TypeError(f"found {type(value).__name__}, expected a graph")
    if graph.ids is not None:
        types.add(graph.ids)
    elif model is not None and graph.ends is not None:
        raise ValueError(
            f"{type(value).__name__}: found no names of nodes (in igraph the attribute `name`), by "
            "which new nodes are known from those of the model; give links as a list of pairs"
        )
    return parts_of(graph, model, said)


def as_links(name: str, value: Any, model: Any, types: IdTypes) -> Any:
    """The links of a graph, whatever else it holds."""
    graph = read(value, links_only=True)
    if not isinstance(graph, GraphObject):
        raise ValueError(
            f"{name}: found a {type(value).__name__} with several types of nodes or links, "
            "expected one of each; give it as the first argument, with node_type="
        )
    if graph.ids is not None:
        types.add(graph.ids)
    return links_of(name, graph, model)
