"""The one printer of expressions, for C++ and for CUDA."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from gdsl.codegen.checks import CheckSite, CheckTable
from gdsl.codegen.fixed_size_arrays import count_text
from gdsl.codegen.integers import cannot_overflow, is_wide_product, quotient, shift, stays_below_inf
from gdsl.codegen.literals import conversion, id_number, literal, type_name
from gdsl.codegen.names import Names
from gdsl.codegen.precedence import (
    AND_LEVEL,
    POSTFIX_LEVEL,
    Text,
    atom,
    binary_text,
    call,
    conditional,
    postfix,
    prefix,
)
from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, Builtin, Domain, GraphQuery, Outcome, ReduceOperation, UnaryOperation
from gdsl.plan.functor_facts import may_stop
from gdsl.types import Type

REDUCTIONS = {
    ReduceOperation.MIN: "min",
    ReduceOperation.MAX: "max",
    ReduceOperation.ADD: "add",
    ReduceOperation.SUBTRACT: "subtract",
    ReduceOperation.MULTIPLY: "multiply",
    ReduceOperation.BIT_AND: "and",
    ReduceOperation.BIT_OR: "or",
    ReduceOperation.BIT_XOR: "xor",
}
"""The last part of the runtime's names of a reduction."""

_BUILTINS = {
    Builtin.MIN: "minimum",
    Builtin.MAX: "maximum",
    Builtin.ABS: "absolute",
    Builtin.TAN: "tangent",
    Builtin.RANDOM: "random_unit",
}
_WRAPPING = {
    BinaryOperation.ADD: "wrapping_add",
    BinaryOperation.SUBTRACT: "wrapping_subtract",
    BinaryOperation.MULTIPLY: "wrapping_multiply",
}
_SATURATING = {
    BinaryOperation.ADD_SATURATING: ("add_saturating", BinaryOperation.ADD),
    BinaryOperation.SUBTRACT_SATURATING: ("subtract_saturating", BinaryOperation.SUBTRACT),
}
_ON_BOOLS = {
    BinaryOperation.BIT_AND: BinaryOperation.AND,
    BinaryOperation.BIT_OR: BinaryOperation.OR,
    BinaryOperation.BIT_XOR: BinaryOperation.NOT_EQUAL,
}
_EVALUATING = (BinaryOperation.BIT_AND, BinaryOperation.BIT_OR)

_OF_EDGE = {
    GraphQuery.SOURCE: "source_of",
    GraphQuery.DESTINATION: "destination_of",
    GraphQuery.REVERSE: "reverse_of",
}
_MOST_STEPS = 50
_RUNNING = "chain_"
"""No name of a program is printed so: one underscore ends only those that mean something without it."""


