"""Every piece of Python in the pages runs, from top to bottom of each page."""

import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "crates/gage-py/README.md"])
def test_snippets_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert snippets, "no Python on the page"
    names = {}
    for snippet in snippets:
        exec(compile(snippet, page, "exec"), names)


def public():
    """Every public function, class and method of the package, by name."""
    import gage_embed

    for module in (gage_embed, gage_embed.datasets):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, tuple):
                for method, function in inspect.getmembers(
                    thing, lambda one: inspect.isfunction(one) or inspect.ismethod(one)
                ):
                    # What scikit-learn adds is documented there.
                    if not method.startswith("_") and function.__module__.startswith("gage_embed"):
                        yield f"{module.__name__}.{name}.{method}", function


@pytest.mark.parametrize(
    "name, thing", list(public()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_everything_public_is_documented_with_an_example(name, thing):
    text = inspect.getdoc(thing)
    assert text, name
    if name.endswith((".CSR", ".TuneResult")):
        return
    assert "Examples\n--------" in text and ">>> " in text, f"{name} has no example"
    if inspect.isclass(thing):
        return
    signature = inspect.signature(thing)
    if [parameter for parameter in signature.parameters if parameter not in ("self", "cls")]:
        assert "Parameters\n----------" in text, name
    if signature.return_annotation != "None":
        assert "Returns\n-------" in text, name


def test_every_parameter_is_documented():
    for name, thing in public():
        if inspect.isclass(thing):
            continue
        text = inspect.getdoc(thing)
        for parameter in inspect.signature(thing).parameters:
            if parameter not in ("self", "cls"):
                assert re.search(rf"(^|[ *,]){parameter}\b", text, re.M), (
                    f"{name} does not tell of {parameter}"
                )
