"""Results as frames, pictures and HTML; data sets as pickles and files; indexes."""

import json
import pickle
import re
import sys

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from gage_embed import (
    GAGE,
    SearchIndex,
    convert,
    datasets,
    evaluate,
    generate,
    index,
    sweep,
    tune,
)

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def model(planted):
    return GAGE(6, preset="balanced").fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )


def reports(planted, model):
    yield evaluate(model, planted.labels, shuffles=2), 3
    yield evaluate(model, planted.labels, task="cluster", shuffles=2), 1
    links = planted.links
    yield evaluate(links, task="links", shuffles=1, estimator=GAGE(4, preset="links")), None
    yield sweep(model, planted.labels, lambdas=3, train=0.5, shuffles=2), 3
    few = dict(presets=["balanced"], n_components=[4], lambdas=2, folds=2, search_shares=False)
    yield tune((links, planted.attributes), planted.labels, **few).report, None
    yield model.similar("n3", k=4), 4


def test_every_result_is_a_frame(planted, model, monkeypatch):
    for report, rows in reports(planted, model):
        frame = report.to_frame()
        assert isinstance(frame, pd.DataFrame) and len(frame) == len(report.records())
        assert rows is None or len(frame) == rows
        assert isinstance(report.to_frame("polars"), pl.DataFrame)
        array = report.to_frame("numpy")
        assert array.dtype.names == tuple(frame.columns) and len(array) == len(frame)
        assert report._repr_html_().count("<tr>") == len(frame) + 1
        with pytest.raises(ValueError, match="expected 'pandas', 'polars' or 'numpy'"):
            report.to_frame("arrow")
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "pandas", None)
            assert isinstance(report.to_frame(), np.ndarray)
    first = evaluate(model, planted.labels, train=[0.5, 30], shuffles=2)
    frame = first.to_frame()
    assert frame["train"].tolist() == [0.5, 30]
    assert frame["micro_f1"][0] == first["results"][0]["micro_f1"]["mean"]
    assert frame["micro_f1_deviation"][0] == first["results"][0]["micro_f1"]["deviation"]
    assert json.loads(json.dumps(first)) == first and isinstance(first, dict)
    near = model.similar("n3", k=4)
    assert pickle.loads(pickle.dumps(near)) == near
    views = [view["name"] for view in model.views_]
    assert list(near.to_frame().columns) == ["id", "value", *views]


def test_sweeps_are_drawn(planted, model):
    curve = sweep(model, planted.labels, lambdas=3, train=0.5, shuffles=2)
    axes = curve.plot()
    measures = [one["measure"] for one in curve["series"]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == measures
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 3]
    means = [value["mean"] for value in curve["series"][0]["values"]]
    assert np.allclose(lines[0].get_ydata(), means) and "lambda" in axes.get_xlabel()
    assert len(curve.plot(measures=measures[:1]).get_legend().get_texts()) == 1
    with pytest.raises(ValueError, match="measures: there is no 'best'"):
        curve.plot(measures=["best"])


def test_maps_are_those_of_the_command(gage, model, planted, tmp_path):
    model.save(tmp_path / "m.gage")
    gage("plot", tmp_path / "m.gage", "-o", tmp_path / "m.svg")
    text = (tmp_path / "m.svg").read_text()
    found = re.findall(r"<path d=\"M([\d.]+) ([\d.]+)[^>]*><title>n(\d+)<", text)
    drawn = np.zeros((120, 2))
    for x, y, node in found:
        drawn[int(node)] = float(x), float(y)
    points = model.map_()
    assert len(found) == 120 and np.array_equal(points, model.map_())
    # The same picture, up to its size: one scale for both directions, y downwards.
    scale = np.ptp(drawn, axis=0) / np.ptp(points, axis=0)
    moved = (points - points.min(axis=0)) * scale + drawn.min(axis=0)
    assert abs(scale[0] / scale[1] - 1) < 1e-3 and np.abs(moved - drawn).max() < 0.5
    assert model.plot().yaxis_inverted()
    # Near nodes are near on the map, too.
    near = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    np.fill_diagonal(near, np.inf)
    own = planted.labels[np.argsort(near, axis=1)[:, :5]] == planted.labels[:, None]
    assert own.mean() > 0.9
    assert not np.array_equal(points, model.map_(neighbours=5))
    with pytest.raises(ValueError, match="neighbours: found 1"):
        model.map_(neighbours=1)


