"""Graphs of some edges, made from words of marks where the graph around has all its edges, or edge by edge."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.plan.target import Sizes
from tests.cpu.running import SMALL, assert_agree, executable
from tests.cpu.test_cpu_alone import ALONE
from tests.support.graphs import make_graph, random_graph

TEXT = """program p; problem {
    input edge given : int32;
    vertex out : int64; vertex back : int64; vertex inner : int64; vertex last : int64; vertex all : int64;
    local vertex label : vertex; local edge kept : int64; scalar edges_of : int64;
}
edge functor some(src, dst, e) { cond given[e] > 0; }
edge functor few(src, dst, e) { cond given[e] > 1; }
edge functor every_one(src, dst, e) { cond given[e] >= 0; }
edge functor ids(src, dst, e) -> int64 { value int64(dst) + 2 * given[e]; }
edge functor places(src, dst, e) -> int64 { value place + 3 * given[e]; }
schedule {
    graph h = subgraph(filter(edges, some));
    graph whole = subgraph(filter(edges, every_one));
    on whole { all = neighbor_reduce(vertices, places, sum); }
    on h {
        out = neighbor_reduce(vertices, ids, sum);
        back = neighbor_reduce(vertices, ids, sum, over=in_edges);
        edges_of = num_edges;
        graph g = subgraph(filter(edges, few));
        on g { inner = neighbor_reduce(vertices, places, sum); }
    }
    compute(vertices, v => { label[v] = int32(v) // 2 == 0 ? vertex(0) : v; });
    compute(edges, (src, dst, e) => { kept[e] = given[e]; });
    graph c = contract(label, kept);
    on c {
        graph s = subgraph(filter(edges, (src, dst, e) => src < dst));
        on s { last = neighbor_reduce(vertices, (src, dst, e) => kept[e] + int64(dst), sum); }
    }
}"""


@pytest.mark.sampled(18)
@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("edges", [0, 1, 63, 64, 65, 127, 128, 129, 700])
def test_subgraphs_of_every_kind(edges: int, sizes: Sizes | None) -> None:
    graph = random_graph(30, edges, seed=edges) if edges else make_graph([], 5)
    count, ready = graph.num_edges, executable(TEXT, (), sizes)
    for kept in (np.zeros(count), np.full(count, 2), np.random.default_rng(edges).integers(0, 3, count)):
        bindings = bind(ready.program, graph, {"given": kept.astype(np.int64)})
        expected = interpret(ready.program, graph, bindings, Limits())
        assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))
