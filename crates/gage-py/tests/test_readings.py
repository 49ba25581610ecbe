"""The rules by which columns are read: the cases of the library, and the same for frames."""

import json
import pathlib

import numpy as np
import pandas as pd
import pytest

from gage_embed import GAGE
from gage_embed.datasets import load_files

CASES = pathlib.Path(__file__).parents[2] / "gage-embed/tests/corpus/readings.json"
CASES = json.loads(CASES.read_text())["cases"]
# What the readers call these keyword arguments.
NAMES = {"label": "label_column", "kinds": "columns"}


def read(case, folder):
    paths = {}
    for part, lines in case["files"].items():
        paths[part] = folder / f"{part}.csv"
        paths[part].write_text("\n".join(lines) + "\n")
    options = {NAMES.get(name, name): value for name, value in case.get("options", {}).items()}
    if "columns" in options:
        options["columns"] = dict(options["columns"])
    return load_files(paths.pop("graph", None), **paths, **options)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_rule_says_and_builds_what_its_case_tells(case, tmp_path):
    if "error" in case:
        with pytest.raises(ValueError) as caught:
            read(case, tmp_path)
        assert all(part in str(caught.value) for part in case["error"])
        return
    data = read(case, tmp_path)
    found = {}
    for reading in data.readings:
        for column in reading["columns"]:
            found[column["name"]] = column
    for name, kind in {**case.get("read", {}), **case.get("kinds", {})}.items():
        column = found[name]
        assert (column["kind"] if column["role"] == "attribute" else column["role"]) == kind
    for key in ("header", "separator"):
        assert case.get(key) in (None, data.readings[0][key])
    for name, share in case.get("missing", {}).items():
        assert found[name]["missing"] == pytest.approx(share)
    assert case.get("nodes") in (None, len(data))
    for block, entries in case.get("blocks", {}).items():
        assert data.view(block).nnz == entries
    if "columns" in case:
        assert data.attribute_names == case["columns"]
    assert case.get("classes") in (None, data.class_names if "classes" in case else None)
    if "weights" in case:
        assert sorted(data.links.data) == pytest.approx(case["weights"])
    for part in case.get("warnings", ()):
        assert any(part in note for note in data.notes)


def ring(count, **columns):
    ids = [f"n{at}" for at in range(count)]
    frame = pd.DataFrame({"who": ids, "whom": ids[1:] + ids[:1], **columns})
    return ids, frame


def test_frames_are_read_by_the_same_rules():
    ids, edges = ring(12, since=np.arange(12) + 1.6e9, kind=["near", "far"] * 6)
    table = pd.DataFrame({"id": ids, "zip": ["02134", "94110", "10001"] * 4, "x": np.arange(12.0)})
    named = {"source": "who", "target": "whom", "relation": "kind", "time": "since"}
    model = GAGE(3, preset="balanced").fit(table, links=edges, **named)
    links, attributes = model.readings_
    roles = {column["name"]: column["role"] for column in links["columns"]}
    assert roles == {"who": "source", "whom": "target", "since": "time", "kind": "relation"}
    kinds = {column["name"]: column["kind"] for column in attributes["columns"]}
    assert kinds["zip"] == "category" and kinds["x"] == "number"
    assert {view["name"] for view in model.views_} >= {"links", "near", "far"}
    with pytest.raises(ValueError, match="source=NAME"):
        GAGE(3).fit(table, links=edges)
    with pytest.raises(ValueError, match="expected a column `postcode`"):
        GAGE(3).fit(table, links=edges, ignore=["postcode"], **named)


def test_categorical_and_node_attributes_choose_columns():
    ids, edges = ring(12)
    table = pd.DataFrame({"id": ids, "region": [1, 2, 3] * 4, "x": np.arange(12.0)})
    named = {"source": "who", "target": "whom"}

    def kinds(**said):
        model = GAGE(2, preset="balanced").fit(table, links=edges, **named, **said)
        return {column["name"]: column["kind"] for column in model.readings_[-1]["columns"]}

    assert kinds(categorical=["region"])["region"] == "category"
    assert kinds(node_attributes=["x"])["region"] == "ignored"
    assert kinds(columns={"region": "category", "x": "ignored"}) == {
        "id": None,
        "region": "category",
        "x": "ignored",
    }
    with pytest.warns(UserWarning, match="may be codes; read as a number; otherwise say columns="):
        kinds()
    with pytest.raises(TypeError, match="expected a list of names"):
        kinds(ignore="x")


def test_the_club_of_the_karate_club_is_no_secret_leak():
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    with pytest.warns(UserWarning, match="column `club` is an attribute of the embedding"):
        GAGE(4, preset="balanced").fit(graph)
    for node, data in graph.nodes(data=True):
        data["degree"] = float(graph.degree[node])
    model = GAGE(4, preset="balanced").fit(graph, ignore=["club"])
    assert [column["kind"] for column in model.readings_[-1]["columns"]][-1] == "number"
