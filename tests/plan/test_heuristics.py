"""Which programs have another plan for a class of graphs, and what claims look at first."""

from __future__ import annotations

import pytest
from support.graphs import make_graph

from gdsl import pipeline
from gdsl.backends.cuda.degree_order import ends_at_hubs
from gdsl.ir.nodes import Program
from gdsl.plan import target
from gdsl.plan.graph_class import FACTS, GENERAL, class_of, measure
from gdsl.plan.heuristics import HUB_ENDS, class_for, depends_on_graph, effects_of_graph, in_host, relevant
from gdsl.plan.hints import BlindClaim
from gdsl.plan.occupancy import NARROW_BLOCK
from gdsl.plan.printer import print_plan
from gdsl.plan.walking import sweeps, variants_of

from .planning import DEEP, ROOT, plan_of
from .test_occupancy import ROADS, SOCIAL, STAR

MEASURED = [fact for fact in FACTS if fact not in ("host-lists", "revisited", "wide-passes")]
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
@pytest.mark.sampled(3)
def test_searches_on_large_roads_have_smaller_blocks(text: str) -> None:
    given = program(text)
    assert (
        class_for(given, *ROADS, ROOM).deep and effects_of_graph(given)["deep"] == f"{NARROW_BLOCK} threads per block"
    )
    assert all(class_for(given, *shape, ROOM) == GENERAL for shape in (SOCIAL, STAR, TOWN))
    assert plan_of(text, graph=DEEP).sizes.block_threads == NARROW_BLOCK
    assert plan_of(text, "schedule.block=512", graph=DEEP).sizes.block_threads == 512, "a size that was asked for stays"
    assert f"another plan, {NARROW_BLOCK} threads per block" in print_plan(plan_of(text))
    assert print_plan(plan_of(text, graph=DEEP)).splitlines()[1] == "graph class: deep"


@pytest.mark.parametrize("text, tune", [("louvain", ()), (ONCE, ()), ("bfs", ("schedule.fuse=off",))])
def test_others_are_as_they_are(text: str, tune: tuple[str, ...]) -> None:
    given = program(text, *tune)
    assert not depends_on_graph(given) and class_for(given, *ROADS, ROOM) == GENERAL
    assert relevant(given, class_of(MEASURED)) == GENERAL
    assert "another plan" not in print_plan(plan_of(text, *tune))


@pytest.mark.parametrize("text", ["pagerank", "k_core"])
def test_sweeps_over_all_vertices_of_large_roads_fetch_rows_ahead(text: str) -> None:
    given = program(text)
    assert "short-lists" in class_for(given, *ROADS, ROOM).facts
    assert all(class_for(given, *shape, ROOM) == GENERAL for shape in (SOCIAL, STAR, TOWN))
    assert "prefetches what the next vertices need" in print_plan(plan_of(text))
    assert not depends_on_graph(program(text, "schedule.fuse=off"))


def test_forests_keep_the_order_as_given() -> None:
    """At first, as all graphs that are not narrow do."""
    forest = 1 << 20, (1 << 21) - 2, 24
    assert class_for(program("sssp"), *forest) == GENERAL and class_for(program("bfs"), *forest).deep
    assert class_for(program("sssp"), 1 << 20, 1 << 21, 24).facts == ("narrow",)
    assert class_for(program("sssp", "schedule.order=as_given"), *forest).deep


def test_an_order_has_blocks_of_its_own() -> None:
    assert class_for(program("sssp"), *ROADS, ROOM).facts == ("narrow",)
    assert class_for(program("sssp", "schedule.order=as_given"), *ROADS, ROOM).facts == ("deep",)
    assert class_for(program("sssp", "schedule.order=near_far"), *ROADS, ROOM) == GENERAL


@pytest.mark.parametrize("tune", ["auto", "as_given"])
def test_large_graphs_of_hubs_have_bounds(tune: str) -> None:
    given = program("sssp", f"schedule.order={tune}")
    assert class_for(given, *HUBS, ROOM).facts == ("hubs",)
    assert class_for(given, *HUBS, 100_000) == GENERAL, "where the GPU has no room for them"
    assert all(class_for(given, *shape, ROOM) == GENERAL for shape in (STAR, (1 << 20, 1 << 23, 64)))
    assert "keep bounds of values" in print_plan(plan_of("sssp", f"schedule.order={tune}"))


