"""The same seed gives the same bits as on the command line, and both read the same files."""

import json

import numpy as np
import pytest

from gage_embed import GAGE, evaluate, sweep


@pytest.fixture(scope="module")
def from_cli(gage, debian_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("cli")
    gage(
        "embed",
        debian_folder,
        "--directed",
        "no",
        "--dim",
        16,
        "--seed",
        3,
        "--preset",
        "balanced",
        "-o",
        out / "e.npy",
        "--model",
        out / "m.gage",
    )
    return out


@pytest.fixture(scope="module")
def model(debian):
    return GAGE(16, preset="balanced", random_state=3).fit(debian)


def test_bits_are_those_of_the_command_line(from_cli, model, debian, debian_folder):
    expected = np.load(from_cli / "e.npy")
    assert model.embedding_.tobytes() == expected.tobytes()
    links, attributes = debian.links, debian.attributes
    fit = GAGE(16, preset="balanced", random_state=3)
    assert (
        fit.fit(attributes, links=links, nodes=debian.ids).embedding_.tobytes()
        == expected.tobytes()
    )
    as_doubles = fit.fit((links.astype(float), attributes.astype(float)), nodes=debian.ids)
    assert as_doubles.embedding_.tobytes() == expected.tobytes()
    from_files = GAGE(16, preset="balanced", random_state=3, directed=False).fit(debian_folder)
    assert from_files.embedding_.tobytes() == expected.tobytes()


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_bits_do_not_depend_on_threads(from_cli, debian, n_jobs):
    rows = GAGE(16, preset="balanced", random_state=3, n_jobs=n_jobs).fit_transform(debian)
    assert rows.tobytes() == np.load(from_cli / "e.npy").tobytes()


def test_auto_is_the_auto_of_the_command_line(gage, debian, debian_folder, tmp_path):
    gage("embed", debian_folder, "--directed", "no", "--dim", 8, "-o", tmp_path / "e.npy")
    assert GAGE(8).fit_transform(debian).tobytes() == np.load(tmp_path / "e.npy").tobytes()


def test_a_tolerance_is_that_of_the_command_line(gage, debian, debian_folder, tmp_path):
    gage(
        "embed",
        debian_folder,
        "--directed",
        "no",
        "--dim",
        8,
        "--preset",
        "paper",
        "--tolerance",
        "1e-5",
        "-o",
        tmp_path / "e.npy",
        "--model",
        tmp_path / "m.gage",
    )
    exact, usual = (
        GAGE(8, preset="paper", tol=1e-5).fit(debian),
        GAGE(8, preset="paper").fit(debian),
    )
    assert exact.embedding_.tobytes() == np.load(tmp_path / "e.npy").tobytes()
    assert exact.info_["passes"] > usual.info_["passes"] and usual.get_params()["tol"] is None
    assert GAGE.load(tmp_path / "m.gage").get_params()["tol"] == 1e-5
    with pytest.raises(ValueError, match="tolerance"):
        GAGE(8, tol=-1.0).fit(debian)


def test_model_files_go_both_ways(gage, from_cli, model, tmp_path):
    loaded = GAGE.load(from_cli / "m.gage")
    assert loaded.embedding(0.3).tobytes() == model.embedding(0.3).tobytes()
    assert loaded.get_params()["preset"] == "balanced" and loaded.ids_ == model.ids_
    model.save(tmp_path / "py.gage")
    gage("reweight", tmp_path / "py.gage", "--lambda", 0.3, "-o", tmp_path / "r.npy")
    assert np.load(tmp_path / "r.npy").tobytes() == model.embedding(0.3).tobytes()
    assert (tmp_path / "py.gage").read_bytes() == (from_cli / "m.gage").read_bytes()


def test_similar_nodes_are_the_same(gage, from_cli, model):
    report = json.loads(
        gage("similar", from_cli / "m.gage", "gimp", "-k", 5, "--lambda", 0.7, "--json")
    )
    told = report["nodes"][0]["neighbours"]
    found = model.similar("gimp", k=5, lam=0.7)
    assert [near.id for near in found] == [near["id"] for near in told]
    assert [near.value for near in found] == [near["value"] for near in told]
    assert [list(near.by_view.values()) for near in found] == [near["by_view"] for near in told]


def test_evaluations_are_the_same(gage, from_cli, model, debian, debian_folder):
    words = [
        "evaluate",
        "classify",
        from_cli / "m.gage",
        "--labels",
        debian_folder,
        "--train",
        0.5,
        "--shuffles",
        2,
    ]
    told = json.loads(gage(*words, "--json"))
    found = evaluate(model, debian.labels, train=0.5, shuffles=2)
    assert found["results"][0]["micro_f1"] == told["results"][0]["micro_f1"]
    at_lambda = sweep(model, debian.labels, lambdas=[0.5], train=0.5, shuffles=2)
    expected = evaluate(model, debian.labels, lam=0.5, train=0.5, shuffles=2)
    assert at_lambda["series"][0]["values"][0] == expected["results"][0]["micro_f1"]


def test_new_nodes_are_the_same(gage, from_cli, model, tmp_path):
    pairs = [["my-paint", "gimp"], ["my-paint", "krita"]]
    pairs += [["my-editor", "vim"], ["my-editor", "gimp"]]
    (tmp_path / "new.csv").write_text(
        "source,target\n" + "\n".join(",".join(pair) for pair in pairs) + "\n"
    )
    gage(
        "fold-in", from_cli / "m.gage", "--graph", tmp_path / "new.csv", "-o", tmp_path / "new.npy"
    )
    rows, ids = model.fold_in(links=pairs)
    assert ids == ["my-paint", "my-editor"]
    assert rows.tobytes() == np.load(tmp_path / "new.npy").tobytes()
    again, _ = model.fold_in(links=tmp_path / "new.csv")
    assert again.tobytes() == rows.tobytes()


def test_mixed_tables_are_encoded_as_on_the_command_line(gage, tmp_path):
    import pandas as pd

    rng = np.random.default_rng(1)
    people = pd.DataFrame(
        {
            "id": [f"p{at}" for at in range(60)],
            "age": np.where(rng.random(60) < 0.1, np.nan, rng.integers(20, 70, 60)),
            "city": rng.choice(["Berlin", "Rome", "Oslo"], 60),
            "member": rng.choice([True, False], 60),
        }
    )
    links = pd.DataFrame(
        {"source": people["id"], "target": people["id"].shift(-1).fillna("p0"), "weight": 1.5}
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    links.to_csv(tmp_path / "links.csv", index=False)
    gage(
        "embed",
        "--graph",
        tmp_path / "links.csv",
        "--attributes",
        tmp_path / "people.csv",
        "--dim",
        4,
        "--preset",
        "balanced",
        "-o",
        tmp_path / "e.npy",
    )
    rows = GAGE(4, preset="balanced").fit_transform(people, links=links)
    assert rows.tobytes() == np.load(tmp_path / "e.npy").tobytes()
