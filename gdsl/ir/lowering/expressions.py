"""Lowers expressions and the targets of writes. The number of values per element of an array is a literal or param."""

from __future__ import annotations

from typing import NoReturn

from gdsl.arithmetic.constants import in_type, integer_range
from gdsl.frontend import syntax
from gdsl.frontend.check.names import needs_check
from gdsl.frontend.syntax import SymbolKind
from gdsl.ir import nodes
from gdsl.ir.slots import is_inside, same
from gdsl.operations import Builtin, Degree, Domain, GraphQuery, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

_ROLES = {
    SymbolKind.VERTEX: nodes.Role.VERTEX,
    SymbolKind.SOURCE: nodes.Role.SOURCE,
    SymbolKind.DESTINATION: nodes.Role.DESTINATION,
    SymbolKind.EDGE: nodes.Role.EDGE,
    SymbolKind.NEAR: nodes.Role.NEAR,
    SymbolKind.FAR: nodes.Role.FAR,
    SymbolKind.COMMON: nodes.Role.COMMON,
    SymbolKind.SOURCE_EDGE: nodes.Role.SOURCE_EDGE,
    SymbolKind.DESTINATION_EDGE: nodes.Role.DESTINATION_EDGE,
}
_LOCALS = (SymbolKind.LOCAL, SymbolKind.LOOP_VARIABLE, SymbolKind.FUNCTION_PARAMETER)
_QUERIES = frozenset(query.value for query in GraphQuery)
_COUNTS = {"num_vertices": Domain.VERTEX, "num_edges": Domain.EDGE, "vertices": Domain.VERTEX, "edges": Domain.EDGE}


def impossible(node: syntax.Node) -> NoReturn:
    """Raise for what the checker should have refused."""
    raise AssertionError(f"lowering: {type(node).__name__} at {node.span.line}:{node.span.column} is not typed")


def default_value(type_: Type, span: Span) -> nodes.Expression:
    """0, false or `none`, or a pair of these: the initial value of data that declares none."""
    if type_.is_pair:
        first, second = (default_value(part, span) for part in type_.parts)
        return nodes.MakePair(span, type_, first, second)
    if type_.is_id:
        return nodes.NoneId(span, type_)
    if type_ is Type.BOOL:
        return nodes.Literal(span, type_, False)
    return nodes.Literal(span, type_, 0.0 if type_.is_float else 0)


def infinity(type_: Type, span: Span) -> nodes.Literal:
    """`inf` of a numeric type."""
    return nodes.Literal(span, type_, float("inf") if type_.is_float else integer_range(type_)[1])


