"""What a call is given, as something the package reads: anything else is refused."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _anndata, _arrow, _frames, _native, _objects
from ._arrays import is_sparse
from ._links import is_path

ACCEPTED = (
    "arrays and lists of rows, sparse matrices of SciPy, frames of pandas, polars, pyarrow and "
    "DuckDB or anything else with `__arrow_c_stream__`, graphs of NetworkX, igraph, rustworkx, DGL "
    "and PyTorch Geometric, AnnData, data sets of this package, and paths"
)


def opened(name: str, value: Any) -> Any:
    """The same thing, with streams of Arrow read into a frame."""
    if _arrow.is_stream(value):
        return _arrow.read_stream(name, value)
    if not is_known(value):
        kind = type(value)
        where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
        raise TypeError(f"{name}: found {where}{kind.__qualname__}; accepted are {ACCEPTED}")
    return value


def is_known(value: Any) -> bool:
    """Whether something is of a kind that the package reads, or is an array at least."""
    return (
        value is None
        or is_path(value)
        or np.isscalar(value)
        or isinstance(value, (Mapping, list, tuple, _native.Links, _native.Table))
        or hasattr(value, "__array__")
        or hasattr(value, "detach")
        or is_sparse(value)
        or _frames.is_frame(value)
        or type(value).__name__ == "LazyFrame"
        or _objects.is_graph(value)
        or _anndata.is_anndata(value)
        or type(value).__module__.startswith("gage_embed.")
    )
