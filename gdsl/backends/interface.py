"""What a backend is: something that turns a program's IR into something to call."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.operations import Balance, Direction, Order
from gdsl.records import dataclass
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan

Scalar = bool | int | float


class Pair(NamedTuple):
    """A result that is a pair, `first, second = result.best`: of a scalar two numbers, of an array two arrays [V] or
    [E] (NumPy or CuPy), the first and the second parts of all elements."""

    first: Any
    second: Any


def part_names(name: str) -> tuple[str, str]:
    """What the two parts of a pair are called where they stand by themselves."""
    return f"{name}.0", f"{name}.1"


def parts_of(results: Mapping[str, Any]) -> dict[str, Any]:
    """`results` with the two parts of each pair in its place."""
    found: dict[str, Any] = {}
    for name, value in results.items():
        found.update(zip(part_names(name), value, strict=True) if isinstance(value, Pair) else {name: value}.items())
    return found


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a backend can run here; if not, why, and what would mend it."""

    ok: bool
    detail: str
    fix: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """When a run is stopped with an error: after `timeout` seconds, or once any loop of the schedule has finished
    `max_iterations` passes and would begin another."""

    timeout: float | None = None
    max_iterations: int | None = None
    spent: float = 0.0
    """Seconds of the timeout that were gone when the run itself began."""

    @property
    def left(self) -> float | None:
        """Seconds that the run itself may last."""
        return None if self.timeout is None else max(self.timeout - self.spent, 0.0)

    def since(self, asked: float | None) -> Limits:
        """With less time left, where it counts from the moment `asked` (of `time.monotonic`) and not from now on."""
        return self if asked is None else dataclasses.replace(self, spent=self.spent + time.monotonic() - asked)


@dataclasses.dataclass(slots=True)  # one a call: made by methods of its own, and not frozen, the quicker way
class Bindings:
    """The caller's data, checked: every param by name (vertex params in range), every input by name. Nobody changes it.

    Input arrays are C-contiguous, of the declared dtype and length (ids as int32 or int64, `none` as -1), NumPy
    or, for the cuda backend only, CuPy.
    """

    params: dict[str, Scalar]
    inputs: dict[str, Any]
    own: frozenset[str] = frozenset()
    """The inputs that are the graph's own: the same array in each run, whose values do not change."""
    open: tuple[Callable[[], None], ...] = ()
    """Tests of inputs that a GPU is busy with: a backend calls each, which waits and raises E0608 where the input does
    not fulfil its `where`, before it does anything with them."""


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One execution of one operator.

    `iteration` is that of the innermost loop around it. `frontier_size` counts the elements it ran on and `edges`
    the edges of those elements in the operator's `over`, whether or not a pull looked at every one of them (0 for
    vertex operators; of an intersection those in the lists of both ends of each). `direction` and `balance` are what
    was used; None where the choice does not exist. `order` is NEAR_FAR where it ran on some of a worklist at a time.

    Times are in milliseconds, and None where nobody has taken them: `time_ms` of the operator itself, `before_ms` of
    what was done between the record before and this one (other steps of the schedule, and what an operator leaves to
    the barrier behind it), `waiting_ms` what a GPU's first block spent of both at barriers. Of operators that share a
    sweep the one whose sweep it is has all of its time. Records that differ in times alone are equal.
    """

    site: int
    label: str
    iteration: int
    frontier_size: int
    edges: int
    direction: Direction | None = None
    balance: Balance | None = None
    order: Order | None = None
    time_ms: float | None = dataclasses.field(default=None, compare=False)
    before_ms: float | None = dataclasses.field(default=None, compare=False)
    waiting_ms: float | None = dataclasses.field(default=None, compare=False)


@dataclasses.dataclass  # so is this, with what it finds out later
class Outcome:
    """What a run gave, which stays as it is: every array and scalar that is not `local`, under its declared name.

    Arrays have the declared dtype; ids are int32 or int64 with `none` as -1; pairs are `Pair`s of two; those of several
    values an element are one row, element after element (see `shaped`). `time_ms` is the run itself, with the
    initialisation of the results, without compilation and transfer of the graph. `iterations`
    counts the finished passes of all loops of the schedule's top level.
    """

    arrays: dict[str, Any]
    scalars: dict[str, Scalar | Pair]
    iterations: int
    time_ms: float
    traced: tuple[TraceRecord, ...] | Callable[[], tuple[TraceRecord, ...]] = ()
    """The trace, or what decodes it once it is asked for."""
    layout_ms: float | None = None
    """What it took to number the vertices by degree, which is not in `time_ms`: 0 where that was kept from a run
    before, None where they have the ids that were given."""

    @cached_property
    def trace(self) -> tuple[TraceRecord, ...]:
        """One record for each operator that ran, in order."""
        return self.traced() if callable(self.traced) else self.traced


def shaped(values: Any, count: int | None) -> Any:
    """The values of a result: of `count` values an element as an array of two dimensions, else as they are."""
    if count is None:
        return values
    if isinstance(values, Pair):
        return Pair(shaped(values.first, count), shaped(values.second, count))
    return values.reshape(-1, count)


@dataclass(frozen=True, slots=True)
class Need:
    """What a run allocates for one of the buffers of its plan, in all its copies.

    name: as the plan calls it, `run.queues`. what: what it is for. elements: their number and type, as the plan says
    it. nbytes: 0 where it is `there` already, which says what it is then.
    """

    name: str
    what: str
    elements: str
    nbytes: int
    there: str = ""


@dataclass(frozen=True, slots=True)
class Space:
    """The memory that a backend works in: what it is called, and its bytes, of which some are `free`; None where the
    system does not say."""

    name: str
    total: int | None
    free: int | None


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as a GPU has it: registers and bytes of local memory (spills and stack) a thread, bytes of shared memory
    a block, and how many of its blocks, of so many threads, a multiprocessor holds at a time, which could hold `most`
    threads."""

    name: str
    registers: int
    local: int
    shared: int
    resident: int
    threads: int
    most: int


