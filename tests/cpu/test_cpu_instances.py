"""Many values of the params run together, a bit of each word for each: every one as by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdsl.backends import batch as of_any_backend
from gdsl.backends import registry
from gdsl.backends.batch import Bounds, FailedAtError, Part
from gdsl.backends.cpu import batch as on_cpu
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.batch import Packing, run_batch
from gdsl.backends.cpu.run import LoadedProgram
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.native.compiler import find_compiler
from gdsl.passes import ir_passes
from gdsl.pipeline import load
from gdsl.plan.explain_map import explain
from gdsl.plan.target import Sizes
from gdsl.types import Widths
from tests.support.graphs import graphs, make_graph, named_graphs, path

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="needs a C++ compiler")
PROGRAMS = {
    "bfs": "samples/bfs.gdsl",
    "meeting": "tests/programs/meeting.gdsl",
    "sets": "tests/programs/set_operations.gdsl",
    "tree": "tests/programs/discovery_tree.gdsl",
    "reachability": """program reachability;
problem { param source : vertex; vertex reached : bool = false; scalar total : int64 = 0; }
edge functor visit(src, dst, e) { cond !reached[dst]; apply { reached[dst] = true; } }
schedule {
    reached[source] = true;
    frontier f = {source};
    while (f) { total += size(f); f = advance(f, visit); }
}
""",
    "closeness": """program closeness;
problem {
    param source : vertex;
    local vertex level : int32 = -1;
    scalar total : int64 = 0; scalar reached : int64 = 0; scalar farthest : int32 = 0; scalar closeness : float64 = 0;
}
edge functor reach(src, dst, e) { cond level[src] == -1; apply { level[src] = iteration + 1; } }
schedule {
    level[source] = 0;
    frontier f = {source};
    while (f) {
        compute(f, v => { total += level[v]; reached += 1; farthest max= level[v]; });
        f = advance(f, reach, over=in_edges);
    }
    if (total > 0) { closeness = float64(reached) / float64(total); }
}
""",
    "several searches": """program several;
problem {
    param source : vertex; param other : vertex; param rounds : int32 = 2; param both : bool = true;
    vertex level : int32 = -1; vertex last : int32 = 0; vertex seen : bool = false;
    local vertex spare : int32 = 4;
    scalar visits : int64 = 0; scalar turns : int32 = 0;
}
edge functor reach(src, dst, e) {
    cond !seen[far];
    apply { seen[far] = true; level[far] = iteration; accept far != 1; }
}
schedule {
    repeat (rounds) {
        fill(seen, false);
        frontier f = {source};
        if (both) { f = {source, other}; }
        frontier first = f;
        seen[other] = true;
        while (size(f) > 0 && visits < 40) {
            visits += size(f);
            f = advance(f, reach, over=all_edges);
            frontier g = filter(f, v => level[v] % 2 == 0);
            if (iteration > 1) { f = f - first; } else { f = f | g; }
            f = f & vertices;
        }
        compute(vertices, v => { last[v] += level[v] + 1; });
        swap(last, spare);
        turns += iteration;
    }
}
""",
    "limits": """program limits;
problem {
    param source : vertex; param most : int32; param least : int32 = 1;
    input edge weight : int32; input vertex closed : bool;
    vertex level : int32 = -1; vertex came : vertex = none; vertex through : int32 = 0;
}
edge functor reach(src, dst, e) {
    cond level[src] < most && weight[e] >= least && came[dst] == none && !closed[dst];
    apply { accept cas(came[dst], none, src); }
}
edge functor spread(src, dst, e) { cond through[src] > 0 && src != dst && iteration < 3; }
vertex functor mark(v) { cond level[v] >= 0; apply { through[v] = level[v]; accept through[v] != 2; } }
schedule {
    level[source] = 0; came[source] = source;
    frontier f = {source};
    while (f) { f = advance(f, reach); compute(f, v => { level[v] = iteration + 1; }); }
    f = where(mark);
    repeat (4) { f = advance(f, spread); compute(f, v => { through[v] += 1; }); }
}
""",
}


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """All values go to one thread, however many there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(on_cpu, "processors", lambda: 1)
        yield


@cache
def instances(name: str) -> LoadedProgram:
    """The program for many values together."""
    program = load(PROGRAMS[name])
    built = CpuBackend(Sizes(shared_visits=0)).build_instances(program, Widths.both(32))
    assert built is not None
    return built


@cache
def reference(name: str) -> Any:
    return registry.get("reference").build(load(PROGRAMS[name]), 32)


def values(name: str, graph: Graph, number: int) -> dict[str, Any]:
    """The params of one run, and the inputs of all."""
    vertices = max(graph.num_vertices, 1)
    every = {
        "source": number * 7 % vertices, "start": number * 5 % vertices, "other": number // 2 % vertices,
        "left": number % vertices, "right": number // vertices % vertices,
        "rounds": number % 4, "both": number % 3 > 0, "most": number % 5,
        "weight": np.arange(graph.num_edges, dtype=np.int32) % 3, "closed": np.arange(graph.num_vertices) % 4 == 3,
    }  # fmt: skip
    program = instances(name).program
    declared = {each.name for each in (*program.params, *program.arrays)}
    return {key: value for key, value in every.items() if key in declared}


