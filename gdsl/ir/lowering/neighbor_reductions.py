"""Lowers `neighbor_reduce`.

Over vertices it is an operator of the IR; with `empty=`, another one first finds which vertices have an edge whose
`cond` holds, and the others receive that value afterwards. Over a set of edges it becomes three functors: the ends
start with the identity, each edge updates its end, and what was gathered becomes the result.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import impossible
from gdsl.ir.lowering.functors import FunctorLowering
from gdsl.ir.lowering.hidden import Code, Hidden, own_id
from gdsl.ir.lowering.reductions import identity
from gdsl.ir.traversal import rewrite
from gdsl.operations import Domain, NeighborOperation, Over, StoreRule, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

_FIXED = (nodes.Literal, nodes.NoneId, nodes.ParamValue)
"""Values that a functor can have as they are."""


@dataclass(frozen=True, slots=True)
class NeighborReduction:
    """One call: its results become the array `name` of `type`, `empty` that of a vertex without edges, if given."""

    call: syntax.OperatorCall
    name: str
    type: Type
    empty: nodes.Expression | None


class NeighborReduceLowering:
    """Lowers the calls of one schedule; `site` gives a call the next site."""

    def __init__(
        self,
        functors: FunctorLowering,
        functions: Iterable[syntax.Function],
        hidden: Hidden,
        site: Callable[[syntax.OperatorCall], int],
    ) -> None:
        self.functors, self.hidden, self.site = functors, hidden, site
        self.functions = {function.name: function for function in functions}

    # ------------------------------------------------------------ over vertices

    def of_vertices(self, reduction: NeighborReduction, source: nodes.Elements) -> None:
        """The reduction over the edges of each vertex of `source`."""
        functor = self.functors.edge_functor_called(reduction.call.name)
        self._over_lists(reduction, source, functor, reduction.call.over)

    def _over_lists(
        self, reduction: NeighborReduction, source: nodes.Elements, functor: nodes.EdgeFunctor, over: Over
    ) -> None:
        """The reduction by `functor`, one of the program."""
        call, name = reduction.call, reduction.name
        span, vertex = call.span, own_id(Domain.VERTEX, call.span)
        code = Code(span)
        reduces = nodes.NeighborReduce(
            span=span,
            site=-1,
            label=call.label or call.name,
            frontier=source,
            functor=functor.name,
            result=None,
            operation=call.operation,
            over=over,
            array=name,
            array_type=reduction.type,
            own=self._own(call),
        )
        if reduction.empty is None:
            self.hidden.emit(dataclasses.replace(reduces, site=self.site(call)))
            return
        value = self._as_readable(reduction.empty, name)
        has_edge = self.hidden.array(f"{name}_has_edge", Domain.VERTEX, Type.BOOL, span)
        holds = self._holding(call, functor)
        some = dataclasses.replace(reduces, functor=holds, label=holds, operation=NeighborOperation.SOME, own=None)
        asks = dataclasses.replace(some, array=has_edge, array_type=Type.BOOL)
        self.hidden.emit(*(dataclasses.replace(each, site=self.site(call)) for each in (asks, reduces)))
        without = nodes.Unary(span, Type.BOOL, UnaryOperation.NOT, code.element(has_edge, Type.BOOL, vertex))
        body = (code.store(name, vertex, value),)
        fills = self.hidden.functor(f"empty_{name}", Domain.VERTEX, span, (without,), body)
        self.hidden.emit(self.hidden.compute(span, source, fills))

    def _own(self, call: syntax.OperatorCall) -> nodes.OwnOperation | None:
        """The operator of the program; whether a float's is exact is found out later."""
        if call.own_operation is None:
            return None
        function = self.functions[call.own_operation.name]
        if function.identity is None:
            impossible(call)
        identity = self.functors.expressions.expression(function.identity)
        return nodes.OwnOperation(call.own_operation.span, function.name, identity, not identity.type.is_float)

    def _holding(self, call: syntax.OperatorCall, functor: nodes.EdgeFunctor) -> str:
        """A functor whose value is true for each edge for which the `cond` of `functor` holds."""
        name, true = self.hidden.name(f"holds_{call.name}"), nodes.Literal(call.span, Type.BOOL, True)
        self.hidden.edge_functors.append(dataclasses.replace(functor, name=name, body=(), value=true))
        return name

    def _as_readable(self, value: nodes.Expression, array: str) -> nodes.Expression:
        """`value` as a functor can read it: in a scalar, unless it is constant."""
        if isinstance(value, _FIXED):
            return value
        scalar = self.hidden.scalar(f"empty_of_{array}", value.type, value.span)
        self.hidden.emit(nodes.StoreScalar(value.span, scalar.scalar, value))
        return nodes.ScalarValue(value.span, value.type, scalar.scalar)

    # ------------------------------------------------------------ over edges

    def of_edges(self, reduction: NeighborReduction, edges: nodes.Elements, ends: nodes.Elements, over: Over) -> None:
        """The reduction over the `edges` in direction `over` whose far end (or near end) is a vertex of `ends`."""
        if reduction.call.own_operation is None:
            self._gathered(reduction, edges, ends, over)
        else:
            self._marked(reduction, edges, ends, over)

    def _marked(self, reduction: NeighborReduction, edges: nodes.Elements, ends: nodes.Elements, over: Over) -> None:
        """For an operator of the program: the reduction over the marked edges in the lists of `ends`."""
        call, hidden = reduction.call, self.hidden
        span = call.span
        marks = hidden.array(f"{reduction.name}_takes", Domain.EDGE, Type.BOOL, span)
        at = own_id(Domain.EDGE, span)
        place = nodes.ElementTarget(span, marks, Domain.EDGE, Type.BOOL, at, False)
        functors = []
        for stem, value in (("take", True), ("leave", False)):
            store = nodes.Store(span, place, nodes.Literal(span, Type.BOOL, value), StoreRule.SINGLE_WRITER)
            functors.append(hidden.functor(f"{stem}_{reduction.name}", Domain.EDGE, span, (), (store,)))
        functor = self.functors.edge_functor_called(call.name)
        functor = rewrite(functor, lambda node: _placed(node, _ends_of(functor, span, over)))
        marked = nodes.Element(span, Type.BOOL, marks, Domain.EDGE, dataclasses.replace(at, name=functor.edge), False)
        functor = dataclasses.replace(
            functor, name=hidden.name(f"taken_{call.name}"), condition=(marked, *functor.condition)
        )
        hidden.edge_functors.append(functor)
        hidden.emit(hidden.compute(span, edges, functors[0]))
        towards_destinations = (over is Over.IN_EDGES) is not call.by_far_ends
        lists = Over.IN_EDGES if towards_destinations else Over.OUT_EDGES
        self._over_lists(reduction, ends, functor, lists)
        hidden.emit(hidden.compute(span, edges, functors[1]))

    def _gathered(self, reduction: NeighborReduction, edges: nodes.Elements, ends: nodes.Elements, over: Over) -> None:
        """By updates: each edge updates its end."""
        call, hidden, name, type_ = reduction.call, self.hidden, reduction.name, reduction.type
        if call.operation is None:
            impossible(call)
        span = call.span
        code, vertex = Code(span), own_id(Domain.VERTEX, span)
        value = self._as_readable(reduction.empty, name) if reduction.empty is not None else None
        gathered = hidden.array(f"{name}_gathered", Domain.VERTEX, type_, span)
        has_edge = hidden.array(f"{name}_has_edge", Domain.VERTEX, Type.BOOL, span) if value is not None else None
        begin = [code.store(gathered, vertex, identity(call.operation.as_update, type_, span))]
        end: list[nodes.Statement] = [code.store(name, vertex, code.element(gathered, type_, vertex))]
        if has_edge is not None and value is not None:
            begin.append(code.store(has_edge, vertex, nodes.Literal(span, Type.BOOL, False)))
            otherwise = (code.store(name, vertex, value),)
            end = [nodes.Branch(span, code.element(has_edge, Type.BOOL, vertex), tuple(end), otherwise)]
        first = hidden.functor(f"begin_{name}", Domain.VERTEX, span, (), begin)
        hidden.emit(hidden.compute(span, ends, first))
        functor = self._gathering(call, over, nodes.ScalarTarget(span, gathered, type_), has_edge)
        label = call.label or functor
        hidden.emit(nodes.Compute(span, self.site(call), label, edges, functor, None, None))
        last = hidden.functor(f"end_{name}", Domain.VERTEX, span, (), end)
        hidden.emit(hidden.compute(span, ends, last))

    def _gathering(
        self, call: syntax.OperatorCall, over: Over, gathered: nodes.ScalarTarget, has_edge: str | None
    ) -> str:
        """The functor by which an edge updates its end."""
        span, functor = call.span, self.functors.edge_functor_called(call.name)
        roles = _ends_of(functor, span, over)
        code, end = Code(span), roles[nodes.Role.FAR if call.by_far_ends else nodes.Role.NEAR]
        functor = rewrite(functor, lambda node: _placed(node, roles))
        condition, value = functor.condition, functor.value
        if call.operation is None or value is None:
            impossible(call)
        target = code.target(gathered.scalar, gathered.type, end)
        counts = call.operation is NeighborOperation.COUNT
        brought = nodes.Literal(span, gathered.type, 1) if counts else value
        update: nodes.Statement = nodes.Update(span, target, call.operation.as_update, brought)
        if counts:
            update = nodes.Branch(span, value, (update,), ())
        body = [update]
        if has_edge is not None:
            body.append(code.store(has_edge, end, code.literal(Type.BOOL, True)))
        name = self.hidden.name(f"gather_{call.name}")
        parameters = (functor.source, functor.destination, functor.edge)
        self.hidden.edge_functors.append(nodes.EdgeFunctor(span, name, *parameters, condition, tuple(body), None))
        return name


def _ends_of(functor: nodes.EdgeFunctor, span: Span, over: Over) -> dict[nodes.Role, nodes.Parameter]:
    """The near and the far end of edges that were walked `over` some, as the source and the destination."""
    source = nodes.Parameter(span, Type.VERTEX, nodes.Role.SOURCE, functor.source)
    destination = nodes.Parameter(span, Type.VERTEX, nodes.Role.DESTINATION, functor.destination)
    near, far = (destination, source) if over is Over.IN_EDGES else (source, destination)
    return {nodes.Role.NEAR: near, nodes.Role.FAR: far}


def _placed(node: nodes.Node, roles: dict[nodes.Role, nodes.Parameter]) -> nodes.Node:
    """`node` with `near` and `far` as ends of the edge."""
    if nodes.is_parameter(node, *roles):
        return nodes.Parameter(node.span, node.type, roles[node.role].role, roles[node.role].name)
    return node
