"""Views given by hand."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from . import _native
from ._links import is_path
from ._types import Path


@dataclasses.dataclass
class View:
    """One view: what its rows are made from, and what becomes of them.

    Parameters
    ----------
    source : str, optional
        Name of a relation or table: ``'links'``, ``'attributes'``, or that of a further one. None
        is the identity, which with a smoothing gives powers of the links.
    name : str, optional
        Name of the view; that of its source by default.
    transform : str or dict, default='raw'
        ``'raw'``, ``'row_l2'``, ``'row_l1'``, ``'tf_idf'``, ``'root_idf'``, ``'standardised'``, or
        for links ``{'symmetric': {'self_loops': 1}}`` and
        ``{'row_stochastic': {'self_loops': 1}}``.
    smoothing : dict, optional
        Smoothing over links: ``block``, ``transform`` (one for links) and ``steps``
        (``{'power': 2}``, ``{'mean': 8}`` or ``{'polynomial': [0, 0.5, 0.5]}``).
    log_affinity : dict, optional
        The logarithm of every entry after the smoothing: ``{'sampled': 768, 'kept': 256}``, the
        columns of the source and of the view at most.
    weight : float, default=1
        Weight in the loss.
    share : float, optional
        Share in the embedding; the weight by default. Shares are divided by their sum.
    direction : {'out', 'in'}, default='out'
        Which end of directed links describes a node.

    Examples
    --------
    >>> import numpy as np
    >>> from gage_embed import GAGE, View
    >>> smooth = dict(block="links", transform={"symmetric": {"self_loops": 1}}, steps={"power": 2})
    >>> views = [
    ...     View("attributes", transform="row_l2", weight=0.5),
    ...     View("attributes", name="smoothed", transform="row_l2", smoothing=smooth),
    ... ]
    >>> table = np.random.default_rng(0).normal(size=(20, 5))
    >>> model = GAGE(n_components=3, views=views).fit(table, links=[[i, i + 1] for i in range(19)])
    >>> [(view["name"], view["weight"]) for view in model.views_]
    [('attributes', 0.5), ('smoothed', 1.0)]
    """

    source: Optional[str] = None
    name: Optional[str] = None
    transform: Union[str, Dict[str, Any]] = "raw"
    smoothing: Optional[Dict[str, Any]] = None
    weight: float = 1.0
    share: Optional[float] = None
    direction: str = "out"
    log_affinity: Optional[Dict[str, int]] = None

    def _as_dict(self) -> Dict[str, Any]:
        made: Dict[str, Any] = {
            "name": self.name or self.source or "identity",
            "source": "identity" if self.source is None else {"block": self.source},
            "transform": self.transform,
            "direction": self.direction,
            "weight": self.weight,
            "share": self.weight if self.share is None else self.share,
        }
        further = {"smoothing": self.smoothing, "log_affinity": self.log_affinity}
        made.update({name: value for name, value in further.items() if value is not None})
        return made


# What `views` takes: objects, a recipe, or the file of one.
ViewsByHand = Union[Path, Mapping[str, Any], Sequence[View]]


def as_recipe(views: Any) -> Optional[Dict[str, Any]]:
    """Views as the engine takes them, from objects, a mapping or a file."""
    if views is None:
        return None
    if is_path(views):
        return dict(json.loads(_native.read_recipe(path=os.fspath(views))))
    if not isinstance(views, Mapping):
        views = {"views": list(views)}
    made = dict(views)
    if isinstance(made.get("views"), (list, tuple)):
        made["views"] = [
            view._as_dict() if isinstance(view, View) else view for view in made["views"]
        ]
    try:
        text = json.dumps(made, default=_plain, allow_nan=False)
    except ValueError:
        raise ValueError("views: found NaN or infinity, expected finite numbers") from None
    return dict(json.loads(_native.read_recipe(json=text)))


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"views: found {type(value).__name__}, expected plain data")
