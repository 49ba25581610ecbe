"""Search indexes: nearest nodes at once, at any number of nodes."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, cast

import numpy as np

from . import _native, _settings
from ._progress import threads
from ._reports import Neighbour, Neighbours, table
from ._rows import check_align
from ._types import Ids, Lam, Metric, Path, RandomState


class SearchIndex:
    """An index file, from which a search reads a small part.

    Parameters
    ----------
    path : path-like
        The file, written by :func:`index` or by `gage index`.

    Examples
    --------
    See :func:`index`.

    >>> from gage_embed import SearchIndex
    >>> SearchIndex("nothing.index")
    Traceback (most recent call last):
        ...
    FileNotFoundError: nothing.index: cannot be read: No such file or directory (os error 2)...
    """

    def __init__(self, path: Path) -> None:
        self._native = _native.SearchIndex.open(os.fspath(path))

    @property
    def path(self) -> str:
        """Where it is."""
        return str(self._native.path)

    @property
    def info_(self) -> Dict[str, Any]:
        """What it was built of and how: nodes, columns, metric, shares, and the recall measured."""
        return cast(Dict[str, Any], json.loads(self._native.info()))

    def __len__(self) -> int:
        return int(self.info_["nodes"])

    def __repr__(self) -> str:
        info = self.info_
        return f"SearchIndex({self.path!r}: {info['nodes']} nodes, {info['metric']})"

    def _repr_html_(self) -> str:
        return table(self.info_["recall"], repr(self))

    def similar(self, node: Any, k: int = 10, *, ids: Optional[Ids] = None) -> Neighbours:
        """The nearest nodes, as :meth:`GAGE.similar` gives them.

        Parameters
        ----------
        node : str or int
            Id of the node, or its position if nodes have no names.
        k : int, default=10
            How many.
        ids : {None, 'exact', 'fold-case'}, default=None
            Which ids are the same, as for :meth:`GAGE.fit`.

        Returns
        -------
        Neighbours
            A list, nearest first; ``info_["recall"]`` says how many of the true ones are found.

        Examples
        --------
        See :func:`index`.

        >>> from gage_embed import SearchIndex
        >>> SearchIndex.similar.__name__
        'similar'
        """
        if isinstance(k, bool) or not hasattr(k, "__index__") or k < 1:
            raise ValueError(f"k: found {k!r}, expected a whole number of at least 1")
        check_align(None, ids)
        info = self.info_
        if isinstance(node, (int, np.integer)) and not info["named"]:
            at = int(node)
            if at < 0:
                raise IndexError(f"node {at} is outside the {info['nodes']} nodes of the index")
        else:
            at = self._native.find(str(node), ids)
        views = [view["name"] for view in info["views"]]
        near = self._native.similar(at, min(int(k), len(self)))
        return Neighbours(
            Neighbour(name if info["named"] else int(name), value, dict(zip(views, parts)))
            for name, value, parts in near
        )


def index(
    model: Path,
    output: Optional[Path] = None,
    *,
    lam: Lam = None,
    metric: Metric = "cosine",
    recall: float = 0.95,
    extend: Optional[Path] = None,
    random_state: RandomState = 0,
    n_jobs: Optional[int] = None,
) -> SearchIndex:
    """Build the search index of a saved model or an embedding file, as `gage index` does.

    Parameters
    ----------
    model : path-like
        A model written by :meth:`GAGE.save` or `gage embed`, or an embedding.
    output : path-like, optional
        The index; by default beside the model, where `gage similar` finds it.
    lam : float or sequence, optional
        Weighting of the views; an index serves one.
    metric : {'cosine', 'distance'}, default='cosine'
        Largest cosine, or smallest squared distance.
    recall : float, default=0.95
        Share of the true neighbours that searches must find.
    extend : path-like, optional
        Index of a model whose nodes come first in this one, as :meth:`GAGE.append` makes it: its
        lists serve again, with its metric and its recall.
    random_state : int, default=0
        Seed.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    SearchIndex
        The index, opened.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from gage_embed import GAGE, index
    >>> rows = np.random.default_rng(0).normal(size=(300, 6))
    >>> model = GAGE(n_components=4).fit(rows, nodes=[f"n{i}" for i in range(300)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(Path(folder) / "model.gage")
    ...     near = index(Path(folder) / "model.gage").similar("n7", k=3)
    >>> [one.id for one in near] == [one.id for one in model.similar("n7", k=3)]
    True
    """
    if metric not in ("cosine", "distance"):
        raise ValueError(f"metric: found {metric!r}, expected 'cosine' or 'distance'")
    if not 0 <= recall < 1:
        raise ValueError(f"recall: found {recall!r}, expected at least 0 and below 1")
    if hasattr(lam, "keys"):
        raise ValueError("lam: found a mapping, expected a number, or one per view in their order")
    built = _native.SearchIndex.build(
        os.fspath(model),
        None if output is None else os.fspath(output),
        distance=metric == "distance",
        recall=float(recall),
        extend=None if extend is None else os.fspath(extend),
        seed=_settings.seed(random_state),
        threads=threads(n_jobs),
        **_settings.shares(lam, []),
    )
    return SearchIndex(built.path)
