"""What may be said about the columns of tables and edge lists."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence

# Names of the reader for what are keyword arguments here.
_NAMES = {
    "node_attributes": "only",
    "label_column": "label",
}


class Columns(NamedTuple):
    """What is said about columns; nothing by default."""

    columns: Optional[Mapping[str, str]] = None
    categorical: Optional[Sequence[str]] = None
    node_attributes: Optional[Sequence[str]] = None
    ignore: Optional[Sequence[str]] = None
    source: Optional[str] = None
    target: Optional[str] = None
    weight: Optional[str] = None
    relation: Optional[str] = None
    time: Optional[str] = None
    half_life: Optional[float] = None
    header: Optional[bool] = None
    label_column: Optional[str] = None
    # Whether columns named here may be absent, because another table has them.
    several_files: Optional[bool] = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Columns":
        """What options of a function say about columns."""
        return cls(**{name: value for name, value in options.items() if name in cls._fields})

    def among(self, tables: Sequence[Sequence[str]]) -> "Columns":
        """The same for several tables with such columns, each of which has some of those named."""
        if len(tables) < 2:
            return self
        known = {name for names in tables for name in names}
        named = [*(self.columns or ()), *(self.categorical or ()), *(self.node_attributes or ())]
        single = (self.source, self.target, self.weight, self.relation, self.time)
        named += [*(self.ignore or ()), *(name for name in single if name is not None)]
        for name in named:
            if str(name) not in known:
                raise ValueError(
                    f"found the columns {sorted(known)}, expected a column `{name}`; check the name"
                )
        return self._replace(several_files=True)

    @property
    def json(self) -> Optional[str]:
        """The same for the readers, unless nothing is said."""
        said = {name: value for name, value in self._asdict().items() if value is not None}
        if not said:
            return None
        for name in ("categorical", "node_attributes", "ignore"):
            if isinstance(said.get(name), str):
                raise TypeError(f"{name}: found the text {said[name]!r}, expected a list of names")
        kinds = [[str(name), str(kind)] for name, kind in dict(said.pop("columns", {})).items()]
        kinds += [[str(name), "category"] for name in said.pop("categorical", ())]
        options: Dict[str, Any] = {"kinds": kinds} if kinds else {}
        for name, value in said.items():
            options[_NAMES.get(name, name)] = (
                [str(one) for one in value] if isinstance(value, (list, tuple, set)) else value
            )
        return json.dumps(options)
