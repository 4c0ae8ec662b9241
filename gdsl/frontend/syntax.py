"""The syntax tree, and the typed tree built from it by the checker: the same classes with more slots filled.

The parser fills everything but the slots listed here. The checker builds new nodes in which

- every `Expression.type` is set (None remains only on `Call`s of operators without a value, on set
  literals, operators, chains of sets, and names of frontiers, functors and option words);
- every `Name.symbol`, `Index.symbol`, `Call.symbol` and the `symbol` of declarations, functors, functions, `Let`, `For`
  and `FrontierDeclaration` is set; the same declaration gives the same `Symbol` everywhere, compare them with `==`;
- `Index.checked` says whether the index was computed and must be tested while the program runs;
- conversions are explicit: an implied widening or a cast (a `Call` named like a type) has become a `Convert`, so both
  operands of a `Binary` and both sides of an assignment have one type; a literal has the type of its place;
- an `Update` of a `var` has become an `Assign`, a `ShortAssign` too; the others write elements and
  scalars, and have no effect in their values: a `Let` before them has;
- calls of operators in the schedule (`advance`, `filter`, `where`, `compute`, `neighbor_reduce`, `neighbor_vote`,
  `intersect`) have become `OperatorCall`s; `size`, `swap` and `fill` stay `Call`s whose symbol is a built-in;
- functors without a name (`Nameless`) have become `Functor`s of the program;
- calls of procedures have become the procedures' statements, each with its `Span.calls`;
- reductions over arrays in the schedule (`sum(a)`) have become `Reduced`s;
- `|`, `&` and `-` between sets have become `SetChain`s;

A program with mistakes never leaves the checker, so later stages may rely on this. Spans of statements and
of calls are unique within a program and identify them.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import Any, TypeVar, cast

from gdsl.operations import (
    ArrayReduction,
    BinaryOperation,
    Domain,
    NeighborOperation,
    Outcome,
    Over,
    ReduceOperation,
    SetOperation,
    UnaryOperation,
)
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Node:
    """What every node has: its place in the text."""

    span: Span


class SymbolKind(Enum):
    """What a name refers to."""

    PARAM = "param"
    ARRAY = "array"
    SCALAR = "scalar"
    FUNCTOR = "functor"
    FUNCTION = "function"
    PROCEDURE = "procedure"
    TYPE = "type"
    FRONTIER = "frontier"
    GRAPH = "graph"
    HISTORY = "history"
    BUCKETS = "set of buckets"
    LOCAL = "local"
    """A `let` or `var`."""
    LOOP_VARIABLE = "loop variable"
    LIST_VARIABLE = "loop variable over a list"
    """The neighbor, or the edge to it, at which a loop over a list of edges is."""
    FUNCTION_PARAMETER = "function parameter"
    VERTEX = "vertex of the functor"
    SOURCE = "source of the edge"
    DESTINATION = "destination of the edge"
    EDGE = "edge of the functor"
    COMMON = "common neighbor"
    SOURCE_EDGE = "edge from the source"
    DESTINATION_EDGE = "edge from the destination"
    NEAR = "near"
    FAR = "far"
    BUILTIN = "built-in"
    """`iteration`, `place`, `id`, `num_vertices`, `num_edges`, `vertices`, `edges`, and functions like `min`."""
    MISTAKEN = "name whose declaration has a mistake"
    """Its uses are not reported again."""

    @property
    def with_article(self) -> str:
        """The word in a sentence."""
        return f"an {self.value}" if self.value[0] in "aeiou" else f"a {self.value}"


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declaration as its uses see it.

    `span` is where the name is declared (`NOWHERE` for what the language provides). `unique` is the name, with a number
    after it where a functor or the schedule declares the same name in several blocks. `mutable` is true of `var`s,
    of scalars and of arrays. `domain` is set for arrays and frontiers, `count` for arrays of several values an element
    (how many, as it was written). `automatic` are buckets whose width finds itself: they have no levels to ask for.

    `graph` is set for frontiers and graphs: what their elements are elements of, as `check/graphs.py` explains.
    """

    kind: SymbolKind
    name: str
    span: Span
    type: Type | None = None
    domain: Domain | None = None
    is_input: bool = False
    mutable: bool = False
    unique: str = ""
    graph: str = ""
    count: Node | None = None
    automatic: bool = False


