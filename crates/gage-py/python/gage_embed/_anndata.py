"""AnnData: cells are nodes, `obsp` has links, `X`, `layers` and `obsm` have attributes. The package
is imported to read files only.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from . import _frames, _native
from ._arrays import csr, is_sparse, table


class CellParts(NamedTuple):
    """What a call takes from an AnnData."""

    links: Any
    attributes: Any
    views: Optional[Mapping[str, Any]]
    nodes: Any


def is_anndata(value: Any) -> bool:
    """`AnnData`, in memory or backed by a file."""
    return all(hasattr(value, part) for part in ("obsp", "obsm", "obs_names", "var_names"))


def is_file(value: Any) -> bool:
    """Whether a path is that of an AnnData."""
    return isinstance(value, (str, os.PathLike)) and os.fspath(value).lower().endswith(".h5ad")


def read(path: Any) -> Any:
    """A `.h5ad` file, read by the package of that name."""
    try:
        import anndata
    except ImportError:
        raise ImportError(
            f"{os.fspath(path)}: reading .h5ad files needs anndata; pip install anndata"
        ) from None
    return anndata.read_h5ad(os.fspath(path))


def parts(
    data: Any,
    links: Any,
    attributes: Any,
    views: Optional[Mapping[str, Any]],
    nodes: Any,
    model: Any = None,
) -> CellParts:
    """The parts that keys name. Without a key the links are the only entry of `obsp`, and the
    attributes are `X`; False stands for none.
    """
    if getattr(data, "isbacked", False):
        data = data.to_memory()
    if nodes is None:
        nodes = [str(name) for name in data.obs_names]
    if links is None and model is None:
        links = _only_links(data)
    elif isinstance(links, str):
        links = _of(data, "links", links, ("obsp",))
    if attributes is None:
        attributes = _main(data, model)
    elif isinstance(attributes, str):
        attributes = _of(data, "attributes", attributes, ("obsm", "layers"))
    if isinstance(views, Mapping):
        views = {
            name: _of(data, f"views[{name!r}]", value, ("obsp", "obsm", "layers"))
            if isinstance(value, str)
            else value
            for name, value in views.items()
        }
    return CellParts(_unless_false(links), _unless_false(attributes), views, nodes)


def _unless_false(value: Any) -> Any:
    return None if value is False else value


def _only_links(data: Any) -> Any:
    keys = list(data.obsp.keys())
    if len(keys) > 1:
        raise ValueError(
            f"links: found {', '.join(map(repr, keys))} in `obsp`, and no telling which are the "
            f"links; say links={keys[0]!r}, or links=False for attributes only"
        )
    return data.obsp[keys[0]] if keys else None


def _of(data: Any, what: str, key: str, places: Tuple[str, ...]) -> Any:
    found = [place for place in places if key in getattr(data, place)]
    if len(found) == 1:
        value = getattr(data, found[0])[key]
        return _table(value, data) if found[0] == "layers" else value
    if found:
        raise ValueError(
            f"{what}: {key!r} is in {' and in '.join(f'`{place}`' for place in found)}; give the "
            f"matrix itself, as adata.{found[0]}[{key!r}]"
        )
    known: Dict[str, List[str]] = {place: list(getattr(data, place).keys()) for place in places}
    there = "; ".join(f"`{place}` has {', '.join(keys)}" for place, keys in known.items() if keys)
    there = there or "it has no such parts"
    raise ValueError(f"{what}: there is no {key!r} in the AnnData; {there}")


def _main(data: Any, model: Any) -> Any:
    """`X` with the names of its columns; of new cells, the columns of the fitted ones."""
    if data.X is None:
        raise ValueError(
            "attributes: the AnnData has no `X`; say which entry of `obsm` or `layers` holds the "
            "attributes, or attributes=False"
        )
    fitted = None if model is None else model.column_names("attributes")
    names = [str(name) for name in data.var_names]
    if fitted is None or fitted == names:
        return _table(data.X, data)
    missing = [name for name in fitted if name not in set(names)]
    if missing:
        raise ValueError(
            f"attributes: {len(missing)} of {len(fitted)} columns of the fit are missing, first "
            f"{missing[0]!r}"
        )
    chosen = data[:, fitted]
    return _table(chosen.X, chosen)


def _table(values: Any, data: Any) -> Any:
    names = [str(name) for name in data.var_names]
    if _frames.is_frame(values):
        values = values.to_numpy()
    if is_sparse(values):
        matrix = csr("attributes", values)
        return _native.Table.from_csr(
            matrix.shape, matrix.indptr, matrix.indices, matrix.data, names
        )
    return _native.Table.from_dense("attributes", table("attributes", values), names)
