"""Nodes of the IR that have a value: expressions, and what all nodes share."""

from __future__ import annotations

from enum import Enum
from typing import TypeGuard

from gdsl.operations import BinaryOperation, Builtin, Degree, Domain, GraphQuery, UnaryOperation
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a program, with its place in the text."""

    span: Span


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Something with a value of one type."""

    type: Type


# ---------------------------------------------------------------- leaves


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A constant. Integers are in the range of `type`; `inf` of an integer type is that type's largest value."""

    value: bool | int | float


@dataclass(frozen=True, slots=True)
class NoneId(Expression):
    """`none`: no vertex, no edge; it orders after every id."""


class Role(Enum):
    """The meaning of a functor's own parameter."""

    VERTEX = "vertex"
    """The element of a vertex functor."""
    SOURCE = "source"
    DESTINATION = "destination"
    EDGE = "edge"
    NEAR = "near"
    """The end of the edge that is in the frontier (`compute(edges, …)`: the source)."""
    FAR = "far"
    """The other end (`compute(edges, …)`: the destination)."""
    COMMON = "common"
    """The common neighbor of both ends of an edge."""
    SOURCE_EDGE = "source_edge"
    """The first edge from the source to the common neighbor."""
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


def is_parameter(node: object, *roles: Role | None) -> TypeGuard[Parameter]:
    """Whether `node` is a parameter of a functor that has one of these roles."""
    return isinstance(node, Parameter) and node.role in roles


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A `let`, `var`, loop variable or function parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class ListVariable(Expression):
    """The vertex or edge of the current pass of a loop over a list, which is always in range."""

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
    """`array[index]`. `checked`: the index was computed and must be tested against the array's length. `cached`: it may
    come from the cache of a multiprocessor, no older than the last barrier."""

    array: str
    domain: Domain
    index: Expression
    checked: bool
    now: bool = False
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Slot(Expression):
    """The index (int64) of value number `place` of `element` in an array with `count` values per element, which are
    stored side by side. It occurs only as the index of an element or a target.

    `checked` is about the element, as in `Element`, `place_checked` about the place; `count` is a literal or a param.
    """

    element: Expression
    checked: bool
    place: Expression
    place_checked: bool
    count: Expression


def element_index(index: Expression) -> Expression:
    """The vertex or edge that an index refers to."""
    return index.element if isinstance(index, Slot) else index


@dataclass(frozen=True, slots=True)
class OwnId(Expression):
    """`id` in an array's initial value: the element's own vertex or edge id."""


@dataclass(frozen=True, slots=True)
class OwnPart(Expression):
    """`part` in an initial value: which of the values of its element is computed (int32)."""


@dataclass(frozen=True, slots=True)
class Iteration(Expression):
    """Finished passes of the innermost loop around the call site (int32), 0 outside loops."""


@dataclass(frozen=True, slots=True)
class Place(Expression):
    """`place`: how many edges come before this one in its source's list (int32)."""


@dataclass(frozen=True, slots=True)
class Count(Expression):
    """`num_vertices` or `num_edges` (int64)."""

    domain: Domain


@dataclass(frozen=True, slots=True)
class LargestDegree(Expression):
    """The largest degree of any vertex, in either direction (int64). Plans for a grid read it; programs cannot."""


@dataclass(frozen=True, slots=True)
class DegreeOf(Expression):
    """`out_degree(v)` or `in_degree(v)` (int32). `checked` as in `Element`."""

    degree: Degree
    vertex: Expression
    checked: bool


@dataclass(frozen=True, slots=True)
class GraphRead(Expression):
    """What the graph knows about an edge or a vertex, the first of `arguments`, to which `checked` applies (as in
    `Element`). The second is a place in the vertex's list, which is always checked, or another vertex."""

    query: GraphQuery
    arguments: tuple[Expression, ...]
    checked: bool


@dataclass(frozen=True, slots=True)
class FrontierSize(Expression):
    """`size(f)` (int64), in the schedule only."""

    frontier: str


@dataclass(frozen=True, slots=True)
class FrontierNotEmpty(Expression):
    """A frontier used as a condition, in the schedule only."""

    frontier: str


# ---------------------------------------------------------------- operations


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
class Chain(Expression):
    """A long run of operators with their right operands, applied from left to right to `first`: nested `Binary`s in a
    flat form, so that walks do not recurse as deep as a program is long. All operands and results have the chain's
    type, except for the counts of shifts, which may be of any integer type."""

    first: Expression
    links: tuple[tuple[BinaryOperation, Expression], ...]


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """`condition ? yes : no`, of which only one side is evaluated."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A change of type, written or implied. `none` becomes -1 (the largest value of an unsigned type), a float out of
    range the nearest integer in range (NaN: 0), an integer that is not an id of the graph `none`, and a bool 0 or 1.
    A conversion to bool is `!= 0`."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a function that the language provides."""

    function: Builtin
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of one of the program's own functions."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MakePair(Expression):
    """`(first, second)`: the pair of two values, whose types are the parts of `type`."""

    first: Expression
    second: Expression


@dataclass(frozen=True, slots=True)
class PairPart(Expression):
    """`pair.0` or `pair.1`, depending on `place`."""

    pair: Expression
    place: int
