"""Arrays of any kind as the arrays the native layer takes; copies only where they cannot be
avoided.
"""

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


def _is_tensor(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "layout")


def _is_sparse_tensor(value: Any) -> bool:
    return _is_tensor(value) and "sparse" in str(value.layout)


def plain(values: Any) -> Any:
    """Whatever holds numbers as a NumPy array: tensors wherever they live, and masked arrays with
    NaN for what they hide.
    """
    if type(values).__name__ == "LazyFrame":
        raise TypeError("found a lazy frame, expected one that was computed; call its `collect()`")
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        values = values.detach().cpu()
        # NumPy has no numbers of that type; single precision holds them all.
        values = (
            values.float() if str(getattr(values, "dtype", "")) == "torch.bfloat16" else values
        ).numpy()
    return _unmasked(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)


def _unmasked(array: Any) -> Any:
    kind = array.dtype.kind
    if kind == "c" or not np.ma.is_masked(array):
        return array.data
    if kind not in "biuf":
        return array.astype(object).filled(None)
    return array.astype(array.dtype if kind == "f" else np.float64).filled(np.nan)


def is_sparse(value: Any) -> bool:
    """Whether something is a sparse matrix: scipy's, a sparse tensor, or anything with the same
    attributes as scipy's.
    """
    if isinstance(value, CSR) or _is_sparse_tensor(value):
        return True
    return hasattr(value, "shape") and (
        hasattr(value, "tocsr")
        or all(hasattr(value, part) for part in ("indptr", "indices", "data"))
    )


def floats(name: str, values: Any) -> Any:
    """Values as contiguous 32- or 64-bit floats; such arrays are returned as they are."""
    array = plain(values)
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(
            f"{name}: found complex numbers, expected real ones; Complex data not supported"
        )
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
        f"{name}: found {found}, expected numbers; give columns of text as a data frame, which is "
        "encoded by itself, "
        "and lists of links as `links`"
    )
    # Python tells a thing of the wrong type from one of the right type with a wrong value.
    return TypeError(text) if isinstance(found, TypeError) else ValueError(text)


def indices(name: str, values: Any) -> Any:
    """Indices as contiguous 32- or 64-bit integers; such arrays are returned as they are."""
    array = plain(values)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}: found indices of type {array.dtype}, expected whole numbers")
    width = np.int32 if array.dtype == np.int32 else np.int64
    return np.require(array, dtype=width, requirements=["C", "A"])


def csr(name: str, matrix: Any) -> CSR:
    """The three arrays of a sparse matrix. Canonical compressed rows are shared, other formats
    converted.
    """
    shape = tuple(int(size) for size in matrix.shape)
    if len(shape) != 2:
        raise ValueError(f"{name}: found {len(shape)} dimensions, expected two")
    if _is_sparse_tensor(matrix):
        matrix = _of_tensor(matrix)
    elif getattr(matrix, "format", "csr") != "csr" or not hasattr(matrix, "indptr"):
        matrix = matrix.tocsr()
    return CSR(
        indices(name, matrix.indptr),
        indices(name, matrix.indices),
        floats(name, matrix.data),
        (shape[0], shape[1]),
    )


def _of_tensor(tensor: Any) -> CSR:
    # To coordinates, which every layout can become; once coalesced they are in the order of
    # compressed rows.
    tensor = tensor.detach().cpu()
    tensor = (tensor if str(tensor.layout) == "torch.sparse_coo" else tensor.to_sparse()).coalesce()
    rows, columns = plain(tensor.indices())
    indptr = np.zeros(tensor.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=tensor.shape[0]), out=indptr[1:])
    return CSR(indptr, columns, plain(tensor.values()), tuple(tensor.shape))


def table(name: str, values: Any) -> Any:
    """A contiguous two-dimensional array of floats, NaN where an entry is missing."""
    array = plain(values)
    if (
        array.dtype.kind == "O"
        and array.ndim == 1
        and array.size
        and not np.isscalar(array.flat[0])
    ):
        raise ValueError(f"{name}: found rows of different lengths, expected a table")
    array = floats(name, array)
    if array.ndim != 2:
        raise ValueError(
            f"{name}: found {array.ndim} dimensions, expected a table with one row per node. "
            "Reshape your data either using array.reshape(-1, 1) if it has a single column "
            "or array.reshape(1, -1) if it is a single node."
        )
    return array


def is_missing(value: Any) -> bool:
    """Whether a cell says that nothing is known: None, NaN, or the missing value of pandas, which
    refuses to be compared.
    """
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return True


def strings(name: str, values: Any) -> list[str]:
    """Ids as strings; whole numbers stay readable (`7`, not `7.0`)."""
    if not isinstance(values, (list, tuple)):
        # What can only be gone through once, or is no sequence, becomes a list.
        values = (
            plain(values)
            if hasattr(values, "__array__") or hasattr(values, "detach")
            else list(values)
        )
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise ValueError(f"{name}: found {values.ndim} dimensions, expected one id for each node")
    out = []
    for at, value in enumerate(values if isinstance(values, (list, tuple)) else values.tolist()):
        if is_missing(value):
            raise ValueError(
                f"{name}: entry {at} is missing, expected an id; fill it in or leave the row out"
            )
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        out.append(str(value))
    return out


def mask(name: str, values: Any, count: Optional[int] = None) -> list[bool]:
    """One flag per node: true where the node is observed."""
    array = plain(values)
    if array.dtype.kind not in "biu" or array.ndim != 1 or not np.isin(array, (0, 1)).all():
        raise ValueError(
            f"the mask of `{name}` must be one flag per node, true where the node is observed"
        )
    if count is not None and array.size != count:
        raise ValueError(
            f"the mask of `{name}` has {array.size} entries, but there are {count} nodes"
        )
    flags: list[bool] = array.astype(bool).tolist()
    return flags
