"""How rows meet nodes: the rule of `docs/joining.md`, one case after the other."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from gage_embed import GAGE, NodeEmbedding, evaluate, sweep

NODES = 40
RNG = np.random.default_rng(7)
LABELS = np.arange(NODES) % 2
TABLE = RNG.normal(size=(NODES, 5)) + 3.0 * LABELS[:, None]
SAME = LABELS[:, None] == LABELS[None, :]
EDGES = np.argwhere(np.tril(RNG.random((NODES, NODES)) < np.where(SAME, 0.4, 0.05), -1))
ORDER = RNG.permutation(NODES)
NAMES = np.array([f"p{at:02d}" for at in range(NODES)])
ADJACENCY = np.zeros((NODES, NODES))
ADJACENCY[EDGES[:, 0], EDGES[:, 1]] = ADJACENCY[EDGES[:, 1], EDGES[:, 0]] = 1.0
X = [f"x{at}" for at in range(5)]


def fit(*args, **kwargs):
    return GAGE(3, preset="balanced").fit(*args, **kwargs)


def frame(ids, index=None):
    made = pd.DataFrame(TABLE, columns=X, index=index)
    made.insert(0, "id", ids)
    return made


def distances(model, ids):
    """Distances between nodes by id, which signs of columns do not change."""
    names = range(NODES) if model.ids_ is None else model.ids_
    rows = dict(zip(names, np.asarray(model.embedding_, dtype=float)))
    own = np.array([rows[one] for one in ids])
    return np.linalg.norm(own[:, None] - own[None], axis=2)


def assert_same(model, expected, ids):
    scale = distances(expected, ids).max()
    assert np.abs(distances(model, ids) - distances(expected, ids)).max() < 2e-3 * scale


NAMED_EDGES = pd.DataFrame(NAMES[EDGES], columns=["source", "target"])
NUMBERED_EDGES = pd.DataFrame(EDGES, columns=["source", "target"])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["names", "numbers"])
def test_no_order_index_or_type_changes_the_embedding_of_an_id(kind, seed):
    rng = np.random.default_rng(seed)
    ids = NAMES if kind == "names" else np.arange(NODES) + 100
    edges = pd.DataFrame(ids[EDGES], columns=["source", "target"])
    expected = fit(frame(ids), links=edges)
    own = [one.item() for one in ids]
    assert set(expected.ids_) == set(own)
    order = rng.permutation(NODES)
    shuffled_edges = edges.iloc[rng.permutation(len(edges))]
    flip = rng.random(len(edges)) < 0.5
    flipped = shuffled_edges.copy()
    flipped.loc[flip, ["source", "target"]] = flipped.loc[flip, ["target", "source"]].to_numpy()
    moved = frame(ids).iloc[order]
    for table in (
        moved,
        moved.reset_index(drop=True),
        moved.set_index(np.arange(7, 7 + NODES)),
        moved.set_index("id"),
        moved.set_index("id", drop=False),
        moved.set_index("id").rename_axis(None) if kind == "names" else moved,
        pl.from_pandas(moved),
        pa.Table.from_pandas(moved, preserve_index=False),
        pa.Table.from_pandas(moved),
        moved.sort_values("x0"),
        moved[["x0", "x1", "id", "x2", "x3", "x4"]],
    ):
        for links in (shuffled_edges, flipped, flipped.to_numpy(), pa.Table.from_pandas(flipped)):
            assert_same(fit(table, links=links), expected, own)


def test_files_in_any_order_are_the_same_graph(tmp_path):
    expected = fit(frame(NAMES), links=NAMED_EDGES)
    frame(NAMES).iloc[ORDER].to_csv(tmp_path / "attributes.csv", index=False)
    NAMED_EDGES.iloc[::-1].to_csv(tmp_path / "edges.csv", index=False)
    assert_same(fit(tmp_path), expected, list(NAMES))
    parts = fit(tmp_path / "attributes.csv", links=tmp_path / "edges.csv")
    assert_same(parts, expected, list(NAMES))


def test_a_column_of_ids_wins_over_a_leftover_index():
    people = frame(np.arange(NODES)).sort_values("x0")
    model = fit(people, links=NUMBERED_EDGES)
    assert model.ids_ == people["id"].tolist() and all(type(one) is int for one in model.ids_)
    assert model.model_.column_names("attributes") == X


def test_an_index_of_names_beside_a_column_of_other_names_is_refused():
    people = frame(NAMES, index=[f"q{at}" for at in range(NODES)])
    with pytest.raises(ValueError, match="index .q0, q1, .* column `id` .p00, .*id_column='id'"):
        fit(people, links=NAMED_EDGES)
    assert set(fit(people, links=NAMED_EDGES, id_column="id").ids_) == set(NAMES)


# An index of whole numbers without a name, the links beside it, and how it is read.
LEFTOVER = {
    "in order": (np.arange(NODES), NUMBERED_EDGES, "either"),
    "sorted": (ORDER, NUMBERED_EDGES, "refused"),
    "sorted beside a matrix": (ORDER, ADJACENCY, "refused"),
    "backwards": (pd.RangeIndex(NODES - 1, -1, -1), NUMBERED_EDGES, "refused"),
    "from one": (pd.RangeIndex(1, NODES + 1), ADJACENCY, "position"),
    "sliced beside other numbers": (pd.RangeIndex(100, 100 + NODES), ADJACENCY, "position"),
    "sliced with its links": (pd.RangeIndex(100, 100 + NODES), NUMBERED_EDGES + 100, "id"),
    "every other": (pd.RangeIndex(0, 2 * NODES, 2), NUMBERED_EDGES * 2, "id"),
    "concatenated": (np.arange(NODES) % 20, ADJACENCY, "position"),
}


@pytest.mark.parametrize("name", LEFTOVER)
def test_an_index_that_counts_rows(name):
    index, links, reading = LEFTOVER[name]
    table, straight = (pd.DataFrame(TABLE, columns=X, index=at) for at in (index, range(NODES)))
    if reading == "refused":
        with pytest.raises(ValueError, match="two readings.*align='id'.*align='position'"):
            fit(table, links=links)
        by_id = fit(table, links=links, align="id")
        unsorted = table.sort_index().reset_index(drop=True)
        assert_same(by_id, fit(unsorted, links=links), range(NODES))
        by_position = fit(table, links=links, align="position")
        assert np.array_equal(by_position.embedding_, fit(straight, links=links).embedding_)
    elif reading == "id":
        model = fit(table, links=links)
        assert model.ids_ == list(index) and len(model.embedding_) == NODES
    else:
        assert np.array_equal(
            fit(table, links=links).embedding_, fit(straight, links=links).embedding_
        )


def test_positions_can_be_forced_for_named_rows():
    people = frame(NAMES)
    model = fit(people, links=ADJACENCY, align="position")
    assert model.ids_ == list(NAMES) and model.model_.column_names("attributes") == X
    with pytest.raises(ValueError, match="align: found 'rows'"):
        fit(people, links=ADJACENCY, align="rows")


def test_files_are_joined_as_the_command_does(tmp_path):
    frame(NAMES).iloc[ORDER].to_csv(tmp_path / "attributes.csv", index=False)
    NAMED_EDGES.to_csv(tmp_path / "edges.csv", index=False)
    expected = fit(frame(NAMES), links=NAMED_EDGES)
    for data, links in ((tmp_path, None), (tmp_path / "attributes.csv", NAMED_EDGES)):
        assert_same(fit(data, links=links, align="id"), expected, list(NAMES))
    # In their order, rows belong to the rows of a matrix whatever they are called.
    by_position = fit(tmp_path / "attributes.csv", links=ADJACENCY, align="position")
    moved = pd.DataFrame(TABLE[ORDER], columns=X)
    assert by_position.ids_ == list(NAMES[ORDER])
    assert_same_rows(by_position, fit(moved, links=ADJACENCY))
    with pytest.raises(ValueError, match="rows without ids.*align='id' joins by id"):
        fit(tmp_path / "attributes.csv", links=ADJACENCY, align="id")
    from gage_embed.datasets import load_debian

    for joined in ({"align": "id"}, {"ids": "exact"}):
        with pytest.raises(ValueError, match=f"{next(iter(joined))}: found .* for a data set"):
            fit(load_debian(), **joined)


def assert_same_rows(one, other):
    """The same rows in the same order; a file and a frame differ in the last digits of cells."""
    pairs = [np.asarray(model.embedding_, dtype=float) for model in (one, other)]
    first, second = (np.linalg.norm(rows[:, None] - rows[None], axis=2) for rows in pairs)
    assert np.abs(first - second).max() < 2e-3 * first.max()


def test_numbers_from_one_beside_a_matrix_need_a_word(tmp_path):
    ids = ORDER + 1
    frame(ids).iloc[:, :6].to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(ValueError, match="two readings are plausible.*align='id'"):
        fit(tmp_path / "people.csv", links=ADJACENCY)
    by_id = fit(tmp_path / "people.csv", links=ADJACENCY, align="id")
    assert by_id.ids_ == [str(at) for at in range(1, NODES + 1)]
    sorted_rows = pd.DataFrame(TABLE[np.argsort(ids)], columns=X)
    assert_same_rows(by_id, fit(sorted_rows, links=ADJACENCY))


def test_ids_that_differ_only_in_case_or_blanks():
    upper = [name.upper() if at % 2 else name for at, name in enumerate(NAMES)]
    with pytest.raises(ValueError, match="20 ids that differ only in case.*ids='fold-case'"):
        fit(frame(upper), links=NAMED_EDGES)
    assert len(fit(frame(upper), links=NAMED_EDGES, ids="exact").ids_) > NODES
    folded = fit(frame(upper), links=NAMED_EDGES, ids="fold-case")
    assert folded.ids_ == upper
    expected = fit(frame(NAMES), links=NAMED_EDGES)
    assert np.abs(folded.embedding_ - expected.embedding_).max() < 0.05
    blanks = frame([f" {name}" for name in NAMES])
    with pytest.raises(ValueError, match="40 ids that differ only in blanks around them"):
        fit(blanks, links=NAMED_EDGES)
    assert len(fit(blanks, links=NAMED_EDGES, ids="fold-case").ids_) == NODES
    with pytest.raises(ValueError, match="ids: found 'any'"):
        fit(frame(NAMES), links=NAMED_EDGES, ids="any")
    series = pd.Series(LABELS, index=upper)
    with pytest.raises(ValueError, match="differ only in case"):
        score(expected, series)
    assert score(expected, series, ids="fold-case") == score(expected, LABELS)


def test_a_model_is_measured_by_id():
    model = fit(frame(NAMES), links=NAMED_EDGES)
    first = model.measure(frame(NAMES), links=NAMED_EDGES).certificate_
    moved = frame(NAMES).iloc[ORDER]
    assert model.measure(moved, links=NAMED_EDGES.iloc[::-1]).certificate_ == first
    others = frame([f"q{at}" for at in range(NODES)])
    with pytest.raises(ValueError, match="40 of 40 ids of the first"):
        model.measure(others, links=pd.DataFrame("q" + EDGES.astype(str).astype(object)))


def test_labels_that_count_from_one_are_refused():
    model = fit(TABLE, links=EDGES)
    with pytest.raises(ValueError, match="count from 1"):
        score(model, {str(at + 1): int(LABELS[at]) for at in range(NODES)})


def score(model, labels, **kwargs):
    report = evaluate(model, labels, train=0.5, shuffles=3, **kwargs)
    return report["results"][0]["micro_f1"]["mean"]


def test_labels_and_masks_are_aligned_by_id():
    model = fit(frame(NAMES), links=NAMED_EDGES)
    straight = score(model, LABELS)
    series = pd.Series(LABELS, index=NAMES)[NAMES[ORDER]]
    for labels in (series, series.to_dict(), dict(zip(NAMES, LABELS.tolist()))):
        assert score(model, labels) == straight
        assert score(model.embedding(as_frame="pandas"), labels) == straight
    curve = sweep(model, series, lambdas=[0.5], train=0.5, shuffles=3)
    assert curve == sweep(model, LABELS, lambdas=[0.5], train=0.5, shuffles=3)
    assert score(model, pd.Series(LABELS)) == straight
    with pytest.raises(ValueError, match="no node"):
        score(model, pd.Series(LABELS, index=[f"q{at}" for at in range(NODES)]))
    known = pd.Series(np.arange(NODES) < 30, index=NAMES)
    expected = fit(frame(NAMES), links=NAMED_EDGES, masks={"attributes": known.to_numpy()})
    for mask in (known[NAMES[ORDER]], known.to_dict()):
        found = fit(frame(NAMES), links=NAMED_EDGES, masks={"attributes": mask})
        assert np.array_equal(found.embedding_, expected.embedding_)
    with pytest.raises(ValueError, match="10 of 40 nodes have none"):
        fit(frame(NAMES), links=NAMED_EDGES, masks={"attributes": known[:30]})


def test_labels_with_an_index_out_of_order_are_refused():
    model = fit(TABLE, links=EDGES)
    shuffled = pd.Series(LABELS)[ORDER]
    with pytest.raises(ValueError, match="two readings"):
        score(model, shuffled)
    assert score(model, shuffled, align="id") == score(model, LABELS)
    assert score(model, shuffled, align="position") == score(model, LABELS[ORDER])
    some = evaluate(model, pd.Series(LABELS)[:30], train=0.5, shuffles=1)
    assert some["labelled"] == 30


def test_names_keep_their_type():
    import networkx as nx

    assert fit(links=EDGES + 5).ids_[0].__class__ is int
    assert fit(links=NAMED_EDGES).ids_[0].__class__ is str
    graph = nx.grid_2d_graph(4, 5)
    assert set(fit(graph).ids_) == set(graph.nodes)
    model = fit(frame(np.arange(NODES)[::-1]), links=NUMBERED_EDGES)
    assert np.array_equal(NodeEmbedding(model).transform([0, 39]), model.embedding_[[39, 0]])
    assert model.similar(39, k=1)[0].id in range(NODES)
    with pytest.raises(KeyError):
        NodeEmbedding(model).transform([40])


def test_a_square_frame_of_named_nodes_is_an_adjacency():
    square = pd.DataFrame(ADJACENCY, index=NAMES, columns=NAMES)
    expected = fit(links=ADJACENCY, nodes=NAMES)
    shuffled = square.iloc[ORDER, RNG.permutation(NODES)]
    for model in (fit(square), fit(links=square), fit({"links": shuffled})):
        assert_same(model, expected, list(NAMES))
    assert_same(fit(shuffled, attributes=frame(NAMES)), fit(frame(NAMES), links=NAMED_EDGES), NAMES)


def test_columns_of_links_are_not_guessed():
    names = {"source": "customer", "target": "product"}
    trades = NAMED_EDGES.assign(colour="red").rename(columns=names)
    with pytest.raises(ValueError, match="customer.*`source` and `target`"):
        fit(links=trades)
    both = fit(links=trades[["customer", "product"]])
    assert both.ids_ == fit(links=NAMED_EDGES).ids_


def test_tables_of_arrow_keep_their_columns():
    table = pa.table({"id": NAMES, **{name: TABLE[:, at] for at, name in enumerate(X)}})
    model = fit(table, links=pa.Table.from_pandas(NAMED_EDGES))
    assert model.model_.column_names("attributes") == X and model.ids_ == list(NAMES)
    assert np.array_equal(model.embedding_, fit(frame(NAMES), links=NAMED_EDGES).embedding_)


@pytest.mark.parametrize("width", [NODES, NODES + 1])
def test_a_second_matrix_is_never_taken_for_labels(width):
    other = RNG.random((NODES, width))
    for first, second in (
        (ADJACENCY, other),
        (other, ADJACENCY),
        (sp.csr_matrix(ADJACENCY), other),
        (other, sp.csr_matrix(ADJACENCY)),
        (frame(NAMES), NAMED_EDGES),
        (TABLE, EDGES.tolist()),
    ):
        with pytest.raises(ValueError, match="fit.table, links=.*fit.links, attributes="):
            fit(first, second)
    fit(TABLE, LABELS)
    fit(TABLE, np.eye(2, dtype=int)[LABELS])


def test_sparse_and_dense_matrices_mean_the_same():
    for one in (ADJACENCY, sp.csr_matrix(ADJACENCY), pd.DataFrame(ADJACENCY)):
        with pytest.raises(ValueError, match="fit.links=X.*fit.attributes=X"):
            fit(one)
    table = RNG.normal(size=(NODES, NODES + 1))
    for width in (NODES, NODES + 1):
        own = table[:, :width]
        assert [view["name"] for view in fit(own).views_] == ["attributes"]
        dense, sparse = fit(own), fit(sp.csr_matrix(own))
        assert np.allclose(dense.embedding_, sparse.embedding_, atol=1e-4)
    assert "links" in [view["name"] for view in fit(links=ADJACENCY).views_]
    assert "attributes" in [view["name"] for view in fit(attributes=ADJACENCY).views_]
    found = evaluate(sp.csr_matrix(ADJACENCY), task="links", shuffles=1, estimator=GAGE(3))
    assert found["results"]


def test_ids_of_new_and_requested_nodes_are_joined_by_the_same_rule():
    model = fit(frame(NAMES, index=pd.Index(NAMES, name="id")), links=NAMES[EDGES])
    with pytest.raises(ValueError, match="differs only in case.*ids='fold-case'"):
        model.similar("P07")
    with pytest.raises(KeyError, match="P07"):
        model.similar("P07", ids="exact")
    assert model.similar("P07", k=3, ids="fold-case") == model.similar("p07", k=3)
    pairs = [["new", "P01"], ["new", "p02"], ["new", "P03"]]
    same = [["new", "p01"], ["new", "p02"], ["new", "p03"]]
    with pytest.raises(ValueError, match="2 ids that differ only in case"):
        model.transform(links=pairs)
    rows, ids = model.fold_in(links=pairs, ids="fold-case")
    assert ids == ["new"] and np.array_equal(rows, model.transform(links=same))
    with pytest.warns(UserWarning, match="rest on fewer"):
        assert model.fold_in(links=pairs, ids="exact")[1] == ["new", "P01", "P03"]
    # A table gives one row per row, whatever the spelling.
    table = frame(NAMES).iloc[:4].assign(id=["P00", "p01", "P02", "fresh"])
    rows, ids = model.fold_in(table, ids="fold-case")
    assert ids == ["p00", "p01", "p02", "fresh"]
    assert np.allclose(rows[:3], model.transform(table.assign(id=NAMES[:4]))[:3])
    upper = frame(np.char.upper(NAMES))
    links = np.char.upper(NAMES)[EDGES]
    with pytest.raises(ValueError, match="40 ids that differ only in case"):
        model.measure(upper, links=links)
    assert model.measure(upper, links=links, ids="fold-case").certificate_


def test_every_function_that_takes_data_takes_all_options():
    table = frame(NAMES).assign(id=NAMES, zip=np.arange(NODES) % 3 + 100)
    edges = pd.DataFrame(NAMES[EDGES], columns=["who", "whom"])
    said = dict(links=edges, source="who", target="whom", categorical=["zip"], ignore=["x4"])
    model = fit(table, **said)
    rows = GAGE(3, preset="balanced").fit_transform(table, **said)
    assert np.array_equal(rows, model.embedding_)
    assert model.measure(table, **said).certificate_
    assert GAGE(3, preset="balanced").recipe(table, **said)["views"]
    for call in (model.fit, model.transform, model.measure, model.fit_transform, model.append):
        with pytest.raises(TypeError, match=f"{call.__name__}.*unexpected.*'categoricals'"):
            call(table, categoricals=["zip"])
