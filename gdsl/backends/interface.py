"""The interface of backends: turning a program's IR into something that can be called."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from gdsl.graph.graph import Graph
from gdsl.graph.memory import available_memory, whole_memory
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse
from gdsl.operations import Balance, Direction, Order
from gdsl.records import dataclass
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.gpu_lanes import GpuLanes
    from gdsl.plan.nodes import Plan

Scalar = bool | int | float


class Pair(NamedTuple):
    """A result that is a pair, `first, second = result.best`: of a scalar two numbers, of an array two arrays [V] or
    [E] (NumPy or CuPy), the first and the second parts of all elements."""

    first: Any
    second: Any


def part_names(name: str) -> tuple[str, str]:
    """The names of the two parts of a pair."""
    return f"{name}.0", f"{name}.1"


def parts_of(results: Mapping[str, Any]) -> dict[str, Any]:
    """`results`, with each pair replaced by its two parts."""
    arrays: dict[str, Any] = {}
    for name, value in results.items():
        arrays.update(zip(part_names(name), value, strict=True) if isinstance(value, Pair) else {name: value}.items())
    return arrays


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a backend can run here; if not, why, and what would fix it."""

    ok: bool
    detail: str
    fix: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """When a run is stopped with an error: after `timeout` seconds, or once any loop of the schedule has finished
    `max_iterations` passes and would begin another. And which memory it may use."""

    timeout: float | None = None
    max_iterations: int | None = None
    spent: float = 0.0
    """Seconds of the timeout that had passed when the run itself began."""
    memory: MemoryUse | None = None
    """What the run may use of the GPU's memory; None: what it needs."""

    @property
    def left(self) -> float | None:
        """Seconds left for the run itself."""
        return None if self.timeout is None else max(self.timeout - self.spent, 0.0)

    def since(self, asked: float | None) -> Limits:
        """With less time left, if it counts from an earlier moment (of `time.monotonic`)."""
        return self if asked is None else dataclasses.replace(self, spent=self.spent + time.monotonic() - asked)


@dataclasses.dataclass(slots=True)  # one per call: plain methods and not frozen, which is faster
class Bindings:
    """The caller's data, checked: every param by name (vertex params in range), every input by name. It never changes.

    Input arrays are C-contiguous, of the declared dtype and length (ids as int32 or int64, `none` as -1), NumPy or, for
    the cuda backend only, CuPy.
    """

    params: dict[str, Scalar]
    inputs: dict[str, Any]
    own: frozenset[str] = frozenset()
    """The inputs that belong to the graph: the same array in each run, whose values do not change."""
    open: tuple[Callable[[], None], ...] = ()
    """Tests of inputs that a GPU is busy with: a backend calls each before it uses the inputs; the call waits, and
    raises E0608 if the input does not satisfy its `where`."""


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One execution of one operator.

    `iteration` is that of the innermost loop around it. `frontier_size` counts the elements it ran on and `edges` the
    edges of those elements in the operator's `over`, whether or not a pull read every one of them (0 for vertex
    operators; for an intersection, those in the lists of both ends of each). `direction` and `balance` are what was
    used; None if there is no choice. `order` is NEAR_FAR if it ran on a part of a worklist at a time.

    Times are in milliseconds, and None if they were not measured: `time_ms` of the operator itself, `before_ms` of what
    happened between the record before and this one (other steps of the schedule, and work that an operator leaves to
    the barrier after it), `waiting_ms` what a GPU's first block spent of both at barriers. If operators share a sweep,
    the operator that has the sweep has all of its time. Records that only differ in times are equal.
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


@dataclasses.dataclass  # likewise, with attributes that are added later
class Outcome:
    """The result of a run: every array and scalar that is not `local`, under its declared name.

    Arrays have the declared dtype; ids are int32 or int64 with `none` as -1; pairs are `Pair`s of two; those with
    several values per element are one row, element after element (see `shaped`). `time_ms` is the run itself, including
    the initialization of the results, without compilation and transfer of the graph. `iterations` counts the finished
    passes of all loops of the schedule's top level.
    """

    arrays: dict[str, Any]
    scalars: dict[str, Scalar | Pair]
    iterations: int
    time_ms: float
    traced: tuple[TraceRecord, ...] | Callable[[], tuple[TraceRecord, ...]] = ()
    """The trace, or a function that decodes it."""
    layout_ms: float | None = None
    """Milliseconds spent on numbering the vertices by degree, which are not in `time_ms`: 0 if an earlier run did so,
    None if they have the caller's ids."""
    memory_line: str = ""
    """One line about edge lists that were in the memory of the host; empty if there were none."""
    order_line: str = ""
    """One line about the order of work that was chosen during runs; empty if there was no choice."""
    form_line: str = ""
    """One line about the form of the program that earlier runs have shown to be faster; empty if there is none."""
    visits: int = 0
    """Edges that the first loop has visited, of a run that observes them."""
    lanes: GpuLanes | None = None
    """What each of several GPUs did when, of a run that records it."""
    kernel_ms: float = 0.0
    """Milliseconds of the kernel alone, of a run whose order of work is compared with another one."""
    operators: int = 0
    """How many operators ran, of a run on a GPU."""

    @cached_property
    def trace(self) -> tuple[TraceRecord, ...]:
        """One record for each operator that ran, in order."""
        return self.traced() if callable(self.traced) else self.traced


