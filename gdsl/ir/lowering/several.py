"""Lowers arrays of several values an element: how many there are becomes a literal or a param of its own."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl import extents
from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.slots import is_inside, same
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type


class Counts:
    """By the names of arrays how many values an element has; `params` are those that the program did not declare."""

    def __init__(self) -> None:
        self.params: list[nodes.Param] = []
        self.loops: dict[str, nodes.ForRange] = {}
        """The loops whose variables are in reach, by these; their bodies are not there yet."""
        self._of: dict[str, nodes.Expression] = {}

    def add(self, array: str, value: nodes.Expression, name: str) -> None:
        """Say what an array's count is; where it takes a new param, `name` is that of it."""
        known = next((param for param in self.params if param.default is not None and same(param.default, value)), None)
        if isinstance(value, nodes.Literal):
            self._of[array] = value
            return
        if known is None:
            known = nodes.Param(value.span, name, Type.INT64, value, is_count=True)
            self.params.append(known)
        self._of[array] = nodes.ParamValue(value.span, Type.INT64, known.name)

    def of(self, array: str) -> nodes.Expression | None:
        """The count of an array; None where it has one value an element."""
        return self._of.get(array)

    def index(
        self, span: Span, array: str, element: nodes.Expression, checked: bool, place: nodes.Expression | None
    ) -> tuple[nodes.Expression, bool]:
        """The index of an element or of one of its values, and whether that is still to be checked."""
        count = self._of.get(array)
        if count is None or place is None:
            return element, checked
        defaults = {param.name: param.default for param in self.params if param.default is not None}
        inside = is_inside(place, count, self.loops, defaults)
        return nodes.Slot(span, Type.INT64, element, checked, place, not inside, count), False


def extent_of(domain: Domain, count: nodes.Expression | None) -> extents.Extent:
    """The values of an array in all."""
    if isinstance(count, nodes.Literal):
        return extents.of_array(domain, int(count.value))
    return extents.of_array(domain, count.name if isinstance(count, nodes.ParamValue) else None)


def counted(declarations: Iterable[syntax.Declaration]) -> list[tuple[str, syntax.Expression]]:
    """The arrays of several values an element, with how many."""
    return [(node.name, node.count) for node in declarations if node.count is not None]
