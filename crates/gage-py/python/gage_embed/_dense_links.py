"""What a dense array of links is: a matrix, a list of pairs, or an edge index."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

MATRIX = "matrix"
PAIRS = "pairs"
INDEX = "index"

_TO_SETTLE = {
    MATRIX: "a sparse matrix, scipy.sparse.csr_matrix(links), for a matrix of links",
    PAIRS: "a frame with the columns source and target (and weight) for a list of links",
    INDEX: "its transpose as such a frame for an edge index",
}
_CALLED = {
    MATRIX: "a matrix of {0} nodes",
    PAIRS: "a list of {0} links, one per row",
    INDEX: "an edge index of {1} links, one per column",
}


def reading(name: str, array: Any, count: Optional[int], fitted: Optional[int]) -> Optional[str]:
    """The one way in which an array of numbers can be links; None if there is none. `count` is the
    number of nodes if something else says it; with `fitted` a matrix has one row per new node and
    that many columns.
    """
    rows, columns = array.shape
    whole = array.dtype.kind in "iu"
    found: List[str] = []
    if fitted is None and rows == columns and (count is None or count == rows or not whole):
        found.append(MATRIX)
    if fitted is not None and columns == fitted:
        found.append(MATRIX)
    if columns in (2, 3) and not (MATRIX in found and not whole):
        found.append(PAIRS)
    if rows == 2 and whole and columns > 1:
        found.append(INDEX)
    if len(found) > 1 and MATRIX in found and _can_only_be_matrix(array, fitted):
        return MATRIX
    if len(found) > 1:
        called = [_CALLED[one].format(rows, columns) for one in found]
        settle = [_TO_SETTLE[one] for one in found]
        raise ValueError(
            f"{name}: found whole numbers in an array of {rows} x {columns}, and "
            f"{len(found)} readings are plausible: {', '.join(called)}; give {', or '.join(settle)}"
        )
    return found[0] if found else None


def _can_only_be_matrix(array: Any, fitted: Optional[int]) -> bool:
    """Whether the numbers make no sense as ends of links, or the same."""
    if fitted is not None:
        return array.shape[1] < 4 or bool(np.isin(array, (0, 1)).all())
    if len(array) == 2:
        # Either way a single link.
        return bool(array.tolist() == [[0, 1], [1, 0]])
    return bool((array == array.T).all())
