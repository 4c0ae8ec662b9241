"""Operations of the plan as what the templates lay out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdsl.codegen.cuda.layout import Layout
from gdsl.codegen.cuda.texts import (
    AdvanceText,
    ComputeText,
    FilterText,
    OperatorText,
    Pull,
    Push,
    ReduceSide,
    ReduceText,
    Side,
    Visit,
)
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls, FunctorTexts
from gdsl.codegen.names import Names
from gdsl.codegen.reductions import combine, identity, reduce_function
from gdsl.codegen.switches import switch_text
from gdsl.ir.nodes import EdgeFunctor, VertexFunctor
from gdsl.operations import Balance, Domain, NeighborOperation, Over
from gdsl.plan.nodes import (
    Choice,
    Collect,
    Dedup,
    EdgeCount,
    Measure,
    Operation,
    Plan,
    Segment,
    Sweep,
    Variant,
    Walk,
)
from gdsl.plan.walking import sweeps_of

_LISTS = {Over.OUT_EDGES: "out_lists{d.graph}", Over.IN_EDGES: "in_lists{d.graph}"}
COUNTED: dict[Over | None, str] = {
    None: "uncounted()",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_lists{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}
_PUSHES = {Balance.THREAD: "push_threads", Balance.BLOCK: "push_blocks", Balance.AUTO: "push_warps"}
_REDUCES = {Balance.THREAD: "reduce_threads", Balance.BLOCK: "reduce_blocks", Balance.AUTO: "reduce_warps"}
_MEASURES = {
    Measure.SIZE: "input.size",
    Measure.EDGES: "input.edges",
    Measure.UNVISITED: "direction.unvisited",
    Measure.VERTICES: "uint64(d.graph.num_vertices)",
}
_EDGES = {
    EdgeCount.NONE: "0",
    EdgeCount.ALL: "uint64(d.graph.num_edges)",
    EdgeCount.BOTH_LISTS: "2 * uint64(d.graph.num_edges)",
    EdgeCount.CARRIED: "input.edges",
    EdgeCount.WALKED: "load_relaxed(&run.counters()->visited)",
}


@dataclass(frozen=True, slots=True)
class EdgeNames:
    """What an edge's parts are called where a functor is run on it: C++ text for each."""

    near: str
    far: str
    at: str
    """The parameter: the place of the edge in the lists that are walked."""
    arguments: Arguments

    @property
    def parameters(self) -> str:
        """The parameters of a visit."""
        return f"vertex {self.near}, vertex {self.far}, edge {self.at}"


