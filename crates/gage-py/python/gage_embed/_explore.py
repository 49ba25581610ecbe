"""The explorer in notebooks: a page that asks the kernel, or one file that asks nobody."""

from __future__ import annotations

import html
import importlib.util
import json
import os
import sys
import threading
from functools import lru_cache
from typing import Any, Dict, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _native, _pictures, _settings
from ._given import Given, assemble
from ._labels import Nodes
from ._progress import threads
from ._types import Path

_REMEDY = "install anywidget (`pip install gage-embed[notebook]`)"


class Page:
    """A page of the explorer as one file, which needs neither a kernel nor a network.

    Notebooks show it in a frame; :meth:`save` writes it for a browser.

    Attributes
    ----------
    html : str
        The file.
    """

    def __init__(self, page: str, height: int) -> None:
        self.html = page
        self.height = height

    def save(self, path: Path) -> None:
        """Write the file.

        Parameters
        ----------
        path : path
            Where to; its name should end in ``.html``.
        """
        with open(os.fspath(path), "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<explorer page of {len(self.html) / 1e6:.1f} MB; save it with .save('page.html')>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="GAGE explorer" sandbox="allow-scripts allow-downloads" '
            f'style="width:100%;height:{self.height}px;border:0" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


@lru_cache(maxsize=1)
def _widget_class() -> Any:
    import anywidget
    import traitlets

    code, page = _native.notebook_parts()

    class ExplorerWidget(anywidget.AnyWidget):  # type: ignore[misc]
        """The page of a model that this kernel holds. ``close()`` ends it and frees the model."""

        _esm = code
        title = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

        def __init__(self, explorer: Any, **settings: Any) -> None:
            super().__init__(**settings)
            self._explorer = explorer
            self.on_msg(self._hear)

        def close(self) -> None:
            self._explorer = None
            super().close()

        def _hear(self, _: Any, question: Dict[str, Any], buffers: Any) -> None:
            """Answers beside the kernel's main thread: layouts are streamed for seconds."""
            body = bytes(buffers[0]) if buffers else b""
            work = threading.Thread(target=self._answer, args=(question, body), daemon=True)
            work.start()

        def _answer(self, question: Dict[str, Any], body: bytes) -> None:
            to = {"id": question.get("id"), "view": question.get("view")}
            explorer = self._explorer
            if question.get("id") == 0:
                self.send({**to, "status": 200, "more": False}, [page.encode()])
                return
            try:
                if explorer is None:
                    raise ValueError("this explorer was closed")
                answer = explorer.answer(str(question["method"]), str(question["path"]), body)
                to["status"] = answer.status
                while (piece := answer.next()) is not None:
                    if answer.status == 200:
                        self.send({**to, "more": True}, [piece])
                    else:
                        to["error"] = json.loads(piece)["error"]
                self.send({**to, "more": False})
            except Exception as error:  # whatever it is, the page waits for an answer
                self.send({**to, "status": 500, "more": False, "error": str(error)})

    return ExplorerWidget


def _in_kernel() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return getattr(running, "kernel", None) is not None


def _wants_widget(live: Optional[bool]) -> bool:
    there = importlib.util.find_spec("anywidget") is not None
    if live and not there:
        raise ImportError(f"explore: live=True needs anywidget; {_REMEDY}, or say live=False")
    return (there and _in_kernel()) if live is None else live


def _colours(labels: Any, nodes: Nodes) -> Dict[str, Any]:
    """Classes or a scale, as the native part takes them."""
    colours = _pictures.colours_of(labels, nodes)
    if colours is None:
        return {}
    if colours.classes is None:
        name = colours.name or "value"
        return {"scale": (name, np.asarray(colours.values, dtype=np.float64).tolist())}
    return {"classes": (colours.classes, colours.values.tolist())}


class Explorable:
    """The explorer of a fitted model."""

    directed: Any
    random_state: Any
    n_jobs: Optional[int]

    def _native_model(self) -> Any:
        raise NotImplementedError

    def explore(
        self,
        X: Any = None,
        *,
        labels: Union[None, ArrayLike, Any] = None,
        title: Optional[str] = None,
        height: int = 680,
        live: Optional[bool] = None,
        cache: Optional[Path] = None,
        **data: Any,
    ) -> Any:
        """Show the map, who is near whom and why, at any lambda: the page of ``gage explore``.

        In a notebook with `anywidget <https://anywidget.dev>`_ it asks the kernel, as the page of
        the command asks its server; otherwise it is a :class:`Page`, one file with maps, neighbours
        and classes in it, of at most 20,000 nodes.

        Parameters
        ----------
        X, **data
            As for :meth:`fit`: attributes and links of the nodes, to be shown with them (in a live
            page); joined by id. Without, the model alone is shown.
        labels : sequence, series or mapping, optional
            What to colour by, as for :meth:`plot`: classes, or numbers.
        title : str, optional
            A heading.
        height : int, default=680
            Height in a notebook, in pixels.
        live : bool, optional
            Whether the page asks the kernel; by default, where it can.
        cache : path, optional
            A file that keeps candidates and maps of a live page for the next time.

        Returns
        -------
        widget or Page
            What a notebook shows as the last value of a cell.

        Examples
        --------
        >>> import numpy as np
        >>> from gage_embed import GAGE
        >>> x = np.random.default_rng(0).normal(size=(60, 4))
        >>> page = GAGE(n_components=3).fit(x).explore(labels=["even", "odd"] * 30)
        >>> page.html.startswith("<!DOCTYPE html>")
        True
        """
        model = self._native_model()
        given = Given(X, **data)
        is_given = X is not None or bool(data)
        graph = assemble(given, self.directed).graph if is_given else None
        title = "Explorer" if title is None else str(title)
        seed, jobs = _settings.seed(self.random_state), threads(self.n_jobs)
        shown = {"graph": graph, "threads": jobs, **_colours(labels, Nodes(model.ids, len(model)))}
        if not _wants_widget(live):
            return Page(_native.frozen_page(model, title, seed, **shown), height)
        path = None if cache is None else os.fspath(cache)
        explorer = _native.Explorer(model, title, seed, cache=path, **shown)
        return _widget_class()(explorer, title=title, height=height)
