"""Data sets and embeddings in other formats."""

from __future__ import annotations

import os
import warnings
from typing import List, Optional

from . import _native
from ._types import Path, ZeroRows
from .datasets import Dataset, load_folder


def convert(
    source: Path,
    target: Path,
    *,
    mapped: bool = False,
    directed: Optional[bool] = None,
    zero_rows: ZeroRows = "zero",
    id_column: Optional[str] = None,
) -> List[str]:
    """Write a data set, its links or an embedding in another format, as `gage convert` does.

    Parameters
    ----------
    source : path-like
        A data set, a graph or an embedding.
    target : path-like
        A folder (no extension); links as `.npz`, `.csr`, `.mtx`, `.csv`, `.tsv`; or an embedding in
        a format that `gage embed` writes.
    mapped : bool, default=False
        Whether the matrices of a folder are `.csr` files, which are mapped instead of read.
    directed, zero_rows, id_column
        As for :func:`gage_embed.datasets.load_folder`.

    Returns
    -------
    list of str
        The files that were written. What they cannot hold is said in warnings.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gage_embed import convert
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     edges, matrix = Path(folder) / "edges.csv", Path(folder) / "adj.npz"
    ...     _ = edges.write_text("source,target\\nann,bob\\nbob,cia\\n")
    ...     [Path(name).name for name in convert(edges, matrix)]
    ['adj.npz', 'adj.ids.txt']
    """
    source, target = os.fspath(source), os.fspath(target)
    if target == "-":
        raise ValueError("target: found '-', expected a path")
    if _native.is_embedding(source):
        rows, ids = _native.read_embedding(source)
        return _native.write_embedding(target, rows, ids, source)
    data = load_folder(source, directed=directed, zero_rows=zero_rows, id_column=id_column)
    for note in data.graph.warnings:
        warnings.warn(note, stacklevel=2)
    return write(data, target, mapped, [source])


def write(data: Dataset, target: str, mapped: bool, inputs: List[str]) -> List[str]:
    """A data set as a folder, or its links as a file; warns of what is not written."""
    if os.path.isdir(target) or not os.path.splitext(target)[1]:
        files, missing = _native.write_folder(data.graph, target, mapped, inputs)
        for name, count in missing:
            warnings.warn(
                f"`{name}`: {count} rows are missing and were written as zero; read the folder "
                "with zero_rows='missing'",
                stacklevel=4,
            )
        return list(files)
    if mapped:
        raise ValueError("mapped: found True for a file, expected a folder")
    files, directed, names = _native.write_links(data.graph, target, inputs)
    left_out = [name for name in data.views if name != "links"]
    if data.graph.labels() is not None:
        left_out.append("labels")
    if left_out:
        warnings.warn(f"only links were written; left out: {', '.join(left_out)}", stacklevel=4)
    if directed and names:
        warnings.warn(
            "the links have a direction, which an edge list does not say; read it with "
            "directed=True",
            stacklevel=4,
        )
    return list(files)
