"""Lowers the schedule: nested operator calls become steps of their own, with frontiers between them."""

from __future__ import annotations

from gdsl.frontend import syntax
from gdsl.frontend.check import CheckedProgram
from gdsl.frontend.check.far_ends import over_of
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.best_edges import BestEdges, Request
from gdsl.ir.lowering.buckets import BucketsLowering, emptied, new_history, through_levels
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.ir.lowering.functors import FunctorLowering
from gdsl.ir.lowering.hidden import Hidden
from gdsl.ir.lowering.neighbor_reductions import NeighborReduceLowering, NeighborReduction
from gdsl.ir.lowering.sets import SetLowering, stem_of
from gdsl.ir.lowering.vertex_pairs import VertexPairs
from gdsl.operations import Domain, Over
from gdsl.types import Type


class ScheduleLowering(SetLowering):
    """Lowers the statements of one schedule."""

    def __init__(
        self,
        expressions: ExpressionLowering,
        checked: CheckedProgram,
        functors: FunctorLowering,
        taken: set[str],
    ) -> None:
        """`taken` are the names of the program's own frontiers and graphs."""
        self.hidden = Hidden(checked.source.text, [])
        super().__init__(expressions, self.hidden, taken)
        self.expressions = expressions
        self.knobs = checked.knobs
        self.far_ends = checked.far_ends
        self.loops = 0
        self.buckets = BucketsLowering(self.hidden, expressions)
        self.pairs = VertexPairs(self.hidden)
        self.functors = functors
        self.neighbors = NeighborReduceLowering(functors, checked.program.functions, self.hidden, self._next_site)
        self.graphs: list[str] = []
        """The variables that hold graphs, in order of appearance."""

    def block(self, statements: tuple[syntax.Statement, ...]) -> tuple[nodes.Step, ...]:
        """The steps of a block."""
        with self.hidden.block() as steps:
            for statement in statements:
                self._statement(statement)
        return tuple(steps)

    def _statement(self, node: syntax.Statement) -> None:
        span = node.span
        match node:
            case syntax.FrontierDeclaration():
                if node.symbol is None:
                    impossible(node)
                self.define(node.symbol.unique, node.value, span, node.domain)
            case syntax.Assign():
                self._assign(node)
            case syntax.ExpressionStatement():
                self._expression(node.value)
            case syntax.While():
                self._while(node)
            case syntax.Repeat():
                loop, count = self._next_loop(), self.value(node.count)
                self.emit(nodes.Repeat(span, loop, count, self.block(node.body)))
            case syntax.HistoryDeclaration():
                self._history(node)
            case syntax.BucketsDeclaration():
                self._buckets(node)
            case syntax.LevelLoop():
                self.emit(self._through(node))
            case syntax.If():
                condition = self.value(node.condition)
                then, otherwise = self.block(node.then), self.block(node.otherwise)
                self.emit(nodes.If(span, condition, then, otherwise))
            case syntax.SameGraph() | syntax.Subgraph() | syntax.Contract() | syntax.On():
                self._graph(node)
            case _:
                impossible(node)

    def _history(self, node: syntax.HistoryDeclaration) -> None:
        if node.symbol is None:
            impossible(node)
        history = new_history(self.hidden, node.symbol.unique, node.span)
        self.expressions.histories[node.symbol.unique] = history
        self.emit(emptied(history, node.span))

    def _through(self, node: syntax.LevelLoop) -> nodes.Step:
        name, history = node.symbol.unique, self.expressions.histories[node.history.unique]
        self.frontier(name, node.name_span)
        loop = self._next_loop()
        return through_levels(node, loop, history, name, self.block(node.body))

    def _buckets(self, node: syntax.BucketsDeclaration) -> None:
        if node.symbol is None or node.array is None or node.array.type is None:
            impossible(node)
        span, name = node.span, node.symbol.unique
        width = self.value(node.width) if node.width is not None else None
        waiting = self.frontier(self.temporary(f"{name}_waiting"), span)
        array = node.array.name, node.array.type
        self.emit(*self.buckets.begin(name, node.name, array, width, waiting, span))
        if node.value is not None:
            members = self.elements(node.value, Domain.VERTEX)
            self.emit(self.buckets.push(name, members, node.value.span))

    def pop(self, node: syntax.Popped, result: str) -> None:
        """`result = b.pop()`."""
        self.emit(self.buckets.pop(node.buckets.unique, self.frontier(result, node.span), node.span))

    def _push(self, node: syntax.Method) -> None:
        """Pushes a set into buckets, or as a level of a history."""
        if node.symbol is None:
            impossible(node)
        (argument,) = node.arguments
        if node.symbol.kind is SymbolKind.BUCKETS:
            pushed = self.elements(argument.value, Domain.VERTEX)
            self.emit(self.buckets.push(node.symbol.unique, pushed, node.span))
        else:
            name = self.named(argument.value, Domain.VERTEX)
            self.emit(nodes.PushLevel(node.span, self.expressions.histories[node.symbol.unique], name))

    def _while(self, node: syntax.While) -> None:
        """Reductions in the condition run before the loop, and again at the end of each pass."""
        with self.hidden.block() as before:
            loop, condition = self._next_loop(), self.value(node.condition)
        body = self.block(node.body) + self.reductions.again(before)
        self.emit(*before, nodes.While(node.span, loop, condition, body))

    def _graph(self, node: syntax.SameGraph | syntax.Subgraph | syntax.Contract | syntax.On) -> None:
        span = node.span
        if node.symbol is None:
            impossible(node)
        name = node.symbol.unique
        if name not in self.graphs and not isinstance(node, syntax.On):
            self.graphs.append(name)
        match node:
            case syntax.On():
                self.emit(nodes.On(span, name, self.block(node.body)))
            case syntax.SameGraph():
                self.emit(nodes.SameGraph(span, name))
            case syntax.Subgraph():
                self.emit(nodes.Subgraph(span, name, self.named(node.edges, Domain.EDGE)))
            case syntax.Contract():
                if node.label.type is None:
                    impossible(node)
                weights = None
                if node.weight is not None and node.weight.type is not None:
                    weights = nodes.Weights(node.weight.span, node.weight.name, node.weight.type, node.operation)
                self.emit(nodes.Contract(span, name, node.label.name, node.label.type, weights))

    def _next_loop(self) -> int:
        self.loops += 1
        return self.loops - 1

    def _assign(self, node: syntax.Assign) -> None:
        target, symbol = node.target, node.target.symbol
        if symbol is None:
            impossible(node)
        if symbol.kind is SymbolKind.FRONTIER:
            self.define(symbol.unique, node.value, node.span, symbol.domain or Domain.VERTEX)
        elif isinstance(node.value, syntax.Numbering) and symbol.type is not None:
            members = self.elements(node.value.input, node.value.domain)
            self.emit(nodes.NumberMembers(node.span, symbol.name, symbol.type, members))
        elif isinstance(node.value, syntax.OperatorCall):
            votes = node.value.kind is OperatorKind.NEIGHBOR_VOTE
            (self._neighbor_vote if votes else self._neighbor_reduce)(node.value, target)
        elif isinstance(target, syntax.Name):
            self.emit(nodes.StoreScalar(node.span, symbol.name, self.value(node.value)))
        else:
            place = self.expressions.target(target)
            if not isinstance(place, nodes.ElementTarget):
                impossible(node)
            self.emit(nodes.StoreElement(node.span, place, self.value(node.value)))

    def _expression(self, node: syntax.Expression) -> None:
        if isinstance(node, syntax.OperatorCall):
            keeps = node.kind in (OperatorKind.FILTER, OperatorKind.WHERE)
            self.operator(node, self.temporary(stem_of(node)) if keeps else None)
            return
        if isinstance(node, syntax.Popped):
            self.pop(node, self.temporary(stem_of(node)))
            return
        if isinstance(node, syntax.Method):
            self._push(node)
            return
        if not isinstance(node, syntax.Call):
            impossible(node)
        first, second = (argument.value for argument in node.arguments)
        if not isinstance(first, syntax.Name) or first.symbol is None:
            impossible(node)
        symbol = first.symbol
        if node.function == "swap" and isinstance(second, syntax.Name):
            self.emit(nodes.Swap(node.span, symbol.name, second.name, symbol.kind is SymbolKind.SCALAR))
        elif symbol.domain is not None and symbol.type is not None:
            value = self.value(second)
            self.emit(nodes.Fill(node.span, symbol.name, symbol.domain, symbol.type, value))

    # ------------------------------------------------------------ operators

    def _input(self, call: syntax.OperatorCall) -> nodes.Elements:
        """The elements that `call` runs on; for an advance from edges, their far ends."""
        if call.input is None:
            raise AssertionError("lowering: an operator without input")
        if call.kind is OperatorKind.ADVANCE and call.runs_on is Domain.EDGE:
            return self._ends(call, self._named_edges(call), far=True)
        return self.elements(call.input, call.runs_on)

    def _named_edges(self, call: syntax.OperatorCall) -> str:
        """The set of edges that `call` runs on, as a frontier."""
        if call.input is None:
            impossible(call)
        return self.named(call.input, Domain.EDGE)

    def _ends(self, call: syntax.OperatorCall, edges: str, *, far: bool) -> nodes.Elements:
        """The far ends, or the near ones, of the edges that `call` runs on."""
        span = call.input.span if call.input is not None else call.span
        ends = self.frontier(self.temporary("far_ends" if far else "near_ends"), span)
        towards_sources = over_of(call.input, self.far_ends) is Over.IN_EDGES
        end = nodes.Role.SOURCE if towards_sources is far else nodes.Role.DESTINATION
        self.emit(nodes.FarEnds(span, ends, edges, end))
        return nodes.Elements(span, Domain.VERTEX, ends)

    def operator(self, call: syntax.OperatorCall, result: str | None) -> None:
        """`result = call`."""
        if call.kind is OperatorKind.INTERSECT:
            self._intersect(call, result)
            return
        if call.kind is OperatorKind.TOP:
            self._top(call, result)
            return
        span, functor, label = call.span, call.name, call.label or call.name
        if call.kind is OperatorKind.WHERE and result is not None:
            everything = nodes.Elements(span, Domain.VERTEX, None)
            self.emit(
                nodes.Filter(span, self._next_site(call), label, everything, functor, self.frontier(result, span))
            )
            return
        source = self._input(call)
        site = self._next_site(call)
        if call.kind is OperatorKind.ADVANCE:
            gives = call.gives or Domain.VERTEX
            result_set = self.frontier(result, span, gives) if result is not None else None
            self.emit(nodes.Advance(span, site, label, source, functor, result_set, call.over, None, gives))
        elif call.kind is OperatorKind.FILTER and result is not None:
            self.emit(nodes.Filter(span, site, label, source, functor, self.frontier(result, span, call.runs_on)))
        else:
            self.emit(nodes.Compute(span, site, label, source, functor, None, None))

    def _top(self, call: syntax.OperatorCall, result: str | None) -> None:
        if call.limit is None or result is None:
            impossible(call)
        source = self._input(call)
        functor, limit = self.functors.edge_functor_called(call.name), self.value(call.limit)
        result_set = self.frontier(result, call.span, Domain.EDGE)
        request = Request(call.span, call.label or call.name, source, functor, limit, call.over, result_set)
        waiting = self.frontier(self.temporary("waiting"), call.span)
        self.emit(*BestEdges(request, self.hidden, waiting, self._next_loop()).steps())

    def _next_site(self, call: syntax.OperatorCall) -> int:
        return self.hidden.site(call.span, call.tuned_as, self.knobs.of_call(call))

    def _intersect(self, call: syntax.OperatorCall, result: str | None) -> None:
        """The total is added to its scalar, which is set to 0 first, after the input has read its old value."""
        span, source = call.span, self._input(call)
        partners = None
        if call.other is not None:
            other = self.elements(call.other, Domain.VERTEX)
            partners = self.pairs.pair(source, other, span)
        count = call.count.name if call.count is not None else None
        if count is not None and not call.adds:
            self.emit(nodes.StoreScalar(span, count, nodes.Literal(span, Type.INT64, 0)))
        result_set = self.frontier(result, span) if result is not None else None
        label = call.label or call.name
        functor = call.functor.name if call.functor is not None else None
        self.emit(nodes.Intersect(span, self._next_site(call), label, source, functor, result_set, count, partners))

    def _neighbor_reduce(self, call: syntax.OperatorCall, target: syntax.Name | syntax.Index) -> None:
        if not isinstance(target, syntax.Name) or target.type is None:
            impossible(call)
        empty = self.value(call.empty) if call.empty is not None else None
        reduction = NeighborReduction(call, target.name, target.type, empty)
        if call.runs_on is Domain.VERTEX:
            self.neighbors.of_vertices(reduction, self._input(call))
            return
        named = self._named_edges(call)
        edges, ends = nodes.Elements(call.span, Domain.EDGE, named), self._ends(call, named, far=call.by_far_ends)
        self.neighbors.of_edges(reduction, edges, ends, over_of(call.input, self.far_ends))

    def _neighbor_vote(self, call: syntax.OperatorCall, target: syntax.Expression) -> None:
        if not isinstance(target, syntax.Name) or target.type is None:
            impossible(call)
        self.emit(
            nodes.NeighborVote(
                span=call.span,
                frontier=self._input(call),
                site=self._next_site(call),
                label=call.label or call.name,
                functor=self.functors.ballots[call.name],
                result=None,
                score=call.score.name if call.score is not None else None,
                over=call.over,
                array=target.name,
                array_type=target.type,
                keep=call.keep.name if call.keep is not None else None,
            )
        )
