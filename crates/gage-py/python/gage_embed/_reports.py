"""Results as frames and pictures."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _frames
from ._types import FrameKind

Record = Dict[str, Any]


def frame_of_records(records: List[Record], kind: Optional[FrameKind] = None) -> Any:
    """Records with the same names as a frame: of pandas or polars, or else a structured array.
    Without a kind it is pandas if that is installed.
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {name: [record.get(name) for record in records] for name in names}
    if kind not in (None, "pandas", "polars", "numpy"):
        raise ValueError(f"to_frame: found {kind!r}, expected 'pandas', 'polars' or 'numpy'")
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind != "numpy":
        try:
            import pandas

            return pandas.DataFrame(columns)
        except ImportError:
            if kind is not None:
                raise
    arrays = {name: _array(values) for name, values in columns.items()}
    out = np.empty(len(records), dtype=[(name, array.dtype) for name, array in arrays.items()])
    for name, array in arrays.items():
        out[name] = array
    return out


def _array(values: List[Any]) -> Any:
    if any(value is None for value in values):
        numbers = all(value is None or isinstance(value, (int, float)) for value in values)
        values = [np.nan if value is None else value for value in values] if numbers else values
        return np.array(values, dtype=None if numbers else object)
    return np.array(values)


def _flat(record: Record) -> Record:
    """A record of the report with means and deviations in columns of their own."""
    out: Record = {}
    for name, value in record.items():
        if name == "lambda" and not isinstance(value, (int, float)):
            # The shares of the preset, or one for each view, are no single number.
            value = value.get("links") if isinstance(value, dict) else None
        if isinstance(value, dict) and "mean" in value:
            out[name] = value["mean"]
            out.update({f"{name}_{part}": one for part, one in value.items() if part != "mean"})
        elif isinstance(value, dict) and len(value) == 1:
            (out[name],) = value.values()
        elif not isinstance(value, (dict, list)):
            out[name] = value
    return out


class Tabular:
    """What has records, as a table."""

    def records(self) -> List[Record]:
        """The rows of the table."""
        raise NotImplementedError

    def to_frame(self, kind: Optional[FrameKind] = None) -> Any:
        """The same as a table.

        Parameters
        ----------
        kind : {'pandas', 'polars', 'numpy'}, optional
            pandas if it is installed, else a structured array.

        Returns
        -------
        frame or structured array
            One row per record; of means and deviations (``_deviation``) a column each.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import evaluate
        >>> rows = np.random.default_rng(0).normal(size=(40, 3))
        >>> frame = evaluate(rows, np.arange(40) % 2, train=0.5, shuffles=2).to_frame()
        >>> list(frame.columns)[:4]
        ['train', 'train_nodes', 'test_nodes', 'micro_f1']
        """
        return frame_of_records(self.records(), kind)

    def _repr_html_(self) -> str:
        return table(self.records())


class Report(Tabular, Dict[str, Any]):
    """What a task found, as the dictionary that the command prints with ``--json``.

    Examples
    --------
    >>> import numpy as np
    >>> from gage_embed import evaluate
    >>> rows = np.random.default_rng(0).normal(size=(40, 3))
    >>> report = evaluate(rows, np.arange(40) % 2, train=0.5, shuffles=2)
    >>> report["labelled"], len(report.to_frame())
    (40, 1)
    """

    def records(self) -> List[Record]:
        """The rows of the table: one for each training size or score, else a single one.

        Returns
        -------
        list of dict
            Means and deviations by name.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import evaluate
        >>> rows = np.random.default_rng(0).normal(size=(40, 3))
        >>> [one["train"] for one in evaluate(rows, np.arange(40) % 2, shuffles=2).records()]
        [0.9, 0.5, 0.1]
        """
        found = self.get("results") or self.get("tried")
        return [_flat(one) for one in found] if found else [_flat(self)]


