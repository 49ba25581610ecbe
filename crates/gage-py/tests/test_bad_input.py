"""Bad input of every kind is an exception with a message, never an abort."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from gage_embed import GAGE, NodeEmbedding, datasets, evaluate, sweep, tune

SQUARE = sp.csr_matrix(np.ones((4, 4)) - np.eye(4))
TABLE = np.arange(12.0).reshape(4, 3) ** 2


def broken(**changes):
    """Compressed rows with one array replaced, as scipy would not let them be made."""
    from gage_embed.datasets import CSR

    parts = dict(indptr=SQUARE.indptr, indices=SQUARE.indices, data=SQUARE.data, shape=SQUARE.shape)
    return CSR(**{**parts, **changes})


CASES = {
    "nothing": (dict(), "nothing was given"),
    "an empty table": (dict(X=np.empty((0, 3))), "at least 2 nodes|nothing"),
    "no columns": (dict(X=np.empty((4, 0))), "minimum of 1"),
    "one node": (dict(X=np.ones((1, 3))), "at least 2 nodes"),
    "one dimension": (dict(X=np.arange(5.0)), "Reshape your data"),
    "three dimensions": (dict(X=np.ones((2, 2, 2))), "dimensions"),
    "complex numbers": (dict(X=TABLE.astype(complex)), "Complex data not supported"),
    "complex links": (dict(X=TABLE, links=np.eye(4, dtype=complex)), "Complex data not supported"),
    "infinity": (dict(X=np.where(TABLE > 100, np.inf, TABLE)), "inf"),
    "texts in an array": (dict(X=np.array([["a", "b", "c", "d"]] * 3)), "expected numbers"),
    "numbers as texts": (dict(X=TABLE.astype(str)), "expected numbers"),
    "bytes": (dict(X=TABLE.astype("S")), "expected numbers"),
    "dates in an array": (dict(X=np.zeros((4, 2), dtype="datetime64[s]")), "expected numbers"),
    "a structured array": (
        dict(X=np.zeros(4, dtype=[("a", float), ("b", int)])),
        "expected numbers",
    ),
    "a number": (dict(X=3.0), "0 dimensions"),
    "an array without dimensions": (dict(X=np.array(3.0)), "0 dimensions"),
    "links without dimensions": (dict(X=TABLE, links=np.array(3.0)), "0 dimensions"),
    "a sparse vector": (dict(X=sp.coo_array(np.arange(5.0))), "1 dimensions"),
    "links in a sparse vector": (dict(X=TABLE, links=sp.coo_array(np.arange(5.0))), "1 dimensions"),
    "a view in a sparse vector": (
        dict(X=TABLE, views={"more": sp.coo_array(np.arange(5.0))}),
        "1 dimensions",
    ),
    "an empty list": (dict(X=[]), "dimensions"),
    "no views": (dict(X={}), "nothing was given"),
    "an empty frame": (dict(X=pd.DataFrame()), "without columns"),
    "a frame without rows": (dict(X=pd.DataFrame({"a": [], "b": []})), "attributes: found nothing"),
    "a lazy frame": (dict(X=pl.DataFrame({"a": [1.0, 2.0]}).lazy()), "collect"),
    "a list of links without links": (
        dict(X=TABLE, links=np.empty((0, 2), dtype=int)),
        "links: found nothing",
    ),
    "NaN everywhere": (dict(X=np.full((4, 2), np.nan)), "observes no node"),
    "everything masked": (dict(X=np.ma.masked_all((4, 2))), "observes no node"),
    "masked links": (dict(X=TABLE, links=np.ma.masked_array(np.eye(4), np.eye(4) > 0)), "NaN"),
    "a negative end": (
        dict(X=TABLE, links=[[0, 1], [1, 2], [-1, 2], [2, 3]]),
        "row 2: found a negative index",
    ),
    "a negative end without a table": (
        dict(links=[[0, 1], [1, 2], [-1, 2], [2, 3]]),
        "row 2: found a negative index",
    ),
    "one node with a loop": (dict(links=[["a", "a"]]), "at least 2 nodes"),
    "columns beyond numbers": (dict(X=TABLE, n_components=float("nan")), "n_components"),
    "endless columns": (dict(X=TABLE, n_components=float("inf")), "n_components"),
    "a negative share": (dict(X=TABLE, n_components=-0.5), "n_components"),
    "a seed beyond 64 bits": (dict(X=TABLE, random_state=2**70), "u64"),
    "masks that have no names": (dict(X=TABLE, masks=[True] * 4), "masks: found list"),
    "views that have no names": (dict(X=TABLE, views=[SQUARE]), "views: found list"),
    "names in two columns": (
        dict(X=TABLE, nodes=np.arange(8).reshape(4, 2)),
        "nodes: found 2 dimensions",
    ),
    "a missing name": (dict(X=TABLE, nodes=["a", pd.NA, "b", "c"]), "nodes: entry 1 is missing"),
    "infinity in a frame": (dict(X=pd.DataFrame(np.where(TABLE > 100, np.inf, TABLE))), "inf"),
    "complex numbers in a frame": (dict(X=pd.DataFrame(TABLE.astype(complex))), "complex"),
    "objects": (dict(X=np.array([[object()] * 2] * 3)), "expected numbers"),
    "ragged rows": (dict(X=np.array([[1, 2], [3]], dtype=object)), "rows of different lengths"),
    "nodes all alike": (dict(X=np.ones((6, 2))), "zero after centring"),
    "no links": (dict(links=sp.csr_matrix((5, 5))), "zero after centring"),
    "NaN in sparse": (dict(X=sp.csr_matrix(np.where(TABLE == 4, np.nan, TABLE))), "NaN"),
    "NaN links": (dict(X=TABLE, links=np.full((4, 4), np.nan)), "NaN"),
    "infinite weight": (dict(X=TABLE, links=[[0, 1, np.inf]]), "inf"),
    "links that are not square": (dict(X=TABLE, links=np.ones((4, 5))), "4 rows and 5 columns"),
    "more links than rows": (dict(X=TABLE, links=sp.csr_matrix(np.eye(5))), "5 rows|same number"),
    "an id without row": (dict(X=TABLE, links=[[0, 1], [1, 2], [2, 9]]), "`9`"),
    "a weight of text": (dict(X=TABLE, links=[["a", "b", "much"], ["b", "c", "1"]]), "much"),
    "an empty id": (dict(X=pd.DataFrame({"source": ["a", None], "target": ["b", "a"]})), "missing"),
    "too many columns": (dict(X=TABLE, n_components=5), "at most 4, the number of nodes"),
    "no columns requested": (dict(X=TABLE, n_components=0), "at least 1"),
    "unknown preset": (dict(X=TABLE, preset="best"), "auto, paper, balanced, links, walks"),
    "unknown direction": (dict(X=TABLE, directed="up"), "'out', 'in' or 'both'"),
    "lambda out of range": (dict(X=TABLE, links=SQUARE, lam=1.5), "between 0 and 1"),
    "share for nobody": (
        dict(X=TABLE, links=SQUARE, lam={"words": 1.0}),
        "there is no view 'words'",
    ),
    "too many shares": (dict(X=TABLE, lam=[0.1, 0.2, 0.7]), "give one for each"),
    "weights for other views": (dict(X=TABLE, weights=[1, 2, 3]), "give one for each"),
    "negative weights": (dict(X=TABLE, weights=[-1]), "from 1e-12 to 1e12"),
    "a seed below 0": (dict(X=TABLE, random_state=-1), "random_state"),
    "no threads": (dict(X=TABLE, n_jobs=0), "n_jobs"),
    "another precision": (dict(X=TABLE, precision="half"), "'single' or 'double'"),
    "a mask too short": (dict(X=TABLE, masks={"attributes": [True]}), "1 entries|mask"),
    "a mask for nobody": (dict(X=TABLE, masks={"words": [True] * 4}), "a mask for `words`"),
    "a mask of numbers": (dict(X=TABLE, masks={"attributes": [2, 0, 1, 1]}), "one flag per node"),
    "names twice": (dict(X=TABLE, nodes=["a", "b", "a", "c"]), "`a` stands twice"),
    "too few names": (dict(X=TABLE, nodes=["a", "b"]), "2 names"),
    "an index twice": (dict(X=pd.DataFrame(TABLE, index=list("aabc"))), "`a`"),
    "columns twice": (
        dict(X=pd.DataFrame(TABLE, columns=list("aab"))),
        "two columns are called `a`",
    ),
    "lists in a frame": (
        dict(X=pd.DataFrame({"a": [[1], [2], [3]]})),
        "expected a number or a text",
    ),
    "a frame without columns": (
        dict(X=pd.DataFrame(index=list("abc"))),
        "minimum of 1|without columns",
    ),
    "no such id column": (dict(X=pd.DataFrame(TABLE), id_column="who"), "there is no column `who`"),
    "pointers that fall": (
        dict(links=broken(indptr=np.array([0, 6, 3, 9, 12], dtype=np.int32))),
        "rising sequence",
    ),
    "pointers too short": (dict(links=broken(indptr=SQUARE.indptr[:-1])), "row pointers"),
    "a negative pointer": (
        dict(links=broken(indptr=np.array([-1, 3, 6, 9, 12], dtype=np.int32))),
        "row pointers",
    ),
    "a column outside": (dict(links=broken(indices=SQUARE.indices + 2)), "out of range"),
    "a negative column": (dict(links=broken(indices=SQUARE.indices - 5)), "out of range|outside"),
    "a wide negative column": (
        dict(links=broken(indices=SQUARE.indices.astype(np.int64) - 5)),
        "outside",
    ),
    "fewer values than columns": (dict(links=broken(data=SQUARE.data[:-1])), "column indices but"),
    "columns that are floats": (
        dict(links=broken(indices=SQUARE.indices.astype(float))),
        "whole numbers",
    ),
    "zero rows of another kind": (dict(X=TABLE, zero_rows="maybe"), "'zero' or 'missing'"),
}
FIT = ("X", "links", "attributes", "views", "masks", "nodes", "id_column", "zero_rows")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_an_exception(name):
    given, words = CASES[name]
    data = {key: value for key, value in given.items() if key in FIT}
    params = {key: value for key, value in given.items() if key not in FIT}
    params.setdefault("n_components", 2)
    with pytest.raises((ValueError, TypeError), match=words):
        GAGE(**params).fit(data.pop("X", None), **data).embedding_


FILES = {
    "adj.npz": b"no archive",
    "edges.csv": b"",
    "features.npy": b"\x93NUMPY\x01\x00\xff\xff",
    "graph.mtx": b"%%MatrixMarket matrix coordinate real general\n2 2 5\n1 1 1.0\n",
    "data.mat": b"MATLAB 5.0 MAT-file" + b"\0" * 40,
}


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_named(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    with pytest.raises(ValueError, match=name):
        GAGE(2).fit(path)


def test_missing_files_are_missing(tmp_path):
    for call in (
        lambda: GAGE(2).fit(tmp_path / "nowhere"),
        lambda: GAGE.load(tmp_path / "nowhere.gage"),
        lambda: datasets.load_folder(tmp_path / "nowhere"),
        lambda: datasets.load_mat(tmp_path / "nowhere.mat"),
    ):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            call()
    (tmp_path / "bad.gage").write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match="bad.gage"):
        GAGE.load(tmp_path / "bad.gage")
    with pytest.raises(OSError, match="nowhere"):
        GAGE(2).fit(TABLE).save(tmp_path / "nowhere" / "m.gage")


def test_other_files_are_not_matlab(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    with pytest.raises(ValueError, match=".mat"):
        datasets.load_mat(tmp_path / "edges.csv")


def test_nothing_is_left_out_in_silence(debian, debian_folder):
    for data, more in (
        (debian, dict(links=debian.links)),
        (debian, dict(attributes=debian.attributes)),
        (debian, dict(views={"more": debian.attributes})),
        (debian, dict(nodes=debian.ids)),
        (debian, dict(zero_rows="missing")),
        (debian_folder, dict(nodes=debian.ids)),
        (debian_folder, dict(zero_rows="maybe")),
    ):
        with pytest.raises(ValueError, match=next(iter(more))):
            GAGE(2).fit(data, **more)


def test_new_nodes_that_do_not_fit(planted, debian):
    model = GAGE(4, preset="balanced").fit(planted.attributes, links=planted.links)
    with pytest.raises(ValueError, match="5 columns|5 features"):
        model.transform(np.ones((3, 5)))
    with pytest.raises(ValueError, match="120 columns, one per fitted node"):
        model.transform(links=np.ones((3, 7)))
    with pytest.raises(ValueError, match="nothing was given"):
        model.transform()
    with pytest.raises(ValueError, match="found a data set"):
        model.transform(debian)
    with pytest.raises(ValueError, match="2 x 120, expected 3 x 120"):
        model.transform(attributes=np.ones((3, 12)), links=sp.csr_matrix((2, 120)))


def test_evaluations_that_make_no_sense(planted):
    rows = planted.attributes
    for call, words in (
        (lambda: evaluate(rows), "labels"),
        (lambda: evaluate(rows, planted.labels[:-1]), "as many"),
        (lambda: evaluate(rows, np.zeros(len(rows), int)), "at least 2"),
        (lambda: evaluate(rows, planted.labels, task="guess"), "classify, cluster, links"),
        (lambda: evaluate(rows, planted.labels, train=-1.0), "train|bounds|share"),
        (lambda: evaluate(rows, planted.labels, shuffles=0), "at least 1"),
        (lambda: evaluate(rows, planted.labels + 0.5), "fractions"),
        (lambda: evaluate(rows, task="cluster"), "give their number"),
        (lambda: evaluate(rows, planted.labels, train="half"), "train: found 'half'"),
        (lambda: evaluate(rows, planted.labels, train=float("nan")), "train: found nan"),
        (lambda: evaluate(rows, planted.labels, C=float("nan")), "NaN or infinity"),
        (lambda: evaluate(np.full((120, 2), np.nan), planted.labels), "NaN"),
        (lambda: evaluate(rows, np.full((120, 3), np.nan)), "0 and 1"),
        (lambda: evaluate(rows, pd.DataFrame({"a": planted.labels})), "found a frame"),
        (lambda: evaluate(rows, task="links"), "no links in the data"),
        (lambda: evaluate(GAGE(), task="links"), "found a model"),
        (lambda: evaluate(GAGE(), planted.labels), "not fitted"),
        (lambda: sweep(GAGE(2).fit(rows), task="links"), "found a model"),
        (lambda: sweep(rows, planted.labels, lambdas=0), "lambdas: found 0"),
        (lambda: sweep(rows, planted.labels, lambdas="abc"), "lambdas: found 'abc'"),
        (lambda: sweep(rows, planted.labels, lambdas=True), "lambdas: found True"),
        (lambda: NodeEmbedding().fit([1]), "needs a model"),
        (lambda: NodeEmbedding().transform([1]), "needs a model"),
        (lambda: GAGE(2).fit(rows).plot(labels=[1, 2]), "expected 120 values"),
        (lambda: GAGE(2).fit(rows).plot(labels=np.eye(120)), "expected 120 values"),
        (lambda: tune(rows, None), "labels"),
        (lambda: tune(rows, planted.labels, holdout=2.0), "between 0 and 1"),
        (lambda: tune(rows, planted.labels, measure="best"), "'micro' or 'macro'"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