_SLOTS: dict[type[Node], tuple[str, ...]] = {}


def _slots(kind: type[Node]) -> tuple[str, ...]:
    """The slots of a kind of node that may hold nodes."""
    if kind not in _SLOTS:
        names = (slot.name for slot in dataclasses.fields(kind))
        _SLOTS[kind] = tuple(name for name in names if name not in ("span", "name", "name_span"))
    return _SLOTS[kind]


def children(node: Node) -> Iterator[Node]:
    """The nodes directly inside `node`, in the order of their slots."""
    for slot in _slots(type(node)):
        value = getattr(node, slot)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Node))


def walk(node: Node) -> list[Node]:
    """`node` and every node inside it, parents first, in the order of the text."""
    walked, stack = [], [node]
    while stack:
        current = stack.pop()
        walked.append(current)
        stack.extend(reversed(tuple(children(current))))
    return walked


@dataclass(frozen=True, slots=True)
class Broken:
    """`spans` are the stretches that were skipped or guessed, ascending and disjoint; `names` those that occur in
    them and may be declared there. `parts`: whether whole parts of the program may be among it, as its schedule."""

    spans: tuple[Span, ...] = ()
    names: frozenset[str] = frozenset()
    parts: bool = False

    def touches(self, span: Span) -> bool:
        """Whether something is missing inside `span`."""
        if span.file:
            return False
        last = bisect_right(self.spans, (span.end_line, span.end_column), key=lambda s: (s.line, s.column)) - 1
        lost = self.spans[last] if last >= 0 else None
        return lost is not None and (lost.end_line, lost.end_column) >= (span.line, span.column)


# ---------------------------------------------------------------- expressions


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
class UpdateValue(Expression):
    """`changed(x op= y)` or `fetch(x op= y)`."""

    outcome: Outcome
    update: Update


@dataclass(frozen=True, slots=True)
class CompareAndSwap(Expression):
    """`cas(target, old, new)`."""

    target: Name | Index
    old: Expression
    new: Expression


@dataclass(frozen=True, slots=True)
class Reduced(Expression):
    """`sum(a)`, `max(a, f)`: the reduction over the elements of `array`, or over those in the set `members`, a frontier
    or everything; built by the checker."""

    operation: ArrayReduction
    array: Name
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


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of a functor, a function or the schedule."""


@dataclass(frozen=True, slots=True)
class TypeName(Node):
    """A type as written; the checker looks it up. `parts` are those of a pair."""

    name: str
    parts: tuple[TypeName, ...] = ()


@dataclass(frozen=True, slots=True)
class Let(Statement):
    """`let name [: type] = value;`, or `var` (`mutable`). `type` is None until the checker has settled it."""

    name: str
    name_span: Span
    declared: TypeName | None
    value: Expression
    mutable: bool
    type: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`target = value;` or `target any= value;`.

    In the typed schedule the value may be `OperatorCall`, `SetLiteral` or `SetChain` (target a frontier), a frontier's
    `Name`, or a NEIGHBOR_REDUCE (target an array's `Name` without index).
    """

    target: Name | Index
    value: Expression
    any_winner: bool = False


@dataclass(frozen=True, slots=True)
class Update(Statement):
    """`target op= value`; a statement, or the argument of `changed` and `fetch`."""

    target: Name | Index
    operation: ReduceOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class ShortAssign(Statement):
    """`target op= value` with an operation that is not a reduction: `/ // % << >>`."""

    target: Name | Index
    operation: BinaryOperation
    value: Expression


@dataclass(frozen=True, slots=True)
class ExpressionStatement(Statement):
    """An expression as a statement: `cas(…)`, `changed(…)`, `fetch(…)`; in the schedule operators, `swap`, `fill`.

    Of the typed schedule also `s = intersect(…);` and `s += intersect(…);`, whose call has the scalar as its `count`.
    """

    value: Expression


