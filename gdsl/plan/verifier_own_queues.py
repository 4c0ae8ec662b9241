"""What must hold where each of several GPUs keeps members of a set in a queue of its own (decided by `own_queues`)."""

from __future__ import annotations

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.ir.verifier import expecting
from gdsl.operations import Balance, Domain
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.hints import FewAsList, WarpShare, WholeSet
from gdsl.plan.nodes import Choice, Dedup, Form, Initialize, Loop, Operation, OwnQueue, Plan, Sweep
from gdsl.plan.walking import operations, steps_in


def verify_own_queues(plan: Plan) -> None:
    """Raise `VerificationError` unless each such set is filled once, by calls of which each is about its own vertex,
    and no thread needs members that another GPU has."""
    for queue in plan.own_queues:
        _verify(plan, queue)


def _verify(plan: Plan, queue: OwnQueue) -> None:
    name = queue.frontier
    expect = expecting(f"plan of {plan.program.name}: queues of each GPU: {name}")
    expect(plan.target.several_gpus and plan.target.fused and not plan.graphs, "one GPU has one queue")
    frontier = next((each for each in plan.frontiers if each.name == name), None)
    counts = frontier is None or frontier.counts is not None
    expect(not counts and frontier is not None and frontier.domain is Domain.VERTEX, "its edges are counted")
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    expect(first.barrier is not None, "a counter that is not 0 before members are appended")
    once = sum(each.frontier == name for each in plan.own_queues) == 1
    expect(once and uses_of(plan)[queue.copy] == {("queue", name)}, "others fill the copy, too")
    by_site = {each.step.site: each for each in operations(plan)}
    repeated = {id(each) for step in all_steps(plan.program.schedule) for each in _within(step)}
    writers = 0
    for step in all_steps(plan.program.schedule):
        use = frontiers_of(step)
        operation = by_site.get(step.site) if isinstance(step, ir.Operator) else None
        if name in use.written:
            writers += 1
            expect(id(step) not in repeated and isinstance(step, ir.Filter), "it is filled more than once")
            expect(operation is not None and _appends(operation), "others append to it")
        if name in use.read and isinstance(step, ir.Operator):
            expect(isinstance(step, ir.Advance) and operation is not None and _walks(operation), "others read it")
        elif name in use.read:
            expect(not isinstance(step, _BY_MEMBERS), "others read it")
    expect(writers == 1, "it is filled more than once")
    loops = (step for step in steps_in(plan.schedule) if isinstance(step, Loop) and step.solo is not None)
    expect(all(name not in loop.solo.frontiers for loop in loops if loop.solo), "one GPU has not all members")


_BY_MEMBERS = (ir.CopyFrontier, ir.FarEnds, ir.Subgraph, ir.SetStep, ir.CombineFrontiers, ir.While)
"""Steps that ask for members, or in a loop that one GPU may run alone."""


def _within(step: ir.Step) -> list[ir.Step]:
    """The steps that a loop repeats."""
    return list(all_steps(step.body)) if isinstance(step, (ir.While, ir.Repeat)) else []


def _appends(operation: Operation) -> bool:
    """Whether every vertex has one call, which may append it."""
    sweep = operation.does
    if not isinstance(sweep, Sweep) or sweep.collect is None or sweep.walks:
        return False
    queued = sweep.collect.form is Form.QUEUE and sweep.collect.dedup is Dedup.NONE
    return queued and sweep.members.frontier is None and sweep.members.domain is Domain.VERTEX


def _walks(operation: Operation) -> bool:
    """Whether each thread takes members of its own GPU, and walks their lists, or parts of such lists."""
    sweep = operation.does
    if isinstance(sweep, Choice) or not sweep.walks or sweep.balance not in (Balance.AUTO, Balance.THREAD):
        return False
    mapped = sweep.mirrors is not None and sweep.mirrors.members
    asked = any(isinstance(each, (WholeSet, FewAsList, WarpShare)) for each in sweep.hints)
    others = sweep.skips or sweep.proposals or sweep.labels or mapped or asked
    return sweep.is_plain and not others and sweep.members.form is Form.QUEUE
