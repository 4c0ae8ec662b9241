"""From an operator of the IR to its plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gdsl.codegen.conversions import conversion
from gdsl.codegen.cpu.functors import Arguments, FunctorTexts, Steps
from gdsl.codegen.cpu.plan import AdvancePlan, ComputePlan, FilterPlan, OperatorPlan, Pull, ReducePlan, Visit, Walk
from gdsl.codegen.cpu.reductions import COMBINE, UPDATES, identity
from gdsl.codegen.functions import Argument
from gdsl.codegen.names import Names, Scope
from gdsl.codegen.precedence import Text, atom
from gdsl.ir.nodes import (
    Advance,
    AllEdges,
    AllVertices,
    Compute,
    EdgeFunctor,
    Element,
    Filter,
    NeighborReduce,
    Operator,
    Parameter,
    Place,
    Role,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Direction, NeighborOperation, Over
from gdsl.passes.writers import far_roles, plain_arrays
from gdsl.types import ScalarType

_BACK = {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}


_EDGE = "vertex near, vertex far, edge e"
"""The parameters of a lambda that visits an edge; that of a vertex has ``vertex v``."""
_ON_A_VERTEX = {Argument.VERTEX: "v"}


@dataclass
class OperatorPlanner:
    """Plans the operators of one program; `texts` gathers the functions that they call."""

    names: Names
    texts: FunctorTexts
    temporaries: dict[tuple[str, str], str] = field(default_factory=dict)
    """By array and type: the member that a reduction computes into before it stores."""

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

    def _common(self, op: Any, kind: str, words: str, totals: str, directed: bool = False) -> dict[str, Any]:
        has_input = not isinstance(op.frontier, (AllVertices, AllEdges))
        result = getattr(op, "result", None)
        parts = [
            ("run_state& run", "run"),
            ("const data_slice& d", "d"),
            *([("frontier& input", self.names.frontier(op.frontier.name))] if has_input else []),
            *([("frontier& result", self.names.frontier(result))] if result else []),
            *([("direction_state& direction", direction_of(op))] if directed else []),
            ("int32 iteration", "iteration"),
        ]
        everything = "d.graph.num_edges" if isinstance(op.frontier, AllEdges) else "d.graph.num_vertices"
        head = f"{result} = " if result else ""
        return {
            "function": self.names.derived(Scope.GLOBAL, f"{kind}_{op.label}", f"operator {op.site}"),
            "comment": f"Line {op.span.line}: {head}{words.format(_set_text(op))}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": ", ".join(argument for _, argument in parts),
            "site": op.site,
            "input": has_input,
            "result": result is not None,
            "members": "members_of(input)" if has_input else "all_members{d.graph.num_vertices}",
            "size": "input.size" if has_input else everything,
            "counted": _counted(getattr(op, "counts", None)),
            "totals": totals,
        }

    # Advance

    def _advance(self, op: Advance) -> AdvancePlan:
        functor = self.texts.edge_functors[op.functor]
        pushes, pulls = op.direction is not Direction.PULL, op.direction is not Direction.PUSH
        words = f"advance({{}}, {op.functor}{_over_text(op.over)})"
        everything = isinstance(op.frontier, AllVertices)
        return AdvancePlan(
            **self._common(op, "advance", words, self.texts.totals_of(functor), pushes and pulls),
            push=self._pushes(op, functor) if pushes else (),
            pull=self._pull(op, functor) if pulls else None,
            much=_counted(op.over),
            marked=op.result is not None and not op.claims,
            edges="d.graph.num_edges" if everything else "input.edges",
            alpha=op.alpha,
            beta=op.beta,
        )

    def _pushes(self, op: Advance, functor: EdgeFunctor) -> tuple[Walk, ...]:
        walks = []
        own = frozenset({Role.EDGE}) if op.over is not Over.ALL_EDGES else frozenset()
        for over in _sides(op.over):
            arguments = _on_an_edge(over)
            if op.claims:
                steps = self.texts.claimed(functor, op, arguments)
            else:
                steps = self.texts.visit(functor, arguments, plain_arrays(functor, own))
            collected = "far" if op.result is not None else ""
            lines = _visit_lines(steps, collected, "out.is_new(far)" if not op.claims else "")
            walks.append(Walk(self._pushed_lists(op, over, functor), Visit(_EDGE, lines)))
        return tuple(walks)

    def _pushed_lists(self, op: Advance, over: Over, functor: EdgeFunctor) -> str:
        if op.place_limit is None or over is not Over.OUT_EDGES:
            return _lists(over, functor)
        return f"first_places{{d.graph, {self.texts.printer.expressions().print(op.place_limit)}}}"

    def _pull(self, op: Advance, functor: EdgeFunctor) -> Pull:
        arguments = _on_an_edge(op.over)
        closing = op.closing
        closes = closing is not None and closing.end is Role.FAR and closing.conjunct in op.select
        plain = plain_arrays(functor, far_roles(op.over) | {Role.EDGE})
        steps = self.texts.pulled(functor, op, arguments, plain)
        select = (f"return {self.texts.selected(functor, op, arguments)};",)
        return Pull(
            _lists(_BACK[op.over], functor),
            closes,
            Visit("vertex far", select),
            Visit(_EDGE, _answer_lines(steps)),
        )

    # Vertices, and all edges

    def _filter(self, op: Filter) -> FilterPlan:
        functor = self.texts.vertex_functors[op.functor]
        steps = self.texts.visit(functor, _ON_A_VERTEX, self._own(functor))
        common = self._common(op, "filter", f"filter({{}}, {op.functor})", self.texts.totals_of(functor))
        return FilterPlan(**common, visit=Visit("vertex v", _visit_lines(steps, "v", "")))

    def _compute(self, op: Compute) -> ComputePlan:
        words = f"compute({{}}, {op.functor})"
        if isinstance(op.frontier, AllEdges):
            along = self.texts.edge_functors[op.functor]
            plain = plain_arrays(along, frozenset({Role.EDGE}))
            steps = self.texts.visit(along, _on_an_edge(Over.OUT_EDGES), plain)
            common = self._common(op, "compute", words, self.texts.totals_of(along))
            return ComputePlan(**common, edges=True, visit=Visit(_EDGE, _visit_lines(steps, "", "")))
        functor = self.texts.vertex_functors[op.functor]
        steps = self.texts.visit(functor, _ON_A_VERTEX, self._own(functor))
        common = self._common(op, "compute", words, self.texts.totals_of(functor))
        return ComputePlan(**common, edges=False, visit=Visit("vertex v", _visit_lines(steps, "", "")))

    def _own(self, functor: Any) -> frozenset[str]:
        return plain_arrays(functor, frozenset({Role.VERTEX}))

    # Neighbour reduction

    def _reduce(self, op: NeighborReduce) -> ReducePlan:
        functor = self.texts.edge_functors[op.functor]
        assert functor.value is not None
        kind = op.array_type if op.operation is NeighborOperation.COUNT else functor.value.type
        update = UPDATES[op.operation]
        array = f"d.{self.names.member(op.array)}"
        aside = self._aside(op, functor, kind)
        walks = []
        for i, over in enumerate(_sides(op.over)):
            empty = "false" if functor.value.type is ScalarType.BOOL else identity(update, kind)
            value = self.texts.value(functor, _on_an_edge(over), empty)
            if functor.value.type is not kind:
                value = conversion(Text(value, 1), functor.value.type, kind).text
            reduced = atom("reduced")
            if i > 0:
                value_so_far = f"{aside}[near]"
                reduced = atom(f"combine({value_so_far}, reduced)")
            stored = reduced if aside else conversion(reduced, kind, op.array_type)
            assign = Visit(f"vertex near, {kind.value} reduced", (f"{aside or array}[near] = {stored.text};",))
            walks.append(Walk(_lists(over, functor), Visit(_EDGE, (f"return {value};",)), assign))
        back = conversion(atom(f"{aside}[near]"), kind, op.array_type).text
        over_text = _over_text(op.over)
        words = f"neighbor_reduce({{}}, {op.functor}, {op.operation.value}{over_text})"
        return ReducePlan(
            **self._common(op, "reduce", f"{op.array} = {words}", ""),
            type=kind.value,
            identity=identity(update, kind),
            combine=COMBINE[update] if kind is not ScalarType.BOOL else f"bool({COMBINE[update]})",
            walks=tuple(walks),
            stored=Visit("vertex near", (f"{array}[near] = {back};",)) if aside else None,
        )

    def _aside(self, op: NeighborReduce, functor: EdgeFunctor, kind: ScalarType) -> str:
        """Where the results stand until all are computed; empty where they can be stored at once."""
        nodes = list(walk(functor))
        reads = any(isinstance(node, Element) and node.array == op.array for node in nodes)
        if not reads and op.over is not Over.ALL_EDGES:
            return ""
        member = self.names.derived(Scope.MEMBER, f"{op.array}_reduced", kind.value)
        self.temporaries[op.array, kind.value] = member
        return f"d.{member}"


def _on_an_edge(over: Over) -> Arguments:
    """What functors are given where edges are walked from `near` to `far`, `over` the edges of `near`."""
    source, destination = ("far", "near") if over is Over.IN_EDGES else ("near", "far")
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: "e",
        Argument.NEAR: "near",
        Argument.FAR: "far",
    }


def direction_of(op: Advance) -> str:
    """The variable that an auto direction remembers its choice in."""
    return f"direction_{op.site}"


def _visit_lines(steps: Steps, collected: str, new: str) -> tuple[str, ...]:
    """The body of a visit that appends `collected` (if any) where it is accepted and `new`."""
    chain = [*steps.tests, *([steps.apply] if steps.decides and collected else [])]
    inner = [] if not steps.apply or (steps.decides and collected) else [f"{steps.apply};"]
    append = f"out.append({collected});"
    if collected and new and inner:
        inner.append(f"if ({new}) {{ {append} }}")
    elif collected:
        chain += [new] if new else []
        inner.append(append)
    if not chain:
        return tuple(inner)
    return (f"if ({' && '.join(chain)}) {{", *(f"    {line}" for line in inner), "}")


def _answer_lines(steps: Steps) -> tuple[str, ...]:
    """The body of a visit that answers whether it accepts."""
    if steps.decides or not steps.apply:
        chain = [*steps.tests, *([steps.apply] if steps.apply else [])]
        return (f"return {' && '.join(chain) or 'true'};",)
    guard = [f"if (!({' && '.join(steps.tests)})) {{ return false; }}"] if steps.tests else []
    return (*guard, f"{steps.apply};", "return true;")


def _sides(over: Over) -> tuple[Over, ...]:
    return (Over.OUT_EDGES, Over.IN_EDGES) if over is Over.ALL_EDGES else (over,)


def _lists(over: Over, functor: EdgeFunctor) -> str:
    """The lists to walk; the ids of in-edges only where the functor asks for its edge."""
    if over is Over.OUT_EDGES:
        return "out_lists{d.graph}"
    asks = any(
        isinstance(node, Place) or (isinstance(node, Parameter) and node.role is Role.EDGE) for node in walk(functor)
    )
    return "in_lists{d.graph}" if asks else "in_neighbors{d.graph}"


def _counted(over: Over | None) -> str:
    lists = {Over.OUT_EDGES: "out_lists", Over.IN_EDGES: "in_neighbors", Over.ALL_EDGES: "all_lists"}
    return f"{lists[over]}{{d.graph}}" if over is not None else "uncounted{}"


def _set_text(op: Any) -> str:
    if isinstance(op.frontier, AllVertices):
        return "vertices"
    return "edges" if isinstance(op.frontier, AllEdges) else str(op.frontier.name)


def _over_text(over: Over) -> str:
    return "" if over is Over.OUT_EDGES else f", over={over.value}"