@dataclass(frozen=True, slots=True)
class Accept(Statement):
    """`accept value;`."""

    value: Expression


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`if (condition) { … } else { … }`."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """`for name in first..last { … }`; `type` is that of the loop variable, filled by the checker."""

    name: str
    name_span: Span
    first: Expression
    last: Expression
    body: tuple[Statement, ...]
    type: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class LoopName(Node):
    """A variable of a `ForIn`, as written."""

    name: str


@dataclass(frozen=True, slots=True)
class ForIn(Statement):
    """`for name in value { … }`, `for name, other in value { … }`; `symbols` are those of the names, filled by the
    checker."""

    names: tuple[LoopName, ...]
    value: Expression
    body: tuple[Statement, ...]
    symbols: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class While(Statement):
    """`while (condition) { … }`."""

    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Statement):
    """`repeat (count) { … }`; schedule only."""

    count: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """`break;`."""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """`return value;`; functions only."""

    value: Expression


@dataclass(frozen=True, slots=True)
class FrontierDeclaration(Statement):
    """`frontier name = value;`, `edge frontier name = value;`; without a value the empty set. Schedule only."""

    name: str
    name_span: Span
    value: Expression | None
    symbol: Symbol | None = None
    domain: Domain = Domain.VERTEX


# ---------------------------------------------------------------- graphs built by the schedule


@dataclass(frozen=True, slots=True)
class GraphDeclaration(Statement):
    """`graph name = value;`; without a value the graph around. Of the typed schedule `Subgraph`, `Contract` or
    `SameGraph` states what it becomes."""

    name: str
    name_span: Span
    value: Expression | None


@dataclass(frozen=True, slots=True)
class SameGraph(Statement):
    """`symbol` becomes the graph around, in the typed schedule."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class Subgraph(Statement):
    """`symbol` becomes the graph of `edges` alone, a set; in the typed schedule."""

    symbol: Symbol
    edges: Expression


@dataclass(frozen=True, slots=True)
class Contract(Statement):
    """`symbol` becomes the graph in which vertices of one label are one; in the typed schedule."""

    symbol: Symbol
    label: Name
    weight: Name | None
    operation: NeighborOperation = NeighborOperation.SUM


@dataclass(frozen=True, slots=True)
class On(Statement):
    """`on name { … }`; schedule only."""

    name: str
    name_span: Span
    body: tuple[Statement, ...]
    symbol: Symbol | None = None


# ---------------------------------------------------------------- histories and buckets


@dataclass(frozen=True, slots=True)
class HistoryDeclaration(Statement):
    """`history name;`. Schedule only."""

    name: str
    name_span: Span
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class BucketsDeclaration(Statement):
    """`buckets name(arguments) = value;`. Schedule only. In the typed schedule `array` and `width` instead of
    `arguments`, the width of the array's type; None where it is `auto`."""

    name: str
    name_span: Span
    arguments: tuple[Argument, ...]
    value: Expression | None
    symbol: Symbol | None = None
    array: Name | None = None
    width: Expression | None = None


@dataclass(frozen=True, slots=True)
class LevelLoop(Statement):
    """`for name in backward(h) { … }`; built by the checker from a `ForIn`. `over` loops over the levels of
    `history`, `symbol` the frontier `name`."""

    name: str
    name_span: Span
    over: Expression
    body: tuple[Statement, ...]
    symbol: Symbol
    history: Symbol
    backward: bool


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


# ---------------------------------------------------------------- procedures and imports


@dataclass(frozen=True, slots=True)
class ProcedureParameter(Node):
    """A procedure's parameter: a value (`domain` None), an array over `domain`, or with `declared` None a frontier."""

    name: str
    declared: TypeName | None
    domain: Domain | None


