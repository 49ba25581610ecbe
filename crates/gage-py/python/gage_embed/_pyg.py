"""Graphs of PyTorch Geometric, known by their attributes: PyTorch is not imported."""

from __future__ import annotations

import warnings
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import csr, indices, plain
from ._graph_object import GraphObject
from ._typed_graph import Relation, TypedGraph


def is_pyg(value: Any) -> bool:
    """`Data` of PyTorch Geometric."""
    return hasattr(value, "edge_index") and hasattr(value, "num_nodes") and not is_pyg_hetero(value)


def is_pyg_hetero(value: Any) -> bool:
    """`HeteroData` of PyTorch Geometric."""
    return hasattr(value, "node_types") and hasattr(value, "edge_types")


def read(data: Any) -> GraphObject:
    """`edge_index`, `edge_weight` (or one column of `edge_attr`) and `x` of a `Data`."""
    ends, weights = _edges(data) or (None, None)
    # An edge index names both directions of an undirected link, so it is taken as it stands.
    return GraphObject(
        _count("Data", data), None, ends, weights, True, features=getattr(data, "x", None)
    )


def read_hetero(data: Any) -> TypedGraph:
    """The stores of a `HeteroData`."""

    def edges(relation: Relation) -> Tuple[Any, Any]:
        found = _edges(data[relation])
        if found is None:
            raise ValueError(f"{' '.join(relation)}: found neither edge_index nor adj_t")
        return found

    return TypedGraph(
        "HeteroData",
        list(data.node_types),
        [tuple(relation) for relation in data.edge_types],
        lambda kind: _count(kind, data[kind]),
        lambda kind: getattr(data[kind], "x", None),
        edges,
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


def _count(name: str, store: Any) -> int:
    count = store.num_nodes
    if count is None:
        raise ValueError(f"{name}: the number of nodes is not known; set `x` or `num_nodes`")
    return int(count)
