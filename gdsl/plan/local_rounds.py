"""Pass `local_rounds`: rounds that a block runs by itself, without the barrier of a grid.

A peeling, or a search that asks only who is reached, runs round after round: `while (f) { f = advance(f, …); }`. Where
rounds are many and have few members each, a grid spends most of its time at the barriers between them. But the barrier
is not needed for the result where it does not matter *when* a member is worked off, only that each is. So a block keeps
the vertices that it accepts in memory of its own, and works them off next, waiting only for its own threads. What
it has no room for goes into the frontier as always. Then other blocks see that there is work for all, and give theirs
up, too, after some rounds (`push_locally` of the runtime); the next pass shares it evenly.

**What is the same in any order.** A loop has local rounds where its body is one advance from a worklist f into f, after
computations on f, if any, and:

1. *Each acceptance is one call's.* The advance makes one write, at the far end. Either it counts, and accepts by a
   ticket (`tickets`): a vertex is accepted by the call that takes its counter to one value, which the loop does not
   change. Or it claims (`deduplication`): a vertex is accepted by the call that replaces the free value, and then it is
   never free again; what is stored does not depend on which call that is.
2. *Nothing else is decided by the loop.* The advance's tests and values, and all that the computations read, are
   written by no step of the loop, and none reads `iteration`. (A claim's own test is the exception.)
3. *Computations are each vertex's own.* They store values into their own vertex's elements, so that doing it again
   stores the same.

Then the members that are ever worked off are the same in any order. Of claims: a vertex is accepted if and only if it
is free and some edge, whose other tests hold, leads to it from a vertex that is worked off; whichever comes first.
Of counters: take any order of visits, and the first vertex in it that the rounds would not have accepted. Its counter
came to the value by visits of edges from vertices that the rounds accept as well, so there it would come to that value,
too; and the other way round. This is the argument of abelian networks, or chip-firing (Bond and Levine, Abelian
Networks I, 2016). Each edge is visited once for each time that its near end is a member, in any order, so all counters
end with the same values. (A counter would have to be counted 2^32 times to come to a value twice.)

What can be seen is how many passes there were: `iterations`, and the sizes in a trace, are those of the grid's passes.

A vertex that a block keeps has the loop's computations run by the thread that accepts it, before it is worked off. No
barrier keeps these apart from the same computations on the members of the frontier, even where a member is accepted
again: whoever runs one stores the same, and no one reads it in the loop. Where a vertex goes into the frontier, the
next pass runs them, for a vertex that a block gave up a second time.
"""

from __future__ import annotations

