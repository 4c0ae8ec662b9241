"""From a program, as the passes leave it, to its plan for a target; nothing but the order of the decisions."""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.operations import Domain, Over
from gdsl.plan import (
    buffers,
    combinations,
    first_values,
    hub_bounds,
    initial_values,
    launches,
    layouts,
    orders,
    slots,
    teams,
    turns,
)
from gdsl.plan.edge_members import may_be_left_out
from gdsl.plan.forms import collected_as_bitmaps
from gdsl.plan.fusion import Fusion, Pair
from gdsl.plan.listed_sets import list_few
from gdsl.plan.nodes import (
    Branch,
    Choice,
    Copy,
    Define,
    FarEnds,
    Fill,
    Frontier,
    Initial,
    Leader,
    Loop,
    MakeGraph,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
    Swap,
)
from gdsl.plan.own_ahead import fetch_own
from gdsl.plan.rows_ahead import fetch_rows
from gdsl.plan.sectors import fetch_beside
from gdsl.plan.sweeps import OperationPlanner
from gdsl.plan.target import Sizes, Target
from gdsl.plan.upcoming import upcoming
from gdsl.plan.waiting import set_step_waits
from gdsl.plan.walking import deepest_on, steps_in
from gdsl.plan.warp_halves import share_warps


def build(program: ir.Program, target: Target, sizes: Sizes | None = None, *, again: bool = False) -> Plan:
    """The plan of `program`, verified, unless the same is planned `again` whose plan was verified then."""
    planner = OperationPlanner(program, target)
    steps = _Schedule(planner).steps(program.schedule)
    sizes = orders.sizes_of(sizes or _sizes(program, target, steps), planner.orders.values())
    if target.fused and target.grid:
        steps = Fusion(planner.accesses, planner.repeated).steps(steps)
        steps = combinations.with_tests(steps, program, target)
    schedule, turned, kept = _launched(planner, steps)
    schedule = fetch_beside(fetch_own(upcoming(schedule, program, target), program), program, target)
    schedule = fetch_rows(list_few(share_warps(schedule, target), program, target), program, target)
    plan = Plan(
        program=program,
        target=target,
        sizes=sizes,
        frontiers=_frontiers(program, slots.assign(program.frontiers, steps), planner.directions.counts),
        switches=tuple(
            step.step.site
            for step in steps_in(schedule)
            if isinstance(step, Operation) and isinstance(step.does, Choice)
        ),
        swapped=_swapped(schedule),
        turning=tuple(Initial(name, value) for name, value in turned.items()),
        kept=kept,
        buffers=(),
        saved=None,
        graphs=tuple(graph.name for graph in program.graphs),
        graph_rooms=_rooms(program, steps),
        schedule=schedule,
    )
    plan = buffers.fill(plan)
    plan = dataclasses.replace(plan, layout=layouts.layout_of(plan))
    if target.teams:
        plan = dataclasses.replace(plan, teams=teams.teams_of(plan))
    if not again:
        from gdsl.plan import verifier

        verifier.verify(plan)
    return plan


def _frontiers(program: ir.Program, slot_of: dict[str, int], counts: dict[str, Over]) -> tuple[Frontier, ...]:
    """Those of vertices first."""
    ordered = (each for domain in Domain for each in program.frontiers if each.domain is domain)
    return tuple(Frontier(each.name, each.domain, slot_of[each.name], counts.get(each.name)) for each in ordered)


def _launched(
    planner: OperationPlanner, steps: tuple[Step, ...]
) -> tuple[tuple[Step, ...], turns.Turning, tuple[str, ...]]:
    """The launches of `steps`; the scalars in them that turn, and those that each thread keeps."""
    program, target = planner.program, planner.target
    first = initial_values.initialise(program, planner.accesses)
    if not target.fused:
        return launches.unfused(first, steps), {}, ()
    launch = launches.fused(first, steps)
    if not target.grid:
        return (launch,), {}, ()
    placed = turns.place(launch, program, planner.accesses)
    return (placed.launch,), placed.turning, placed.kept


