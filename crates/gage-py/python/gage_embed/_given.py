"""What a fit is given, and the graph it makes of that."""

from __future__ import annotations

import os
from typing import Any, List, Mapping, NamedTuple, Optional

import numpy as np

from . import _anndata, _frames, _native, _opened, _settings
from ._arrays import is_sparse
from ._columns import Columns
from ._inputs import ATTRIBUTES, Join, as_graph, by_name, collect
from ._labels import Nodes, labels_of_nodes, mask_of_nodes
from ._links import is_path
from ._options import DataOptions, check_names
from ._rows import IdTypes, check_align
from .datasets import Dataset


class Given(NamedTuple):
    """The data of a call, as `GAGE.fit` takes them."""

    X: Any = None
    links: Any = None
    attributes: Any = None
    views: Optional[Mapping[str, Any]] = None
    masks: Optional[Mapping[str, Any]] = None
    nodes: Any = None
    id_column: Optional[str] = None
    node_type: Optional[str] = None
    zero_rows: str = "zero"
    align: Optional[str] = None
    said: Columns = Columns()
    ids: Optional[str] = None


def given_to(function: str, X: Any, data: Mapping[str, Any], options: Any = DataOptions) -> Given:
    """What a function was given: its first argument, and options by name."""
    check_names(function, data, options)
    own = {name: value for name, value in data.items() if name in Given._fields}
    return Given(X, said=Columns.of(data), **own)


def opened(given: Given, model: Any = None) -> Given:
    """The same data, with containers of other packages taken apart; of new nodes if a model is
    given. Whatever is not recognised is refused.
    """
    X = _anndata.read(given.X) if _anndata.is_file(given.X) else given.X
    parts = (("X", X), ("links", given.links), ("attributes", given.attributes))
    X, links, attributes = (_opened.opened(name, value) for name, value in parts)
    views = given.views
    if isinstance(views, Mapping):
        views = {name: _opened.opened(f"views[{name!r}]", one) for name, one in views.items()}
    if isinstance(given.nodes, (int, np.integer)) and not isinstance(given.nodes, bool):
        given = given._replace(nodes=range(int(given.nodes)))
    if not _anndata.is_anndata(X):
        return given._replace(X=X, links=links, attributes=attributes, views=views)
    cells = _anndata.parts(X, links, attributes, views, given.nodes, model)
    return given._replace(X=None, **cells._asdict())


class Assembled(NamedTuple):
    """A graph, what its ids were, and the ids of the rows of `X` if they are not all nodes."""

    graph: Any
    types: IdTypes
    rows: Optional[List[str]] = None


def assemble(given: Given, directed: Any, labels: Any = None) -> Assembled:
    """The graph behind whatever was given, with masks and labels laid on."""
    given = opened(given)
    arcs = _settings.directions(directed)[0]
    by_name("views", given.views)
    by_name("masks", given.masks)
    check_align(given.align, given.ids)
    if given.zero_rows not in ("zero", "missing"):
        raise ValueError(f"zero_rows: found {given.zero_rows!r}, expected 'zero' or 'missing'")
    if isinstance(given.X, Dataset):
        joined = {"align": given.align, "ids": given.ids}
        said = next((name for name, value in joined.items() if value is not None), None)
        if said is not None and labels is None and not given.masks:
            raise ValueError(
                f"{said}: found {joined[said]!r} for a data set, whose parts are joined; give the "
                "parts as files, frames or arrays"
            )
        _refuse_parts(given)
        if given.said != Columns():
            raise ValueError(
                "columns: a data set was read before; say what its columns are where it is read"
            )
        made = Assembled(given.X.graph, IdTypes())
    elif _all_files(given):
        files = labels if is_path(labels) else None
        made = Assembled(_of_files(given, arcs, files), IdTypes())
        labels = None if files is not None else labels
    else:
        made = _of_parts(given, arcs, labels if is_path(labels) else None)
        labels = None if is_path(labels) else labels
    graph = made.graph
    nodes = Nodes(graph.ids, len(graph), given.align, given.ids)
    if given.masks:
        graph = graph.masked(
            [mask_of_nodes(str(name), flags, nodes) for name, flags in given.masks.items()]
        )
    if labels is not None:
        graph = graph.with_labels(labels_of_nodes(labels, nodes))
    return made._replace(graph=graph)


