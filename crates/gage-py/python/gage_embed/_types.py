"""Types of arguments."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Literal, Mapping, Sequence, Union

# Kinds of frames; 'numpy' is a structured array.
FrameKind = Literal["pandas", "polars", "numpy"]
Preset = Literal["auto", "balanced", "links", "paper"]
Task = Literal["classify", "cluster", "links"]
Metric = Literal["cosine", "distance"]
Align = Literal["id", "position"]
ZeroRows = Literal["zero", "missing"]
Precision = Literal["single", "double"]
Directed = Literal[None, False, "no", "out", "in", "both"]
Output = Literal["default", "pandas", "polars"]
# One share of the views that use links, or one for each view, in order or by name.
Lam = Union[None, float, Sequence[float], Mapping[str, float]]
Components = Union[int, float, Literal["auto"]]
Path = Union[str, "os.PathLike[str]"]
# Anything that holds a table, links or labels: see `docs/python.md`.
Data = Any
View = Dict[str, Any]
Views = List[View]