def neighbours(program: ir.Program, target: Target) -> tuple[Pair, ...]:
    """The operators of which one follows the other, with what keeps them from having one sweep."""
    if not (target.fused and target.grid):
        return ()
    planner = OperationPlanner(program, target)
    fusion = Fusion(planner.accesses, planner.repeated)
    fusion.steps(_Schedule(planner).steps(program.schedule))
    return tuple(fusion.pairs)


def _swapped(schedule: tuple[Step, ...]) -> tuple[str, ...]:
    """The data that may change places."""
    swaps = [step.step for step in steps_in(schedule) if isinstance(step, Swap)]
    return tuple(dict.fromkeys(name for swap in swaps for name in (swap.first, swap.second)))


def _rooms(program: ir.Program, steps: tuple[Step, ...]) -> int:
    """One for each graph in a variable or around, another for each that may have the ends of a subgraph's edges, and
    one for what is made."""
    if not program.graphs:
        return 0
    kinds = {type(step.step) for step in steps_in(steps) if isinstance(step, MakeGraph)}
    each = 2 if {ir.Contract, ir.Subgraph} <= kinds else 1
    return each * (len(program.graphs) + deepest_on(steps)) + 1


def _sizes(program: ir.Program, target: Target, steps: tuple[Step, ...]) -> Sizes:
    block = program.tuning.block if target.grid else None
    block = first_values.BLOCK if first_values.keeps_first(program, target) else block
    block = hub_bounds.BLOCK if hub_bounds.asked_in(steps) else block
    sizes = target.sizes
    if block is None:
        return sizes
    if block <= sizes.block_threads:
        return dataclasses.replace(sizes, block_threads=block)
    # More warps share what a block has for all.
    staged = max(32, sizes.staged * sizes.block_threads // block)
    digits, slots, votes = max(1, sizes.radix_bits - 2), sizes.table_slots // 2, sizes.vote_words // 2
    wider = dataclasses.replace(sizes, block_threads=block, staged=staged, radix_bits=digits)
    return dataclasses.replace(wider, table_slots=slots, vote_words=votes)


class _Schedule:
    """The steps of the program as steps of the plan."""

    def __init__(self, planner: OperationPlanner) -> None:
        self.planner = planner
        self.depth = 0
        self.around = 0
        bitmaps = collected_as_bitmaps(planner.program, planner.directions)
        self.lacking = combinations.lacking_queues(planner.program, bitmaps)

    def steps(self, steps: tuple[ir.Step, ...]) -> tuple[Step, ...]:
        """A block."""
        return tuple(self._step(step) for step in steps)

    def _step(self, step: ir.Step) -> Step:
        if isinstance(step, ir.Operator):
            return self.planner.plan(step)
        if isinstance(step, ir.DefineFrontier):
            return Define(step, may_be_left_out(step, self.planner.program))
        if isinstance(step, ir.CopyFrontier):
            return Copy(step)
        if isinstance(step, ir.FarEnds):
            return FarEnds(step)
        if isinstance(step, ir.SetStep):
            return OnSets(step, set_step_waits(step, frozenset(self.planner.directions.counts), self.planner.target))
        if isinstance(step, ir.CombineFrontiers):
            return combinations.combine(step, self.planner.target, self.lacking)
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
        depth = self.around
        self.around += 1
        body = self.steps(step.body)
        self.around -= 1
        return On(step.graph, depth, None, body)

    def _loop(self, step: ir.While | ir.Repeat) -> Loop:
        counted = isinstance(step, ir.Repeat)
        condition = step.count if isinstance(step, ir.Repeat) else step.condition
        self.depth += 1
        body = self.steps(step.body)
        self.depth -= 1
        return Loop(step.loop, condition, counted, None, self.depth == 0, body, self.planner.orders.get(step.loop))
