"""Methods of a fitted model."""

from __future__ import annotations

import copy
import json
import warnings
from typing import (
    Any,
    Dict,
    List,
    Literal,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike

from . import _frames, _native, _pictures, _settings
from ._base import ColumnNames
from ._explore import Explorable
from ._given import given_to, opened
from ._inputs import Join, collect
from ._labels import Nodes
from ._options import NewOptions, Unpack, takes
from ._progress import threads
from ._reports import Neighbour, Neighbours
from ._rows import IdTypes, check_align
from ._saved import SavedModel
from ._types import Data, Floats, Ids, Lam, Links, Metric, Table
from .datasets import Dataset

Model = TypeVar("Model", bound="FittedModel")


class _New(NamedTuple):
    """New nodes as the native layer takes them."""

    links: Any
    tables: Any
    names: Optional[List[str]]
    ids: Optional[str]
    types: IdTypes


def _position(model: Any, node: Any, ids: Optional[str] = None) -> int:
    """Position of a node by its id, or by its position if nodes have no such names."""
    texts = model.ids
    # Names may look like numbers, so they are asked first.
    if isinstance(node, (int, np.integer)) and (texts is None or str(node) not in set(texts)):
        if not 0 <= int(node) < len(model):
            raise IndexError(f"node {node} is outside the {len(model)} nodes of the model")
        return int(node)
    return int(model.find(str(node), ids))


def _say(remarks: Sequence[str], unobserved: Sequence[int], ids: Optional[List[str]]) -> None:
    """Warns of what was decided about new nodes."""
    for remark in remarks:
        warnings.warn(remark, stacklevel=4)
    if unobserved:
        first = unobserved[0] if ids is None else ids[unobserved[0]]
        warnings.warn(
            f"{len(unobserved)} new nodes have no view, first {first!r}; their rows are zero",
            stacklevel=4,
        )


class FittedModel(SavedModel, ColumnNames, Explorable):
    """Results of a fit; nothing here is fitted again."""

    _kept: Tuple[Any, str, Any]
    random_state: Any
    n_jobs: Optional[int]

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "model_", None) is not None

    def _shares(self, lam: Any) -> Dict[str, Any]:
        names = [view["name"] for view in self.views_]
        shares = _settings.shares(self.lam if lam is None else lam, names)
        if lam is not None:
            _settings.warn_of_empty_end(self._native_model(), shares, 3)
        return shares

    @overload
    def embedding(self, lam: Lam = None, *, as_frame: None = None) -> Floats: ...

    @overload
    def embedding(self, lam: Lam = None, *, as_frame: Literal["pandas", "polars"]) -> Any: ...

    def embedding(
        self, lam: Lam = None, *, as_frame: Optional[Literal["pandas", "polars"]] = None
    ) -> Any:
        """The embedding for any weighting of the views: one multiplication, no new fit.

        Parameters
        ----------
        lam : float, sequence or mapping, optional
            From 0 to 1 for the views that use links, or one share per view, in order or by name;
            the parameter ``lam`` by default.
        as_frame : {'pandas', 'polars'}, optional
            Return a frame with the ids.

        Returns
        -------
        ndarray or frame of shape (n_nodes, n_components)
            One row per node.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> rng = np.random.default_rng(0)
        >>> path = [[i, i + 1] for i in range(19)]
        >>> model = GAGE(n_components=3).fit(rng.normal(size=(20, 5)), links=path)
        >>> model.embedding(0.3).shape
        (20, 3)
        """
        rows = self._native_model().embedding(**self._shares(lam))
        if as_frame is None:
            return rows
        return _frames.to_frame(as_frame, rows, list(self.get_feature_names_out()), self.ids_)

    @property
    def embedding_(self) -> Floats:
        """The embedding with the parameter ``lam``: made once, and read-only."""
        model, shares = self._native_model(), str(self._shares(None))
        kept: Optional[Tuple[Any, str, Floats]] = self.__dict__.get("_kept")
        if kept is None or kept[0] is not model or kept[1] != shares:
            rows = self.embedding()
            rows.setflags(write=False)
            kept = (model, shares, rows)
            self._kept = kept
        return kept[2]

    @property
    def factors_(self) -> Floats:
        """Node factors: columns of length one, sorted by energy."""
        return cast(Floats, self._native_model().factors())

    @property
    def coefficients_(self) -> Floats:
        """Coefficients, one row per view."""
        return np.asarray(self._native_model().coefficients())

    @property
    def ids_(self) -> Optional[List[Any]]:
        """Names of the nodes, if names were given: numbers if they were numbers."""
        return self._restored(self._native_model().ids)

    def _restored(self, ids: Optional[List[str]]) -> Optional[List[Any]]:
        """Ids as they were given."""
        types: Optional[IdTypes] = getattr(self, "_types", None)
        return ids if types is None else types.restored(ids)

    @property
    def views_(self) -> List[Dict[str, Any]]:
        """Name, weight, loss and further facts of each view."""
        return cast(List[Dict[str, Any]], json.loads(self._native_model().views()))

    @property
    def view_shares_(self) -> Dict[str, float]:
        """Share of each view in the embedding."""
        shares = self._native_model().shares(**self._shares(None))
        return {view["name"]: share for view, share in zip(self.views_, shares)}

    @property
    def info_(self) -> Dict[str, Any]:
        """What the fit did."""
        return cast(Dict[str, Any], json.loads(self._native_model().info()))

    @property
    def choice_(self) -> Optional[str]:
        """What the preset found and chose, in one line."""
        choice = self.info_.get("choice")
        return None if choice is None else cast(str, choice["saw"])

    @property
    def certificate_(self) -> Dict[str, Any]:
        """What was measured: for each view how well squared distances are reproduced, loss and
        least possible loss.
        """
        certificate = self._native_model().certificate()
        if certificate is None:
            raise AttributeError(
                "nothing was measured yet; fit with certify=True, or call measure(...) with the "
                "data"
            )
        return cast(Dict[str, Any], json.loads(certificate))

    @property
    def _n_features_out(self) -> int:
        return int(self._native_model().dimension)

    @takes(NewOptions)
    def fold_in(
        self,
        X: Union[None, Data, Tuple[Links, Table]] = None,
        *,
        lam: Lam = None,
        **data: Unpack[NewOptions],
    ) -> Tuple[Floats, Optional[List[Any]]]:
        """Rows of new nodes, and their names if they have any.

        With tables these are all rows of the tables in their order, those of fitted nodes
        included, and after them the nodes that only links name.

        Parameters
        ----------
        X, lam
            As for `transform`.
        **data
            Options of new nodes.

        Returns
        -------
        rows : ndarray of shape (n_new_nodes, n_components)
            One row per new node; zeros for nodes without any view, which a warning names.
        ids : list of str or None
            Their names.

        Examples
        --------
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> model = GAGE(n_components=8, preset="balanced").fit(load_debian())
        >>> rows, ids = model.fold_in(links=[["my-paint", "gimp"], ["my-paint", "krita"]])
        >>> rows.shape, ids
        ((1, 8), ['my-paint'])
        """
        new = self._new_nodes("fold_in", X, data)
        rows, ids, unobserved, remarks = self._native_model().fold_in(
            *new[:4], **self._shares(lam)
        )
        _say(remarks, unobserved, ids)
        return rows, new.types.restored(ids)

    @takes(NewOptions)
    def append(
        self: Model,
        X: Union[None, Data, Tuple[Links, Table]] = None,
        **data: Unpack[NewOptions],
    ) -> Model:
        """A model with new nodes behind its own, which everything that takes a model takes: rows of
        the others are the same, and links of further new nodes lead to fitted nodes only.

        Parameters
        ----------
        X
            As for `transform`; rows of nodes that the model has are left out, which is said.
        **data
            Options of new nodes.

        Returns
        -------
        GAGE
            Another fitted estimator; this one stays as it is.

        Examples
        --------
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> model = GAGE(n_components=8, preset="balanced").fit(load_debian())
        >>> more = model.append(links=[["my-paint", "gimp"], ["my-paint", "krita"]])
        >>> len(more.ids_) - len(model.ids_), more.ids_[-1]
        (1, 'my-paint')
        >>> len(more.similar("my-paint", k=3))
        3
        """
        new = self._new_nodes("append", X, data)
        native, ids, unobserved, remarks = self._native_model().append(*new[:4])
        _say(remarks, unobserved, ids)
        made = copy.copy(self)
        made.__dict__.pop("_kept", None)
        made.model_ = native
        own: IdTypes = getattr(self, "_types", IdTypes())
        made._types = own if new.types.numbers else IdTypes()
        return made

    def _new_nodes(self, function: str, X: Any, data: Mapping[str, Any]) -> _New:
        """What is said about new nodes, in the blocks of the model."""
        model = self._native_model()
        if isinstance(X, Dataset):
            raise ValueError("X: found a data set, expected links or attributes of new nodes")
        self._check_features(X, data.get("attributes"))
        given = opened(given_to(function, X, data, NewOptions), model)
        check_align(None, given.ids)
        join = Join(given.id_column, None, given.nodes, given.said)
        parts = collect(
            given.X, given.links, given.attributes, given.views, join=join, model=model
        )
        return _New(parts.links, parts.tables, parts.nodes, given.ids, parts.types)

    def _check_features(self, X: Any, attributes: Any) -> None:
        expected = getattr(self, "n_features_in_", None)
        if expected is None or X is None or attributes is not None or not hasattr(X, "shape"):
            return
        if _frames.is_frame(X):
            fitted = list(getattr(self, "feature_names_in_", []))
            found = _frames.names(X)
            if fitted and [name for name in found if name in fitted] != [
                name for name in fitted if name in found
            ]:
                raise ValueError(
                    "The feature names should match those that were passed during fit, in the same "
                    "order."
                )
            return
        if len(X.shape) == 2 and X.shape[1] != expected:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {expected} "
                "features as input."
            )

    def similar(
        self,
        node: Any,
        k: int = 10,
        lam: Lam = None,
        *,
        metric: Metric = "cosine",
        ids: Optional[Ids] = None,
    ) -> Neighbours:
        """The nearest nodes, and how much of the nearness comes from each view.

        Parameters
        ----------
        node : str or int
            Id of the node, or its position if nodes have no names.
        k : int, default=10
            How many.
        lam : float, sequence or mapping, optional
            Weighting of the views.
        metric : {'cosine', 'distance'}, default='cosine'
            Largest cosine, or smallest squared distance.
        ids : {None, 'exact', 'fold-case'}, default=None
            Which ids are the same, as for :meth:`fit`.

        Returns
        -------
        Neighbours
            A list, nearest first, of ``id``, ``value`` and ``by_view``, which adds up to the value;
            its ``to_frame()`` is a table.

        Examples
        --------
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> model = GAGE(n_components=32).fit(load_debian())
        >>> nearest = model.similar("gimp", k=3)[0]
        >>> abs(sum(nearest.by_view.values()) - nearest.value) < 1e-9
        True
        """
        model = self._native_model()
        if metric not in ("cosine", "distance"):
            raise ValueError(f"metric: found {metric!r}, expected 'cosine' or 'distance'")
        if isinstance(k, bool) or not hasattr(k, "__index__") or k < 1:
            raise ValueError(f"k: found {k!r}, expected a whole number of at least 1")
        check_align(None, ids)
        names_of, at = self.ids_, _position(model, node, ids)
        found = model.similar(
            at, min(int(k), len(model)), distance=metric == "distance", **self._shares(lam)
        )
        names = [view["name"] for view in self.views_]
        return Neighbours(
            Neighbour(
                other if names_of is None else names_of[other], value, dict(zip(names, parts))
            )
            for other, value, parts in found
        )

    def plot(
        self,
        labels: Union[None, ArrayLike, Mapping[Any, Any]] = None,
        lam: Lam = None,
        *,
        ax: Any = None,
        names: Optional[Sequence[Any]] = None,
        size: float = 4.0,
        title: Optional[str] = None,
    ) -> Any:
        """A map of the nodes, as the command draws it, coloured by whatever is known about them.

        Parameters
        ----------
        labels : sequence, series or mapping, optional
            What to colour by: classes (texts, whole numbers, categories, truth values), which get
            colours and marks of their own, or fractions and dates, which get a scale. Any column
            of a frame will do; a series and a mapping are aligned by id. Missing values are grey.
        lam : float, sequence or mapping, optional
            Weighting of the views.
        ax : matplotlib axes, optional
            Where to draw.
        names : sequence of ids, optional
            Nodes whose names are written beside their points.
        size : float, default=4.0
            Size of the points.
        title : str, optional
            A heading.

        Returns
        -------
        matplotlib axes
            With the map.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> x = np.random.default_rng(0).normal(size=(60, 4))
        >>> model = GAGE(n_components=3).fit(x, nodes=[f"n{i}" for i in range(60)])
        >>> axes = model.plot(labels=["even", "odd"] * 30, names=["n7"])
        >>> [text.get_text() for text in axes.texts], axes.get_aspect()
        (['n7'], 1.0)
        """
        model = self._native_model()
        places = [_position(model, name) for name in names or ()]
        colours = _pictures.colours_of(labels, Nodes(model.ids, len(model)))
        points = self.map_(lam)
        ax = _pictures.draw(points, colours, ax=ax, size=size, title=title)
        for name, at in zip(names or (), places):
            ax.annotate(str(name), points[at], fontsize=8)
        return ax

    def map_(self, lam: Lam = None, *, neighbours: Optional[int] = None) -> Floats:
        """Two coordinates per node: the layout of `gage plot`, in which near nodes stay near.

        Parameters
        ----------
        lam : float, sequence or mapping, optional
            Weighting of the views.
        neighbours : int, optional
            How many neighbours a node is held to: more show the large structure, fewer the small.

        Returns
        -------
        ndarray of shape (n_nodes, 2)
            The coordinates; the same ones each time.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> GAGE(n_components=3).fit(np.random.default_rng(0).normal(size=(9, 4))).map_().shape
        (9, 2)
        """
        if neighbours is not None and (isinstance(neighbours, bool) or neighbours < 2):
            raise ValueError(f"neighbours: found {neighbours!r}, expected at least 2")
        seed, jobs = _settings.seed(self.random_state), threads(self.n_jobs)
        return cast(Floats, _native.layout(self.embedding(lam), neighbours, seed, jobs))
