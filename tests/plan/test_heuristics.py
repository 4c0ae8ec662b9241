"""Which programs have another form for roads and meshes, and what claims look at first."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl import pipeline
from gdsl.ir.nodes import Program
from gdsl.operations import Order
from gdsl.plan import target
from gdsl.plan.heuristics import NARROW_BLOCK, has_choice, suited
from gdsl.plan.hints import BlindClaim
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import sweeps, variants_of

from .planning import ROOT, plan_of
from .test_grids import ROADS, SOCIAL, STAR

TOWN = (100_000, 350_000, 4)
HUBS = (1 << 22, 1 << 27, 1 << 17)
ROOM = 186_000
"""Bytes of an H200."""
ONCE = """program once;
problem { param s : vertex; vertex seen : bool; }
edge functor see(src, dst, e) { apply { seen[dst] = true; } }
schedule { frontier f = { s }; f = advance(f, see); }
"""
FIXED = ONCE.replace("f = advance(f, see);", "repeat (9) { f = advance(f, see); }")
OF_PAIRS = """program pairs;
problem { param s : vertex; vertex best : (int32, int32) = (0, 0); }
edge functor take(src, dst, e) { cond best[dst] == (0, 0); apply { best[dst] = (1, iteration); } }
schedule { frontier f = { s }; while (f) { f = advance(f, take); } }
"""


def program(text: str, *tune: str) -> Program:
    return pipeline.load(str(ROOT / "samples" / f"{text}.gdsl") if text.isidentifier() else text, tune)


@pytest.mark.parametrize("text", ["bfs", "betweenness", FIXED])
def test_searches_on_large_roads_have_smaller_blocks(text: str) -> None:
    given = program(text)
    assert has_choice(given)
    found = suited(given, ROADS, ROOM)
    assert found.tuning.block == NARROW_BLOCK and not has_choice(found), "and nothing is left to choose"
    assert all(suited(given, shape, ROOM) is given for shape in (SOCIAL, STAR, TOWN))
    assert f"a program of its own, {NARROW_BLOCK} threads per block" in print_plan(plan_of(text))


@pytest.mark.parametrize(
    "text, tune",
    [
        ("louvain", ()),
        (ONCE, ()),
        ("bfs", ("schedule.block=512",)),
        ("bfs", ("schedule.fuse=off",)),
    ],
)
def test_others_are_as_they_are(text: str, tune: tuple[str, ...]) -> None:
    given = program(text, *tune)
    assert not has_choice(given) and suited(given, ROADS, ROOM) is given
    assert "a program of its own" not in print_plan(plan_of(text, *tune))


@pytest.mark.parametrize("text", ["pagerank", "k_core", "coloring"])
def test_sweeps_over_all_vertices_of_large_roads_fetch_rows_ahead(text: str) -> None:
    given = program(text)
    found = suited(given, ROADS, ROOM)
    assert has_choice(given) and found.tuning == dataclasses.replace(given.tuning, rows_ahead=True)
    assert not has_choice(found), "and nothing is left to choose"
    assert all(suited(given, shape, ROOM) is given for shape in (SOCIAL, STAR, TOWN))
    assert "fetches what the next vertices need" in print_plan(plan_of(text))
    assert not has_choice(program(text, "schedule.fuse=off"))


def test_an_order_has_blocks_of_its_own() -> None:
    found = suited(program("sssp"), ROADS, ROOM)
    assert found.tuning.order is Order.NEAR_FAR and found.tuning.block is None and not has_choice(found)
    assert suited(program("sssp", "schedule.order=as_given"), ROADS, ROOM).tuning.block == NARROW_BLOCK


@pytest.mark.parametrize("tune", ["auto", "as_given"])
def test_large_graphs_of_hubs_have_bounds(tune: str) -> None:
    given = program("sssp", f"schedule.order={tune}")
    found = suited(given, HUBS, ROOM)
    assert found.tuning.hub_bounds and not has_choice(found), "and nothing is left to choose"
    assert suited(found, ROADS, ROOM) is found
    assert suited(given, HUBS, 100_000) is given, "where the GPU has no room for them"
    assert all(suited(given, shape, ROOM) is given for shape in (STAR, (1 << 20, 1 << 23, 64)))
    assert "keep bounds of their values" in print_plan(plan_of("sssp", f"schedule.order={tune}"))


@pytest.mark.parametrize("tune", ["schedule.order=near_far", "schedule.fuse=off", "schedule.block=1024"])
def test_none_have_bounds_that_are_tuned_otherwise(tune: str) -> None:
    given = program("sssp", tune)
    assert not suited(given, HUBS, ROOM).tuning.hub_bounds
    assert "keep bounds of their values" not in print_plan(plan_of("sssp", tune))


@pytest.mark.parametrize(
    "text, on, blind",
    [("bfs", target.CUDA_FUSED, True), ("bfs", target.CPU, False), (OF_PAIRS, target.CUDA_FUSED, False)],
)
def test_who_claims_without_a_look(text: str, on: target.Target, blind: bool) -> None:
    plan = plan_of(text, on=on)
    claims = [sweep for sweep in sweeps(plan) for each in variants_of(sweep) if each.claim is not None]
    assert claims and all((sweep.hint(BlindClaim) is not None) is blind for sweep in claims)
    assert ("without a look first" in print_plan(plan)) is blind
