"""Calls that come again on a GPU: results stay what they were, whatever calls, streams and programs come between."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gdsl
from gdsl.graph import GraphOptions, generate
from tests.oracles import BY_NAME

pytestmark = pytest.mark.gpu
GRAPH = GraphOptions(weights="random:1").apply(generate("rmat:10"))
OTHER = GraphOptions(weights="random:2").apply(generate("grid:40"))
SAMPLES = ("bfs", "sssp", "pagerank", "connected_components")


def answer(name: str, graph: gdsl.Graph, source: int, backend: str) -> gdsl.Result:
    values = {"source": source} if name in ("bfs", "sssp") else {}
    return gdsl.compile(BY_NAME[name].path).run(graph, values, backend=backend)


def main_array(name: str, result: gdsl.Result) -> np.ndarray:
    return result.host_arrays()[{"pagerank": "rank", "connected_components": "component"}.get(name, "distance")]


@pytest.mark.parametrize("fuse", [True, False], ids=["fused", "unfused"])
def test_results_stay_what_they_were(fuse: bool) -> None:
    import cupy

    programs = {name: gdsl.compile(BY_NAME[name].path, fuse=fuse) for name in SAMPLES}
    streams = [cupy.cuda.Stream.null, cupy.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)]
    kept = []
    for turn in range(6 if fuse else 3):
        for graph in (GRAPH, OTHER):
            for name, program in programs.items():
                values = {"source": turn} if name in ("bfs", "sssp") else {}
                with streams[turn % 3]:
                    kept.append((name, graph, turn, program.run(graph, values, backend="cuda")))
    pointers = [array.data.ptr for *_, result in kept for array in result.arrays.values()]
    assert len(set(pointers)) == len(pointers)
    for name, graph, turn, result in kept:
        found = main_array(name, result)
        expected = main_array(name, answer(name, graph, turn, "cpu"))
        assert np.allclose(found, expected, rtol=1e-4) if name == "pagerank" else np.array_equal(found, expected), name
        assert [record.iteration for record in result.trace][:1] == [0]


CONDITION = "program p; problem { input edge x : float32 where WHERE; scalar n : int64; } schedule { }"


@pytest.mark.parametrize(
    "where", ["x >= 0", "x > 0 && x < inf || x == 0", "!(abs(x) > 5)", "min(x, 3) >= 0", "x * 2 < 9"]
)
def test_conditions_say_on_the_gpu_what_they_say_here(where: str) -> None:
    import cupy

    program = gdsl.compile(CONDITION.replace("WHERE", where))
    random, count = np.random.default_rng(3), GRAPH.num_edges
    for place in (None, 0, 1, count // 2, count - 2, count - 1):
        for wrong in (-1.0, 7.0, np.nan, np.inf):
            values = random.random(count, np.float32)
            if place is not None:
                values[place:] = np.where(random.random(count - place) < 0.5, values[place:], wrong)
                values[place] = wrong
            whole = cupy.asarray(np.concatenate([np.zeros(3, np.float32), values]))
            said = []
            for given, backend in (
                (values, "reference"),
                (values, "cuda"),
                (whole[3:], "cuda"),
                (whole[3:].copy(), "cuda"),
            ):
                try:
                    program(GRAPH, x=given, backend=backend)
                    said.append("")
                except gdsl.GdslError as error:
                    said.append(str(error))
            assert len(set(said)) == 1, said


def test_arrays_that_change_between_calls() -> None:
    import cupy

    program = gdsl.compile(
        """program double; problem { input vertex given : int32 where given >= 0; vertex made : int32; }
        vertex functor f(v) { apply { made[v] = given[v] * 2; } } schedule { compute(vertices, f); }"""
    )
    on_host = np.zeros(GRAPH.num_vertices, np.int32)
    on_device = cupy.asarray(on_host)
    for turn in range(5):
        on_host[:] = turn
        on_device[:] = turn
        for given in (on_host, on_device, gdsl.unchecked(on_device)):
            assert set(program(GRAPH, given=given, backend="cuda").made.get().tolist()) == {2 * turn}
        on_device[turn] = -1
        with pytest.raises(gdsl.GdslError) as caught:
            program(GRAPH, given=on_device, backend="cuda")
        assert f"vertex {turn} has -1" in str(caught.value)


def test_memory_comes_back_with_the_graph() -> None:
    import cupy

    program, pool = gdsl.compile(BY_NAME["bfs"].path), cupy.get_default_memory_pool()
    used = []
    for turn in range(4):
        graph = generate(f"rmat:16:seed={turn + 1}")
        for source in range(3):
            program(graph, source=source, backend="cuda")
        del graph
        gc.collect()
        used.append(pool.used_bytes())
    assert max(used[1:]) - used[0] < 1 << 20


def test_sets_of_vertices_on_a_large_graph() -> None:
    import cupy

    text = """program p; problem { param sites : vertex set; vertex a : int32; scalar n : int64; }
    schedule { frontier f = sites; n = size(f); }"""
    program = gdsl.compile(text)
    graph = gdsl.Graph.from_edges([0], [1], num_vertices=200_000)
    for given, count in (([5, 199_999, 5], 2), ([], 0), (range(150_000), 150_000), (cupy.array([7, 8]), 2), ({3}, 1)):
        for _ in range(2):
            assert program(graph, sites=given, backend="cuda").n == count
    for wrong in ([200_000], [-1], cupy.array([3, 200_000])):
        with pytest.raises(gdsl.GdslError) as caught:
            program(graph, sites=wrong, backend="cuda")
        assert caught.value.code == "E0604"
