"""Pass `prefetch`: what is read or fetched before it is needed. Hints only: none of them changes a result. A CPU
fetches lists; all others are for a grid.

Reads before their use are chosen in `read_ahead`. Fetched into a cache are the lists of the next level of a history,
and what the vertices that come next will need.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Degree, Domain, Over
from gdsl.passes.writers import far_roles, near_roles
from gdsl.plan.facts import Facts
from gdsl.plan.frontier_form import whole_sets
from gdsl.plan.fusion import flattened
from gdsl.plan.hints import (
    EdgesSideBySide,
    NextLevel,
    PrefetchLists,
    PrefetchRows,
    ReadAhead,
    WholeSet,
)
from gdsl.plan.nodes import Choice, Loop, OnSets, Operation, Plan, Segment, Step, Sweep, Walk
from gdsl.plan.read_ahead import edges_side_by_side, read_ahead_of, read_ahead_of_worklist
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.walking import leaves_edges_out, map_operations, map_sweeps, own_sweeps, with_blocks


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with all of these hints."""
    if not plan.target.grid:
        return prefetch_lists(plan)
    plan = map_sweeps(plan, _Reads(plan, facts).changed)
    return prefetch_rows(prefetch_levels(plan))


class _Reads:
    """What sweeps read before its use."""

    def __init__(self, plan: Plan, facts: Facts) -> None:
        self.facts = facts
        self.alone = {each.step.site for each in own_sweeps(plan) if not each.fused}
        """Operators that share their sweep with no other: what others read, another one may write."""

    def changed(self, operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if isinstance(step, ir.Compute) and step.site in self.alone:
            functor = self.facts.functor(step)
            if isinstance(functor, ir.VertexFunctor) and sweep.own is not None:
                hint = read_ahead_of(functor, sweep.own, self.facts.functions)
                return sweep.with_hints(hint) if hint is not None else sweep
        if isinstance(step, ir.Advance) and sweep.selection is None:
            edge_functor = self.facts.edge_functor(step)
            hints = (self._of_edges(step, edge_functor, each, sweep) for each in sweep.walks)
            return sweep.with_hints(*(each for each in hints if each is not None))
        if isinstance(step, ir.NeighborReduce) and sweep.segment is not None and sweep.balance is Balance.AUTO:
            edge_functor = self.facts.edge_functor(step)
            count = edges_side_by_side(step, edge_functor, self.facts.program)
            return sweep.with_hints(EdgesSideBySide(count)) if count > 1 else sweep
        return sweep

    def _of_edges(self, step: ir.Advance, functor: ir.EdgeFunctor, walk: Walk, sweep: Sweep) -> ReadAhead | None:
        """What a push reads before its use."""
        if sweep.balance is not Balance.AUTO or sweep.order is not None:
            return None
        if sweep.skips is not None:
            return read_ahead_of_worklist(step, functor, walk.variant, sweep.skips, self.facts.program)
        hint = read_ahead_of(functor, walk.variant, self.facts.functions)
        return dataclasses.replace(hint, over=walk.over) if hint is not None else None


# Decides which reductions look at the next level of a history while blocks wait for each other (cuda).
#
# A loop over the levels of a history knows each of them beforehand. On a road it has thousands of passes of few
# members, and each is a row of loads that wait for each other: a member, where its list begins, neighbors, their
# values. All but the last depend on nothing that the loop writes, so that they are on their way while all wait for the
# pass before. That keeps registers, of which there are enough in the small blocks for deep graphs; see `heuristics`.

Levels = Mapping[str, ir.History]
"""By frontier the history that the loop around goes through with it."""


def prefetch_levels(plan: Plan) -> Plan:
    """`plan` with the reductions that find the lists of the next level, on deep graphs."""
    if not plan.graph.deep or not _is_one_grid(plan):
        return plan
    return dataclasses.replace(plan, schedule=tuple(_mapped(plan.schedule, {})))


def _is_one_grid(plan: Plan) -> bool:
    """Whether one grid of threads runs all of `plan` on the given graph."""
    return plan.target.fused and plan.target.grid and not plan.target.teams and not plan.program.graphs


def _mapped(steps: tuple[Step, ...], levels: Levels) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Operation):
            yield _looking(step, levels if step.waits else {})
        else:
            within = dict(_taken(step.body)) if isinstance(step, Loop) else levels
            yield with_blocks(step, lambda block, within=within: tuple(_mapped(block, within)))  # type: ignore[misc]


def _taken(body: tuple[Step, ...]) -> Iterator[tuple[str, ir.History]]:
    for step in body:
        if isinstance(step, OnSets) and isinstance(step.step, ir.TakeLevel) and not step.waits:
            yield step.step.name, step.step.history


