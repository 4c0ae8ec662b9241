"""What is decided for an `intersect`, and that the verifier sees every wrong field of it."""

from __future__ import annotations

import dataclasses

import pytest
from support.changed_plans import CHOICES, accepted, seen

from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Domain, Over, ReduceOperation
from gdsl.plan import target
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.nodes import Barrier, Dedup, EdgeCount, Form, Launch, Leader, Loop, Operation, Plan, Sweep, Walk
from gdsl.plan.verifier import verify
from gdsl.plan.walking import launches, sweeps_of
from gdsl.types import Type

from .planning import fused, kinds, only_sweep, operation, plan_of

TARGETS = pytest.mark.parametrize(
    "on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU], ids=["fused", "unfused", "cpu"]
)


def program(schedule: str) -> str:
    return f"""program p; problem {{ scalar s : int64; scalar t : int64; vertex a : int32; }}
        edge functor up(src, dst, e) {{ cond src < dst; }}
        vertex functor f(v) {{ apply {{ a[v] += 1; }} }}
        schedule {{ {schedule} }}"""


OF_EDGES = "edge frontier g = filter(edges, up); frontier c = intersect(g, count=s);"
BOTH, NUMBER, SET = "frontier c = intersect(edges, count=s);", "s = intersect(edges);", "frontier c = intersect(edges);"


@TARGETS
@pytest.mark.parametrize("schedule", [BOTH, NUMBER, SET])
def test_both_lists_of_all_edges_are_walked(schedule: str, on: target.Target) -> None:
    plan = plan_of(program(schedule), on=on)
    sweep = only_sweep(plan)
    assert (sweep.members.domain, sweep.members.frontier, sweep.members.form) == (Domain.EDGE, None, None)
    assert sweep.intersection is not None
    assert sweep.intersection.source is sweep.intersection.destination is Over.OUT_EDGES
    assert sweep.edges is EdgeCount.WALKED and sweep.balance is Balance.AUTO
    read = {buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH}
    assert read == {"offsets", "columns"} | ({"edge_sources"} if on.grid else set())


def test_the_total_and_the_set_are_there_where_they_are_asked_for() -> None:
    sweeps = {schedule: only_sweep(plan_of(program(schedule))) for schedule in (BOTH, NUMBER, SET)}
    assert [sweep.collect is not None for sweep in sweeps.values()] == [True, False, True]
    assert [len(sweep.totals) for sweep in sweeps.values()] == [1, 1, 0]
    collect, (total,) = sweeps[BOTH].collect, sweeps[BOTH].totals
    assert collect is not None and (collect.domain, collect.form) == (Domain.VERTEX, Form.QUEUE)
    assert collect.dedup is Dedup.MARK
    assert (total.reduction.combine, total.reduction.type) == (ReduceOperation.ADD, Type.INT64)


@pytest.mark.parametrize(("schedule", "marks", "hubs"), [(SET, 2, 1), (NUMBER, 0, 1), ("compute(vertices, f);", 0, 0)])
def test_what_a_run_needs(schedule: str, marks: int, hubs: int) -> None:
    plan = plan_of(program(schedule))
    found = {role: sum(max(b.copies, 1) for b in plan.buffers if b.role is role) for role in (Role.MARKS, Role.HUBS)}
    assert (found[Role.MARKS], found[Role.HUBS]) == (marks, hubs)
    assert not any(b.role in (Role.MARKS, Role.HUBS) for b in plan_of(program(schedule), on=target.CPU).buffers)


def test_barriers_keep_the_scalar_apart() -> None:
    reads = "s = intersect(edges); t = s; s = intersect(edges); t = t + s;"
    assert kinds(fused(plan_of(program(reads)))) == [
        *("Initialize", "Leader", "Barrier", "Operation", "Leader"),  # t is the leader's, who read s as well
        *("Leader", "Barrier", "Operation", "Leader"),
    ]
    adds = "s += intersect(edges); s += intersect(edges);"
    assert kinds(fused(plan_of(program(adds)))) == ["Initialize", "Operation", "Operation"]
    loop = "while (s < 5) { s += intersect(edges); }"
    (_, body) = fused(plan_of(program(loop)))
    assert isinstance(body, Loop)
    assert [type(step) for step in body.body] == [Barrier, Operation]
    other = "t = 3; s = intersect(edges); compute(vertices, f); s = t;"
    assert kinds(fused(plan_of(program(other)))).count("Barrier") == 1


def test_a_launch_of_its_own_without_fusion() -> None:
    plan = plan_of(program("frontier c = intersect(edges, count=s) @walk;"), on=target.CUDA_UNFUSED)
    found = launches(plan)
    assert [type(launch.steps[0]).__name__ for launch in found] == ["Initialize", "Leader", "Operation"]
    assert isinstance(found[1].steps[0], Leader)
    assert (found[2].name, found[2].reads, found[2].writes) == ("intersect_walk", (), ("c",))


@TARGETS
def test_a_set_of_edges(on: target.Target) -> None:
    plan = plan_of(program(OF_EDGES), on=on)
    (sweep,) = sweeps_of(operation(plan, "intersect"))
    assert (sweep.members.domain, sweep.members.frontier, sweep.members.form) == (Domain.EDGE, "g", Form.QUEUE)
    assert sweep.collect is not None and sweep.collect.domain is Domain.VERTEX
    read = {buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH}
    assert read == {"offsets", "columns", "edge_sources"}
    found = launches(plan)
    assert on.fused or (found[-1].reads, found[-1].writes) == ((), ("g", "c"))


@TARGETS
@pytest.mark.parametrize("schedule", [BOTH, NUMBER, SET, OF_EDGES])
def test_every_field_is_looked_at(schedule: str, on: target.Target) -> None:
    plan = plan_of(program(schedule), on=on)
    verify(plan)
    assert accepted(plan) <= set(CHOICES)


def with_sweep(plan: Plan, sweep: Sweep) -> Plan:
    """`plan` of one launch and one operation, which does `sweep`."""
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    steps = tuple(dataclasses.replace(s, does=sweep) if isinstance(s, Operation) else s for s in launch.steps)
    return dataclasses.replace(plan, schedule=(dataclasses.replace(launch, steps=steps),))


def test_an_intersection_runs_nothing_else_and_others_have_none() -> None:
    plan, pushing = plan_of(program(BOTH)), plan_of(program("compute(vertices, f);"))
    sweep, other = only_sweep(plan), only_sweep(pushing)
    assert other.own is not None
    walks = (Walk(Over.OUT_EDGES, Over.OUT_EDGES, other.own, None, None, False),)
    wrong = [
        with_sweep(plan, dataclasses.replace(sweep, intersection=None)),
        with_sweep(plan, dataclasses.replace(sweep, own=other.own)),
        with_sweep(plan, dataclasses.replace(sweep, walks=walks)),
        with_sweep(plan, dataclasses.replace(sweep, collect=None)),
        with_sweep(plan, dataclasses.replace(sweep, totals=())),
        with_sweep(pushing, dataclasses.replace(other, intersection=sweep.intersection)),
    ]
    for each in wrong:
        with pytest.raises(VerificationError):
            verify(each)


@pytest.mark.parametrize("name", ["offsets", "columns", "edge_sources", "hubs", "marks"])
def test_a_buffer_too_few_is_seen(name: str) -> None:
    plan = plan_of(program(BOTH))
    fewer = tuple(buffer for buffer in plan.buffers if buffer.name != name)
    assert len(fewer) == len(plan.buffers) - 1
    assert seen(dataclasses.replace(plan, buffers=fewer))
