"""All that the templates of the cpu backend lay out, decided and typed. Strings are C++ text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gdsl.codegen.expressions import CheckTable


@dataclass(frozen=True, slots=True)
class Total:
    """A scalar that an operator sums up a thread at a time: member `name`, which `reduce` combines with the scalar."""

    type: str
    name: str
    identity: str
    reduce: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The scalars that one functor sums up, as a struct."""

    type: str
    members: tuple[Total, ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """What is done with an edge or a vertex: a lambda's parameters and the lines of its body."""

    parameters: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """A way along the edges of each vertex, and what is done with an edge (in a reduction: its value)."""

    lists: str
    visit: Visit
    assign: Visit | None = None
    """What a reduction does with a vertex and its result."""


@dataclass(frozen=True, slots=True)
class Pull:
    """An advance from the far ends."""

    lists: str
    closes: bool
    select: Visit
    visit: Visit


@dataclass(frozen=True, slots=True)
class OperatorPlan:
    """What every operator has."""

    kind: ClassVar[str]
    function: str
    comment: str
    """Where it stands in the program."""
    parameters: str
    arguments: str
    """What the schedule calls it with."""
    site: int
    input: bool
    """Whether it takes a frontier."""
    result: bool
    members: str
    size: str
    """How many elements it runs on."""
    counted: str
    """Whose edges are counted for the result."""
    totals: str
    """The struct of the scalars that it sums up; empty without any."""


@dataclass(frozen=True, slots=True)
class AdvancePlan(OperatorPlan):
    """`advance`; it pushes, pulls, or chooses where it can do both."""

    kind: ClassVar[str] = "advance"
    push: tuple[Walk, ...]
    pull: Pull | None
    much: str
    """The edges by which it is decided whether to share the work of a push."""
    marked: bool
    """Whether a push marks accepted vertices against duplicates."""
    edges: str
    """The edges of what it runs on, where it pulls."""
    alpha: int
    beta: int


@dataclass(frozen=True, slots=True)
class FilterPlan(OperatorPlan):
    """`filter` and `where`."""

    kind: ClassVar[str] = "filter"
    visit: Visit


@dataclass(frozen=True, slots=True)
class ComputePlan(OperatorPlan):
    """`compute`, over vertices or over all edges."""

    kind: ClassVar[str] = "compute"
    edges: bool
    visit: Visit


@dataclass(frozen=True, slots=True)
class ReducePlan(OperatorPlan):
    """`neighbor_reduce`; `stored` are lines that store what was computed aside, for one `near`."""

    kind: ClassVar[str] = "reduce"
    type: str
    identity: str
    combine: str
    walks: tuple[Walk, ...]
    stored: Visit | None


@dataclass(frozen=True, slots=True)
class Member:
    """A member of `data_slice`, and how the host's slot `place` becomes it."""

    type: str
    name: str
    is_pointer: bool
    slots: str
    place: int


@dataclass(frozen=True, slots=True)
class InitialLoop:
    """The initial values of all arrays over vertices, or over edges."""

    count: str
    id_type: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProgramPlan:
    """Everything that one generated file holds."""

    head: tuple[str, ...]
    id_type: str
    constants: tuple[tuple[str, int, str], ...]
    runtime: tuple[str, ...]
    totals: tuple[Totals, ...]
    functions: tuple[str, ...]
    operators: tuple[OperatorPlan, ...]
    initial_loops: tuple[InitialLoop, ...]
    initial_scalars: tuple[str, ...]
    schedule: tuple[str, ...]
    members: tuple[Member, ...]
    temporaries: tuple[tuple[str, str, str], ...]
    """(type, member, where its values lie) of each array that a reduction computes into before it stores."""
    swapped: tuple[tuple[int, str], ...]
    """(place, member) of the arrays that may change places."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Where the generated code changes its ways; tests make them small."""

    small_work: int = 4096
    """Edges or elements up to which one thread does all the work."""
    hub_degree: int = 4096
    """Edges from which on a list is shared among threads."""
    hub_chunk: int = 1024
    """Edges of such a list that a thread takes at a time."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host must know to run it."""

    text: str
    checks: CheckTable
    """The computed indices, for messages."""
    needs_in_edges: bool
    """Whether the edges by destination are needed."""
    needs_in_edge_ids: bool