def _looking(operation: Operation, levels: Levels) -> Operation:
    """What is fused into a reduction is in the reduction's sweep, and before the same barrier."""
    if operation.fused:
        first, *others = operation.fused
        return dataclasses.replace(operation, fused=(_looking(first, levels), *others))
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.segment is None:
        return operation
    level = levels.get(sweep.members.frontier or "") if _goes_by_lists(sweep, sweep.segment) else None
    return operation if level is None else dataclasses.replace(operation, does=sweep.with_hints(NextLevel(level)))


def _goes_by_lists(sweep: Sweep, segment: Segment) -> bool:
    """Whether a sweep walks one whole list of each member, once, for results that are stored immediately."""
    whole = len(sweep.walks) == 1 and sweep.walks[0].first_places is None and sweep.balance is Balance.AUTO
    return whole and segment.stops_at is None and segment.staging is None


def has_small_frontiers(sweep: Sweep, plan: Plan) -> bool:
    """Whether a sweep of a search has few members most of the time."""
    return (sweep.order is not None and not plan.graph.wide_passes) or plan.graph.deep


# Decides which sweeps prefetch what a thread's next vertices need while it processes the present ones (cuda).
#
# A sweep over all vertices takes them in their order, a row of 32 a warp. Where lists are short each row waits for
# where its lists begin, for these, and for what is asked for at their ends and at the members themselves, one after
# the other, with as many warps as there are registers for: half of what the memory could give. All but the ends is
# known a row ahead, so a thread that takes a vertex has the list and the elements of the next one fetched into the L2
# cache, and where the list of the one after that begins.
#
# What the ends of lists are asked for, too, comes to a vertex with its neighbors, which are worked on before it; of
# that only words are fetched, as the cache has no room for more.
#
# Vertices with long lists keep the memory busy by themselves, and what is fetched for others comes to them out of
# turn: so this is done on large graphs without any. Of sets it is done as long as they are whole.

_WORD = 32
_LISTS = {Degree.OUT: Over.OUT_EDGES, Degree.IN: Over.IN_EDGES}


def prefetch_rows(plan: Plan) -> Plan:
    """`plan` with what its sweeps fetch a row ahead, on large graphs of short lists."""
    if not plan.graph.short_lists or not _is_one_grid(plan):
        return plan
    changed = partial(_with_rows, program=plan.program)
    return dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed))


def could_prefetch_rows(program: ir.Program) -> bool:
    """Whether a program has such sweeps, as far as its schedule says."""
    if not program.tuning.fuse or program.graphs:
        return False
    whole = whole_sets(program)
    steps = (step for step in walk(program.schedule) if isinstance(step, (ir.NeighborReduce, ir.Filter)))
    return any(_has_all(step.frontier, whole) for step in steps)


def _has_all(members: ir.Elements, whole: frozenset[str]) -> bool:
    return members.domain is Domain.VERTEX and (members.frontier is None or members.frontier in whole)


def _with_rows(operation: Operation, program: ir.Program) -> Operation:
    """An operation whose sweep is its own, or that of the reduction after which it runs."""
    if isinstance(operation.does, Choice):
        return operation
    parts = flattened(operation)
    first = parts[0].does
    follows = bool(operation.fused) and isinstance(first, Sweep) and first.segment is not None
    host = operation.fused[0] if follows else operation
    rows = _rows(host, parts, program)
    if rows is None:
        return operation
    assert isinstance(host.does, Sweep)
    host = dataclasses.replace(host, does=host.does.with_hints(rows))
    return dataclasses.replace(operation, fused=(host, *operation.fused[1:])) if follows else host


def _rows(host: Operation, parts: tuple[Operation, ...], program: ir.Program) -> PrefetchRows | None:
    sweep = host.does
    if not isinstance(sweep, Sweep) or not _in_rows(sweep):
        return None
    walked = tuple(each.lists for each in sweep.walks)
    results = {sweep.segment.array} if sweep.segment is not None else set[str]()
    results |= _wide_at_ends(host, program)
    asked: dict[str, None] = {}
    begins: dict[Over, None] = {}
    for part in parts:
        functor, roles = _functor(part, program), _roles(part)
        own = results | _stored_first(functor, roles)
        asked |= dict.fromkeys(name for name in arrays_at(functor, roles, program) if name not in own)
        begins |= dict.fromkeys(_LISTS[node.degree] for node in walk(functor) if isinstance(node, ir.DegreeOf))
    rows = PrefetchRows(walked, tuple(lists for lists in begins if lists not in walked), tuple(asked))
    return rows if rows.lists or rows.begins or rows.arrays else None


