"""Many runs at once on a GPU: each is what a call by itself gives."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import teams
from gdsl.graph import GraphOptions, generate
from gdsl.plan import occupancy
from gdsl.progress import Counting

pytestmark = pytest.mark.gpu
SKEWED = GraphOptions(weights="random:1", undirected=True).apply(generate("rmat:12"))
WIDE = GraphOptions(weights="random:2").apply(generate("grid:60"))


def check(program: gdsl.Program, graph: gdsl.Graph, batch: gdsl.api.batch.Batch, places: range) -> None:
    for place in places:
        values = {name: given[place] for name, given in batch.values.items()}
        alone = program(graph, backend="cpu", **values)
        for name, unique in alone.unique.items():
            if unique:
                assert np.allclose(batch.host_arrays()[name][place], alone[name], rtol=1e-3, equal_nan=True), (
                    name,
                    place,
                )
                one = batch[place]
                single = one.scalars[name] if name in one.scalars else one.host_arrays()[name]
                assert np.allclose(single, alone[name], rtol=1e-3, equal_nan=True)


@pytest.mark.parametrize("graph", [SKEWED, WIDE], ids=["skewed", "wide"])
@pytest.mark.parametrize("name", ["bfs", "sssp"])
@pytest.mark.parametrize("blocks", [1, 2, 16])
def test_runs_are_those_of_calls(monkeypatch: pytest.MonkeyPatch, graph: gdsl.Graph, name: str, blocks: int) -> None:
    monkeypatch.setattr(occupancy, "blocks_a_team", lambda *_: blocks)
    program = getattr(gdsl.samples, name)
    batch = program.map(graph, source=np.arange(700) * 5, backend="cuda")
    assert batch.distance.shape == (700, graph.num_vertices)
    assert ("one block each" if blocks == 1 else f"{blocks} blocks each") in batch.how
    check(program, graph, batch, range(0, 700, 97))


def test_results_come_back_to_the_callers_ids() -> None:
    """Of a graph of many tiles in the order of degrees: what a call gives, and parents that are neighbors."""
    graph = GraphOptions(undirected=True).apply(generate("rmat:16"))
    batch = gdsl.samples.bfs.map(graph, source=range(0, 60000, 1500), backend="cuda")
    distances, parents = (batch.host_arrays()[name] for name in ("distance", "parent"))
    offsets, columns = np.asarray(graph.offsets), np.asarray(graph.columns)
    edges = set(zip(np.repeat(np.arange(graph.num_vertices), np.diff(offsets)).tolist(), columns.tolist(), strict=True))
    for row in range(0, len(batch), 7):
        alone = gdsl.samples.bfs(graph, source=int(batch.values["source"][row]), backend="cuda")
        assert np.array_equal(alone.host_arrays()["distance"], distances[row])
        reached = np.flatnonzero(distances[row] > 0)
        found = parents[row][reached]
        assert (distances[row][found] == distances[row][reached] - 1).all()
        assert set(zip(found.tolist(), reached.tolist(), strict=True)) <= edges
        assert (np.delete(parents[row], reached) == -1).all()


def test_other_programs() -> None:
    ranks = gdsl.samples.pagerank.map(SKEWED, damping=[0.5, 0.85, 0.9], tolerance=1e-6, backend="cuda")
    check(gdsl.samples.pagerank, SKEWED, ranks, range(3))
    labels = gdsl.samples.label_propagation.map(SKEWED, seed=range(40), backend="cuda")
    assert len(labels) == 40
    trusses = gdsl.samples.k_truss.map(SKEWED, k=[3, 4], backend="cuda")
    assert trusses.how.startswith("one by one, since it makes graphs")


def test_several_launches_and_results_as_they_come() -> None:
    whole = gdsl.samples.bfs.map(SKEWED, source=range(500), backend="cuda")
    parts = gdsl.samples.bfs.map(SKEWED, source=range(500), backend="cuda", batch=64)
    assert "8 launches of 64" in parts.how
    assert np.array_equal(whole.host_arrays()["distance"], parts.host_arrays()["distance"])
    little = gdsl.samples.bfs.map(SKEWED, source=range(500), backend="cuda", memory=3_000_000)
    assert "the most that memory allows" in little.how
    assert np.array_equal(whole.host_arrays()["distance"], little.host_arrays()["distance"])
    for number, run in enumerate(gdsl.samples.bfs.imap(SKEWED, source=range(50), backend="cuda")):
        assert np.array_equal(run.host_arrays()["distance"], whole.host_arrays()["distance"][number])


def test_what_stops_them() -> None:
    text = "problem { param k : int64; scalar n : int64; } schedule { while (n < k) { n = n + 0; } }"
    with pytest.raises(gdsl.GdslError, match="E0802"):
        gdsl.compile(f"program endless; {text}").map(SKEWED, k=range(300), timeout=0.5, backend="cuda")
    with pytest.raises(gdsl.GdslError, match=r"E0803[\s\S]*number 0 of the 20 values"):
        gdsl.samples.bfs.map(WIDE, source=range(20), max_iterations=3, backend="cuda")
    assert gdsl.samples.bfs.map(SKEWED, source=[0, 1], backend="cuda").distance.shape[0] == 2


def test_what_is_done_is_told_within_a_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter of values is read while the kernel runs."""
    monkeypatch.setattr(teams, "_EVERY", 0.0)
    told: list[int] = []
    monkeypatch.setattr(Counting, "add", lambda self, count: told.append(count))
    # Long enough for the host to look several times, also where other processes have most of the GPU.
    text = "program slow; problem { param k : int64; scalar n : int64; } schedule { while (n < k) { n = n + 1; } }"
    batch = gdsl.compile(text).map(WIDE, k=[20_000] * 3000, backend="cuda")
    assert batch.how.startswith("one launch") and set(batch.host_arrays()["n"].tolist()) == {20_000}
    assert sum(told) == 3000 and min(told) > 0 and len(told) > 2


CLOSENESS = """program closeness_of;
problem {
    param source : vertex; vertex level : int32 = -1;
    scalar total : int64 = 0; scalar reached : int64 = 0; scalar passes : int64 = 0;
}
edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule {
    level[source] = 0; frontier f = {source};
    while (size(f) > 0) {
        compute(f, v => { total += level[v]; });
        reached += size(f); f = advance(f, reach); passes += 1;
    }
}
"""


@pytest.mark.parametrize("words", [1, 2, 4, 8])
@pytest.mark.parametrize("graph", [SKEWED, WIDE], ids=["skewed", "wide"])
def test_many_values_together(monkeypatch: pytest.MonkeyPatch, graph: gdsl.Graph, words: int) -> None:
    monkeypatch.setattr(occupancy, "words_of_instances", lambda *_: words)
    program = gdsl.compile(CLOSENESS)
    batch = program.map(graph, source=np.arange(600) * 5, backend="cuda")
    check(program, graph, batch, range(0, 600, 97))
    assert graph is WIDE or "values at a time" in batch.how
