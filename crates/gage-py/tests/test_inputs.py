"""Whatever holds a graph can be fitted, and means the same."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from gage_embed import GAGE
from gage_embed.datasets import CSR


def fit(*args, **kwargs):
    return GAGE(4, preset="balanced").fit(*args, **kwargs)


@pytest.fixture(scope="module")
def expected(planted):
    return fit(planted.attributes, links=planted.links).embedding_


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_every_sparse_format(planted, expected, form):
    for kind in (sp.csr_matrix, sp.csr_array):
        links = kind(planted.links).asformat(form)
        assert (fit(planted.attributes, links=links).embedding_ == expected).all()


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize("number", [np.float32, np.float64, np.int8, np.uint16, np.int64, bool])
def test_every_width_and_number_type(planted, expected, width, number):
    links = planted.links.astype(number)
    links.indices, links.indptr = links.indices.astype(width), links.indptr.astype(width)
    assert (fit(planted.attributes, links=links).embedding_ == expected).all()


def test_every_layout_in_memory(planted, expected):
    wide = np.zeros((len(planted.ids), 24))
    wide[:, ::2] = planted.attributes
    sealed = planted.attributes.copy()
    sealed.setflags(write=False)
    swapped = planted.links.copy()
    swapped.data, swapped.indices, swapped.indptr = (
        part.astype(part.dtype.newbyteorder())
        for part in (swapped.data, swapped.indices, swapped.indptr)
    )
    for table in (
        np.asfortranarray(planted.attributes),
        planted.attributes.astype(">f8"),
        wide[:, ::2],
        planted.attributes[::-1][::-1],
        sealed,
        planted.attributes.tolist(),
        planted.attributes.astype(object),
        np.ma.masked_array(planted.attributes),
    ):
        assert (fit(table, links=planted.links).embedding_ == expected).all()
        assert (fit(table, links=swapped).embedding_ == expected).all()
    dense = planted.links.toarray()
    for links in (
        np.asfortranarray(dense),
        dense.astype(">f4"),
        dense.astype(bool),
        dense.astype(np.float16),
        dense.astype(np.longdouble),
    ):
        assert (fit(planted.attributes, links=links).embedding_ == expected).all()


def test_what_a_mask_hides_is_missing(planted):
    hidden = np.random.default_rng(0).random(planted.attributes.shape) < 0.1
    by_nan = fit(np.where(hidden, np.nan, planted.attributes), links=planted.links)
    by_mask = fit(np.ma.masked_array(planted.attributes, hidden), links=planted.links)
    assert (by_mask.embedding_ == by_nan.embedding_).all() and by_mask.info_["imputed"][
        0
    ] == hidden.sum()
    whole = np.ma.masked_array((planted.attributes * 4).astype(int), hidden)
    assert fit(whole, links=planted.links).info_["imputed"][0] == hidden.sum()


def test_rows_out_of_order_and_repeated_entries_are_put_right(planted, expected):
    coo = planted.links.tocoo()
    rows, columns = np.concatenate([coo.row, coo.row]), np.concatenate([coo.col, coo.col])
    order = np.argsort(rows, kind="stable")[::1]
    data = np.full(len(rows), 0.5)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=coo.shape[0]))]).astype(
        np.int32
    )
    links = sp.csr_matrix(
        (data, columns[order][: len(rows)].astype(np.int32), indptr), shape=coo.shape
    )
    assert not links.has_canonical_format
    assert (fit(planted.attributes, links=links).embedding_ == expected).all()


def test_compressed_rows_without_scipy(planted, expected):
    links = planted.links
    plain = CSR(links.indptr, links.indices, links.data, links.shape)
    assert (fit(planted.attributes, links=plain).embedding_ == expected).all()


def test_dense_links_and_edge_lists_are_the_matrix(planted, expected):
    assert (fit(planted.attributes, links=planted.links.toarray()).embedding_ == expected).all()
    assert (fit((planted.links, planted.attributes)).embedding_ == expected).all()
    assert (
        fit({"links": planted.links, "attributes": planted.attributes}).embedding_ == expected
    ).all()
    by_number = fit(planted.attributes, links=planted.edges)
    assert (by_number.embedding_ == expected).all()


def test_ids_join_links_and_tables(planted):
    named = fit(planted.attributes, links=planted.links, nodes=planted.ids)
    order = np.random.default_rng(5).permutation(len(planted.ids))
    edges = pd.DataFrame(np.array(planted.ids)[planted.edges], columns=["from", "to"])
    table = pd.DataFrame(planted.attributes[order], index=np.array(planted.ids)[order])
    joined = fit(edges, attributes=table)
    assert joined.ids_ == list(table.index)
    assert planted.rank(joined.embedding(as_frame="pandas").loc[planted.ids]) > 0.9
    assert planted.rank(named.embedding_) > 0.9
    polars = fit(pl.DataFrame(table.reset_index(names="id")), links=pl.from_pandas(edges))
    assert (polars.embedding_ == joined.embedding_).all() and polars.ids_ == joined.ids_
    by_column = fit(table.reset_index(names="who"), links=edges, id_column="who")
    assert (by_column.embedding_ == joined.embedding_).all()


def test_pairs_of_names_are_links_by_themselves(planted):
    pairs = np.array(planted.ids)[planted.edges]
    named = fit(links=pairs)
    for alone in (
        pairs,
        pairs.tolist(),
        pairs.astype(object),
        np.column_stack([pairs, np.ones(len(pairs))]),
    ):
        model = fit(alone)
        assert model.ids_ == named.ids_ and (model.embedding_ == named.embedding_).all()
    more = fit(
        {"attributes": pd.DataFrame(planted.attributes, index=planted.ids), "friends": pairs}
    )
    assert {"attributes", "friends"} <= {view["name"] for view in more.views_}


def test_large_ids_stay_what_they_are():
    links = np.array([[0, 1], [2**63 + 5, 2], [2, 0], [1, 2**63 + 5]], dtype=np.uint64)
    assert 2**63 + 5 in GAGE(2).fit(links=links).ids_


def test_weights_of_edge_lists_count(planted):
    heavy = np.column_stack([planted.edges, np.full(len(planted.edges), 2.0)])
    matrix = fit(planted.attributes, links=planted.links * 2.0)
    assert np.allclose(fit(planted.attributes, links=heavy).embedding_, matrix.embedding_)


def test_networkx(planted, expected):
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from((at, {"x": list(row)}) for at, row in enumerate(planted.attributes))
    graph.add_edges_from(map(tuple, planted.edges))
    model = fit(graph)
    assert model.ids_ == list(range(len(planted.ids)))
    named = fit(planted.attributes, links=planted.links, nodes=model.ids_)
    assert (model.embedding_ == named.embedding_).all()
    directed = nx.DiGraph()
    directed.add_weighted_edges_from(
        [("a", "b", 2.0), ("b", "c", 1.0), ("c", "d", 3.0), ("d", "a", 1.0)]
    )
    nx.set_node_attributes(directed, {"a": "red", "b": "blue", "c": "red", "d": "blue"}, "colour")
    nx.set_node_attributes(directed, {"a": 1.5, "c": 2.0, "d": 4.0}, "size")
    both = GAGE(2, preset="balanced", directed="both").fit(directed)
    assert [view["name"] for view in both.views_][:2] == ["links-out", "links-in"]
    assert both.ids_ == ["a", "b", "c", "d"]


def test_new_nodes_in_graph_objects(planted):
    import igraph
    import networkx as nx

    model = fit(planted.attributes, links=planted.links, nodes=planted.ids)
    links = [("new", "n0"), ("new", "n3"), ("other", "n1"), ("other", "n2")]
    x = planted.attributes
    expected = model.transform(links=links, attributes=x[:2], nodes=["new", "other"])
    graph = nx.Graph(links)
    nx.set_node_attributes(graph, {"new": list(x[0]), "other": list(x[1])}, "x")
    rows, ids = model.fold_in(graph)
    assert ids == ["new", "other"] and (rows == expected).all()
    vertices = igraph.Graph.TupleList(links)
    rows, ids = model.fold_in(vertices)
    assert ids == ["new", "other"] and (rows == model.transform(links=links, nodes=ids)).all()
    with pytest.raises(ValueError, match="`name`"):
        model.transform(igraph.Graph(n=2, edges=[(0, 1)]))


def test_igraph(planted):
    import igraph

    graph = igraph.Graph(n=len(planted.ids), edges=[tuple(edge) for edge in planted.edges])
    graph.vs["name"] = planted.ids
    graph.vs["x"] = [list(row) for row in planted.attributes]
    graph.es["weight"] = [1.0] * graph.ecount()
    named = fit(planted.attributes, links=planted.links, nodes=planted.ids)
    assert (fit(graph).embedding_ == named.embedding_).all()


class Tensor:
    """What the package uses of a tensor, with the names PyTorch gives it. For the real one see
    `pytorch/`.
    """

    def __init__(self, values):
        self._values = np.asarray(values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self._values


class HeteroData(dict):
    """What the package uses of PyTorch Geometric's class of that name."""

    @property
    def node_types(self):
        return [key for key in self if isinstance(key, str)]

    @property
    def edge_types(self):
        return [key for key in self if isinstance(key, tuple)]


