"""`GAGE.explore` without a browser: what the page gets. In JupyterLab it is tested by `make
notebook-tests`."""

import importlib.util
import json
import re

import numpy as np
import pytest

from gage_embed import GAGE, _native


@pytest.fixture(scope="module")
def model(planted):
    return GAGE(n_components=6, preset="paper").fit(
        planted.attributes, links=planted.links, nodes=planted.ids
    )


def frozen(page):
    """The data inside a page."""
    found = re.search(r'<script type="application/json" id="frozen">(.*?)</script>', page.html)
    return json.loads(found[1])


def test_a_page_holds_maps_classes_and_neighbours(model, planted, tmp_path):
    names = [f"class {number}" for number in planted.labels]
    page = model.explore(labels=names, title="planted <b>", live=False)
    data = frozen(page)
    assert data["ids"] == planted.ids
    assert sorted(data["class_names"]) == ["class 0", "class 1", "class 2"]
    assert data["about"]["title"] == "planted <b>" and "<title>planted &lt;b&gt;" in page.html
    assert len(data["layouts"]) == len(data["about"]["anchors"]) == 5
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    shown = page._repr_html_()
    assert shown.startswith("<iframe") and "<!DOCTYPE" not in shown
    assert "page" in repr(page)


def test_numbers_are_a_scale_and_frames_are_joined(model, planted):
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(
        np.linspace(0, 1, len(planted.ids)), index=planted.ids[::-1], name="age"
    )
    choices = frozen(model.explore(labels=series, live=False))["about"]["colourings"]
    assert choices[0] == {"by": "scale", "title": "age"}


def test_data_of_other_nodes_are_refused(model, planted):
    with pytest.raises(ValueError, match="0 of the 120 nodes"):
        others = [f"m{at}" for at in range(120)]
        model.explore(planted.attributes, nodes=others, live=False)


@pytest.mark.skipif(importlib.util.find_spec("anywidget") is not None, reason="it is there")
def test_a_live_page_without_anywidget_names_the_remedy(model):
    with pytest.raises(ImportError, match=r"pip install gage-embed\[notebook\]"):
        model.explore(live=True)


def test_the_kernel_answers_as_the_library_does(model, planted):
    explorer = _native.Explorer(model.model_, "title", 0, threads=1)

    def ask(path, body=b"", method="GET"):
        answer = explorer.answer(method, path, body)
        pieces = []
        while (piece := answer.next()) is not None:
            pieces.append(piece)
        return answer.status, pieces

    status, pieces = ask("/api/neighbours?node=7&count=5&lambda=0.3")
    near = json.loads(b"".join(pieces))["neighbours"]
    expected = model.similar("n7", 5, lam=0.3)
    assert status == 200 and [one["id"] for one in near] == [one.id for one in expected]
    for one, other in zip(near, expected):
        assert abs(one["value"] - other.value) < 1e-9
    status, frames = ask("/api/map?lambda=0.8")
    assert status == 200 and all(len(frame) == 32 + 4 * 120 for frame in frames)
    chosen = np.array([3, 5], dtype="<u4").tobytes()
    assert ask("/api/export", chosen, "POST")[1] == [b"id\nn3\nn5\n"]
    assert ask("/api/node?node=999")[0] == 400
    with pytest.raises(ValueError, match="broken query"):
        ask("/api/search?q=%zz")
