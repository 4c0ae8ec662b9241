"""Lowers the schedule: nested operator calls become steps of their own, with frontiers between them."""

from __future__ import annotations

from collections import Counter
from typing import Any

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
from gdsl.ir.lowering.neighbor_reductions import NeighborReduceLowering
from gdsl.ir.lowering.reductions import ReductionLowering
from gdsl.ir.lowering.vertex_pairs import VertexPairs
from gdsl.knobs import settled
from gdsl.operations import Domain, Over, SetOperation
from gdsl.source import Span
from gdsl.types import Type


class ScheduleLowering:
    """Lowers the statements of one schedule; `frontiers` lists its frontiers in order of appearance."""

    def __init__(
        self,
        expressions: ExpressionLowering,
        checked: CheckedProgram,
        functors: FunctorLowering,
        taken: set[str],
    ) -> None:
        """`taken` are the names of the program's own frontiers and graphs."""
        self.expressions = expressions
        self.knobs = checked.knobs
        self.far_ends = checked.far_ends
        self.frontiers: dict[str, nodes.Frontier] = {}
        self._temporary = _TemporaryNames(taken)
        self.sites: list[nodes.OperatorKnobs] = []
        """The knobs of each operator, by its site number."""
        self.loops = 0
        self.hidden = Hidden(checked.source.text, self.sites)
        self.buckets = BucketsLowering(self.hidden, expressions)
        self.pairs = VertexPairs(self.hidden)
        self.reductions = ReductionLowering(expressions, self.hidden)
        self.functors = functors
        self.neighbors = NeighborReduceLowering(functors, checked.program.functions, self.hidden, self._next_site)
        self._value = self.reductions.value
        self.graphs: list[str] = []
        """The variables that hold graphs, in order of appearance."""

    def block(self, statements: tuple[syntax.Statement, ...]) -> tuple[nodes.Step, ...]:
        """The steps of a block."""
        steps: list[nodes.Step] = []
        for statement in statements:
            self._statement(statement, steps)
        return tuple(steps)

    def _statement(self, node: syntax.Statement, steps: list[nodes.Step]) -> None:
        span = node.span
        match node:
            case syntax.FrontierDeclaration():
                if node.symbol is None:
                    impossible(node)
                self._define(node.symbol.unique, node.value, span, steps, node.domain)
            case syntax.Assign():
                self._assign(node, steps)
            case syntax.ExpressionStatement():
                self._expression(node.value, steps)
            case syntax.While():
                self._while(node, steps)
            case syntax.Repeat():
                loop, count = self._next_loop(), self._value(node.count, steps)
                steps.append(nodes.Repeat(span, loop, count, self.block(node.body)))
            case syntax.HistoryDeclaration():
                self._history(node, steps)
            case syntax.BucketsDeclaration():
                self._buckets(node, steps)
            case syntax.LevelLoop():
                steps.append(self._through(node))
            case syntax.If():
                condition = self._value(node.condition, steps)
                then, otherwise = self.block(node.then), self.block(node.otherwise)
                steps.append(nodes.If(span, condition, then, otherwise))
            case syntax.SameGraph() | syntax.Subgraph() | syntax.Contract() | syntax.On():
                self._graph(node, steps)
            case _:
                impossible(node)

    def _history(self, node: syntax.HistoryDeclaration, steps: list[nodes.Step]) -> None:
        if node.symbol is None:
            impossible(node)
        history = new_history(self.hidden, node.symbol.unique, node.span)
        self.expressions.histories[node.symbol.unique] = history
        steps.append(emptied(history, node.span))

    def _through(self, node: syntax.LevelLoop) -> nodes.Step:
        name, history = node.symbol.unique, self.expressions.histories[node.history.unique]
        self._list(name, node.name_span)
        loop = self._next_loop()
        return through_levels(node, loop, history, name, self.block(node.body))

    def _buckets(self, node: syntax.BucketsDeclaration, steps: list[nodes.Step]) -> None:
        if node.symbol is None or node.array is None or node.array.type is None:
            impossible(node)
        span, name = node.span, node.symbol.unique
        width = self._value(node.width, steps) if node.width is not None else None
        waiting = self._list(self._temporary(f"{name}_waiting"), span)
        array = node.array.name, node.array.type
        steps += self.buckets.begin(name, node.name, array, width, waiting, span)
        if node.value is not None:
            members = self._elements(node.value, Domain.VERTEX, steps)
            steps.append(self.buckets.push(name, members, node.value.span))

    def _pop(self, node: syntax.Popped, result: str, steps: list[nodes.Step]) -> None:
        steps.append(self.buckets.pop(node.buckets.unique, self._list(result, node.span), node.span))

    def _push(self, node: syntax.Method, steps: list[nodes.Step]) -> None:
        """Pushes a set, which first becomes a frontier if it has no name."""
        if node.symbol is None:
            impossible(node)
        (argument,) = node.arguments
        pushed = self._elements(argument.value, Domain.VERTEX, steps)
        if node.symbol.kind is SymbolKind.BUCKETS:
            steps.append(self.buckets.push(node.symbol.unique, pushed, node.span))
            return
        name = pushed.frontier
        if name is None:
            name = self._temporary("members")
            self._assign_set(name, pushed, argument.span, steps)
        steps.append(nodes.PushLevel(node.span, self.expressions.histories[node.symbol.unique], name))

    def _while(self, node: syntax.While, steps: list[nodes.Step]) -> None:
        """Reductions in the condition run before the loop, and again at the end of each pass."""
        before: list[nodes.Step] = []
        loop, condition = self._next_loop(), self._value(node.condition, before)
        body = self.block(node.body) + self.reductions.again(before)
        steps += [*before, nodes.While(node.span, loop, condition, body)]

    def _graph(
        self, node: syntax.SameGraph | syntax.Subgraph | syntax.Contract | syntax.On, steps: list[nodes.Step]
    ) -> None:
        span = node.span
        if node.symbol is None:
            impossible(node)
        name = node.symbol.unique
        if name not in self.graphs and not isinstance(node, syntax.On):
            self.graphs.append(name)
        match node:
            case syntax.On():
                steps.append(nodes.On(span, name, self.block(node.body)))
            case syntax.SameGraph():
                steps.append(nodes.SameGraph(span, name))
            case syntax.Subgraph():
                steps.append(nodes.Subgraph(span, name, self._set_of_edges(node.edges, steps)))
            case syntax.Contract():
                if node.label.type is None:
                    impossible(node)
                weights = None
                if node.weight is not None and node.weight.type is not None:
                    weights = nodes.Weights(node.weight.span, node.weight.name, node.weight.type, node.operation)
                steps.append(nodes.Contract(span, name, node.label.name, node.label.type, weights))

    def _next_loop(self) -> int:
        self.loops += 1
        return self.loops - 1

    def _assign(self, node: syntax.Assign, steps: list[nodes.Step]) -> None:
        target, symbol = node.target, node.target.symbol
        if symbol is None:
            impossible(node)
        if symbol.kind is SymbolKind.FRONTIER:
            self._define(symbol.unique, node.value, node.span, steps, symbol.domain or Domain.VERTEX)
        elif isinstance(node.value, syntax.Numbering) and symbol.type is not None:
            members = self._elements(node.value.input, node.value.domain, steps)
            steps.append(nodes.NumberMembers(node.span, symbol.name, symbol.type, members))
        elif isinstance(node.value, syntax.OperatorCall):
            votes = node.value.kind is OperatorKind.NEIGHBOR_VOTE
            (self._neighbor_vote if votes else self._neighbor_reduce)(node.value, target, steps)
        elif isinstance(target, syntax.Name):
            steps.append(nodes.StoreScalar(node.span, symbol.name, self._value(node.value, steps)))
        else:
            place = self.expressions.target(target)
            if not isinstance(place, nodes.ElementTarget):
                impossible(node)
            steps.append(nodes.StoreElement(node.span, place, self._value(node.value, steps)))

    def _expression(self, node: syntax.Expression, steps: list[nodes.Step]) -> None:
        if isinstance(node, syntax.OperatorCall):
            keeps = node.kind in (OperatorKind.FILTER, OperatorKind.WHERE)
            self._operator(node, self._temporary(_RESULTS[node.kind]) if keeps else None, steps)
            return
        if isinstance(node, syntax.Popped):
            self._pop(node, self._temporary("popped"), steps)
            return
        if isinstance(node, syntax.Method):
            self._push(node, steps)
            return
        if not isinstance(node, syntax.Call):
            impossible(node)
        first, second = (argument.value for argument in node.arguments)
        if not isinstance(first, syntax.Name) or first.symbol is None:
            impossible(node)
        symbol = first.symbol
        if node.function == "swap" and isinstance(second, syntax.Name):
            steps.append(nodes.Swap(node.span, symbol.name, second.name, symbol.kind is SymbolKind.SCALAR))
        elif symbol.domain is not None and symbol.type is not None:
            value = self._value(second, steps)
            steps.append(nodes.Fill(node.span, symbol.name, symbol.domain, symbol.type, value))

    # ------------------------------------------------------------ frontiers

    def _list(self, name: str, span: Span, domain: Domain = Domain.VERTEX) -> str:
        self.frontiers.setdefault(name, nodes.Frontier(span, name, domain))
        return name

    def _define(
        self, name: str, value: syntax.Expression | None, span: Span, steps: list[nodes.Step], domain: Domain
    ) -> None:
        match value:
            case None:
                steps.append(nodes.DefineFrontier(span, self._list(name, span, domain), (), False, domain))
            case syntax.SetLiteral():
                members = tuple(self._value(member, steps) for member in value.members)
                steps.append(nodes.DefineFrontier(span, self._list(name, span, domain), members, False, domain))
            case syntax.Name():
                self._assign_set(name, self._elements(value, domain, steps), span, steps)
            case syntax.OperatorCall():
                self._operator(value, name, steps)
            case syntax.Popped():
                self._pop(value, name, steps)
            case syntax.SetChain():
                self._assign_set(name, self._chain(value, name, steps), span, steps)
            case _:
                impossible(value)

    def _assign_set(self, name: str, value: nodes.Elements, span: Span, steps: list[nodes.Step]) -> None:
        source = self._list(name, span, value.domain) if value.frontier != name else name
        if value.frontier is None:
            steps.append(nodes.DefineFrontier(span, source, (), True, value.domain))
        elif value.frontier != name:  # `f = f;` does nothing
            steps.append(nodes.CopyFrontier(span, source, value.frontier))

    def _chain(
        self, chain: syntax.SetChain, name: str | None, steps: list[nodes.Step], between: str | None = None
    ) -> nodes.Elements:
        """Combines operands from left to right, into `name` once no later operand reads it, else into `between`."""
        read = _last_reader(name, chain.links) if name is not None else len(chain.links)
        left = self._operand(chain.first, chain.domain, name if read < 0 else None, steps)
        for place, link in enumerate(chain.links):
            right = self._operand(link.operand, chain.domain, None, steps)
            into = name if read <= place else None
            if into is None:
                into = between = between or self._temporary("combined")
            left = self._combined(into, link, left, right, steps)
        return left

    def _operand(
        self, value: syntax.Expression, domain: Domain, into: str | None, steps: list[nodes.Step]
    ) -> nodes.Elements:
        """An operand of a set operation; an unnamed set becomes `into`, or a new frontier."""
        if isinstance(value, syntax.Name):
            return self._elements(value, domain, steps)
        if isinstance(value, syntax.SetChain):
            return self._chain(value, None, steps, into)
        into = into or self._temporary(_stem_of(value))
        self._define(into, value, value.span, steps, domain)
        return nodes.Elements(value.span, domain, into)

    def _combined(
        self, name: str, link: syntax.SetLink, first: nodes.Elements, second: nodes.Elements, steps: list[nodes.Step]
    ) -> nodes.Elements:
        """The result of one operation: `name`, or an operand where nothing needs to be done."""
        span, operation = link.span, link.operation
        same, united = first.frontier == second.frontier, operation is SetOperation.UNION
        if operation is SetOperation.DIFFERENCE:
            if second.everything or same:
                queue = self._list(name, span, first.domain)
                steps.append(nodes.DefineFrontier(span, queue, (), False, first.domain))
                return nodes.Elements(span, first.domain, name)
        elif first.everything or second.everything or same:
            return first if first.everything is united else second
        steps.append(nodes.CombineFrontiers(span, self._list(name, span, first.domain), operation, first, second))
        return nodes.Elements(span, first.domain, name)

    def _elements(self, value: syntax.Expression, domain: Domain, steps: list[nodes.Step]) -> nodes.Elements:
        """A set of `domain`, as a frontier unless it is everything."""
        match value:
            case syntax.Name() if value.symbol is not None and value.symbol.kind is SymbolKind.FRONTIER:
                return nodes.Elements(value.span, domain, value.symbol.unique)
            case syntax.Name():
                return nodes.Elements(value.span, domain, None)
            case syntax.SetChain():
                return self._chain(value, None, steps)
            case syntax.SetLiteral() | syntax.OperatorCall() | syntax.Popped():
                name = self._temporary(_stem_of(value))
                self._define(name, value, value.span, steps, domain)
                return nodes.Elements(value.span, domain, name)
        raise AssertionError("lowering: an operator without input")

    def _input(self, call: syntax.OperatorCall, steps: list[nodes.Step]) -> nodes.Elements:
        """The elements that `call` runs on; for an advance from edges, their far ends."""
        if call.input is None:
            raise AssertionError("lowering: an operator without input")
        if call.kind is OperatorKind.ADVANCE and call.runs_on is Domain.EDGE:
            return self._ends(call, self._named_edges(call, steps), steps, far=True)
        return self._elements(call.input, call.runs_on, steps)

    def _named_edges(self, call: syntax.OperatorCall, steps: list[nodes.Step]) -> str:
        """The set of edges that `call` runs on, as a frontier."""
        if call.input is None:
            impossible(call)
        return self._set_of_edges(call.input, steps)

    def _set_of_edges(self, value: syntax.Expression, steps: list[nodes.Step]) -> str:
        source = self._elements(value, Domain.EDGE, steps)
        if source.frontier is not None:
            return source.frontier
        name = self._temporary("members")
        self._assign_set(name, source, value.span, steps)
        return name

    def _ends(self, call: syntax.OperatorCall, edges: str, steps: list[nodes.Step], *, far: bool) -> nodes.Elements:
        """The far ends, or the near ones, of the edges that `call` runs on."""
        span = call.input.span if call.input is not None else call.span
        ends = self._list(self._temporary("far_ends" if far else "near_ends"), span)
        towards_sources = over_of(call.input, self.far_ends) is Over.IN_EDGES
        end = nodes.Role.SOURCE if towards_sources is far else nodes.Role.DESTINATION
        steps.append(nodes.FarEnds(span, ends, edges, end))
        return nodes.Elements(span, Domain.VERTEX, ends)

    # ------------------------------------------------------------ operators

    def _operator(self, call: syntax.OperatorCall, result: str | None, steps: list[nodes.Step]) -> None:
        if call.kind is OperatorKind.INTERSECT:
            self._intersect(call, result, steps)
            return
        if call.kind is OperatorKind.TOP:
            self._top(call, result, steps)
            return
        span, functor, label = call.span, call.name, call.label or call.name
        if call.kind is OperatorKind.WHERE and result is not None:
            everything = nodes.Elements(span, Domain.VERTEX, None)
            steps.append(
                nodes.Filter(span, self._next_site(call), label, everything, functor, self._list(result, span))
            )
            return
        source = self._input(call, steps)
        site = self._next_site(call)
        if call.kind is OperatorKind.ADVANCE:
            gives = call.gives or Domain.VERTEX
            result_set = self._list(result, span, gives) if result is not None else None
            steps.append(nodes.Advance(span, site, label, source, functor, result_set, call.over, None, gives))
        elif call.kind is OperatorKind.FILTER and result is not None:
            steps.append(nodes.Filter(span, site, label, source, functor, self._list(result, span, call.runs_on)))
        else:
            steps.append(nodes.Compute(span, site, label, source, functor, None, None))

    def _top(self, call: syntax.OperatorCall, result: str | None, steps: list[nodes.Step]) -> None:
        if call.limit is None or result is None:
            impossible(call)
        source = self._input(call, steps)
        functor, limit = self.functors.edge_functor_called(call.name), self._value(call.limit, steps)
        result_set = self._list(result, call.span, Domain.EDGE)
        request = Request(call.span, call.label or call.name, source, functor, limit, call.over, result_set)
        waiting = self._list(self._temporary("waiting"), call.span)
        steps += BestEdges(request, self.hidden, waiting, self._next_loop()).steps()

    def _next_site(self, call: syntax.OperatorCall) -> int:
        chosen = self.knobs.of_call(call)
        fields: dict[str, Any] = settled(call.tuned_as, chosen)
        self.sites.append(nodes.OperatorKnobs(call.span, **fields))
        return len(self.sites) - 1

    def _intersect(self, call: syntax.OperatorCall, result: str | None, steps: list[nodes.Step]) -> None:
        """The total is added to its scalar, which is set to 0 first, after the input has read its old value."""
        span, source = call.span, self._input(call, steps)
        partners = None
        if call.other is not None:
            other = self._elements(call.other, Domain.VERTEX, steps)
            partners = self.pairs.pair(source, other, span, steps)
        count = call.count.name if call.count is not None else None
        if count is not None and not call.adds:
            steps.append(nodes.StoreScalar(span, count, nodes.Literal(span, Type.INT64, 0)))
        result_set = self._list(result, span) if result is not None else None
        label = call.label or call.name
        functor = call.functor.name if call.functor is not None else None
        steps.append(nodes.Intersect(span, self._next_site(call), label, source, functor, result_set, count, partners))

    def _neighbor_reduce(
        self, call: syntax.OperatorCall, target: syntax.Name | syntax.Index, steps: list[nodes.Step]
    ) -> None:
        if not isinstance(target, syntax.Name):
            impossible(call)
        empty = self._value(call.empty, steps) if call.empty is not None else None
        if call.runs_on is Domain.VERTEX:
            self.neighbors.of_vertices(call, target, self._input(call, steps), empty, steps)
            return
        named = self._named_edges(call, steps)
        ends = self._ends(call, named, steps, far=call.by_far_ends)
        over = over_of(call.input, self.far_ends)
        self.neighbors.of_edges(call, target, nodes.Elements(call.span, Domain.EDGE, named), ends, over, empty, steps)

    def _neighbor_vote(self, call: syntax.OperatorCall, target: syntax.Expression, steps: list[nodes.Step]) -> None:
        if not isinstance(target, syntax.Name) or target.type is None:
            impossible(call)
        steps.append(
            nodes.NeighborVote(
                span=call.span,
                frontier=self._input(call, steps),
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


_RESULTS = {
    OperatorKind.ADVANCE: "advanced",
    OperatorKind.FILTER: "filtered",
    OperatorKind.WHERE: "selected",
    OperatorKind.INTERSECT: "common",
    OperatorKind.TOP: "best",
}
"""Names for the results of operators."""


class _TemporaryNames:
    """New names for frontiers: a stem and a number."""

    def __init__(self, taken: set[str]) -> None:
        """`taken` are the existing names, to which new ones are added."""
        self.taken, self._counts = taken, Counter[str]()

    def __call__(self, stem: str) -> str:
        """The next name with this stem."""
        self._counts[stem] += 1
        while f"{stem}_{self._counts[stem]}" in self.taken:
            self._counts[stem] += 1
        self.taken.add(f"{stem}_{self._counts[stem]}")
        return f"{stem}_{self._counts[stem]}"


def _stem_of(value: syntax.Expression) -> str:
    """The stem of the name of an unnamed set."""
    if isinstance(value, syntax.Popped):
        return "popped"
    return _RESULTS[value.kind] if isinstance(value, syntax.OperatorCall) else "members"


def _last_reader(name: str, links: tuple[syntax.SetLink, ...]) -> int:
    """The position of the last operand that reads the frontier `name`, or -1."""
    for place in reversed(range(len(links))):
        readers = (node for node in syntax.walk(links[place].operand) if isinstance(node, syntax.Name))
        if any(node.symbol is not None and node.symbol.unique == name for node in readers):
            return place
    return -1
