"""Functors without a name."""

from __future__ import annotations

from gdsl.frontend.syntax.declarations import ParameterName
from gdsl.frontend.syntax.expressions import Expression
from gdsl.frontend.syntax.statements import Statement
from gdsl.operations import Domain
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Nameless(Expression):
    """`v => …` and `(src, dst, e) => …`, where an operator takes a functor; the checker makes a `Functor` of it.

    Of `whole`, a single expression, the operator says whether it is the condition or the value. It has no parameters
    where these, or it, were no such thing.
    """

    parameters: tuple[ParameterName, ...]
    whole: Expression | None
    condition: Expression | None = None
    body: tuple[Statement, ...] = ()
    value: Expression | None = None

    @property
    def domain(self) -> Domain | None:
        """What it runs on, by the number of its parameters; None where no functor has so many."""
        return {1: Domain.VERTEX, 3: Domain.EDGE}.get(len(self.parameters))
