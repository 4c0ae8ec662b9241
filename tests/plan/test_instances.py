"""The plan of many values that run together on a GPU, and what is wrong with others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load
from gdsl.plan.instance_nodes import BitParallel
from gdsl.plan.nodes import Choice, Measure, Operation, Plan
from gdsl.plan.occupancy import WORK, side_by_side, teams_of_groups, words_of_instances
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

        def changed(each: Operation, does: Choice = does) -> Operation:
            return replace(each, does=does) if each is advance else each

        wrong = map_operations(plan.schedule, changed)
        with pytest.raises(VerificationError, match="by what is not counted"):
            verify(replace(plan, schedule=wrong))


@pytest.mark.parametrize(
    ("values", "work", "words"),
    [
        (31, 2000, 0),
        (32, 2000, 1),
        (32, 1000, 0),  # not worth compiling
        (65, 1000, 2),
        (200, 1000, 4),
        (5000, 1000, 4),
        (1024, 64, 4),  # 4 groups, 256 blocks in all
        (1024, 40, 2),  # 8 groups, 320 blocks
        (4000, 9, 2),  # 32 groups, 288 blocks
        (64, 600, 1),
        (256, 127, 0),
        (9000, 0, 0),
    ],
)
def test_words(values: int, work: int, words: int) -> None:
    """`work`: for so many blocks, of 256."""
    assert words_of_instances(values, work * WORK, 256) == words


def test_side_by_side(plan: Plan) -> None:
    assert side_by_side(replace(plan, resident_threads=1024, sizes=replace(plan.sizes, block_threads=256)), 10) == 40
    assert side_by_side(replace(plan, resident_threads=512, sizes=replace(plan.sizes, block_threads=1024)), 10) == 10


def test_teams_are_busy_to_the_end() -> None:
    assert [teams_of_groups(each) for each in (1, 2, 3, 4, 5, 6, 7, 8, 41)] == [1, 2, 3, 4, 5, 6, 7, 8, 7]
