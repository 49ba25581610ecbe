"""The package where only NumPy is installed: run by `make python` in an environment that has
nothing else.
"""

import importlib.util
import pickle
import tempfile
from pathlib import Path

import numpy as np

for name in ("scipy", "sklearn", "pandas", "networkx", "polars", "tqdm", "matplotlib"):
    assert importlib.util.find_spec(name) is None, (
        f"{name} is installed here, so this proves nothing"
    )

from gage_embed import GAGE, NodeEmbedding, evaluate  # noqa: E402
from gage_embed.datasets import CSR, load_debian  # noqa: E402

packages = load_debian()
model = GAGE(16, verbose=True).fit(packages)
assert model.embedding(0.5).shape == (3824, 16)
assert isinstance(packages.links, CSR)
again = GAGE(16).fit((packages.links, packages.attributes), nodes=packages.ids)
assert again.embedding_.tobytes() == model.embedding_.tobytes()
assert evaluate(model, packages.labels, train=0.5, shuffles=1)["labelled"] == 3824
assert pickle.loads(pickle.dumps(model)).similar("gimp", 3) == model.similar("gimp", 3)
with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "m.gage")
    assert GAGE.load(Path(folder) / "m.gage").embedding_.tobytes() == model.embedding_.tobytes()
assert NodeEmbedding(model, lam=0.3).transform(["gimp"]).shape == (1, 16)
assert repr(GAGE(8).set_params(lam=0.5)) == "GAGE(lam=0.5, n_components=8)"
rng = np.random.default_rng(0)
assert GAGE(2).fit_transform(rng.normal(size=(9, 4))).shape == (9, 2)
try:
    GAGE().embedding_
except ValueError as error:
    assert "not fitted" in str(error)
try:
    model.plot()
except ImportError as error:
    assert "matplotlib" in str(error)
else:
    raise AssertionError("a map without matplotlib")
print("with NumPy alone: fine")