def test_pytorch_geometric_by_its_attributes(planted, expected):
    both_ways = np.concatenate([planted.edges, planted.edges[:, ::-1]]).T
    data = SimpleNamespace(
        x=Tensor(planted.attributes),
        edge_index=Tensor(both_ways),
        edge_attr=None,
        num_nodes=len(planted.ids),
    )
    assert (fit(data).embedding_ == expected).all()
    data.edge_weight = Tensor(np.ones(both_ways.shape[1]))
    assert (fit(data).embedding_ == expected).all()
    hetero = HeteroData()
    hetero["paper"] = SimpleNamespace(x=Tensor(planted.attributes), num_nodes=len(planted.ids))
    hetero["venue"] = SimpleNamespace(num_nodes=3)
    hetero["paper", "cites", "paper"] = SimpleNamespace(edge_index=Tensor(both_ways))
    published = np.stack([np.arange(len(planted.ids)), planted.labels])
    hetero["paper", "in", "venue"] = SimpleNamespace(edge_index=Tensor(published))
    hetero["venue", "publishes", "paper"] = SimpleNamespace(edge_index=Tensor(published[::-1]))
    model = fit(hetero, node_type="paper")
    assert [view["name"] for view in model.views_][:1] == ["links"]
    assert {"paper in venue", "venue publishes paper"} <= {view["name"] for view in model.views_}
    with pytest.raises(ValueError, match="paper, venue"):
        fit(hetero)
    with pytest.raises(ValueError, match="there is no type"):
        fit(hetero, node_type="author")