@dataclass
class OperatorPrinter:
    """Prints the operations of one plan; `texts` gathers the functions that they call."""

    plan: Plan
    layout: Layout
    names: Names
    texts: FunctorTexts

    def print(self, operation: Operation) -> OperatorText:
        """What is laid out for any operation."""
        does = operation.does
        sweep = sweeps_of(operation)[0]
        common = self._common(operation, sweep, isinstance(does, Choice))
        if isinstance(does, Choice):
            choice = switch_text(does.test, "direction.pull", _MEASURES)
            return AdvanceText(**common, push=self._push(does.no), pull=self._pull(does.yes), choice=choice)
        if sweep.segment is not None:
            return self._reduce(common, sweep, sweep.segment)
        if sweep.own is not None:
            return self._on_elements(common, sweep, sweep.own)
        if sweep.selection is not None:
            return AdvanceText(**common, push=None, pull=self._pull(sweep), choice="")
        return AdvanceText(**common, push=self._push(sweep), pull=None, choice="")

    def _common(self, operation: Operation, sweep: Sweep, directed: bool) -> dict[str, Any]:
        has_input, collect = sweep.members.frontier is not None, sweep.collect
        parts = [
            ("enactor& run", ""),
            ("const data_slice& d", ""),
            *([("frontier& input", "input")] if has_input else []),
            *([("frontier& result", "result")] if collect is not None else []),
            *([("direction_state& direction", "direction")] if directed else []),
            ("int32 iteration", "iteration"),
        ]
        everything = "d.graph.num_edges" if sweep.members.domain is Domain.EDGE else "d.graph.num_vertices"
        functor = next(each for each in (sweep.own, *(walk.variant for walk in sweep.walks)) if each is not None)
        return {
            "function": self.names.fresh(operation.name),
            "comment": f"line {operation.step.span.line}: {operation.call}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": tuple(argument for _, argument in parts if argument),
            "site": operation.step.site,
            "input": has_input,
            "result": collect is not None,
            "directed": directed,
            "members": "members_of(input)" if has_input else "all_members{uint64(d.graph.num_vertices)}",
            "size": "input.size" if has_input else f"uint64({everything})",
            "counted": self._counted(collect),
            "totals": self.texts.totals_of(functor.functor, sweep.totals),
        }

    def _counted(self, collect: Collect | None) -> str:
        counts = {frontier.name: frontier.counts for frontier in self.plan.frontiers}
        return COUNTED[counts[collect.frontier] if collect is not None else None]

    # Along edges

    def _push(self, sweep: Sweep) -> Push:
        collect = sweep.collect
        marks = collect is not None and collect.dedup is Dedup.MARK
        sides = []
        for i, walk in enumerate(sweep.walks):
            edge = self._edge_names(walk)
            mark = f"mark(seen, {edge.far})" if marks else ""
            visit = self._visit(walk.variant, edge, far=edge.far, mark=mark)
            first = i == 0 and len(sweep.walks) == 2
            name = "visit" if i == 0 else "visit_back"
            sides.append(Side(name, self._pushed_lists(walk), visit, first, "chunks" if i else "0"))
        return Push(
            sides=tuple(sides),
            balance=_PUSHES[sweep.balance],
            hubs=any(walk.shared is not None for walk in sweep.walks),
            counts_visited=sweep.edges is EdgeCount.WALKED,
            edges=_EDGES[sweep.edges],
            marks=marks,
        )

    def _pushed_lists(self, walk: Walk) -> str:
        if walk.first_places is None:
            return _LISTS[walk.lists]
        return f"first_places{{d.graph, {self.texts.printer.expressions().print(walk.first_places)}}}"

    def _pull(self, sweep: Sweep) -> Pull:
        (walk,), selection = sweep.walks, sweep.selection
        assert selection is not None and walk.shared is not None
        edge = self._edge_names(walk)
        return Pull(
            lists=_LISTS[walk.lists],
            closes=selection.closes,
            far=edge.far,
            selected=self.texts.test(selection.test, edge.arguments, "selects"),
            alone=self._visit(walk.variant, edge, "meets", "apply_alone"),
            shared=self._visit(walk.shared, edge, "meets"),
            edges=_EDGES[sweep.edges],
        )

    def _visit(
        self,
        variant: Variant,
        edge: EdgeNames,
        condition: str = "condition",
        apply: str = "apply",
        far: str = "",
        mark: str = "",
    ) -> Visit:
        calls = self.texts.calls(variant, edge.arguments, condition, "apply_claimed" if variant.claim else apply)
        return Visit(edge.parameters, _test(calls), calls.apply, calls.says, far, mark)

    # Vertices, and all edges

    def _on_elements(self, common: dict[str, Any], sweep: Sweep, own: Variant) -> FilterText | ComputeText:
        functor = self.texts.functor(own.functor)
        if sweep.members.domain is Domain.EDGE:
            assert isinstance(functor, EdgeFunctor)
            visit = self._visit(own, self._names_along(functor, Over.OUT_EDGES, Over.OUT_EDGES, edge_ids=True))
            return ComputeText(**common, edges=True, visit=visit)
        assert isinstance(functor, VertexFunctor)
        name = self.names.local(functor.vertex)
        calls = self.texts.calls(own, {Argument.VERTEX: name})
        visit = Visit(f"vertex {name}", _test(calls), calls.apply, calls.says, name)
        if sweep.collect is not None:
            return FilterText(**common, visit=visit)
        return ComputeText(**common, edges=False, visit=visit)

    # Neighbour reduction

    def _reduce(self, common: dict[str, Any], sweep: Sweep, segment: Segment) -> ReduceText:
        array = f"d.{self.layout.member_of[segment.array]}"
        target = f"d.{self.layout.member_of[segment.aside]}" if segment.aside is not None else array
        return ReduceText(
            **common,
            type=segment.type.value,
            identity=identity(segment.reduction),
            combine=combine(segment.reduction),
            reduce=reduce_function(segment.reduction),
            sides=tuple(self._reduce_side(walk, i, sweep, segment, target) for i, walk in enumerate(sweep.walks)),
            balance=_REDUCES[sweep.balance],
            hubs=any(walk.shared is not None for walk in sweep.walks),
            target=target,
            copied=array if segment.aside is not None else "",
        )

    def _reduce_side(self, walk: Walk, place: int, sweep: Sweep, segment: Segment, target: str) -> ReduceSide:
        edge = self._edge_names(walk)
        empty = "false" if segment.operation is NeighborOperation.COUNT else identity(segment.reduction)
        assign = f"combine({target}[near], reduced)" if place else "reduced"
        return ReduceSide(
            name="value_back" if place else "value",
            lists=_LISTS[walk.lists],
            parameters=edge.parameters,
            value=self.texts.value(walk.variant, edge.arguments, empty),
            first_of_two=place == 0 and len(sweep.walks) == 2,
            begin="chunks" if place else "0",
            assign=f"{target}[near] = {assign}",
        )

    # Names

    def _edge_names(self, walk: Walk) -> EdgeNames:
        functor = self.texts.functor(walk.variant.functor)
        assert isinstance(functor, EdgeFunctor)
        return self._names_along(functor, walk.over, walk.lists, walk.edge_ids)

    def _names_along(self, functor: EdgeFunctor, over: Over, lists: Over, edge_ids: bool) -> EdgeNames:
        """The names of an edge in a visit `over` the edges of the members, walking `lists`."""
        source, destination = self.names.local(functor.source), self.names.local(functor.destination)
        forward = lists is Over.OUT_EDGES
        at = self.names.local(functor.edge) if forward else "at"
        near, far = (source, destination) if over is Over.OUT_EDGES else (destination, source)
        arguments = {
            Argument.SOURCE: source,
            Argument.DESTINATION: destination,
            Argument.EDGE: at if forward or not edge_ids else "in_lists{d.graph}.id(at)",
            Argument.NEAR: near,
            Argument.FAR: far,
        }
        return EdgeNames(near, far, at, arguments)


def _test(calls: Calls) -> str:
    return " && ".join(calls.tests)