def together(name: str, graph: Graph, count: int) -> tuple[Part, list[Bindings]]:
    ready = instances(name)
    bound = [bind(ready.program, graph, values(name, graph, number), id_bits=32) for number in range(count)]
    parts = run_batch(ready, graph, bound, Limits(), Bounds(whole=True), Packing(lambda: ready, 0, 0, 64))
    assert parts is not None
    (part,) = parts
    assert part.how == f"1 thread, {min(64, count)} value{'s' if count > 1 else ''} at a time"
    return part, bound


def assert_separate(name: str, graph: Graph, count: int) -> None:
    """All results of a batch are those of the reference interpreter, a run at a time."""
    part, bound = together(name, graph, count)
    known: dict[str, Any] = {}
    program = instances(name).program
    for number, bindings in enumerate(bound):
        key = repr(sorted(bindings.params.items()))
        if key not in known:
            known[key] = reference(name).run(graph, bindings, Limits())
        alone = known[key]
        assert part.iterations[number] == alone.iterations
        for array in program.arrays:
            if not array.is_local and not array.is_input and array.unique:
                assert np.array_equal(part.arrays[array.name][number], alone.arrays[array.name]), (array.name, number)
        for scalar in program.scalars:
            if not scalar.is_local and scalar.unique:
                assert part.scalars[scalar.name][number] == alone.scalars[scalar.name], (scalar.name, number)
        if "distance" in part.arrays:
            assert_parents(graph, part.arrays["distance"][number], part.arrays["parent"][number])


def assert_parents(graph: Graph, distance: Any, parent: Any) -> None:
    """Each reached vertex but the source has a neighbor one step nearer as its parent."""
    for vertex in np.flatnonzero(np.asarray(distance) > 0):
        near = int(parent[vertex])
        assert distance[near] == distance[vertex] - 1
        assert vertex in graph.columns[graph.offsets[near] : graph.offsets[near + 1]]
    assert np.all((np.asarray(distance) > 0) == (np.asarray(parent) != np.asarray(parent).dtype.type(-1)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_explained(name: str) -> None:
    shared = ", if `least` is the same for all" if name == "limits" else ""
    alone = "; one in each team of blocks on a GPU: "
    on_a_gpu = {
        "bfs": f"{alone}the body of `visit` depends on the edge, which differs between instances",
        "tree": f"{alone}which call of `discover` is the first is known after its body only",
        "limits": f"{alone}which call of `reach` is the first is known after its body only",
        "several searches": f"{alone}a swap would exchange arrays of each instance by itself",
    }
    words = explain(ir_passes.apply(load(PROGRAMS[name])))
    assert words.startswith("map: 64 values at once on a CPU")
    if name in on_a_gpu:
        assert f"{shared}{on_a_gpu[name]} (line " in words
    else:
        assert words == f"map: 64 values at once on a CPU, 256 on a GPU{shared}"


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(2)
def test_counts(name: str) -> None:
    for count in (1, 2, 63, 64, 65, 200):
        assert_separate(name, named_graphs()["disconnected_directed"], count)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs(name: str) -> None:
    shapes = named_graphs(with_empty=False)
    for shape in ("one_vertex_directed", "self_loops_directed", "duplicates_undirected", "two_hubs_undirected"):
        assert_separate(name, shapes[shape], 9)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(2)
@settings(max_examples=8, deadline=None)
@given(graph=graphs(), count=st.integers(1, 70))
def test_any_graph(name: str, graph: Graph, count: int) -> None:
    assert_separate(name, graph, count)


STOPS = """program stops;
problem { param source : vertex; param shift : int32; vertex level : int32 = -1; vertex other : int32 = 0; }
edge functor reach(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
schedule {
    level[source] = 0;
    frontier f = {source};
    while (f) { f = advance(f, reach); compute(f, v => { other[v] = level[int32(v) + shift]; }); }
}
"""


@pytest.mark.slow
def test_one_of_many_is_stopped() -> None:
    """The error is that of the first value that fails, and a limit of passes applies to each."""
    ready = CpuBackend(Sizes(packed_work=0, shared_visits=0)).build(load(STOPS), 32)
    graph = make_graph(path(20), 20, directed=False)

    def run(shifts: list[int], limits: Limits) -> Part:
        bound = [bind(ready.program, graph, {"source": 9, "shift": shift}, id_bits=32) for shift in shifts]
        parts = ready.run_batch(graph, bound, limits, Bounds(whole=True))
        assert parts is not None
        (part,) = parts
        return part

    assert run([0] * 9, Limits()).iterations == [11] * 9
    with pytest.raises(FailedAtError) as raised:
        run([0] * 4 + [11, 0, 12], Limits())
    assert (raised.value.index, raised.value.error.code) == (4, "E0801")
    with pytest.raises(FailedAtError) as raised:
        run([0] * 5, Limits(max_iterations=3))
    assert raised.value.index == 0


@pytest.mark.slow
def test_free_memory_limits_how_many_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, name = make_graph(path(20), 20, directed=False), "reachability"
    ready = instances(name)
    bound = [bind(ready.program, graph, values(name, graph, number), id_bits=32) for number in range(40)]
    own = on_cpu._bytes_of_run(ready, graph, bound[0])
    for free, number in ((10 * own, 10), (3 * own, None)):
        monkeypatch.setattr(on_cpu, "available_memory", lambda free=free: free)
        parts = run_batch(ready, graph, bound, Limits(), Bounds(whole=True), Packing(lambda: ready, 0, 4, 64))
        assert (parts and [each.how for each in parts]) == (number and [f"1 thread, {number} values at a time"])


@pytest.mark.slow
def test_values_that_meet_nowhere_run_apart() -> None:
    """Sources far from each other share no visits of edges, which the first group finds out."""
    ready = CpuBackend(Sizes(packed_work=0, shared_visits=2)).build(load("samples/bfs.gdsl"), 32)
    graph = make_graph(path(400), 400)
    sources = [number * 6 for number in range(64)]
    bound = [bind(ready.program, graph, {"source": source}, id_bits=32) for source in sources]
    parts = ready.run_batch(graph, bound, Limits(), Bounds(whole=True))
    assert parts is not None
    (part,) = parts
    assert part.how == "1 thread, one value each"
    assert [int(row.max()) for row in part.arrays["distance"]] == [399 - source for source in sources]


WAITING = """program waiting;
problem { param source : vertex; vertex due : int32 = 0; scalar total : int32 = 1; }
edge functor call(src, dst, e) { cond due[dst] == iteration; }
schedule {
    due[source] = 1;
    frontier f = {source};
    repeat (3) { f = advance(f, call); total += 1; }
}
"""


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("samples/sssp.gdsl", "`relax` may run for each edge and each instance"),
        ("samples/pagerank.gdsl", "`neighbor_reduce` reads values of each instance for each edge"),
        ("samples/louvain.gdsl", "each instance would make a graph of its own"),
        ("samples/closeness.gdsl", "it has no params"),
        ("tests/programs/weak_hops.gdsl", "depends on the instance and the edge, not on one end alone"),
        ("tests/programs/tree_edges.gdsl", "`e` is a set of edges"),
        ("tests/programs/search_levels.gdsl", "are kept for one instance"),
        (WAITING, "compares data of the instance with the pass"),
        (WAITING.replace("== iteration", "< total"), "reads a scalar of the instance"),
        (WAITING.replace("== iteration", "< due[src]"), "depends on the instance and the edge"),
        (WAITING.replace("due[dst] ==", "due[due[dst]] =="), "may stop the run"),
    ],
)  # fmt: skip
def test_obstacles(name: str, reason: str) -> None:
    words = explain(ir_passes.apply(load(name)))
    assert words.startswith("map: one value at a time: ")
    assert reason in words
    assert "(line " in words


