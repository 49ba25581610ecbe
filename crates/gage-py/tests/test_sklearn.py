"""The estimator is one of scikit-learn's, in earnest."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import gage_embed
from gage_embed import GAGE, NodeEmbedding


CONFIGURATIONS = [
    GAGE(),
    GAGE(n_components=1),
    GAGE(n_components=2),
    GAGE(n_components="auto"),
    GAGE(n_components=0.8, tol=1e-4),
    GAGE(2, preset="balanced", random_state=None),
    GAGE(2, preset="paper", n_jobs=1),
    GAGE(2, precision="double", refine=True, certify=True, lam=0.3),
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(CONFIGURATIONS)
def test_check_estimator(estimator, check):
    check(estimator)


def test_parameters_are_got_set_cloned_and_printed(planted):
    model = GAGE(5, preset="paper", lam=0.25, n_jobs=1)
    assert model.get_params()["lam"] == 0.25
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "GAGE(lam=0.25, n_components=5, n_jobs=1, preset='paper')"
    fitted = model.fit(planted.attributes, links=planted.links)
    assert not hasattr(clone(fitted), "model_")
    with pytest.raises(ValueError, match="nothing"):
        model.set_params(nothing=1)


def test_pickles_keep_everything(planted):
    model = GAGE(5, certify=True).fit(planted.attributes, links=planted.links, nodes=planted.ids)
    again = pickle.loads(pickle.dumps(model))
    assert again.embedding_.tobytes() == model.embedding_.tobytes()
    assert again.certificate_ == model.certificate_ and again.ids_ == model.ids_
    assert np.array_equal(
        again.transform(planted.attributes[:3]), model.transform(planted.attributes[:3])
    )


def test_what_was_not_fitted_says_so(planted):
    for ask in (
        lambda m: m.embedding_,
        lambda m: m.transform(planted.attributes),
        lambda m: m.save("x"),
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            ask(GAGE())


def test_pipelines_embed_new_nodes(planted):
    pipe = make_pipeline(GAGE(6, preset="balanced"), LogisticRegression())
    pipe.fit(planted.attributes, planted.labels)
    assert pipe.score(planted.attributes, planted.labels) > 0.9


def test_every_row_is_transformed_in_order(planted):
    names = [f"x{at}" for at in range(12)]
    frame = pd.DataFrame(planted.attributes, index=planted.ids, columns=names)
    model = GAGE(6, preset="balanced").fit(frame.iloc[:90])
    some = frame.iloc[np.random.default_rng(1).permutation(120)[:30]]
    rows = model.transform(some)
    assert rows.shape == (30, 6) and set(some.index) & set(frame.index[:90])
    for at in (0, 11, 29):
        assert np.allclose(rows[at], model.transform(some.iloc[[at]])[0], atol=1e-6)
    folded, ids = model.fold_in(some)
    assert ids == list(some.index) and np.array_equal(folded, rows)
    # Fitted nodes may be given once more with links among themselves.
    linked = GAGE(6, preset="balanced").fit(frame, links=np.array(planted.ids)[planted.edges])
    again = linked.transform(frame, links=np.array(planted.ids)[planted.edges])
    own = linked.embedding_
    cosine = (again * own).sum(1) / np.linalg.norm(again, axis=1) / np.linalg.norm(own, axis=1)
    assert again.shape == own.shape and np.median(cosine) > 0.95


@pytest.mark.parametrize("columns", [1, 2, 5, 12])
@pytest.mark.parametrize("preset", ["auto", "paper", "balanced"])
def test_fitted_rows_are_transformed_to_themselves(planted, preset, columns):
    model = GAGE(columns, preset=preset, tol=1e-6)
    fitted = model.fit_transform(planted.attributes)
    found = model.transform(planted.attributes)
    assert np.abs(found - fitted).max() < 0.01 * np.abs(fitted).max()


def test_tables_keep_their_rows_beside_links(planted):
    frame = pd.DataFrame(planted.attributes, index=planted.ids)
    links = np.array(planted.ids)[planted.edges]
    model = GAGE(4, preset="balanced")
    order = np.random.default_rng(2).permutation(120)[:50]
    rows = model.fit_transform(frame.iloc[order], links=links)
    assert rows.shape == (50, 4) and len(model.ids_) == 120
    at = [model.ids_.index(name) for name in frame.index[order]]
    assert np.array_equal(rows, model.embedding_[at])
    framed = model.set_output(transform="pandas").fit_transform(frame.iloc[order], links=links)
    assert list(framed.index) == list(frame.index[order])


def test_splits_and_scores_of_pipelines(planted):
    frame = pd.DataFrame(planted.attributes, columns=[f"x{at}" for at in range(12)])
    labels = pd.Series(planted.labels)
    train, test, known, hidden = train_test_split(frame, labels, random_state=0)
    pipe = make_pipeline(GAGE(6, preset="balanced"), LogisticRegression()).fit(train, known)
    assert pipe.score(train, known) > 0.9 and pipe.score(test, hidden) > 0.9
    assert np.array_equal(pipe.predict(test), pipe.predict(test.to_numpy()))
    scores = cross_validate(pipe, frame, labels, cv=3, return_train_score=True)
    assert scores["train_score"].min() > 0.9 and scores["test_score"].min() > 0.8


def test_a_failed_fit_leaves_nothing_behind(planted):
    model = GAGE(4).fit(planted.attributes)
    for bad in (dict(lam=2), dict(lam=-0.5), dict(lam="much"), dict(lam=[0.1, np.nan])):
        with pytest.raises(ValueError, match="lam"):
            GAGE(4, **bad).fit(planted.attributes)
    for lam in ({"words": 1.0}, [0.2, 0.3, 0.5]):
        with pytest.raises(ValueError):
            GAGE(4, lam=lam).fit(planted.attributes)
    with pytest.raises(ValueError):
        model.fit(np.full((5, 3), np.nan))
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(NotFittedError):
        model.embedding_


def test_embeddings_are_made_once(planted):
    model = GAGE(4).fit(planted.attributes, links=planted.links)
    assert model.embedding_ is model.embedding_
    first = model.embedding_
    with pytest.raises(ValueError):
        first[0] = 0.0
    model.set_params(lam=0.3)
    assert np.array_equal(model.embedding_, model.embedding(0.3))
    assert not np.array_equal(model.embedding_, first)
    assert "_kept" not in model.__getstate__()


def test_files_keep_what_the_estimator_knows(planted, tmp_path):
    names = [f"x{at}" for at in range(12)]
    frame = pd.DataFrame(planted.attributes, columns=names, index=pd.Index(range(120), name="id"))
    for lam in (None, 0.25, [0.5, 0.5], {"links": 1.0}):
        model = GAGE(4, lam=lam, preset="paper").fit(frame, links=planted.edges)
        model.save(tmp_path / "m.gage")
        same = GAGE.load(tmp_path / "m.gage")
        assert same.lam == lam and same.n_features_in_ == 12
        assert list(same.feature_names_in_) == names and same.ids_ == model.ids_ == list(range(120))
        assert np.array_equal(same.embedding_, model.embedding_)


def test_a_search_over_lambda_fits_once(planted, monkeypatch):
    calls = []
    original = gage_embed._native.fit
    monkeypatch.setattr(gage_embed._native, "fit", lambda *args: calls.append(1) or original(*args))
    model = GAGE(6, preset="balanced").fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )
    pipe = make_pipeline(NodeEmbedding(model), LogisticRegression())
    grid = {"nodeembedding__lam": [0.0, 0.5, 1.0], "logisticregression__C": [0.1, 1.0]}
    search = GridSearchCV(pipe, grid, cv=3, n_jobs=1).fit(planted.ids, planted.labels)
    assert len(calls) == 1
    assert search.best_score_ > 0.9 and len(search.cv_results_["params"]) == 6
    step = search.best_estimator_.named_steps["nodeembedding"]
    assert step.model is model
    assert np.array_equal(
        step.transform(planted.ids[:2]),
        model.embedding(search.best_params_["nodeembedding__lam"])[:2],
    )
    assert len(pickle.loads(pickle.dumps(search)).predict(planted.ids[:4])) == 4


def test_rows_are_looked_up_by_id_or_position(planted):
    named = GAGE(4).fit(planted.attributes, nodes=planted.ids)
    assert np.array_equal(
        NodeEmbedding(named).transform([["n3"], ["n1"]]), named.embedding_[[3, 1]]
    )
    with pytest.raises(KeyError, match="nobody"):
        NodeEmbedding(named).transform(["nobody"])
    plain = GAGE(4).fit(planted.attributes)
    assert np.array_equal(NodeEmbedding(plain, lam=None).transform([5]), plain.embedding_[[5]])
    with pytest.raises(IndexError):
        NodeEmbedding(plain).transform([len(planted.ids)])
    with pytest.raises(ValueError, match="no names"):
        NodeEmbedding(plain).transform(["n1"])


def test_outputs_are_frames_if_asked(planted):
    frame = pd.DataFrame(planted.attributes, index=planted.ids)
    model = GAGE(4).set_output(transform="pandas")
    out = model.fit_transform(frame)
    assert list(out.index) == planted.ids and list(out.columns) == [
        "gage0",
        "gage1",
        "gage2",
        "gage3",
    ]
    assert (
        list(model.transform(frame.iloc[:5].rename(index=lambda name: f"new {name}")).index)[0]
        == "new n0"
    )
    polars = GAGE(4).set_output(transform="polars").fit_transform(frame)
    assert polars.shape == (len(frame), 4)
    assert model.embedding(as_frame="polars").columns[0] == "id"
    with pytest.raises(ValueError, match="pandas"):
        model.set_output(transform="arrow")


def test_pipelines_of_rows_give_frames(planted):
    model = GAGE(4, preset="balanced").fit(planted.attributes, nodes=planted.ids)
    pipe = make_pipeline(NodeEmbedding(model), StandardScaler()).set_output(transform="pandas")
    asked = pd.Series(planted.ids[:5], index=list("vwxyz"))
    out = clone(pipe).fit_transform(asked)
    assert list(out.index) == list("vwxyz") and list(out.columns) == [
        "gage0",
        "gage1",
        "gage2",
        "gage3",
    ]
    assert list(pickle.loads(pickle.dumps(pipe)).fit_transform(asked).columns) == list(out.columns)
    rows = NodeEmbedding(model).set_output(transform="polars").transform(planted.ids[:5])
    assert np.array_equal(rows.to_numpy(), model.embedding_[:5])
    assert NodeEmbedding(model).transform([]).shape == (0, 4)
    with pytest.raises(ValueError, match="pandas"):
        NodeEmbedding(model).set_output(transform="arrow")


def test_part_of_a_column_transformer(planted):
    frame = pd.DataFrame(planted.attributes, columns=[f"x{at}" for at in range(12)])
    both = ColumnTransformer([("gage", GAGE(3), ["x0", "x1", "x2", "x3"])], remainder="passthrough")
    assert both.fit_transform(frame).shape == (len(frame), 3 + 8)
    assert list(both.get_feature_names_out())[:3] == ["gage__gage0", "gage__gage1", "gage__gage2"]
