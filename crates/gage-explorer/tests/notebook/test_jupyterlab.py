"""`model.explore()` in a real JupyterLab, in a real browser."""

import json
from urllib.parse import urlsplit

import pytest
from pixels import inked

from gage_embed import GAGE

NEAR = """return [...document.querySelectorAll('#near button')].map(
  (item) => [item.querySelector('b').textContent, Number(item.dataset.value)])"""


@pytest.fixture(scope="session")
def model(lab, window):
    window.wait("return document.querySelector('iframe[title=live]') !== null")
    return GAGE.load(lab.folder / "model.gage")


@pytest.fixture(params=["live", "GAGE explorer"], ids=["live", "frozen"])
def frame(request, window, model):
    """One of the two pages of the notebook, and where it begins in the window."""
    selector = f"iframe[title='{request.param}']"
    window.enter(None)
    window.wait("return document.querySelector(arguments[0]) !== null", selector)
    place = "const f = document.querySelector(arguments[0]); f.scrollIntoView({ block: 'start' });"
    window.run(place, selector)
    window.run("return new Promise((go) => setTimeout(go, 500))")
    box = window.run(
        "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [b.left, b.top].map(Math.round)",
        selector,
    )
    window.enter(selector)
    window.wait("return document.documentElement.dataset.moving === 'false'")
    yield box
    window.enter(None)


def turn(window, share):
    window.run(
        "const s = document.getElementById('lambda'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input', { bubbles: true }))",
        str(share),
    )


def test_the_map_is_drawn_and_follows_lambda(window, frame, model):
    window.run("return new Promise((go) => setTimeout(go, 500))")
    share, _ = inked(window, "#view", frame)
    assert 0.03 < share < 0.9, share
    assert window.run("return document.documentElement.dataset.renderer") == "webgl2"
    window.run("document.getElementById('search').value = ''")
    window.keys("#search", "gimp")
    window.wait("return !document.getElementById('found').hidden")
    window.keys("#search", "\ue007")
    window.wait("return document.querySelectorAll('#near button').length === 15")
    lists = []
    for share in (0.1, 0.9):
        turn(window, share)
        expected = model.similar("gimp", 15, lam=share)[:6]
        names = ",".join(near.id for near in expected)
        window.wait(f"const near = (() => {{ {NEAR} }})();"
                    "return near.slice(0, 6).map((n) => n[0]).join() === arguments[0]", names)
        for (_, value), near in zip(window.run(NEAR), expected):
            assert abs(value - near.value) < 1e-5
        lists.append(names)
    assert lists[0] != lists[1]
    # There is no address to copy in a frame.
    assert window.run("return document.getElementById('link').hidden")


def test_a_live_page_has_the_data(window, model):
    window.enter(None)
    window.enter("iframe[title=live]")
    window.run("document.getElementById('search').value = ''")
    window.keys("#search", "gimp")
    window.keys("#search", "\ue007")
    window.wait("return [...document.querySelectorAll('#node .chips > *')].some("
                "(c) => c.textContent === 'gimp-gmic')")
    choices = "return [...document.getElementById('colour').options].map((o) => o.value)"
    colours = window.run(choices)
    assert {"label", "cluster", "degree", "column", "moved"} <= set(colours)
    window.enter(None)


def test_nothing_is_asked_of_anybody_else(window, lab, model):
    requests = [json.loads(entry["message"])["message"] for entry in window.log("performance")]
    urls = {
        message["params"]["request"]["url"]
        for message in requests
        if message["method"] == "Network.requestWillBeSent"
    }
    own = urlsplit(lab.base).netloc
    others = {url for url in urls if urlsplit(url).scheme in ("http", "https")}
    assert {urlsplit(url).netloc for url in others} == {own}, others
