"""Compiles expressions into Python functions of a call's frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy import int32, int64

from gdsl.arithmetic.operations import SINGLE
from gdsl.backends.failures import no_such_place, no_such_value, out_of_range
from gdsl.backends.reference.values import Value, constant, convert_function, domain_of, none_id
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, Degree, Domain, GraphQuery

Frame = list[Any]
"""The own values of one call of a functor: the places below, then its locals."""

Evaluator = Callable[[Frame], Value]
"""A compiled expression: its value for one call. Expressions of the schedule do not use the frame."""

VERTEX = SOURCE = 0
PART = 1
"""Of initial values, which have frames of their own."""
DESTINATION, EDGE, NEAR, FAR, SECOND, NUMBER, ACCEPTED, RESULT, FIRST_LOCAL = 1, 2, 3, 4, 5, 6, 7, 8, 9
COMMON, SOURCE_EDGE, DESTINATION_EDGE = FAR, NEAR, SECOND
"""Of a call for a common neighbor, which has a `NUMBER` among those of its operator, too."""

_SLOT_OF_ROLE = {
    ir.Role.VERTEX: VERTEX,
    ir.Role.SOURCE: SOURCE,
    ir.Role.DESTINATION: DESTINATION,
    ir.Role.EDGE: EDGE,
    ir.Role.NEAR: NEAR,
    ir.Role.FAR: FAR,
    ir.Role.COMMON: COMMON,
    ir.Role.SOURCE_EDGE: SOURCE_EDGE,
    ir.Role.DESTINATION_EDGE: DESTINATION_EDGE,
}


class Cells:
    """The values of one array; `swap` exchanges those of two."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        """Hold `values`, anything with `values[index]` and a length."""
        self.values = values


class GraphFacts(Protocol):
    """What an expression can read of the graph."""

    def count(self, domain: Domain) -> int:
        """The number of vertices or of edges."""
        ...

    def degrees(self, degree: Degree) -> Sequence[int]:
        """The degree of every vertex, int32."""
        ...

    def ends_of(self, edge: int) -> tuple[int, int]:
        """The source and the destination of an edge."""
        ...

    def reverse(self, edge: int) -> int | None:
        """The edge paired with this one, or None."""
        ...

    def out_list(self, vertex: int) -> list[tuple[int, int]]:
        """(neighbor, edge) of every out-edge, in the order of the list."""
        ...

    def bound(self, domain: Domain) -> int:
        """Ids lie below this."""
        ...

    def place(self, source: int, edge: int) -> int:
        """How many edges come before this one in the list of its source."""
        ...


@dataclass
class Environment:
    """What expressions read; each mapping is read again at every evaluation.

    `scalars`, `params` hold values as `values.py` has them, `frontier_sizes` ints. `functions` holds the program's
    own functions as Python functions of their arguments, as one list (see `statements.compile_functions`). `poll` is
    called now and then by functions and by loops inside functors and may raise.
    """

    id_bits: int
    graph: GraphFacts
    params: Mapping[str, Value] = field(default_factory=dict)
    scalars: Mapping[str, Value] = field(default_factory=dict)
    arrays: Mapping[str, Cells] = field(default_factory=dict)
    frontier_sizes: Mapping[str, int] = field(default_factory=dict)
    functions: Mapping[str, Callable[[list[Value]], Value]] = field(default_factory=dict)
    iteration: Callable[[], int] = lambda: 0
    poll: Callable[[], None] = lambda: None
    source_name: str = ""


def compile_expression(expression: ir.Expression, environment: Environment) -> Callable[[], Value]:
    """An expression of the schedule as a function without arguments that returns its value.

    The value is as `values.py` has it: a bool, a NumPy number or an int for an id (`none` the largest of the width).
    Call it under `numpy.errstate(all="ignore")`. Raises E0801 where a checked index is out of range.
    """
    evaluate = ExpressionCompiler(environment).compile(expression)
    return lambda: evaluate([])


class ExpressionCompiler:
    """Turns expressions into functions of a frame, in one environment, for one functor (or for the schedule)."""

    def __init__(self, environment: Environment) -> None:
        """Start without locals; `slots` says where in the frame each local is kept."""
        self.environment = environment
        self.slots: dict[str, int] = {}
        self.makers: dict[type[Any], Callable[[Any], Evaluator]] = {
            ir.Literal: self.literal,
            ir.NoneId: self.none,
            ir.Parameter: self.parameter,
            ir.Local: self.local,
            ir.ListVariable: self.local,
            ir.ParamValue: self.param,
            ir.ScalarValue: self.scalar,
            ir.Element: self.element,
            ir.OwnId: lambda _: lambda frame: frame[VERTEX],
            ir.OwnPart: lambda _: lambda frame: frame[PART],
            ir.Iteration: self.iteration,
            ir.Count: self.count,
            ir.DegreeOf: self.degree,
            ir.GraphRead: self.graph_read,
            ir.Place: self.place,
            ir.Unary: self.unary,
            ir.Binary: self.binary,
            ir.Chain: self.chain,
            ir.Select: self.select,
            ir.MakePair: self.make_pair,
            ir.PairPart: self.pair_part,
            ir.Convert: self.convert,
            ir.BuiltinCall: self.builtin,
            ir.FunctionCall: self.call,
            ir.FrontierSize: self.size,
            ir.FrontierNotEmpty: self.not_empty,
        }

    def compile(self, node: ir.Expression) -> Evaluator:
        """`node` as a function of the frame."""
        return self.makers[type(node)](node)

    def slot(self, name: str) -> int:
        """The frame's place for the local `name`."""
        return self.slots.setdefault(name, FIRST_LOCAL + len(self.slots))

    def index(self, node: ir.Expression, checked: bool, name: str, length: int) -> Evaluator:
        """`node` as an index into `name`, tested against `length` where `checked`."""
        if isinstance(node, ir.Slot):
            return self.value_index(node, name, length)
        evaluate = self.compile(node) if not isinstance(node, ir.Literal) else lambda frame: int(node.value)
        if not checked:
            return evaluate
        environment = self.environment

        def test(frame: Frame) -> int:
            index: int = evaluate(frame)
            if 0 <= index < length:
                return index
            raise index_error(environment, node, name, index, length)

        return test

    def value_index(self, node: ir.Slot, name: str, length: int) -> Evaluator:
        """The index of one of several values of an element."""
        element, place = self.index(node.element, node.checked, name, length), self.compile(node.place)
        count, environment = self.compile(node.count), self.environment

        def find(frame: Frame) -> int:
            first, values, at = int(element(frame)), int(count(frame)), int(place(frame))
            if 0 <= at < values:
                return first * values + at
            raise value_error(environment, node.place, name, at, values)

        return find

    def literal(self, node: ir.Literal) -> Evaluator:
        """A constant."""
        value = constant(node.value, node.type, self.environment.id_bits)
        return lambda frame: value

    def none(self, node: ir.NoneId) -> Evaluator:
        """The id `none`."""
        value = none_id(self.environment.id_bits)
        return lambda frame: value

    def parameter(self, node: ir.Parameter) -> Evaluator:
        """What the functor was called for."""
        slot = _SLOT_OF_ROLE[node.role]
        return lambda frame: frame[slot]

    def local(self, node: ir.Local | ir.ListVariable) -> Evaluator:
        """A local of the functor or function."""
        slot = self.slot(node.name)
        return lambda frame: frame[slot]

    def param(self, node: ir.ParamValue) -> Evaluator:
        """A param of the program."""
        params, name = self.environment.params, node.name
        return lambda frame: params[name]

    def scalar(self, node: ir.ScalarValue) -> Evaluator:
        """A scalar as it is now."""
        scalars, name = self.environment.scalars, node.name
        return lambda frame: scalars[name]

    def element(self, node: ir.Element) -> Evaluator:
        """An element as it is now."""
        cells = self.environment.arrays[node.array]
        index = self.index(node.index, node.checked, node.array, self.environment.graph.bound(node.domain))
        return lambda frame: cells.values[index(frame)]

    def iteration(self, node: ir.Iteration) -> Evaluator:
        """Finished passes of the innermost loop."""
        iteration = self.environment.iteration
        return lambda frame: int32(iteration())

    def count(self, node: ir.Count) -> Evaluator:
        """The number of vertices or edges."""
        count = int64(self.environment.graph.count(node.domain))
        return lambda frame: count

    def degree(self, node: ir.DegreeOf) -> Evaluator:
        """The degree of a vertex."""
        degrees = self.environment.graph.degrees(node.degree)
        index = self.index(node.vertex, node.checked, node.degree.value, len(degrees))
        return lambda frame: degrees[index(frame)]

    def graph_read(self, node: ir.GraphRead) -> Evaluator:
        """What the graph says of an edge or a vertex."""
        read = compile_graph_read(node, self.environment)
        arguments = [self.compile(argument) for argument in node.arguments]
        return lambda frame: read([argument(frame) for argument in arguments])

    def place(self, node: ir.Place) -> Evaluator:
        """How many edges come before this one in its source's list."""
        graph = self.environment.graph
        return lambda frame: int32(graph.place(frame[SOURCE], frame[EDGE]))

    def unary(self, node: ir.Unary) -> Evaluator:
        """An operation on one operand."""
        function = SINGLE.unary(node.operation)
        operand = self.compile(node.operand)
        return lambda frame: function(operand(frame))

    def binary(self, node: ir.Binary) -> Evaluator:
        """An operation on two operands; logic leaves out the right one where the left one decides."""
        left, right = self.compile(node.left), self.compile(node.right)
        if node.operation is BinaryOperation.AND:
            return lambda frame: left(frame) and right(frame)
        if node.operation is BinaryOperation.OR:
            return lambda frame: left(frame) or right(frame)
        function = SINGLE.binary(node.operation, node.left.type, node.right.type)
        return lambda frame: function(left(frame), right(frame))

    def chain(self, node: ir.Chain) -> Evaluator:
        """Operators one after the other."""
        first, operands = self.compile(node.first), [self.compile(operand) for _, operand in node.links]
        operation = node.links[0][0]
        if operation.is_logical:
            decides = operation is BinaryOperation.OR
            every = [first, *operands]

            def decide(frame: Frame) -> Value:
                for operand in every:
                    if bool(operand(frame)) is decides:
                        return decides
                return not decides

            return decide
        functions = [SINGLE.binary(operation, node.type, operand.type) for operation, operand in node.links]
        steps = list(zip(functions, operands, strict=True))

        def evaluate(frame: Frame) -> Value:
            value = first(frame)
            for function, operand in steps:
                value = function(value, operand(frame))
            return value

        return evaluate

    def select(self, node: ir.Select) -> Evaluator:
        """One of two sides."""
        condition, yes, no = self.compile(node.condition), self.compile(node.yes), self.compile(node.no)
        return lambda frame: yes(frame) if condition(frame) else no(frame)

    def make_pair(self, node: ir.MakePair) -> Evaluator:
        """Two values."""
        first, second = self.compile(node.first), self.compile(node.second)
        return lambda frame: (first(frame), second(frame))

    def pair_part(self, node: ir.PairPart) -> Evaluator:
        """One of two values."""
        pair, place = self.compile(node.pair), node.place
        return lambda frame: pair(frame)[place]

    def convert(self, node: ir.Convert) -> Evaluator:
        """A change of type."""
        ids = self.environment.graph.bound(domain_of(node.type))
        function = convert_function(node.operand.type, node.type, self.environment.id_bits, ids)
        operand = self.compile(node.operand)
        return lambda frame: function(operand(frame))

    def builtin(self, node: ir.BuiltinCall) -> Evaluator:
        """A function of the language."""
        function = SINGLE.builtin(node.function, node.arguments[0].type)
        arguments = [self.compile(argument) for argument in node.arguments]
        if len(arguments) == 1:
            (only,) = arguments
            return lambda frame: function(only(frame))
        return lambda frame: function(*[argument(frame) for argument in arguments])

    def call(self, node: ir.FunctionCall) -> Evaluator:
        """A function of the program."""
        functions, name = self.environment.functions, node.function
        arguments = [self.compile(argument) for argument in node.arguments]
        return lambda frame: functions[name]([argument(frame) for argument in arguments])

    def size(self, node: ir.FrontierSize) -> Evaluator:
        """How many elements a frontier has."""
        sizes, name = self.environment.frontier_sizes, node.frontier
        return lambda frame: int64(sizes[name])

    def not_empty(self, node: ir.FrontierNotEmpty) -> Evaluator:
        """Whether a frontier has any element."""
        sizes, name = self.environment.frontier_sizes, node.frontier
        return lambda frame: sizes[name] > 0


