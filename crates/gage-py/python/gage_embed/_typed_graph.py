"""Graphs whose nodes and links have types: one type of nodes is embedded."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from ._graph_object import Named, Parts, compressed, features

Relation = Tuple[str, str, str]


class TypedGraph(NamedTuple):
    """Types of nodes, and relations between them as triples of source, name and target."""

    what: str
    types: List[str]
    relations: List[Relation]
    count: Callable[[str], int]
    # Attributes of the nodes of a type, or None.
    features: Callable[[str], Any]
    # Ends, one row per link, and weights.
    edges: Callable[[Relation], Tuple[Any, Any]]


def of_type(graph: TypedGraph, node_type: Optional[str]) -> Parts:
    """One type of nodes: its features; relations within it are links, relations with other types
    are tables with one column per node of the other type.
    """
    own = _chosen(graph, node_type)
    count, x = graph.count(own), graph.features(own)
    links: Named = []
    tables: Named = [] if x is None else [("attributes", features("attributes", x))]
    for relation in graph.relations:
        source, _, target = relation
        if own not in (source, target):
            continue
        name = " ".join(relation)
        ends, weights = graph.edges(relation)
        if source == target:
            found = compressed(count, ends, weights, directed=True)
            links.append(("links" if not links else name, found))
            continue
        if target == own:
            ends = ends[:, ::-1]
        others = graph.count(target if source == own else source)
        tables.append((name, compressed(count, ends, weights, True, others).as_table()))
    return links, tables, None


def _chosen(graph: TypedGraph, node_type: Optional[str]) -> str:
    types = graph.types
    if not types:
        raise ValueError(f"{graph.what}: found no types of nodes, expected at least one")
    if node_type is None:
        if len(types) != 1:
            raise ValueError(
                f"node_type: say which type of node to embed; there are {', '.join(types)}"
            )
        return types[0]
    if node_type not in types:
        raise ValueError(f"node_type: there is no type {node_type!r}; there are {', '.join(types)}")
    return node_type