from dataclasses import replace

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Balance, Domain
from gdsl.passes.writers import far_roles, targets
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.hints import FewAsList, WarpShare, WholeSet
from gdsl.plan.nodes import Barrier, Choice, Dedup, Form, Loop, Operation, Plan, Step, Sweep
from gdsl.plan.sweep_nodes import LocalRounds
from gdsl.plan.walking import map_blocks, push_of


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with local rounds in the loops that may have them."""
    target = plan.target
    alone = not target.teams and not target.several_gpus and not target.workers
    if not (target.fused and target.grid and alone) or plan.program.graphs:
        return plan

    def changed(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(_with_rounds(step, facts) if isinstance(step, Loop) else step for step in block)

    return replace(plan, schedule=map_blocks(plan.schedule, changed))


def _with_rounds(loop: Loop, facts: Facts) -> Loop:
    parts = parts_of(loop)
    if parts is None or not may_be_local(parts[0], parts[1], facts.accesses):
        return loop
    computations, advance = parts
    runs = tuple(replace(_sweep(each), hints=()) for each in computations)
    (written,) = targets(facts.edge_functor(advance.step))
    assert isinstance(written, ir.ElementTarget)
    push = replace(push_of(advance), rounds=LocalRounds(written.array, runs))
    does = replace(advance.does, no=push) if isinstance(advance.does, Choice) else push
    return replace(loop, body=(*loop.body[:-1], replace(advance, does=does)))


def parts_of(loop: Loop) -> tuple[tuple[Operation, ...], Operation] | None:
    """The computations and the advance of a loop that has no more than these, all on its worklist; None of another."""
    steps = [step for step in loop.body if not isinstance(step, Barrier)]
    operations = [step for step in steps if isinstance(step, Operation)]
    if loop.counted or loop.order is not None or not operations or len(operations) != len(steps):
        return None
    *computations, advance = operations
    works_off = isinstance(loop.condition, ir.FrontierNotEmpty) and isinstance(advance.step, ir.Advance)
    if not works_off or not all(isinstance(each.step, ir.Compute) for each in computations):
        return None
    worklist = loop.condition.frontier if isinstance(loop.condition, ir.FrontierNotEmpty) else None
    same = all(each.step.frontier.frontier == worklist for each in operations) and advance.step.result == worklist
    fused = any(each.fused for each in operations)
    return (tuple(computations), advance) if same and not fused and loop.body[-1] is advance else None


def may_be_local(computations: tuple[Operation, ...], advance: Operation, accesses: Accesses) -> bool:
    """Whether the push of such a loop takes members as a queue of vertices, evenly, and the points of the module's
    docstring hold."""
    step, push = advance.step, push_of(advance)
    functor = accesses.functor_of(step)
    if not isinstance(step, ir.Advance) or not isinstance(functor, ir.EdgeFunctor) or not _is_plain(push):
        return False
    writes = targets(functor)
    if len(writes) != 1 or not isinstance(writes[0], ir.ElementTarget):
        return False
    changed = writes[0].array
    functors = [accesses.functor_of(each.step) for each in computations]
    own = {getattr(target, "array", "") for each in functors if each is not None for target in targets(each)}
    read = {each.name for each in accesses.of_step(step) if not each.writes}
    claims = push.collect is not None and push.collect.dedup is Dedup.CLAIM
    decides = not (read - {changed} if claims else read) & (own | {changed}) and changed not in own
    is_one = _claims_equally(functor, step) if claims else not contains(functor, ir.Store)
    computed = all(_is_own(each, accesses, own | {changed}) for each in computations)
    return decides and is_one and computed and not _depends_on_round(functor) and not may_stop(functor)


def _is_plain(push: Sweep) -> bool:
    """Whether it goes from a queue into a queue, with whole warps, and each is accepted by one call."""
    collect, members = push.collect, push.members
    if collect is None or len(push.walks) != 1 or collect.dedup not in (Dedup.CLAIM, Dedup.TICKET):
        return False
    (walked,) = push.walks
    queues = members.form is Form.QUEUE and collect.form is Form.QUEUE
    vertices = members.domain is Domain.VERTEX and collect.domain is Domain.VERTEX
    others = (push.skips, push.mirrors, push.hint(FewAsList), push.hint(WarpShare), push.hint(WholeSet))
    plain = push.is_plain and push.balance is Balance.AUTO and not push.totals and walked.first_places is None
    plain = plain and all(each is None for each in others)
    return queues and vertices and plain and walked.lists is walked.over


def _claims_equally(functor: ir.EdgeFunctor, step: ir.Advance) -> bool:
    """Whether a claim is all that the body does, and stores the same, whichever call it is."""
    if len(functor.body) != 1 or not isinstance(functor.body[0], ir.Store):
        return False
    far = far_roles(step.over)
    ends = (node for node in walk(functor.body[0].value) if isinstance(node, ir.Parameter))
    return all(end.role in far for end in ends)


def _is_own(computation: Operation, accesses: Accesses, changed: set[str]) -> bool:
    """Whether a computation does no more than to store, in its own vertex's elements, what the loop does not change."""
    functor, sweep = accesses.functor_of(computation.step), computation.does
    if not isinstance(functor, ir.VertexFunctor) or not isinstance(sweep, Sweep) or sweep.totals:
        return False
    stores = all(isinstance(each, ir.Store) for each in functor.body) and bool(functor.body)
    own = all(
        isinstance(target, ir.ElementTarget)
        and isinstance(target.index, ir.Parameter)
        and target.index.role is ir.Role.VERTEX
        for target in targets(functor)
    )
    reads = {each.name for each in accesses.of_step(computation.step) if not each.writes} & changed
    return stores and own and not reads and not _depends_on_round(functor) and not may_stop(functor)


def _depends_on_round(functor: ir.EdgeFunctor | ir.VertexFunctor) -> bool:
    """Whether a call depends on which pass it is in, or goes through a list of its own."""
    others = (ir.Iteration, ir.FrontierSize, ir.FrontierNotEmpty, ir.ForNeighbors)
    return contains(functor, *others)


def _sweep(operation: Operation) -> Sweep:
    assert isinstance(operation.does, Sweep)
    return operation.does
