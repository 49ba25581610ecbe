"""Reference values from scikit-learn for tests/evaluation.rs.

Called as `evaluation.py COMMAND FOLDER`; arrays are raw little-endian binaries in FOLDER (float64,
int64), settings and results are JSON. The first thing printed is the version of scikit-learn.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    adjusted_rand_score,
    average_precision_score,
    f1_score,
    normalized_mutual_info_score,
    roc_auc_score,
    silhouette_score,
)
from sklearn.multiclass import OneVsRestClassifier


def numbers(path, kind):
    return np.fromfile(path, dtype=kind)


def versions(folder):
    """Only says which scikit-learn there is."""


def embed(folder):
    """Attributes and links of each data set, reduced to a table of numbers."""
    import scipy.sparse as sp

    for job in json.loads((folder / "embed.json").read_text()):
        source = Path(job["source"])
        links = sp.load_npz(source / "adj.npz").astype(float)
        words = sp.load_npz(source / "features.npz").astype(float)
        labels = np.load(source / "labels.npy").astype(np.int64)
        parts = [matrix / sp.linalg.norm(matrix) for matrix in (links, words)]
        table = TruncatedSVD(job["columns"], random_state=0).fit_transform(sp.hstack(parts).tocsr())
        table *= job["spread"] / table.std()
        table.astype(np.float64).tofile(folder / f"{job['name']}.embedding")
        labels.tofile(folder / f"{job['name']}.labels")


def classify(folder):
    """One-vs-rest LIBLINEAR on each split, at the default tolerance and at a tight one."""
    results = []
    for job in json.loads((folder / "classify.json").read_text()):
        table = numbers(folder / f"{job['name']}.embedding", np.float64).reshape(-1, job["columns"])
        labels = numbers(folder / f"{job['name']}.labels", np.int64)
        for at, split in enumerate(job["splits"]):
            train, test = np.array(split["train"]), np.array(split["test"])
            for name, settings in {
                "default": {},
                "tight": {"tol": 1e-10, "max_iter": 10000},
            }.items():
                model = OneVsRestClassifier(
                    LogisticRegression(solver="liblinear", C=job["c"], **settings)
                )
                predicted = model.fit(table[train], labels[train]).predict(table[test])
                predicted.astype(np.int64).tofile(folder / f"{job['name']}.{at}.{name}")
            ours = numbers(folder / f"{job['name']}.{at}.ours", np.int64)
            truth, every = labels[test], list(range(job["classes"]))
            results.append(
                {
                    "micro": f1_score(truth, ours, average="micro"),
                    "macro_present": f1_score(truth, ours, average="macro"),
                    "macro_all": f1_score(
                        truth, ours, labels=every, average="macro", zero_division=0.0
                    ),
                    "accuracy": accuracy_score(truth, ours),
                }
            )
    (folder / "classify.result").write_text(json.dumps(results))


def several(folder):
    """Several labels per node: the classes of the highest scores, as many as the node truly has."""
    job = json.loads((folder / "several.json").read_text())
    table = numbers(folder / "several.embedding", np.float64).reshape(-1, job["columns"])
    truth = numbers(folder / "several.labels", np.int64).reshape(-1, job["classes"])
    train, test = np.array(job["train"]), np.array(job["test"])
    model = OneVsRestClassifier(
        LogisticRegression(solver="liblinear", C=job["c"], tol=1e-10, max_iter=10000)
    )
    scores = model.fit(table[train], truth[train]).decision_function(table[test])
    predicted = np.zeros_like(truth[test])
    for row, count in enumerate(truth[test].sum(axis=1)):
        predicted[row, np.argsort(-scores[row])[:count]] = 1
    result = {
        "predicted": [np.flatnonzero(row).tolist() for row in predicted],
        "micro": f1_score(truth[test], predicted, average="micro"),
        "macro_all": f1_score(truth[test], predicted, average="macro", zero_division=0.0),
        "accuracy": accuracy_score(truth[test], predicted),
    }
    (folder / "several.result").write_text(json.dumps(result))


def ranking(folder):
    """Area under the curve and average precision."""
    results = []
    for name in json.loads((folder / "ranking.json").read_text()):
        scores = numbers(folder / f"{name}.scores", np.float64)
        truth = numbers(folder / f"{name}.truth", np.int64)
        results.append([roc_auc_score(truth, scores), average_precision_score(truth, scores)])
    (folder / "ranking.result").write_text(json.dumps(results))


def clusters(folder):
    """Agreement of partitions, and silhouettes."""
    results = []
    for job in json.loads((folder / "clusters.json").read_text()):
        truth = numbers(folder / f"{job['name']}.truth", np.int64)
        found = numbers(folder / f"{job['name']}.found", np.int64)
        table = numbers(folder / f"{job['name']}.embedding", np.float64)
        table = table.reshape(-1, job["columns"])
        results.append(
            [
                normalized_mutual_info_score(truth, found),
                adjusted_rand_score(truth, found),
                silhouette_score(table, found),
            ]
        )
    (folder / "clusters.result").write_text(json.dumps(results))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(sklearn.__version__)
    {f.__name__: f for f in (versions, embed, classify, several, ranking, clusters)}[sys.argv[1]](
        Path(sys.argv[2])
    )
