"""Maps of nodes, drawn with matplotlib."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _frames, _native, _rows
from ._arrays import is_missing, plain
from ._labels import Nodes
from ._reports import pyplot

_MARKS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D"}
_MISSING = "none"
# Colours times marks: more classes look alike.
_MOST_CLASSES = 48
# Entries in one column of the legend.
_LEGEND_ROWS = 24


class Colours(NamedTuple):
    """What nodes are coloured by: names of classes and one class per node (-1 for none), or one
    number per node (NaN for none).
    """

    name: Optional[str]
    classes: Optional[List[str]]
    values: Any


def colours_of(labels: Any, nodes: Nodes) -> Optional[Colours]:
    """Classes or a scale, of a column of any kind."""
    if labels is None:
        return None
    cells, scale = _cells(labels)
    found = _rows.ids_of_values("labels", labels, nodes.ids, nodes.count, nodes.align)
    if found is not None:
        position = {one: at for at, one in enumerate(found[0])}
        own = [str(at) for at in range(nodes.count)] if nodes.ids is None else nodes.ids
        # The last entry stands for nodes without a value.
        cells = np.append(cells, np.array([None if cells.dtype.kind == "O" else np.nan]))
        cells = cells[[position.get(one, -1) for one in own]]
    if cells.shape != (nodes.count,):
        raise ValueError(
            f"labels: found shape {cells.shape}, expected {nodes.count} values, one for each node"
        )
    name = getattr(labels, "name", None)
    title = None if name is None else str(name)
    numbers = _as_numbers(cells, scale)
    return _classes(title, cells) if numbers is None else Colours(title, None, numbers)


def _cells(labels: Any) -> Tuple[Any, bool]:
    """The values as an array, and whether they can only be a scale."""
    if isinstance(labels, Mapping):
        return np.array([*labels.values(), None], dtype=object)[:-1], False
    if not hasattr(labels, "to_list"):
        array = plain(labels)
        return (array.astype(object) if array.dtype.kind not in "fmM" else array), False
    kind = _frames.kind_of(labels)
    if kind == "text":
        return np.array([*labels.to_list(), None], dtype=object)[:-1], False
    return _frames.cells(str(labels.name), labels), kind != "number"


def _as_numbers(values: Any, scale: bool) -> Optional[Any]:
    """The values as numbers on a scale, if they are fractions or dates, or numbers that are too
    many or too small to be classes.
    """
    if values.dtype.kind in "mM":
        numbers = values.astype("datetime64[ns]" if values.dtype.kind == "M" else "timedelta64[ns]")
        seconds = numbers.astype(np.int64) / 1e9
        return np.where(np.isnat(values), np.nan, seconds)
    if values.dtype.kind == "O":
        known = [value for value in values if not is_missing(value)]
        if not known or not all(
            isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
            for value in known
        ):
            return None
        values = np.array([np.nan if is_missing(value) else float(value) for value in values])
    numbers = values.astype(np.float64)
    known = numbers[np.isfinite(numbers)]
    whole = bool((known == np.floor(known)).all())
    few = len(np.unique(known)) <= _MOST_CLASSES and known.min(initial=0) >= -1
    return None if whole and few and not scale else numbers


def _classes(name: Optional[str], values: Any) -> Colours:
    texts = [None if _is_none(value) else _text(value) for value in values.tolist()]
    counts = {text: 0 for text in texts if text is not None}
    for text in texts:
        if text is not None:
            counts[text] += 1
    # The largest classes have the clearest colours.
    names = sorted(counts, key=lambda text: (-counts[text], text))
    number = {text: at for at, text in enumerate(names)}
    own = np.array([-1 if text is None else number[text] for text in texts], dtype=np.int64)
    return Colours(name, names, own)


def _is_none(value: Any) -> bool:
    """Whether a node has no class: nothing, or a negative number, as in labels everywhere."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_missing(value) or number and value < 0


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def draw(points: Any, colours: Optional[Colours], *, ax: Any, size: float, title: Any) -> Any:
    """Points in the plane, equally scaled in both directions."""
    plt = pyplot("plot")
    if ax is None:
        ax = plt.subplots(figsize=(7, 6), layout="constrained")[1]
    if colours is None:
        ax.scatter(points[:, 0], points[:, 1], s=size, linewidths=0, color=_look(0)[0])
    elif colours.classes is None:
        _draw_scale(points, colours, ax, size)
    else:
        _draw_classes(points, colours, ax, size)
    ax.set_aspect("equal")
    # As the command draws it: y downwards.
    ax.yaxis.set_inverted(True)
    ax.set_xticks([])
    ax.set_yticks([])
    if title is not None:
        ax.set_title(title)
    return ax


def _look(number: Optional[int]) -> Tuple[str, str]:
    colour, mark = _native.class_look(number)
    return colour, _MARKS[mark]


def _draw_scale(points: Any, colours: Colours, ax: Any, size: float) -> None:
    known = np.isfinite(colours.values)
    ax.scatter(*points[~known].T, s=size, linewidths=0, color=_look(None)[0])
    shown = ax.scatter(
        *points[known].T, s=size, linewidths=0, c=colours.values[known], cmap="viridis"
    )
    ax.figure.colorbar(shown, ax=ax, label=colours.name or "", shrink=0.8)


def _draw_classes(points: Any, colours: Colours, ax: Any, size: float) -> None:
    names = colours.classes or []
    none = colours.values < 0
    if none.any():
        colour, mark = _look(None)
        own = points[none].T
        ax.scatter(*own, s=size, linewidths=0, color=colour, marker=mark, label=_MISSING)
    for number, name in enumerate(names):
        own = points[colours.values == number].T
        colour, mark = _look(number)
        # Names that begin with an underscore would be left out of the legend.
        label = f" {name}" if name.startswith("_") else name
        ax.scatter(*own, s=size, linewidths=0, color=colour, marker=mark, label=label)
    if names and len(names) <= _MOST_CLASSES:
        rows = len(names) + bool(none.any())
        ax.legend(
            title=colours.name,
            fontsize="small" if rows <= _LEGEND_ROWS else "x-small",
            ncols=-(-rows // _LEGEND_ROWS),
            # Marks of a size that can be seen, whatever that of the points.
            markerscale=max(1.0, (36.0 / max(size, 1e-3)) ** 0.5),
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
        )


