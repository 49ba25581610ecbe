"""Node embeddings that keep both geometries of an attributed graph: links and attributes.

>>> import gage_embed
>>> packages = gage_embed.datasets.load_debian()
>>> model = gage_embed.GAGE(n_components=16).fit(packages)
>>> model.embedding_.shape
(3824, 16)
"""

from . import datasets
from ._evaluate import TuneResult, evaluate, sweep, tune
from ._estimator import GAGE
from ._lookup import NodeEmbedding
from ._native import PRESETS, __version__

__all__ = [
    "GAGE",
    "NodeEmbedding",
    "PRESETS",
    "TuneResult",
    "__version__",
    "datasets",
    "evaluate",
    "sweep",
    "tune",
]
