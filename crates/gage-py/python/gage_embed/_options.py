"""Keyword arguments that several functions take: each set of them is a type of its own, which says
what they are, and from which functions that take them have their signature and documentation.
"""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Optional, Sequence, TypeVar
from typing import Union

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from typing_extensions import TypedDict, Unpack

    from ._types import Align, Ids, Links, Path, Table, Views, ZeroRows
else:
    from typing import TypedDict

    Unpack = None

Function = TypeVar("Function", bound=Callable[..., Any])


class LinkColumns(TypedDict, total=False):
    """
    source, target, weight, relation : str, optional
        Columns of an edge list; each relation becomes a view.
    header : bool, optional
        Whether the first row of a file names its columns.
    """

    source: Optional[str]
    target: Optional[str]
    weight: Optional[str]
    relation: Optional[str]
    header: Optional[bool]


class ColumnOptions(LinkColumns, total=False):
    """
    columns : mapping, optional
        For columns of tables by name what their cells are: `number`, `decimal-comma`, `category`,
        `words`, `date`, `date-dmy`, `date-mdy`, `boolean` or `ignored`. How columns were read is in
        `readings_` of the estimator and in `readings` of a data set.
    categorical : list of str, optional
        Columns that are categories.
    node_attributes : list of str, optional
        The only columns that are attributes.
    ignore : list of str, optional
        Columns to leave out.
    time : str, optional
        Column of an edge list with times.
    half_life : float, optional
        Days after which a link weighs half as much as the latest.
    label_column : str, optional
        The column with labels, which is never an attribute.
    """

    columns: Optional[Mapping[str, str]]
    categorical: Optional[Sequence[str]]
    node_attributes: Optional[Sequence[str]]
    ignore: Optional[Sequence[str]]
    time: Optional[str]
    half_life: Optional[float]
    label_column: Optional[str]


class NewOptions(LinkColumns, total=False):
    """
    links, attributes, views : optional
        As for :meth:`GAGE.fit`, under the names the views had there. Links are edge lists between
        new ids and ids of the model, or matrices with one row per new and one column per fitted
        node.
    nodes : sequence or int, optional
        Names of the new nodes, in row order.
    id_column : str, optional
        The column of frames and files that holds ids.
    ids : {None, 'exact', 'fold-case'}, default=None
        Which ids are the same, as for :meth:`GAGE.fit`.
    """

    links: Optional[Links]
    attributes: Optional[Table]
    views: Optional[Views]
    nodes: Union[None, int, ArrayLike]
    id_column: Optional[str]
    ids: Optional[Ids]


class DataOptions(ColumnOptions, total=False):
    """
    links : sparse matrix, array, frame or path, optional
        The main relation: an adjacency, an edge list with two or three columns, an edge index (two
        rows of whole numbers), or a graph, whose attributes then do not count. Of an AnnData, the
        name of an entry of `obsp`, or False for none.
    attributes : sparse matrix, array, frame or path, optional
        The main table. Arrays are taken as they are (NaN is missing); frames are encoded as the
        command line encodes tables: numbers standardised, categories and words as columns, missing
        cells missing. Of an AnnData, the name of an entry of `obsm` or `layers`, `X` by default.
    views : mapping, optional
        Further relations and tables by name.
    masks : mapping, optional
        For views by name, one flag per node: true where the node is observed. A series or a mapping
        is aligned by id.
    nodes : sequence or int, optional
        Names of the nodes, in row order, or how many there are.
    id_column : str, optional
        The column of frames and files that holds ids; otherwise a column called like one, or the
        index.
    node_type : str, optional
        Type of the nodes to embed, for heterogeneous graphs.
    zero_rows : {'zero', 'missing'}, default='zero'
        Whether a row of zeros of a matrix means that there is nothing or that nothing is known.
    align : {None, 'id', 'position'}, default=None
        How rows meet nodes: by their ids, or in their order. None is the rule of `docs/joining.md`,
        by which data that can be read both ways are refused.
    ids : {None, 'exact', 'fold-case'}, default=None
        Which ids are the same: letter by letter, or whatever their case and the blanks around them.
        None refuses ids that differ only in these.
    """

    links: Union[None, Links, Literal[False]]
    attributes: Union[None, Table, Literal[False]]
    views: Optional[Views]
    masks: Optional[Mapping[str, ArrayLike]]
    nodes: Union[None, int, ArrayLike]
    id_column: Optional[str]
    node_type: Optional[str]
    zero_rows: ZeroRows
    align: Optional[Align]
    ids: Optional[Ids]


class FileOptions(ColumnOptions, total=False):
    """
    directed : bool, optional
        Whether links have a direction; by default as the files say.
    zero_rows : {'zero', 'missing'}, default='zero'
        What a row of zeros of a matrix means.
    id_column : str, optional
        Which column of tables holds the ids.
    """

    directed: Optional[bool]
    zero_rows: ZeroRows
    id_column: Optional[str]


def takes(options: Any) -> Callable[[Function], Function]:
    """Gives a function that takes `**name` the signature and documentation of these options."""

    def described(function: Function) -> Function:
        own = inspect.signature(function)
        kept = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default="zero" if name == "zero_rows" else None,
                annotation=getattr(kind, "__forward_arg__", kind),
            )
            for name, kind in options.__annotations__.items()
        ]
        signature = own.replace(parameters=[*kept, *added])
        setattr(function, "__signature__", signature)
        if function.__doc__ is not None:
            function.__doc__ = re.sub(
                r"^( +)\*\*\w+\n +[^\n]+\n",
                lambda found: _documentation(options, found.group(1)),
                function.__doc__,
                flags=re.M,
            )
        return function

    return described


def _documentation(options: Any, indent: str) -> str:
    """The documentation of options and of those they extend, at this depth."""
    texts = [inspect.cleandoc(one.__doc__ or "") for one in _extended(options)]
    lines = "\n".join(texts).splitlines()
    return "".join(f"{indent}{line}\n" for line in lines)


def _extended(options: Any) -> Sequence[Any]:
    """A type of options and those it extends; classes do not remember it once they are made."""
    names = set(options.__annotations__)
    known = (LinkColumns, ColumnOptions)
    return [options, *(one for one in known if one is not options and names >= _names(one))]


def _names(options: Any) -> "set[str]":
    return set(options.__annotations__)


def check_names(function: str, given: Mapping[str, Any], options: Any) -> None:
    """Refuses keyword arguments that there are none of, in the words of Python."""
    for name in given:
        if name not in options.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


__all__ = [
    "ColumnOptions",
    "DataOptions",
    "FileOptions",
    "LinkColumns",
    "NewOptions",
    "Unpack",
    "check_names",
    "takes",
]
