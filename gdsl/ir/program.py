"""The declarations and the schedule of the IR, and the whole program."""

from __future__ import annotations

from gdsl.extents import Extent
from gdsl.ir.expressions import Expression, Node, Role
from gdsl.ir.graphs import Graph
from gdsl.ir.operators import Elements, Step
from gdsl.ir.statements import ElementTarget, Statement
from gdsl.ir.tuning import Tuning
from gdsl.operations import Domain, Grade, SetOperation
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A scalar from the caller; `default` None: it must be given. `where` holds of its value."""

    name: str
    type: Type
    default: Expression | None
    is_count: bool = False
    """Whether the compiler made it: how many values an element of an array has, as `default` says, which may speak of
    other params. Nobody gives it."""
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Doubt(Node):
    """Why a result is not unique: what the statement at `span` leaves to the order, in words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Array(Node):
    """Values over vertices or edges, `extent` in all. `input`: from the graph or the caller, read-only if no statement
    writes it.

    `initial` is None for inputs only. `where` holds of every element of an input (the element reads as `Element` of
    this array at `OwnId`).
    """

    name: str
    domain: Domain
    extent: Extent
    type: Type
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    grade: Grade = Grade.EXACT
    """What the values may differ in from run to run; found by `gdsl.uniqueness`."""
    doubt: Doubt | None = None
    count: Expression | None = None
    """How many values an element has, a literal or a param; None: one, without a place of its own. `initial` may use
    `OwnPart` then."""
    is_set: bool = False
    """Whether the caller gives it as a set of vertices: a param, of which the host makes an input of flags. `where`
    holds of each member then, which reads as `OwnId`."""
    least: int = 0
    """Of a set: the fewest members it may have."""

    @property
    def unique(self) -> bool:
        """Whether every run gives the same values, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """One value on the device."""

    name: str
    type: Type
    initial: Expression | None
    is_input: bool
    is_local: bool
    where: Expression | None
    grade: Grade = Grade.EXACT
    doubt: Doubt | None = None

    @property
    def unique(self) -> bool:
        """Whether every run gives the same value, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A pure function; `parameters` are (name, type)."""

    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class VertexFunctor(Node):
    """Runs on vertices. `condition` is a list of conjuncts, all of which must hold for `body` to run."""

    name: str
    vertex: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class CommonNames(Node):
    """What the program calls the common neighbour, and the edges that lead to it from both ends; `has_edges`: it speaks
    of these and of the edge itself."""

    vertex: str
    source_edge: str
    destination_edge: str
    has_edges: bool


@dataclass(frozen=True, slots=True)
class EdgeFunctor(Node):
    """Runs on edges. A functor with a `value` is for `neighbor_reduce` and writes nothing; with a `key` beside it, of
    which the value is the weight, it is for `neighbor_vote`. One with `common` is for `intersect`, and runs on an edge
    and each common neighbour of its ends."""

    name: str
    source: str
    destination: str
    edge: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]
    value: Expression | None
    key: Expression | None = None
    common: CommonNames | None = None


@dataclass(frozen=True, slots=True)
class VoteFunctor(Node):
    """Scores the votes for a key at a vertex, for `neighbor_vote`; `key` and `total`, the sum of their weights, are
    locals of `value`."""

    name: str
    vertex: str
    key: str
    key_type: Type
    total: str
    total_type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Frontier(Node):
    """A frontier variable: a set of vertices or of edges."""

    name: str
    domain: Domain


@dataclass(frozen=True, slots=True)
class DefineFrontier(Step):
    """`name` becomes the set of `members` (vertices or edges, duplicates allowed; all of them where `everything`)."""

    name: str
    members: tuple[Expression, ...]
    everything: bool
    domain: Domain = Domain.VERTEX


@dataclass(frozen=True, slots=True)
class CopyFrontier(Step):
    """`name = other`: by value."""

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

    The operands are two frontiers of the domain of `name`; only `first` of a difference may be everything there is.
    """

    name: str
    operation: SetOperation
    first: Elements
    second: Elements


@dataclass(frozen=True, slots=True)
class StoreElement(Step):
    """`a[x] = y` in the schedule."""

    target: ElementTarget
    value: Expression


@dataclass(frozen=True, slots=True)
class StoreScalar(Step):
    """`s = y` in the schedule; `s op= y` is lowered to this with the operation spelled out in `value`."""

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


@dataclass(frozen=True, slots=True)
class While(Step):
    """`while (condition)`; `loop` numbers the loops of the program from 0 in the order of the text."""

    loop: int
    condition: Expression
    body: tuple[Step, ...]
    monotone: bool = False
    """Whether any order of the visits ends in the same values (*Order of work* of the language); found by
    `gdsl.uniqueness.order`."""


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
class Requirements(Node):
    """`requires symmetric, simple;`: what the graph must be."""

    symmetric: bool
    simple: bool


@dataclass(frozen=True, slots=True)
class TypeParameter(Node):
    """A type that the caller chooses. The program is one instance of its text: everything else in it has `type` there,
    or a type that follows from it.

    `class_name` is the key of `gdsl.types.TYPE_CLASSES`. `users` are the params and the data of this type, of which the
    params and inputs decide it in a call.
    """

    name: str
    class_name: str
    default: Type
    type: Type
    users: tuple[str, ...]


class _WithDigest(Node):
    """Room for what stands for a whole program in keys: it takes longer to find out than a small program to read. It is
    no part of the value: neither equality nor a copy knows it."""

    __slots__ = ("digest",)
    digest: str


@dataclass(frozen=True, slots=True)
class Program(_WithDigest):
    """A whole program. Frontier variables, named and temporary, are listed in `frontiers` in order of appearance."""

    name: str
    doc: str
    source_name: str
    requires: Requirements
    params: tuple[Param, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    functions: tuple[Function, ...]
    vertex_functors: tuple[VertexFunctor, ...]
    edge_functors: tuple[EdgeFunctor, ...]
    frontiers: tuple[Frontier, ...]
    schedule: tuple[Step, ...]
    tuning: Tuning
    vote_functors: tuple[VoteFunctor, ...] = ()
    graphs: tuple[Graph, ...] = ()
    """The variables that hold graphs, in order of appearance; their names are none of a frontier."""
    any_ids: bool = False
    """Whether other ids, by falling degree and in the given order where degrees are equal, change no result but for the
    ids in it; found by `gdsl.uniqueness.layout`."""
    types: tuple[TypeParameter, ...] = ()
    """The type parameters, in the order of the text."""
