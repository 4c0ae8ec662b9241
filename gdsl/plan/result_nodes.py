"""The nodes of the kernel plan that say what a sweep computes: totals, a value for each member, and votes."""

from __future__ import annotations

from enum import Enum

from gdsl.ir.nodes import OwnOperation
from gdsl.operations import NeighborOperation, ReduceOperation
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Reduction:
    """How two values are combined, and the identity; `combine` SUBTRACT sums up below zero."""

    combine: ReduceOperation
    type: Type

    @property
    def identity(self) -> Identity:
        """What a reduction begins with."""
        return _IDENTITIES[self.combine]


class Identity(Enum):
    """The identity of a reduction, for a type."""

    ZERO = "0"
    ONE = "1"
    LARGEST = "the largest value"
    SMALLEST = "the smallest value"
    ALL_ONES = "all bits"
    NAN = "NaN"


_IDENTITIES = {
    ReduceOperation.MIN: Identity.LARGEST,
    ReduceOperation.MAX: Identity.SMALLEST,
    ReduceOperation.ADD: Identity.ZERO,
    ReduceOperation.SUBTRACT: Identity.ZERO,
    ReduceOperation.MULTIPLY: Identity.ONE,
    ReduceOperation.BIT_AND: Identity.ALL_ONES,
    ReduceOperation.BIT_OR: Identity.ZERO,
    ReduceOperation.BIT_XOR: Identity.ZERO,
}


@dataclass(frozen=True, slots=True)
class Total:
    """A scalar into which the sweep reduces."""

    scalar: str
    reduction: Reduction

    @property
    def identity(self) -> Identity:
        """What a thread begins with: NaN for `min=` and `max=` of floats, since an infinity would win where the scalar
        and all that is reduced into it are NaN."""
        least_or_most = self.reduction.combine in (ReduceOperation.MIN, ReduceOperation.MAX)
        return Identity.NAN if self.reduction.type.holds_float and least_or_most else self.reduction.identity


@dataclass(frozen=True, slots=True)
class Segment:
    """A result for each member: the reduction of what its edges give, stored in `array`."""

    operation: NeighborOperation | None
    """None where the program has one of its own."""
    array: str
    type: Type
    """Of the array."""
    reduction: Reduction | OwnOperation
    stops_at: bool | None
    """A result that no further edge changes: the walk stops there. None: all edges are walked."""
    staging: str | None
    """The buffer that holds the results until all are computed; None: they can be stored immediately."""
    handed: bool = False
    """Whether a filter in the same sweep is given the results, and nothing else reads them: they are only stored where
    all threads walk a list."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The buffers in which the votes of long lists are counted: a key and a total at each place. A member has one place
    more than two for each place in its lists, from twice the places before its lists and its own number on."""

    keys: str
    totals: str


@dataclass(frozen=True, slots=True)
class Vote:
    """A winner for each member: the key of its ballots with the largest total, or the largest score of these."""

    array: str
    key: Type
    """Of keys and of the array."""
    total: Type
    score: str | None
    """The vote functor; None: the total itself is the score."""
    score_type: Type
    keep: str | None
    """The array of the keys that win a tie."""
    stands: bool
    """Whether these need no ballots."""
    tables: Tables | None
    """None: each thread that counts has its own."""
    staging: str | None
    """As in `Segment`."""
