"""Walking over a plan."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from gdsl.ir.nodes import Contract, Filter, Intersect, NeighborReduce, NumberMembers, Operator, Subgraph
from gdsl.operations import Domain, Over
from gdsl.plan.nodes import (
    Branch,
    Choice,
    Combine,
    Launch,
    Loop,
    MakeGraph,
    MakeOnce,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
    Sweep,
    Variant,
)


def steps_in(steps: tuple[Step, ...]) -> list[Step]:
    """Every step, each before those in it, in the order of the text. The launch that evaluates a condition comes before
    the steps that it decides, and an operator that is fused into another one's sweep before that operator."""
    walked: list[Step] = []
    for step in steps:
        if isinstance(step, Operation):
            walked += step.fused
        walked.append(step)
        if isinstance(step, (Loop, Branch)) and step.ask is not None:
            walked.append(step.ask)
        if isinstance(step, On) and step.enter is not None:
            walked.append(step.enter)
        for block in blocks_of(step):
            walked += steps_in(block)
    return walked


def blocks_of(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The blocks directly inside a step."""
    if isinstance(step, Branch):
        return step.then, step.otherwise
    if isinstance(step, Launch):
        return (step.steps,)
    return (step.body,) if isinstance(step, (Loop, On, MakeOnce)) else ()


def with_blocks(step: Step, change: Callable[[tuple[Step, ...]], tuple[Step, ...]]) -> Step:
    """`step` with each block directly inside it changed; the same object if it has none."""
    if isinstance(step, Branch):
        return dataclasses.replace(step, then=change(step.then), otherwise=change(step.otherwise))
    if isinstance(step, Launch):
        return dataclasses.replace(step, steps=change(step.steps))
    return dataclasses.replace(step, body=change(step.body)) if isinstance(step, (Loop, On, MakeOnce)) else step


def blocks_in(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Steps that follow each other: these, and the blocks inside them."""
    yield steps
    for step in steps:
        for block in blocks_of(step):
            yield from blocks_in(block)


def map_blocks(steps: tuple[Step, ...], change: Callable[[tuple[Step, ...]], tuple[Step, ...]]) -> tuple[Step, ...]:
    """`steps` with each of `blocks_in`, the inner ones first, as `change` gives it."""
    return change(tuple(with_blocks(step, lambda block: map_blocks(block, change)) for step in steps))


def map_operations(steps: tuple[Step, ...], change: Callable[[Operation], Operation]) -> tuple[Step, ...]:
    """`steps` with each operation, however deep, as `change` gives it."""

    def changed(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(change(step) if isinstance(step, Operation) else step for step in block)

    return map_blocks(steps, changed)


def map_sweeps(plan: Plan, change: Callable[[Operation, Sweep], Sweep]) -> Plan:
    """`plan` with each sweep of its operations, also of those within another's sweep, as `change` gives it."""

    def changed(operation: Operation) -> Operation:
        does, fused = operation.does, tuple(map(changed, operation.fused))
        if isinstance(does, Choice):
            yes, no = change(operation, does.yes), change(operation, does.no)
            same = yes is does.yes and no is does.no
            does = does if same else dataclasses.replace(does, yes=yes, no=no)
        else:
            does = change(operation, does)
        if does is operation.does and all(one is other for one, other in zip(fused, operation.fused, strict=True)):
            return operation
        return dataclasses.replace(operation, does=does, fused=fused)

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed))


def outside_launches(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps with those of launches in the place of the launches."""
    for step in steps:
        if isinstance(step, Launch):
            yield from step.steps
        else:
            yield step


def hoisted_graphs(plan: Plan) -> tuple[MakeOnce, ...]:
    """What is made of the given graph's structure alone and kept with it: the first step for each number."""
    by_number: dict[int, MakeOnce] = {}
    for step in steps_in(plan.schedule):
        if isinstance(step, MakeOnce):
            by_number.setdefault(step.number, step)
    return tuple(by_number[number] for number in sorted(by_number))


def deepest_on(steps: tuple[Step, ...]) -> int:
    """How deep `On` steps are nested."""
    return max((step.depth + 1 for step in steps_in(steps) if isinstance(step, On)), default=0)


def leaves_edges_out(plan: Plan) -> bool:
    """Whether some graph has only some edges of another; if not, edges are everywhere in the order of their ids."""
    made = (step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph))
    return any(isinstance(step.step, Subgraph) and not step.numbers_edges for step in made)