@dataclass(frozen=True, slots=True)
class Procedure(Node):
    """Statements of a schedule under a name."""

    name: str
    name_span: Span
    parameters: tuple[ProcedureParameter, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ImportedName(Node):
    """One name of an `import`."""

    name: str


@dataclass(frozen=True, slots=True)
class Import(Node):
    """`import names from "path";`."""

    names: tuple[ImportedName, ...]
    path: str
    path_span: Span


# ---------------------------------------------------------------- declarations


class DeclarationKind(Enum):
    """The kinds of problem data."""

    PARAM = "param"
    VERTEX_ARRAY = "vertex"
    EDGE_ARRAY = "edge"
    SCALAR = "scalar"


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """One line of `problem { … }`. `initial` is the default of a param, else the initial value."""

    kind: DeclarationKind
    name: str
    name_span: Span
    declared: TypeName
    initial: Expression | None
    where: Expression | None
    is_input: bool
    is_local: bool
    count: Expression | None = None
    """How many values an element has; None: one, without an index."""
    type: Type | None = None
    symbol: Symbol | None = None
    is_set: bool = False
    """Of the typed tree: an input of flags that is a `vertex set` of the caller's."""
    least: int = 0
    """Of a set: the fewest members it may have."""


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Node):
    """`type name : class = default;`, a type parameter, or `type name = target;`, another name for a type,
    which `widened` turns into the type of a sum of its values."""

    name: str
    name_span: Span
    target: TypeName
    """The default of a type parameter, else what the name means."""
    class_name: str | None = None
    class_span: Span | None = None
    widened: bool = False
    type: Type | None = None
    """Of the typed tree: what the name means in this instance of the program."""

    @property
    def is_parameter(self) -> bool:
        """Whether the type is the caller's."""
        return self.class_name is not None


@dataclass(frozen=True, slots=True)
class ParameterName(Node):
    """A functor's parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionParameter(Node):
    """A function's parameter."""

    name: str
    declared: TypeName
    type: Type | None = None
    symbol: Symbol | None = None


class FunctorForm(Enum):
    """The forms of functors: what each is called, and how it is written."""

    VERTEX = ("a vertex functor", "vertex functor f(v) { … }")
    EDGE = ("an edge functor", "edge functor f(src, dst, e) { … }")
    VALUE = ("an edge functor with a `value`", "edge functor f(src, dst, e) -> T { value …; }")
    BALLOT = ("an edge functor with a key and a weight", "edge functor f(src, dst, e) -> (K, W) { value (…, …); }")
    COMMON = ("a common functor", "common functor f(u, w, x) { … }")
    VOTE = ("a vote functor", "vote functor f(v, key, total) -> T { value …; }")

    @property
    def words(self) -> str:
        """What it is called."""
        return self.value[0]

    @property
    def text(self) -> str:
        """How it is written."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Functor(Node):
    """A functor of any form. The parameters are a vertex; source, destination, edge; of COMMON both ends and the common
    neighbor, and where there are six the edge and those from both ends; of VOTE a vertex, a key and its total.

    `condition` None: true. `body` holds the statements of `apply`. `value` and `result` belong to functors that have no
    `apply`. No functor has the form BALLOT: one of VALUE with a pair may be it.
    """

    name: str
    name_span: Span
    form: FunctorForm
    parameters: tuple[ParameterName, ...]
    condition: Expression | None
    body: tuple[Statement, ...]
    value: Expression | None = None
    declared_result: TypeName | None = None
    result: Type | None = None
    symbol: Symbol | None = None
    symbols: tuple[Symbol, ...] = ()
    """Those of the parameters, filled by the checker."""
    nameless: bool = False
    """Whether the checker built it from a `Nameless`: only the compiler uses its name."""

    @property
    def domain(self) -> Domain:
        """What it runs on."""
        return Domain.VERTEX if self.form in (FunctorForm.VERTEX, FunctorForm.VOTE) else Domain.EDGE

    @property
    def is_ballot(self) -> bool:
        """Whether it gives pairs, as ballots do; a result that is not a type was reported at its declaration."""
        declared = self.declared_result
        return self.result is not None and self.result.is_pair if declared is None else bool(declared.parts)


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A pure function; with an `identity`, the value that changes nothing, an operator for reductions too."""

    name: str
    name_span: Span
    parameters: tuple[FunctionParameter, ...]
    declared_result: TypeName
    body: tuple[Statement, ...]
    identity: Expression | None = None
    result: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class Requirement(Node):
    """One word of `requires …;`."""

    name: str


@dataclass(frozen=True, slots=True)
class KnobArgument(Node):
    """`alpha=15` in `auto(alpha=15)`."""

    name: str
    value: int | float | str


