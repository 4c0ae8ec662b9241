"""Pass `direction`: push, pull, or a switch between the two, and which frontiers count their members' edges.

An automatic direction compares numbers of the frontier's edges. The operators that create such a frontier count its
edges while they do so, so that no pass over it is needed. Frontiers that are copied from one another count the same
lists, unless choices depend on different lists of them: then the copy counts again.

These advances always push:

- those on all vertices, those that visit both lists of a vertex, and those whose result is edges;
- those whose frontier counts the edges of other lists;
- those whose frontier is used on several graphs;
- on graphs of short lists, those that only assign (`needless_tests`);
- on several workers, those that need what only the owners of edges have (`combining.pulls_from_others`).

Reductions that may send are written as both ways before `lower` runs: see `sending`.
"""

from __future__ import annotations

import dataclasses

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.ir.worklists import copied, may_pull
from gdsl.operations import Balance, Direction, Over
from gdsl.plan import nodes, variants
from gdsl.plan.combining import pulls_from_others
from gdsl.plan.facts import Facts
from gdsl.plan.needless_tests import needless_test, small_arrays
from gdsl.plan.walking import map_blocks, map_operations, operations
from gdsl.records import dataclass


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with advances that pull, or choose in each pass."""
    choices, walked = directions(plan, facts), _walked(plan.program)

    def changed(operation: nodes.Operation) -> nodes.Operation:
        step, push = operation.step, operation.does
        if not isinstance(step, ir.Advance) or not isinstance(push, nodes.Sweep):
            return operation
        if choices.counts.get(step.frontier.frontier or "") is step.over:
            push = dataclasses.replace(push, edges=nodes.EdgeCount.CARRIED)
        direction = choices.of_site[step.site]
        if plan.target.instances and direction is Direction.PULL:  # which instances need is not known before the run
            direction = Direction.PUSH if step.frontier.everything else Direction.AUTO
        if direction is Direction.PUSH:
            return dataclasses.replace(operation, does=push)
        pull = _pull(step, facts)
        if direction is Direction.AUTO:
            knobs = plan.program.tuning.sites[step.site]
            chosen_by = switch(knobs, step.site in walked)
            if plan.target.instances:
                chosen_by = switch_of_instances(knobs, plan.target.grid)
            return dataclasses.replace(operation, does=nodes.Choice(chosen_by, pull, push))
        return dataclasses.replace(operation, does=pull)

    plan = dataclasses.replace(
        plan,
        frontiers=tuple(dataclasses.replace(each, counts=choices.counts.get(each.name)) for each in plan.frontiers),
        schedule=map_blocks(map_operations(plan.schedule, changed), lambda block: _counted(block, choices.counts)),
    )
    switches = tuple(each.step.site for each in operations(plan) if isinstance(each.does, nodes.Choice))
    return dataclasses.replace(plan, switches=switches)


def _counted(block: tuple[nodes.Step, ...], counts: dict[str, Over]) -> tuple[nodes.Step, ...]:
    """`block` with copies that count where the edges of other lists were counted before."""
    return tuple(
        dataclasses.replace(step, recounts=True)
        if isinstance(step, nodes.Copy) and recounts(step.step, counts)
        else step
        for step in block
    )


def recounts(step: ir.CopyFrontier, counts: dict[str, Over]) -> bool:
    """Whether a choice asks about edges of a copy that are not counted for the frontier copied."""
    return counts.get(step.name) not in (None, counts.get(step.other))


def _pull(step: ir.Advance, facts: Facts) -> nodes.Sweep:
    """The vertices to reach look for members at the other ends of their edges."""
    functor = facts.edge_functor(step)
    test = facts.remember(variants.selection_variant, functor, step.over)
    closing = step.closing
    closes = closing is not None and closing.end is ir.Role.FAR and closing.conjunct in test.tests
    rest = facts.remember(variants.pull_variant, functor, test)
    asks = facts.remember(variants.uses_edge_id, functor)
    form = None if step.frontier.everything else nodes.Form.BITMAP
    chunks = rest if facts.target.shares_pulled_lists else None
    return nodes.Sweep(
        members=nodes.Members(step.frontier.domain, step.frontier.frontier, form),
        own=None,
        walks=(nodes.Walk(step.over, step.over.reversed, rest, chunks, None, asks),),
        selection=nodes.Selection(test, closes),
        collect=nodes.Collect(step.result, step.result_domain, nodes.Form.QUEUE, nodes.Dedup.NONE)
        if step.result is not None
        else None,
        totals=facts.remember(variants.totals_of, functor),
        segment=None,
        balance=Balance.AUTO,
        edges=nodes.EdgeCount.ALL if step.frontier.everything else nodes.EdgeCount.CARRIED,
    )


@dataclass(frozen=True, slots=True)
class Directions:
    """Of each site of an advance its direction; of each frontier the edges that are counted for it, if any."""

    of_site: dict[int, Direction]
    counts: dict[str, Over]


def directions(plan: nodes.Plan, facts: Facts) -> Directions:
    """What is decided for all advances of `plan`."""
    program, small = plan.program, small_arrays(plan.program, plan.narrow)
    group = copied(program)
    of_site: dict[int, Direction] = {}
    counted: dict[str, Over] = {}
    between = {group[name] for name in _between_graphs(program)}
    for node in walk(program.schedule):
        if not isinstance(node, ir.Advance):
            continue
        knobs = program.tuning.sites[node.site]
        direction = knobs.direction if knobs.direction is not None and may_pull(node, knobs) else Direction.PUSH
        if direction is Direction.AUTO and facts.graph.short_lists and _only_assigns(node, facts, small):
            direction = Direction.PUSH
        if facts.target.workers and not pulls_from_others(node, facts.edge_functor(node), program):
            direction = Direction.PUSH
        name = node.frontier.frontier
        if direction is not Direction.PUSH and name is not None:
            agrees = group[name] not in between and counted.setdefault(name, node.over) is node.over
            direction = direction if agrees else Direction.PUSH
        of_site[node.site] = direction
    return Directions(of_site, _with_copies(counted, group))


def _only_assigns(step: ir.Advance, facts: Facts, small: frozenset[str]) -> bool:
    """Whether a push only assigns, without a look (`needless_tests`): then it is less work than any pull but one along
    long lists, and nobody counts the edges of its members."""
    one_gpu = facts.target.grid and facts.target.one_memory
    return one_gpu and step.result is None and needless_test(facts.edge_functor(step), small) is not None


def _with_copies(counted: dict[str, Over], group: dict[str, str]) -> dict[str, Over]:
    """`counted` with the frontiers copied from or to those in it, which count what the first of these counts."""
    of_group: dict[str, Over] = {}
    for name, over in counted.items():
        of_group.setdefault(group[name], over)
    return {name: counted.get(name, of_group[leader]) for name, leader in group.items() if leader in of_group}


def switch(knobs: ir.OperatorKnobs, walked: bool) -> nodes.Switch:
    """Pull while that is less work than a push; push again once the frontier is small (Beamer, Asanovic, Patterson,
    Direction-Optimizing Breadth-First Search, SC 2012).

    A pull looks at every vertex, so that a push along fewer edges than there are vertices is less work in any case. And
    it looks at edges. Of f edges of the frontier and u edges not yet visited, an edge of a vertex not yet visited leads
    to the frontier with the likelihood f / u, so that the vertex looks at u / f of its edges, or at all that it has.
    With the mean degree d, u / d vertices look at min(u, u² / (d f)) edges together (`Measure.LOOKS`). A push writes
    along f edges, and a write costs as much as `alpha` looks. So a pull pays from f = u / √(alpha · d) on, or a little
    later: from a seventh of u on graphs of sixteen edges a vertex, and from a third on grids.

    `walked`: other operators walk the lists of the result, too. That of a pull is in the order of ids, so that they
    read lists one after the other.
    """
    factor = knobs.alpha * (_WALKED if walked else 1)
    return nodes.Switch(
        enter=(_MANY_EDGES, nodes.Compare(nodes.Measure.EDGES, factor, nodes.Measure.LOOKS, strict=True)),
        stay=(nodes.Compare(nodes.Measure.SIZE, knobs.beta, nodes.Measure.VERTICES, strict=False),),
    )


def switch_of_instances(knobs: ir.OperatorKnobs, grid: bool) -> nodes.Switch:
    """When many searches that go together pull: a vertex looks for the members of each, mostly in its whole list. On a
    GPU, going over a set of members costs as much as going over all vertices."""
    looks = nodes.Compare(nodes.Measure.EDGES, _INSTANCES * knobs.alpha, nodes.Measure.UNVISITED, strict=True)
    return nodes.Switch(
        enter=(looks,) if grid else (looks, _MANY_EDGES),
        stay=(nodes.Compare(nodes.Measure.SIZE, knobs.beta, nodes.Measure.VERTICES, strict=False),),
    )


_MANY_EDGES = nodes.Compare(nodes.Measure.EDGES, 1, nodes.Measure.VERTICES, strict=True)
_WALKED, _INSTANCES = 2, 5
"""How many times as much a write costs beside a look, where that is so."""


def _walked(program: ir.Program) -> frozenset[int]:
    """The sites of advances whose results reductions in the same loop walk the lists of."""
    sites: set[int] = set()
    for loop in walk(program.schedule):
        if isinstance(loop, (ir.While, ir.Repeat)):
            steps = list(walk(loop.body))
            reduced = {
                each.frontier.frontier for each in steps if isinstance(each, (ir.NeighborReduce, ir.NeighborVote))
            }
            sites.update(
                each.site for each in steps if isinstance(each, ir.Advance) and each.result in reduced - {None}
            )
    return frozenset(sites)


def _between_graphs(program: ir.Program) -> frozenset[str]:
    """The frontiers that more than one graph has to do with: the edges of their members are other ones on each."""
    blocks: dict[str, set[int]] = {}

    def block(steps: tuple[ir.Step, ...], around: int) -> None:
        for step in steps:
            use = frontiers_of(step)
            for name in (*use.read, *use.written):
                blocks.setdefault(name, set()).add(around)
            if isinstance(step, (ir.While, ir.Repeat)):
                block(step.body, around)
            elif isinstance(step, ir.If):
                block((*step.then, *step.otherwise), around)
            elif isinstance(step, ir.On):
                block(step.body, id(step))

    if program.graphs:
        block(program.schedule, 0)
    return frozenset(name for name, places in blocks.items() if len(places) > 1)