class ExpressionLowering:
    """Lowers expressions; `lowered` has, by their spans, the scalars into which steps before the
    statement have put reductions and elements."""

    def __init__(self) -> None:
        self.lowered: dict[Span, nodes.Expression] = {}
        self.counts = Counts()
        self.histories: dict[str, nodes.History] = {}
        """The histories declared so far, by their unique names."""
        self.buckets: dict[str, nodes.Buckets] = {}
        """The same for buckets."""
        self.levels_popped: dict[str, str] = {}
        """The scalars of the levels that were popped last, of buckets with a width."""

    def expression(self, node: syntax.Expression) -> nodes.Expression:
        """The IR of a typed expression."""
        span, type_ = node.span, node.type
        if type_ is None:
            impossible(node)
        match node:
            case syntax.Number() | syntax.Boolean():
                return nodes.Literal(span, type_, node.value)
            case syntax.Infinity() | syntax.NoneLiteral():
                return infinity(type_, span) if isinstance(node, syntax.Infinity) else nodes.NoneId(span, type_)
            case syntax.Name() | syntax.Member():
                return self._name(node, type_)
            case syntax.Index():
                return self.lowered.get(span) or self._element(node, type_)
            case syntax.Unary():
                return self._unary(node, type_)
            case syntax.Binary():
                left, right = self.expression(node.left), self.expression(node.right)
                return nodes.Binary(span, type_, node.operation, left, right)
            case syntax.Chain():
                first = self.expression(node.first)
                links = tuple((link.operation, self.expression(link.operand)) for link in node.links)
                return nodes.Chain(span, type_, first, links)
            case syntax.Pair() | syntax.PairPart():
                return self._pair(node, type_)
            case syntax.Conditional():
                parts = (self.expression(part) for part in (node.condition, node.yes, node.no))
                return nodes.Select(span, type_, *parts)
            case syntax.Convert():
                return nodes.Convert(span, type_, self.expression(node.operand))
            case syntax.Call() | syntax.Reduced():
                return self._call(node, type_) if isinstance(node, syntax.Call) else self.lowered[span]
            case syntax.UpdateValue():
                return nodes.UpdateValue(span, type_, node.outcome, self.update(node.update))
            case syntax.CompareAndSwap():
                old, new = self.expression(node.old), self.expression(node.new)
                return nodes.CompareAndSwap(span, type_, self.target(node.target), old, new)
        impossible(node)

    def _pair(self, node: syntax.Pair | syntax.PairPart, type_: Type) -> nodes.Expression:
        if isinstance(node, syntax.PairPart):
            return nodes.PairPart(node.span, type_, self.expression(node.pair), node.place)
        return nodes.MakePair(node.span, type_, self.expression(node.first), self.expression(node.second))

    def _unary(self, node: syntax.Unary, type_: Type) -> nodes.Expression:
        operand = self.expression(node.operand)
        negated = isinstance(operand, nodes.Literal) and node.operation is UnaryOperation.NEGATE
        if negated and isinstance(operand, nodes.Literal) and (type_.is_signed or type_.is_float):
            return nodes.Literal(node.span, type_, in_type(-operand.value, type_))
        return nodes.Unary(node.span, type_, node.operation, operand)

    def _name(self, node: syntax.Name | syntax.Member, type_: Type) -> nodes.Expression:
        span, symbol = node.span, node.symbol
        if symbol is None:
            impossible(node)
        if isinstance(node, syntax.Member):
            return nodes.ScalarValue(span, type_, self.levels_popped[symbol.unique])
        if symbol.kind in _ROLES:
            return nodes.Parameter(span, type_, _ROLES[symbol.kind], symbol.name)
        if symbol.kind is SymbolKind.LIST_VARIABLE:
            return nodes.ListVariable(span, type_, symbol.unique)
        if symbol.kind in _LOCALS:
            return nodes.Local(span, type_, symbol.unique)
        if symbol.kind is SymbolKind.PARAM:
            return nodes.ParamValue(span, type_, symbol.name)
        if symbol.kind is SymbolKind.SCALAR:
            return nodes.ScalarValue(span, type_, symbol.name, node.now)
        if symbol.kind is SymbolKind.FRONTIER:
            return nodes.FrontierNotEmpty(span, type_, symbol.unique)
        if symbol.kind is SymbolKind.BUCKETS:
            return nodes.FrontierNotEmpty(span, type_, self.buckets[symbol.unique].waiting)
        plain = {"iteration": nodes.Iteration, "place": nodes.Place, "id": nodes.OwnId, "part": nodes.OwnPart}
        if symbol.name in plain:
            return plain[symbol.name](span, type_)
        if symbol.name in _COUNTS:
            return nodes.Count(span, type_, _COUNTS[symbol.name])
        impossible(node)

    def _element(self, node: syntax.Index, type_: Type) -> nodes.Element:
        if node.symbol is None or node.symbol.domain is None:
            impossible(node)
        index, checked = self._index(node)
        return nodes.Element(node.span, type_, node.array, node.symbol.domain, index, checked, node.now)

    def _index(self, node: syntax.Index) -> tuple[nodes.Expression, bool]:
        place = self.expression(node.place) if node.place is not None else None
        return self.counts.index(node.span, node.array, self.expression(node.index), node.checked, place)

    def _call(self, node: syntax.Call, type_: Type) -> nodes.Expression:
        span, name = node.span, node.function
        if node.symbol is None:
            impossible(node)
        values = [argument.value for argument in node.arguments]
        if name == "size":
            return self._size(node, type_)
        if name in ("out_degree", "in_degree"):
            return nodes.DegreeOf(span, type_, Degree(name), self.expression(values[0]), needs_check(values[0]))
        arguments = tuple(self.expression(value) for value in values)
        if node.symbol.kind is SymbolKind.FUNCTION:
            return nodes.FunctionCall(span, type_, name, arguments)
        if name in _QUERIES:
            query = GraphQuery(name)
            checked = query is not GraphQuery.HAS_EDGE and needs_check(values[0])
            return nodes.GraphRead(span, type_, query, arguments, checked)
        return nodes.BuiltinCall(span, type_, Builtin(name), arguments)

    def _size(self, node: syntax.Call, type_: Type) -> nodes.Expression:
        operand = node.arguments[0].value
        if not isinstance(operand, syntax.Name) or operand.symbol is None:
            impossible(node)
        if operand.symbol.kind is SymbolKind.HISTORY:
            return nodes.ScalarValue(node.span, type_, self.histories[operand.symbol.unique].levels)
        if operand.symbol.kind is SymbolKind.BUCKETS:
            return nodes.FrontierSize(node.span, type_, self.buckets[operand.symbol.unique].waiting)
        if operand.symbol.kind is SymbolKind.FRONTIER:
            return nodes.FrontierSize(node.span, type_, operand.symbol.unique)
        return nodes.Count(node.span, type_, _COUNTS[operand.symbol.name])

    # ------------------------------------------------------------ writes

    def target(self, node: syntax.Name | syntax.Index) -> nodes.Target:
        """An element or a scalar that is written."""
        symbol, type_ = node.symbol, node.type
        if symbol is None or type_ is None:
            impossible(node)
        if isinstance(node, syntax.Name):
            return nodes.ScalarTarget(node.span, symbol.name, type_)
        if symbol.domain is None:
            impossible(node)
        index, checked = self._index(node)
        return nodes.ElementTarget(node.span, symbol.name, symbol.domain, type_, index, checked)

    def update(self, node: syntax.Update) -> nodes.Update:
        """`x op= y` on an element or a scalar."""
        return nodes.Update(node.span, self.target(node.target), node.operation, self.expression(node.value))


