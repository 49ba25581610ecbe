"""Rows of a fitted model by node, so that searches over `lam` need no fit."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from . import _frames
from ._arrays import strings
from ._base import (
    HAS_SKLEARN,
    BaseEstimator,
    ColumnNames,
    NotFittedError,
    TransformerMixin,
    output_kind,
    set_output_kind,
)
from ._settings import shares
from ._types import Lam, Output


def _like_numbers(ids: Any) -> bool:
    """Whether names are numbers or look like them, so that a number is a name."""
    return all(isinstance(name, int) or str(name).isdecimal() for name in ids)


class NodeEmbedding(ColumnNames, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Looks up rows of a fitted model: ids or positions of nodes in, vectors out.

    The embedding needs no labels, so it is fitted once, to the whole graph; what a search varies is
    ``lam``, and that costs one multiplication. Samples are nodes, so cross-validation splits nodes.

    Parameters
    ----------
    model : GAGE
        A fitted model. It is shared by all clones, never copied and never fitted again.
    lam : float, sequence or mapping, optional
        Weighting of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from gage_embed import GAGE, NodeEmbedding
    >>> rng = np.random.default_rng(0)
    >>> path = [[i, i + 1] for i in range(19)]
    >>> model = GAGE(n_components=3).fit(rng.normal(size=(20, 5)), links=path)
    >>> NodeEmbedding(model, lam=0.5).fit_transform(np.array([3, 7])).shape
    (2, 3)
    """

    def __init__(self, model: Any = None, lam: Lam = None) -> None:
        self.model = model
        self.lam = lam

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The model and `lam`; what is inside the model cannot be searched over without fitting.

        Parameters
        ----------
        deep : ignored
            For scikit-learn.

        Returns
        -------
        dict
            Parameters by name.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, NodeEmbedding
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> NodeEmbedding(model, lam=0.5).get_params()["lam"]
        0.5
        """
        return {"model": self.model, "lam": self.lam}

    def __sklearn_clone__(self) -> "NodeEmbedding":
        made = NodeEmbedding(self.model, self.lam)
        made.__dict__.update(
            {key: value for key, value in self.__dict__.items() if key == "_sklearn_output_config"}
        )
        return made

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None

    def fit(self, X: Any = None, y: Any = None) -> "NodeEmbedding":
        """Check that the model is fitted; nothing is fitted.

        Parameters
        ----------
        X, y : ignored
            For scikit-learn.

        Returns
        -------
        self : NodeEmbedding
            Itself.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, NodeEmbedding
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> NodeEmbedding(model).fit().transform([3]).shape
        (1, 2)
        """
        self._fitted()
        return self

    def _fitted(self) -> Any:
        if self.model is None:
            raise NotFittedError(
                "This NodeEmbedding instance is not fitted yet: it needs a model, as "
                "NodeEmbedding(model)."
            )
        self.model._native_model()
        return self.model

    def transform(self, X: Any) -> Any:
        """Rows of nodes.

        Parameters
        ----------
        X : array of shape (n,) or (n, 1)
            Ids. Numbers are positions if the nodes have no names, or names that are no numbers.

        Returns
        -------
        ndarray or frame of shape (n, n_components)
            One row per node requested; a frame if :meth:`set_output` says so.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, NodeEmbedding
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> bool((NodeEmbedding(model).transform([3, 1]) == model.embedding_[[3, 1]]).all())
        True
        """
        at = self._positions(X)
        rows, kind = self._rows()[at], output_kind(self)
        if kind == "default":
            return rows
        # Rows of pandas are joined by index in a pipeline, so it is that of the samples, not the
        # names of the nodes.
        names = list(self.get_feature_names_out())
        index = X.index if kind == "pandas" and type(X).__module__.startswith("pandas") else None
        return _frames.to_frame(kind, rows, names, index)

    def set_output(self, *, transform: Optional[Output] = None) -> "NodeEmbedding":
        """Say what :meth:`transform` returns, as for :meth:`GAGE.set_output`.

        Parameters
        ----------
        transform : {'default', 'pandas', 'polars'}, optional
            Arrays, or frames; frames of pandas have the index of the samples that were requested.

        Returns
        -------
        self : NodeEmbedding
            Itself.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, NodeEmbedding
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> list(NodeEmbedding(model).set_output(transform="pandas").transform([3]).columns)
        ['gage0', 'gage1']
        """
        return set_output_kind(self, transform)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Rows of nodes; see :meth:`transform`.

        Parameters
        ----------
        X : array of shape (n,) or (n, 1)
            Ids or positions.
        y : ignored
            For scikit-learn.

        Returns
        -------
        ndarray or frame of shape (n, n_components)
            One row per node requested; a frame if :meth:`set_output` says so.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, NodeEmbedding
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> NodeEmbedding(model).fit_transform([[3], [1]]).shape
        (2, 2)
        """
        return self.fit(X, y).transform(X)

    def _native_model(self) -> Any:
        return self._fitted()._native_model()

    def _rows(self) -> Any:
        names = [view["name"] for view in self.model.views_]
        wanted = str(shares(self.model.lam if self.lam is None else self.lam, names))
        kept: Optional[Any] = getattr(self, "_kept", None)
        if kept is None or kept[0] != wanted:
            kept = (wanted, self.model.embedding(self.lam))
            self._kept = kept
        return kept[1]

    def _positions(self, X: Any) -> Any:
        wanted = np.asarray(X)
        if wanted.ndim == 2 and wanted.shape[1] == 1:
            wanted = wanted[:, 0]
        if wanted.ndim != 1:
            raise ValueError(
                f"X: found {wanted.ndim} dimensions, expected one id or position per sample"
            )
        model = self._fitted()
        texts, ids, count = model._native_model().ids, model.ids_, len(model._native_model())
        if wanted.size == 0:
            return np.zeros(0, dtype=np.intp)
        if texts is not None and (wanted.dtype.kind not in "iu" or _like_numbers(ids)):
            index = {name: at for at, name in enumerate(texts)}
            names = strings("X", wanted)
            unknown = [name for name in names if name not in index]
            if unknown:
                raise KeyError(f"node {unknown[0]!r} is not in the model")
            return np.array([index[name] for name in names], dtype=np.intp)
        if wanted.dtype.kind not in "iu":
            raise ValueError(
                f"X: found {wanted.dtype}, expected positions, since the nodes have no names"
            )
        if wanted.size and (wanted.min() < 0 or wanted.max() >= count):
            raise IndexError(f"X: found a position outside the {count} nodes of the model")
        return wanted

    def __getstate__(self) -> Dict[str, Any]:
        # What was looked up is looked up again.
        return {key: value for key, value in self.__dict__.items() if key != "_kept"}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)

    if HAS_SKLEARN:

        def __sklearn_tags__(self) -> Any:
            tags: Any = super().__sklearn_tags__()
            tags.input_tags.two_d_array = False
            tags.input_tags.one_d_array = True
            tags.input_tags.string = True
            tags.requires_fit = False
            return tags
