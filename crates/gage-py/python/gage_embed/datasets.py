"""Data sets: one inside the package, and those in files."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _native
from ._arrays import CSR


class Dataset:
    """A graph that was read, with its names and labels. Everything that fits models takes it as it
    is.

    Examples
    --------
    >>> from gage_embed.datasets import load_debian
    >>> load_debian()
    Dataset(3824 nodes; links: links 3824 x 3824, attributes: attributes 3824 x 5194)
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph

    def __len__(self) -> int:
        return len(self.graph)

    def __repr__(self) -> str:
        blocks = ", ".join(
            f"{name}: {kind} {shape[0]} x {shape[1]}"
            for name, kind, shape, _ in self.graph.blocks()
        )
        return f"Dataset({len(self)} nodes; {blocks})"

    @property
    def ids(self) -> Optional[List[str]]:
        """Names of the nodes, if they have any."""
        return list(self.graph.ids) if self.graph.ids is not None else None

    @property
    def views(self) -> List[str]:
        """Names of the relations and tables."""
        return [name for name, *_ in self.graph.blocks()]

    @property
    def notes(self) -> List[str]:
        """How the files were understood."""
        return list(self.graph.info) + list(self.graph.warnings)

    def view(self, name: str) -> Any:
        """A relation or table: a scipy matrix if it is sparse and scipy is installed, else
        :class:`CSR`; or an array.

        Parameters
        ----------
        name : str
            One of ``views``.

        Returns
        -------
        sparse matrix, CSR or ndarray
            A copy, one row per node.

        Examples
        --------
        >>> from gage_embed.datasets import load_debian
        >>> load_debian().view("links").shape
        (3824, 3824)
        """
        found = self.graph.matrix(name)
        if not isinstance(found, tuple):
            return found
        shape = next(shape for own, _, shape, _ in self.graph.blocks() if own == name)
        indptr, indices, data = found
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            return CSR(indptr, indices, data, shape)
        return csr_matrix((data, indices, indptr), shape=shape)

    @property
    def links(self) -> Any:
        """The main relation."""
        return self.view("links")

    @property
    def attributes(self) -> Any:
        """The main table."""
        return self.view("attributes")

    @property
    def attribute_names(self) -> Optional[List[str]]:
        """Names of the columns of the main table."""
        names = self.graph.columns("attributes")
        return None if names is None else list(names)

    @property
    def class_names(self) -> List[str]:
        """Names of the classes."""
        return list(self._labels()[0])

    @property
    def labels(self) -> Any:
        """Class number of every node (-1 for none); a 0/1 matrix if some have several."""
        names, lists = self._labels()
        if any(len(classes) > 1 for classes in lists):
            matrix = np.zeros((len(lists), len(names)), dtype=np.int8)
            for node, classes in enumerate(lists):
                matrix[node, classes] = 1
            return matrix
        return np.array([classes[0] if classes else -1 for classes in lists], dtype=np.int64)

    def _labels(self) -> Tuple[List[str], List[List[int]]]:
        found = self.graph.labels()
        if found is None:
            raise ValueError("this data set has no labels")
        names, lists = found
        return names, lists


def load_debian() -> Dataset:
    """Debian packages: 3,824 of them, their dependencies, the words of their descriptions, and
    their sections.

    Returns
    -------
    Dataset
        Part of this package; nothing is downloaded.

    Examples
    --------
    >>> from gage_embed.datasets import load_debian
    >>> packages = load_debian()
    >>> len(packages), packages.views, len(packages.class_names)
    (3824, ['links', 'attributes'], 25)
    """
    return Dataset(_native.Graph.debian())


def load_folder(
    folder: Any,
    *,
    directed: Optional[bool] = None,
    zero_rows: str = "zero",
    id_column: Optional[str] = None,
) -> Dataset:
    """Read a folder as the command line does: `adj.npz` or `edges.csv`, `features.npz` or
    `attributes.csv`, `labels.npy`, `nodes.txt`, `views/*` and the like.

    Parameters
    ----------
    folder : path-like
        The folder, or a single file of links.
    directed : bool, optional
        Whether links have a direction; by default as the files say.
    zero_rows : {'zero', 'missing'}, default='zero'
        What a row of zeros of a matrix means.
    id_column : str, optional
        Which column of tables holds the ids.

    Returns
    -------
    Dataset
        The graph.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gage_embed.datasets import load_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "edges.csv").write_text("source,target\\nann,bob\\nbob,cia\\n")
    ...     _ = (Path(folder) / "attributes.csv").write_text("id,age\\nann,31\\nbob,45\\ncia,27\\n")
    ...     people = load_folder(folder)
    >>> people.ids, people.views
    (['ann', 'bob', 'cia'], ['links', 'attributes'])
    """
    if zero_rows not in ("zero", "missing"):
        raise ValueError(f"zero_rows: found {zero_rows!r}, expected 'zero' or 'missing'")
    return Dataset(
        _native.Graph.load(
            source=os.fspath(folder),
            directed=directed,
            zero_rows_missing=zero_rows == "missing",
            id_column=id_column,
        )
    )


def load_mat(
    path: Any,
    *,
    links: str = "network",
    attributes: str = "feature",
    labels: str = "group",
    directed: Optional[bool] = None,
) -> Dataset:
    """Read a MATLAB file (version 5).

    Parameters
    ----------
    path : path-like
        The file.
    links, attributes, labels : str
        Names of its variables.
    directed : bool, optional
        Whether links have a direction; by default exactly if they are not symmetric.

    Returns
    -------
    Dataset
        The graph.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import scipy.io
    >>> from gage_embed.datasets import load_mat
    >>> ring = np.roll(np.eye(4), 1, axis=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ring.mat"
    ...     arrays = {"network": ring + ring.T, "feature": np.eye(4)}
    ...     scipy.io.savemat(path, arrays | {"group": np.eye(2)[[0, 0, 1, 1]]})
    ...     ring = load_mat(path)
    >>> len(ring), ring.labels.tolist()
    (4, [0, 0, 1, 1])
    """
    if not os.fspath(path).lower().endswith(".mat"):
        raise ValueError(
            f"{os.fspath(path)}: expected a file whose name ends with .mat; load_folder reads "
            "others"
        )
    return Dataset(
        _native.Graph.load(
            source=os.fspath(path), directed=directed, mat_names=(links, attributes, labels)
        )
    )


__all__ = ["CSR", "Dataset", "load_debian", "load_folder", "load_mat"]