@pytest.mark.parametrize("count", [3, 8])
def test_a_param_that_all_share(count: int) -> None:
    """A param that a test of edges reads keeps values apart only where it differs."""
    built: Any = SimpleNamespace(generated=SimpleNamespace(shared_params=("least",)))
    packing = Packing(lambda: built, 100, 4, 64)
    graph = make_graph(path(20), 20)
    alike = [Bindings({"least": 1, "source": number}, {}) for number in range(count)]
    assert packing.together(graph, alike, count) is (built if count == 8 else None)
    assert packing.together(graph, [*alike, Bindings({"least": 2, "source": 0}, {})], count) is None


def test_compiling_for_many_values_is_part_of_the_time_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not the values then run together."""
    allowed: list[Limits] = []

    class Recorded:
        def __init__(self, *arguments: Any) -> None:
            allowed.append(arguments[2])

        def parts(self, bound: Any) -> Iterator[Part]:
            return iter(())

    def compile_for(shared: tuple[str, ...]) -> Any:
        time.sleep(0.05)
        return SimpleNamespace(generated=SimpleNamespace(shared_params=shared))

    def run(graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        allowed.append(limits)
        return Outcome({}, {}, 1, 0.0, lambda: ())

    monkeypatch.setattr(on_cpu, "_Batch", Recorded)
    monkeypatch.setattr(on_cpu, "available_memory", lambda: None)
    for shared in ((), ("source",)):
        packing = Packing(partial(compile_for, shared), 0, 2, 64)
        executable: Any = SimpleNamespace(run=run, run_batch=partial(run_batch, SimpleNamespace(), packing=packing))
        bound = [Bindings({"source": number}, {}) for number in range(2)]
        list(of_any_backend.run_batch(executable, make_graph(path(4), 4), bound, Limits(timeout=60), Bounds()))
    together, first, second = allowed
    assert min(together.spent, first.spent, second.spent) >= 0.05
