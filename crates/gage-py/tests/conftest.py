"""What the tests share: the embedded data, a small planted graph, and the command line."""

import importlib.util
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from gage_embed.datasets import load_debian

ROOT = Path(__file__).resolve().parents[3]
# Run by `make python-torch` and `make python-oldest`, in environments of their own.
ELSEWHERE = {"pytorch": "torch_geometric", "test_anndata.py": "anndata"}
collect_ignore = [
    name for name, package in ELSEWHERE.items() if importlib.util.find_spec(package) is None
]


@pytest.fixture(scope="session")
def debian():
    return load_debian()


@pytest.fixture(scope="session")
def debian_folder():
    return ROOT / "crates" / "gage-debian" / "data" / "debian"


@pytest.fixture(scope="session")
def gage():
    """Runs the command line; it must be there, so that nothing is passed over in silence."""
    program = Path(os.environ.get("GAGE_CLI", ROOT / "target" / "debug" / "gage"))
    assert program.exists(), (
        f"{program} is missing; build it with `cargo build -p gage-cli` or set GAGE_CLI"
    )

    def run(*arguments):
        words = [str(program), *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


class Planted:
    """Classes that both links and attributes know of."""

    def __init__(self, nodes=120, classes=3, seed=0):
        rng = np.random.default_rng(seed)
        self.labels = np.arange(nodes) % classes
        same = self.labels[:, None] == self.labels[None, :]
        upper = np.triu(rng.random((nodes, nodes)) < np.where(same, 0.3, 0.02), 1)
        dense = (upper | upper.T).astype(np.float32)
        self.links = sp.csr_matrix(dense)
        centres = rng.normal(size=(classes, 12))
        self.attributes = centres[self.labels] + 0.5 * rng.normal(size=(nodes, 12))
        self.edges = np.argwhere(np.triu(dense))
        self.ids = [f"n{at}" for at in range(nodes)]

    def rank(self, rows):
        """Mean over nodes of the share of the ten nearest that are of the same class."""
        rows = np.asarray(rows, dtype=float)
        gram = rows @ rows.T
        lengths = np.sqrt(np.maximum(np.diag(gram), 1e-12))
        cosine = gram / lengths[:, None] / lengths[None, :]
        np.fill_diagonal(cosine, -2)
        near = np.argsort(-cosine, axis=1)[:, :10]
        return (self.labels[near] == self.labels[:, None]).mean()


@pytest.fixture(scope="session")
def planted():
    return Planted()
