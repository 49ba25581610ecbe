"""Graphs of DGL, known by their methods: DGL is not imported."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from ._arrays import indices, plain
from ._graph_object import GraphObject
from ._typed_graph import Relation, TypedGraph

# What DGL's own data sets call the features of nodes.
FEATURES = "feat"


def is_dgl(value: Any) -> bool:
    """`DGLGraph`, of one type of nodes or of several."""
    return hasattr(value, "canonical_etypes") and hasattr(value, "ndata")


def read(graph: Any, links_only: bool = False) -> Union[GraphObject, TypedGraph]:
    """Links, their weights (`weight` or `w` of `edata`) and, unless only links count, the features
    of nodes: `feat`, or the only matrix of floats there is.
    """
    types, relations = list(graph.ntypes), [tuple(one) for one in graph.canonical_etypes]
    if len(types) == 1 and len(relations) == 1:
        ends, weights = _edges(graph, relations[0])
        x = None if links_only else _features(types[0], graph.nodes[types[0]].data)
        # Links are arcs; undirected graphs have them both ways.
        return GraphObject(int(graph.num_nodes()), None, ends, weights, True, features=x)
    return TypedGraph(
        "DGLGraph",
        types,
        relations,
        lambda kind: int(graph.num_nodes(kind)),
        lambda kind: _features(kind, graph.nodes[kind].data),
        lambda relation: _edges(graph, relation),
    )


def _edges(graph: Any, relation: Relation) -> Tuple[Any, Any]:
    sources, targets = graph.edges(etype=relation)
    ends = np.stack([indices("edges", sources), indices("edges", targets)], axis=1)
    data = graph.edges[relation].data
    found = [data[name] for name in ("weight", "w") if name in data]
    weights = plain(found[0]).ravel() if found else np.ones(len(ends))
    return ends.astype(np.int64), weights


def _features(kind: str, data: Any) -> Optional[Any]:
    if FEATURES in data:
        return data[FEATURES]
    arrays = {str(name): plain(data[name]) for name in data}
    found = [name for name, one in arrays.items() if one.ndim == 2 and one.dtype.kind == "f"]
    if len(found) > 1:
        raise ValueError(
            f"DGLGraph: nodes of type {kind!r} have {', '.join(sorted(found))}, and no telling "
            f"which are the attributes; say fit(graph, attributes=graph.ndata[{found[0]!r}])"
        )
    return arrays[found[0]] if found else None
