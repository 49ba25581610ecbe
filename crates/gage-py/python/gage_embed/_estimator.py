"""The estimator."""

from __future__ import annotations

import copyreg
import json
import warnings
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _frames, _html, _native, _settings
from ._base import HAS_SKLEARN, BaseEstimator, TransformerMixin, output_kind, set_output_kind
from ._given import Assembled, Given, assemble, given_to, is_table, opened, refuse_second_table
from ._links import is_edge_list
from ._model import FittedModel
from ._options import DataOptions, NewOptions, Unpack, check_names, takes
from ._progress import bar, threads
from ._types import (
    Align,
    Components,
    Data,
    Directed,
    Ids,
    Lam,
    Links,
    Only,
    Output,
    Precision,
    Preset,
    RandomState,
    Table,
    Views,
    ZeroRows,
)
from ._views import ViewsByHand

# A model is pickled as the file it would be saved to.
_load_model = _native.Model.from_bytes


def _model_from_bytes(data: bytes) -> Any:
    return _load_model(data)


def _reduce_model(model: Any) -> Tuple[Any, Tuple[bytes]]:
    return _model_from_bytes, (model.to_bytes(),)


copyreg.pickle(_native.Model, _reduce_model)


class GAGE(FittedModel, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Embedding of the nodes of an attributed graph that keeps the geometry of links and of
    attributes.

    One fit serves every weighting of the views (:meth:`embedding`), places nodes it has not seen
    (:meth:`transform`), and says how well distances are reproduced (:attr:`certificate_`).

    Parameters
    ----------
    n_components : int, float or 'auto', default=128
        Columns of the embedding. A share below 1 takes the fewest columns that keep that share of
        the energy, 'auto' nine tenths. With fewer nodes than the default, as many columns as nodes;
        any other number of columns that exceeds the number of nodes is an error.
    weights : sequence of float, optional
        Weight of each view in the loss, instead of those of the preset.
    lam : float, sequence or mapping, optional
        How much the views count in the embedding: a number from 0 to 1 for those that use links
        (links, and attributes smoothed over them), the rest for the others; or one share per view,
        in order or by name. All views have part in one fit, so 0 is not a fit to attributes alone:
        that is ``only='attributes'``. By default, as the views say.
    preset : {'auto', 'paper', 'balanced', 'links', 'walks'}, default='auto'
        Which views are made. 'auto' looks at the graph first; its rationale is ``choice_``.
        'walks' is another name of it.
    views : sequence of View, dict or path, optional
        Views given by hand, instead of a preset: :class:`View` objects, a recipe as
        :meth:`recipe` returns it, or the file of one (``gage info DATA --recipe``).
    only : {None, 'links', 'attributes'}, default=None
        Fit to this part of the data alone, as if there were no other.
    directed : {None, False, 'out', 'in', 'both'}, default=None
        What directions of links mean. None: a matrix has directions exactly if it is not symmetric,
        an edge list has none. False removes them; 'out', 'in' and 'both' say by which ends a node
        is described.
    precision : {'single', 'double'}, default='single'
        Number type of tall data.
    tol : float, optional
        Iterate until further passes would lower the loss by less than this share of it. Unless
        told, 0.005 and at most 10 passes; with a number as many passes as it takes, up to 62.
    refine : bool, default=False
        Whether to refine by least squares at full size.
    certify : bool, default=False
        Whether to measure the fit; the result is ``certificate_``.
    random_state : int, RandomState, Generator or None, default=0
        Seed of everything random. The same number gives the same bits, as on the command line.
    n_jobs : int, optional
        Threads; all processors by default. The result does not depend on it.
    verbose : bool, default=False
        Whether to show a bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_components)
        The embedding with ``lam``; read-only, and made once for each ``lam``.
    ids_ : list or None
        Names of the nodes, if names were given: numbers if they were numbers.
    view_shares_ : dict
        Share of each view in the embedding.
    certificate_ : dict
        What was measured, if ``certify`` was set or :meth:`measure` called.
    views_ : list of dict
        Name, weight, loss and further facts of each view.
    info_ : dict
        What the fit did.
    choice_ : str or None
        What the preset found and chose, in one line.
    n_features_in_ : int
        Columns of the table that was fitted, if one was the first argument.

    Examples
    --------
    >>> import numpy as np
    >>> from gage_embed import GAGE
    >>> links = np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [2, 3]])
    >>> words = np.eye(6)[[0, 0, 1, 3, 3, 4]]
    >>> model = GAGE(n_components=2, preset="paper").fit(words, links=links)
    >>> model.embedding_.shape
    (6, 2)
    >>> model.embedding(lam=1.0).shape  # by links: no new fit
    (6, 2)
    """

    def __init__(
        self,
        n_components: Components = _settings.DEFAULT_COMPONENTS,
        *,
        weights: Optional[Sequence[float]] = None,
        lam: Lam = None,
        preset: Preset = "auto",
        views: Optional[ViewsByHand] = None,
        only: Optional[Only] = None,
        directed: Directed = None,
        precision: Precision = "single",
        tol: Optional[float] = None,
        refine: bool = False,
        certify: bool = False,
        random_state: RandomState = 0,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.weights = weights
        self.lam = lam
        self.preset = preset
        self.views = views
        self.only = only
        self.directed = directed
        self.precision = precision
        self.tol = tol
        self.refine = refine
        self.certify = certify
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @takes(DataOptions)
    def fit(
        self,
        X: Union[None, Data, Tuple[Links, Table]] = None,
        y: Any = None,
        **data: Unpack[DataOptions],
    ) -> "GAGE":
        """Fit the model to a graph.

        Parameters
        ----------
        X : graph, table, mapping or path
            A graph of NetworkX, igraph, rustworkx, DGL or PyTorch Geometric; an AnnData or the
            path of one (`.h5ad`); a :class:`~gage_embed.datasets.Dataset`; a folder or file as on
            the command line; a pair ``(links, attributes)``; a mapping from names to views; or a
            single view: an edge list or a square frame of named nodes is links, anything else a
            table of attributes; a square matrix that may be either is refused. With ``links`` given
            it is the attributes, with ``attributes`` given it is the links.
        y : ignored
            Labels are never looked at; a second matrix in their place is refused.
        **data
            Options of the data.

        Returns
        -------
        self : GAGE
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> names = ["ann", "bob", "cia", "dan"]
        >>> friends = [["ann", "bob"], ["bob", "cia"], ["cia", "dan"], ["dan", "ann"]]
        >>> marks = np.array([[1.0, 0.0], [0.9, 0.2], [0.1, 1.0], [np.nan, np.nan]])  # dan: unknown
        >>> model = GAGE(n_components=2, preset="paper").fit(marks, links=friends, nodes=names)
        >>> {view["name"]: view["observed"] for view in model.views_}
        {'links': 4, 'attributes': 3}

        Any number of views, by name:

        >>> views = {"links": friends, "likes": [["bob", "ann"], ["cia", "dan"], ["ann", "dan"]]}
        >>> GAGE(n_components=1, preset="paper").fit(views).ids_
        ['ann', 'bob', 'cia', 'dan']
        """
        self._fit(y, given_to("fit", X, data))
        return self

    def _fit(self, y: Any, given: Given) -> Assembled:
        # Until a fit succeeds there is none, whatever was fitted before.
        names = ("model_", "n_features_in_", "feature_names_in_", "_types", "_kept", "readings_")
        for name in names:
            self.__dict__.pop(name, None)
        given = opened(given)
        refuse_second_table(given.X, y)
        _settings.check_lam(self.lam)
        made = assemble(given, self.directed)
        features = self._features(given)
        model = self._native_fit(made.graph, features.get("n_features_in_"))
        views = [view["name"] for view in json.loads(model.views())]
        lam = _settings.shares(self.lam, views)
        model.shares(**lam)
        self.__dict__.update(features)
        self.model_, self._types = model, made.types
        self.readings_ = json.loads(made.graph.readings)
        _settings.warn_of_empty_end(model, lam, 4)
        for text in self.info_["warnings"]:
            warnings.warn(text, stacklevel=3)
        return made

    def _native_fit(self, graph: Any, features: Optional[int]) -> Any:
        count = len(graph)
        if count < 2:
            raise ValueError(
                f"an embedding needs at least 2 nodes, found {count} (n_samples = {count})"
            )
        for text in graph.warnings:
            warnings.warn(text, stacklevel=4)
        with bar("gage", self.verbose) as report:
            try:
                return _native.fit(graph, self._options(), threads(self.n_jobs), report)
            except _native.NothingToEmbedError as error:
                raise _nothing_to_embed(error, features) from None

    def _options(self, **changes: Any) -> str:
        own: Dict[str, Any] = {
            name: getattr(self, name)
            for name in (
                "n_components",
                "preset",
                "views",
                "only",
                "weights",
                "directed",
                "precision",
                "random_state",
                "tol",
                "refine",
            )
        }
        own["certify"] = self.certify
        return _settings.options(**{**own, **changes})

    def _features(self, given: Given) -> Dict[str, Any]:
        """What scikit-learn remembers of the columns of the first argument."""
        X = given.X
        if not is_table(X) or given.attributes is not None:
            return {}
        found: Dict[str, Any] = {
            "n_features_in_": int(X.shape[1] if hasattr(X, "shape") else np.shape(X)[1])
        }
        if _frames.is_frame(X):
            columns = list(_frames.frame_of(X).columns)
            if all(isinstance(name, str) for name in columns):
                found["feature_names_in_"] = np.asarray(columns, dtype=object)
        return found

    def recipe(self, X: Any = None, **data: Unpack[DataOptions]) -> Dict[str, Any]:
        """Say which views a fit would have, as data to be edited and given to ``views``.

        Parameters
        ----------
        X, **data
            As for :meth:`fit`.

        Returns
        -------
        dict
            ``balance``, ``scale`` and ``views``: for each its name, source, transform, direction,
            smoothing, weight and share.

        Examples
        --------
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> recipe = GAGE(preset="balanced").recipe(load_debian())
        >>> [view["name"] for view in recipe["views"]]
        ['links', 'attributes', 'smoothed']
        >>> recipe["views"][0]["weight"] = 0.3
        >>> GAGE(n_components=8, views=recipe).fit(load_debian()).views_[0]["weight"]
        0.3
        """
        graph = assemble(given_to("recipe", X, data), self.directed).graph
        with bar("recipe", self.verbose) as report:
            found = _native.recipe(graph, self._options(), threads(self.n_jobs), report)
        return dict(json.loads(found))

    def measure(self, X: Any = None, **data: Unpack[DataOptions]) -> "GAGE":
        """Measure the model against the data it was fitted to; the result is :attr:`certificate_`.

        Parameters
        ----------
        X, **data
            As for :meth:`fit`: the same nodes, in any order where they have names.

        Returns
        -------
        self : GAGE
            The estimator.

        Examples
        --------
        >>> from gage_embed import GAGE
        >>> from gage_embed.datasets import load_debian
        >>> packages = load_debian()
        >>> model = GAGE(n_components=8, preset="paper").fit(packages)
        >>> for view in model.measure(packages).certificate_["views"]:
        ...     print(view["view"], view["least_loss"] <= view["loss"])
        links True
        attributes True
        """
        graph = assemble(given_to("measure", X, data), self.directed).graph
        with bar("certificate", self.verbose) as report:
            seed = _settings.seed(self.random_state)
            self.model_ = self._native_model().certify(
                graph, seed, threads(self.n_jobs), report, data.get("ids")
            )
        return self

    def fit_transform(self, X: Any = None, y: Any = None, **data: Unpack[DataOptions]) -> Any:
        """Fit the model and return the embedding of its own nodes.

        Parameters
        ----------
        X, y, **data
            As for :meth:`fit`.

        Returns
        -------
        ndarray or frame of shape (n_nodes, n_components)
            ``embedding_``; of a table of attributes the rows of that table, in its order, even if
            links name further nodes. A frame if :meth:`set_output` says so.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> GAGE(n_components=2).fit_transform(np.random.default_rng(0).normal(size=(9, 4))).shape
        (9, 2)
        """
        made = self._fit(y, given_to("fit_transform", X, data))
        rows, ids = self.embedding_, self.ids_
        if made.rows is not None and made.rows != made.graph.ids:
            position = {name: at for at, name in enumerate(made.graph.ids)}
            own = [position[name] for name in made.rows]
            rows, ids = rows[own], [ids[at] for at in own] if ids is not None else None
        return self._output(rows, ids, X)

    @takes(NewOptions)
    def transform(
        self,
        X: Union[None, Data, Tuple[Links, Table]] = None,
        *,
        lam: Lam = None,
        **data: Unpack[NewOptions],
    ) -> Any:
        """Embed nodes, each by itself, from whatever is known about it here.

        The rows of the fitted nodes themselves are :attr:`embedding_`; a fitted node that is given
        once more is placed anew, and comes out near its row if the same is known about it.

        Parameters
        ----------
        X : table, links, mapping, pair or graph
            As for :meth:`fit`. Graphs of NetworkX and igraph (with names) may have nodes of the
            model beside the new ones.
        lam : float, sequence or mapping, optional
            Instead of the parameter ``lam``.
        **data
            Options of new nodes.

        Returns
        -------
        ndarray or frame of shape (n_new_nodes, n_components)
            One row per row of a table, in its order; without a table one per new node, in the order
            of :meth:`fold_in`, which also says who is who.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> table = np.random.default_rng(0).normal(size=(20, 5))
        >>> model = GAGE(n_components=3).fit(table, links=[[i, i + 1] for i in range(19)])
        >>> model.transform(table[:2] + 0.1).shape  # known by their attributes only
        (2, 3)
        >>> model.transform(links=[["new", 0], ["new", 1]]).shape  # known by their links only
        (1, 3)
        """
        check_names("transform", data, NewOptions)
        rows, ids = self.fold_in(X, lam=lam, **data)
        if is_table(X) and not is_edge_list(X) and len(rows) > _count(X):
            # Links may name further new nodes, which :meth:`fold_in` returns.
            rows, ids = rows[: _count(X)], None if ids is None else ids[: _count(X)]
        return self._output(rows, ids, X)

    def _output(self, rows: Any, ids: Optional[List[str]], X: Any) -> Any:
        kind = output_kind(self)
        if kind == "default":
            return rows
        if kind == "polars":
            # The ids would be one column too many for whoever comes next in a pipeline.
            ids = None
        elif ids is None and _frames.is_frame(X) and len(X) == len(rows):
            ids = getattr(X, "index", None)
        return _frames.to_frame(kind, rows, list(self.get_feature_names_out()), ids)

    def __getstate__(self) -> Dict[str, Any]:
        # What was multiplied out is multiplied out again.
        own = getattr(super(), "__getstate__", None)
        state = dict(self.__dict__ if own is None else own())
        state.pop("_kept", None)
        return state

    def set_output(self, *, transform: Optional[Output] = None) -> "GAGE":
        """Say what :meth:`transform` and :meth:`fit_transform` return.

        Parameters
        ----------
        transform : {'default', 'pandas', 'polars'}, optional
            Arrays, or frames; frames of pandas have the ids as their index.

        Returns
        -------
        self : GAGE
            The estimator.

        Examples
        --------
        >>> import pandas as pd
        >>> from gage_embed import GAGE
        >>> people = {"age": [31, 45, 27, 29], "city": ["Oslo", "Rome", "Rome", "Oslo"]}
        >>> people = pd.DataFrame(people, index=list("abcd"))
        >>> frame = GAGE(n_components=2).set_output(transform="pandas").fit_transform(people)
        >>> list(frame.index), list(frame.columns)
        (['a', 'b', 'c', 'd'], ['gage0', 'gage1'])
        """
        return set_output_kind(self, transform)

    def _repr_html_(self) -> str:
        return _html.of_estimator(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    if HAS_SKLEARN:

        def __sklearn_tags__(self) -> Any:
            tags: Any = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            tags.input_tags.allow_nan = True
            tags.transformer_tags.preserves_dtype = []
            return tags

        if not hasattr(BaseEstimator, "__sklearn_tags__"):

            def _more_tags(self) -> Dict[str, Any]:
                """The tags as scikit-learn before 1.6 wants them."""
                types = ["2darray", "sparse"]
                return {"X_types": types, "allow_nan": True, "preserves_dtype": []}


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _nothing_to_embed(error: ValueError, features: Optional[int]) -> ValueError:
    """Rows of one column all look alike once they are scaled to one length, which the words do not
    tell by themselves.
    """
    if features == 1:
        return ValueError(
            f"{error}; with a single column (n_features = 1) use preset='paper', which scales no "
            "rows"
        )
    return ValueError(str(error))
