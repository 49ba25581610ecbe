"""Fitted models as files."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Type, TypeVar, cast

import numpy as np

from . import _native
from ._base import NotFittedError
from ._rows import IdTypes

Fitted = TypeVar("Fitted", bound="SavedModel")

# The entry of a model file in which the package keeps what only it needs.
_KEPT_IN_FILES = "python"


class SavedModel:
    """What is fitted, and how it is written and read."""

    lam: Any
    model_: Any
    n_features_in_: int
    feature_names_in_: Any
    _types: IdTypes

    def _native_model(self) -> Any:
        model = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                "appropriate arguments before "
                "using this estimator."
            )
        return model

    def save(self, path: Any) -> None:
        """Write the model to a file, which the command line reads as well.

        Parameters
        ----------
        path : path-like
            Usually `NAME.gage`; replaced as a whole if it exists.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> model = GAGE(n_components=2).fit(np.random.default_rng(0).normal(size=(9, 4)))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.gage")
        ...     same = GAGE.load(Path(folder) / "model.gage")
        >>> bool((same.embedding_ == model.embedding_).all())
        True
        """
        model, kept = self._native_model(), self._to_keep()
        # Without anything to keep the file is that of the command line, byte for byte.
        if kept:
            model = model.annotated({_KEPT_IN_FILES: json.dumps(kept)})
        model.save(os.fspath(path))

    def _to_keep(self) -> Dict[str, Any]:
        """What the file of a model says of the estimator beside the parameters of the fit."""
        kept: Dict[str, Any] = {}
        lam = self.lam
        if isinstance(lam, Mapping):
            kept["lam"] = {str(name): float(share) for name, share in lam.items()}
        elif lam is not None:
            kept["lam"] = np.asarray(lam, dtype=np.float64).tolist()
        if getattr(self, "_types", IdTypes()).numbers:
            kept["number_ids"] = True
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                kept[name] = np.asarray(getattr(self, name)).tolist()
        return kept

    def _restore(self, kept: Dict[str, Any]) -> None:
        self.lam = kept.get("lam")
        self._types = IdTypes()
        if kept.get("number_ids"):
            self._types.add(np.zeros(0, dtype=np.int64))
        if "n_features_in_" in kept:
            self.n_features_in_ = int(kept["n_features_in_"])
        if "feature_names_in_" in kept:
            self.feature_names_in_ = np.asarray(kept["feature_names_in_"], dtype=object)

    @classmethod
    def load(cls: Type[Fitted], path: Any) -> Fitted:
        """Read a model from a file, whoever wrote it: this package, the command line or the
        library.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        GAGE
            A fitted estimator with the parameters of the fit.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model = GAGE(n_components=8, preset="paper").fit(load_debian())
        ...     model.save(Path(folder) / "debian.gage")
        ...     model = GAGE.load(Path(folder) / "debian.gage")
        >>> model
        GAGE(n_components=8, preset='paper')
        """
        model = _native.Model.load(os.fspath(path))
        params = json.loads(model.params())
        basis = params["basis"]
        views = params.get("views")
        if views is not None:
            own = params["preset"]
            views = {"balance": own["balance"], "scale": own["scale"], "views": views}
        known = {
            "n_components": int(model.dimension),
            "preset": params["preset"]["name"] if views is None else "auto",
            "views": views,
            "only": params.get("only"),
            "weights": params.get("weights"),
            "directed": None if params["directed"] == "asgiven" else params["directed"],
            "precision": "double" if params["precision"] == "f64" else "single",
            "tol": None if basis["max_iterations"] == _native.ITERATIONS else basis["tolerance"],
            "refine": params.get("refine") is not None,
            "certify": model.certificate() is not None,
            "random_state": params["seed"],
        }
        made = cast(Any, cls)(**known)
        made.model_ = model
        made._restore(json.loads(model.annotations.get(_KEPT_IN_FILES, "{}")))
        return cast(Fitted, made)
