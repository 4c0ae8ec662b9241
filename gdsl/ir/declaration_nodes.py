"""Nodes of the IR for what a program declares: params, arrays, scalars, functions, functors and frontiers."""

from __future__ import annotations

from gdsl.extents import Extent
from gdsl.ir.expression_nodes import Expression, Node
from gdsl.ir.statement_nodes import Statement
from gdsl.operations import Domain, Grade
from gdsl.records import dataclass
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Param(Node):
    """A scalar from the caller, which may be left out where there is a `default`. `where` holds of its value."""

    name: str
    type: Type
    default: Expression | None
    is_count: bool = False
    """Whether the compiler added it: how many values an element of an array has, which `default` computes, possibly
    from other params. The caller does not pass it."""
    where: Expression | None = None


@dataclass(frozen=True, slots=True)
class Doubt(Node):
    """Why a result is not exact: what the statement at `span` leaves to the order, in words."""

    reason: str


@dataclass(frozen=True, slots=True)
class Array(Node):
    """Values over vertices or edges, `extent` in total. An input is from the graph or the caller, and read-only if no
    statement writes it.

    Only inputs have no `initial`. `where` holds of every element of an input, which reads as `Element` of this array at
    `OwnId`.
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
    """How the values may differ from run to run, as `gdsl.uniqueness` finds."""
    doubt: Doubt | None = None
    count: Expression | None = None
    """How many values an element has, a literal or a param; None: one, without a place of its own. `initial` may use
    `OwnPart` then."""
    is_set: bool = False
    """Whether the caller passes it as a set of vertices: a param, which the host turns into an input of flags. `where`
    holds of each member then, which reads as `OwnId`."""
    least: int = 0
    """The minimum size of a set."""
    values: tuple[int, int] | None = None
    """The bounds of all values that it ever has, where these are proved to fit 16 bits (`gdsl.uniqueness.data`)."""

    @property
    def unique(self) -> bool:
        """Whether every run gives the same values, up to the rounding of float sums."""
        return self.grade is not Grade.NOT_UNIQUE


@dataclass(frozen=True, slots=True)
class Scalar(Node):
    """One value on the device; the fields are those of `Array`."""

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
    """The program's names for the common neighbor and the edges that lead to it from both ends. `has_edges`: it also
    names these edges and the edge itself."""

    vertex: str
    source_edge: str
    destination_edge: str
    has_edges: bool


@dataclass(frozen=True, slots=True)
class EdgeFunctor(Node):
    """Runs on edges. A functor with a `value` is for `neighbor_reduce` and writes nothing. With a `key` as well, it is
    for `neighbor_vote`, and the value is the weight. A functor with `common` is for `intersect`: it runs on an edge and
    each common neighbor of its ends."""

    name: str
    source: str
    destination: str
    edge: str
    condition: tuple[Expression, ...]
    body: tuple[Statement, ...]
    value: Expression | None
    key: Expression | None = None
    common: CommonNames | None = None


Functor = VertexFunctor | EdgeFunctor
"""What operators run."""


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
class Requirements(Node):
    """`requires symmetric, simple;`: what the graph must be."""

    symmetric: bool
    simple: bool


@dataclass(frozen=True, slots=True)
class TypeParameter(Node):
    """A type that the caller chooses. The program is one instance of its text, in which `type`, or a type derived from
    it, has replaced the parameter.

    `class_name` is the key of `gdsl.types.TYPE_CLASSES`. `users` are the params and the data of this type; the params
    and inputs among them determine it in a call.
    """

    name: str
    class_name: str
    default: Type
    type: Type
    users: tuple[str, ...]
