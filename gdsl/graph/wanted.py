"""The columns of a table that a caller names."""

from __future__ import annotations

import difflib

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.errors import bad_array
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are the ends and the weight; what is None is found by its name."""

    source: str | None = None
    target: str | None = None
    weight: str | None = None

    @property
    def as_found(self) -> bool:
        """Whether nothing is asked for."""
        return self.source is None and self.target is None and self.weight is None

    def ends_among(self, names: list[str]) -> tuple[str, str] | None:
        """The ends, where they are asked for. Raises E0711 where `names` has not both."""
        if self.source is None and self.target is None:
            return None
        if self.source is None or self.target is None or self.source == self.target:
            fix = "source='…', target='…' name them (--source-column, --target-column)"
            raise bad_array("both ends need a column of their own", fix)
        for name in (self.source, self.target):
            require_column(name, names)
        return self.source, self.target


def require_column(name: str, names: list[str]) -> None:
    """Raise E0711, with the name that is most like it, where `name` is not among `names`."""
    if name in names:
        return
    few = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    near = [each for each in names if each.lower() == name.lower()] or difflib.get_close_matches(name, names, n=1)
    fix = f"did you mean {near[0]!r}? Its columns are {few}" if near else f"its columns are {few or 'none'}"
    raise bad_array(f"the table has no column {shown(name)}", fix)


def columns_of(source: object, target: object, weight: object) -> Columns:
    """What a caller asks for. Raises TypeError for what is no name."""
    for value, argument in ((source, "source"), (target, "target"), (weight, "weight")):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"the column for the {argument} is named by a str, not {shown(value)}")
    return Columns(source, target, weight)  # type: ignore[arg-type]


def refuse_columns(kind: str, columns: Columns, path: str) -> None:
    """Raise E0712 where columns are named of a file of another kind."""
    if not columns.as_found:
        message = f"{kind} has no columns: source_column, target_column and weight_column are for edge lists and tables"
        raise GdslError.single("E0712", message, fix="leave them out", place=path)
