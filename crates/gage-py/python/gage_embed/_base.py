"""What scikit-learn gives its estimators, or as much of it as works without scikit-learn."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Dict, List, Optional, TypeVar

import numpy as np

Estimator = TypeVar("Estimator")

if TYPE_CHECKING:
    HAS_SKLEARN: bool

    class NotFittedError(ValueError, AttributeError):
        """Raised when a model is used before it was fitted."""

    class BaseEstimator:
        """What scikit-learn and its stand-in have in common."""

        def get_params(self, deep: bool = True) -> Dict[str, Any]: ...

        def set_params(self, **params: Any) -> Any: ...

        def __sklearn_tags__(self) -> Any: ...

    class TransformerMixin:
        """A transformer."""

        def __init_subclass__(
            cls, auto_wrap_output_keys: Optional[Any] = None, **kwargs: Any
        ) -> None: ...

else:
    try:
        from sklearn.base import BaseEstimator, TransformerMixin
        from sklearn.exceptions import NotFittedError

        HAS_SKLEARN = True
    except ImportError:
        HAS_SKLEARN = False

        class NotFittedError(ValueError, AttributeError):
            """Raised when a model is used before it was fitted."""

        class BaseEstimator:
            """Parameters by name: what `clone`, grids and printing need."""

            @classmethod
            def _get_param_names(cls) -> List[str]:
                return sorted(
                    name for name in inspect.signature(cls.__init__).parameters if name != "self"
                )

            def get_params(self, deep: bool = True) -> Dict[str, Any]:
                """All parameters by name."""
                return {name: getattr(self, name) for name in self._get_param_names()}

            def set_params(self, **params: Any) -> "BaseEstimator":
                """Changes parameters by name."""
                for name, value in params.items():
                    if name not in self._get_param_names():
                        raise ValueError(
                            f"Invalid parameter {name!r}; there are {self._get_param_names()}"
                        )
                    setattr(self, name, value)
                return self

            def __repr__(self) -> str:
                defaults = inspect.signature(type(self).__init__).parameters
                changed = [
                    f"{name}={value!r}"
                    for name, value in self.get_params().items()
                    if value != defaults[name].default
                ]
                return f"{type(self).__name__}({', '.join(changed)})"

        class TransformerMixin:
            """A place in the class hierarchy."""

            def __init_subclass__(
                cls, auto_wrap_output_keys: Optional[Any] = None, **kwargs: Any
            ) -> None:
                super().__init_subclass__(**kwargs)


def output_kind(estimator: Any) -> str:
    """What `transform` should return: as `set_output` says, else scikit-learn's configuration, else
    arrays.
    """
    own = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    if own is not None:
        return str(own)
    if HAS_SKLEARN:
        from sklearn import get_config

        return str(get_config().get("transform_output", "default"))
    return "default"


def set_output_kind(estimator: Estimator, transform: Optional[str]) -> Estimator:
    """Remembers what `transform` should return; None changes nothing."""
    if transform not in (None, "default", "pandas", "polars"):
        raise ValueError(
            f"set_output: found {transform!r}, expected 'default', 'pandas' or 'polars'"
        )
    if transform is not None:
        setattr(estimator, "_sklearn_output_config", {"transform": transform})
    return estimator


class ColumnNames:
    """Names of the columns of an embedding, as scikit-learn wants them."""

    def _native_model(self) -> Any:
        raise NotImplementedError

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns of the embedding: `gage0`, `gage1`, ...

        Parameters
        ----------
        input_features : ignored
            For scikit-learn.

        Returns
        -------
        ndarray of str
            One name per column.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> list(model.get_feature_names_out())
        ['gage0', 'gage1']
        """
        return np.asarray(
            [f"gage{at}" for at in range(self._native_model().dimension)], dtype=object
        )


__all__ = [
    "HAS_SKLEARN",
    "BaseEstimator",
    "ColumnNames",
    "NotFittedError",
    "TransformerMixin",
    "output_kind",
    "set_output_kind",
]
