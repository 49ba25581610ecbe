"""Graphs and tables of other packages, the real ones, as links, attributes or both."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from gage_embed import GAGE, evaluate


def fit(*args, **kwargs):
    return GAGE(4, preset="balanced").fit(*args, **kwargs)


@pytest.fixture(scope="module")
def expected(planted):
    return fit(planted.attributes, links=planted.links).embedding_


def both_ways(edges):
    return np.concatenate([edges, edges[:, ::-1]]).T


# What a dense array of whole numbers can be, and what is said where it can be several things.
READINGS = {
    "two rows": ([[0, 1, 2, 3], [1, 2, 3, 0]], None, 4),
    "two rows beside more nodes": ([[0, 1, 2, 3], [1, 2, 3, 0]], 6, 6),
    "pairs": ([[0, 1], [1, 2], [2, 3], [3, 0]], None, 4),
    "three pairs": ([[0, 1], [1, 2], [2, 0]], None, 3),
    "pairs with weights": ([[0, 1, 5], [1, 2, 5], [2, 3, 1], [3, 0, 1]], None, 4),
    "a matrix": (np.roll(np.eye(4, dtype=int), 1, axis=1).tolist(), None, 4),
    "a matrix of two": ([[0, 1], [1, 0]], None, 2),
    "a symmetric matrix of three": ([[0, 1, 1], [1, 0, 0], [1, 0, 0]], None, 3),
    "fractions": ([[0.0, 1.0], [1.0, 0.5]], None, 2),
}
AMBIGUOUS = {
    "two by two": ([[0, 1], [1, 2]], None, ["matrix of 2 nodes", "list of 2 links", "edge index"]),
    "two by two beside more nodes": ([[0, 1], [1, 2]], 5, ["list of 2 links", "edge index of 2"]),
    "two by three": ([[0, 1, 2], [1, 2, 0]], None, ["list of 2 links", "edge index of 3"]),
    "three by three": ([[0, 1, 2], [1, 2, 1], [2, 0, 1]], None, ["matrix of 3", "list of 3"]),
}


@pytest.mark.parametrize("case", READINGS)
def test_arrays_of_links_with_one_reading(case):
    links, nodes, count = READINGS[case]
    model = GAGE(1, preset="paper").fit(links=np.array(links), nodes=nodes)
    assert len(model.embedding_) == count


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_arrays_of_links_with_several_readings_are_refused(case):
    links, nodes, words = AMBIGUOUS[case]
    with pytest.raises(ValueError, match="readings are plausible") as found:
        GAGE(1).fit(links=np.array(links), nodes=nodes)
    assert all(word in str(found.value) for word in [*words, "source and target"])


def test_an_edge_index_is_the_matrix(planted, expected):
    index = both_ways(planted.edges)
    for links in (index, index.tolist(), index.astype(np.int32)):
        assert (fit(planted.attributes, links=links).embedding_ == expected).all()
    alone, matrix = fit(links=index, nodes=len(planted.ids)), fit(links=planted.links)
    assert (alone.embedding_ == matrix.embedding_).all()
    assert alone.ids_ == list(range(len(planted.ids)))
    with pytest.raises(ValueError, match="outside the 120 nodes"):
        fit(planted.attributes, links=index + 5)
    with pytest.raises(ValueError, match="column 0: found a negative index"):
        fit(planted.attributes, links=index - 200)
    with pytest.raises(ValueError, match="two rows of whole numbers"):
        fit(planted.attributes, links=index + 0.5)


def test_an_edge_index_of_new_nodes_is_a_list_of_pairs(planted):
    model = fit(planted.attributes, links=planted.edges)
    pairs = np.array([[500, 3], [500, 6], [501, 1], [501, 4], [501, 7]])
    rows, ids = model.fold_in(links=pairs)
    by_index, same = model.fold_in(links=pairs.T)
    assert ids == same == [500, 501] and np.array_equal(rows, by_index)


def test_a_graph_of_networkx_as_links(planted, expected):
    import networkx as nx

    graph = nx.Graph()
    # The order of the nodes does not matter where they are numbered from 0.
    graph.add_nodes_from(reversed(range(len(planted.ids))), club="ignored")
    graph.add_edges_from(map(tuple, planted.edges))
    assert (fit(planted.attributes, links=graph).embedding_ == expected).all()
    assert (fit(graph, attributes=planted.attributes).embedding_ == expected).all()
    named = nx.relabel_nodes(graph, dict(enumerate(planted.ids)))
    order = [int(name[1:]) for name in named.nodes]
    model = fit(planted.attributes[order], links=named)
    assert model.ids_ == list(named.nodes)
    frame = pd.DataFrame(planted.attributes, index=planted.ids)
    joined = fit(frame, links=named)
    assert joined.ids_ == planted.ids
    assert (joined.embedding_ == fit(frame, links=graph_of(named)).embedding_).all()
    more = fit(planted.attributes, views={"friends": graph})
    assert "friends" in [view["name"] for view in more.views_]


def graph_of(graph):
    """The same links as a list of pairs."""
    return pd.DataFrame(list(graph.edges), columns=["source", "target"])


def test_numbers_of_nodes_that_may_be_names_are_refused(planted):
    import networkx as nx

    path = nx.path_graph([7, 5, 9, 6])
    x = planted.attributes[:4]
    with pytest.raises(ValueError, match="two readings are plausible.*align='id'"):
        fit(x, links=path)
    assert fit(x, links=path, align="position").ids_ == [7, 5, 9, 6]
    assert fit(x, links=nx.path_graph([5, 6, 7, 9])).ids_ == [5, 6, 7, 9]


@pytest.mark.parametrize("payload", ["numbers", "names", "mappings", "nothing"])
def test_rustworkx(planted, payload):
    import rustworkx as rx

    holds = {
        "numbers": list(range(120)),
        "names": planted.ids,
        "mappings": [
            {"name": name, "x": list(row)} for name, row in zip(planted.ids, planted.attributes)
        ],
        "nothing": [None] * 120,
    }[payload]
    graph = rx.PyGraph()
    # A node that was removed leaves a gap in the numbers.
    first = graph.add_node("gone")
    graph.add_nodes_from(holds)
    graph.remove_node(first)
    weights = [None, 1.0, {"weight": 1.0}]
    graph.add_edges_from(
        [(a + 1, b + 1, weights[at % 3]) for at, (a, b) in enumerate(planted.edges.tolist())]
    )
    nodes = planted.ids if payload in ("names", "mappings") else None
    named = fit(planted.attributes, links=planted.links, nodes=nodes)
    model = fit(graph) if payload == "mappings" else fit(planted.attributes, links=graph)
    assert (model.embedding_ == named.embedding_).all()
    assert model.ids_ == (planted.ids if payload in ("names", "mappings") else None)


def test_rustworkx_with_something_else_inside(planted):
    import rustworkx as rx

    graph = rx.PyDiGraph()
    graph.add_nodes_from([1.5, 2.5, 3.5])
    with pytest.raises(TypeError, match="nodes that hold float"):
        fit(graph)
    named = rx.PyDiGraph()
    named.add_nodes_from(["a", "b", "c"])
    named.add_edges_from([(0, 1, 2.0), (1, 2, 1.0), (2, 0, 1.0)])
    views = GAGE(1, preset="paper", directed="both").fit(named).views_
    assert [view["name"] for view in views] == ["links-out", "links-in"]
    named.add_edge(0, 2, "friend")
    with pytest.raises(TypeError, match="link 3 holds str"):
        fit(named)


class FakeDgl:
    """What the package uses of a `DGLGraph`; with the real one in `pytorch/`, where DGL can be."""

    def __init__(self, counts, edges, data):
        self.ntypes, self.canonical_etypes = list(counts), list(edges)
        self._counts, self._edges = counts, edges
        self.nodes = {name: SimpleNamespace(data=data.get(name, {})) for name in counts}
        self.edges_data = {one: {} for one in edges}
        self.ndata = self.nodes[self.ntypes[0]].data
        outer = self

        class Edges:
            def __call__(self, etype):
                return outer._edges[etype]

            def __getitem__(self, etype):
                return SimpleNamespace(data=outer.edges_data[etype])

        self.edges = Edges()

    def num_nodes(self, ntype=None):
        return self._counts[ntype or self.ntypes[0]]


def test_dgl_by_its_attributes(planted, expected):
    ends = tuple(both_ways(planted.edges))
    follows = ("person", "follows", "person")
    data = {"feat": planted.attributes, "label": planted.labels}
    graph = FakeDgl({"person": 120}, {follows: ends}, {"person": data})
    assert (fit(graph).embedding_ == expected).all()
    assert (fit(planted.attributes, links=graph).embedding_ == expected).all()
    graph.edges_data[follows]["w"] = np.full(len(ends[0]), 2.0)
    assert not (fit(graph).embedding_ == expected).all()
    two = {"a": planted.attributes, "b": planted.attributes}
    graph = FakeDgl({"person": 120}, {follows: ends}, {"person": two})
    with pytest.raises(ValueError, match=r"graph.ndata\['a'\]"):
        fit(graph)
    assert (fit(graph, attributes=two["b"]).embedding_ == expected).all()
    lives = ("person", "lives in", "city")
    towns = (np.arange(120), planted.labels)
    many = FakeDgl(
        {"person": 120, "city": 3}, {follows: ends, lives: towns}, {"person": data, "city": {}}
    )
    model = fit(many, node_type="person")
    assert {"person lives in city"} <= {view["name"] for view in model.views_}
    with pytest.raises(ValueError, match="person, city"):
        fit(many)
    with pytest.raises(ValueError, match="several types"):
        fit(planted.attributes, links=many)


def test_relations_of_duckdb(planted, tmp_path):
    import duckdb

    frame = pd.DataFrame(planted.attributes, columns=[f"x{at}" for at in range(12)])
    frame.insert(0, "id", planted.ids)
    edges = pd.DataFrame(np.array(planted.ids)[planted.edges], columns=["source", "target"])
    joined = fit(frame, links=edges)
    with duckdb.connect() as database:
        people = database.from_df(frame)
        model = fit(people, links=database.from_df(edges))
        assert model.ids_ == joined.ids_ and (model.embedding_ == joined.embedding_).all()
        some = model.transform(people.limit(3))
        assert np.array_equal(some, joined.transform(frame.iloc[:3]))
        decimals = database.sql("select id, x0::decimal(8, 4) as x0, x1 as x1 from people")
        assert fit(decimals).model_.column_names("attributes") == ["x0", "x1"]
        rows = database.sql("select id, x0, x1, x2 from people")
        report = evaluate(rows, planted.labels, train=0.5, shuffles=1)
        assert report["labelled"] == 120


class Stream:
    """Something of a package nobody knows, which speaks Arrow."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("reader", ["pyarrow", "polars", None])
