"""Walking over a plan."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from gdsl.ir.nodes import Contract, Filter, Intersect, NeighborReduce, NumberMembers, Operator, Subgraph
from gdsl.operations import Domain, Over
from gdsl.plan import nodes


def steps_in(steps: tuple[nodes.Step, ...]) -> list[nodes.Step]:
    """Every step, each before those in it, in the order of the text. The launch that evaluates a condition comes before
    the steps that it decides, and an operator that is fused into another one's sweep before that operator."""
    walked: list[nodes.Step] = []
    for step in steps:
        if isinstance(step, nodes.Operation):
            walked += step.fused
        walked.append(step)
        if isinstance(step, (nodes.Loop, nodes.Branch)) and step.ask is not None:
            walked.append(step.ask)
        if isinstance(step, nodes.On) and step.enter is not None:
            walked.append(step.enter)
        for block in blocks_of(step):
            walked += steps_in(block)
    return walked


def blocks_of(step: nodes.Step) -> tuple[tuple[nodes.Step, ...], ...]:
    """The blocks directly inside a step."""
    if isinstance(step, nodes.Branch):
        return step.then, step.otherwise
    if isinstance(step, nodes.Launch):
        return (step.steps,)
    return (step.body,) if isinstance(step, (nodes.Loop, nodes.On, nodes.MakeOnce)) else ()


def with_blocks(step: nodes.Step, change: Callable[[tuple[nodes.Step, ...]], tuple[nodes.Step, ...]]) -> nodes.Step:
    """`step` with each block directly inside it changed; the same object if it has none."""
    if isinstance(step, nodes.Branch):
        return dataclasses.replace(step, then=change(step.then), otherwise=change(step.otherwise))
    if isinstance(step, nodes.Launch):
        return dataclasses.replace(step, steps=change(step.steps))
    return (
        dataclasses.replace(step, body=change(step.body))
        if isinstance(step, (nodes.Loop, nodes.On, nodes.MakeOnce))
        else step
    )


def blocks_in(steps: tuple[nodes.Step, ...]) -> Iterator[tuple[nodes.Step, ...]]:
    """Steps that follow each other: these, and the blocks inside them."""
    yield steps
    for step in steps:
        for block in blocks_of(step):
            yield from blocks_in(block)


def map_blocks(
    steps: tuple[nodes.Step, ...], change: Callable[[tuple[nodes.Step, ...]], tuple[nodes.Step, ...]]
) -> tuple[nodes.Step, ...]:
    """`steps` with each of `blocks_in`, the inner ones first, as `change` gives it."""
    return change(tuple(with_blocks(step, lambda block: map_blocks(block, change)) for step in steps))


def map_operations(
    steps: tuple[nodes.Step, ...], change: Callable[[nodes.Operation], nodes.Operation]
) -> tuple[nodes.Step, ...]:
    """`steps` with each operation, however deep, as `change` gives it."""

    def changed(block: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        return tuple(change(step) if isinstance(step, nodes.Operation) else step for step in block)

    return map_blocks(steps, changed)


def map_sweeps(plan: nodes.Plan, change: Callable[[nodes.Operation, nodes.Sweep], nodes.Sweep]) -> nodes.Plan:
    """`plan` with each sweep of its operations, also of those within another's sweep, as `change` gives it."""

    def changed(operation: nodes.Operation) -> nodes.Operation:
        does, fused = operation.does, tuple(map(changed, operation.fused))
        if isinstance(does, nodes.Choice):
            yes, no = change(operation, does.yes), change(operation, does.no)
            same = yes is does.yes and no is does.no
            does = does if same else dataclasses.replace(does, yes=yes, no=no)
        else:
            does = change(operation, does)
        if does is operation.does and all(one is other for one, other in zip(fused, operation.fused, strict=True)):
            return operation
        return dataclasses.replace(operation, does=does, fused=fused)

    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed))


def outside_launches(steps: tuple[nodes.Step, ...]) -> Iterator[nodes.Step]:
    """The steps with those of launches in the place of the launches."""
    for step in steps:
        if isinstance(step, nodes.Launch):
            yield from step.steps
        else:
            yield step


def hoisted_graphs(plan: nodes.Plan) -> tuple[nodes.MakeOnce, ...]:
    """What is made of the given graph's structure alone and kept with it: the first step for each number."""
    by_number: dict[int, nodes.MakeOnce] = {}
    for step in steps_in(plan.schedule):
        if isinstance(step, nodes.MakeOnce):
            by_number.setdefault(step.number, step)
    return tuple(by_number[number] for number in sorted(by_number))


def deepest_on(steps: tuple[nodes.Step, ...]) -> int:
    """How deep `On` steps are nested."""
    return max((step.depth + 1 for step in steps_in(steps) if isinstance(step, nodes.On)), default=0)


