"""Which operators look for chunks of long lists when they have found the rest, and which must not."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan import late_chunks, target
from gdsl.plan.late_chunks import looks_late
from gdsl.plan.nodes import Barrier, Operation, Plan, Within
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, operations

from .planning import operation, plan_of

TOTAL = """program p;
problem { param source : vertex; vertex depth : int32 = -1; scalar found : int32; }
edge functor reach(src, dst, e) {
    apply { let former = fetch(depth[dst] max= iteration); if (former == -1) { found += 1; } accept former == -1; }
}
schedule { frontier f = { source }; while (f) { f = advance(f, reach); } }"""
BOTH_LISTS = """program p;
problem { vertex a : int32 = 9; }
edge functor lower(src, dst, e) { apply { accept changed(a[dst] min= a[src]); } }
schedule { frontier f = vertices; while (f) { f = advance(f, lower, over=all_edges) @push; } }"""


@pytest.mark.parametrize(
    ("program", "label", "looks"),
    [
        ("bfs", "visit", True),
        ("sssp", "relax", True),
        ("k_core", "lose", True),
        ("k_core", "weakest", False),
        (TOTAL, "reach", False),
        (BOTH_LISTS, "push", False),
    ],
)
def test_who_looks_late(program: str, label: str, looks: bool) -> None:
    assert looks_late(operation(plan_of(program), label)) is looks


def test_several_gpus_and_operators_of_their_own_launch_do_not() -> None:
    for on in (target.on_several_gpus(target.CUDA_FUSED), target.CUDA_UNFUSED):
        assert not any(looks_late(each) for each in operations(plan_of("bfs", on=on)))


@pytest.mark.parametrize(("program", "label"), [(TOTAL, "reach"), (BOTH_LISTS, "push")])
def test_the_verifier_looks_itself(program: str, label: str) -> None:
    """Totals would be added up too late, and the second list is walked behind the chunks of the first one."""
    plan = plan_of(program)

    def changed(each: Operation) -> Operation:
        assert not isinstance(each.does, tuple)
        return dataclasses.replace(each, body=_late(each)) if each.step.label == label else each

    def _late(each: Operation) -> tuple:  # type: ignore[type-arg]
        places = [place for place, phase in enumerate(each.body) if _is_cut(phase)]
        body = list(each.body)
        for place in reversed(places):
            body[place] = late_chunks._FIRST
        return tuple(body)

    with pytest.raises(VerificationError):
        verify(dataclasses.replace(plan, schedule=map_operations(plan.schedule, changed)))


def _is_cut(phase: object) -> bool:
    return isinstance(phase, Barrier) and phase.within is Within.CHUNKS


def test_each_barrier_of_a_pass_that_meets_chunks_is_needed() -> None:
    plan = plan_of("sssp")
    verify(plan)

    def without_last(each: Operation) -> Operation:
        body = tuple(
            phase for phase in each.body if not (isinstance(phase, Barrier) and phase.within is Within.RESULT_OF_CHUNKS)
        )
        return dataclasses.replace(each, body=body)

    changed: Plan = dataclasses.replace(plan, schedule=map_operations(plan.schedule, without_last))
    with pytest.raises(VerificationError):
        verify(changed)