@dataclass(frozen=True, slots=True)
class TuneEntry(Node):
    """`subject.knob = value;`. `subject` None: a knob of the whole program such as `bounds`."""

    subject: str | None
    knob: str
    value: int | float | str
    arguments: tuple[KnobArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Program(Node):
    """A whole program. The typed tree has no procedures and no imports: they are expanded."""

    doc: str
    name: str
    requires: tuple[Requirement, ...]
    declarations: tuple[Declaration, ...]
    functors: tuple[Functor, ...]
    functions: tuple[Function, ...]
    schedule: tuple[Statement, ...]
    tune: tuple[TuneEntry, ...]
    procedures: tuple[Procedure, ...] = ()
    imports: tuple[Import, ...] = ()
    types: tuple[TypeDeclaration, ...] = ()


# ---------------------------------------------------------------- functors without a name


@dataclass(frozen=True, slots=True)
class Nameless(Expression):
    """`v => …` and `(src, dst, e) => …`, where an operator takes a functor; the checker turns it into a `Functor`.

    Of `whole`, a single expression, the operator says whether it is the condition or the value. It has no parameters
    where these, or it, were no such thing.
    """

    parameters: tuple[ParameterName, ...]
    whole: Expression | None
    condition: Expression | None = None
    body: tuple[Statement, ...] = ()
    value: Expression | None = None

    @property
    def domain(self) -> Domain | None:
        """What it runs on, by the number of its parameters; None where no functor has so many."""
        return {1: Domain.VERTEX, 3: Domain.EDGE}.get(len(self.parameters))


# ---------------------------------------------------------------- names and copies


_DECLARING = (
    Let,
    For,
    LoopName,
    FrontierDeclaration,
    HistoryDeclaration,
    BucketsDeclaration,
    ParameterName,
    FunctionParameter,
    ProcedureParameter,
)


def names_declared_in(node: Node) -> set[str]:
    """All names that parameters, locals and frontiers inside `node` have."""
    return {part.name for part in walk(node) if isinstance(part, _DECLARING)}


def all_names(program: Program) -> set[str]:
    """Every name in a program, whatever it means there, but those of labels."""
    nodes, slots = list(walk(program)), ("name", "array", "function")
    return {program.name}.union(*({getattr(node, slot, "") for node in nodes} for slot in slots))


AnyNode = TypeVar("AnyNode", bound=Node)


def map_slots(node: AnyNode, change: Callable[[Any], Any]) -> AnyNode:
    """`node` with `change` applied to the value of every slot, item by item to tuples; `node` itself where nothing
    changes."""
    changes: dict[str, Any] = {}
    for slot in dataclasses.fields(node):
        before = getattr(node, slot.name)
        if isinstance(before, tuple):
            after: Any = tuple(map(change, before))
            same = all(new is old for new, old in zip(after, before, strict=True))
        else:
            after = change(before)
            same = after is before
        if not same:
            changes[slot.name] = after
    return dataclasses.replace(node, **changes) if changes else node


def with_spans(node: AnyNode, place: Callable[[Span], Span]) -> AnyNode:
    """A tree as the parser built it, with every span replaced by `place` of it."""

    def change(value: Any) -> Any:
        if isinstance(value, Span):
            return place(value)
        return map_slots(value, change) if isinstance(value, Node) else value

    return map_slots(node, change)


def with_names(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    """A definition as the parser built it, with other names for it and for what it calls."""

    def change(value: Any) -> Any:
        if not isinstance(value, Node):
            return value
        copy = map_slots(value, change)
        if isinstance(copy, Name | Function | Functor | Procedure):
            return dataclasses.replace(copy, name=names.get(copy.name, copy.name))
        if isinstance(copy, Call):
            return dataclasses.replace(copy, function=names.get(copy.function, copy.function))
        return copy

    return cast(AnyNode, change(node))


def substitute(node: AnyNode, old: Node, new: Node) -> AnyNode:
    """`node` with `new` in the place of `old`."""

    def change(value: Any) -> Any:
        if value is old:
            return new
        return map_slots(value, change) if isinstance(value, Node) else value

    return cast(AnyNode, change(node))
