"""Pass `lower`: from the operator IR to the plainest correct plan.

One sweep for each operator, always a push; writes that calls may share are atomic; a mark keeps each vertex from being
collected twice; every frontier has storage of its own; every step ends with a barrier. Later passes improve on this,
and each of them can be left out.
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain, Over
from gdsl.plan import variants, votes
from gdsl.plan.contracts import ENDING_SET_STEPS
from gdsl.plan.facts import Facts, may_be_left_out
from gdsl.plan.frontier_form import combine, members_of
from gdsl.plan.intersections import plan_intersection
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Collect,
    Copy,
    Dedup,
    Define,
    EdgeCount,
    FarEnds,
    Fill,
    Form,
    Frontier,
    Initial,
    Initialize,
    Leader,
    Loop,
    MakeGraph,
    On,
    OnSets,
    Operation,
    Plan,
    Reduction,
    Segment,
    Step,
    Swap,
    Sweep,
    Walk,
)
from gdsl.plan.target import Target
from gdsl.plan.walking import deepest_on, steps_in


def lower(facts: Facts) -> Plan:
    """The plainest plan of the program that `facts` are about, without launches and buffers."""
    program = facts.program
    schedule = (initialize(program, facts.target), *_Lowering(facts).steps(program.schedule))
    return Plan(
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


def _frontiers(program: ir.Program) -> tuple[Frontier, ...]:
    """A slot for each, those of vertices first."""
    frontiers = []
    for domain in Domain:
        names = [each.name for each in program.frontiers if each.domain is domain]
        frontiers += [Frontier(name, domain, slot, None) for slot, name in enumerate(names)]
    return tuple(frontiers)


def _swapped(schedule: tuple[Step, ...]) -> tuple[str, ...]:
    """The data that may change places."""
    swaps = [step.step for step in steps_in(schedule) if isinstance(step, Swap)]
    return tuple(dict.fromkeys(name for swap in swaps for name in (swap.first, swap.second)))


def _graph_slots(program: ir.Program, steps: tuple[Step, ...]) -> int:
    """How many graphs are in memory together: one for each variable or surrounding `on`, another for each if subgraphs
    are contracted (it may hold the ends of a subgraph's edges), and one for the graph being built."""
    if not program.graphs:
        return 0
    kinds = {type(step.step) for step in steps_in(steps) if isinstance(step, MakeGraph)}
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

    def steps(self, steps: tuple[ir.Step, ...]) -> tuple[Step, ...]:
        """A block."""
        return tuple(self._step(step) for step in steps)

    def _step(self, step: ir.Step) -> Step:
        if isinstance(step, ir.Operator):
            return self._operation(step)
        if isinstance(step, ir.DefineFrontier):
            return Define(step, may_be_left_out(step, self.program))
        if isinstance(step, ir.CopyFrontier):
            return Copy(step)
        if isinstance(step, ir.FarEnds):
            return FarEnds(step)
        if isinstance(step, ir.SetStep):
            return OnSets(step, waits=type(step) in ENDING_SET_STEPS)
        if isinstance(step, ir.CombineFrontiers):
            return combine(step, self.target)
        if isinstance(step, ir.Fill):
            return Fill(step)
        if isinstance(step, ir.Swap):
            return Swap(step)
        if isinstance(step, (ir.SameGraph, ir.Subgraph, ir.Contract)):
            return MakeGraph(step)
        if isinstance(step, ir.On):
            return self._on(step)
        if isinstance(step, ir.If):
            return Branch(step.condition, None, self.steps(step.then), self.steps(step.otherwise))
        if isinstance(step, (ir.While, ir.Repeat)):
            return self._loop(step)
        assert isinstance(step, (ir.StoreScalar, ir.StoreElement))
        return Leader(step)

    def _on(self, step: ir.On) -> On:
        depth = self.graphs
        self.graphs += 1
        body = self.steps(step.body)
        self.graphs -= 1
        return On(step.graph, depth, None, body)

    def _loop(self, step: ir.While | ir.Repeat) -> Loop:
        counted = isinstance(step, ir.Repeat)
        condition = step.count if isinstance(step, ir.Repeat) else step.condition
        self.loops += 1
        body = self.steps(step.body)
        self.loops -= 1
        return Loop(step.loop, condition, counted, None, self.loops == 0, body)

    # Operators

    def _operation(self, step: ir.Operator) -> Operation:
        if isinstance(step, ir.Advance):
            result = f"{step.result} = " if step.result is not None else ""
            to = ", to=edges" if step.to is Domain.EDGE else ""
            call = f"{result}advance({step.frontier.words}, {step.functor}{to}{_over_text(step.over)})"
            return Operation(step, f"advance_{step.label}", call, self._advance(step))
        if isinstance(step, ir.Filter):
            call = f"{step.result} = filter({step.frontier.words}, {step.functor})"
            return Operation(step, f"filter_{step.label}", call, self._on_members(step))
        if isinstance(step, ir.Compute):
            call = f"compute({step.frontier.words}, {step.functor})"
            return Operation(step, f"compute_{step.label}", call, self._on_members(step))
        if isinstance(step, ir.Intersect):
            functor = self.facts.edge_functor(step) if step.functor is not None else None
            return plan_intersection(step, functor)
        if isinstance(step, ir.NeighborVote):
            return self._vote(step)
        assert isinstance(step, ir.NeighborReduce)
        words = f"{step.functor}, {step.combines_by}{_over_text(step.over)}"
        call = f"{step.array} = neighbor_reduce({step.frontier.words}, {words})"
        return Operation(step, f"reduce_{step.label}", call, self._reduce(step))

    def _advance(self, step: ir.Advance) -> Sweep:
        functor = self.facts.edge_functor(step)
        variant = self.facts.remember(variants.plain, functor)
        asks = step.to is Domain.EDGE or self.facts.remember(variants.uses_edge_id, functor)
        dedup = Dedup.NONE if step.to is Domain.EDGE and step.over is not Over.ALL_EDGES else Dedup.MARK
        by_one = None if self.target.grid else variant
        every = EdgeCount.BOTH_LISTS if step.over is Over.ALL_EDGES else EdgeCount.ALL
        return Sweep(
            members=members_of(step.frontier, Form.QUEUE),
            own=None,
            walks=tuple(Walk(over, over, variant, None, None, asks, by_one) for over in _sides(step.over)),
            selection=None,
            collect=_collect(step, dedup),
            totals=self.facts.remember(variants.totals_of, functor),
            segment=None,
            balance=Balance.THREAD,
            edges=every if step.frontier.frontier is None else EdgeCount.WALKED,
        )

    def _on_members(self, step: ir.Operator) -> Sweep:
        functor = self.facts.functor(step)
        edges = EdgeCount.ALL if step.frontier.everything else EdgeCount.MEMBERS
        own = self.facts.remember(variants.plain, functor)
        alone = own if not self.target.grid and step.frontier.domain is Domain.VERTEX else None
        return Sweep(
            members=members_of(step.frontier, Form.QUEUE),
            own=own,
            walks=(),
            selection=None,
            collect=_collect(step, Dedup.NONE),
            totals=self.facts.remember(variants.totals_of, functor),
            segment=None,
            balance=Balance.AUTO,
            edges=edges if step.frontier.domain is Domain.EDGE else EdgeCount.NONE,
            own_by_one=alone,
        )

    def _reduce(self, step: ir.NeighborReduce) -> Sweep:
        functor = self.facts.edge_functor(step)
        variant = self.facts.remember(variants.value_variant, functor)
        asks = self.facts.remember(variants.uses_edge_id, functor)
        reads_result = step.array in self.facts.remember(arrays_read, functor)
        staging = self.facts.unused(f"{step.array}_reduced") if reads_result else None
        return Sweep(
            members=members_of(step.frontier, Form.QUEUE),
            own=None,
            walks=tuple(Walk(over, over, variant, None, None, asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=Segment(step.operation, step.array, step.array_type, reduction_of(step), None, staging),
            balance=Balance.THREAD,
            edges=EdgeCount.WALKED,
        )

    def _vote(self, step: ir.NeighborVote) -> Operation:
        functor = self.facts.edge_functor(step)
        score = self.facts.vote_functors[step.score] if step.score is not None else None
        words = [step.functor, *([step.score] if step.score else []), *over_words(step.over)]
        words += [f"keep={step.keep}"] if step.keep is not None else []
        call = f"{step.array} = neighbor_vote({step.frontier.words}, {', '.join(words)})"
        variant = self.facts.remember(variants.value_variant, functor)
        asks = self.facts.remember(variants.uses_edge_id, functor)
        sweep = Sweep(
            members=members_of(step.frontier, Form.QUEUE),
            own=None,
            walks=tuple(Walk(over, over, variant, variant, None, asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=None,
            balance=Balance.AUTO,
            edges=EdgeCount.WALKED,
            vote=votes.vote_of(step, functor, score, self.target.grid, self.facts.unused),
        )
        return Operation(step, f"vote_{step.label}", call, sweep)


def initialize(program: ir.Program, target: Target) -> Initialize:
    """The step before the schedule begins."""
    arrays = [array for array in program.arrays if not array.is_input]
    of_vertices, of_edges = (
        tuple(Initial(array.name, array.initial) for array in arrays if array.domain is domain)
        for domain in (Domain.VERTEX, Domain.EDGE)
    )
    scalars = tuple(Initial(scalar.name, scalar.initial) for scalar in program.scalars if not scalar.is_input)
    barrier = Barrier("until all data have their initial values") if target.grid else None
    return Initialize(of_vertices, of_edges, scalars, barrier)


def reduction_of(step: ir.NeighborReduce) -> Reduction | ir.OwnOperation:
    """How the values of a list are reduced to one."""
    if step.own is not None:
        return step.own
    assert step.operation is not None
    return Reduction(step.operation.as_update, step.array_type)


def arrays_read(functor: ir.EdgeFunctor) -> frozenset[str]:
    """The arrays of which `functor` reads an element."""
    return frozenset(node.array for node in walk(functor) if isinstance(node, ir.Element))


def over_words(over: Over) -> list[str]:
    """The edges that are visited, as an argument of a call."""
    return [] if over is Over.OUT_EDGES else [f"over={over.value}"]


def _collect(step: ir.Operator, dedup: Dedup) -> Collect | None:
    return Collect(step.result, step.result_domain, Form.QUEUE, dedup) if step.result is not None else None


def _sides(over: Over) -> tuple[Over, ...]:
    """The lists of a vertex that are walked, one after the other."""
    return (Over.OUT_EDGES, Over.IN_EDGES) if over is Over.ALL_EDGES else (over,)


def _over_text(over: Over) -> str:
    return "".join(f", {word}" for word in over_words(over))