def test_anything_that_speaks_arrow(planted, reader, monkeypatch):
    frame = pd.DataFrame({"id": planted.ids, "x": planted.labels + 0.5, "kind": planted.ids[::-1]})
    expected = fit(frame).model_.column_names("attributes")
    stream = Stream(pl.from_pandas(frame))
    for name in ("pyarrow", "polars"):
        if name == reader:
            break
        # What is not installed is not there.
        monkeypatch.setitem(sys.modules, name, None)
    if reader is None:
        with pytest.raises(ImportError, match="X: found Stream.*pyarrow or polars"):
            fit(stream)
        return
    assert fit(stream).model_.column_names("attributes") == expected


def test_streams_that_are_there_once(planted):
    import pyarrow as pa

    table = pa.table({"id": planted.ids, "x": planted.labels + 0.5, "y": planted.attributes[:, 0]})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    assert (fit(reader).embedding_ == fit(table).embedding_).all()


class Unknown:
    """A thing of no use."""


@pytest.mark.parametrize("thing", [Unknown(), {1, 2}, (pair for pair in ()), object, fit])
@pytest.mark.parametrize("place", ["X", "links", "attributes", "views"])
def test_what_is_not_recognised_is_refused(planted, thing, place):
    where = {"views": {"more": thing}} if place == "views" else {place: thing}
    with pytest.raises(TypeError, match="accepted are arrays.*NetworkX.*AnnData"):
        fit(**{"X": planted.attributes, **where} if place != "X" else where)
    assert sp.issparse(planted.links)
