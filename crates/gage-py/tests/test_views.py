"""Views by hand, fits on one part, and what lambda means."""

import json
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from gage_embed import GAGE, PRESETS, View, sweep

NODES = 40
RNG = np.random.default_rng(3)
LABELS = np.arange(NODES) % 2
TABLE = RNG.normal(size=(NODES, 5)) + 3.0 * LABELS[:, None]
FURTHER = RNG.normal(size=(NODES, 3))
SAME = LABELS[:, None] == LABELS[None, :]
EDGES = np.argwhere(np.tril(RNG.random((NODES, NODES)) < np.where(SAME, 0.4, 0.05), -1))
LIKES = np.triu(RNG.random((NODES, NODES)) < 0.1, 1).astype(float)
LIKES = sp.csr_matrix(LIKES + LIKES.T)
DATA = {"links": EDGES, "attributes": TABLE, "likes": LIKES, "shops": FURTHER}
SMOOTHING = {"block": "links", "transform": {"symmetric": {"self_loops": 1}}, "steps": {"power": 1}}


def names(model):
    return [view["name"] for view in model.views_]


def test_a_view_may_be_a_logarithm():
    walk = {**SMOOTHING, "steps": {"polynomial": [0.5, 0.25]}}
    plain = dict(transform="row_l1", smoothing=walk)
    rows = {}
    for kept in (None, 1, 5):
        log = None if kept is None else {"sampled": 5, "kept": kept}
        view = View("attributes", log_affinity=log, **plain)
        model = GAGE(2, views=[view]).fit(EDGES, attributes=np.abs(TABLE))
        rows[kept] = model.embedding_
        recipe = GAGE(2, views=[view]).recipe(EDGES, attributes=np.abs(TABLE))
        assert recipe["views"][0].get("log_affinity") == log
    assert not np.allclose(rows[None], rows[5]) and not np.allclose(rows[1], rows[5])
    with pytest.raises(ValueError, match="log_affinity"):
        GAGE(2, views=[View("attributes", log_affinity={"taken": 3})]).fit(TABLE)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_recipe_gives_the_bits_of_its_preset(preset, tmp_path):
    recipe = GAGE(4, preset=preset).recipe(DATA)
    with pytest.warns(UserWarning) if preset == "links" else nullcontext():
        expected = GAGE(4, preset=preset).fit(DATA)
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    for views in (recipe, tmp_path / "recipe.json"):
        with pytest.warns(UserWarning) if preset == "links" else nullcontext():
            model = GAGE(4, views=views).fit(DATA)
        assert np.array_equal(model.embedding_, expected.embedding_)
        assert names(model) == names(expected)


def test_views_as_objects():
    views = [
        View("links", weight=0.6),
        View("attributes", transform="row_l2"),
        View("attributes", name="smoothed", transform="row_l2", smoothing=SMOOTHING, weight=0.5),
    ]
    by_hand = GAGE(4, views=views).fit(TABLE, links=EDGES)
    expected = GAGE(4, preset="balanced").fit(TABLE, links=EDGES)
    assert np.array_equal(by_hand.embedding_, expected.embedding_)
    scaled = {"scale": "unit", "balance": False, "views": views}
    assert GAGE(4, views=scaled).fit(TABLE, links=EDGES).embedding_.shape == (NODES, 4)
    copy = clone(GAGE(4, views=views)).fit(TABLE, links=EDGES)
    assert np.array_equal(copy.embedding_, by_hand.embedding_)


def test_a_saved_model_keeps_its_views(tmp_path):
    model = GAGE(4, views=[View("attributes", transform="row_l2")], only="attributes")
    model.fit(TABLE, links=EDGES)
    model.save(tmp_path / "m.gage")
    same = GAGE.load(tmp_path / "m.gage")
    assert same.only == "attributes" and same.views["views"][0]["name"] == "attributes"
    again = clone(same).fit(TABLE, links=EDGES)
    assert np.array_equal(again.embedding_, model.embedding_)


