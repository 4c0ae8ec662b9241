"""The nodes of the kernel plan for memory: structs, and buffers of each kind. The host allocates, clears and frees
memory by these tables, and the structs of generated text are printed from them."""

from __future__ import annotations

from enum import Enum

from gdsl.extents import Extent, Fixed
from gdsl.ir.nodes import Array, Scalar
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Pointer:
    """The address of elements of a type, which generated text calls `to`."""

    to: str


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct. `count`: elements of an array member; 0: a single value."""

    name: str
    type: Type | Pointer | Struct
    comment: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct that host and device share, or that the host must know the size of; laid out as C does."""

    name: str
    fields: tuple[Field, ...]
    doc: str = ""
    aligned: int = 0
    """Its alignment in bytes, if that is more than its fields require."""


class Role(Enum):
    """What a buffer is for."""

    GRAPH = "graph"
    INPUT = "input"
    RESULT = "result"
    LOCAL = "local"
    TEMPORARY = "temporary"
    TABLES = "votes of long lists"
    QUEUE = "queue"
    BITMAP = "bitmap"
    MARKS = "marks"
    KEYS = "ranks of entries"
    LISTED = "few members with their lists"
    VISITED = "ranks of visited values"
    BOUNDED = "vertices that have bounds"
    HUBS = "chunks of long lists"
    MIRROR = "copies on each GPU"
    ADDRESSES = "where the copies of each GPU are"
    PLACES = "places of members"
    SHARES = "shares of the edges"
    CONTROL = "control block"
    TRACE = "trace"
    LANES = "lanes of the trace, on each GPU"
    OUTPUTS = "what was swapped"
    SAVED = "handed on between launches"
    MADE_GRAPH = "graphs that the schedule makes"
    HOISTED_GRAPH = "graphs kept with the given one"
    NAMES = "names of vertices"
    NAMES_OF_EDGES = "names of edges"
    SORTED = "while they are sorted"
    INSTANCES = "words of instances"


class Allocator(Enum):
    """Who allocates a buffer."""

    HOST = "the host"
    CALLER = "the caller"
    PROGRAM = "the generated code"


class Cleared(Enum):
    """What a buffer holds before it is first read."""

    GIVEN = "given"
    """The caller's values, or the graph's."""
    INITIAL = "initial values"
    """The run stores them before the schedule begins."""
    ZERO = "zeros"
    """The host clears it before the run; whoever changes it leaves zeros."""
    WRITTEN = "written before read"


@dataclass(frozen=True, slots=True)
class Buffer:
    """An array, or `copies` arrays alike, that a run has. `group` names the struct whose member it is."""

    name: str
    element: Type | Struct
    extent: Extent
    role: Role
    allocator: Allocator
    cleared: Cleared
    group: str
    copies: int = 0
    """0: a single array."""


GRAPH, PROBLEM, RUN, LAYOUT = "graph", "problem", "run", "layout"
"""The groups. What is in the last one is no member of a struct, and known to the host alone."""


def of_run(
    name: str,
    element: Type | Struct,
    extent: Extent,
    role: Role,
    copies: int = 0,
    cleared: Cleared = Cleared.WRITTEN,
) -> Buffer:
    """What the run itself works with, in memory of the host's choice."""
    return Buffer(name, element, extent, role, Allocator.HOST, cleared, RUN, copies)


def of_array(array: Array) -> Buffer:
    """The buffer of an array of the program's."""
    is_input = array.is_input
    allocator, cleared = (Allocator.CALLER, Cleared.GIVEN) if is_input else (Allocator.HOST, Cleared.INITIAL)
    return Buffer(array.name, array.type, array.extent, _role(array), allocator, cleared, PROBLEM)


def of_scalar(scalar: Scalar, places: int = 1) -> Buffer:
    """The buffer of a scalar of the program's, which may have several places."""
    cleared = Cleared.GIVEN if scalar.is_input else Cleared.INITIAL
    return Buffer(scalar.name, scalar.type, Fixed(places), _role(scalar), Allocator.HOST, cleared, PROBLEM)


def _role(data: Array | Scalar) -> Role:
    return Role.INPUT if data.is_input else Role.LOCAL if data.is_local else Role.RESULT
