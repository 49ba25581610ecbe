"""A program as users write it, for mypy: what is right passes, what is wrong is found (an ignored
error that is none is an error).
"""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse as sp

from gage_embed import GAGE, NodeEmbedding, convert, evaluate, generate, index, sweep, tune
from gage_embed.datasets import load_debian


def right() -> None:
    packages = load_debian()
    frame: Any = pd.DataFrame({"x": [1.0, 2.0]})
    for data in (packages, np.eye(3), [[1.0, 2.0]], frame, Path("folder"), "edges.csv"):
        GAGE(2).fit(data)
    GAGE("auto", preset="balanced", lam=[0.5, 0.5], directed="both").fit(nx.path_graph(3))
    GAGE(0.9, lam={"links": 1.0}).fit(np.eye(3), links=sp.csr_matrix(np.eye(3)), nodes=3)
    model = GAGE(8).fit((packages.links, packages.attributes), views={"more": np.eye(3)})
    shape: "tuple[int, ...]" = model.embedding_.shape
    near = model.similar("gimp", metric="distance")[0]
    value: float = near.value
    report = evaluate(model, packages.labels, task="cluster")
    curve = sweep(model, {"a": 1}, lambdas=[0.0, 1.0])
    chosen = tune(packages, presets="paper", n_components=[8, "auto"], measure="macro")
    frames = (report.to_frame("polars"), curve.plot(), chosen.report.to_frame(), near, value, shape)
    rows, ids = model.fold_in(links=[["new", "gimp"]])
    print(rows + 1.0, ids, frames, NodeEmbedding(model, lam=0.3), generate(9), index("m.gage"))
    print(convert("a", Path("b")), model.map_()[0])


def wrong() -> None:
    GAGE(preset="best")  # type: ignore[arg-type]
    GAGE("many")  # type: ignore[arg-type]
    GAGE(precision="half")  # type: ignore[arg-type]
    GAGE(2).fit(object())  # type: ignore[arg-type]
    GAGE(2).fit(np.eye(2), align="name")  # type: ignore[arg-type]
    GAGE(2).similar("a", metric="near")  # type: ignore[arg-type]
    evaluate(np.eye(3), [0, 1, 0], task="guess")  # type: ignore[arg-type]
    sweep(np.eye(3), [0, 1, 0]).to_frame("arrow")  # type: ignore[arg-type]