def leaves_edges_out(plan: nodes.Plan) -> bool:
    """Whether some graph has only some edges of another; if not, edges are everywhere in the order of their ids."""
    made = (step for step in steps_in(plan.schedule) if isinstance(step, nodes.MakeGraph))
    return any(isinstance(step.step, Subgraph) and not step.numbers_edges for step in made)


def counts_in_tables(plan: nodes.Plan) -> bool:
    """Whether threads count by keys: votes, or edges that become one."""
    made = (step.step for step in steps_in(plan.schedule) if isinstance(step, nodes.MakeGraph))
    votes = (sweep.vote for operation in operations(plan) for sweep in sweeps_of(operation))
    return any(isinstance(step, Contract) for step in made) or any(vote is not None for vote in votes)


def operations(plan: nodes.Plan) -> tuple[nodes.Operation, ...]:
    """The operations of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, nodes.Operation))


def own_sweeps(plan: nodes.Plan) -> tuple[nodes.Operation, ...]:
    """The operations that do not run in the sweep of another one, in the order of the text."""
    all_operations = operations(plan)
    inside = {each.step.site for operation in all_operations for each in operation.fused}
    return tuple(operation for operation in all_operations if operation.step.site not in inside)


def numbering(plan: nodes.Plan) -> tuple[nodes.Operation, ...]:
    """The filters that take the results of a reduction in its sweep (`in_place`)."""
    filters = (each for each in own_sweeps(plan) if isinstance(each.step, Filter))
    return tuple(each for each in filters if any(isinstance(one.step, NeighborReduce) for one in each.fused))


def combinations(plan: nodes.Plan) -> tuple[nodes.Combine, ...]:
    """The combinations of frontiers of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, nodes.Combine))


def numbered_domains(plan: nodes.Plan) -> tuple[Domain, ...]:
    """The domains of frontiers whose members are numbered."""
    steps = (step.step for step in steps_in(plan.schedule) if isinstance(step, nodes.OnSets))
    sets = (step.members for step in steps if isinstance(step, NumberMembers))
    return tuple(dict.fromkeys(members.domain for members in sets if not members.everything))


def step_of_launch(step: nodes.Step) -> nodes.Step:
    """The only step of a launch; any other step itself."""
    return step.steps[0] if isinstance(step, nodes.Launch) and len(step.steps) == 1 else step


def launches(plan: nodes.Plan) -> tuple[nodes.Launch, ...]:
    """The launches of a plan, in the order of the text."""
    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, nodes.Launch))


def push_of(operation: nodes.Operation) -> nodes.Sweep:
    """The sweep of an operation that pushes, if any does."""
    return operation.does.no if isinstance(operation.does, nodes.Choice) else operation.does


def sweeps_of(operation: nodes.Operation) -> tuple[nodes.Sweep, ...]:
    """The sweeps that an operation may do."""
    does = operation.does
    return (does.yes, does.no) if isinstance(does, nodes.Choice) else (does,)


def sweeps(plan: nodes.Plan) -> tuple[nodes.Sweep, ...]:
    """All sweeps of a plan."""
    return tuple(sweep for operation in operations(plan) for sweep in sweeps_of(operation))


def variants_of(sweep: nodes.Sweep) -> tuple[nodes.Variant, ...]:
    """The ways in which a sweep runs functors."""
    along = (variant for walk in sweep.walks for variant in (walk.variant, walk.shared) if variant is not None)
    selection = (sweep.selection.test,) if sweep.selection is not None else ()
    common = sweep.intersection.run if sweep.intersection is not None else None
    return (*(run for run in (sweep.own, common) if run is not None), *along, *selection)


def has_direction(operation: nodes.Operation) -> bool:
    """Whether an operation pushes or pulls: a walk along edges that gives no result a member."""
    return all(sweep.walks and sweep.segment is None and sweep.vote is None for sweep in sweeps_of(operation))


def cuts_lists(sweep: nodes.Sweep) -> bool:
    """Whether long lists are cut into chunks on a grid."""
    return sweep.intersection is not None or any(walk.shared is not None for walk in sweep.walks)


def pulls(operation: nodes.Operation) -> bool:
    """Whether an operation may pull: then workers visit the edges into their own vertices, which others own."""
    return any(sweep.selection is not None for sweep in sweeps_of(operation))


def has_own_edges(step: Operator) -> bool:
    """Whether the edges that `step` visits are those of the worker that runs the call, as are all calls for them."""
    if isinstance(step, Intersect):
        return step.partners is None
    return step.visits is Over.OUT_EDGES or (step.visits is None and step.frontier.domain is Domain.EDGE)
