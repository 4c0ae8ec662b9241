"""Votes on the cpu backend: tables that an operator keeps while graphs, lists and keys of their own places change."""

from __future__ import annotations

import os

import numpy as np
import pytest

import gdsl
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, run
from tests.support.graphs import make_graph, random_graph

EVERYTHING = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
VOTES = """program votes;
problem {{
    input vertex group : int32;
    input vertex wish : {key};
    vertex label : int32 = group[id];
    vertex key : {key} = wish[id];
    vertex won : {key};
    vertex first : {key};
    edge weight : int64 = int64(id) % 5 + 1;
}}
edge functor ballot(src, dst, e) -> ({key}, int64) {{ cond src != dst; value (key[dst], weight[e]); }}
schedule {{
    graph h;
    repeat (3) {{
        on h {{ won = neighbor_vote(vertices, ballot); }}
        if (iteration == 0) {{ compute(vertices, v => {{ first[v] = won[v]; }}); }}
        on h {{ h = contract(label, weight); }}
    }}
}}
"""


def hub_of_pairs(pairs: int) -> tuple[gdsl.Graph, np.ndarray]:
    """A ring whose vertices of even number are one group: lists of two, and of as many as there are pairs once it is
    contracted."""
    ends = [(v, (v + 1) % (2 * pairs)) for v in range(2 * pairs)]
    group = np.arange(2 * pairs, dtype=np.int32)
    group[::2] = 0
    return make_graph(ends, 2 * pairs, directed=False), group


@pytest.mark.parametrize(
    "sizes", [None, SMALL, Sizes(own_votes=100)], ids=["own places", "scattered", "few of their own"]
)
@pytest.mark.parametrize("key", ["vertex", "int32", "int64"])
@pytest.mark.parametrize("pairs", [3, 40, 3000])
@pytest.mark.sampled(28)
def test_lists_grow_while_graphs_shrink(pairs: int, key: str, sizes: Sizes | None) -> None:
    """With one width of ids in turn: each comes with every key and with all sizes."""
    graph, group = hub_of_pairs(pairs)
    low = 0 if key == "vertex" else -pairs
    wish = np.random.default_rng(pairs).integers(low, 2 * pairs, 2 * pairs)
    text = VOTES.format(key=key)
    expected = gdsl.compile(text).run(graph, {"group": group, "wish": wish}, backend="reference")
    turn = ["vertex", "int32", "int64"].index(key) + (sizes is SMALL)
    for bits in (32, 64) if EVERYTHING else ((32, 64)[turn % 2],):
        found = run(text, graph, sizes=sizes, id_bits=bits, group=group, wish=wish)
        for name in ("first", "won"):
            np.testing.assert_array_equal(found.arrays[name], np.asarray(expected[name]), err_msg=name)


def test_keys_that_are_no_vertex_have_no_place_of_their_own() -> None:
    """`none`, and ids of a graph that has more vertices than the one around."""
    graph = random_graph(300, 2000, seed=4)
    group = np.arange(300, dtype=np.int32) % 7
    wish = np.random.default_rng(4).integers(-1, 300, 300)
    text = VOTES.format(key="vertex")
    expected = gdsl.compile(text).run(graph, {"group": group, "wish": wish}, backend="reference")
    found = run(text, graph, group=group, wish=wish)
    for name in ("first", "won"):
        np.testing.assert_array_equal(found.arrays[name], np.asarray(expected[name]), err_msg=name)


@pytest.mark.sampled(21)
@pytest.mark.parametrize("sizes", [None, SMALL], ids=["sums", "scattered"])
@pytest.mark.parametrize("total", ["int64", "int32", "uint32", "float32"])
def test_votes_that_weigh_nothing_or_cancel_count(total: str, sizes: Sizes | None) -> None:
    text = f"""program canceled;
problem {{
    input vertex group : int32;
    vertex key : vertex = vertex(group[id]);
    vertex won : vertex;
    vertex second : vertex;
    edge weight : {total} = {total}(int32(id) % 3) - {total}(1);
}}
edge functor ballot(src, dst, e) -> (vertex, {total}) {{ value (key[dst], weight[e]); }}
vote functor least(v, chosen, total) -> float64 {{ value -float64(total); }}
schedule {{
    won = neighbor_vote(vertices, ballot);
    second = neighbor_vote(vertices, ballot, least, keep=won);
}}
"""
    graph = random_graph(60, 500, seed=6)
    group = np.arange(60, dtype=np.int32) % 5
    expected = gdsl.compile(text).run(graph, {"group": group}, backend="reference")
    found = run(text, graph, sizes=sizes, group=group)
    for name in ("won", "second"):
        np.testing.assert_array_equal(found.arrays[name], np.asarray(expected[name]), err_msg=name)
