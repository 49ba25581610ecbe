"""Data sets: one inside the package, and those in files."""

from __future__ import annotations

import json
import os
from html import escape
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from . import _native
from ._arrays import CSR
from ._columns import Columns
from ._options import FileOptions, Unpack, check_names, takes
from ._reports import table
from ._settings import seed
from ._types import Path, RandomState


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

    def _repr_html_(self) -> str:
        records = [
            {"view": name, "kind": kind, "rows": shape[0], "columns": shape[1], "observed": known}
            for name, kind, shape, known in self.graph.blocks()
        ]
        found = self.graph.labels()
        classes = "" if found is None else f", {len(found[0])} classes"
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        title = f"Dataset: {len(self)} nodes{classes}"
        return table(records, title) + (f"<ul>{notes}</ul>" if notes else "")

    def __getstate__(self) -> Dict[str, Any]:
        graph = self.graph
        return {
            "count": len(graph),
            "ids": graph.ids,
            "blocks": _native.block_states(graph),
            "labels": graph.labels(),
            "info": list(graph.info),
            "warnings": list(graph.warnings),
            "readings": graph.readings,
        }

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.graph = _native.graph_of_states(**state)

    def save(self, path: Path, *, mapped: bool = False) -> List[str]:
        """Write the data set as a folder that the command and :func:`load_folder` read, or its
        links as a file.

        Parameters
        ----------
        path : path-like
            A folder (no extension), or a file of links: `.npz`, `.csr`, `.mtx`, `.csv`, `.tsv`.
        mapped : bool, default=False
            Whether the matrices of a folder are `.csr` files, which are mapped instead of read.

        Returns
        -------
        list of str
            The files; what they cannot hold is said in warnings.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from gage_embed.datasets import generate, load_folder
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = generate(50, classes=2, degree=6).save(folder)
        ...     again = load_folder(folder)
        >>> sorted(Path(name).name for name in files)
        ['adj.npz', 'features.npz', 'labels.npy', 'meta.json']
        >>> len(again), again.class_names
        (50, ['class 0', 'class 1'])
        """
        from ._convert import write

        return write(self, os.fspath(path), mapped, [])

    @property
    def ids(self) -> Optional[List[str]]:
        """Names of the nodes, if they have any."""
        return list(self.graph.ids) if self.graph.ids is not None else None

    @property
    def views(self) -> List[str]:
        """Names of the relations and tables."""
        return [name for name, *_ in self.graph.blocks()]

    @property
    def readings(self) -> List[Dict[str, Any]]:
        """What was taken as what in each table, edge list and file of labels: `header`,
        `separator`, and for every column its `name`, `role`, `kind`, `examples`, share `missing`,
        and `why`.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from gage_embed.datasets import load_files
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     edges = Path(folder) / "edges.csv"
        ...     _ = edges.write_text("who,whom,since\\n1,2,2019\\n2,3,2020\\n")
        ...     graph = load_files(edges, source="who", target="whom")
        >>> [(column["name"], column["role"]) for column in graph.readings[0]["columns"]]
        [('who', 'source'), ('whom', 'target'), ('since', 'ignored')]
        """
        found: List[Dict[str, Any]] = json.loads(self.graph.readings)
        return found

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


def generate(
    n_nodes: int,
    *,
    degree: Optional[float] = None,
    classes: Optional[int] = None,
    attributes: Optional[int] = None,
    attributes_per_node: Optional[float] = None,
    homophily: Optional[float] = None,
    signal: Optional[float] = None,
    power_law: Optional[float] = None,
    random_state: RandomState = 0,
) -> Dataset:
    """Make an attributed graph with planted classes, the one of `gage generate`.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    degree : float, optional
        Mean degree; 20 by default.
    classes : int, optional
        Number of classes; 10 by default.
    attributes : int, optional
        Number of different attributes; by default 100 for each class.
    attributes_per_node : float, optional
        Mean number of attributes of a node, repeats counted; 20 by default.
    homophily : float, optional
        Share of links that stay inside a class; 0.7 by default.
    signal : float, optional
        Share of attributes that a node has because of its class; 0.5 by default.
    power_law : float, optional
        Exponent of the degree distribution, above 2 (2.5 by default); 0 gives all nodes the same
        expected degree.
    random_state : int, default=0
        The same number gives the same graph, as on the command line.

    Returns
    -------
    Dataset
        With labels.

    Examples
    --------
    >>> from gage_embed.datasets import generate
    >>> data = generate(200, classes=4, homophily=0.9)
    >>> data.views, len(data.class_names)
    (['links', 'attributes'], 4)
    """
    given = {
        "nodes": n_nodes,
        "degree": degree,
        "classes": classes,
        "attributes": attributes,
        "attributes_per_node": attributes_per_node,
        "homophily": homophily,
        "signal": signal,
        "power_law": power_law,
    }
    params = {name: number(name, value) for name, value in given.items() if value is not None}
    if attributes is None and classes is not None:
        params["attributes"] = 100 * params["classes"]
    return Dataset(_native.Graph.planted(json.dumps({**params, "seed": seed(random_state)})))


