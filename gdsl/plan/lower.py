"""Pass `lower`: from the operator IR to the plainest correct plan.

One sweep for each operator, always a push; writes that calls may share are atomic; a mark keeps each vertex from being
collected twice; every frontier has storage of its own; every step ends with a barrier. Later passes improve on this,
and each of them can be left out.
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain, Over
from gdsl.plan import nodes, variants, votes
from gdsl.plan.contracts import ENDING_SET_STEPS
from gdsl.plan.facts import Facts, may_be_left_out
from gdsl.plan.frontier_form import combine, members_of
from gdsl.plan.intersections import plan_intersection
from gdsl.plan.target import Target
from gdsl.plan.walking import deepest_on, steps_in


def lower(facts: Facts) -> nodes.Plan:
    """The plainest plan of the program that `facts` are about, without launches and buffers."""
    program = facts.program
    schedule = (initialize(program, facts.target), *_Lowering(facts).steps(program.schedule))
    return nodes.Plan(
        program=program,
        target=facts.target,
        sizes=facts.sizes or facts.target.sizes,
        frontiers=_frontiers(program),
        switches=(),
        swapped=_swapped(schedule),
        rotations=(),
        private_scalars=(),
        buffers=(),
        saved=None,
        graphs=program.graphs,
        graph_slots=_graph_slots(program, schedule),
        schedule=schedule,
        graph=facts.graph,
    )


def _frontiers(program: ir.Program) -> tuple[nodes.Frontier, ...]:
    """A slot for each, those of vertices first."""
    frontiers = []
    for domain in Domain:
        names = [each.name for each in program.frontiers if each.domain is domain]
        frontiers += [nodes.Frontier(name, domain, slot, None) for slot, name in enumerate(names)]
    return tuple(frontiers)


def _swapped(schedule: tuple[nodes.Step, ...]) -> tuple[str, ...]:
    """The data that may change places."""
    swaps = [step.step for step in steps_in(schedule) if isinstance(step, nodes.Swap)]
    return tuple(dict.fromkeys(name for swap in swaps for name in (swap.first, swap.second)))


def _graph_slots(program: ir.Program, steps: tuple[nodes.Step, ...]) -> int:
    """How many graphs are in memory together: one for each variable or surrounding `on`, another for each if subgraphs
    are contracted (it may hold the ends of a subgraph's edges), and one for the graph being built."""
    if not program.graphs:
        return 0
    kinds = {type(step.step) for step in steps_in(steps) if isinstance(step, nodes.MakeGraph)}
    each = 2 if {ir.Contract, ir.Subgraph} <= kinds else 1
    return each * (len(program.graphs) + deepest_on(steps)) + 1


class _Lowering:
    """The steps of the program as steps of the plan."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.program, self.target = facts.program, facts.target
        self.loops = 0
        """How many loops are around."""
        self.graphs = 0
        """How many `on` are around."""

    def steps(self, steps: tuple[ir.Step, ...]) -> tuple[nodes.Step, ...]:
        """A block."""
        return tuple(self._step(step) for step in steps)

    def _step(self, step: ir.Step) -> nodes.Step:
        if isinstance(step, ir.Operator):
            return self._operation(step)
        if isinstance(step, ir.DefineFrontier):
            return nodes.Define(step, may_be_left_out(step, self.program))
        if isinstance(step, ir.CopyFrontier):
            return nodes.Copy(step)
        if isinstance(step, ir.FarEnds):
            return nodes.FarEnds(step)
        if isinstance(step, ir.SetStep):
            return nodes.OnSets(step, waits=type(step) in ENDING_SET_STEPS)
        if isinstance(step, ir.CombineFrontiers):
            return combine(step, self.target)
        if isinstance(step, ir.Fill):
            return nodes.Fill(step)
        if isinstance(step, ir.Swap):
            return nodes.Swap(step)
        if isinstance(step, (ir.SameGraph, ir.Subgraph, ir.Contract)):
            return nodes.MakeGraph(step)
        if isinstance(step, ir.On):
            return self._on(step)
        if isinstance(step, ir.If):
            return nodes.Branch(step.condition, None, self.steps(step.then), self.steps(step.otherwise))
        if isinstance(step, (ir.While, ir.Repeat)):
            return self._loop(step)
        assert isinstance(step, (ir.StoreScalar, ir.StoreElement))
        return nodes.Leader(step)

    def _on(self, step: ir.On) -> nodes.On:
        depth = self.graphs
        self.graphs += 1
        body = self.steps(step.body)
        self.graphs -= 1
        return nodes.On(step.graph, depth, None, body)

    def _loop(self, step: ir.While | ir.Repeat) -> nodes.Loop:
        counted = isinstance(step, ir.Repeat)
        condition = step.count if isinstance(step, ir.Repeat) else step.condition
        self.loops += 1
        body = self.steps(step.body)
        self.loops -= 1
        return nodes.Loop(step.loop, condition, counted, None, self.loops == 0, body)

    # Operators

    def _operation(self, step: ir.Operator) -> nodes.Operation:
        if isinstance(step, ir.Advance):
            result = f"{step.result} = " if step.result is not None else ""
            to = ", to=edges" if step.to is Domain.EDGE else ""
            call = f"{result}advance({step.frontier.words}, {step.functor}{to}{_over_text(step.over)})"
            return nodes.Operation(step, f"advance_{step.label}", call, self._advance(step))
        if isinstance(step, ir.Filter):
            call = f"{step.result} = filter({step.frontier.words}, {step.functor})"
            return nodes.Operation(step, f"filter_{step.label}", call, self._on_members(step))
        if isinstance(step, ir.Compute):
            call = f"compute({step.frontier.words}, {step.functor})"
            return nodes.Operation(step, f"compute_{step.label}", call, self._on_members(step))
        if isinstance(step, ir.Intersect):
            functor = self.facts.edge_functor(step) if step.functor is not None else None
            return plan_intersection(step, functor)
        if isinstance(step, ir.NeighborVote):
            return self._vote(step)
        assert isinstance(step, ir.NeighborReduce)
        words = f"{step.functor}, {step.combines_by}{_over_text(step.over)}"
        call = f"{step.array} = neighbor_reduce({step.frontier.words}, {words})"
        return nodes.Operation(step, f"reduce_{step.label}", call, self._reduce(step))

    def _advance(self, step: ir.Advance) -> nodes.Sweep:
        functor = self.facts.edge_functor(step)
        variant = self.facts.remember(variants.plain, functor)
        asks = step.to is Domain.EDGE or self.facts.remember(variants.uses_edge_id, functor)
        dedup = nodes.Dedup.NONE if step.to is Domain.EDGE and step.over is not Over.ALL_EDGES else nodes.Dedup.MARK
        by_one = None if self.target.grid else variant
        every = nodes.EdgeCount.BOTH_LISTS if step.over is Over.ALL_EDGES else nodes.EdgeCount.ALL
        return nodes.Sweep(
            members=members_of(step.frontier, nodes.Form.QUEUE),
            own=None,
            walks=tuple(nodes.Walk(over, over, variant, None, None, asks, by_one) for over in _sides(step.over)),
            selection=None,
            collect=_collect(step, dedup),
            totals=self.facts.remember(variants.totals_of, functor),
            segment=None,
            balance=Balance.THREAD,
            edges=every if step.frontier.frontier is None else nodes.EdgeCount.WALKED,
        )

    def _on_members(self, step: ir.Operator) -> nodes.Sweep:
        functor = self.facts.functor(step)
        edges = nodes.EdgeCount.ALL if step.frontier.everything else nodes.EdgeCount.MEMBERS
        own = self.facts.remember(variants.plain, functor)
        alone = own if not self.target.grid and step.frontier.domain is Domain.VERTEX else None
        return nodes.Sweep(
            members=members_of(step.frontier, nodes.Form.QUEUE),
            own=own,
            walks=(),
            selection=None,
            collect=_collect(step, nodes.Dedup.NONE),
            totals=self.facts.remember(variants.totals_of, functor),
            segment=None,
            balance=Balance.AUTO,
            edges=edges if step.frontier.domain is Domain.EDGE else nodes.EdgeCount.NONE,
            own_by_one=alone,
        )

    def _reduce(self, step: ir.NeighborReduce) -> nodes.Sweep:
        functor = self.facts.edge_functor(step)
        variant = self.facts.remember(variants.value_variant, functor)
        asks = self.facts.remember(variants.uses_edge_id, functor)
        reads_result = step.array in self.facts.remember(arrays_read, functor)
        staging = self.facts.unused(f"{step.array}_reduced") if reads_result else None
        return nodes.Sweep(
            members=members_of(step.frontier, nodes.Form.QUEUE),
            own=None,
            walks=tuple(nodes.Walk(over, over, variant, None, None, asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=nodes.Segment(step.operation, step.array, step.array_type, reduction_of(step), None, staging),
            balance=Balance.THREAD,
            edges=nodes.EdgeCount.WALKED,
        )

    def _vote(self, step: ir.NeighborVote) -> nodes.Operation:
        functor = self.facts.edge_functor(step)
        score = self.facts.vote_functors[step.score] if step.score is not None else None
        words = [step.functor, *([step.score] if step.score else []), *over_words(step.over)]
        words += [f"keep={step.keep}"] if step.keep is not None else []
        call = f"{step.array} = neighbor_vote({step.frontier.words}, {', '.join(words)})"
        variant = self.facts.remember(variants.value_variant, functor)
        asks = self.facts.remember(variants.uses_edge_id, functor)
        sweep = nodes.Sweep(
            members=members_of(step.frontier, nodes.Form.QUEUE),
            own=None,
            walks=tuple(nodes.Walk(over, over, variant, variant, None, asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=None,
            balance=Balance.AUTO,
            edges=nodes.EdgeCount.WALKED,
            vote=votes.vote_of(step, functor, score, self.target.grid, self.facts.unused),
        )
        return nodes.Operation(step, f"vote_{step.label}", call, sweep)


def initialize(program: ir.Program, target: Target) -> nodes.Initialize:
    """The step before the schedule begins."""
    arrays = [array for array in program.arrays if not array.is_input]
    of_vertices, of_edges = (
        tuple(nodes.Initial(array.name, array.initial) for array in arrays if array.domain is domain)
        for domain in (Domain.VERTEX, Domain.EDGE)
    )
    scalars = tuple(nodes.Initial(scalar.name, scalar.initial) for scalar in program.scalars if not scalar.is_input)
    barrier = nodes.Barrier("until all data have their initial values") if target.grid else None
    return nodes.Initialize(of_vertices, of_edges, scalars, barrier)


def reduction_of(step: ir.NeighborReduce) -> nodes.Reduction | ir.OwnOperation:
    """How the values of a list are reduced to one."""
    if step.own is not None:
        return step.own
    assert step.operation is not None
    return nodes.Reduction(step.operation.as_update, step.array_type)


def arrays_read(functor: ir.EdgeFunctor) -> frozenset[str]:
    """The arrays of which `functor` reads an element."""
    return frozenset(node.array for node in walk(functor) if isinstance(node, ir.Element))


def over_words(over: Over) -> list[str]:
    """The edges that are visited, as an argument of a call."""
    return [] if over is Over.OUT_EDGES else [f"over={over.value}"]


def _collect(step: ir.Operator, dedup: nodes.Dedup) -> nodes.Collect | None:
    return nodes.Collect(step.result, step.result_domain, nodes.Form.QUEUE, dedup) if step.result is not None else None


def _sides(over: Over) -> tuple[Over, ...]:
    """The lists of a vertex that are walked, one after the other."""
    return (Over.OUT_EDGES, Over.IN_EDGES) if over is Over.ALL_EDGES else (over,)


def _over_text(over: Over) -> str:
    return "".join(f", {word}" for word in over_words(over))
