"""What must hold of what one of several workers has alone, stated without asking the pass that divided it.

1. What a worker holds in parts is named by its own edges and vertices alone.
2. On a grid, each operator runs on a worker's own members: vertices that a filter has found by their ids, the edges
   that leave them, or what a set of edges has in common with these. Only operators and far ends read these sets.
"""

from __future__ import annotations

from gdsl.effects.access import Accesses, frontiers_of, measured_frontiers
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain, Over, SetOperation
from gdsl.plan.exchange_nodes import Held
from gdsl.plan.functor_facts import parts_read
from gdsl.plan.nodes import Branch, Combine, Copy, Define, FarEnds, Loop, OnSets, Operation, Plan
from gdsl.plan.walking import has_own_edges, operations, pulls, steps_in

_NEAR = {
    Over.OUT_EDGES: frozenset({ir.Role.SOURCE, ir.Role.NEAR}),
    Over.IN_EDGES: frozenset({ir.Role.DESTINATION, ir.Role.NEAR}),
    Over.ALL_EDGES: frozenset({ir.Role.NEAR}),
}


def verify_parts(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` where a worker names what others have."""
    verifier = _Parts(plan)
    verifier.held()
    verifier.members()


class _Parts:
    def __init__(self, plan: Plan) -> None:
        assert plan.distribution is not None
        self.plan, self.program, self.distribution = plan, plan.program, plan.distribution
        self.expect = expecting(f"plan of {plan.program.name}")
        self.accesses = Accesses(plan.program)
        self.in_parts = {each.name for each in plan.distribution.arrays if each.held is Held.OWN}
        self.own_sets = frozenset(plan.distribution.own_sets)

    # 1

    def held(self) -> None:
        """Graphs and arrays."""
        graph = {each.name: each.held for each in self.distribution.graph}
        self.expect(not (self.plan.graphs and self.in_parts), "arrays in parts where a graph is made")
        self.expect(
            not self.plan.graphs or all(held is Held.MIRROR for held in graph.values()), "a graph is made of parts"
        )
        self.expect({graph["offsets"], graph["in_offsets"]} == {Held.MIRROR}, "degrees are not known everywhere")
        for operation in operations(self.plan):
            step, functor = operation.step, self.accesses.functor_of(operation.step)
            score = step.score if isinstance(step, ir.NeighborVote) else None
            votes = [each for each in self.program.vote_functors if each.name == score]
            for node in walk((*((functor,) if functor is not None else ()), *votes)):
                self._access(node, step, graph)
                if pulls(operation):
                    self._pulled(node, graph)
            if isinstance(step, ir.Intersect):
                self._intersected(step, functor, graph)
        for own_step in all_steps(self.program.schedule):
            parts = (getattr(own_step, name, None) for name in ("condition", "count", "target", "value", "members"))
            elements = walk(tuple(each for each in parts if isinstance(each, (ir.Node, tuple))))
            named = {node.array for node in elements if isinstance(node, (ir.Element, ir.ElementTarget))}
            if isinstance(own_step, ir.SetStep):
                named |= {*own_step.use.reads, *own_step.use.writes}
            self.expect(not named & self.in_parts, "the schedule names elements that other workers have")

    def _intersected(self, step: ir.Intersect, functor: ir.Functor | None, graph: dict[str, Held]) -> None:
        needed = (Held.MIRROR,) if step.partners is not None else (Held.MIRROR, Held.FAR)
        self.expect(graph["columns"] in needed, "an intersection lacks the lists of neighbors")
        names = functor.common if isinstance(functor, ir.EdgeFunctor) else None
        tells = self.plan.target.grid and names is not None and names.has_edges
        whole = graph["edge_sources"] is Held.MIRROR
        self.expect(whole or not tells, "an intersection lacks the sources of edges")

    def _access(self, node: ir.Node, step: ir.Operator, graph: dict[str, Held]) -> None:
        if isinstance(node, (ir.Element, ir.ElementTarget)) and node.array in self.in_parts:
            own = of_owner(ir.element_index(node.index), step)
            self.expect(own, f"{node.array} is held in parts, and other elements are named")
        if isinstance(node, (ir.GraphRead, ir.ForNeighbors)):
            whole = all(graph[part] is Held.MIRROR for part in parts_read(node))
            of = ir.element_index(node.vertex if isinstance(node, ir.ForNeighbors) else node.arguments[0])
            of_edge = isinstance(node, ir.GraphRead) and node.query.of_edge
            own = isinstance(of, ir.Parameter) and (
                (of.role is ir.Role.EDGE and has_own_edges(step)) if of_edge else of.role in own_vertices(step)
            )
            self.expect(whole or own, "a list of another worker is read")

    def _pulled(self, node: ir.Node, graph: dict[str, Held]) -> None:
        """What a call of a pull needs is there: its edge and its near end are another worker's."""
        if isinstance(node, (ir.Element, ir.ElementTarget)):
            self.expect(node.array not in self.in_parts, f"a pull names {node.array}, which is held in parts")
        if isinstance(node, (ir.GraphRead, ir.ForNeighbors)):
            whole = all(graph[part] is Held.MIRROR for part in parts_read(node))
            self.expect(whole, "a pull reads lists of other workers")
        if isinstance(node, ir.Parameter):
            self.expect(node.role is not ir.Role.EDGE, "a pull names edges of other workers")

    # 2

    def members(self) -> None:
        """Sets of a worker's own members."""
        if not self.plan.target.grid:
            self.expect(not self.own_sets, "own members in sets, and workers pick them as they walk")
            return
        found: set[str] = set()
        named: set[str | None] = set()
        for each in steps_in(self.plan.schedule):
            if isinstance(each, Operation):
                step, functor = each.step, self.accesses.functor_of(each.step)
                by_ids = isinstance(step, ir.Filter) and isinstance(functor, ir.VertexFunctor) and _is_range(functor)
                self.expect(by_ids or step.frontier.frontier in found, f"{each.name} runs on members of other workers")
                if step.result in self.own_sets:
                    leave = isinstance(step, ir.Advance) and step.over is Over.OUT_EDGES and step.to is Domain.EDGE
                    leave = leave and isinstance(functor, ir.EdgeFunctor) and _is_range(functor)
                    self.expect(by_ids or leave, f"{step.result} has members of other workers")
                    found.add(step.result)
            elif isinstance(each, FarEnds):
                self.expect(each.step.other in found, "far ends of other workers' edges")
                named.add(each.step.name)
            elif isinstance(each, Combine) and each.step.name in self.own_sets:
                common = each.step.operation is SetOperation.INTERSECTION and each.step.second.frontier in found
                self.expect(common, f"{each.step.name} has members of other workers")
                named.add(each.step.first.frontier)
                found.add(each.step.name)
            elif isinstance(each, (Define, Copy, Combine, OnSets)):
                use = frontiers_of(each.step)
                named |= {*use.read, *use.written}
            elif isinstance(each, (Loop, Branch)):
                named |= set(measured_frontiers(each.condition))
        self.expect(found == self.own_sets, "own members that nothing finds")
        self.expect(not named & self.own_sets, "a set of own members is taken for a whole one")


def _is_range(functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
    """Whether a functor accepts vertices in a worker's range of ids, or edges that leave them: `first <= id && id <
    last`, and nothing else."""
    role = ir.Role.VERTEX if isinstance(functor, ir.VertexFunctor) else ir.Role.SOURCE
    if functor.body or len(functor.condition) != 2:
        return False
    tests = zip(functor.condition, (">=", "<"), ("first own vertex", "last own vertex"), strict=True)
    return all(
        isinstance(each, ir.Binary)
        and each.operation.value == operation
        and isinstance(each.left, ir.Convert)
        and isinstance(each.left.operand, ir.Parameter)
        and each.left.operand.role is role
        and isinstance(each.right, ir.ParamValue)
        and each.right.name == name
        for each, operation, name in tests
    )


def own_vertices(step: ir.Operator) -> frozenset[ir.Role]:
    """The vertices of a call that its worker owns."""
    if step.visits is not None:
        return _NEAR[step.visits]
    on_vertices = step.frontier.domain is Domain.VERTEX and not isinstance(step, ir.Intersect)
    return frozenset({ir.Role.VERTEX}) if on_vertices else _NEAR[Over.OUT_EDGES]


def of_owner(index: ir.Expression, step: ir.Operator) -> bool:
    """Whether an element is named by an edge or a vertex that the call's worker owns."""
    is_own_edge = ir.is_parameter(index, ir.Role.EDGE) and has_own_edges(step)
    return is_own_edge or ir.is_parameter(index, *own_vertices(step))
