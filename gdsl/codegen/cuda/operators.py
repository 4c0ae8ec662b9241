"""From an operator of the IR to its plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gdsl.codegen.cuda.constants import NEIGHBOR, SUMS, identity
from gdsl.codegen.cuda.functors import EDGE, FunctorTexts, on_an_edge
from gdsl.codegen.cuda.plan import (
    AdvancePlan,
    ComputePlan,
    FilterPlan,
    OperatorPlan,
    Pull,
    ReducePlan,
    ReduceSide,
    Side,
    Visit,
)
from gdsl.codegen.expressions import REDUCTIONS
from gdsl.codegen.names import Scope
from gdsl.ir.nodes import (
    Advance,
    AllEdges,
    AllVertices,
    Compute,
    Element,
    Filter,
    NeighborReduce,
    Operator,
    Program,
    Role,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, NeighborOperation, Over
from gdsl.types import ScalarType

_LISTS = {Over.OUT_EDGES: "out_lists{d.graph}", Over.IN_EDGES: "in_lists{d.graph}"}
COUNTED: dict[Over | None, str] = {
    None: "uncounted()",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_lists{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}
_BACK = {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}
_PUSHES = {Balance.THREAD: "push_threads", Balance.BLOCK: "push_blocks", Balance.AUTO: "push_warps"}
_REDUCES = {Balance.THREAD: "reduce_threads", Balance.BLOCK: "reduce_blocks", Balance.AUTO: "reduce_warps"}


@dataclass
class OperatorPlanner:
    """Plans the operators of one program; `texts` gathers the functions that they call."""

    program: Program
    texts: FunctorTexts
    temporaries: dict[str, str] = field(default_factory=dict)
    """Members that a reduction computes into before it stores, by the array that it stores to."""

    def plan(self, op: Operator) -> OperatorPlan:
        """The plan of any operator."""
        if isinstance(op, Advance):
            return self._advance(op)
        if isinstance(op, Filter):
            return self._filter(op)
        if isinstance(op, Compute):
            return self._compute(op)
        assert isinstance(op, NeighborReduce)
        return self._reduce(op)

    # What all operators share

    def _common(
        self, kind: str, op: Operator, call: str, marks: bool = False, directed: bool = False
    ) -> dict[str, Any]:
        names, frontier = self.texts.names, getattr(op, "frontier", None)
        has_input = not isinstance(frontier, (AllVertices, AllEdges))
        has_result = getattr(op, "result", None) is not None
        parts = [
            ("enactor& run", ""),
            ("const data_slice& d", ""),
            *([("frontier& input", "input")] if has_input else []),
            *([("frontier& result", "result")] if has_result else []),
            *([("marks& seen", "seen")] if marks else []),
            *([("direction_state& direction", "direction")] if directed else []),
            ("int32 iteration", "iteration"),
        ]
        everything = "d.graph.num_edges" if isinstance(frontier, AllEdges) else "d.graph.num_vertices"
        return {
            "title": f"{kind}_{op.label}",
            "function": names.derived(Scope.GLOBAL, f"{kind}_{op.label}", f"operator {op.site}"),
            "direction": names.derived(Scope.VARIABLE, f"direction_of_{kind}_{op.label}", f"operator {op.site}"),
            "comment": f"line {op.span.line}: {call}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": tuple(argument for _, argument in parts if argument),
            "site": op.site,
            "input": has_input,
            "result": has_result,
            "marks": marks,
            "directed": directed,
            "members": "members_of(input)" if has_input else "all_members{uint64(d.graph.num_vertices)}",
            "size": "input.size" if has_input else f"uint64({everything})",
            "counted": COUNTED[getattr(op, "counts", None)],
        }

    def _set(self, op: Advance | Filter | Compute | NeighborReduce) -> str:
        if isinstance(op.frontier, AllVertices):
            return "vertices"
        return "edges" if isinstance(op.frontier, AllEdges) else op.frontier.name

    # Advance

    def _advance(self, op: Advance) -> AdvancePlan:
        functor = self.texts.edge_functor(op.functor)
        pushes, pulls = op.direction is not Direction.PULL, op.direction is not Direction.PUSH
        result = f"{op.result} = " if op.result else ""
        call = f"{result}advance({self._set(op)}, {op.functor})"
        marks = op.result is not None and pushes and not op.claims
        counted = pulls and not isinstance(op.frontier, AllVertices)
        return AdvancePlan(
            **self._common("advance", op, call, marks, directed=pushes and pulls),
            totals=self.texts.totals(functor),
            push=self._push_sides(op) if pushes else (),
            pull=self._pull(op) if pulls else None,
            balance=_PUSHES[op.balance],
            hubs=op.balance is Balance.AUTO,
            counts_visited=not counted and not isinstance(op.frontier, AllVertices),
            edges=_edges(op, counted),
            alpha=op.alpha,
            beta=op.beta,
        )

    def _push_sides(self, op: Advance) -> tuple[Side, ...]:
        functor = self.texts.edge_functor(op.functor)
        overs = (Over.OUT_EDGES, Over.IN_EDGES) if op.over is Over.ALL_EDGES else (op.over,)
        sides = []
        for i, over in enumerate(overs):
            edge = on_an_edge(over)
            work = (
                self.texts.claimed(functor, op, edge)
                if op.claims
                else self.texts.visited(functor, edge, self._own_edge(op))
            )
            mark = "mark(seen, far)" if op.result is not None and not op.claims else ""
            visit = Visit(EDGE, work.test, work.apply, work.says, "far", mark)
            name = "visit" if i == 0 else "visit_back"
            first = i == 0 and len(overs) == 2
            sides.append(Side(name, self._pushed_lists(op, over), visit, first, "chunks" if i else "0"))
        return tuple(sides)

    def _own_edge(self, op: Advance) -> frozenset[str]:
        """The arrays that an edge's call alone addresses: none where both ends may bring the edge."""
        return frozenset() if op.over is Over.ALL_EDGES else self.texts.own_edge(self.texts.edge_functor(op.functor))

    def _pushed_lists(self, op: Advance, over: Over) -> str:
        if op.place_limit is None or over is not Over.OUT_EDGES:
            return _LISTS[over]
        return f"first_places{{d.graph, {self.texts.printer.expressions().print(op.place_limit)}}}"

    def _pull(self, op: Advance) -> Pull:
        functor = self.texts.edge_functor(op.functor)
        back = _BACK[op.over]
        edge = on_an_edge(op.over, lists=back)
        closing = op.closing
        closes = closing is not None and closing.end is Role.FAR and closing.conjunct in op.select
        alone, shared = (self.texts.pulled(functor, op, edge, alone) for alone in (True, False))
        return Pull(
            lists=_LISTS[back],
            closes=closes,
            selected=self.texts.selected(functor, op.select, edge),
            alone=Visit(EDGE, alone.test, alone.apply, alone.says),
            shared=Visit(EDGE, shared.test, shared.apply, shared.says),
        )

    # Vertices

    def _filter(self, op: Filter) -> FilterPlan:
        functor = self.texts.vertex_functor(op.functor)
        work = self.texts.visited_vertex(functor)
        visit = Visit("vertex v", work.test, work.apply, work.says, "v")
        call = f"{op.result} = filter({self._set(op)}, {op.functor})"
        common = self._common("filter", op, call)
        return FilterPlan(**common, totals=self.texts.totals(functor), visit=visit)

    def _compute(self, op: Compute) -> ComputePlan:
        common = self._common("compute", op, f"compute({self._set(op)}, {op.functor})")
        if isinstance(op.frontier, AllEdges):
            edge_functor = self.texts.edge_functor(op.functor)
            edge = on_an_edge(Over.OUT_EDGES)
            work = self.texts.visited(edge_functor, edge, plain=self.texts.own_edge(edge_functor))
            visit = Visit(EDGE, work.test, work.apply, work.says)
            return ComputePlan(**common, totals=self.texts.totals(edge_functor), edges=True, visit=visit)
        functor = self.texts.vertex_functor(op.functor)
        work = self.texts.visited_vertex(functor)
        visit = Visit("vertex v", work.test, work.apply, work.says)
        return ComputePlan(**common, totals=self.texts.totals(functor), edges=False, visit=visit)

    # Neighbour reduction

    def _reduce(self, op: NeighborReduce) -> ReducePlan:
        functor = self.texts.edge_functor(op.functor)
        call = f"{op.array} = neighbor_reduce({self._set(op)}, {op.functor}, {op.operation.value})"
        update = NEIGHBOR[op.operation]
        array = f"d.{self.texts.names.member(op.array)}"
        target = array
        reads_target = any(isinstance(node, Element) and node.array == op.array for node in walk(functor))
        if reads_target:
            self.temporaries[op.array] = self.texts.names.derived(Scope.MEMBER, f"{op.array}_reduced", "temporary")
            target = f"d.{self.temporaries[op.array]}"
        return ReducePlan(
            **self._common("reduce", op, call),
            totals=None,
            type=op.array_type.value,
            identity=identity(update, op.array_type),
            combine=SUMS[update],
            reduce=f"reduce_{REDUCTIONS[update]}",
            sides=self._reduce_sides(op, target),
            balance=_REDUCES[op.balance],
            hubs=op.balance is Balance.AUTO,
            target=target,
            copied=array if reads_target else "",
        )

    def _reduce_sides(self, op: NeighborReduce, target: str) -> tuple[ReduceSide, ...]:
        functor = self.texts.edge_functor(op.functor)
        overs = (Over.OUT_EDGES, Over.IN_EDGES) if op.over is Over.ALL_EDGES else (op.over,)
        empty = identity(NEIGHBOR[op.operation], op.array_type)
        counts = op.operation is NeighborOperation.COUNT
        sides = []
        for i, over in enumerate(overs):
            edge = on_an_edge(over)
            value = self.texts.value(functor, edge, empty, ScalarType.BOOL if counts else op.array_type)
            first = i == 0 and len(overs) == 2
            assign = f"{target}[near] = combine({target}[near], reduced)" if i else f"{target}[near] = reduced"
            name = "value" if i == 0 else "value_back"
            begin = "chunks" if i else "0"
            sides.append(ReduceSide(name, _LISTS[over], EDGE, value, first, begin, assign))
        return tuple(sides)


def _edges(op: Advance, counted: bool) -> str:
    """The edges of what an advance runs on: known, counted when the frontier was made, or counted on the way."""
    if isinstance(op.frontier, AllVertices):
        return f"{'2 * ' if op.over is Over.ALL_EDGES else ''}uint64(d.graph.num_edges)"
    return "input.edges" if counted else "load_relaxed(&run.counters()->visited)"