class Sweep(Report):
    """A task at every weighting.

    Examples
    --------
    >>> import numpy as np
    >>> from gage_embed import GAGE, sweep
    >>> x = np.random.default_rng(0).normal(size=(40, 3))
    >>> model = GAGE(n_components=3).fit(x, links=[[i, (i + 1) % 40] for i in range(40)])
    >>> curve = sweep(model, np.arange(40) % 2, lambdas=3, train=0.5, shuffles=1)
    >>> curve.to_frame()["lambda"].tolist()
    [0.0, 0.5, 1.0]
    """

    def records(self) -> List[Record]:
        """The rows of the table: one for each lambda.

        Returns
        -------
        list of dict
            ``lambda``, and mean and deviation of every measure.

        Examples
        --------
        See :class:`Sweep`.

        >>> from gage_embed._reports import Sweep
        >>> Sweep(lambdas=[0.5], series=[]).records()
        [{'lambda': 0.5}]
        """
        return [
            {
                "lambda": lam,
                **_flat({one["measure"]: one["values"][at] for one in self["series"]}),
            }
            for at, lam in enumerate(self["lambdas"])
        ]

    def plot(self, *, measures: Optional[List[str]] = None, ax: Any = None) -> Any:
        """Every measure as a line over lambda, with a band of one deviation and its best point.

        Parameters
        ----------
        measures : list of str, optional
            Which; all by default.
        ax : matplotlib axes, optional
            Where to draw.

        Returns
        -------
        matplotlib axes
            With the lines.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE, sweep
        >>> x = np.random.default_rng(0).normal(size=(40, 3))
        >>> model = GAGE(n_components=3).fit(x, links=[[i, (i + 1) % 40] for i in range(40)])
        >>> curve = sweep(model, np.arange(40) % 2, lambdas=3, train=0.5, shuffles=1)
        >>> curve.plot(measures=[curve["series"][0]["measure"]]).get_xlabel()[:5]
        'share'
        """
        plt = pyplot("plot")
        known = [one["measure"] for one in self["series"]]
        for name in measures or ():
            if name not in known:
                raise ValueError(f"measures: there is no {name!r}; there are {', '.join(known)}")
        if ax is None:
            ax = plt.subplots(figsize=(6, 4))[1]
        lambdas = np.asarray(self["lambdas"])
        for one in self["series"]:
            if measures is None or one["measure"] in measures:
                means = np.array([value["mean"] for value in one["values"]], dtype=float)
                spread = np.array([value["deviation"] for value in one["values"]], dtype=float)
                (line,) = ax.plot(lambdas, means, marker="o", markersize=3, label=one["measure"])
                colour = line.get_color()
                ax.fill_between(lambdas, means - spread, means + spread, alpha=0.15, color=colour)
                best = int(np.nanargmax(means))
                ax.plot(lambdas[best], means[best], marker="*", markersize=10, color=colour)
        ax.set_xlabel("share of the views that use links (lambda)")
        ax.legend(frameon=False)
        return ax


class Neighbour(NamedTuple):
    """A node near another one."""

    id: Any
    value: float
    by_view: Dict[str, float]


class Neighbours(Tabular, List[Neighbour]):
    """Nodes near another one, nearest first.

    Examples
    --------
    >>> from gage_embed._reports import Neighbour, Neighbours
    >>> near = Neighbours([Neighbour("gimp", 0.9, {"links": 0.5, "attributes": 0.4})])
    >>> near.to_frame("numpy").dtype.names
    ('id', 'value', 'links', 'attributes')
    """

    def records(self) -> List[Record]:
        """One record per node: ``id``, ``value``, and the part of each view by its name.

        Returns
        -------
        list of dict
            Nearest first.

        Examples
        --------
        >>> from gage_embed._reports import Neighbours
        >>> Neighbours([]).records()
        []
        """
        taken = ("id", "value")
        return [
            {
                "id": one.id,
                "value": one.value,
                **{
                    f"{name}_view" if name in taken else name: part
                    for name, part in one.by_view.items()
                },
            }
            for one in self
        ]


def table(records: List[Record], title: str = "") -> str:
    """Records as a table of HTML."""
    names = list(dict.fromkeys(name for record in records for name in record))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(record.get(name))}</td>" for name in names) + "</tr>"
        for record in records
    )
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cell(value: Any) -> str:
    """A value as text of HTML."""
    if value is None:
        return ""
    return escape(f"{value:.4g}" if isinstance(value, float) else str(value))


def pyplot(what: str) -> Any:
    """Matplotlib, if it is installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(f"{what} needs matplotlib, which is not installed") from None
    return plt
