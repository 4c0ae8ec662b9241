"""Pass `deduplication`: how a vertex is kept from being collected twice, and which queues may hold one twice.

**Late marks.**
With `dedup = none`, a push adds a vertex to its result each time it is reached while the queue has room, and uses marks
only after that. Such queues have room for every vertex twice: the first half takes all vertices, and the second half
takes the rest, each vertex once by its mark, so the queue cannot overflow and no work is repeated. `gdsl.rules.tuning`
decides which programs may use this.

**Claims.**
If the condition says `a[far] == x` and the body stores y there, the test and the store become one compare-and-swap. A
single edge of each far end then runs the rest of the body, which the language allows, and the result needs no other
protection against duplicates. All other tests then come before it, and y is computed even for far ends that are already
taken: so neither y nor any test that the text has after this one may stop the run (`functor_facts.may_stop`).

**Tickets.**
If a far end is accepted by the call that got one value of a counter (`tickets`), it needs no mark either. This saves an
atomic operation, the last in a chain of dependent ones. A single CPU thread, whose mark is in the cache, gains nothing.
"""

from __future__ import annotations

import dataclasses

from gdsl.extents import VERTICES, Extent, Times
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import BinaryOperation, Domain, Duplicates, Over
from gdsl.passes.writers import far_roles, targets
from gdsl.plan import variants
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.hints import BlindClaim
from gdsl.plan.nodes import Claim, Copy, Dedup, Operation, Plan, Sweep, Variant
from gdsl.plan.tickets import accepts_by_ticket
from gdsl.plan.walking import map_sweeps, steps_in, sweeps
from gdsl.types import Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with claims and late marks in the place of marks."""

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, collect = operation.step, sweep.collect
        if not isinstance(step, ir.Advance) or sweep.selection is not None:
            return sweep
        claimed = _claimed(step, facts)
        if collect is not None and step.to is Domain.VERTEX and collect.dedup is Dedup.MARK:
            asked = plan.program.tuning.sites[step.site].dedup
            late = asked is Duplicates.NONE and plan.target.marks_apart
            dedup = Dedup.CLAIM if claimed is not None else Dedup.LATE if late else Dedup.MARK
            if dedup is Dedup.MARK and plan.target.grid and accepts_by_ticket(facts.edge_functor(step), step.over):
                dedup = Dedup.TICKET
            collect = dataclasses.replace(collect, dedup=dedup)
        walks = sweep.walks
        if claimed is not None:
            sweep = sweep.with_hints(*[BlindClaim()] * _is_blind(claimed, facts))
            walks = tuple(
                dataclasses.replace(each, variant=claimed, shared=claimed if each.shared is not None else None)
                for each in walks
            )
        return dataclasses.replace(sweep, walks=walks, collect=collect)

    return map_sweeps(plan, changed)


def _claimed(step: ir.Advance, facts: Facts) -> Variant | None:
    """The push with a claim; None where there is nothing to claim."""
    if step.closing is None:
        return None
    functor = facts.edge_functor(step)
    claim = claim_of(functor, step.over, step.closing)
    return variants.claim_variant(functor, claim) if claim is not None else None


def repeated_of(plan: Plan) -> frozenset[str]:
    """The frontiers of a plan that may hold a vertex twice."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    copies = [(step.step.name, step.step.other) for step in steps_in(plan.schedule) if isinstance(step, Copy)]
    return _with_copies(frozenset(each.frontier for each in collects if each.dedup is Dedup.LATE), copies)


def room_of(plan: Plan) -> Extent:
    """How many entries a queue of vertices may have."""
    return Times(2, VERTICES) if repeated_of(plan) else VERTICES


def _with_copies(names: frozenset[str], copies: list[tuple[str, str]]) -> frozenset[str]:
    before = frozenset[str]()
    while names != before:
        before = names
        names = names | {name for name, other in copies if other in names}
    return names


def claim_of(functor: ir.EdgeFunctor, over: Over, closing: ir.Closing | None) -> Claim | None:
    """The compare-and-swap that a push can do; None where it cannot."""
    if closing is None or closing.statement is None or closing.end is not ir.Role.FAR:
        return None
    store = functor.body[closing.statement]
    sides = claimed_element(functor.condition[closing.conjunct], far_roles(over))
    if sides is None or not isinstance(store, ir.Store) or sides[0].array != closing.array:
        return None
    writes = [target for target in targets(functor) if getattr(target, "array", None) == closing.array]
    reads = [node for node in walk((functor.condition, functor.body)) if _reads(node, closing.array)]
    can = (
        len(writes) == 1
        and len(reads) == 1
        and sides[0].type is not Type.BOOL
        and not sides[0].type.holds_float
        and not contains(store.value, ir.Local, ir.UpdateValue)
        and not may_stop((functor.condition[closing.conjunct + 1 :], store.value))
    )
    return Claim(closing.array, closing.conjunct, closing.statement, sides[1]) if can else None


def _is_blind(variant: Variant, facts: Facts) -> bool:
    """Whether a claim is tried without a look first while members are few: then all threads of a grid wait for the
    slowest of them, and a look is one more access to memory. Of many members looks are cheaper than failed exchanges.
    """
    claim = variant.claim
    return claim is not None and facts.target.grid and not claim.expected.type.is_pair


def claimed_element(conjunct: ir.Expression, far: frozenset[ir.Role]) -> tuple[ir.Element, ir.Expression] | None:
    """(a[far], x) of a conjunct `a[far] == x` or `x == a[far]`; None for any other."""
    if not isinstance(conjunct, ir.Binary) or conjunct.operation is not BinaryOperation.EQUAL:
        return None
    for element, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
        is_far = isinstance(element, ir.Element) and ir.is_parameter(element.index, *far)
        if is_far and not contains(other, ir.Element):
            assert isinstance(element, ir.Element)
            return element, other
    return None


def _reads(node: ir.Node, array: str | None) -> bool:
    return isinstance(node, ir.Element) and node.array == array