def shown(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_maps_are_coloured_by_any_column(planted, model):
    names = np.array(["a", "b", "_c"])[planted.labels]
    axes = model.plot(labels=names, title="classes")
    assert sorted(one.strip() for one in shown(axes)) == ["_c", "a", "b"]
    assert axes.get_aspect() == 1.0 and axes.get_title() == "classes"
    # By id, whatever the order; missing ones are grey.
    series = pd.Series(names, index=planted.ids, name="kind")[::-1].iloc[:100]
    axes = model.plot(labels=series)
    assert shown(axes)[0] == "none" and axes.get_legend().get_title().get_text() == "kind"
    assert len(axes.collections[0].get_offsets()) == 20
    first = {tuple(one) for one in axes.collections[1].get_facecolor()}
    assert len(first) == 1
    # Forty classes look different: no colour comes twice with the same mark.
    many = model.plot(labels=np.arange(120) % 40)
    looks = {
        (tuple(one.get_facecolor()[0]), one.get_paths()[0].vertices.tobytes())
        for one in many.collections
    }
    assert len(looks) == 40 and len(shown(many)) == 40
    # Fractions, dates and many numbers get a scale.
    days = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(planted.labels, unit="D"))
    for column in (planted.attributes[:, 0], days, np.arange(120), -planted.labels - 1):
        axes = model.plot(labels=column)
        assert axes.get_legend() is None and len(axes.figure.axes) == 2
    for column in (planted.labels == 1, pl.Series("x", names.tolist()), [None, *names[1:]]):
        assert len(shown(model.plot(labels=column))) >= 2
    with pytest.raises(KeyError, match="nobody"):
        model.plot(names=["nobody"])
    matplotlib.pyplot.close("all")


def test_html_says_what_there_is(planted, model, debian):
    text = model._repr_html_()
    assert "120 nodes, 6 columns" in text and "GAGE" in text and "attributes" in text
    assert "120 nodes, 6 columns" in model._repr_mimebundle_()["text/html"]
    assert "<table>" not in GAGE(3)._repr_html_()
    text = debian._repr_html_()
    assert "3824 nodes, 25 classes" in text and "<td>5194</td>" in text
    odd = GAGE(2, preset="balanced").fit({"<i>x": planted.attributes, "links": planted.links})
    assert "&lt;i&gt;x" in odd._repr_html_() and "<i>x" not in odd._repr_html_()


def test_data_sets_are_pickled_whole(planted, tmp_path, debian):
    again = pickle.loads(pickle.dumps(debian))
    assert GAGE(4).fit(again).embedding_.tobytes() == GAGE(4).fit(debian).embedding_.tobytes()
    assert again.class_names == debian.class_names and (again.labels == debian.labels).all()
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\nbob,cia\ncia,dan\n")
    (tmp_path / "attributes.csv").write_text("id,age,city\nann,31,Rome\nbob,45,Oslo\ncia,,Rome\n")
    people = datasets.load_folder(tmp_path)
    same = pickle.loads(pickle.dumps(people))
    assert same.notes == people.notes and same.ids == people.ids and repr(same) == repr(people)
    one, other = (GAGE(2, preset="balanced").fit(data) for data in (people, same))
    assert one.embedding_.tobytes() == other.embedding_.tobytes()
    new = pd.DataFrame({"id": ["eve"], "age": [31], "city": ["Oslo"]})
    # The encoding of the table is part of it.
    assert np.array_equal(one.transform(new), other.transform(new))


