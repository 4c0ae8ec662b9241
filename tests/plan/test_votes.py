"""What is decided for `neighbor_vote` and for `intersect` with a functor; the verifier sees every wrong field of it."""

from __future__ import annotations

import dataclasses

import pytest
from support.changed_plans import CHOICES, accepted, seen

from gdsl.extents import Size
from gdsl.plan import target
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.nodes import Mode, Sweep
from gdsl.plan.verifier import verify

from .planning import only_sweep, plan_of

TARGETS = pytest.mark.parametrize(
    "on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU], ids=["fused", "unfused", "cpu"]
)
SIZES = {Size.VERTICES: 100, Size.EDGES: 1000, Size.BLOCKS: 3}


def program(schedule: str) -> str:
    return f"""program p;
        problem {{ vertex label : vertex = id; vertex other : vertex; vertex vote_keys_vertex : int32;
            edge n : int32; scalar s : int64; scalar t : int32; }}
        edge functor of_label(src, dst, e) -> (vertex, int32) {{ value (label[dst], 1); }}
        edge functor of_end(src, dst, e) -> (vertex, float64) {{ cond src < dst; value (dst, 1.5); }}
        vote functor gain(v, key, total) -> float32 {{ value float32(total) - float32(label[key] == v); }}
        common functor corner(u, w, x) {{ apply {{ t += 1; accept u < x; }} }}
        common functor sides(u, w, x, e, eu, ew) {{ cond u < w; apply {{ n[eu] += 1; n[e] += 2; }} }}
        schedule {{ {schedule} }}"""


OWN = "label = neighbor_vote(vertices, of_label);"
OTHER = "other = neighbor_vote(vertices, of_label, over=all_edges);"
SCORED = "label = neighbor_vote(vertices, of_end, gain, keep=other);"
COMMON = "frontier f = intersect(edges, corner, count=s);"
SIDES = "intersect(edges, sides);"


def vote_of(schedule: str, on: target.Target = target.CUDA_FUSED) -> tuple[Sweep, dict[str, int]]:
    """The one sweep, and how many places each of its tables has."""
    plan = plan_of(program(schedule), on=on)
    tables = {each.name: each.extent.value(SIZES) for each in plan.buffers if each.role is Role.TABLES}
    return only_sweep(plan), tables


@pytest.mark.parametrize(
    ("schedule", "aside"),
    [
        (OWN, "label_voted"),
        (OTHER, None),
        (SCORED, "label_voted"),
        ("label = neighbor_vote(vertices, of_end);", None),
        ("label = neighbor_vote(vertices, of_end, keep=label);", "label_voted"),
    ],
)
def test_results_stand_aside_where_they_are_read(schedule: str, aside: str | None) -> None:
    sweep, _ = vote_of(schedule)
    assert sweep.vote is not None and sweep.vote.staging == aside


def test_tables_have_two_places_an_edge_and_one_a_vertex() -> None:
    """Their names are none of the program's."""
    assert vote_of(OWN)[1] == {"vote_keys_vertex_": 2100, "vote_totals_int32": 2100}
    assert vote_of(OTHER)[1] == {"vote_keys_vertex_": 4100, "vote_totals_int32": 4100}
    assert vote_of(OWN, target.CPU)[1] == {}


def test_operators_share_tables_of_one_type() -> None:
    plan = plan_of(program(OWN + OTHER + SCORED))
    tables = {each.name: each.extent.value(SIZES) for each in plan.buffers if each.role is Role.TABLES}
    assert tables == {"vote_keys_vertex_": 4100, "vote_totals_int32": 4100, "vote_totals_float64": 2100}


def test_nothing_that_a_common_functor_writes_is_its_own() -> None:
    sides, corner = only_sweep(plan_of(program(SIDES))), only_sweep(plan_of(program(COMMON)))
    assert sides.intersection is not None and sides.intersection.run is not None
    assert [(write.name, write.mode) for write in sides.intersection.run.writes] == [("n", Mode.SHARED)]
    assert sides.intersection.edge_ids and sides.collect is None and sides.totals == ()
    assert corner.intersection is not None and not corner.intersection.edge_ids
    assert [total.scalar for total in corner.totals] == ["t", "s"]


@TARGETS
@pytest.mark.parametrize("schedule", [OWN, OTHER, SCORED, COMMON, SIDES])
@pytest.mark.sampled(3)
def test_every_field_is_looked_at(schedule: str, on: target.Target) -> None:
    plan = plan_of(program(schedule), on=on)
    verify(plan)
    assert accepted(plan) <= set(CHOICES)


@pytest.mark.parametrize("name", ["vote_keys_vertex_", "vote_totals_int32", "label_voted", "hubs"])
def test_a_buffer_too_few_is_seen(name: str) -> None:
    plan = plan_of(program(OWN))
    fewer = tuple(buffer for buffer in plan.buffers if buffer.name != name)
    assert len(fewer) == len(plan.buffers) - 1
    assert seen(dataclasses.replace(plan, buffers=fewer))
