"""Graphs that the schedule makes on the emulator: no race between barriers, and the reference's results and trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.graphs import make_graph, named_graphs, random_graph

from gdsl.binding import bind
from gdsl.graph import Graph

from . import build
from .running import TINY, Built, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
TEXT = (Path(__file__).parents[1] / "support" / "made_graphs.gdsl").read_text(encoding="utf-8")
FURTHER = (Path(__file__).parents[1] / "support" / "made_graphs_further.gdsl").read_text(encoding="utf-8")
LOOPS = [(0, 0), (0, 1), (1, 0), (1, 0), (2, 2), (2, 2), (2, 3), (3, 4), (4, 2), (4, 5), (5, 4)]


def odd_graphs() -> dict[str, Graph]:
    """Graphs with loops, with parallel edges, with few edges."""
    return {
        "loops": make_graph(LOOPS, 7),
        "random": random_graph(30, 160, seed=3),
        "sparse": random_graph(60, 70, seed=4),
    }


def agrees_on(built: Built, graphs: dict[str, Graph]) -> None:
    """Runs a program on each of `graphs`, in another order on each, and compares with the reference."""
    for seed, (name, graph) in enumerate(graphs.items()):
        bindings = bind(built.program, graph, {})
        wanted = expect(built.program, graph, bindings)
        found = built.run(graph, bindings, device_for(seed, blocks=1 + seed % 4))
        assert differences(built.program, wanted, found) == [], f"on {name} with seed {seed}"


@pytest.mark.parametrize("tune", [(), ("schedule.fuse=off",)], ids=["fused", "unfused"])
@pytest.mark.slow
def test_against_the_reference(tune: tuple[str, ...]) -> None:
    built = build_program(TEXT, tune, TINY)
    graphs = {name: graph for name, graph in named_graphs().items() if 0 < graph.num_vertices < 40}
    agrees_on(built, graphs | odd_graphs())


BALANCES = ("thread", "warp", "block", "merge", "bins", "edges")


VOTES = ("heard =", "told =", "intersect(", "found +=", "buckets ", "while (b)")
WITHOUT_VOTES = "".join(line for line in FURTHER.splitlines(True) if not line.strip().startswith(VOTES))
WITHOUT_VOTES = WITHOUT_VOTES.replace("label = neighbor_vote(vertices, ballot, gain);", "")
"""What no balance shares out is left out, since it would be most of the text."""


@pytest.mark.slow
def test_votes_and_walks() -> None:
    agrees_on(build_program(FURTHER, (), TINY), odd_graphs())


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.slow
@pytest.mark.rare(6)
def test_walks_of_every_balance(balance: str) -> None:
    """The places of a walk are no ids of edges there, whatever shares it out."""
    words = (f"worth.balance={balance}", f"back.balance={balance}", f"around.balance={balance}")
    built = build_program(WITHOUT_VOTES, words, TINY)
    agrees_on(built, odd_graphs())


CHANGING = """program changing;
problem {
    vertex now_here : int64 = int64(id);
    vertex next_here : int64;
    scalar passes : int32 = 0;
    scalar changes : int64 = 1;
}
edge functor upwards(src, dst, e) { cond src < dst; }
edge functor hand_on(src, dst, e) { apply { next_here[dst] += now_here[src]; } }
vertex functor keep(v) { apply { next_here[v] = now_here[v]; } }
schedule {
    graph h = subgraph(filter(edges, upwards));
    repeat (3) {
        compute(vertices, keep);
        on h { advance(vertices, hand_on, to=none); }
        SWAP
        passes += 1;
    }
}
"""


@pytest.mark.parametrize("swap", ["swap(now_here, next_here);", ""])
def test_names_that_change_places_beside_graphs(swap: str) -> None:
    """Each thread keeps for itself where those lie; where nothing but the graph changes, a block has one copy."""
    built = build_program(CHANGING.replace("SWAP", swap), (), TINY)
    assert ("__shared__ data_slice" in built.generated.text) == (not swap)
    assert "__shared__ graph_slice h;" in built.generated.text
    agrees_on(built, odd_graphs())
