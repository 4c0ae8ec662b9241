"""Which filters run in the sweep of the reduction that reads what they store, and that the verifier sees where one may
not."""

from __future__ import annotations

import dataclasses

import pytest
from support.first_free import COLORS, EARLY, FINISHED, FIRST_FREE, NOT_FIRST_FREE, UNFINISHED

from gdsl.backends.cuda import plan_of
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import NeighborReduce
from gdsl.ir.traversal import all_steps, rewrite
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load_source
from gdsl.plan import in_place
from gdsl.plan.nodes import Loop, Mode, Operation, Plan, Step
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_blocks, map_operations, operations, own_sweeps, steps_in
from gdsl.source import Source
from gdsl.uniqueness.first_free import FirstFree


def program(text: str) -> ir.Program:
    return load_source(Source("program.gdsl", text))


def shares_sweep(plan: Plan) -> bool:
    return any(isinstance(each.step, NeighborReduce) for one in own_sweeps(plan) for each in one.fused)


@pytest.mark.parametrize("what", FIRST_FREE)
def test_loops_in_place(what: str) -> None:
    assert shares_sweep(plan_of(program(FIRST_FREE[what])))


@pytest.mark.parametrize("what", NOT_FIRST_FREE)
def test_loops_that_only_look_so(what: str) -> None:
    assert not shares_sweep(plan_of(program(NOT_FIRST_FREE[what])))


@pytest.mark.parametrize("what", FINISHED)
def test_loops_that_a_later_one_finishes(what: str) -> None:
    plan = plan_of(program(FINISHED[what]))
    takes = [each for each in operations(plan) if each.step.functor == "take"]
    assert all(each.fused for each in takes)
    loops = [step for step in steps_in(plan.schedule) if isinstance(step, Loop) and len(step.body) == 1]
    assert [loop.gives_up for loop in loops] == [*["rest"] * (len(takes) - 1), None]


@pytest.mark.parametrize("what", UNFINISHED)
def test_loops_that_none_finishes(what: str) -> None:
    plan = plan_of(program(UNFINISHED[what]))
    *early, last = (each for each in operations(plan) if each.step.functor == "take")
    assert early and not any(each.fused for each in early) and last.fused
    assert not any(loop.gives_up for loop in steps_in(plan.schedule) if isinstance(loop, Loop))


def test_who_leaves_something_gives_up() -> None:
    plan = plan_of(program(EARLY))

    def going_on(block: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(dataclasses.replace(each, gives_up=None) if isinstance(each, Loop) else each for each in block)

    with pytest.raises(VerificationError, match="not those of the program"):
        verify(dataclasses.replace(plan, schedule=map_blocks(plan.schedule, going_on)))


def test_not_where_memory_is_apart() -> None:
    assert not shares_sweep(plan_of(program(COLORS), several_gpus=True))


@pytest.mark.parametrize("what", [what for what in NOT_FIRST_FREE if what not in ("fewer than all", "another set")])
def test_the_verifier_looks_itself(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def every(program: ir.Program) -> FirstFree:
        steps = [step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)]
        looks, takes = (step for step in steps if step.functor in ("look", "take"))
        return FirstFree(((looks, takes),), {})

    monkeypatch.setattr(in_place, "first_free", every)
    with pytest.raises((VerificationError, ValueError)):
        assert shares_sweep(plan_of(program(NOT_FIRST_FREE[what])))


def test_stores_are_whole_and_reads_may_find_them() -> None:
    plan = plan_of(program(COLORS))

    def plain(operation: Operation) -> Operation:
        if not operation.fused:
            return operation
        own = operation.does.own
        writes = tuple(dataclasses.replace(each, mode=Mode.PLAIN) for each in own.writes if each.name == "color")
        own = dataclasses.replace(own, writes=(*writes, *(each for each in own.writes if each.name != "color")))
        return dataclasses.replace(operation, does=dataclasses.replace(operation.does, own=own))

    with pytest.raises(VerificationError):
        verify(dataclasses.replace(plan, schedule=map_operations(plan.schedule, plain)))

    def early(node: ir.Node) -> ir.Node:
        return dataclasses.replace(node, now=False, cached=False) if isinstance(node, ir.Element) else node

    functors = tuple(rewrite(each, early) for each in plan.program.edge_functors)
    with pytest.raises(VerificationError, match="not complete yet"):
        verify(dataclasses.replace(plan, program=dataclasses.replace(plan.program, edge_functors=functors)))