def _in_rows(sweep: Sweep) -> bool:
    """Whether warps take vertices in their order, each once."""
    members, collect = sweep.members, sweep.collect
    if members.domain is not Domain.VERTEX or not (members.frontier is None or sweep.hint(WholeSet) is not None):
        return False
    if sweep.segment is not None:
        return sweep.balance is Balance.AUTO and len(sweep.walks) == 1 and sweep.hint(NextLevel) is None
    return sweep.own is not None and collect is not None and collect.form is Form.QUEUE


def _wide_at_ends(host: Operation, program: ir.Program) -> set[str]:
    """The arrays of more than a word for each element that are read at the ends of lists."""
    sweep, functor = host.does, _functor(host, program)
    assert isinstance(sweep, Sweep)
    wide = {array.name for array in program.arrays if not array.type.is_id and (array.type.bits or _WORD + 1) > _WORD}
    return {name for each in sweep.walks for name in arrays_at(functor, far_roles(each.over), program) if name in wide}


def _stored_first(functor: ir.EdgeFunctor | ir.VertexFunctor, roles: frozenset[ir.Role]) -> set[str]:
    """The arrays whose element a call always stores before it reads it."""
    stored: set[str] = set()
    asked = {node.array for node in walk(functor.condition) if isinstance(node, ir.Element)}
    for statement in functor.body:
        asked |= {node.array for node in walk(statement) if isinstance(node, ir.Element)} - stored
        target = statement.target if isinstance(statement, ir.Store) else None
        if (
            isinstance(target, ir.ElementTarget)
            and isinstance(target.index, ir.Parameter)
            and target.index.role in roles
        ):
            stored |= {target.array} - asked
    return stored


def _functor(operation: Operation, program: ir.Program) -> ir.EdgeFunctor | ir.VertexFunctor:
    assert operation.step.functor is not None
    return program.functor(operation.step.functor)


def _roles(operation: Operation) -> frozenset[ir.Role]:
    sweep = operation.does
    assert isinstance(sweep, Sweep)
    return near_roles(sweep.walks[0].over) if sweep.walks else frozenset({ir.Role.VERTEX})


# Decides which operators fetch the lists of members that come later (cpu).
#
# A processor finds by itself that a list is read from one end to the other once it has begun to be. Of members of a
# set each list is elsewhere, and of graphs larger than the cache each begins with a wait for memory, which takes as
# long as ten edges and more. So while a thread is at one member it has the first edges of the eighth from it fetched,
# and what their visits read by the edge's id, if that is the edge's place. The lists of all vertices follow each other,
# so a processor prefetches them by itself.


def prefetch_lists(plan: Plan) -> Plan:
    """`plan` with what each sweep fetches with the lists of its members."""

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        fetched = _fetched_with(sweep, plan)
        return sweep if fetched is None else sweep.with_hints(PrefetchLists(fetched))

    return map_sweeps(plan, changed)


def _fetched_with(sweep: Sweep, plan: Plan) -> tuple[str, ...] | None:
    """The arrays of edges that are fetched with the lists of a sweep's members; None where no list is."""
    members, program = sweep.members, plan.program
    scattered = members.domain is Domain.VERTEX and members.form is Form.QUEUE and sweep.hint(WholeSet) is None
    if not scattered or sweep.balance is not Balance.AUTO or len(sweep.walks) != 1:
        return None
    (way,) = sweep.walks
    if sweep.selection is not None:
        return None
    if sweep.segment is not None and sweep.segment.stops_at is not None:
        return None  # such a list is often left at its first edges
    if leaves_edges_out(plan) or way.lists is not Over.OUT_EDGES:
        return ()  # edges are not in the order of their ids
    return arrays_at(program.edge_functor(way.variant.functor), frozenset({ir.Role.EDGE}), program)


# The arrays that a visit waits for, by the vertex or edge at which it reads them.


def arrays_at(
    functor: ir.EdgeFunctor | ir.VertexFunctor, roles: frozenset[ir.Role], program: ir.Program
) -> tuple[str, ...]:
    """Those with a single value for each element, at parameters of these `roles`, in the order of the text."""
    single = {array.name for array in program.arrays if array.count is None}
    return tuple(dict.fromkeys(name for name in _accessed_at(functor, roles) if name in single))


def _accessed_at(functor: ir.EdgeFunctor | ir.VertexFunctor, roles: frozenset[ir.Role]) -> Iterator[str]:
    """What is read or changed; no thread waits for what is stored."""
    for node in walk(functor):
        match node:
            case (
                ir.Element(array=name, index=ir.Parameter(role=role))
                | ir.Update(target=ir.ElementTarget(array=name, index=ir.Parameter(role=role)))
            ) if role in roles:
                yield name
