"""Pass `lane_loops`: calls whose vertex has a long list, each by a whole warp.

A functor that goes through `neighbors(v)` does so in one thread: for each edge it waits for memory, and a hub may have
as many edges as all other members of the warp together. What an edge brings seldom depends on the edges before it; what
does is a few additions. So for a vertex with a long list all lanes of a warp run the functor side by side, and go
through the list 32 edges at a time: each lane evaluates for an edge of its own what does not depend on the edges before
(`weight[x] / heaviest[v]`); then all of them follow what does (`so_far += …`), edge by edge in the order of the list,
with the values of the lane that has the edge; then each writes what its edge does (`sum[x] max= so_far`). Every number
is computed from the same numbers in the same order as by one thread, so results are the same to the last bit. Where the
order makes no difference (`links += 1` of whole numbers, minima, bools), each lane gathers a part of its own, and these
are combined behind the loop.

Members with shorter lists are run by a thread each. Such an operator has a sweep of its own, and what reads a member's
elements afterwards waits at a barrier; for graphs of short lists alone nothing is shared.

**When it is the same.** Lanes read what one thread would have read later or earlier, and all of them what it would have
read once. So a functor has this form where

1. it reads nothing that it writes, so that no call changes what another reads, nor what its own lanes read;
2. it uses no result of a write (`changed`, `fetch`, `cas`), and calls no function with a loop, which some lanes may
   leave and others not when the run is stopped;
3. each of its loops over neighbors is over those of its own vertex, and is not left by `break`; loops inside it write
   nothing, and the edges before decide nothing in them;
4. what such a loop writes is an element of the edge it is at, which each edge has for itself, or it is combined by an
   atomic or in the thread's total, by one operation that gives the same in any order, and written nowhere else;
5. what depends on the edges before is computed, not read: a read there would be waited for edge by edge; and nothing
   that may stop the run is evaluated for an edge where one thread might not have done so.

Outside these loops all lanes compute the same, and one of them writes.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import contains, walk
from gdsl.operations import BinaryOperation, Domain, ReduceOperation
from gdsl.passes.writers import targets_in
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.lane_facts import INNER_LOOPS, depends, following, gathered_in, neighbor_loops
from gdsl.plan.nodes import LaneLoop, Mode, Operation, Plan, Sweep, Variant
from gdsl.plan.walking import map_sweeps

_USED_RESULTS = (ir.UpdateValue, ir.CompareAndSwap, ir.Accept)
_IN_LOOP = (ir.Let, ir.Assign, ir.Branch, ir.Store, ir.Update)
_READS = (ir.Element, ir.GraphRead, ir.DegreeOf, ir.ScalarValue)
_SHORT_CIRCUITS = (BinaryOperation.AND, BinaryOperation.OR)


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the loops that lanes share. Several GPUs and workers have other ways to share members."""
    if not (plan.target.grid and plan.target.one_memory) or plan.graph.short_lists:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step = operation.step
        if not isinstance(step, ir.Compute) or sweep.own is None or sweep.members.domain is not Domain.VERTEX:
            return sweep
        functor = facts.functor(step)
        assert isinstance(functor, ir.VertexFunctor)
        loops = shared_loops(step, functor, sweep.own, facts)
        return dataclasses.replace(sweep, lanes=loops) if loops else sweep

    return map_sweeps(plan, changed)


def shared_loops(step: ir.Compute, functor: ir.VertexFunctor, variant: Variant, facts: Facts) -> tuple[LaneLoop, ...]:
    """The loops of `functor`, if lanes share them; nothing if they do not."""
    loops = neighbor_loops(functor)
    if not loops or variant.claim is not None or not _is_uniform(step, functor, facts):
        return ()
    modes = {write.name: write.mode for write in variant.writes}
    if not all(_is_shared(loop, functor, modes) for loop in loops):
        return ()
    return tuple(LaneLoop(carried_in(loop), _rows(loop)) for loop in loops)


_FEW = 2
"""So many different elements are read for each edge at most where lanes take four rows at a time: more would take
registers that calls need."""


def _rows(loop: ir.ForNeighbors) -> int:
    """How many rows of edges are read at a time. An edge that has loops of its own waits for them: nothing is gained by
    reading for a second one meanwhile."""
    if contains(loop.body, *INNER_LOOPS):
        return 1
    read = {print_expression(node) for node in walk(loop.body) if isinstance(node, ir.Element)}
    return 4 if len(read) <= _FEW else 2


def _is_uniform(step: ir.Compute, functor: ir.VertexFunctor, facts: Facts) -> bool:
    """Whether all lanes of a warp that run a call compute the same outside loops."""
    accesses, nodes = facts.accesses.of_step(step), walk(functor)
    written = {each.name for each in accesses if each.writes}
    called = [node.function for node in nodes if isinstance(node, ir.FunctionCall)]
    return (
        not any(each.name in written for each in accesses if not each.writes)
        and not any(isinstance(node, _USED_RESULTS) for node in nodes)
        and not any(_has_loop(name, facts.functions) for name in called)
    )


def _has_loop(name: str, functions: dict[str, object]) -> bool:
    """Whether there is a loop in a function of the program, or in one that it calls."""
    nodes = walk(functions[name])
    inside = [node.function for node in nodes if isinstance(node, ir.FunctionCall)]
    return any(isinstance(node, INNER_LOOPS) for node in nodes) or any(_has_loop(each, functions) for each in inside)


