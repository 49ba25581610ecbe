"""How good an embedding is, at every weighting, and the best choice: fair splits, one fit where one
is enough.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _frames, _native, _settings
from ._arrays import table
from ._estimator import GAGE
from ._given import Assembled, Given, assemble
from ._labels import Nodes, as_labels, labels_of_nodes
from ._links import is_path, may_be_links
from ._opened import opened
from ._progress import bar, threads
from ._reports import Report, Sweep
from ._rows import row_ids
from ._types import Align, Components, Data, Ids, Labels, Lam, Preset, RandomState, Task
from ._views import View, ViewsByHand
from .datasets import Dataset


class TuneResult(NamedTuple):
    """What was chosen: the report, and the fitted model of the choice, whose own shares are the
    chosen ones.

    Attributes
    ----------
    report : Report
        Everything that was tried, the choice, and its score on labels held out.
    model : GAGE
        The fitted model.

    Examples
    --------
    See :func:`tune`.
    """

    report: Report
    model: GAGE


def _task_params(task: str, options: Dict[str, Any]) -> str:
    params: Dict[str, Any] = {"seed": _settings.seed(options.pop("random_state"))}
    shuffles = options.pop("shuffles")
    if shuffles is not None:
        params["shuffles"] = int(shuffles)
    train, c, clusters = options.pop("train"), options.pop("C"), options.pop("clusters")
    remove, score = options.pop("remove"), options.pop("score")
    if task == "classify":
        if train is not None:
            sizes: List[Any] = [train] if np.isscalar(train) else list(train)
            if not all(
                isinstance(size, (int, float, np.integer, np.floating)) and size == size
                for size in sizes
            ):
                raise ValueError(
                    f"train: found {train!r}, expected shares below 1 or numbers of nodes"
                )
            params["train"] = [
                {"share": float(size)} if size < 1 else {"count": int(size)} for size in sizes
            ]
        if c is not None:
            params["logistic"] = {"c": float(c)}
    elif task == "cluster":
        params["clusters"] = None if clusters is None else int(clusters)
    elif task == "links":
        if remove is not None:
            params["remove"] = float(remove)
        if score is not None:
            params["scores"] = [score] if isinstance(score, str) else list(score)
    else:
        raise ValueError(f"there is no task {task!r}; there are classify, cluster, links")
    return _as_json(params)


def _as_json(params: Dict[str, Any]) -> str:
    try:
        return json.dumps(params, allow_nan=False)
    except ValueError:
        raise ValueError(f"found NaN or infinity among {params}, expected finite numbers") from None


def _need_data(data: Any) -> None:
    if isinstance(data, GAGE):
        raise ValueError(
            "task='links': found a model, expected the data: links must be hidden before the fit"
        )


def _need_links(graph: Any) -> None:
    if not any(kind.endswith("links") for _, kind, _, _ in graph.blocks()):
        raise ValueError("task='links': found no links in the data")


def _labels_of(
    data: Any, labels: Any, count: int, align: Optional[str], ids: Optional[str]
) -> Any:
    """Labels in the order of the rows of a model, a frame or an array."""
    if labels is None and isinstance(data, Dataset):
        names, lists = data._labels()
        return _native.Labels.from_lists(names, lists)
    if labels is None:
        return None
    if isinstance(data, GAGE):
        return labels_of_nodes(labels, Nodes(data._native_model().ids, count, align, ids))
    return labels_of_nodes(labels, Nodes.of_rows(data, count, align, ids))


def _graph_of(
    data: Any, own: GAGE, task: str, labels: Any, align: Optional[str], ids: Optional[str]
) -> Assembled:
    """The graph of the data of a task. Where links are to be predicted, a matrix is links."""
    links = task == "links" and may_be_links(data)
    given = Given(links=data) if links else Given(data)
    given = given._replace(align=align, ids=ids)
    return assemble(given, own.directed, labels)


def _need_labels(labels: Any) -> Any:
    if labels is None:
        raise ValueError("labels: found none, expected one class per node to predict")
    return labels


def evaluate(
    embedding: Union[GAGE, Data],
    labels: Optional[Labels] = None,
    *,
    task: Task = "classify",
    lam: Lam = None,
    train: Union[None, float, int, Sequence[float]] = None,
    shuffles: Optional[int] = None,
    C: Optional[float] = None,
    clusters: Optional[int] = None,
    remove: Optional[float] = None,
    score: Union[None, str, Sequence[str]] = None,
    estimator: Optional[GAGE] = None,
    align: Optional[Align] = None,
    ids: Optional[Ids] = None,
    random_state: RandomState = 0,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Report:
    """Measure an embedding on random splits; the same seed gives the same numbers as the command
    line.

    Parameters
    ----------
    embedding : GAGE, ndarray or data
        A fitted model or one row per node. For ``task='links'`` the data themselves, as
        :meth:`GAGE.fit` takes them, since links must be hidden before anything is fitted.
    labels : sequence, optional
        Classes: numbers (negative for none), names (None for none), a 0/1 matrix or lists of
        classes, in the order of the nodes; a series or a mapping is aligned by id.
    task : {'classify', 'cluster', 'links'}, default='classify'
        What to measure.
    lam : float, sequence or mapping, optional
        Weighting of the views, for models and links.
    train : float, int or sequence, optional
        Shares (below 1) or numbers of training nodes; 0.9, 0.5 and 0.1 by default.
    shuffles : int, optional
        Random splits, starts or removals.
    C : float, optional
        Inverse penalty of the logistic regression; 1 by default.
    clusters : int, optional
        Number of clusters; that of the classes by default.
    remove : float, optional
        Share of the links to hide.
    score : str or sequence of str, optional
        How pairs of nodes are scored.
    estimator : GAGE, optional
        Parameters of the fits of ``task='links'``.
    align : {None, 'id', 'position'}, default=None
        How labels meet nodes, as for :meth:`GAGE.fit`.
    ids : {None, 'exact', 'fold-case'}, default=None
        Which ids are the same, as for :meth:`GAGE.fit`.
    random_state : int, default=0
        Decides the splits.
    n_jobs : int, optional
        Threads.
    verbose : bool, default=False
        Whether to show a bar.

    Returns
    -------
    Report
        A dictionary, as `gage evaluate --json` prints it for the task: means and deviations, and
        every run. ``to_frame()`` is a table.

    Examples
    --------
    >>> from gage_embed import GAGE, evaluate
    >>> from gage_embed.datasets import load_debian
    >>> packages = load_debian()
    >>> model = GAGE(n_components=16).fit(packages)
    >>> report = evaluate(model, packages.labels, train=0.5, shuffles=2)
    >>> report["results"][0]["micro_f1"]["mean"] > 0.5
    True
    """
    options = dict(
        random_state=random_state,
        shuffles=shuffles,
        train=train,
        C=C,
        clusters=clusters,
        remove=remove,
        score=score,
    )
    params = _task_params(task, options)
    with bar(task, verbose) as report:
        if task == "links":
            _need_data(embedding)
            own = estimator if estimator is not None else GAGE(random_state=random_state)
            graph = _graph_of(embedding, own, task, None, align, ids).graph
            _need_links(graph)
            shares = _settings.shares(own.lam if lam is None else lam, [])
            fit_options = own._options(loadings=False)
            found = _native.predict_links(
                graph, fit_options, params, threads=threads(n_jobs), report=report, **shares
            )
        else:
            rows = _rows_of(embedding, lam)
            made = _labels_of(embedding, labels, len(rows), align, ids)
            if task == "classify":
                made = _need_labels(made)
                found = _native.classify(rows, made, params, threads(n_jobs), report)
            else:
                found = _native.cluster(rows, made, params, threads(n_jobs), report)
    return Report(json.loads(found))


def _rows_of(embedding: Any, lam: Any) -> Any:
    if isinstance(embedding, GAGE):
        return embedding.embedding(lam)
    embedding = opened("embedding", embedding)
    if _frames.is_frame(embedding):
        frame = _frames.frame_of(embedding)
        column = row_ids("embedding", frame).column
        columns = _frames.columns(frame, () if column is None else (column,))
        embedding = np.stack([cells for _, cells in columns], axis=1)
    return table("embedding", embedding)


def _lambdas(lambdas: Any) -> List[float]:
    if isinstance(lambdas, (int, np.integer)) and not isinstance(lambdas, bool):
        if lambdas < 1:
            raise ValueError(f"lambdas: found {lambdas}, expected at least 1")
        return [0.5] if lambdas == 1 else np.linspace(0.0, 1.0, int(lambdas)).tolist()
    if isinstance(lambdas, (bool, str)) or not hasattr(lambdas, "__iter__"):
        raise ValueError(f"lambdas: found {lambdas!r}, expected how many, or which")
    return [float(lam) for lam in lambdas]


def sweep(
    data: Union[GAGE, Data],
    labels: Optional[Labels] = None,
    *,
    task: Task = "classify",
    lambdas: Union[int, Sequence[float]] = 11,
    estimator: Optional[GAGE] = None,
    train: Union[None, float, int, Sequence[float]] = None,
    shuffles: Optional[int] = None,
    C: Optional[float] = None,
    clusters: Optional[int] = None,
    remove: Optional[float] = None,
    score: Union[None, str, Sequence[str]] = None,
    align: Optional[Align] = None,
    ids: Optional[Ids] = None,
    random_state: RandomState = 0,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> Sweep:
    """Measure a task at every lambda from one fit.

    Parameters
    ----------
    data : GAGE or data
        A fitted model, which is not fitted again, or data as :meth:`GAGE.fit` takes them.
    labels : sequence, optional
        Classes; those of a data set by default.
    task : {'classify', 'cluster', 'links'}, default='classify'
        What to measure; links need data, and one fit for each shuffle.
    lambdas : int or sequence of float, default=11
        How many from 0 to 1, or which.
    estimator : GAGE, optional
        Parameters of the fit.
    train, shuffles, C, clusters, remove, score, align, ids, random_state, n_jobs, verbose
        As for :func:`evaluate`.

    Returns
    -------
    Sweep
        A dictionary of ``lambdas``, ``series`` (a measure at every lambda) and ``best``, which was
        chosen on the very nodes it is measured on and so flatters; :func:`tune` does not.
        ``to_frame()`` is a table, ``plot()`` a picture.

    Examples
    --------
    >>> from gage_embed import GAGE, sweep
    >>> from gage_embed.datasets import load_debian
    >>> packages = load_debian()
    >>> model = GAGE(n_components=16).fit(packages)
    >>> curve = sweep(model, packages.labels, lambdas=3, train=0.5, shuffles=1)
    >>> curve["lambdas"], curve["fits"]
    ([0.0, 0.5, 1.0], 0)
    """
    options = dict(
        random_state=random_state,
        shuffles=shuffles,
        train=train,
        C=C,
        clusters=clusters,
        remove=remove,
        score=score,
    )
    params, wanted = _task_params(task, options), _lambdas(lambdas)
    with bar("sweep", verbose) as report:
        if task == "links":
            _need_data(data)
        if isinstance(data, GAGE):
            model = data._native_model()
            made = _labels_of(data, labels, len(model), align, ids)
            found = _native.sweep_fitted(model, made, task, params, wanted, threads(n_jobs), report)
        else:
            own = estimator if estimator is not None else GAGE(random_state=random_state)
            graph = _graph_of(data, own, task, labels, align, ids).graph
            if task == "links":
                _need_links(graph)
            fit_options = own._options(loadings=False)
            found = _native.sweep(graph, fit_options, task, params, wanted, threads(n_jobs), report)
    return Sweep(json.loads(found))


def tune(
    data: Data,
    labels: Optional[Labels] = None,
    *,
    presets: Union[None, Preset, Sequence[Preset]] = None,
    views: Union[None, ViewsByHand, Sequence[ViewsByHand]] = None,
    n_components: Union[Components, Sequence[Components]] = (_settings.DEFAULT_COMPONENTS,),
    lambdas: Union[int, Sequence[float]] = 11,
    search_shares: bool = True,
    holdout: float = 0.2,
    folds: int = 5,
    C: float = 1.0,
    measure: Literal["micro", "macro"] = "micro",
    estimator: Optional[GAGE] = None,
    align: Optional[Align] = None,
    ids: Optional[Ids] = None,
    random_state: RandomState = 0,
    n_jobs: Optional[int] = None,
    verbose: bool = False,
) -> TuneResult:
    """Choose preset, columns and shares by cross-validation, and test the choice on labels it never
    saw.

    Parameters
    ----------
    data : data
        As :meth:`GAGE.fit` takes them.
    labels : sequence, optional
        Classes; those of a data set by default.
    presets : sequence of str, optional
        Presets to try, one fit each; 'auto', 'balanced' and 'paper' by default, or none beside
        ``views``.
    views : recipe or sequence of recipes, optional
        Views given by hand to try, as for :class:`GAGE`: a file, a dictionary or a list of
        :class:`View` objects, or several of them.
    n_components : sequence
        Numbers of columns to try with each.
    lambdas : int or sequence of float, default=11
        Tried with every fit, at no cost of a fit.
    search_shares : bool, default=True
        Whether to go on by changing the share of one view at a time.
    holdout : float, default=0.2
        Share of the labels that is taken away before anything is tried.
    folds : int, default=5
        Folds of the others.
    C : float, default=1.0
        Inverse penalty of the classifiers.
    measure : {'micro', 'macro'}, default='micro'
        Which F1 to make large.
    estimator : GAGE, optional
        Further parameters of the fits.
    align : {None, 'id', 'position'}, default=None
        How rows and labels meet nodes, as for :meth:`GAGE.fit`.
    ids : {None, 'exact', 'fold-case'}, default=None
        Which ids are the same, as for :meth:`GAGE.fit`.
    random_state : int, default=0
        Decides the splits and the fits.
    n_jobs : int, optional
        Threads.
    verbose : bool, default=False
        Whether to show a bar.

    Returns
    -------
    TuneResult
        ``report`` (everything tried, the choice, its test score) and ``model``.

    Examples
    --------
    >>> from gage_embed import tune
    >>> from gage_embed.datasets import load_debian
    >>> few = dict(presets=["balanced"], n_components=[16], lambdas=3, folds=2)
    >>> chosen = tune(load_debian(), search_shares=False, **few)
    >>> chosen.report["test"]["micro"] > 0.5
    True
    >>> chosen.model.embedding_.shape
    (3824, 16)
    """
    if measure not in ("micro", "macro"):
        raise ValueError(f"measure: found {measure!r}, expected 'micro' or 'macro'")
    own = estimator if estimator is not None else GAGE()
    seed = _settings.seed(random_state)
    several = n_components if isinstance(n_components, Sequence) else [n_components]
    sizes: List[Any] = [several] if isinstance(several, str) else list(several)
    tried = _views_to_try(presets, own.views if views is None else views)
    candidates = [
        own._options(n_components=size, random_state=seed, **one) for one in tried for size in sizes
    ]
    params = _as_json(
        {
            "lambdas": _lambdas(lambdas),
            "search_shares": bool(search_shares),
            "holdout": float(holdout),
            "folds": int(folds),
            "logistic": {"c": float(C)},
            "measure": f"{measure}_f1",
            "seed": seed,
        }
    )
    made = _graph_of(data, own, "classify", labels, align, ids)
    graph = made.graph
    if graph.labels() is None:
        _need_labels(None)
    with bar("tune", verbose) as progress:
        found, native = _native.tune(graph, candidates, params, threads(n_jobs), progress)
    report = Report(json.loads(found))
    chosen = report["tried"][report["choice"]]
    model = GAGE(
        n_components=chosen["columns"],
        **tried[chosen["candidate"] // len(sizes)],
        only=own.only,
        directed=own.directed,
        precision=own.precision,
        tol=own.tol,
        refine=own.refine,
        random_state=seed,
        n_jobs=own.n_jobs,
        verbose=own.verbose,
    )
    model.model_, model._types = native, made.types
    return TuneResult(report, model)


def _views_to_try(presets: Any, views: Any) -> List[Dict[str, Any]]:
    """Presets and recipes, as parameters of the estimator."""
    alone = views is None or is_path(views) or isinstance(views, Mapping)
    if not alone and any(isinstance(view, View) for view in views):
        alone = True
    recipes = [] if views is None else [views] if alone else list(views)
    if presets is None:
        presets = () if recipes else ("auto", "balanced", "paper")
    names = [presets] if isinstance(presets, str) else presets
    return [
        *({"preset": name, "views": None} for name in names),
        *({"preset": "auto", "views": recipe} for recipe in recipes),
    ]
