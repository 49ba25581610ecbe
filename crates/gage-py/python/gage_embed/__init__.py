"""Node embeddings that keep both geometries of an attributed graph: links and attributes.

>>> import gage_embed
>>> packages = gage_embed.datasets.load_debian()
>>> model = gage_embed.GAGE(n_components=16).fit(packages)
>>> model.embedding_.shape
(3824, 16)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, List

from ._native import PRESETS, __version__

if TYPE_CHECKING:
    from . import datasets
    from ._convert import convert
    from ._estimator import GAGE
    from ._evaluate import TuneResult, evaluate, sweep, tune
    from ._index import SearchIndex, index
    from ._lookup import NodeEmbedding
    from ._reports import Neighbours, Report, Sweep
    from ._views import View
    from .datasets import generate

# Loaded at the first use: the command, which is in this package, needs none of it, and
# scikit-learn alone takes a second.
_MODULES = {
    "GAGE": "._estimator",
    "Neighbours": "._reports",
    "NodeEmbedding": "._lookup",
    "Report": "._reports",
    "SearchIndex": "._index",
    "Sweep": "._reports",
    "TuneResult": "._evaluate",
    "View": "._views",
    "convert": "._convert",
    "datasets": ".datasets",
    "evaluate": "._evaluate",
    "generate": ".datasets",
    "index": "._index",
    "sweep": "._evaluate",
    "tune": "._evaluate",
}

__all__ = [
    "GAGE",
    "Neighbours",
    "NodeEmbedding",
    "PRESETS",
    "Report",
    "SearchIndex",
    "Sweep",
    "TuneResult",
    "View",
    "__version__",
    "convert",
    "datasets",
    "evaluate",
    "generate",
    "index",
    "sweep",
    "tune",
]


def __getattr__(name: str) -> Any:
    where = _MODULES.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(where, __name__)
    found = module if where == f".{name}" else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
