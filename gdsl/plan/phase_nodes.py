"""The nodes of the kernel plan that say in which phases one operator runs, and where all threads wait between them."""

from __future__ import annotations

from enum import Enum

from gdsl.plan.sweep_nodes import Form
from gdsl.records import dataclass


class Counter(Enum):
    """What the threads of an operator count together."""

    CHUNKS = "chunks"
    """Of lists that are too long for one thread or warp, and where they are."""
    BINS = "bins"
    """The members of each bin, and which these are."""
    ACCEPTED = "accepted"
    """Elements of the result, and their edges."""


class When(Enum):
    """In which runs of an operator a phase takes place."""

    ALWAYS = "always"
    LONG_LISTS = "long lists"
    """Where the graph has lists that are cut into chunks."""
    FIRST_PASS = "first pass"
    """Of the loop around."""
    MANY_EDGES = "many edges"
    """Where the sweep's `proposals` say that there are many."""


class Part(Enum):
    """Which part of an operator's sweep a phase does."""

    VISITS = "visits"
    """Nobody has been visited yet: sweeps that pass over visited members note so."""
    EMPTIED = "emptied"
    """The bitmap of the result is emptied."""
    MEMBERS = "members"
    """All members, with those of their lists that are not cut."""
    CHUNKS = "chunks"
    """The chunks of long lists, a warp each."""
    CHUNK_OWNERS = "members of chunks"
    """What is fused into the sweep, for the members whose lists were cut."""
    HELD = "held"
    """What each thread holds of the result and of totals until its last element is done."""
    STAGED = "staged"
    """The copy of results that were stored aside."""
    COPIED = "copied"
    """Each GPU fills its copy of what is merged."""
    MERGED = "merged"
    """The copies of all GPUs are merged, and what has changed in any of them becomes the result."""
    PROPOSED = "proposed"
    """Each GPU empties its bitmap of proposals."""
    SETTLED = "settled"
    """Each GPU visits an edge for each of its far ends that has a proposal."""
    LABELED = "labeled"
    """Each GPU fills its copy of labels."""
    JOINED = "joined"
    """Each GPU stores the smallest label of all copies for the vertices that it has."""
    PACKED = "packed"
    """Each GPU follows the labels in its copy to their roots, and packs them."""
    UNPACKED = "unpacked"
    """Each GPU takes what the others have packed into its copy, where it is smaller."""
    MARKS = "marks"
    """The marks of a result are cleared for the next one."""


class Within(Enum):
    """The function of the runtime in which a barrier is, as its contract says; see `contracts`."""

    VISITS = "visits"
    EMPTIED = "emptied"
    CHUNKS = "chunks"
    CHUNK_OWNERS = "members of chunks"
    COPIED = "copied"
    PROPOSED = "proposed"
    RESULT = "result"
    """What completes the result."""
    CHUNKS_OR_RESULT = "chunks or result"
    """What completes the result unless there are chunks."""
    RESULT_OF_CHUNKS = "result of chunks"
    """The same, once more, when chunks have been visited."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """All threads wait here for all others."""

    reason: str
    publishes: tuple[Counter, ...] = ()
    """The counters that all threads know afterwards, without looking once more."""
    when: When = When.ALWAYS
    within: Within | None = None
    """None: it is a statement of its own."""


@dataclass(frozen=True, slots=True)
class Work:
    """A part of the operator's sweep; `walk` is the number of the walk."""

    part: Part
    walk: int = 0


@dataclass(frozen=True, slots=True)
class ReadCounter:
    """Each thread notes a counter before the next walk adds to it."""

    counter: Counter


@dataclass(frozen=True, slots=True)
class Convert:
    """The members, or the `result`, must be there in a form from here on."""

    form: Form
    result: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The operator's line in the trace. `counted`: when all edges walked are counted by now; None: the next barrier,
    whichever that is, comes before they are read."""

    counted: When | None = When.ALWAYS


@dataclass(frozen=True, slots=True)
class HoldMarks:
    """What comes next has the bitmap of marks that this operator would have had: without a barrier here, marks in the
    other one may still be cleared."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """Each GPU fills its copies of what the sweep's `mirrors` name."""


@dataclass(frozen=True, slots=True)
class Directions:
    """The phases of a pull and of a push, of which the operation's switch chooses one."""

    pull: tuple[Phase, ...]
    push: tuple[Phase, ...]


Phase = Barrier | Work | ReadCounter | Convert | Trace | HoldMarks | Mirror | Directions
