"""Arrays of any kind as the arrays the native layer takes; copies only where they cannot be avoided."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

# Whole numbers up to this size are exact in single precision.
_EXACT_IN_SINGLE = 1 << 24


class CSR(NamedTuple):
    """Compressed rows: a sparse matrix without scipy."""

    indptr: Any
    indices: Any
    data: Any
    shape: Tuple[int, int]


def is_sparse(value: Any) -> bool:
    """Whether something is a sparse matrix: scipy's, or anything with the same attributes."""
    if isinstance(value, CSR):
        return True
    return hasattr(value, "shape") and (
        hasattr(value, "tocsr") or all(hasattr(value, part) for part in ("indptr", "indices", "data"))
    )


def floats(name: str, values: Any) -> Any:
    """Values as contiguous 32- or 64-bit floats; such arrays are returned as they are."""
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(f"{name}: found complex numbers, expected real ones; Complex data not supported")
    if kind == "f":
        wanted = np.float32 if array.dtype.itemsize == 4 else np.float64
        if array.dtype.itemsize == 2:
            wanted = np.float32
    elif kind in "biu":
        largest = max(abs(int(array.max())), abs(int(array.min()))) if array.size else 0
        wanted = np.float32 if largest <= _EXACT_IN_SINGLE else np.float64
    elif kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise _not_numbers(name, error) from None
        wanted = np.float64
    else:
        raise _not_numbers(name, f"an array of type {array.dtype}")
    return np.require(array, dtype=wanted, requirements=["C", "A"])


def _not_numbers(name: str, found: Any) -> Exception:
    text = (
        f"{name}: found {found}, expected numbers; give columns of text as a data frame, which is encoded by itself"
    )
    # Python tells a thing of the wrong type from one of the right type with a wrong value.
    return TypeError(text) if isinstance(found, TypeError) else ValueError(text)


def indices(name: str, values: Any) -> Any:
    """Indices as contiguous 32- or 64-bit integers; such arrays are returned as they are."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}: found indices of type {array.dtype}, expected whole numbers")
    width = np.int32 if array.dtype == np.int32 else np.int64
    return np.require(array, dtype=width, requirements=["C", "A"])


def csr(name: str, matrix: Any) -> CSR:
    """The three arrays of a sparse matrix. Canonical compressed rows are shared, other formats converted."""
    if getattr(matrix, "format", "csr") != "csr" or not hasattr(matrix, "indptr"):
        matrix = matrix.tocsr()
    shape = tuple(int(size) for size in matrix.shape)
    if len(shape) != 2:
        raise ValueError(f"{name}: found {len(shape)} dimensions, expected two")
    return CSR(
        indices(name, matrix.indptr),
        indices(name, matrix.indices),
        floats(name, matrix.data),
        (shape[0], shape[1]),
    )


def table(name: str, values: Any) -> Any:
    """A contiguous two-dimensional array of floats, NaN where an entry is missing."""
    array = np.asarray(values)
    if array.dtype.kind == "O" and array.ndim == 1 and array.size and not np.isscalar(array.flat[0]):
        raise ValueError(f"{name}: found rows of different lengths, expected a table")
    array = floats(name, array)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: found {array.ndim} dimensions, expected a table with one row per node. "
            "Reshape your data either using array.reshape(-1, 1) if it has a single column "
            "or array.reshape(1, -1) if it is a single node."
        )
    return array


def strings(name: str, values: Any) -> list[str]:
    """Ids as strings; whole numbers stay readable (`7`, not `7.0`)."""
    array = values if isinstance(values, (list, tuple)) else np.asarray(values).tolist()
    out = []
    for at, value in enumerate(array):
        if value is None or value != value:
            raise ValueError(f"{name}: entry {at} is missing, expected an id; fill it in or leave the row out")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        out.append(str(value))
    return out


def mask(name: str, values: Any, count: Optional[int] = None) -> list[bool]:
    """One flag per node: true where the node is observed."""
    array = np.asarray(values)
    if array.dtype.kind not in "biu" or array.ndim != 1 or not np.isin(array, (0, 1)).all():
        raise ValueError(f"the mask of `{name}` must be one flag per node, true where the node is observed")
    if count is not None and array.size != count:
        raise ValueError(f"the mask of `{name}` has {array.size} entries, but there are {count} nodes")
    flags: list[bool] = array.astype(bool).tolist()
    return flags
