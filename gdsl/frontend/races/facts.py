"""What the race rules found out about a program, for the stages after the checker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from gdsl.operations import StoreRule
from gdsl.source import Span


class End(Enum):
    """An end of an edge, seen from the frontier (`compute(edges, …)`: near is the source)."""

    NEAR = "near"
    FAR = "far"


@dataclass(frozen=True, slots=True)
class ClosingFact:
    """That the functor closes at one call site: conjunct number `conjunct` of its `cond` (the operands of `&&`,
    flattened left to right) reads `array` at `end`, and every store into it makes the conjunct false. `statement` is
    the place in `Functor.body` of the one store that always runs; None if it stands deeper or there are several."""

    end: End
    array: str
    conjunct: int
    statement: int | None


@dataclass(frozen=True, slots=True)
class RaceFacts:
    """The findings. Spans are those of `Assign` statements and of `OperatorCall`s."""

    rules: Mapping[Span, StoreRule]
    closings: Mapping[Span, ClosingFact]
    not_unique: frozenset[str]
    """Arrays and scalars whose values at the end may differ from run to run."""

    def rule(self, statement: Span) -> StoreRule:
        """Why the plain store at `statement` is allowed (a single writer where no operator calls its functor)."""
        return self.rules.get(statement, StoreRule.SINGLE_WRITER)

    def closing(self, call: Span) -> ClosingFact | None:
        """How the functor closes at the operator call at `call`; None if it does not."""
        return self.closings.get(call)