def test_the_paper_takes_any_set_of_tables():
    assert names(GAGE(4, preset="paper").fit(DATA)) == ["links", "attributes", "likes", "shops"]
    assert names(GAGE(4, preset="paper").fit({"shops": FURTHER})) == ["shops"]
    with pytest.warns(UserWarning, match="`likes` is in none of the views of preset `links`"):
        GAGE(4, preset="links").fit(DATA)


# What is given as views, and what the error says.
WRONG = {
    "unknown transform": ([{**View("links")._as_dict(), "transform": "roh"}], "views.0..transform"),
    "unknown key": ([{**View("links")._as_dict(), "wait": 1}], "unknown field `wait`"),
    "values": ([View("links", transform="roh")], "`row_l2`"),
    "unknown block": ([View("likes")], "`likes`, which the graph does not have"),
    "weight": ([View("links", weight=-1, share=1)], "from 1e-12 to 1e12"),
    "nan": ([View("links", weight=float("nan"))], "NaN"),
    "twice": ([View("links"), View("links")], "two views are called `links`"),
    "none": ([], "no view"),
    "file": ("no/such/recipe.toml", "no such file"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_views_are_refused(case):
    views, says = WRONG[case]
    with pytest.raises((ValueError, OSError), match=says):
        GAGE(4, views=views).fit(TABLE, links=EDGES)


def test_views_beside_a_preset_are_refused():
    with pytest.raises(ValueError, match="views beside preset='paper'"):
        GAGE(4, preset="paper", views=[View("links")]).fit(TABLE, links=EDGES)
    with pytest.raises(ValueError, match="only: found 'words'"):
        GAGE(4, only="words").fit(TABLE, links=EDGES)


@pytest.mark.parametrize("preset", ["auto", "balanced", "paper"])
def test_a_fit_on_one_part(preset):
    part = GAGE(4, preset=preset, only="attributes").fit(TABLE, links=EDGES)
    alone = GAGE(4, preset=preset).fit(attributes=TABLE)
    assert np.array_equal(part.embedding_, alone.embedding_)
    assert names(GAGE(4, preset=preset, only="links").fit(DATA))[0] == "links"
    with pytest.raises(ValueError, match="only attributes were requested"):
        GAGE(4, preset=preset, only="attributes").fit(links=EDGES)


def test_lambda_of_an_end_without_views():
    links = GAGE(4).fit(links=EDGES)
    assert links.embedding(lam=1).shape == (NODES, 4)
    with pytest.raises(ValueError, match="views that use no links.*lam=1"):
        links.embedding(lam=0)
    # Where the other end has a share, one estimator serves data with and without links.
    with pytest.warns(UserWarning, match="views that use no links.*lam=1"):
        half = links.embedding(lam=0.5)
    assert np.array_equal(half, links.embedding(lam=1))
    with pytest.raises(ValueError, match="views that use no links"):
        sweep(links, LABELS, lambdas=3)
    with pytest.raises(ValueError, match="views that use no links"):
        sweep({"links": EDGES}, LABELS, lambdas=3, estimator=GAGE(4))
    with pytest.warns(UserWarning, match="views that use links.*lam=0"):
        GAGE(4, lam=0.3).fit(attributes=TABLE)
    with pytest.raises(ValueError, match="views that use links.*lam=0"):
        GAGE(4, lam=1).fit(attributes=TABLE)
    both = sweep(
        {"links": EDGES, "attributes": TABLE},
        LABELS,
        lambdas=2,
        shuffles=1,
        train=0.5,
        estimator=GAGE(4, preset="balanced"),
    )
    assert both["ends"] == {"links": ["links", "smoothed"], "others": ["attributes"]}


@pytest.mark.parametrize("weights", [[0, 0], [1, 1e308], [1, 5e-324], [1, -1], [1, float("nan")]])
def test_weights_that_cannot_be_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        GAGE(4, preset="paper", weights=weights).fit(TABLE, links=EDGES)
