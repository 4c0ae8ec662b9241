"""The expressions of the IR."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from gdsl.operations import BinaryOperation, Builtin, Degree, Domain, GraphQuery, Outcome, UnaryOperation
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type

if TYPE_CHECKING:
    from gdsl.ir.statements import Target, Update


@dataclass(frozen=True, slots=True)
class Node:
    """What every part of a program has: the place in the text it came from."""

    span: Span


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Something with a value of one type."""

    type: Type


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A constant. Integers are in the range of `type`; `inf` of an integer type is that type's largest value."""

    value: bool | int | float


@dataclass(frozen=True, slots=True)
class NoneId(Expression):
    """`none`: no vertex, no edge; orders after every id."""


class Role(Enum):
    """What a functor's own parameter stands for."""

    VERTEX = "vertex"
    """The element of a vertex functor."""
    SOURCE = "source"
    DESTINATION = "destination"
    EDGE = "edge"
    NEAR = "near"
    """The end of the edge that lies in the frontier (`compute(edges, …)`: the source)."""
    FAR = "far"
    """The other end (`compute(edges, …)`: the destination)."""
    COMMON = "common"
    """The common neighbour of both ends of an edge."""
    SOURCE_EDGE = "source_edge"
    """The first edge from the source to the common neighbour."""
    DESTINATION_EDGE = "destination_edge"
    """The first edge from the destination to it."""

    @property
    def is_edge(self) -> bool:
        """Whether it is the id of an edge, not of a vertex."""
        return self in (Role.EDGE, Role.SOURCE_EDGE, Role.DESTINATION_EDGE)


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """The vertex, the edge or an end of the edge that a functor was called for; `name` is what the program calls it."""

    role: Role
    name: str


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A `let`, `var`, loop variable or function parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class ListVariable(Expression):
    """The vertex or the edge at which a loop over a list is: in range by what it is."""

    name: str


@dataclass(frozen=True, slots=True)
class ParamValue(Expression):
    """A `param` of the program."""

    name: str


@dataclass(frozen=True, slots=True)
class ScalarValue(Expression):
    """The value of a `scalar`. `now`: any value from before the operator or written during it."""

    name: str
    now: bool = False


@dataclass(frozen=True, slots=True)
class Element(Expression):
    """`array[index]`. `checked`: the index was computed and must be tested against the array's length."""

    array: str
    domain: Domain
    index: Expression
    checked: bool
    now: bool = False


@dataclass(frozen=True, slots=True)
class OwnId(Expression):
    """`id` in an array's initial value: the element's own vertex or edge id."""


@dataclass(frozen=True, slots=True)
class OwnPart(Expression):
    """`part` in an initial value: which of the values of its element is made (int32)."""


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """The index of the value number `place` of `element` in an array of `count` values an element, which lie beside
    each other (int64). Nothing but the index of an element or a target.

    `checked` is about the element, as in `Element`, `place_checked` about the place; `count` is a literal or a param.
    """

    element: Expression
    checked: bool
    place: Expression
    place_checked: bool
    count: Expression


def element_index(index: Expression) -> Expression:
    """The vertex or edge that an index speaks of."""
    return index.element if isinstance(index, Slot) else index


@dataclass(frozen=True, slots=True)
class Iteration(Expression):
    """Finished passes of the innermost loop around the call site (int32), 0 outside loops."""


@dataclass(frozen=True, slots=True)
class Count(Expression):
    """`num_vertices` or `num_edges` (int64)."""

    domain: Domain


@dataclass(frozen=True, slots=True)
class DegreeOf(Expression):
    """`out_degree(v)` or `in_degree(v)` (int32). `checked` as in `Element`."""

    degree: Degree
    vertex: Expression
    checked: bool


@dataclass(frozen=True, slots=True)
class GraphRead(Expression):
    """What the graph says of an edge or a vertex, the first of `arguments`; `checked` (as in `Element`) is about that.
    The second is a place in the vertex's list, which is always checked, or another vertex."""

    query: GraphQuery
    arguments: tuple[Expression, ...]
    checked: bool


@dataclass(frozen=True, slots=True)
class Place(Expression):
    """`place`: how many edges come before this one in its source's list (int32)."""


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """An operation on one operand of the same type."""

    operation: UnaryOperation
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """An operation on two operands of one type; comparisons and logic give bool."""

    operation: BinaryOperation
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Link(Node):
    """One operator of a `Chain` with the operand behind it."""

    operation: BinaryOperation
    operand: Expression


@dataclass(frozen=True, slots=True)
class Chain(Expression):
    """A long run of operators, applied from left to right to `first`: what nested `Binary`s would say, but flat, so
    that walks do not go as deep as a program is long. All operands and all results have the chain's type, but for the
    counts of shifts, which may be of any integer type."""

    first: Expression
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`condition ? yes : no`, of which only one side is evaluated."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A change of type, written or implied. `none` becomes -1 (the largest value where unsigned), a float that does
    not fit the nearest integer that does (NaN: 0), an integer that is no id of the graph `none`, a bool 0 or
    1; to bool: `!= 0`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a function that the language provides; `signatures` has the types of its arguments."""

    function: Builtin
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of one of the program's own functions."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MakePair(Expression):
    """`(first, second)`: the pair of two values of the types that the parts of `type` have."""

    first: Expression
    second: Expression


@dataclass(frozen=True, slots=True)
class PairPart(Expression):
    """`pair.0` or `pair.1`, as `place` says."""

    pair: Expression
    place: int


@dataclass(frozen=True, slots=True)
class FrontierSize(Expression):
    """`size(f)` (int64); schedule only."""

    frontier: str


@dataclass(frozen=True, slots=True)
class FrontierNotEmpty(Expression):
    """A frontier used as a condition; schedule only."""

    frontier: str


# Expressions with an effect. The checker lets them stand only where the order of effects is plain: as the whole value
# of a `let`, `var`, assignment, expression statement, `accept` or condition, or as an operand of `&& || !` there.


@dataclass(frozen=True, slots=True)
class UpdateValue(Expression):
    """`changed(x op= y)` (bool) or `fetch(x op= y)` (the former value)."""

    outcome: Outcome
    update: Update


@dataclass(frozen=True, slots=True)
class CompareAndSwap(Expression):
    """`cas(x, old, new)`: true for the single call that changed `target` from `old` to `new`."""

    target: Target
    old: Expression
    new: Expression
