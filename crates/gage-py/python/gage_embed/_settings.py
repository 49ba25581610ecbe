"""Parameters of the estimator, checked and put as the native layer wants them."""

from __future__ import annotations

import json
import warnings
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union, cast

import numpy as np

from . import _native
from ._views import as_recipe

DEFAULT_COMPONENTS = _native.DEFAULT_COLUMNS
DIRECTIONS = {
    None: "asgiven",
    False: "asgiven",
    "no": "asgiven",
    "out": "out",
    "in": "in",
    "both": "both",
}


def components(value: Any) -> Union[str, Dict[str, Any]]:
    """How many columns: a number, a share of the energy to keep, or `auto`."""
    if isinstance(value, str) and value == "auto":
        return {"energy": _native.DEFAULT_ENERGY}
    if isinstance(value, (bool, str)) or not np.isscalar(value):
        raise ValueError(
            f"n_components: found {value!r}, expected a number of columns, a share below 1, or "
            "'auto'"
        )
    if isinstance(value, (float, np.floating)) and not float(value).is_integer():
        if not 0 < value < 1:
            raise ValueError(
                f"n_components: found {value}, expected a number of columns, a share below 1, or "
                "'auto'"
            )
        return {"energy": float(value)}
    columns = int(cast(Any, value))
    if columns < 1:
        raise ValueError(f"n_components: found {columns}, expected at least 1")
    # The default gives as many columns as a small graph can have; too large a choice is an error.
    return "default" if columns == DEFAULT_COMPONENTS else {"fixed": columns}


def seed(random_state: Any) -> int:
    """The seed: a number, drawn from a generator, or new every time for None."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**31 - 1))
    if (
        isinstance(random_state, bool)
        or not hasattr(random_state, "__index__")
        or int(random_state) < 0
    ):
        raise ValueError(
            f"random_state: found {random_state!r}, expected None, a whole number from 0, or a "
            "generator"
        )
    return int(random_state)


def directions(directed: Any) -> Tuple[Optional[bool], str]:
    """Whether links have a direction, and what becomes of it in the views."""
    try:
        direction = DIRECTIONS[directed]
    except (KeyError, TypeError):
        raise ValueError(
            f"directed: found {directed!r}, expected None, False, 'out', 'in' or 'both'"
        ) from None
    if directed in (False, "no"):
        return False, direction
    return (None if directed is None else True), direction


def check_lam(lam: Any) -> None:
    """Refuses before a fit what no views could make sense of."""
    values = lam.values() if isinstance(lam, Mapping) else lam
    alone = np.isscalar(lam) or isinstance(lam, np.ndarray) and lam.ndim == 0
    for share in () if lam is None else [lam] if alone else values:
        number = isinstance(share, (int, float, np.number)) or hasattr(share, "__float__")
        if not number or not 0 <= float(share) or not np.isfinite(float(share)):
            raise ValueError(
                f"lam: found {share!r}, expected a number between 0 and 1, or one per view"
            )
        if alone and float(share) > 1:
            raise ValueError(f"lam: found {share!r}, expected a number between 0 and 1")


def shares(lam: Any, names: List[str]) -> Dict[str, Any]:
    """`lam` as the native layer takes it: one number, one number per view, or numbers by the names
    of views.
    """
    if lam is None:
        return {"lam": None, "shares": None}
    if isinstance(lam, Mapping):
        unknown = [name for name in lam if name not in names]
        if unknown:
            raise ValueError(f"lam: there is no view {unknown[0]!r}; there are {', '.join(names)}")
        return {"lam": None, "shares": [float(lam.get(name, 0.0)) for name in names]}
    if np.isscalar(lam) or np.ndim(lam) == 0:
        if isinstance(lam, (str, bytes)):
            raise ValueError(f"lam: found {lam!r}, expected a number from 0 to 1, or one per view")
        return {"lam": float(lam), "shares": None}
    return {"lam": None, "shares": [float(share) for share in lam]}


def warn_of_empty_end(model: Any, lam: Mapping[str, Any], level: int) -> None:
    """Warns of a share for views that the model has not: with links or without."""
    text = model.lambda_warning(**lam)
    if text is not None:
        warnings.warn(text, stacklevel=level)


def options(
    *,
    n_components: Any,
    preset: str,
    weights: Any,
    directed: Any,
    precision: str,
    random_state: Any,
    tol: Optional[float],
    refine: bool,
    certify: bool,
    views: Any = None,
    only: Optional[str] = None,
    loadings: bool = True,
) -> str:
    """All parameters of the fit, as JSON."""
    if precision not in ("single", "double"):
        raise ValueError(f"precision: found {precision!r}, expected 'single' or 'double'")
    if preset not in _native.PRESETS:
        raise ValueError(f"there is no preset {preset!r}; there are {', '.join(_native.PRESETS)}")
    if views is not None and preset != "auto":
        raise ValueError(f"views: found views beside preset={preset!r}, expected one of them")
    if only not in (None, "links", "attributes"):
        raise ValueError(f"only: found {only!r}, expected None, 'links' or 'attributes'")
    if weights is not None:
        weights = [float(weight) for weight in np.asarray(weights, dtype=np.float64).ravel()]
        if not np.isfinite(weights).all():
            raise ValueError(
                "weights: found NaN or infinity, expected finite numbers of at least 0"
            )
    return json.dumps(
        {
            "preset": preset,
            "columns": components(n_components),
            "directed": directions(directed)[1],
            "weights": weights,
            "recipe": as_recipe(views),
            "only": only,
            "precision": "f64" if precision == "double" else "f32",
            "seed": seed(random_state),
            "tolerance": None if tol is None else float(tol),
            "refine": bool(refine),
            "certify": bool(certify),
            "loadings": bool(loadings),
        },
        allow_nan=False,
    )
