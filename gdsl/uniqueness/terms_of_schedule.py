"""Expressions of the schedule and of initial values as terms."""

from __future__ import annotations

from gdsl.effects import ProgramEffects
from gdsl.effects.pure import PureValues
from gdsl.effects.terms import Term
from gdsl.ir import nodes
from gdsl.types import Type


class ScheduleTerms(PureValues):
    """Evaluates them: nothing writes while the schedule reads, so that equal reads in one expression are one value."""

    def __init__(self, effects: ProgramEffects) -> None:
        super().__init__(effects.terms, effects.functions)

    def impure(self, node: nodes.Expression) -> Term:
        """Reads, and what the place knows of."""
        terms, kind = self.terms, node.type
        match node:
            case nodes.OwnId():
                return terms.end(nodes.Role.EDGE if kind is Type.EDGE else nodes.Role.VERTEX)
            case nodes.OwnPart():
                return terms.place()
            case nodes.ScalarValue():
                return terms.scalar(kind, node.name)
            case nodes.Element():
                return terms.element(kind, node.array, self.value(node.index))
            case nodes.FrontierSize() | nodes.FrontierNotEmpty():
                return terms.of_frontier(kind, node.frontier)
        return super().impure(node)