def _refuse_parts(given: Given) -> None:
    for name in ("links", "attributes", "views", "nodes", "id_column", "zero_rows"):
        value = getattr(given, name)
        if value is not None and not (name == "zero_rows" and value == "zero"):
            raise ValueError(
                f"{name}: a data set has its own; give its parts, such as `links` and "
                "`attributes`, instead"
            )


def _all_files(given: Given) -> bool:
    others = (given.links, given.attributes)
    return is_path(given.X) and all(is_path(part) for part in others if part is not None)


def _of_files(given: Given, arcs: Optional[bool], labels: Any) -> Any:
    X, links, attributes, views = given.X, given.links, given.attributes, given.views or {}
    further = {str(name): os.fspath(value) for name, value in views.items() if is_path(value)}
    if len(further) < len(views):
        raise ValueError("views: with files, give all of them as files")
    if given.nodes is not None and not is_path(given.nodes):
        raise ValueError("nodes: with files, give their names as a file, too")
    # Beside links a file holds attributes, and the other way round; alone it is the data set.
    alone = (links is None and attributes is None) or os.path.isdir(X)
    return _native.Graph.load(
        source=os.fspath(X) if alone else None,
        graph=X if links is None and not alone else links,
        attributes=X if attributes is None and not alone else attributes,
        labels=labels,
        nodes=given.nodes,
        views=list(further.items()),
        directed=arcs,
        zero_rows_missing=given.zero_rows == "missing",
        id_column=given.id_column,
        reading=given.said.json,
        align=given.align,
        ids=given.ids,
    )


def _of_parts(given: Given, arcs: Optional[bool], labels: Any) -> Assembled:
    check_table(given.X)
    join = Join(given.id_column, given.align, given.nodes, given.said)
    parts = collect(
        given.X,
        given.links,
        given.attributes,
        given.views,
        join=join,
        node_type=given.node_type,
    )
    made = None if labels is None else _native.Labels.from_file(
        os.fspath(labels), given.said.json
    )
    graph = as_graph(parts, given, labels=made, directed=arcs)
    rows = None
    if is_table(given.X) and given.attributes is None:
        rows = next((part.ids for name, part in parts.tables if name == ATTRIBUTES), None)
    return Assembled(graph, parts.types, rows)


def is_table(X: Any) -> bool:
    """Whether the first argument is a plain table, as scikit-learn has it."""
    if is_sparse(X):
        return True
    if X is None or isinstance(X, (Mapping, tuple, Dataset)) or is_path(X):
        return False
    return _frames.is_frame(X) or (hasattr(X, "shape") and len(X.shape) == 2) or isinstance(X, list)


def check_table(X: Any) -> None:
    """Refuses a table without columns."""
    if hasattr(X, "shape") and len(X.shape) == 2 and X.shape[0] > 0 and X.shape[1] == 0:
        raise ValueError(
            f"X: 0 feature(s) (shape=({X.shape[0]}, 0)) while a minimum of 1 is required."
        )


def refuse_second_table(X: Any, y: Any) -> None:
    """Labels are never looked at, so a second matrix or table in their place would be lost."""
    if y is None:
        return
    shape: Any = () if is_path(y) else getattr(y, "shape", None)
    if shape is None:
        shape = np.shape(y) if _is_plain_list(y) else ()
    several = len(shape) == 2 and shape[1] > 1 and not _is_indicator(X, y, shape)
    if not several and not is_path(y) and not isinstance(y, (Mapping, Dataset)):
        return
    raise ValueError(
        f"fit: found {type(y).__name__} as the second argument, which is the place of labels, and "
        "they are not looked at; say fit(table, links=...) or fit(links, attributes=...)"
    )


def _is_plain_list(y: Any) -> bool:
    if not isinstance(y, (list, tuple)) or not y:
        return False
    widths = {len(row) if isinstance(row, (list, tuple)) else 0 for row in y}
    return len(widths) == 1


def _is_indicator(X: Any, y: Any, shape: Any) -> bool:
    """Whether `y` holds one column of 0 and 1 per class beside a table of attributes."""
    if is_sparse(y) or _frames.is_frame(y) or shape[0] == shape[1] or not is_table(X):
        return False
    if is_sparse(X) and X.shape[0] == X.shape[1]:
        return False
    values = np.asarray(y)
    return values.dtype.kind in "biuf" and bool(np.isin(values, (0, 1)).all())
