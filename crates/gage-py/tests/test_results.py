"""Methods of a fitted model."""

import numpy as np
import pandas as pd
import pytest

import gage_embed
from gage_embed import GAGE, View, evaluate, sweep, tune


@pytest.fixture(scope="module")
def model(planted):
    return GAGE(6, preset="paper", certify=True).fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )


def test_reweighting_is_the_formula(model):
    factors, coefficients = model.factors_, model.coefficients_
    shares = np.array([0.3, 0.7])
    expected = factors * np.sqrt(shares @ coefficients)
    found = model.embedding(0.3)
    # The preset may scale the whole by one number.
    scale = np.linalg.norm(found) / np.linalg.norm(expected)
    assert np.allclose(found, scale * expected, rtol=1e-4, atol=1e-6)
    assert np.array_equal(found, model.embedding([0.3, 0.7]))
    assert np.array_equal(found, model.embedding({"links": 0.3, "attributes": 0.7}))
    assert not np.allclose(found, model.embedding(0.9))


def test_shares_follow_lam(planted):
    model = GAGE(4, preset="paper").fit(planted.attributes, links=planted.links)
    assert model.view_shares_ == pytest.approx({"links": 0.8, "attributes": 0.2})
    model.set_params(lam=0.5)
    assert model.view_shares_ == pytest.approx({"links": 0.5, "attributes": 0.5})
    assert np.array_equal(model.embedding_, model.embedding(0.5))


def test_certificates_come_with_the_fit_or_later(model, planted):
    views = model.certificate_["views"]
    assert [view["view"] for view in views] == ["links", "attributes"]
    for view in views:
        assert 0 <= view["least_loss"] <= view["loss"] + 1e-9
        assert view["all_pairs"]
    later = GAGE(6, preset="paper").fit(planted.attributes, links=planted.links)
    with pytest.raises(AttributeError, match="certify=True"):
        later.certificate_
    measured = later.measure(planted.attributes, links=planted.links).certificate_
    errors = [
        [view["distance_error"]["value"] for view in one["views"]]
        for one in (measured, model.certificate_)
    ]
    assert np.allclose(*errors, rtol=0.2)


def test_distances_error_is_that_of_numpy(model, planted):
    rows = model.factors_ * np.sqrt(model.coefficients_[1])
    distances = lambda x: ((x[:, None] - x[None]) ** 2).sum(-1)[np.triu_indices(len(x), 1)]
    true, found = distances(planted.attributes), distances(np.asarray(rows, dtype=float))
    error = np.sqrt(((found - true) ** 2).sum() / (true**2).sum())
    told = model.certificate_["views"][1]["distance_error"]["value"]
    assert told == pytest.approx(error, rel=1e-3)


def test_similar_nodes_are_those_of_numpy(model, planted):
    rows = np.asarray(model.embedding(0.4), dtype=float)
    cosine = rows @ rows[7] / np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[7])
    order = [at for at in np.argsort(-cosine) if at != 7][:5]
    found = model.similar("n7", k=5, lam=0.4)
    assert [near.id for near in found] == [planted.ids[at] for at in order]
    assert [near.value for near in found] == pytest.approx(cosine[order], abs=1e-5)
    assert found[0].value == pytest.approx(sum(found[0].by_view.values()))
    squared = ((rows - rows[7]) ** 2).sum(1)
    near = model.similar("n7", k=1, lam=0.4, metric="distance")[0]
    assert near.value == pytest.approx(np.sort(squared)[1], rel=1e-4)
    assert len(model.similar("n7", k=10**30)) == len(planted.ids) - 1
    with pytest.raises(KeyError, match="n0"):
        model.similar("nobody")
    with pytest.raises(IndexError):
        model.similar(10**6)


def test_maps_are_drawn(model, planted, tmp_path):
    import matplotlib

    matplotlib.use("Agg")
    axes = model.plot(labels=planted.labels, lam=0.5, names=["n1"])
    axes.figure.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
    some = [None if label == 0 else f"kind {label}" for label in planted.labels]
    assert len(model.plot(labels=some).get_legend().get_texts()) == 3
    points = model.map_(0.5)
    assert points.shape == (len(planted.ids), 2)
    assert points[:, 0].std() >= points[:, 1].std()


