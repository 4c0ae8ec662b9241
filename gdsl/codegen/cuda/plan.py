"""The kernel plan: all that the templates of the CUDA backend lay out, decided and typed. Strings are C++ text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Total:
    """A scalar that an operator sums up a thread at a time: member `name` of the totals, combined into `target`."""

    name: str
    type: str
    identity: str
    combine: str
    """An expression of `a` and `b`."""
    reduce: str
    """The atomic that combines a block's total with the scalar."""
    target: str


@dataclass(frozen=True, slots=True)
class Totals:
    """The scalars that one functor sums up, as a struct."""

    type: str
    members: tuple[Total, ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """What is done with an edge or a vertex: `test`, and where that holds `apply`. Empty where there is nothing."""

    parameters: str
    """``vertex near, vertex far, edge at`` or ``vertex v``."""
    test: str
    apply: str
    says: bool
    """Whether `apply` says if the element is accepted; if not, all that pass `test` are."""
    far: str = ""
    """The parameter that is collected."""
    mark: str = ""
    """The test that keeps an element from being collected twice."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two ways along the edges of a vertex."""

    name: str
    lists: str
    visit: Visit
    first_of_two: bool
    begin: str
    """The first chunk of long lists that is this side's."""


@dataclass(frozen=True, slots=True)
class ReduceSide:
    """The same for a reduction: `value` is what an edge gives."""

    name: str
    lists: str
    parameters: str
    value: str
    first_of_two: bool
    begin: str
    assign: str
    """What is done with the result `reduced` for the vertex `near`."""


@dataclass(frozen=True, slots=True)
class Pull:
    """An advance from the far ends."""

    lists: str
    closes: bool
    selected: str
    alone: Visit
    """Where one thread does all the work of a far end."""
    shared: Visit
    """Where several warps do."""


@dataclass(frozen=True, slots=True)
class OperatorPlan:
    """What every operator has."""

    kind: ClassVar[str]
    title: str
    """What kernels are called after."""
    function: str
    direction: str
    """The variable of the persistent kernel that remembers this operator's direction."""
    comment: str
    """Where it stands in the program."""
    parameters: str
    arguments: tuple[str, ...]
    """What it is called with beside ``run, d``; `input` and `result` stand for frontiers."""
    site: int
    input: bool
    """Whether it takes a frontier."""
    result: bool
    marks: bool
    """Whether accepted vertices are marked against duplicates."""
    directed: bool
    """Whether it remembers a direction from pass to pass."""
    members: str
    size: str
    """How many elements it runs on."""
    counted: str
    """Whose edges are counted for the result."""
    totals: Totals | None


@dataclass(frozen=True, slots=True)
class AdvancePlan(OperatorPlan):
    """`advance`; it pushes, pulls, or chooses where both are given."""

    kind: ClassVar[str] = "advance"
    push: tuple[Side, ...]
    pull: Pull | None
    balance: str
    """The runtime's function that shares the edges out."""
    hubs: bool
    """Whether that function leaves long lists for later."""
    counts_visited: bool
    """Whether it has to count the edges of what it runs on itself."""
    edges: str
    """The edges of what it runs on."""
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
    """`neighbor_reduce`. The result is stored in `target` and goes from there to `copied`, if anywhere."""

    kind: ClassVar[str] = "neighbor_reduce"
    type: str
    identity: str
    combine: str
    reduce: str
    sides: tuple[ReduceSide, ...]
    balance: str
    hubs: bool
    target: str
    copied: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target` = `value`."""

    target: str
    value: str


@dataclass(frozen=True, slots=True)
class InitialLoop:
    """The initial values of all arrays over vertices, or over edges."""

    count: str
    id_type: str
    uses_id: bool
    values: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant of the generated text."""

    type: str
    name: str
    value: int
    comment: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel, with the lines of its body."""

    name: str
    comment: str
    parameters: str
    lines: tuple[str, ...]