def shaped(values: Any, count: int | None) -> Any:
    """The values of a result: with `count` values per element as an array of two dimensions, otherwise unchanged."""
    if count is None:
        return values
    if isinstance(values, Pair):
        return Pair(shaped(values.first, count), shaped(values.second, count))
    return values.reshape(-1, count)


@dataclass(frozen=True, slots=True)
class Need:
    """What a run allocates for one of the buffers of its plan, in all its copies.

    name: in the plan, `run.queues`. what: its purpose. elements: their number and type, as the plan prints it. nbytes:
    0 if it exists already; `there` says as what. is_list: whether it is an edge list, a value for each edge that no run
    changes. host_bytes: how many more of its bytes are in the memory of the host, for a run on a GPU. is_constant:
    whether no run changes it. is_own: whether each of several GPUs has its own. is_first: whether the first one has it,
    however large it is.
    """

    name: str
    what: str
    elements: str
    nbytes: int
    there: str = ""
    is_list: bool = False
    host_bytes: int = 0
    is_constant: bool = False
    is_own: bool = False
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class Space:
    """The memory of a backend: its name, and its bytes, of which some are `free`; None if the system does not say."""

    name: str
    total: int | None
    free: int | None


def machine_space() -> Space:
    """The memory of this machine: the total, and what is available without swapping."""
    return Space("this machine", whole_memory(), available_memory())


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel on a GPU: registers and bytes of local memory (spills and stack) per thread, bytes of shared memory per
    block, and how many of its blocks, of that many threads, a multiprocessor holds at a time; `most` is the threads it
    could hold."""

    name: str
    registers: int
    local: int
    shared: int
    resident: int
    threads: int
    most: int


@dataclass(frozen=True, slots=True)
class Build:
    """What runs on a graph: the plan (None if a backend has none), the generated text in its `language`, further facts
    in words, and the kernels of a GPU."""

    plan: Plan | None
    language: str
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    kernels: tuple[Kernel, ...] = ()


class Executable(Protocol):
    """A program that a backend has compiled."""

    def build(self, graph: Graph) -> Build:
        """What the last run on `graph` ran; there must have been one."""
        ...

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises `gdsl.diagnostics.GdslError` if the run fails or is stopped, `KeyboardInterrupt` on
        Ctrl-C. The process, the graph and the executable stay usable."""
        ...


class Backend(Protocol):
    """One of `reference`, `cpu`, `cuda`. What has a body here is so for the host."""

    name: str

    def availability(self) -> Availability:
        """Whether this backend can run on this machine. Quick, and never raises."""
        ...

    def stays(self) -> bool:
        """Whether what was compiled here can still run, without asking for the device: not in every forked process."""
        return True

    def keeps_arrays(self) -> bool:
        """Whether the caller's arrays on a device stay there, and are checked there."""
        return False

    def place(self, graph: Graph) -> None:
        """Sort the edges of a graph for which this was postponed, where runs need them; otherwise the host does it."""
        return

    def build(self, program: Program, widths: Widths | int) -> Executable:
        """Compile `program` (annotated, before `gdsl.passes`) for graphs whose ids fit in `widths`; one width, 32 or
        64, is that of all ids."""
        ...

    def needs(
        self,
        program: Program,
        widths: Widths,
        graph: Graph,
        bindings: Bindings,
        free: int | None,
        memory: MemoryUse | None = None,
    ) -> tuple[Need, ...]:
        """What the first run of `program` on `graph` would allocate if that many bytes are free (None: unknown) and
        `memory` is what it may use; uses no device and compiles nothing."""
        ...

    def space(self) -> Space:
        """The memory of the backend's device."""
        return machine_space()
