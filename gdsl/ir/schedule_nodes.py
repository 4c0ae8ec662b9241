"""Nodes of the IR for the schedule: control flow, data, sets and graphs.

`vertices`, `edges`, lists, degrees and counts always refer to the current graph: that of the innermost `On`, as it was
when the `On` began, or else the graph that the program was given.
"""

from __future__ import annotations

from gdsl.ir.expression_nodes import Expression, Node, Role
from gdsl.ir.statement_nodes import ElementTarget
from gdsl.operations import Domain, NeighborOperation, SetOperation
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A statement of the schedule."""


@dataclass(frozen=True, slots=True)
class While(Step):
    """`while (condition)`; `loop` numbers the loops of the program from 0 in the order of the text."""

    loop: int
    condition: Expression
    body: tuple[Step, ...]
    monotone: bool = False
    """Whether any order of the visits ends in the same values (*Order of work* of the language), as
    `gdsl.uniqueness.order` finds."""


@dataclass(frozen=True, slots=True)
class Repeat(Step):
    """`repeat (count)`: the count is evaluated once; negative is 0."""

    loop: int
    count: Expression
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class If(Step):
    """`if … else …` in the schedule."""

    condition: Expression
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class StoreElement(Step):
    """`a[x] = y` in the schedule."""

    target: ElementTarget
    value: Expression


@dataclass(frozen=True, slots=True)
class StoreScalar(Step):
    """`s = y` in the schedule; `s op= y` is lowered to this, with the operation in `value`."""

    scalar: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Fill(Step):
    """`fill(a, x)`."""

    array: str
    domain: Domain
    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Swap(Step):
    """`swap(a, b)`: two arrays, or two scalars, of the same type and kind change places."""

    first: str
    second: str
    of_scalars: bool


# ---------------------------------------------------------------- frontiers


@dataclass(frozen=True, slots=True)
class Elements(Node):
    """What an operator runs on: a frontier variable, which keeps its value, or (None) everything of the domain."""

    domain: Domain
    frontier: str | None

    @property
    def everything(self) -> bool:
        """Whether these are all vertices, or all edges."""
        return self.frontier is None

    @property
    def words(self) -> str:
        """The name of the frontier, or `vertices` or `edges`."""
        return self.domain.plural if self.frontier is None else self.frontier


@dataclass(frozen=True, slots=True)
class DefineFrontier(Step):
    """`name` becomes the set of `members` (vertices or edges, duplicates allowed; all of them where `everything`).
    `shown` is what a member that does not exist is an index of in messages, where that is not `name`: the array of
    which an element is read, empty for a set without a name in the program."""

    name: str
    members: tuple[Expression, ...]
    everything: bool
    domain: Domain = Domain.VERTEX
    shown: str | None = None

    @property
    def subject(self) -> str:
        """What a member that does not exist is an index of, in messages."""
        return self.name if self.shown is None else self.shown


@dataclass(frozen=True, slots=True)
class CopyFrontier(Step):
    """`name = other`, by value."""

    name: str
    other: str


@dataclass(frozen=True, slots=True)
class FarEnds(Step):
    """`name` becomes the set of the sources or destinations (`end`) of the edges in `other`."""

    name: str
    other: str
    end: Role


@dataclass(frozen=True, slots=True)
class CombineFrontiers(Step):
    """`name = first operation second`, by value; `name` may be that of an operand.

    The operands are two frontiers of the domain of `name`; only `first` of a difference may be all elements.
    """

    name: str
    operation: SetOperation
    first: Elements
    second: Elements


# ---------------------------------------------------------------- graphs


@dataclass(frozen=True, slots=True)
class On(Step):
    """`on graph { … }`."""

    graph: str
    body: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class SameGraph(Step):
    """`name` becomes the current graph."""

    name: str


@dataclass(frozen=True, slots=True)
class Subgraph(Step):
    """`name` becomes the current graph with only the edges in the frontier `edges`; all ids stay the same."""

    name: str
    edges: str


@dataclass(frozen=True, slots=True)
class Weights(Node):
    """The array whose values `operation` combines where edges are merged into one; it begins with the identity."""

    array: str
    type: Type
    operation: NeighborOperation


@dataclass(frozen=True, slots=True)
class Contract(Step):
    """`name` becomes the current graph with all vertices of one `label` merged into one vertex.

    The new ids are ordered by ascending label (`none` last), and `label` of each old vertex becomes its new id. Of all
    edges between two new vertices one is left, numbered by source, then by destination. Its element in `weights`
    becomes the combination of theirs; sums of integers wrap. Other elements keep their values.
    """

    name: str
    label: str
    label_type: Type
    weights: Weights | None

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that get new values."""
        return (self.label,) if self.weights is None else (self.label, self.weights.array)


GraphStep = SameGraph | Subgraph | Contract
"""The steps that assign a graph to a variable."""