def carried_in(loop: ir.ForNeighbors) -> tuple[str, ...]:
    """The locals whose value at an edge depends on the edges before it, in the order of the text, without those of
    which each lane gathers a part."""
    nodes = walk(loop.body)
    own = {node.name for node in nodes if isinstance(node, ir.Let)}
    named = [node.name for node in nodes if isinstance(node, (ir.Let, ir.Assign))]
    carried = {node.name for node in nodes if isinstance(node, ir.Assign)} - own - gathered_in(loop).keys()
    while True:
        grown = carried | set(_following(loop.body, carried, False))
        if grown == carried:
            return tuple(dict.fromkeys(name for name in named if name in carried))
        carried = grown


def _following(body: tuple[ir.Statement, ...], carried: set[str], inside: bool) -> Iterable[str]:
    """The locals that get a value that depends on `carried` ones; `inside` a branch that does, all of them."""
    for node in body:
        if isinstance(node, (ir.Let, ir.Assign)) and (inside or depends(node.value, carried)):
            yield node.name
        elif isinstance(node, ir.Branch):
            also = inside or depends(node.condition, carried)
            yield from _following((*node.then, *node.otherwise), carried, also)
        elif isinstance(node, INNER_LOOPS):
            yield from _following(node.body, carried, inside or depends(node, carried))


def _is_shared(loop: ir.ForNeighbors, functor: ir.VertexFunctor, modes: dict[str, Mode]) -> bool:
    """Whether lanes may share a loop."""
    of_vertex = ir.is_parameter(loop.vertex, ir.Role.VERTEX)
    statements = [node for node in walk(loop.body) if isinstance(node, ir.Statement)]
    if not of_vertex or not _stays(loop.body):
        return False
    everywhere, here = (Counter(target.data for target in targets_in(part)) for part in (functor.body, loop.body))
    writes = [node for node in statements if isinstance(node, (ir.Store, ir.Update))]
    if any(everywhere[name] != here[name] for name in here) or not _any_order(writes, loop, modes):
        return False
    return _follows_by_computing(loop.body, carried_in(loop))


def _stays(body: tuple[ir.Statement, ...]) -> bool:
    """Whether the loop goes on after each edge. A loop inside may end in any way, and writes nothing."""
    for node in body:
        if isinstance(node, INNER_LOOPS):
            if contains(node.body, ir.Store, ir.Update):
                return False
        elif not isinstance(node, _IN_LOOP) or (
            isinstance(node, ir.Branch) and not _stays((*node.then, *node.otherwise))
        ):
            return False
    return True


def _any_order(writes: list[ir.Store | ir.Update], loop: ir.ForNeighbors, modes: dict[str, Mode]) -> bool:
    """Whether it makes no difference which lane comes first with what a loop writes."""
    operations: dict[str, set[object]] = {}
    for node in writes:
        own = _is_own(node.target, loop)
        if not own and not (isinstance(node, ir.Update) and _commutes(node, modes)):
            return False
        operations.setdefault(node.target.data, set()).add("its own" if own else node.operation)  # type: ignore[union-attr]
    return all(len(each) == 1 for each in operations.values())


def _is_own(target: ir.Target, loop: ir.ForNeighbors) -> bool:
    """Whether a write goes to the element of the edge that the loop is at."""
    index = target.index if isinstance(target, ir.ElementTarget) else None
    return isinstance(index, ir.ListVariable) and index.name == loop.edge


def _commutes(node: ir.Update, modes: dict[str, Mode]) -> bool:
    """Whether lanes may do an update at the same time, in any order."""
    target, mode = node.target, modes.get(node.target.data)
    atomic = mode is Mode.SHARED or (mode is Mode.TOTAL and isinstance(target, ir.ScalarTarget))
    simple = not target.type.is_float and not target.type.is_pair
    single = isinstance(target, ir.ScalarTarget) or not isinstance(target.index, ir.Slot)
    return atomic and simple and single and isinstance(node.operation, ReduceOperation)


def _follows_by_computing(body: tuple[ir.Statement, ...], carried: tuple[str, ...]) -> bool:
    """Whether what depends on the edges before is computed from numbers, and can be so for any edge."""

    def computes(part: ir.Expression) -> bool:
        nodes = following(part, carried)
        chooses = any(map(_chooses, nodes)) and may_stop(part)
        return not chooses and not any(isinstance(node, _READS) for node in nodes)

    for node in body:
        if isinstance(node, ir.Branch):
            inside = (*node.then, *node.otherwise)
            alone = may_stop(inside) or contains(inside, *INNER_LOOPS)
            sometimes = depends(node.condition, carried) and alone
            if sometimes or not computes(node.condition) or not _follows_by_computing(inside, carried):
                return False
            continue
        if isinstance(node, INNER_LOOPS):
            changed = any(isinstance(each, ir.Assign) and each.name in carried for each in walk(node.body))
            if changed or depends(node, carried):
                return False
            continue
        assert isinstance(node, (ir.Let, ir.Assign, ir.Store, ir.Update))
        place = node.target if isinstance(node, (ir.Store, ir.Update)) else ()
        if not computes(node.value) or depends(place, carried):
            return False
    return True


def _chooses(node: ir.Expression) -> bool:
    """Whether an expression evaluates some of its parts only sometimes."""
    if isinstance(node, ir.Chain):
        return any(operation in _SHORT_CIRCUITS for operation, _ in node.links)
    return isinstance(node, ir.Select) or (isinstance(node, ir.Binary) and node.operation in _SHORT_CIRCUITS)