def counts_in_tables(plan: Plan) -> bool:
    """Whether threads count by keys: votes, or edges that become one."""
    made = (step.step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph))
    votes = (sweep.vote for operation in operations(plan) for sweep in sweeps_of(operation))
    return any(isinstance(step, Contract) for step in made) or any(vote is not None for vote in votes)


def operations(plan: Plan) -> tuple[Operation, ...]:
    """The operations of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, Operation))


def own_sweeps(plan: Plan) -> tuple[Operation, ...]:
    """The operations that do not run in the sweep of another one, in the order of the text."""
    all_operations = operations(plan)
    inside = {each.step.site for operation in all_operations for each in operation.fused}
    return tuple(operation for operation in all_operations if operation.step.site not in inside)


def numbering(plan: Plan) -> tuple[Operation, ...]:
    """The filters that take the results of a reduction in its sweep (`in_place`)."""
    filters = (each for each in own_sweeps(plan) if isinstance(each.step, Filter))
    return tuple(each for each in filters if any(isinstance(one.step, NeighborReduce) for one in each.fused))


def combinations(plan: Plan) -> tuple[Combine, ...]:
    """The combinations of frontiers of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, Combine))


def numbered_domains(plan: Plan) -> tuple[Domain, ...]:
    """The domains of frontiers whose members are numbered."""
    steps = (step.step for step in steps_in(plan.schedule) if isinstance(step, OnSets))
    sets = (step.members for step in steps if isinstance(step, NumberMembers))
    return tuple(dict.fromkeys(members.domain for members in sets if not members.everything))


def step_of_launch(step: Step) -> Step:
    """The only step of a launch; any other step itself."""
    return step.steps[0] if isinstance(step, Launch) and len(step.steps) == 1 else step


def launches(plan: Plan) -> tuple[Launch, ...]:
    """The launches of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, Launch))


def push_of(operation: Operation) -> Sweep:
    """The sweep of an operation that pushes, if any does."""
    return operation.does.no if isinstance(operation.does, Choice) else operation.does


def sweeps_of(operation: Operation) -> tuple[Sweep, ...]:
    """The sweeps that an operation may do."""
    does = operation.does
    return (does.yes, does.no) if isinstance(does, Choice) else (does,)


def sweeps(plan: Plan) -> tuple[Sweep, ...]:
    """All sweeps of a plan."""
    return tuple(sweep for operation in operations(plan) for sweep in sweeps_of(operation))


def variants_of(sweep: Sweep) -> tuple[Variant, ...]:
    """The ways in which a sweep runs functors."""
    along = (variant for walk in sweep.walks for variant in (walk.variant, walk.shared) if variant is not None)
    selection = (sweep.selection.test,) if sweep.selection is not None else ()
    common = sweep.intersection.run if sweep.intersection is not None else None
    return (*(run for run in (sweep.own, common) if run is not None), *along, *selection)


def has_direction(operation: Operation) -> bool:
    """Whether an operation pushes or pulls: a walk along edges that gives no result a member."""
    return all(sweep.walks and sweep.segment is None and sweep.vote is None for sweep in sweeps_of(operation))


def cuts_lists(sweep: Sweep) -> bool:
    """Whether long lists are cut into chunks on a grid."""
    return sweep.intersection is not None or any(walk.shared is not None for walk in sweep.walks)


def pulls(operation: Operation) -> bool:
    """Whether an operation may pull: then workers visit the edges into their own vertices, which others own."""
    return any(sweep.selection is not None for sweep in sweeps_of(operation))


def has_own_edges(step: Operator) -> bool:
    """Whether the edges that `step` visits are those of the worker that runs the call, as are all calls for them."""
    if isinstance(step, Intersect):
        return step.partners is None
    return step.visits is Over.OUT_EDGES or (step.visits is None and step.frontier.domain is Domain.EDGE)
