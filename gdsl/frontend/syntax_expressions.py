"""Nodes of the syntax tree that have a value."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from gdsl.frontend.syntax_symbols import Node, Symbol
from gdsl.operations import (
    ArrayReduction,
    BinaryOperation,
    Domain,
    NeighborOperation,
    Over,
    SetOperation,
    UnaryOperation,
)
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Something with a value; `type` is filled by the checker."""

    type: Type | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A literal number: an int or a float as written; once typed, an int for integers and ids, a float for floats."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Boolean(Expression):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True)
class Infinity(Expression):
    """`inf`: of an integer type its largest value."""


@dataclass(frozen=True, slots=True)
class NoneLiteral(Expression):
    """`none`: no vertex, no edge."""


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A name as a value. `now`: written `now name` (scalars only)."""

    name: str
    now: bool = field(default=False, kw_only=True)
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """`array[index]`, or `array[index][place]` of an array of several values an element. `now`: written
    `now array[index]`."""

    array: str
    array_span: Span
    index: Expression
    now: bool = field(default=False, kw_only=True)
    symbol: Symbol | None = field(default=None, kw_only=True)
    checked: bool = field(default=False, kw_only=True)
    place: Expression | None = field(default=None, kw_only=True)

    @property
    def name(self) -> str:
        """The name of the array."""
        return self.array


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """An operator before its operand."""

    operation: UnaryOperation
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """An operator between its operands; in the typed tree both have one type, but for the count of a shift.

    `wraps`: it is inside `wrap(…)`.
    """

    operation: BinaryOperation
    left: Expression
    right: Expression
    wraps: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Link(Node):
    """One operator of a `Chain` with the operand after it; `span` is that of the chain up to here."""

    operation: BinaryOperation
    operand: Expression


@dataclass(frozen=True, slots=True)
class Chain(Expression):
    """A long run of operators of one level, applied from left to right: nested `Binary`s, but flat, so that nothing
    that walks over the tree has to go as deep as the program is long. In the typed tree all operands and all results
    have the chain's type, but for the counts of shifts. `wraps` as in `Binary`."""

    first: Expression
    links: tuple[Link, ...]
    wraps: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """`condition ? yes : no`."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Pair(Expression):
    """`(first, second)`."""

    first: Expression
    second: Expression


@dataclass(frozen=True, slots=True)
class PairPart(Expression):
    """`pair.0`, `pair.1`; `place` is the number after the point, which the checker validates."""

    pair: Expression
    place: int


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """One argument of a call; `keyword` for `over=in_edges`."""

    value: Expression
    keyword: str | None = None


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`function(arguments) @label`; only operators have labels."""

    function: str
    function_span: Span
    arguments: tuple[Argument, ...]
    label: str | None = None
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A change of type, built by the checker from a cast or a widening."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Values(Expression):
    """`v => a[v] > 2`, `(src, dst, e) => w[e]` where a reduction takes an array: a value for each element of `domain`;
    built by the checker. `parameters` are the names of the element, or of the ends of an edge and the edge."""

    parameters: tuple[str, ...]
    value: Expression
    domain: Domain


@dataclass(frozen=True, slots=True)
class Reduced(Expression):
    """`sum(a)`, `max(a, f)`, `count(v => a[v] > 2)`: the reduction over an array, or over the values that a functor
    without a name gives, of the elements in the set `members`, a frontier or everything; built by the checker."""

    operation: ArrayReduction
    array: Name | Values
    members: Name | None
    saturates: bool = False
    """Whether it is a sum that stops at the ends of its type."""


@dataclass(frozen=True, slots=True)
class SetLiteral(Expression):
    """`{ a, b }` in the schedule."""

    members: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class SetChain(Expression):
    """Sets combined from left to right, `f | g - …`; built by the checker from `Binary`s and `Chain`s.

    `first` and the operands of `links` are what the input of an `OperatorCall` may be, all of them sets of `domain`.
    """

    first: Expression
    links: tuple[SetLink, ...]
    domain: Domain = Domain.VERTEX


@dataclass(frozen=True, slots=True)
class SetLink(Node):
    """One operation of a `SetChain`; its span extends from the chain's start to the operand's end."""

    operation: SetOperation
    operand: Expression


class OperatorKind(Enum):
    """The bulk operators of the schedule."""

    ADVANCE = "advance"
    FILTER = "filter"
    WHERE = "where"
    COMPUTE = "compute"
    NEIGHBOR_REDUCE = "neighbor_reduce"
    NEIGHBOR_VOTE = "neighbor_vote"
    INTERSECT = "intersect"
    TOP = "top"


@dataclass(frozen=True, slots=True)
class OperatorCall(Expression):
    """A call of an operator; built by the checker.

    `input` is a `Name` (of a frontier, `vertices` or `edges`), a `SetLiteral`, a `SetChain` or another `OperatorCall`;
    None for `where`. `over` counts for ADVANCE, NEIGHBOR_REDUCE and NEIGHBOR_VOTE. `runs_on` says what `input` is a
    set of, `gives` what the result is: None for `to=none`, COMPUTE and what gives an array its values. `functor` may be
    None for INTERSECT; that puts its total into the scalar `count`, to which it `adds` in `s += intersect(…)`. `score`
    is the vote functor of NEIGHBOR_VOTE, `keep` its array of the keys that win a tie. NEIGHBOR_REDUCE combines by
    `operation` or by an operator of the program, `own_operation`; over edges it gives values to their far ends, or (not
    `by_far_ends`) to their near ends; a vertex without a value receives `empty` where that is given.
    """

    kind: OperatorKind
    input: Expression | None
    functor: Name | None
    over: Over = Over.OUT_EDGES
    runs_on: Domain = Domain.VERTEX
    gives: Domain | None = None
    operation: NeighborOperation | None = None
    label: str | None = None
    count: Name | None = None
    limit: Expression | None = None
    """The k of TOP."""
    adds: bool = False
    score: Name | None = None
    keep: Name | None = None
    own_operation: Name | None = None
    by_far_ends: bool = True
    empty: Expression | None = None
    other: Expression | None = None
    """The second set of INTERSECT over pairs, whose first one is `input`."""

    @property
    def name(self) -> str:
        """The name of a call without a label: its functor's, else the operator's."""
        return self.functor.name if self.functor is not None else self.kind.value

    @property
    def tuned_as(self) -> str:
        """The operator whose knobs it has: over a set of edges no lists are shared out."""
        over_edges = self.kind is OperatorKind.NEIGHBOR_REDUCE and self.runs_on is Domain.EDGE
        return (OperatorKind.COMPUTE if over_edges else self.kind).value


@dataclass(frozen=True, slots=True)
class Unknown(Expression):
    """A placeholder: an expression with a reported mistake, or one that was typed before."""


@dataclass(frozen=True, slots=True)
class Numbering(Expression):
    """`number(f)` as the value of an array; built by the checker. `input` is a set of
    `domain` in the forms that the input of an `OperatorCall` has."""

    input: Expression
    domain: Domain = Domain.VERTEX


@dataclass(frozen=True, slots=True)
class Method(Expression):
    """`owner.name(arguments)`; `symbol` is what `owner` names. In the typed schedule `h.push(f)` as a statement, whose
    one argument is a set."""

    owner: Expression
    name: str
    name_span: Span
    arguments: tuple[Argument, ...]
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """`owner.name`: in the typed schedule `b.level`, and `symbol` are those buckets."""

    owner: Expression
    name: str
    symbol: Symbol | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Popped(Expression):
    """`b.pop()` as a set of vertices; built by the checker. They are taken out of `buckets`."""

    buckets: Symbol
