"""Hints of a sweep: what can be deleted from a finished plan, which stays correct with the same accesses and barriers.

They belong to a sweep rather than a site, because fusion and switches move sweeps from one operation to another. A hint
about one walk of a sweep names its edges (`over`).
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TypeVar

from gdsl.ir.nodes import Expression, History, Node
from gdsl.operations import Over, ReduceOperation
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint of any kind."""

    over: Over | None = field(default=None, kw_only=True)
    """The walk that it is about; None: the members, or the whole sweep."""


H = TypeVar("H", bound=Hint)


# Values read before they are needed


@dataclass(frozen=True, slots=True)
class EarlyRead:
    """A value that is read ahead, and the places in the functor that it replaces."""

    value: Expression
    places: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ReadAhead(Hint):
    """Values of several elements are read before the first of these is worked on, level by level: values of one level
    depend only on those of the levels before. Added by `prefetch`."""

    before: tuple[tuple[EarlyRead, ...], ...]
    """Before the tests of the variant."""
    after: tuple[tuple[EarlyRead, ...], ...]
    """After them, where they hold."""
    elements: int
    """How many at a time."""
    own: EarlyRead | None = None
    """Where members are passed over: the value of the near end, which is the one that is noted."""
    seen: Expression | None = None
    """The value of the far end that is read before it is changed, the last value to be read."""

    @property
    def reads(self) -> tuple[EarlyRead, ...]:
        """All of `before` and `after`, in order."""
        return tuple(read for level in (*self.before, *self.after) for read in level)


@dataclass(frozen=True, slots=True)
class EdgesSideBySide(Hint):
    """The number of edges of a reduced list whose loads a thread overlaps. Added by `prefetch`."""

    count: int


@dataclass(frozen=True, slots=True)
class ListTiles(Hint):
    """Warps take tiles of consecutive edges, `length` rows of 32, each warp from all parts of the lists, and request
    the ends of `rows` rows before they use the first. Added by `load_balance`."""

    rows: int
    length: int


@dataclass(frozen=True, slots=True)
class LabelsTogether(Hint):
    """Calls follow the labels of `array` to their roots: those of several members, and the labels of these, are read
    before the first of them goes on. Added by `replicas`."""

    array: str
    elements: int


# Memory fetched into a cache before it is needed


@dataclass(frozen=True, slots=True)
class PrefetchRows(Hint):
    """For the vertex that a thread takes next: its `lists`, where its lists `begins` begin, and its elements of
    `arrays`. Added by `prefetch`."""

    lists: tuple[Over, ...]
    begins: tuple[Over, ...]
    arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrefetchLists(Hint):
    """For a later member, some places from each: the first edges of its list, with their elements of `arrays`, and
    before that where the list starts (cpu). Added by `prefetch`."""

    arrays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextLevel(Hint):
    """The members are a level of `history`: the lists of the next level are found while all threads wait. Added by
    `prefetch`."""

    history: History


# Memory of a block


@dataclass(frozen=True, slots=True)
class BlockCache(Hint):
    """Each block keeps the first values of `array` in its own memory. Added by `block_cache`."""

    array: str


@dataclass(frozen=True, slots=True)
class HubBounds(Hint):
    """A bound in the block's own memory may replace the look at a value of a hub, which changes by `operation`. Only
    a walk that reads ahead looks. Added by `block_cache`."""

    operation: ReduceOperation


@dataclass(frozen=True, slots=True)
class SourceTables(Hint):
    """Members of one source follow each other, so that many lists are looked up in its list as a table. Added by
    `load_balance`."""


# Few members


@dataclass(frozen=True, slots=True)
class FewAsList(Hint):
    """Few members are a list of their own, with their lists. Added by `small_frontiers`."""


class Warps(Enum):
    """Which of the grid's warps take few members, before the others get any."""

    FIRST = "the first half"
    LAST = "the last half"


@dataclass(frozen=True, slots=True)
class WarpShare(Hint):
    """Half of the warps take the members where these are few. Added by `small_frontiers`."""

    warps: Warps


@dataclass(frozen=True, slots=True)
class BlindClaim(Hint):
    """Claims are tried without a look first while the members are few. Added by `deduplication`."""


@dataclass(frozen=True, slots=True)
class WholeSet(Hint):
    """The queue of members is not read where the frontier has all vertices. Added by `frontier_form`."""


# Threads of a CPU


@dataclass(frozen=True, slots=True)
class Contended(Hint):
    """Threads side by side would change the same few elements, so that two are hardly faster than one. Added by
    `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class ObservedThreads(Hint):
    """Whether one thread, whose writes are plain, is quicker than several depends on what former runs took. Added by
    `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class OwnEnds(Hint):
    """Where lists are long, each thread changes the far ends in its part of the ids, without atomics. Added by
    `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class EqualShares(Hint):
    """Each thread takes one part of the vertices, the same part in each such sweep. Added by `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class UnbranchedClaims(Hint):
    """One thread claims far ends without a branch, and then runs the bodies of many that it has. Added by
    `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class UnbranchedTests(Hint):
    """All tests are made in any case, and no branch depends on one of them. Added by `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class SelectFirst(Hint):
    """Which of two values an edge has depends on scalars alone, and is decided before the edge is tested. Added by
    `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class InVectors(Hint):
    """The values of a list's edges are computed for several edges at a time, in vectors. Added by `cpu_threads`."""


@dataclass(frozen=True, slots=True)
class InLanes(Hint):
    """The values are elements of `array` at the far ends, and several are fetched by one instruction on processors that
    are quick at that. Added by `cpu_threads`."""

    array: str
