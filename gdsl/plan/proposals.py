"""Pass `proposals`: several GPUs choose one edge for each far end before anything is claimed.

A push that claims (`deduplication`) does a compare-and-swap for each far end that is free, and a look at most others:
with two GPUs every other one is in the memory of the other, where random accesses take three times as long and no cache
keeps what was read. So where a push walks many edges, each GPU only notes for each far end, in memory of its own, the
near end of the first edge that it comes to, and marks the far end in a bitmap of its own. After a barrier the GPU that
has a far end takes the edge that one of the GPUs has noted, and visits it: it looks, claims, and runs what the functor
does with the edge that won. So each far end is looked at and changed by one thread, of the GPU that has it, which needs
no compare-and-swap, and what is read from other GPUs are bitmaps and the proposals of far ends that the own GPU has not
come to, in order.

**Why this is one of the runs that the program allows.**
Calls of an operator are in no order, and a claim lets one call for each far end pass: once it has stored its value, the
condition is false for all others. Let the calls that are visited come first, and all others after them. A far end has a
call that is visited if any edge leads there whose other tests hold, since only such edges are noted. That call claims
the far end, or the far end was not free before the operator, and then all its calls fail: what is free is the same for
all edges of a far end (`cond a[dst] == src` is left out). So all calls that come later fail: for the same reason, or
since their other tests fail. These tests give what they gave when edges were noted, as they read nothing that the
functor writes.

**The result.**
A GPU visits all far ends of a word of the bitmap one after the other, so it also has that word of the result's bitmap.
Where a pull may come next, the word is stored: else the pull would set a bit for each member, half of them far.

**When.**
What is noted for a far end is the near end of its edge. So functors that ask for the edge itself are left out. Noting
costs two more barriers, and passes over the bitmaps: that pays off from about one edge for each thread on, and one for
each 64 vertices. Where the edges of the members are not counted (`direction`), there must be as many members. Where
those that no frontier has had are counted, too, there must be as many of them as the members have: else most edges lead
to vertices that were visited before, and each of these would be noted, only to be looked at as well.
"""

from __future__ import annotations

import dataclasses

from gdsl.effects.access import Who
from gdsl.ir.nodes import Advance, Parameter
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.passes.writers import far_roles
from gdsl.plan import merges, nodes
from gdsl.plan.facts import Facts
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.hints import ReadAhead
from gdsl.plan.sweep_nodes import Proposals
from gdsl.plan.variants import uses_edge_id
from gdsl.plan.walking import map_operations

EMPTY = nodes.Barrier("until nothing is proposed on any GPU", when=nodes.When.MANY_EDGES, within=nodes.Within.PROPOSED)
PROPOSED = nodes.Barrier("until each GPU has its proposals", when=nodes.When.MANY_EDGES)
_VERTICES_OF_AN_EDGE = 64
"""Proposals clear and read bitmaps of all vertices, so that they pay from about one edge for so many vertices on. No
other number was compared."""


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with proposals, where several GPUs run it. Graphs that are built have other vertices."""
    if not plan.target.several_gpus or plan.graphs:
        return plan
    first = copies_of(plan)
    return dataclasses.replace(
        plan, schedule=map_operations(plan.schedule, lambda operation: _with_proposals(operation, first, facts))
    )


def _with_proposals(operation: nodes.Operation, first: int, facts: Facts) -> nodes.Operation:
    """`operation` with proposals where it pushes. All operators use the same copies, each for itself."""
    does, step = operation.does, operation.step
    push = does.no if isinstance(does, nodes.Choice) else does
    if not isinstance(step, Advance) or operation.fused or not _suits(push, step, facts):
        return operation
    push = dataclasses.replace(push, proposals=Proposals(first, first + 1, _many(does, push), _maps(does)))
    if not isinstance(does, nodes.Choice):
        return dataclasses.replace(operation, does=push, body=_phases(operation.body))
    directions = operation.body[0]
    assert isinstance(directions, nodes.Directions)
    directions = dataclasses.replace(directions, push=_phases(directions.push))
    return dataclasses.replace(operation, does=dataclasses.replace(does, no=push), body=(directions,))


def _many(does: nodes.Sweep | nodes.Choice, push: nodes.Sweep) -> tuple[nodes.Compare, ...]:
    measure = (
        nodes.Measure.EDGES if push.edges in (nodes.EdgeCount.CARRIED, nodes.EdgeCount.ALL) else nodes.Measure.SIZE
    )
    test = (
        nodes.Compare(measure, 1, nodes.Measure.THREADS, False),
        nodes.Compare(measure, _VERTICES_OF_AN_EDGE, nodes.Measure.VERTICES, False),
    )
    if measure is nodes.Measure.SIZE or not isinstance(does, nodes.Choice):
        return test
    return *test, nodes.Compare(nodes.Measure.UNVISITED, 1, nodes.Measure.EDGES, False)


def _maps(does: nodes.Sweep | nodes.Choice) -> bool:
    """Whether a pull may follow, which reads its members as a bitmap."""
    collect = does.no.collect if isinstance(does, nodes.Choice) else None
    return isinstance(does, nodes.Choice) and collect is not None and does.yes.members.form is nodes.Form.BITMAP


def _suits(push: nodes.Sweep, step: Advance, facts: Facts) -> bool:
    """Whether a sweep is a push along one list of each member that claims, and may choose beforehand what it visits."""
    collect, functor = push.collect, facts.edge_functor(step)
    claims = collect is None or (collect.domain is Domain.VERTEX and collect.dedup is nodes.Dedup.CLAIM)
    plain = push.is_plain and push.own is None and push.skips is None and push.merge is None
    if not plain or not claims or len(push.walks) != 1:
        return False
    variant = push.walks[0].variant
    ahead = any(isinstance(each, ReadAhead) and each.over is not None for each in push.hints)
    if variant.claim is None or ahead or uses_edge_id(functor):
        return False
    expected = variant.claim.expected
    if any(isinstance(node, Parameter) and node.role not in far_roles(step.over) for node in walk(expected)):
        return False
    written = {access.name for access in facts.accesses.of_step(step) if access.writes}
    tests = [*(functor.condition[place] for place in variant.tests), expected]
    read = {access.name for test in tests for access in facts.accesses.of_expression(test, Who.ANYBODY)}
    return not written & read


def _phases(body: tuple[nodes.Phase, ...]) -> tuple[nodes.Phase, ...]:
    return merges.with_copies(
        body, (nodes.Work(nodes.Part.PROPOSED), EMPTY), (PROPOSED, nodes.Work(nodes.Part.SETTLED)), nodes.Part.MEMBERS
    )
