"""Graphs of rustworkx, known by their methods: rustworkx is not imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _frames, _native
from ._graph_object import GraphObject


def is_rustworkx(value: Any) -> bool:
    """`PyGraph` and `PyDiGraph`."""
    return hasattr(value, "weighted_edge_list") and hasattr(value, "node_indices")


def read(graph: Any) -> GraphObject:
    """Nodes and links. What a node holds is its name if it is a text or a whole number, and its
    attributes if it is a mapping, in which a name may be, too.
    """
    # Nodes that were removed leave gaps in the numbers.
    position = {number: at for at, number in enumerate(graph.node_indices())}
    payloads = list(graph.nodes())
    edges = list(graph.weighted_edge_list())
    ends = [(position[source], position[target]) for source, target, _ in edges]
    ids, rows = _nodes(payloads)
    return GraphObject(
        nodes=len(payloads),
        ids=ids,
        ends=np.array(ends, dtype=np.int64).reshape(-1, 2),
        weights=[_weight(at, payload) for at, (_, _, payload) in enumerate(edges)],
        directed=hasattr(graph, "successors"),
        rows=rows,
    )


def _nodes(payloads: List[Any]) -> Tuple[Optional[List[Any]], List[Dict[str, Any]]]:
    if all(isinstance(one, Mapping) for one in payloads):
        keys = sorted({str(key) for one in payloads for key in one})
        column = _frames.find(keys, _native.ID_NAMES)
        if column is None or not all(column in one for one in payloads):
            return None, [dict(one) for one in payloads]
        rows = [{key: one[key] for key in one if key != column} for one in payloads]
        return [one[column] for one in payloads], rows
    if all(one is None for one in payloads):
        return None, []
    names = all(
        isinstance(one, (str, int, np.integer)) and not isinstance(one, bool) for one in payloads
    )
    if names and len(set(map(str, payloads))) == len(payloads):
        return list(payloads), []
    found = next((one for one in payloads if not isinstance(one, (str, Mapping))), payloads[0])
    raise TypeError(
        f"rustworkx: found nodes that hold {type(found).__name__}, expected different names (texts "
        "or whole numbers), mappings of attributes, or None"
    )


def _weight(at: int, payload: Any) -> float:
    if isinstance(payload, Mapping):
        payload = payload.get("weight", 1.0)
    if payload is None:
        return 1.0
    if isinstance(payload, (int, float, np.number)):
        return float(payload)
    raise TypeError(
        f"rustworkx: link {at} holds {type(payload).__name__}, expected a weight, a mapping with "
        "`weight`, or None"
    )