# Reads of the graph


Round = tuple[tuple[str, int], ...]
"""The variables of a loop in one round, each with its value."""


def compile_graph_read(node: ir.GraphRead, environment: Environment) -> Callable[[list[Value]], Value]:
    """The value of `node` as a function of its arguments' values, with the checks that it requires."""
    graph, query, name = environment.graph, node.query, node.query.value
    count = graph.bound(Domain.EDGE if query.of_edge else Domain.VERTEX)

    def read(arguments: list[Value]) -> Value:
        first = int(arguments[0])
        if query is GraphQuery.HAS_EDGE:
            return 0 <= first < count and any(far == arguments[1] for far, _ in graph.out_list(first))
        if not 0 <= first < count:
            raise index_error(environment, node.arguments[0], name, first, count)
        if query is GraphQuery.REVERSE:
            opposite = graph.reverse(first)
            return none_id(environment.id_bits) if opposite is None else opposite
        if query.of_edge:
            return graph.ends_of(first)[0 if query is GraphQuery.SOURCE else 1]
        edges, place = graph.out_list(first), int(arguments[1])
        if not 0 <= place < len(edges):
            raise place_error(environment, node.arguments[1], name, place)
        return edges[place][0 if query is GraphQuery.NEIGHBOR else 1]

    return read