class Counts:
    """The number of values per element of each array; `params` are the params that the program did not declare."""

    def __init__(self) -> None:
        self.params: list[nodes.Param] = []
        self.loops: dict[str, nodes.ForRange] = {}
        """The loops around, by their variables; their bodies are still empty."""
        self._of: dict[str, nodes.Expression] = {}

    def add(self, array: str, value: nodes.Expression, name: str) -> None:
        """Declare an array's count; a new param for it is called `name`."""
        known = next((param for param in self.params if param.default is not None and same(param.default, value)), None)
        if isinstance(value, nodes.Literal):
            self._of[array] = value
            return
        if known is None:
            known = nodes.Param(value.span, name, Type.INT64, value, is_count=True)
            self.params.append(known)
        self._of[array] = nodes.ParamValue(value.span, Type.INT64, known.name)

    def of(self, array: str) -> nodes.Expression | None:
        """The count of an array; None where it has one value per element."""
        return self._of.get(array)

    def index(
        self, span: Span, array: str, element: nodes.Expression, checked: bool, place: nodes.Expression | None
    ) -> tuple[nodes.Expression, bool]:
        """The index of an element or of one of its values, and whether it must still be checked."""
        count = self._of.get(array)
        if count is None or place is None:
            return element, checked
        defaults = {param.name: param.default for param in self.params if param.default is not None}
        inside = is_inside(place, count, self.loops, defaults)
        return nodes.Slot(span, Type.INT64, element, checked, place, not inside, count), False