class ExpressionPrinter:
    """Prints expressions with the parentheses that C++ needs and those that a reader wants, and no others.

    `plain_arrays` are written by one call or one thread alone: their effects need no atomic.
    `parameters` are other names for the functor's own parameters, `own_id` is the text of `id` in initial values.
    """

    def __init__(
        self,
        names: Names,
        checks: CheckTable,
        parameters: Mapping[ir.Role, str] | None = None,
        plain_arrays: frozenset[str] = frozenset(),
        own_id: str = "id",
    ) -> None:
        self.names = names
        self.checks = checks
        self.parameters = dict(parameters or {})
        self.plain_arrays = plain_arrays
        self.everywhere: Mapping[str, int] = {}  # by array that is reduced in copies of all GPUs: their number
        self.narrow: Mapping[str, Type] = {}  # by array that is stored in fewer bits than its values have: as what
        self.gathers = False  # whether this is what an edge brings, whose ends a list says
        self.kept: Mapping[str, str] = {}  # by array of which the call keeps its own element: the local that holds it
        self.shared_arrays: frozenset[str] = frozenset()  # written by several calls, even those of one member
        self.own_id = own_id
        self.read_ahead: Mapping[ir.Node, str] = {}  # what replaces the places of the functor that have been read ahead
        self.function_arguments: dict[str, str] = {}
        """What a program's own function gets before its arguments: ``d, iteration`` or parts of it."""

    def print(self, expression: ir.Expression) -> str:
        """`expression` as text that is valid wherever an expression is, as an argument or after `=`."""
        return self._text(expression).text

    def conjunction(self, conjuncts: tuple[ir.Expression, ...]) -> str:
        """All of `conjuncts`, in order, each tested only if those before it hold; `true` without any."""
        texts = [self._text(conjunct) for conjunct in conjuncts]
        if not texts:
            return "true"
        steps = [partial(_and, right=text) for text in texts[1:]]
        return _folded(Type.BOOL, texts[0], steps).text

    def operand_of_and(self, expression: ir.Expression) -> str:
        """`expression` as an operand of `&&`."""
        return self._text(expression).within(AND_LEVEL)

    # Data

    def element(self, array: str, index: ir.Expression, checked: bool, domain: Domain) -> str:
        """`array[index]` as an lvalue."""
        return f"d.{self.names.member(array)}[{self.index(array, index, checked, domain)}]"

    def index(self, subject: str, index: ir.Expression, checked: bool, domain: Domain) -> str:
        """An index of `subject`, checked where it must be."""
        if isinstance(index, ir.Slot):
            return self._value_index(subject, index, domain)
        text = str(index.value) if isinstance(index, ir.Literal) else self.print(index)
        if not checked or not self.checks.enabled:
            return text
        number = self.checks.number(CheckSite(subject, domain, index.type, index.span))
        return f"checked_index(d, {text}, {self.checks.bound(domain)}, {number})"

    def _value_index(self, subject: str, slot: ir.Slot, domain: Domain) -> str:
        """The index of one of the values of an element of `subject`, both parts checked where they must be."""
        element = self.index(subject, slot.element, slot.checked, domain)
        count, place = count_text(slot.count, self.names), self.print(slot.place)
        if slot.place_checked and self.checks.enabled:
            number = self.checks.number(CheckSite(subject, domain, slot.place.type, slot.place.span, is_value=True))
            place = f"checked_index(d, {place}, {count}, {number})"
        return f"value_index({element}, {count}, {place})"

    def scalar(self, name: str) -> str:
        """A scalar as an lvalue."""
        return f"*d.{self.names.member(name)}"

    def address(self, target: ir.Target) -> str:
        """A pointer to what is written."""
        if isinstance(target, ir.ElementTarget):
            return f"&{self.element(target.array, target.index, target.checked, target.domain)}"
        return f"d.{self.names.member(target.scalar)}"

    def is_plain(self, target: ir.Target) -> bool:
        """Whether writing `target` needs no atomic here."""
        return isinstance(target, ir.ElementTarget) and target.array in self.plain_arrays

    def parameter(self, role: ir.Role, name: str) -> str:
        """One of the functor's own parameters."""
        return self.parameters.get(role) or self.names.local(name)

    def frontier_size(self, name: str) -> Text:
        """`size(f)`; a backend's own printer of the schedule may say it otherwise."""
        return call("int64", f"{self.names.frontier(name)}.size")

    def frontier_not_empty(self, name: str) -> Text:
        """A frontier as a condition."""
        return binary_text(BinaryOperation.GREATER, postfix(f"{self.names.frontier(name)}.size"), atom("0"))

    # Expressions, one method for each kind

    def _text(self, expression: ir.Expression) -> Text:
        if self.read_ahead and expression in self.read_ahead:
            return postfix(self.read_ahead[expression])
        return _PRINTERS[type(expression)](self, expression)

    def print_anew(self, expression: ir.Expression) -> str:
        """`expression` itself, even where a value that was read ahead replaces it; its parts may be such values."""
        return str(_PRINTERS[type(expression)](self, expression).text)

    def _literal(self, node: ir.Literal) -> Text:
        text = literal(node.value, node.type)
        return prefix("", atom(text)) if text.startswith("-") else atom(text)

    def _scalar(self, node: ir.ScalarValue) -> Text:
        if node.now:
            return call("load_now", f"d.{self.names.member(node.name)}")
        if node.type.is_pair:
            return call("unpacked", self.scalar(node.name))
        return prefix("*", postfix(f"d.{self.names.member(node.name)}"))

    def read(self, node: ir.Element) -> Text:
        """`array[index]`, as one reads where others may write or not."""
        if node.array in self.kept and ir.is_parameter(node.index, ir.Role.VERTEX):
            return atom(self.kept[node.array])
        text = self.element(node.array, node.index, node.checked, node.domain)
        if node.now or node.array in self.shared_arrays:
            gathered = "load_gathered" if self.gathers and isinstance(node.index, ir.Parameter) else "load_cached"
            loaded = call(gathered if node.cached else "load_now", f"&{text}")
        else:
            loaded = call("unpacked", text) if node.type.is_pair else postfix(text)
        return call(node.type.name, loaded.text) if node.array in self.narrow else loaded

    def stored(self, target: ir.Target, value: str) -> str:
        """`value` as what is stored in `target`."""
        kind = self.narrow.get(target.array) if isinstance(target, ir.ElementTarget) else None
        return call(kind.name, value).text if kind is not None else value

    def _degree(self, node: ir.DegreeOf) -> Text:
        function = node.degree.value
        return call(function, "d.graph", self.index(function, node.vertex, node.checked, Domain.VERTEX))

    def _graph_read(self, node: ir.GraphRead) -> Text:
        query, first, others = node.query, node.arguments[0], node.arguments[1:]
        if query is GraphQuery.HAS_EDGE:
            name = "has_opposite" if self._leads_back(*node.arguments) else "has_edge"
            return call(name, "d.graph", *map(self.print, node.arguments))
        index = self.index(query.value, first, node.checked, Domain.EDGE if query.of_edge else Domain.VERTEX)
        if query.of_edge:
            return call(_OF_EDGE[query], "d.graph", index)
        edge = self._edge_at(query.value, index, others[0])
        return edge if query is GraphQuery.OUT_EDGE else call("destination_of", "d.graph", edge.text)

    def _leads_back(self, first: ir.Expression, last: ir.Expression) -> bool:
        """Whether an edge between these would be the opposite one of that which the functor was called for."""
        ends = ir.is_parameter(first, ir.Role.DESTINATION) and ir.is_parameter(last, ir.Role.SOURCE)
        return ends and ir.Role.COMMON not in self.parameters

    def _edge_at(self, subject: str, vertex: str, place: ir.Expression) -> Text:
        """The edge at a place of a list."""
        text = self.print(place)
        if not self.checks.enabled:
            return call("edge_at", "d.graph", vertex, text)
        number = self.checks.number(CheckSite(subject, None, place.type, place.span))
        return call("checked_edge_at", "d", vertex, text, str(number))

    def _unary(self, node: ir.Unary) -> Text:
        operand = self._text(node.operand)
        if node.operation is UnaryOperation.NEGATE and node.type.is_signed:
            return call("wrapping_negate", operand.text)
        return prefix(node.operation.value, operand)

    def _binary(self, node: ir.Binary) -> Text:
        operation = node.operation
        if operation.is_comparison:
            return binary_text(operation, self._compared(node.left), self._compared(node.right))
        left = self._text(node.left)
        fits = cannot_overflow(node) if operation in _WRAPPING else operation in _SATURATING and stays_below_inf(node)
        if fits and node.type.is_integer and not is_wide_product(node.type, operation):
            plain = _SATURATING[operation][1] if operation in _SATURATING else operation
            return binary_text(plain, left, self._text(node.right))
        return self._operation(left, node.type, operation, node.right)

    def _chain(self, node: ir.Chain) -> Text:
        steps = [
            partial(self._operation, kind=node.type, operation=operation, operand=operand)
            for operation, operand in node.links
        ]
        return _folded(node.type, self._text(node.first), steps)

    def _operation(self, left: Text, kind: Type, operation: BinaryOperation, operand: ir.Expression) -> Text:
        """`left` and `operand`, which may overflow, under an operation with a result of type `kind`."""
        right = self._text(operand)
        if operation in _SATURATING:
            return call(_SATURATING[operation][0], left.text, right.text)
        if operation in _WRAPPING and (kind.is_signed or is_wide_product(kind, operation)):
            return call(_WRAPPING[operation], left.text, right.text)
        if operation in (BinaryOperation.INTEGER_DIVIDE, BinaryOperation.MODULO):
            return quotient(kind, operation is BinaryOperation.INTEGER_DIVIDE, left, right, operand)
        if operation in (BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT):
            return shift(kind, operation, left, right, operand)
        if kind is Type.BOOL:
            if operation in _EVALUATING and self.checks.enabled and may_stop(operand):  # even if the left side decides
                return call("bool", binary_text(operation, left, right).text)
            operation = _ON_BOOLS.get(operation, operation)
        return binary_text(operation, left, right)

    def _compared(self, side: ir.Expression) -> Text:
        """A side of a comparison: the number of an id needs no type there."""
        if isinstance(side, ir.Literal) and side.type.is_id:
            return atom(id_number(int(side.value), side.type))
        return self._text(side)

    def _make_pair(self, node: ir.MakePair) -> Text:
        types = ", ".join(part.name for part in node.type.parts)
        return call(f"paired<{types}>", self.print(node.first), self.print(node.second))

    def _pair_part(self, node: ir.PairPart) -> Text:
        return postfix(f"{self._text(node.pair).within(POSTFIX_LEVEL)}.{'second' if node.place else 'first'}")

    def _convert(self, node: ir.Convert) -> Text:
        domain = Domain.VERTEX if node.type is Type.VERTEX else Domain.EDGE
        return conversion(self._text(node.operand), node.operand.type, node.type, self.checks.bound(domain))

    def _builtin(self, node: ir.BuiltinCall) -> Text:
        name = _BUILTINS.get(node.function, node.function.value)
        return call(name, *(self.print(argument) for argument in node.arguments))

    def call_of_own(self, function: str, arguments: Iterable[str]) -> Text:
        """A call of one of the program's own functions with the texts of its arguments."""
        first = self.function_arguments.get(function, "")
        return call(self.names.function(function), *([first] if first else []), *arguments)

    # Effects

    def update(self, node: ir.Update, outcome: Outcome) -> Text:
        """`changed(x op= y)` or `fetch(x op= y)`."""
        if node.target.data in self.everywhere:
            return self.update_everywhere(node, outcome)
        if node.target.data in self.kept:
            return self.update_kept(node, outcome)
        plain = "plain_" if self.is_plain(node.target) else ""
        former = plain or "reduce_"
        name = f"{plain}changed_" if outcome is Outcome.CHANGED else former
        return call(f"{name}{REDUCTIONS[node.operation]}", self.address(node.target), self.print(node.value))

    def update_kept(self, node: ir.Update, outcome: Outcome) -> Text:
        """A minimum or maximum of the call's own element, which it keeps in a local."""
        name = f"own_{'changed_' if outcome is Outcome.CHANGED else ''}{REDUCTIONS[node.operation]}"
        return call(name, self.address(node.target), self.kept[node.target.data], self.print(node.value))

    def update_everywhere(self, node: ir.Update, outcome: Outcome = Outcome.CHANGED) -> Text:
        """A minimum or maximum in the copies of all GPUs, which says whether this GPU's has changed, or what it was."""
        number, name = self.everywhere[node.target.data], f"{outcome.value}_{REDUCTIONS[node.operation]}_everywhere"
        return call(name, "d.run", str(number), self.address(node.target), self.print(node.value))

    def _compare_and_swap(self, node: ir.CompareAndSwap) -> Text:
        name = "plain_compare_and_swap" if self.is_plain(node.target) else "compare_and_swap"
        return call(name, self.address(node.target), self.print(node.old), self.print(node.new))