def test_nothing_is_imported_for_the_sake_of_objects():
    import subprocess

    optional = ("torch", "igraph", "networkx", "pandas", "polars")
    code = f"import gage_embed, sys; print([m for m in {optional} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = done.stdout.strip()
    # scikit-learn, which the estimator is one of, may import pandas by itself.
    assert found in ("[]", "['pandas']"), found


def test_more_than_two_views(planted):
    second = sp.csr_matrix((planted.labels[:, None] == planted.labels[None, :]).astype(float))
    model = fit(
        {
            "links": planted.links,
            "attributes": planted.attributes,
            "colleagues": second,
            "marks": planted.attributes[:, :3],
        }
    )
    names = [view["name"] for view in model.views_]
    assert {"links", "attributes", "colleagues", "marks"} <= set(names)
    only = model.embedding({"colleagues": 1.0})
    assert planted.rank(only) > 0.95
    assert list(model.view_shares_) == names


def test_files(planted, expected, tmp_path):
    sp.save_npz(tmp_path / "adj.npz", planted.links)
    np.save(tmp_path / "features.npy", planted.attributes)
    assert (fit(str(tmp_path)).embedding_ == expected).all()
    assert (fit(tmp_path / "features.npy", links=tmp_path / "adj.npz").embedding_ == expected).all()
    assert (fit(planted.attributes, links=tmp_path / "adj.npz").embedding_ == expected).all()
    views = fit(planted.attributes, links=planted.links, views={"more": tmp_path / "features.npy"})
    assert "more" in [view["name"] for view in views.views_]


