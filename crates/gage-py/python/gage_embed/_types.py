"""Types of arguments and results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, Protocol, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .datasets import Dataset

    Floats = NDArray[np.floating[Any]]
else:
    # Older NumPy cannot say so when it runs.
    Floats = Any

# Kinds of frames; 'numpy' is a structured array.
FrameKind = Literal["pandas", "polars", "numpy"]
Preset = Literal["auto", "balanced", "links", "paper", "walks"]
Task = Literal["classify", "cluster", "links"]
Metric = Literal["cosine", "distance"]
Align = Literal["id", "position"]
Ids = Literal["exact", "fold-case"]
Only = Literal["links", "attributes"]
ZeroRows = Literal["zero", "missing"]
Precision = Literal["single", "double"]
Directed = Literal[None, False, "no", "out", "in", "both"]
Output = Literal["default", "pandas", "polars"]
# One share of the views that use links, or one for each view, in order or by name.
Lam = Union[None, float, Sequence[float], Mapping[str, float]]
Components = Union[int, float, Literal["auto"]]
Path = Union[str, "os.PathLike[str]"]
RandomState = Union[None, int, np.random.RandomState, np.random.Generator]


class Sparse(Protocol):
    """Sparse matrices of SciPy and the like."""

    @property
    def shape(self) -> Tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


class CompressedRows(Protocol):
    """Sparse matrices without SciPy."""

    @property
    def indptr(self) -> Any: ...

    @property
    def indices(self) -> Any: ...

    @property
    def data(self) -> Any: ...


class ArrowTable(Protocol):
    """Frames, relations and readers that speak Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class NetworkX(Protocol):
    """Graphs of NetworkX."""

    def is_directed(self) -> bool: ...

    def adjacency(self) -> Any: ...


class Igraph(Protocol):
    """Graphs of igraph."""

    @property
    def vs(self) -> Any: ...

    @property
    def es(self) -> Any: ...


class Rustworkx(Protocol):
    """Graphs of rustworkx."""

    def weighted_edge_list(self) -> Any: ...

    def node_indices(self) -> Any: ...


class Dgl(Protocol):
    """Graphs of DGL."""

    @property
    def canonical_etypes(self) -> Any: ...

    @property
    def ndata(self) -> Any: ...


class PyG(Protocol):
    """`Data` of PyTorch Geometric."""

    @property
    def edge_index(self) -> Any: ...

    @property
    def num_nodes(self) -> Optional[int]: ...


class PyGHetero(Protocol):
    """`HeteroData` of PyTorch Geometric."""

    @property
    def node_types(self) -> Any: ...

    @property
    def edge_types(self) -> Any: ...


class Cells(Protocol):
    """AnnData."""

    @property
    def obsp(self) -> Any: ...

    @property
    def obsm(self) -> Any: ...


Table = Union[ArrayLike, Sparse, CompressedRows, ArrowTable, Path]
GraphLike = Union[NetworkX, Igraph, Rustworkx, Dgl, PyG]
Links = Union[Table, GraphLike]
Views = Mapping[str, Links]
# Whatever can be fitted: see `docs/python.md`.
Data = Union[Links, PyGHetero, Cells, "Dataset", Views]
Labels = Union[ArrayLike, Sparse, Mapping[Any, Any], Path]
