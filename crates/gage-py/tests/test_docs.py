"""Every piece of Python in the pages runs, from top to bottom of each page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_snippets_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert snippets, "no Python on the page"
    names = {}
    for snippet in snippets:
        exec(compile(snippet, page, "exec"), names)


def test_everything_public_is_documented():
    import inspect

    import gage_embed

    for name in gage_embed.__all__:
        thing = getattr(gage_embed, name)
        if not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            assert "Parameters\n----------" in inspect.getdoc(thing) and "Returns\n-------" in inspect.getdoc(thing), name
        if name in ("GAGE", "NodeEmbedding"):
            for method, function in inspect.getmembers(thing, inspect.isfunction):
                if not method.startswith("_") and function.__module__.startswith("gage_embed"):
                    assert inspect.getdoc(function), f"{name}.{method}"
