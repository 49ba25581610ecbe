"""Fitted models as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List

from ._base import HAS_SKLEARN
from ._reports import table


def of_estimator(model: Any) -> str:
    """The parameters as scikit-learn shows them, and what was fitted."""
    if HAS_SKLEARN:
        from sklearn.utils import estimator_html_repr

        parameters = str(estimator_html_repr(model))
    else:
        parameters = f"<pre>{escape(repr(model))}</pre>"
    return parameters + (_facts(model) if model.__sklearn_is_fitted__() else "")


def _facts(model: Any) -> str:
    shares = model.view_shares_
    records: List[Dict[str, Any]] = [
        {
            "view": view["name"],
            "weight": view.get("weight"),
            "share": shares[view["name"]],
            "observed": view.get("observed"),
            "relative loss": view.get("relative_loss"),
        }
        for view in model.views_
    ]
    native = model._native_model()
    title = f"{len(native)} nodes, {native.dimension} columns"
    choice = "" if model.choice_ is None else f"<p>{escape(model.choice_)}</p>"
    return table(records, title) + choice
