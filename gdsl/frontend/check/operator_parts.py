"""What the checkers of single operators ask of the checker of all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.sets import Sets
from gdsl.frontend.syntax import FunctorForm, OperatorKind
from gdsl.operations import Domain, Over
from gdsl.types import Type

if TYPE_CHECKING:  # these look at single expressions of operators, and so import what is declared here
    from gdsl.frontend.check.expressions import ExpressionChecker

Given = tuple[list[syntax.Expression], dict[str, syntax.Argument]] | tuple[None, dict[str, syntax.Argument]]
"""The arguments of a call by place and by keyword; None in the place of the former after a message."""


class Operators(Protocol):
    """See `gdsl.frontend.check.operators.OperatorChecker`. None in an answer means that a mistake was reported."""

    environment: Environment
    expressions: ExpressionChecker
    sets: Sets

    def arguments(self, call: syntax.Call, kind: OperatorKind) -> Given:
        """The arguments of a call."""
        ...

    def members(self, value: syntax.Expression, domain: Domain, target: str) -> syntax.Expression | None:
        """A typed set of vertices or edges, for `target`."""
        ...

    def functor(
        self,
        call: syntax.Call,
        value: syntax.Expression,
        wanted: FunctorForm,
        operator: str,
        reduced: Type | None = None,
    ) -> syntax.Name | None:
        """The name of a functor of the form that is wanted; where it has none, `reduced` is the type of its value."""
        ...

    def word(self, value: syntax.Expression, words: Iterable[str], what: str, also: str = "") -> str | None:
        """One of some words."""
        ...

    def over(self, keywords: dict[str, syntax.Argument]) -> Over | None:
        """The edges that are walked."""
        ...

    def label(self, call: syntax.Call) -> None:
        """Takes the label of a call, and reports one that is taken."""
        ...
