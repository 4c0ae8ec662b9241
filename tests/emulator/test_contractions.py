"""Contractions on the emulator: edges that meet in a block's table, that find no place there, and that never meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.graphs import make_graph, named_graphs, random_graph

from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.types import Widths

from . import build
from .running import TINY, WIDER, device_for, differences, expect
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
PROGRAM = """program joined;
problem {{
    input vertex group : int32;
    input edge given : {kind};
    vertex label : int32 = group[id];
    edge weight : {kind} = given[id];
    scalar vertices_left : int64;
    scalar edges_left : int64;
    edge ends : int64 = -1;
}}
edge functor note(src, dst, e) {{ apply {{ ends[e] = int64(src) * 1000 + int64(dst); }} }}
schedule {{
    {graph}
    on g {{
        graph h = contract(label{weight});
        on h {{ vertices_left = num_vertices; edges_left = num_edges; compute(edges, note); }}
    }}
}}
"""
BUCKETS = replace(TINY, combined_words=100)
"""Lists of 17 to 93 edges are ordered in buckets in a block's memory; with the other sizes none is."""
WHOLE, PART = "graph g;", "graph g = subgraph(filter(edges, (s, d, e) => given[e] != 2));"


def graphs() -> dict[str, Graph]:
    star = [(0, v) for v in range(1, 60)] + [(v, 0) for v in range(1, 60)]
    named = {name: graph for name, graph in named_graphs().items() if graph.num_vertices < 40}
    return named | {
        "parallel": make_graph([(0, 1)] * 70 + [(2, 2)] * 9 + [(1, 0)] * 3, 5),
        "star": make_graph(star, 64),
        "wide star": make_graph([(0, v) for v in range(1, 500)] + [(v, 0) for v in range(1, 500)], 500),
        "random": random_graph(50, 900, seed=6),
        "star of 40": make_graph([(0, v) for v in range(1, 41)] + [(v, 0) for v in range(1, 41)], 41),
        "sparse": random_graph(90, 100, seed=7),
    }


@pytest.mark.parametrize("sizes", [TINY, WIDER, BUCKETS], ids=["tiny", "wider", "buckets"])
@pytest.mark.parametrize(
    ("kind", "weight", "graph", "bits"),
    [
        ("int64", ", weight", WHOLE, 32),
        ("int64", ", weight", PART, 64),
        ("uint64", ", weight, xor", WHOLE, 64),
        ("int32", ", weight, min", WHOLE, 32),
        ("float64", ", weight, max", PART, 32),
        ("float32", ", weight, min", WHOLE, 64),
        ("int32", ", weight, product", PART, 32),
        ("int64", "", WHOLE, 32),
    ],
)
@pytest.mark.slow
@pytest.mark.sampled(6)
def test_contraction(kind: str, weight: str, graph: str, bits: int, sizes: object) -> None:
    built = build_program(PROGRAM.format(kind=kind, weight=weight, graph=graph), (), sizes, Widths.both(bits))
    draw = np.random.default_rng(len(kind) + len(weight))
    for seed, (name, given) in enumerate(graphs().items()):
        for groups in (1, 5, 1000):
            group = draw.integers(0, groups, given.num_vertices).astype(np.int32)
            values = draw.integers(1, 9, given.num_edges).astype(kind)
            bindings = bind(built.program, given, {"group": group, "given": values})
            found = built.run(given, bindings, device_for(seed + groups, blocks=1 + seed % 4))
            assert differences(built.program, expect(built.program, given, bindings), found) == [], (name, groups)
