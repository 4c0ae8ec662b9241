"""The plan of many values that run together on a GPU, and what is wrong with others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load
from gdsl.plan.instance_nodes import BitParallel
from gdsl.plan.nodes import Choice, Measure, Plan
from gdsl.plan.occupancy import LARGE_TOGETHER, words_of_instances
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_operations, operations

SEARCH = """program search;
problem { param source : vertex; vertex level : int32 = -1; scalar total : int64 = 0; }
edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule { level[source] = 0; frontier f = {source}; while (f) { total += size(f); f = advance(f, reach); } }
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of(load(SEARCH), instances=4)


def test_what_a_team_has(plan: Plan) -> None:
    buffers = {each.name: str(each.extent) for each in plan.buffers if each.name.startswith("instance_")}
    assert buffers["instance_sets"] == buffers["instance_tests"] == "4 * V"
    assert buffers["instance_sizes"] == "256"
    assert plan.teams is not None and ("problem", "level") in plan.teams.rows
    assert not any(each.name in ("queues", "bitmaps", "marks") for each in plan.buffers)


def test_wrong_plans_are_rejected(plan: Plan) -> None:
    bits = plan.bits
    assert isinstance(bits, BitParallel)
    verify(plan)
    (walk,) = bits.walks
    for wrong in (
        replace(plan, bits=replace(bits, walks=(replace(walk, closes=None, may_pull=False),))),
        replace(plan, bits=replace(bits, walks=(replace(walk, far=()),))),
        replace(plan, buffers=tuple(each for each in plan.buffers if each.name != "instance_sizes")),
        replace(plan, buffers=tuple(each for each in plan.buffers if each.name != "instance_tests")),
    ):
        with pytest.raises(VerificationError):
            verify(wrong)


def test_a_pull_begins_by_what_is_counted(plan: Plan) -> None:
    (advance,) = (each for each in operations(plan) if isinstance(each.does, Choice))
    assert isinstance(advance.does, Choice)
    (edges,) = advance.does.test.enter
    assert edges.right is Measure.UNVISITED
    for enter in (
        (replace(edges, right=Measure.LOOKS),),
        (edges, replace(edges, right=Measure.VERTICES)),
        (replace(edges, left=Measure.SIZE),),
        (replace(edges, strict=False),),
    ):
        does = replace(advance.does, test=replace(advance.does.test, enter=enter))
        wrong = map_operations(
            plan.schedule, lambda each, does=does: replace(each, does=does) if each is advance else each
        )
        with pytest.raises(VerificationError, match="by what is not counted"):
            verify(replace(plan, schedule=wrong))


@pytest.mark.parametrize(
    ("values", "elements", "words"),
    [(31, 1 << 30, 0), (32, 1 << 30, 1), (64, 1 << 30, 1), (65, 1 << 30, 2), (200, 1 << 30, 4), (5000, 1 << 30, 4)],
)
def test_words(values: int, elements: int, words: int) -> None:
    assert words_of_instances(values, elements) == words
    assert words_of_instances(values, LARGE_TOGETHER - 1) == 0