def _folded(kind: Type, first: Text, steps: Sequence[Callable[[Text], Text]]) -> Text:
    """`steps` one after the other, from `first` on. Many of them are split into statements of a lambda, which is
    called immediately: compilers limit how deeply brackets nest."""
    text, statements = first, list[str]()
    for place, step in enumerate(steps):
        if place and place % _MOST_STEPS == 0:
            declared = f"{type_name(kind)} " if not statements else ""
            statements.append(f"{declared}{_RUNNING} = {text.text};")
            text = atom(_RUNNING)
        text = step(text)
    return postfix(f"[&] {{ {' '.join(statements)} return {text.text}; }}()") if statements else text


def _and(left: Text, right: Text) -> Text:
    return binary_text(BinaryOperation.AND, left, right)


def _length(domain: Domain) -> str:
    return "d.graph.num_vertices" if domain is Domain.VERTEX else "d.graph.num_edges"


_PRINTERS: dict[type[ir.Expression], Callable[[ExpressionPrinter, Any], Text]] = {
    ir.Literal: ExpressionPrinter._literal,
    ir.NoneId: lambda printer, node: atom("NO_VERTEX" if node.type is Type.VERTEX else "NO_EDGE"),
    ir.Parameter: lambda printer, node: atom(printer.parameter(node.role, node.name)),
    ir.GraphRead: ExpressionPrinter._graph_read,
    ir.ListVariable: lambda printer, node: atom(printer.names.local(node.name)),
    ir.Local: lambda printer, node: atom(printer.names.local(node.name)),
    ir.ParamValue: lambda printer, node: postfix(f"d.{printer.names.member(node.name)}"),
    ir.ScalarValue: ExpressionPrinter._scalar,
    ir.Element: lambda printer, node: printer.read(node),
    ir.OwnId: lambda printer, node: atom(printer.own_id),
    ir.OwnPart: lambda printer, node: atom("part"),
    ir.Iteration: lambda printer, node: atom("iteration"),
    ir.Count: lambda printer, node: postfix(_length(node.domain)),
    ir.LargestDegree: lambda printer, node: postfix("d.graph.largest_degree"),
    ir.DegreeOf: ExpressionPrinter._degree,
    ir.Place: lambda printer, node: call(
        "place_of", "d.graph", printer.parameter(ir.Role.SOURCE, "src"), printer.parameter(ir.Role.EDGE, "e")
    ),
    ir.Unary: ExpressionPrinter._unary,
    ir.Binary: ExpressionPrinter._binary,
    ir.Chain: ExpressionPrinter._chain,
    ir.Select: lambda printer, node: conditional(*map(printer._text, (node.condition, node.yes, node.no))),
    ir.MakePair: ExpressionPrinter._make_pair,
    ir.PairPart: ExpressionPrinter._pair_part,
    ir.Convert: ExpressionPrinter._convert,
    ir.BuiltinCall: ExpressionPrinter._builtin,
    ir.FunctionCall: lambda printer, node: printer.call_of_own(node.function, map(printer.print, node.arguments)),
    ir.FrontierSize: lambda printer, node: printer.frontier_size(node.frontier),
    ir.FrontierNotEmpty: lambda printer, node: printer.frontier_not_empty(node.frontier),
    ir.UpdateValue: lambda printer, node: printer.update(node.update, node.outcome),
    ir.CompareAndSwap: ExpressionPrinter._compare_and_swap,
}
