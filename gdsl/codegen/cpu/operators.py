"""Operations of the plan as what the templates lay out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdsl.codegen.conversions import conversion
from gdsl.codegen.cpu.texts import (
    AdvanceText,
    ComputeText,
    FilterText,
    OperatorText,
    Pull,
    Push,
    ReduceText,
    Visit,
    WalkText,
)
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls, FunctorTexts
from gdsl.codegen.names import Names
from gdsl.codegen.precedence import Text
from gdsl.codegen.reductions import combine, identity
from gdsl.codegen.switches import switch_text
from gdsl.ir.nodes import EdgeFunctor, VertexFunctor
from gdsl.operations import Domain, NeighborOperation, Over
from gdsl.plan.nodes import Choice, Dedup, EdgeCount, Measure, Operation, Plan, Segment, Sweep, Variant, Walk
from gdsl.plan.walking import sweeps_of
from gdsl.types import ScalarType

COUNTED: dict[Over | None, str] = {
    None: "uncounted{}",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_neighbors{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}
_MEASURES = {
    Measure.SIZE: "input.size",
    Measure.EDGES: "input.edges",
    Measure.UNVISITED: "direction.unvisited",
    Measure.VERTICES: "d.graph.num_vertices",
}
_EDGES = {
    EdgeCount.NONE: "0",
    EdgeCount.ALL: "d.graph.num_edges",
    EdgeCount.BOTH_LISTS: "2 * d.graph.num_edges",
    EdgeCount.CARRIED: "input.edges",
}


@dataclass(frozen=True, slots=True)
class EdgeNames:
    """What the parts of an edge are called where a functor is run on it."""

    near: str
    far: str
    edge: str
    arguments: Arguments

    @property
    def parameters(self) -> str:
        """Of a lambda that visits the edge."""
        return f"vertex {self.near}, vertex {self.far}, edge {self.edge}"


@dataclass
class OperatorPrinter:
    """Prints the operations of one plan; `texts` gathers the functions that they call."""

    plan: Plan
    names: Names
    texts: FunctorTexts
    temporaries: dict[str, str]
    """The member for each buffer that the program makes for itself."""

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
        step, members, collect = operation.step, sweep.members, sweep.collect
        parts = [
            ("run_state& run", "run"),
            ("const data_slice& d", "d"),
            *([("frontier& input", self.names.frontier(members.frontier))] if members.frontier is not None else []),
            *([("frontier& result", self.names.frontier(collect.frontier))] if collect is not None else []),
            *([("direction_state& direction", direction_of(step.site))] if directed else []),
            ("int32 iteration", "iteration"),
        ]
        everything = "d.graph.num_edges" if members.domain is Domain.EDGE else "d.graph.num_vertices"
        functor = next(each for each in (sweep.own, *(walk.variant for walk in sweep.walks)) if each is not None)
        totals = self.texts.totals_of(functor.functor, sweep.totals)
        has_input = members.frontier is not None
        return {
            "function": self.names.fresh(operation.name),
            "comment": f"Line {step.span.line}: {operation.call}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": ", ".join(argument for _, argument in parts),
            "site": step.site,
            "input": has_input,
            "result": collect is not None,
            "members": "members_of(input)" if has_input else "all_members{d.graph.num_vertices}",
            "size": "input.size" if has_input else everything,
            "counted": counted(self.plan, collect.frontier if collect is not None else None),
            "totals": totals.type if totals is not None else "",
        }

    # Along edges

    def _push(self, sweep: Sweep) -> Push:
        collect = sweep.collect
        marks = collect is not None and collect.dedup is Dedup.MARK
        walks = []
        for walk in sweep.walks:
            edge = self._edge_names(walk)
            apply = "apply_claimed" if walk.variant.claim is not None else "apply"
            calls = self.texts.calls(walk.variant, edge.arguments, apply=apply)
            new = f"out.is_new({edge.far})" if marks else ""
            lines = _visit_lines(calls, edge.far if collect is not None else "", new)
            walks.append(WalkText(self._pushed_lists(walk), Visit(edge.parameters, lines)))
        over = sweep.walks[0].over if len(sweep.walks) == 1 else Over.ALL_EDGES
        edges = "" if sweep.edges is EdgeCount.WALKED else _EDGES[sweep.edges]
        return Push(tuple(walks), COUNTED[over], marks, edges)

    def _pushed_lists(self, walk: Walk) -> str:
        if walk.first_places is None:
            return _lists(walk)
        return f"first_places{{d.graph, {self.texts.printer.expressions().print(walk.first_places)}}}"

    def _pull(self, sweep: Sweep) -> Pull:
        (walk,), selection = sweep.walks, sweep.selection
        assert selection is not None
        edge = self._edge_names(walk)
        calls = self.texts.calls(walk.variant, edge.arguments, "meets", "apply_alone")
        select = (f"return {self.texts.test(selection.test, edge.arguments, 'selects')};",)
        return Pull(
            lists=_lists(walk),
            closes=selection.closes,
            select=Visit(f"vertex {edge.far}", select),
            visit=Visit(edge.parameters, _answer_lines(calls)),
            edges=_EDGES[sweep.edges],
        )

    # Vertices, and all edges

    def _on_elements(self, common: dict[str, Any], sweep: Sweep, own: Variant) -> FilterText | ComputeText:
        functor = self.texts.functor(own.functor)
        if isinstance(functor, EdgeFunctor):
            edge = self._names_along(functor, Over.OUT_EDGES)
            lines = _visit_lines(self.texts.calls(own, edge.arguments), "", "")
            return ComputeText(**common, edges=True, visit=Visit(edge.parameters, lines))
        assert isinstance(functor, VertexFunctor)
        name = self.names.local(functor.vertex)
        calls = self.texts.calls(own, {Argument.VERTEX: name})
        if sweep.collect is not None:
            return FilterText(**common, visit=Visit(f"vertex {name}", _visit_lines(calls, name, "")))
        return ComputeText(**common, edges=False, visit=Visit(f"vertex {name}", _visit_lines(calls, "", "")))

    # Neighbour reduction

    def _reduce(self, common: dict[str, Any], sweep: Sweep, segment: Segment) -> ReduceText:
        array, kind = f"d.{self.names.member(segment.array)}", segment.type
        target = f"d.{self.temporaries[segment.aside]}" if segment.aside is not None else array
        walks = []
        for i, walk in enumerate(sweep.walks):
            edge = self._edge_names(walk)
            value = self._value(walk, edge, segment)
            reduced = f"combine({target}[near], reduced)" if i else "reduced"
            assign = Visit(f"vertex near, {kind.value} reduced", (f"{target}[near] = {reduced};",))
            walks.append(WalkText(_lists(walk), Visit(edge.parameters, (f"return {value};",)), assign))
        stored = Visit("vertex near", (f"{array}[near] = {target}[near];",)) if segment.aside is not None else None
        return ReduceText(
            **common,
            type=kind.value,
            identity=identity(segment.reduction),
            combine=f"bool({combine(segment.reduction)})" if kind is ScalarType.BOOL else combine(segment.reduction),
            walks=tuple(walks),
            stored=stored,
        )

    def _value(self, walk: Walk, edge: EdgeNames, segment: Segment) -> str:
        """What an edge gives, in the type of the reduction: a count adds up bools."""
        counts = segment.operation is NeighborOperation.COUNT
        empty = "false" if counts else identity(segment.reduction)
        value = self.texts.value(walk.variant, edge.arguments, empty)
        return conversion(Text(value, 1), ScalarType.BOOL, segment.type).text if counts else value

    # Names

    def _edge_names(self, walk: Walk) -> EdgeNames:
        functor = self.texts.functor(walk.variant.functor)
        assert isinstance(functor, EdgeFunctor)
        return self._names_along(functor, walk.over)

    def _names_along(self, functor: EdgeFunctor, over: Over) -> EdgeNames:
        source, destination = self.names.local(functor.source), self.names.local(functor.destination)
        edge = self.names.local(functor.edge)
        near, far = (destination, source) if over is Over.IN_EDGES else (source, destination)
        arguments = {
            Argument.SOURCE: source,
            Argument.DESTINATION: destination,
            Argument.EDGE: edge,
            Argument.NEAR: near,
            Argument.FAR: far,
        }
        return EdgeNames(near, far, edge, arguments)


def direction_of(site: int) -> str:
    """The variable that an operation remembers its choice in."""
    return f"direction_{site}"


def counted(plan: Plan, frontier: str | None) -> str:
    """Whose edges are counted where `frontier` is made."""
    counts = {each.name: each.counts for each in plan.frontiers}
    return COUNTED[counts[frontier] if frontier is not None else None]


def _visit_lines(calls: Calls, collected: str, new: str) -> tuple[str, ...]:
    """The body of a visit that appends `collected` (if any) where it is accepted and `new`."""
    chain = [*calls.tests, *([calls.apply] if calls.says and collected else [])]
    inner = [] if not calls.apply or (calls.says and collected) else [f"{calls.apply};"]
    append = f"out.append({collected});"
    if collected and new and inner:
        inner.append(f"if ({new}) {{ {append} }}")
    elif collected:
        chain += [new] if new else []
        inner.append(append)
    if not chain:
        return tuple(inner)
    return (f"if ({' && '.join(chain)}) {{", *(f"    {line}" for line in inner), "}")


def _answer_lines(calls: Calls) -> tuple[str, ...]:
    """The body of a visit that answers whether it accepts."""
    if calls.says or not calls.apply:
        chain = [*calls.tests, *([calls.apply] if calls.apply else [])]
        return (f"return {' && '.join(chain) or 'true'};",)
    guard = [f"if (!({' && '.join(calls.tests)})) {{ return false; }}"] if calls.tests else []
    return (*guard, f"{calls.apply};", "return true;")


def _lists(walk: Walk) -> str:
    """The lists to walk; the ids of in-edges only where they are asked for."""
    if walk.lists is Over.OUT_EDGES:
        return "out_lists{d.graph}"
    return "in_lists{d.graph}" if walk.edge_ids else "in_neighbors{d.graph}"