def test_generated_graphs_are_those_of_the_command(gage, tmp_path):
    gage("generate", "--nodes", 300, "--classes", 3, "--seed", 5, "-o", tmp_path / "g")
    written, made = datasets.load_folder(tmp_path / "g"), generate(300, classes=3, random_state=5)
    assert (written.links != made.links).nnz == 0 and (written.labels == made.labels).all()
    assert (written.attributes != made.attributes).nnz == 0
    assert written.class_names == made.class_names
    for bad in (dict(n_nodes=-1), dict(n_nodes="many"), dict(n_nodes=9, homophily=np.nan)):
        with pytest.raises(ValueError, match="found"):
            generate(**bad)
    with pytest.raises(ValueError, match="classes"):
        generate(10, degree=3, classes=20)


def test_data_and_embeddings_are_converted(gage, debian, debian_folder, tmp_path):
    files = debian.save(tmp_path / "debian")
    assert {"adj.npz", "features.npz", "labels.npy", "nodes.txt"} <= {
        file.rsplit("/", 1)[1] for file in files
    }
    again = datasets.load_folder(tmp_path / "debian")
    assert (again.links != debian.links).nnz == 0 and again.ids == debian.ids
    with pytest.warns(UserWarning, match="left out: attributes, labels"):
        convert(tmp_path / "debian", tmp_path / "links.mtx")
    with pytest.warns(UserWarning, match="direction"):
        convert(debian_folder, tmp_path / "links.csv", directed=True)
    rows = np.random.default_rng(0).normal(size=(5, 3))
    np.save(tmp_path / "e.npy", rows)
    convert(tmp_path / "e.npy", tmp_path / "e.csv")
    gage("convert", tmp_path / "e.npy", tmp_path / "cli.csv")
    assert (tmp_path / "e.csv").read_text() == (tmp_path / "cli.csv").read_text()
    for target, words in (("-", "expected a path"), (tmp_path / "x.zzz", "end the name in")):
        with pytest.raises(ValueError, match=words):
            convert(debian_folder, target)
    with pytest.raises(ValueError, match="replace or join the input"):
        convert(tmp_path / "e.npy", tmp_path / "e.npy")
    with pytest.raises(FileNotFoundError):
        convert(tmp_path / "nothing", tmp_path / "y")
    missing = GAGE(2).fit(sp.csr_matrix(np.eye(4)), links=[["a", "b"]], nodes=list("abcd"))
    assert missing.ids_ == list("abcd")


def test_indexes_are_those_of_the_command(gage, model, planted, tmp_path):
    path = tmp_path / "m.gage"
    model.save(path)
    found = index(path, metric="distance", lam=0.3)
    assert found.path == f"{path}.lambda-0.3.distance.index" and len(found) == 120
    gage("index", path, "--metric", "distance", "--lambda", 0.3, "-o", tmp_path / "cli.index")
    assert (tmp_path / "cli.index").read_bytes() == open(found.path, "rb").read()
    near = SearchIndex(found.path).similar("n3", k=5)
    exact = model.similar("n3", k=5, lam=0.3, metric="distance")
    assert [one.id for one in near] == [one.id for one in exact]
    assert np.allclose([one.value for one in near], [one.value for one in exact], atol=1e-5)
    assert list(near[0].by_view) == [view["name"] for view in model.views_]
    assert "120 nodes" in repr(found) and "<table>" in found._repr_html_()
    with pytest.raises(KeyError, match="nobody"):
        found.similar("nobody")
    np.save(tmp_path / "rows.npy", planted.attributes)
    rows = index(tmp_path / "rows.npy")
    assert rows.similar(3, k=2)[0].id in range(120)
    with pytest.raises(IndexError):
        rows.similar(120)
    for bad, words in (
        (dict(recall=1.0), "recall: found 1.0"),
        (dict(metric="near"), "'cosine' or 'distance'"),
        (dict(lam={"links": 1.0}), "lam: found a mapping"),
        (dict(output=path), "replace or join"),
    ):
        with pytest.raises(ValueError, match=words):
            index(path, **bad)
    with pytest.raises(ValueError, match="an embedding has no views"):
        index(tmp_path / "rows.npy", lam=0.5)
    (tmp_path / "bad.index").write_text("nothing")
    with pytest.raises(ValueError, match="written by `index`"):
        SearchIndex(tmp_path / "bad.index")
