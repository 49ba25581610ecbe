"""Classes and flags of nodes, aligned with the nodes by id where they have ids."""

from __future__ import annotations

import os
import warnings
from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _frames, _native, _rows
from ._arrays import is_missing, is_sparse, mask, plain, strings
from ._links import is_path


class Nodes:
    """The nodes that labels and masks are about."""

    def __init__(
        self,
        ids: Optional[Sequence[str]],
        count: int,
        align: Optional[str] = None,
        spelling: Optional[str] = None,
    ):
        _rows.check_align(align, spelling)
        self.spelling = spelling
        self.ids = None if ids is None else list(ids)
        self.count = count
        self.align = align

    @classmethod
    def of_rows(
        cls, rows: Any, count: int, align: Optional[str] = None, spelling: Optional[str] = None
    ) -> "Nodes":
        """The nodes of rows that may be a frame with an index or a column of ids."""
        found = _rows.RowIds()
        if _frames.is_frame(rows) and align != "position":
            found = _rows.row_ids("embedding", _frames.frame_of(rows))
        ids = None if found.values is None else strings("embedding", found.values)
        return cls(ids, count, align, spelling)


def labels_of_nodes(labels: Any, nodes: Nodes) -> Any:
    """Labels in the order of the nodes: by id if they have ids, by the rule of the engine."""
    made = as_labels(labels, nodes)
    if made is None or made.ids is None:
        return made
    # A table of nothing lends its rows to the labels.
    rows = _native.Table.from_dense("nodes", np.arange(nodes.count, dtype=np.float64)[:, None])
    graph = _native.Graph.assemble(
        [], [("nodes", rows)], nodes.ids, made, None, False, [], nodes.align, nodes.spelling
    )
    for text in graph.warnings:
        warnings.warn(text, stacklevel=4)
    names, lists = graph.labels() or ([], [])
    return _native.Labels.from_lists(names, lists)


def as_labels(labels: Any, nodes: Optional[Nodes] = None) -> Any:
    """Classes of nodes: numbers (negative for none), names (None for none), a 0/1 matrix, lists of
    classes, a series or a mapping by id, a file.
    """
    if isinstance(labels, _native.Labels):
        return labels
    if is_path(labels):
        return _native.Labels.from_file(os.fspath(labels))
    if _frames.is_frame(labels):
        raise ValueError("labels: found a frame, expected one column of it")
    ids = None
    if nodes is not None:
        found = _rows.ids_of_values("labels", labels, nodes.ids, nodes.count, nodes.align)
        if found is not None:
            ids, labels = found
    if isinstance(labels, Mapping):
        labels = list(labels.values())
    if hasattr(labels, "to_list"):
        labels = labels.to_list()
    if isinstance(labels, (list, tuple)) and any(
        isinstance(label, (list, tuple, set)) for label in labels
    ):
        names = sorted({str(one) for label in labels for one in label})
        code = {name: at for at, name in enumerate(names)}
        return _native.Labels.from_lists(
            names, [sorted(code[str(one)] for one in label) for label in labels], ids
        )
    if is_sparse(labels):
        labels = labels.toarray()
    if isinstance(labels, (list, tuple)):
        labels = [None if is_missing(label) else label for label in labels]
    return _of_array(plain(labels), ids)


def _of_array(array: Any, ids: Optional[List[str]]) -> Any:
    if array.ndim == 2 and array.shape[1] > 1:
        if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
            raise ValueError(
                "labels: found a table of other values than 0 and 1, expected one column per class"
            )
        lists = [np.flatnonzero(row).tolist() for row in array]
        return _native.Labels.from_lists([str(at) for at in range(array.shape[1])], lists, ids)
    array = array.ravel()
    if array.dtype.kind in "iub":
        return _native.Labels.from_numbers(array.astype(np.int64).tolist(), ids)
    if array.dtype.kind == "f":
        whole = np.where(np.isfinite(array), array, -1)
        if (whole == np.floor(whole)).all():
            return _native.Labels.from_numbers(whole.astype(np.int64).tolist(), ids)
        raise ValueError("labels: found fractions, expected whole numbers or names")
    values = array.tolist()
    # Whole numbers among which some are missing are numbers all the same.
    if any(isinstance(value, int) for value in values) and all(
        value is None or isinstance(value, int) for value in values
    ):
        return _native.Labels.from_numbers(
            [-1 if value is None else int(value) for value in values], ids
        )
    names_or_none = [None if is_missing(value) else str(value) for value in values]
    return _native.Labels.from_names(names_or_none, ids)


def mask_of_nodes(name: str, flags: Any, nodes: Nodes) -> Tuple[str, List[bool]]:
    """One flag per node in the order of the nodes; every node needs one."""
    what = f"the mask of `{name}`"
    found = _rows.ids_of_values(what, flags, nodes.ids, nodes.count, nodes.align)
    if found is None:
        return name, mask(name, list(flags.values()) if isinstance(flags, Mapping) else flags)
    by_id = dict(zip(*found))
    own = [str(at) for at in range(nodes.count)] if nodes.ids is None else nodes.ids
    missing = [one for one in own if one not in by_id]
    if missing:
        raise ValueError(
            f"{what} must be one flag per node: {len(missing)} of {nodes.count} nodes have none, "
            f"first `{missing[0]}`"
        )
    if len(by_id) > len(own):
        unknown = next(one for one in by_id if one not in set(own))
        raise ValueError(f"{what}: there is no node `{unknown}`")
    return name, mask(name, [by_id[one] for one in own])