@pytest.mark.parametrize("share, bounds", [(HUB_ENDS, True), (0.9 * HUB_ENDS, False)])
def test_bounds_of_hubs_are_kept_where_enough_edges_lead_to_them(share: float, bounds: bool) -> None:
    asked: list[int] = []

    def at_hubs(places: int) -> float:
        asked.append(places)
        return share

    assert class_for(program("sssp"), *HUBS, ROOM, at_hubs).hubs is bounds
    assert asked == [1 << target.CUDA_FUSED.sizes.bound_bits]
    assert not class_for(program("bfs"), *HUBS, ROOM, at_hubs).hubs and len(asked) == 1, "nobody else asks"


def test_where_edges_lead_is_counted_by_place() -> None:
    """Vertices 1, 5 and 9 share a place of four: that with most edges has it."""
    star = make_graph([*((1, v) for v in range(2, 9)), (5, 2), (5, 3)], 10, directed=False)
    assert ends_at_hubs(star, 4) == (7 + 2 + 2 + 1) / star.num_edges
    assert ends_at_hubs(star, 1) == 7 / star.num_edges and ends_at_hubs(star, 16) == 1.0
    assert ends_at_hubs(make_graph([], 0, directed=False), 4) == 0.0


@pytest.mark.parametrize("tune", ["schedule.order=near_far", "schedule.fuse=off", "schedule.block=1024"])
def test_none_have_bounds_that_are_tuned_otherwise(tune: str) -> None:
    given = program("sssp", tune)
    assert not class_for(given, *HUBS, ROOM).hubs and not relevant(given, class_of(["hubs"])).hubs
    assert "keep bounds of values" not in print_plan(plan_of("sssp", tune))


@pytest.mark.parametrize("name", FACTS)
def test_facts_are_closed(name: str) -> None:
    """A class says what follows from each of its facts, and its words give the class again."""
    found = class_of([name])
    assert found.has(name) and found.facts == (name,) and class_of(found.facts) == found != GENERAL


@pytest.mark.parametrize(
    "shape, facts",
    [
        ((0, 0, 0), ("bounded",)),
        (TOWN, ("narrow",)),
        ((114_599, 900_000, 20), ("bounded",)),
        ((1 << 17, 1 << 18, 511), ("deep",)),
        ((1 << 17, 1 << 18, 512), ()),
        (ROADS, ("deep", "short-lists")),
        ((1 << 20, 6 << 20, 32), ("short-lists",)),
        (HUBS, ("hubs",)),
        ((1 << 22, 1 << 24, 255), ("deep",)),
        ((1 << 22, 1 << 24, 256), ("deep", "hubs")),
        ((1 << 22, (1 << 24) - 1, 1 << 17), ()),
        (STAR, ()),
    ],
)
def test_what_is_measured(shape: tuple[int, int, int], facts: tuple[str, ...]) -> None:
    found = measure(*shape)
    assert found.facts == facts and class_of(found.facts) == found
    assert str(found) == (", ".join(facts) or "general")


def test_edge_lists_in_the_memory_of_the_host_matter_to_reductions() -> None:
    host = class_of(["host-lists"])
    assert relevant(program("pagerank"), host) == host == in_host(program("pagerank"), GENERAL)
    assert relevant(program("bfs"), host) == in_host(program("bfs"), GENERAL) == GENERAL
    assert class_for(program("pagerank"), 1 << 22, 1 << 27, 1 << 16) == GENERAL, "which is not measured"


def test_one_fact_decides_the_order_the_bounds_or_the_blocks() -> None:
    every = class_of(MEASURED)
    assert relevant(program("sssp"), every).facts == ("narrow",)
    assert relevant(program("sssp", "schedule.order=as_given"), every).facts == ("hubs",)
    assert relevant(program("bfs"), every).facts == ("deep",)
    assert relevant(program("pagerank"), every).facts == ("short-lists",)


@pytest.mark.parametrize(
    "text, on, blind",
    [("bfs", target.CUDA_FUSED, True), ("bfs", target.CPU, False), (OF_PAIRS, target.CUDA_FUSED, False)],
)
def test_who_claims_without_a_look(text: str, on: target.Target, blind: bool) -> None:
    plan = plan_of(text, on=on)
    claims = [sweep for sweep in sweeps(plan) for each in variants_of(sweep) if each.claim is not None]
    assert claims and all((sweep.hint(BlindClaim) is not None) is blind for sweep in claims)
    assert ("without a look first" in print_plan(plan)) is blind
