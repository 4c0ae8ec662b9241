"""What lies beside is fetched within arrays alone, of whatever elements, and nothing comes of it."""

from __future__ import annotations

import pytest
from support.graphs import grid, make_graph, random_graph
from support.near_far import DETOURS

from gdsl.binding import bind
from gdsl.graph import rmat
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.hints import PrefetchSectors
from gdsl.plan.walking import sweeps
from gdsl.types import Widths

from . import build
from .running import DEEP, NARROW, SMALL, TINY, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
GRAPHS = {
    "grid": make_graph(grid(12, 17), 204, directed=False),
    "directed": random_graph(120, 700, seed=4),
    "hubs": rmat(7, 8, seed=5),
    "few": make_graph([(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (3, 3), (2, 5)], 6),
    "one": make_graph([], 1),
}
OF_ALL_SIZES = """program of_all_sizes;
problem {
    param source : vertex; vertex reached : int32 = -1; vertex flags : bool; vertex total : float64;
    vertex several : (int64, int64) = (0, 0); vertex best : (float32, int32) = (inf, 0); local scalar passes : int32;
}
edge functor reach(src, dst, e) {
    cond !flags[dst];
    apply {
        reached[dst] max= iteration; total[dst] += 1; several[dst] max= (int64(src), int64(iteration));
        best[dst] min= (float32(int32(src)), iteration);
    }
}
schedule {
    frontier f = { source };
    while (f && passes < 30) {
        passes = passes + 1;
        f = advance(f, reach);
        compute(f, v => { flags[v] = true; });
    }
}
"""
WEIGHED = DETOURS.replace("program detours", "program weighed").replace(
    "vertex toll", "local edge miles : float32 = 1; vertex toll"
)
WEIGHED = WEIGHED.replace("0.125 * float32(int32(e) % 13)", "miles[e]")
FROM_NEAR = ("schedule.order=near_far",)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    "name, words, on",
    [
        ("bfs", (), DEEP),
        (DETOURS, FROM_NEAR, GENERAL),
        (WEIGHED, FROM_NEAR, GENERAL),
        (OF_ALL_SIZES, (), DEEP),
    ],
    ids=["bfs", "detours", "weighed", "of_all_sizes"],
)
def test_results_are_those_of_the_reference(name: str, words: tuple[str, ...], on: GraphClass) -> None:
    for shape, widths in ((SMALL, NARROW), (TINY, Widths.both(64))):
        built = emulated(program_of(name, words), shape, widths, on=on)
        assert any(sweep.hint(PrefetchSectors) is not None for sweep in sweeps(built.plan))
        assert "fetch_beside" in built.generated.text
        for graph in GRAPHS.values():
            for seed in range(3):
                values = {"source": seed % graph.num_vertices}
                bindings = bind(built.program, graph, values, id_bits=widths.vertex)
                expected = expect(built.program, graph, bindings, widths.vertex)
                found = built.run(graph, bindings, device_for(seed))
                assert differences(built.program, expected, found) == []
