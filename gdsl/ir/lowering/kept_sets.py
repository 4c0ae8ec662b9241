"""Lowers what keeps sets beyond one frontier: to data that the program does not see, and the steps that use them."""

from __future__ import annotations

from gdsl.extents import VERTICES
from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import default_value
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type


class HiddenData:
    """The arrays and scalars that the lowering adds to those of the program."""

    def __init__(self, program: syntax.Program) -> None:
        """None yet; their names are free of those of `program`."""
        self._taken = {functor.name for functor in program.functors}
        self._taken |= {function.name for function in program.functions}
        self._taken |= {declaration.name for declaration in program.declarations}
        self.arrays: list[nodes.Array] = []
        self.scalars: list[nodes.Scalar] = []

    def _free(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def array(self, name: str, kind: Type, span: Span) -> str:
        """An array over the vertices, called after `name`, that begins with zeros or `none`."""
        made = nodes.Array(
            span, self._free(name), Domain.VERTEX, VERTICES, kind, default_value(kind, span), False, True, None
        )
        self.arrays.append(made)
        return made.name

    def scalar(self, name: str, kind: Type, span: Span) -> str:
        """A scalar in the same way."""
        made = nodes.Scalar(span, self._free(name), kind, default_value(kind, span), False, True, None)
        self.scalars.append(made)
        return made.name

    def history(self, name: str, span: Span) -> nodes.History:
        """What the history `name` needs."""
        members = self.array(f"{name}_members", Type.VERTEX, span)
        ends = self.array(f"{name}_ends", Type.INT64, span)
        return nodes.History(span, name, members, ends, self.scalar(f"{name}_levels", Type.INT64, span))


def emptied(history: nodes.History, span: Span) -> nodes.Step:
    """The step that leaves a history without levels."""
    return nodes.StoreScalar(span, history.levels, nodes.Literal(span, Type.INT64, 0))


def through_levels(
    statement: syntax.ForIn, loop: int, history: nodes.History, name: str, body: tuple[nodes.Step, ...]
) -> nodes.Step:
    """The loop over the levels of a history, whose frontier is `name`."""
    span = statement.over.span
    count = nodes.ScalarValue(span, Type.INT64, history.levels, False)
    taken = nodes.TakeLevel(statement.name_span, name, history, statement.backward)
    return nodes.Repeat(statement.span, loop, count, (taken, *body))
