"""What must hold where each of several GPUs keeps members of a set in a queue of its own (decided by `own_queues`)."""

from __future__ import annotations

from gdsl.ir.verifier import expecting
from gdsl.plan.gpu_copies import uses_of
from gdsl.plan.nodes import Initialize, Loop, OwnQueue, Plan
from gdsl.plan.own_queues import is_filled_once_and_walked
from gdsl.plan.walking import steps_in


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
    used = frontier is not None and is_filled_once_and_walked(frontier, plan)
    expect(used, "its edges are counted, or it is filled more than once, or others append to it or read it")
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    expect(first.barrier is not None, "a counter that is not 0 before members are appended")
    once = sum(each.frontier == name for each in plan.own_queues) == 1
    expect(once and uses_of(plan)[queue.copy] == {("queue", name)}, "others fill the copy, too")
    loops = (step for step in steps_in(plan.schedule) if isinstance(step, Loop) and step.solo is not None)
    expect(all(name not in loop.solo.frontiers for loop in loops if loop.solo), "one GPU has not all members")