def test_missing_views_by_mask_nan_rows_and_absent_ids(planted):
    known = np.ones(len(planted.ids), dtype=bool)
    known[::4] = False
    by_mask = fit(planted.attributes, links=planted.links, masks={"attributes": known})
    gaps = planted.attributes.copy()
    gaps[~known] = np.nan
    by_nan = fit(gaps, links=planted.links)
    assert np.allclose(by_mask.embedding_, by_nan.embedding_)
    observed = {view["name"]: view["observed"] for view in by_mask.views_}
    assert observed["attributes"] == known.sum() and observed["links"] == len(known)
    table = pd.DataFrame(planted.attributes, index=planted.ids)
    edges = np.array(planted.ids)[planted.edges]
    absent = fit(links=edges, attributes=table[known])
    assert {view["name"]: view["observed"] for view in absent.views_}["attributes"] == known.sum()
    assert planted.rank(absent.embedding(as_frame="pandas").loc[planted.ids]) > 0.85
    single = planted.attributes.copy()
    single[np.random.default_rng(0).random(single.shape) < 0.1] = np.nan
    assert fit(single, links=planted.links).info_["imputed"][0] == np.isnan(single).sum()


def test_frames_with_mixed_columns_and_missing_cells(planted):
    frame = pd.DataFrame(planted.attributes, columns=[f"x{at}" for at in range(12)])
    frame["kind"] = pd.Categorical(np.array(["a", "b", "c"])[planted.labels])
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(planted.labels, unit="D")
    frame["count"] = pd.array(
        [None if at % 7 == 0 else at for at in range(len(frame))], dtype="Int64"
    )
    frame["note"] = [
        None if at % 5 == 0 else f"word{label} and more" for at, label in enumerate(planted.labels)
    ]
    frame.loc[::6, "x0"] = np.nan
    model = fit(frame, links=planted.links)
    names = model.model_.column_names("attributes")
    assert {"x0", "kind=a", "when", "count"} <= set(names)
    polars = fit(pl.from_pandas(frame), links=planted.links)
    assert polars.model_.column_names("attributes") == names
    assert np.allclose(polars.embedding_, model.embedding_, atol=1e-5)
    # New rows become the same numbers whatever stands beside them.
    some, few = model.transform(frame.iloc[:10]), model.transform(frame.iloc[3:4])
    assert np.array_equal(some[3], few[0])


def test_times_of_every_kind_are_numbers(planted):
    days = np.arange(len(planted.ids))
    start = pd.Timestamp("2020-01-01") + pd.to_timedelta(days, unit="D")
    frame = pd.DataFrame(
        {
            "when": start,
            "zone": start.tz_localize("UTC"),
            "long": pd.to_timedelta(days, unit="D"),
            "month": pd.period_range("2020-01", periods=len(days), freq="M"),
            "arrow": pd.array(start, dtype="timestamp[ns][pyarrow]"),
        }
    )
    assert fit(frame, links=planted.links).model_.column_names("attributes") == list(frame.columns)
    holes = frame.mask(np.tile((days % 7 == 0)[:, None], (1, frame.shape[1])))
    holes["known"] = days % 3.0
    assert (
        fit(holes, links=planted.links).info_["imputed"][0]
        == frame.shape[1] * (days % 7 == 0).sum()
    )
    steps = pl.Series(days)
    polars = pl.DataFrame(
        {
            "day": steps.cast(pl.Date),
            "when": steps.cast(pl.Datetime("ms")),
            "long": steps.cast(pl.Duration("ms")),
            "time": steps.cast(pl.Time),
        }
    )
    model = fit(polars, links=planted.links)
    assert model.model_.column_names("attributes") == polars.columns
    gaps = fit(
        polars.with_columns(
            pl.when(steps % 7 == 0).then(None).otherwise(pl.col("time")).alias("time")
        ),
        links=planted.links,
    )
    assert gaps.info_["imputed"][0] == (days % 7 == 0).sum()
