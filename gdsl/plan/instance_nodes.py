"""The nodes of the kernel plan that say how up to 64 instances of a program run together, a bit of each word for each.

See `bit_parallel`, the pass that makes them.
"""

from __future__ import annotations

from enum import Enum

from gdsl.plan.sweep_nodes import Variant
from gdsl.records import dataclass


class End(Enum):
    """Which vertex of a call."""

    NEAR = "near"
    FAR = "far"
    OWN = "own"
    """The vertex of a vertex functor."""


@dataclass(frozen=True, slots=True)
class BitTest:
    """A test of a vertex whose results are stored: a word for each vertex, with a bit for each instance."""

    functor: str
    """The functor, with this one condition and a vertex as its parameter, which the pass adds to the plan's program."""
    arrays: tuple[str, ...]
    """What it reads of each instance. A write to one of these renews the bit."""
    same_at_first: bool
    """Whether the initial values of these, and so the bits of a vertex, are the same for all instances."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """After each call, the bit of test number `test` at this end is computed again."""

    test: int
    end: End


@dataclass(frozen=True, slots=True)
class Renewals:
    """What the operator at a site renews."""

    site: int
    each: tuple[Renewal, ...]


@dataclass(frozen=True, slots=True)
class BitWalk:
    """How the advance at a site visits an edge for all instances together."""

    site: int
    near: tuple[int, ...]
    """The tests, by number, of the near end, which are asked once for a member."""
    far: tuple[int, ...]
    """Those of the far end."""
    shared: Variant
    """The conjuncts that are the same for all instances, and no statement."""
    body: Variant
    """What runs for each instance whose tests hold: all statements, and no conjunct. On a grid calls for other far ends
    and other instances run at the same time."""
    closes: int | None
    """The test of the far end that no longer holds after any call. None: there is no body, or it is renewed."""
    may_pull: bool
    """Whether far ends may look for members: nothing but tests of bits decides where they stop."""


@dataclass(frozen=True, slots=True)
class BitParallel:
    """How instances run together."""

    tests: tuple[BitTest, ...]
    walks: tuple[BitWalk, ...]
    renewals: tuple[Renewals, ...]
    shared_params: tuple[str, ...]
    """The params that must have the same value in all instances."""
    sized: tuple[str, ...] = ()
    """The sets whose members something counts in each instance."""

    def walk(self, site: int) -> BitWalk:
        """How the advance at a site walks."""
        return next(each for each in self.walks if each.site == site)

    def renewed(self, site: int) -> tuple[Renewal, ...]:
        """What the operator at a site renews."""
        return next((renewals.each for renewals in self.renewals if renewals.site == site), ())

    def reading(self, array: str) -> tuple[int, ...]:
        """The tests that read an array."""
        return tuple(number for number, test in enumerate(self.tests) if array in test.arrays)