def test_new_nodes_are_placed_near_their_kind(planted):
    old, new = np.arange(90), np.arange(90, 120)
    model = GAGE(6, preset="balanced").fit(
        planted.attributes[old], links=planted.links[old][:, old]
    )
    # A node is compared in the geometry it is known in: what no view says about it is noise.
    for lam, data in (
        (1.0, dict(links=planted.links[new][:, old])),
        (0.0, dict(attributes=planted.attributes[new])),
        (None, dict(attributes=planted.attributes[new], links=planted.links[new][:, old])),
    ):
        fitted = model.embedding(lam)
        centres = np.array([fitted[planted.labels[old] == kind].mean(0) for kind in range(3)])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        nearest = np.argmax(model.transform(lam=lam, **data) @ centres.T, axis=1)
        assert (nearest == planted.labels[new]).mean() > 0.9, data.keys()


def test_new_ids_join_fitted_ids(planted):
    model = GAGE(6, preset="balanced").fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )
    links = [["new", "n0"], ["new", "n3"], ["other", "n1"], ["other", "n2"]]
    rows, ids = model.fold_in(links=links)
    assert ids == ["new", "other"]
    same = model.similar("n0", k=1)
    assert len(same) == 1 and rows.shape == (2, 6)
    with pytest.warns(UserWarning, match="no view"):
        model.fold_in(links=[["new", "n0"], ["new", "n3"]], nodes=["new", "blind"])
    with pytest.warns(UserWarning, match="rest on fewer than 2 .* `new` with 1"):
        model.fold_in(links=[["new", "n0"]])
    with pytest.raises(ValueError, match="knows"):
        model.fold_in(views={"colleagues": planted.attributes})


def test_new_nodes_are_appended(planted, tmp_path, gage):
    model = GAGE(6, preset="balanced").fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )
    links = [["new", "n0"], ["new", "n3"], ["other", "n1"], ["other", "n2"]]
    more, (rows, _) = model.append(links=links), model.fold_in(links=links)
    assert more.ids_ == [*planted.ids, "new", "other"] and model.ids_ == planted.ids
    assert np.array_equal(more.embedding_, np.vstack([model.embedding_, rows]))
    assert {one.id for one in more.similar("new", k=121)} == set(more.ids_) - {"new"}
    again = more.append(links=[["third", "n5"], ["third", "n7"]])
    assert again.ids_[-1] == "third" and len(again.map_()) == 123
    # As the command does it, with the index.
    model.save(tmp_path / "m.gage")
    (tmp_path / "new.csv").write_text("source,target\n" + "\n".join(map(",".join, links)) + "\n")
    gage("fold-in", tmp_path / "m.gage", "--graph", tmp_path / "new.csv", "--append",
         "-o", tmp_path / "more.gage")
    assert np.array_equal(GAGE.load(tmp_path / "more.gage").embedding_, more.embedding_)
    more.save(tmp_path / "own.gage")
    gage_embed.index(tmp_path / "m.gage")
    found = gage_embed.index(tmp_path / "own.gage", extend=tmp_path / "m.gage.index")
    near = [[one.id for one in of.similar("other", k=5)] for of in (found, more)]
    assert len(found) == 122 and near[0] == near[1]
    # Rows of nodes that the model has are left out, and numbers stay numbers.
    with pytest.warns(UserWarning, match="1 rows are of nodes the model already has"):
        one = model.append(pd.DataFrame(planted.attributes[:2]).assign(id=["n0", "fresh"]))
    assert one.ids_[-1] == "fresh"
    numbers = GAGE(2).fit(pd.DataFrame(planted.attributes).assign(id=np.arange(120) + 7))
    fresh = pd.DataFrame(planted.attributes[:1]).assign(id=[500])
    assert numbers.append(fresh).ids_[-2:] == [126, 500]
    assert numbers.append(fresh.assign(id=["x"])).ids_[-2:] == ["126", "x"]