@dataclass(frozen=True, slots=True)
class Build:
    """What runs on a graph: the plan (None where a backend has none), the generated text in its `language`, what else
    there is to say, in words, and the kernels of a GPU."""

    plan: Plan | None
    language: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    kernels: tuple[Kernel, ...] = ()


class Executable(Protocol):
    """A program that a backend has made ready."""

    def build(self, graph: Graph) -> Build:
        """What the last run on `graph` ran; there must have been one."""
        ...

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises `gdsl.diagnostics.GdslError` when the run fails or is stopped, `KeyboardInterrupt`
        on Ctrl-C. The process, the graph and the executable stay usable."""
        ...


class Backend(Protocol):
    """One of `reference`, `cpu`, `cuda`."""

    name: str

    def availability(self) -> Availability:
        """Whether this backend can run on this machine. Quick, and never raises."""
        ...

    def stays(self) -> bool:
        """Whether what was made ready here can run, which then need not be asked for: not in every forked process."""
        ...

    def place(self, graph: Graph) -> None:
        """Put the edges of a graph where this has been postponed in order where runs want them; where that is left out,
        it is done on the host."""
        ...

    def build(self, program: Program, id_bits: int) -> Executable:
        """As `build_for`, with ids of `id_bits` bits, 32 or 64."""
        ...

    def build_for(self, program: Program, widths: Widths) -> Executable:
        """Make `program` (as lowered, before any pass) ready for graphs whose ids fit in `widths`."""
        ...

    def needs(
        self, program: Program, widths: Widths, graph: Graph, bindings: Bindings, free: int | None
    ) -> tuple[Need, ...]:
        """What the first run of `program` on `graph` would allocate where so many bytes are free (None: nobody knows);
        asks for no device and compiles nothing."""
        ...

    def space(self) -> Space:
        """What there is for it."""
        ...