def rounds_of(node: ir.ForNeighbors, graph: GraphFacts, vertex: int) -> Iterator[Round]:
    """The rounds of a loop over the list of `vertex`."""
    names = [name for name, _ in node.variables]
    return (tuple(zip(names, both, strict=False)) for both in graph.out_list(vertex))


# Indices that are out of range


def index_error(
    environment: Environment, node: ir.Expression, name: str, index: int, length: int, converted: bool = False
) -> GdslError:
    """E0801 for the index `index` of `name`, which has `length` elements; `converted`: from a number."""
    is_none = node.type.is_id and not isinstance(node, ir.Literal) and index == none_id(environment.id_bits)
    value = "none" if is_none else str(index)
    converted = converted or isinstance(node, ir.Convert)
    return out_of_range(environment.source_name, node.span, name, value, length, converted)


def value_error(environment: Environment, node: ir.Expression, name: str, place: int, count: int) -> GdslError:
    """E0801 for the value number `place` of an element of `name`, which has `count`."""
    return no_such_value(environment.source_name, node.span, name, str(place), count)


def place_error(environment: Environment, node: ir.Expression, name: str, place: int) -> GdslError:
    """E0801 for the place `place` in a list that `name` reads."""
    return no_such_place(environment.source_name, node.span, name, str(place))