def test_tuning_takes_recipes(planted):
    recipe = GAGE(preset="balanced").recipe(planted.attributes, links=planted.links)
    few = dict(n_components=[4], lambdas=3, folds=2, search_shares=False)
    data = planted.links, planted.attributes
    views = [View("attributes", transform="row_l2"), View("links")]
    for given, candidates in ((recipe, 1), ([recipe, {"views": views}], 2), (views, 1)):
        result = tune(data, planted.labels, views=given, **few)
        assert {one["preset"] for one in result.report["tried"]} == {"recipe"}
        assert len({one["candidate"] for one in result.report["tried"]}) == candidates
        assert result.model.views is not None
    result = tune(data, planted.labels, presets="paper", estimator=GAGE(views=recipe), **few)
    assert {one["preset"] for one in result.report["tried"]} == {"paper", "recipe"}
    assert GAGE(**result.model.get_params()).fit(data).embedding_.shape == (120, 4)


def test_evaluations(model, planted, debian):
    report = evaluate(model, planted.labels, train=[0.5, 30], shuffles=3)
    assert [len(result["runs"]) for result in report["results"]] == [3, 3]
    assert report["results"][0]["micro_f1"]["mean"] > 0.9
    rows = evaluate(model.embedding_, planted.labels, train=0.5, shuffles=3)
    assert rows["results"][0]["micro_f1"] == report["results"][0]["micro_f1"]
    names = evaluate(model, [f"kind {label}" for label in planted.labels], train=0.5, shuffles=3)
    assert names["results"][0]["micro_f1"] == report["results"][0]["micro_f1"]
    # Missing classes of every kind are no classes.
    gaps = [None if at % 6 == 0 else label for at, label in enumerate(planted.labels.tolist())]
    series = pd.Series(gaps, dtype="Int64")
    masked = np.ma.masked_array(planted.labels, [label is None for label in gaps])
    counts = [
        evaluate(model, one, train=0.5, shuffles=1)
        for one in (gaps, series, masked, [pd.NA if g is None else g for g in gaps])
    ]
    assert all(count == counts[0] for count in counts) and counts[0]["labelled"] == 100
    found = evaluate(model, planted.labels, task="cluster", shuffles=2)
    assert found["nmi"]["mean"] > 0.8
    links = evaluate(
        (planted.links, planted.attributes),
        task="links",
        shuffles=2,
        remove=0.3,
        estimator=GAGE(6, preset="balanced"),
    )
    assert links["results"][0]["auc"]["mean"] > 0.7


def test_sweeps_take_one_fit(model, planted, monkeypatch):
    report = sweep(
        (planted.links, planted.attributes),
        planted.labels,
        lambdas=3,
        train=0.5,
        shuffles=2,
        estimator=GAGE(6),
    )
    assert report["fits"] == 1 and report["lambdas"] == [0.0, 0.5, 1.0]
    assert len(report["series"][0]["values"]) == 3 and report["best"][0]["value"]["mean"] > 0.8
    fitted = sweep(model, planted.labels, lambdas=[0.2], train=0.5, shuffles=2)
    assert fitted["fits"] == 0


def test_tuning_chooses_and_tests(planted):
    result = tune(
        (planted.links, planted.attributes),
        planted.labels,
        presets=["balanced", "paper"],
        n_components=[4],
        lambdas=3,
        folds=3,
    )
    assert len({tried["candidate"] for tried in result.report["tried"]}) == 2
    assert result.report["test"]["micro"] > 0.8
    chosen = result.report["tried"][result.report["choice"]]
    assert list(result.model.view_shares_.values()) == pytest.approx(chosen["shares"])
    assert result.model.transform(planted.attributes[:2]).shape == (2, 4)


def test_data_sets(debian, debian_folder, tmp_path):
    import scipy.io

    folder = gage_embed.datasets.load_folder(debian_folder, directed=False)
    assert (folder.links != debian.links).nnz == 0 and folder.ids == debian.ids
    assert folder.class_names == debian.class_names and (folder.labels == debian.labels).all()
    assert len(debian.attribute_names) == debian.attributes.shape[1]
    group = np.eye(25)[debian.labels]
    scipy.io.savemat(
        tmp_path / "d.mat", {"network": debian.links, "feature": debian.attributes, "group": group}
    )
    mat = gage_embed.datasets.load_mat(tmp_path / "d.mat")
    assert (mat.links != debian.links).nnz == 0 and (mat.labels == debian.labels).all()
    assert "3824" in repr(mat)