def number(name: str, value: Any) -> Any:
    """A finite number as Python has it; a whole one if it is."""
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise ValueError(f"{name}: found {value!r}, expected a number")
    if not np.isfinite(float(value)) or float(value) < 0:
        raise ValueError(f"{name}: found {value!r}, expected a finite number of at least 0")
    return int(value) if hasattr(value, "__index__") else float(value)


def load_h5ad(
    path: Path, *, links: Any = None, attributes: Any = None, labels: Optional[str] = None
) -> Dataset:
    """Read an AnnData file with the package anndata.

    Parameters
    ----------
    path : path-like
        The file.
    links : str, optional
        Entry of `obsp`; the only one by default, False for none.
    attributes : str, optional
        Entry of `obsm` or `layers`; `X` by default.
    labels : str, optional
        Column of `obs` with the classes.

    Returns
    -------
    Dataset
        Cells are nodes.

    Examples
    --------
    >>> from gage_embed.datasets import load_h5ad
    >>> cells = load_h5ad("cells.h5ad", links="connectivities")  # doctest: +SKIP
    """
    from . import _anndata
    from ._given import Given, assemble

    cells = _anndata.read(path)
    if labels is not None and labels not in cells.obs.columns:
        known = ", ".join(map(str, cells.obs.columns))
        raise ValueError(f"labels: there is no column {labels!r} in `obs`; there are {known}")
    classes = None if labels is None else cells.obs[labels]
    given = Given(cells, links=links, attributes=attributes)
    return Dataset(assemble(given, None, classes).graph)


@takes(FileOptions)
def load_folder(folder: Path, **options: Unpack[FileOptions]) -> Dataset:
    """Read a folder as the command line does: `adj.npz` or `edges.csv`, `features.npz` or
    `attributes.csv`, `labels.npy`, `nodes.txt`, `views/*` and the like.

    Parameters
    ----------
    folder : path-like
        The folder, or a single file of links.
    **options
        How files are read.

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
    return _loaded("load_folder", options, source=os.fspath(folder))


def _loaded(function: str, options: Mapping[str, Any], **files: Any) -> Dataset:
    """The data set of files, read with these options."""
    check_names(function, options, FileOptions)
    zero_rows = options.get("zero_rows", "zero")
    if zero_rows not in ("zero", "missing"):
        raise ValueError(f"zero_rows: found {zero_rows!r}, expected 'zero' or 'missing'")
    return Dataset(
        _native.Graph.load(
            directed=options.get("directed"),
            zero_rows_missing=zero_rows == "missing",
            id_column=options.get("id_column"),
            reading=Columns.of(options).json,
            **files,
        )
    )


@takes(FileOptions)
def load_files(
    graph: Any = None,
    *,
    attributes: Any = None,
    labels: Any = None,
    views: Optional[Mapping[str, Any]] = None,
    nodes: Any = None,
    **options: Unpack[FileOptions],
) -> Dataset:
    """Read files as the command line does with `--graph`, `--attributes`, `--labels` and `--view`.

    Parameters
    ----------
    graph, attributes, labels, nodes : path-like, optional
        Links, attributes, classes, and names of the nodes.
    views : mapping, optional
        Further files by name.
    **options
        As for :func:`load_folder`.

    Returns
    -------
    Dataset
        The graph.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gage_embed.datasets import load_files
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     edges, people = Path(folder) / "e.csv", Path(folder) / "p.csv"
    ...     _ = edges.write_text("ann,bob\\nbob,cia\\n")
    ...     _ = people.write_text("id,zip\\nann,02134\\nbob,10001\\ncia,02134\\n")
    ...     graph = load_files(edges, attributes=people)
    >>> graph.attribute_names
    ['zip=02134', 'zip=10001']
    """
    return _loaded(
        "load_files",
        options,
        graph=graph,
        attributes=attributes,
        labels=labels,
        nodes=nodes,
        views=[(str(name), os.fspath(path)) for name, path in (views or {}).items()],
    )


def load_mat(
    path: Path,
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


__all__ = [
    "CSR",
    "Dataset",
    "generate",
    "load_debian",
    "load_files",
    "load_folder",
    "load_h5ad",
    "load_mat",
]
