"""What calls on the cuda backend ask of the device, and whose memory is whose; the emulator takes CuPy's place."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.api.tune_files import Entry, kind_of, new_file, write_file
from gdsl.backends import registry
from gdsl.backends.cuda import nvrtc, pinned_copies
from gdsl.backends.cuda.launching import Launching
from gdsl.plan import block_cache, graph_class, heuristics, occupancy, target, work_order
from gdsl.types import Widths
from tests.support.graphs import complete, make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy, FakeEvent, OutOfMemoryError

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 12
NARROW = Widths.both(32)
SMALL = ["schedule.block=32"]
SCALED = """program scaled;
problem {
    param factor : float32 = 2;
    input edge weight : float32;
    input vertex x : float32;
    vertex y : float32;
    scalar total : float64 = 0;
}
vertex functor scale(v) { apply { y[v] = factor * x[v]; total += y[v]; } }
edge functor add(src, dst, e) { apply { total += float64(weight[e]); } }
schedule { compute(vertices, scale); advance(vertices, add, to=none); }
"""
CHANGING = """program changing;
problem { vertex a : int32 = 1; vertex b : int32 = 2; scalar s : int32 = 3; scalar t : int32 = 4; }
vertex functor add(v) { apply { b[v] = a[v] + b[v]; } }
schedule { repeat (3) { compute(vertices, add); swap(a, b); swap(s, t); } }
"""


def distances(source: int) -> list[int]:
    return [abs(vertex - source) for vertex in range(COUNT)]


@pytest.mark.parametrize("fuse", [True, False])
def test_a_result_stays_what_it_was(cupy: FakeCupy, graph: gdsl.Graph, fuse: bool) -> None:
    program = gdsl.compile("bfs", tune=[*SMALL, f"schedule.fuse={'on' if fuse else 'off'}"])
    results = [program(graph, source=source, backend="cuda") for source in range(4)]
    assert [result.distance.get().tolist() for result in results] == [distances(source) for source in range(4)]
    assert len({array.data.ptr for result in results for array in result.arrays.values()}) == 8
    for source, result in enumerate(results):
        reached = COUNT - 1 - min(source, COUNT - 1 - source)
        assert [record.iteration for record in result.trace][-1] >= reached - 1
        assert result.trace[0].frontier_size == 1
        assert result.trace is result.trace


def test_a_call_on_a_known_graph_does_little(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = gdsl.compile("bfs", tune=SMALL).prepare("cuda")
    for source in (0, 1):
        program(graph, source=source, backend="cuda")
    assert cupy.log["properties"] == 0, "nobody has read the name of the GPU"
    cupy.log.clear()
    for module, name in ((registry, "choose"), (heuristics, "class_for"), (work_order, "has_choice")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("what was found out before is asked again"))
    program(graph, source=2, backend="cuda")
    assert cupy.log == {"alloc": 2, "copy out": 1, "launch": 1, "copy back": 1}, "two results, and nothing else"


COUNTED = """program counted;
problem { param source : vertex; param shift : int32 = 0; vertex level : int32 = -1; scalar seen : int64; }
edge functor visit(src, dst, e) { cond level[dst] == -1; apply { level[dst] = iteration + 1; } }
vertex functor add(v) {
    apply { if (int32(v) == 2 || shift == 0) { if (level[int32(v) + shift] >= 0) { seen += 1; } } }
}
schedule { level[source] = 0; frontier f = {source}; while (f) { f = advance(f, visit); } compute(vertices, add); }
"""


def test_a_kernel_hands_over_once_many_calls_were_made(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scalars, the trace and failures are what they were by copies, and where it is more bytes, there are copies."""
    monkeypatch.setattr(pinned_copies, "_SETTLED", 3)
    monkeypatch.setattr(pinned_copies, "_FEW", 5000)
    program, graph = gdsl.compile(COUNTED, tune=SMALL), make_graph(path(150), 150)
    ways = []
    for source in (149, 148, 147, 149, 146, 140, 0, 1, 149):
        cupy.log.clear()
        found = program(graph, source=source, backend="cuda")
        assert (found.seen, len(found.trace)) == (150 - source, 151 - source)
        assert found.level.get().tolist() == [max(vertex - source, -1) for vertex in range(150)]
        ways.append("".join(word[0] for word in ("raw kernel", "copy back") if cupy.log[word]))
    ways[2] = ways[2].replace("rc", "c")  # the kernel was got ready
    assert ways == ["c", "c", "c", "r", "r", "r", "rc", "c", "c"], "what comes back after 0 has a long trace"
    small = make_graph(path(3), 3)
    for call in range(6):
        cupy.log.clear()
        with pytest.raises(gdsl.GdslError, match=f"E0801.*index {9 * call + 7} .*there are 3"):
            program(small, source=0, shift=9 * call + 5, backend="cuda")
        assert (cupy.log["raw kernel"], cupy.log["copy back"]) == (int(call >= 2), int(call < 3))


def test_no_call_waits_for_a_compiler(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What many calls need is compiled with the program, and found by the next process."""
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    made, compiled = [], nvrtc.compile_to_cubin
    monkeypatch.setattr(
        nvrtc, "compile_to_cubin", lambda text, arch, name: made.append(name) or compiled(text, arch, name)
    )
    program, graph = gdsl.compile(COUNTED, tune=SMALL), make_graph(path(9), 9)
    program.prepare("cuda")
    assert made == ["counted.cu", "hand_over.cu"]
    for _ in range(pinned_copies._SETTLED + 1):
        cupy.log.clear()
        program(graph, source=3, backend="cuda")
    assert cupy.log["raw kernel"] == 1
    gdsl.compile(SCALED, tune=SMALL).prepare("cuda")
    assert made == ["counted.cu", "hand_over.cu", "scaled.cu"]


def test_knobs_come_from_a_tune_file_for_the_gpu(cupy: FakeCupy, graph: gdsl.Graph, tmp_path: Path) -> None:
    file = new_file(str(tmp_path / "bfs.tune"), "bfs", gdsl.compile("bfs").text)
    for device, knobs in (("a GPU that is none", tuple(SMALL)), ("another one", ("schedule.block=1024",))):
        file = file.replaced(Entry("cuda", device, kind_of(graph), knobs, 2.0, 1.0, 3))
    write_file(file)
    program = gdsl.compile("bfs", tune_file=file.path)
    for backend in ("cuda", "auto", "cuda"):
        result = program(graph, source=3, backend=backend)
        assert result.backend == "cuda" and result.tuned == (file.path, tuple(SMALL), "", False)
        assert result.distance.get().tolist() == distances(3)
    cupy.log.clear()
    program(graph, source=2, backend="cuda")
    assert cupy.log == {"alloc": 2, "copy out": 1, "launch": 1, "copy back": 1}, "a call does no more for it"


def test_the_name_of_the_gpu_is_asked_for_once(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    for _ in range(3):
        result = gdsl.compile("bfs", tune=SMALL)(graph, source=0)
        assert result.backend_line == "backend: cuda, a GPU that is none"
    assert cupy.log["properties"] == 1
    assert cupy.log["occupancy"] == 3, "once for each program and graph"


def test_arrays_of_the_graph_go_over_once_and_those_of_the_caller_each_time(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program, x = gdsl.compile(SCALED, tune=SMALL), np.arange(COUNT, dtype=np.float32)
    uploads = []
    for turn in range(3):
        cupy.log.clear()
        result = program(graph, x=x, factor=turn, backend="cuda")
        assert result.y.get().tolist() == [turn * value for value in x.tolist()]
        assert result.total == result.y.get().sum() + 2 * (COUNT - 1)
        uploads.append(cupy.log["upload"])
        x[:] = x[::-1].copy() + 1  # whoever changes an array has the change seen
    assert uploads[1:] == [1, 1]


@pytest.mark.parametrize("directed, ways", [(False, 2), (True, 4)])
def test_lists_that_are_the_same_both_ways_go_over_once(cupy: FakeCupy, directed: bool, ways: int) -> None:
    ring = make_graph([(v, (v + 1) % COUNT) for v in range(COUNT)], COUNT, directed=directed)
    result = gdsl.compile("bfs", tune=SMALL)(ring, source=0, backend="cuda")
    assert result.distance.get().tolist() == [v if directed else min(v, COUNT - v) for v in range(COUNT)]
    assert cupy.log["upload"] == ways, "offsets and neighbors"


def test_roads_have_a_program_of_their_own(cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_class, "MANY_VERTICES", COUNT)
    monkeypatch.setattr(occupancy, "NARROW_BLOCK", 64)
    small = make_graph(path(COUNT - 1), COUNT - 1, directed=False)
    program = gdsl.compile("bfs")
    for on, threads in ((small, 512), (graph, 64), (small, 512), (graph, 64)):
        assert program(on, source=0, backend="cuda").distance.get().tolist() == distances(0)[: on.num_vertices]
        assert cupy.block_threads == threads


def test_hubs_have_another_one(cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each graph has the one that suits it, whichever came first; what is left of a GPU's memory is asked for."""
    few_places = dataclasses.replace(target.CUDA_FUSED.sizes, bound_bits=4)
    for module in (target, heuristics):
        monkeypatch.setattr(module, "CUDA_FUSED", dataclasses.replace(target.CUDA_FUSED, sizes=few_places))
    monkeypatch.setattr(block_cache, "BOUNDS_BLOCK", 64)
    for name, value in (("MANY_EDGES", 182), ("SKEW", 1)):
        monkeypatch.setattr(graph_class, name, value)
    monkeypatch.setattr(Launching, "dynamic_shared_limit", lambda device: block_cache.DECLARED + 64)
    monkeypatch.setattr(Launching, "reserve_dynamic_shared", lambda device, kernel: 64)
    made = make_graph(complete(14), 14, directed=False)
    hubs = gdsl.Graph(made.offsets, made.columns, directed=False, attributes={"weight": np.ones(182, np.float32)})
    program = gdsl.compile("sssp")
    expected = {hubs: (64, [*[1] * 13, 0]), graph: (512, distances(COUNT - 1))}
    for on in (hubs, graph, hubs, graph):
        threads, far = expected[on]
        assert program(on, source=on.num_vertices - 1, backend="cuda").distance.get().tolist() == far
        assert cupy.block_threads == threads


def test_arrays_of_the_gpu_are_used_where_they_lie(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program, x = gdsl.compile(SCALED, tune=SMALL), cupy.asarray(np.ones(COUNT, np.float32))
    program(graph, x=x, backend="cuda")
    cupy.log.clear()
    for turn in range(3):
        x.set(np.full(COUNT, turn))
        assert program(graph, x=x, backend="cuda").y.get().tolist() == [2 * turn] * COUNT
    assert cupy.log["upload"] == 0


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_what_changes_places_is_handed_over_too(cupy: FakeCupy, graph: gdsl.Graph, fuse: str) -> None:
    program = gdsl.compile(CHANGING, tune=[*SMALL, f"schedule.fuse={fuse}"])
    results = [program(graph, backend="cuda") for _ in range(3)]
    for result in results:
        assert result.a.get().tolist() == [7] * COUNT
        assert result.b.get().tolist() == [4] * COUNT
        assert (result.s, result.t) == (4, 3)
    assert len({array.data.ptr for result in results for array in result.arrays.values()}) == 6


def test_arrays_whose_length_a_param_says(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    text = """program several; problem { param n : int32; vertex a[n] : int32 = part; } schedule { }"""
    program = gdsl.compile(text, tune=SMALL)
    for n in (2, 5, 1):
        assert program(graph, n=n, backend="cuda").a.tolist() == [list(range(n))] * COUNT


def test_programs_take_turns_in_one_room(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    search, scaled = gdsl.compile("bfs", tune=SMALL), gdsl.compile(SCALED, tune=SMALL)
    marking = gdsl.compile("sssp", tune=SMALL)
    x = np.ones(COUNT, np.float32)
    for source in range(3):
        for program in (search, marking):
            assert program(graph, source=source, backend="cuda").distance.get().tolist() == distances(source)
        assert scaled(graph, x=x, backend="cuda").y.get().tolist() == [2] * COUNT


def test_a_long_trace_is_whole(cupy: FakeCupy) -> None:
    long = make_graph(path(100), 100)
    program = gdsl.compile("bfs", tune=SMALL)
    traces = [program(long, source=0, backend="cuda").trace for _ in range(3)]
    assert traces[0] == traces[1] == traces[2]
    assert [record.iteration for record in traces[0]] == list(range(100))


def test_a_stopped_run_leaves_nothing_behind(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("sssp", tune=SMALL)  # which marks whom it has put into the frontier
    for source in range(3):
        with pytest.raises(gdsl.GdslError) as caught:
            program(graph, source=source, backend="cuda", max_iterations=1)
        assert caught.value.code == "E0803"
        assert program(graph, source=source, backend="cuda").distance.get().tolist() == distances(source)


def test_memory_goes_with_the_graph_and_with_the_program(cupy: FakeCupy) -> None:
    made = make_graph(path(COUNT), COUNT)
    program = gdsl.compile("bfs", tune=SMALL)
    result = program(made, source=0, backend="cuda")
    enactor = next(iter(program._executables["cuda", NARROW]._records.values())).enactor
    watched = [weakref.ref(enactor), weakref.ref(enactor.on_device), weakref.ref(enactor.memory)]
    gc.disable()
    try:
        del enactor, made
        assert [each() for each in watched] == [None] * 3
        again = make_graph(path(COUNT), COUNT)
        program(again, source=0, backend="cuda")
        memory = weakref.ref(next(iter(program._executables["cuda", NARROW]._records.values())).enactor.memory)
        del program
        assert memory() is None
    finally:
        gc.enable()
    assert result.distance.get().tolist() == list(range(COUNT))


def test_without_memory_what_others_worked_in_goes_first(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    other = make_graph(path(COUNT), COUNT)
    program = gdsl.compile("bfs", tune=SMALL)
    for each in (other, graph):
        program(each, source=0, backend="cuda")
    taken = next(iter(program._executables["cuda", NARROW]._records.values())).enactor.on_device
    assert taken.scratch._room is not None
    cupy.free = 8
    program(graph, source=2, backend="cuda")  # its results have been there since the run before
    with pytest.raises(gdsl.GdslError) as caught:
        program(graph, source=1, backend="cuda")
    assert caught.value.code == "E0912"
    assert taken.scratch._room is None
    cupy.free = 1 << 40
    assert program(graph, source=1, backend="cuda").distance.get().tolist() == distances(1)


def test_a_run_on_another_stream_takes_nothing_that_waits_on_the_first(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("bfs", tune=SMALL)
    first, results = cupy.stream, []
    for source, number in enumerate((0, 0, 7, 7, 0)):
        cupy.stream = SimpleNamespace(ptr=number, synchronize=first.synchronize)
        cupy.log.clear()
        results.append(program(graph, source=source, backend="cuda"))
        if source:
            has_changed = source in (2, 4)
            assert cupy.log["synchronize"] == has_changed
            assert cupy.log["copy out"] == 1 + has_changed
            assert cupy.log["alloc"] == 2 + 2 * has_changed
    assert [result.distance.get().tolist() for result in results] == [distances(source) for source in range(5)]


class Interrupter:
    """Raises an error at the nth thing that a call asks of the device, before or after it is done."""

    def __init__(self, cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left, self.error = -1, KeyboardInterrupt()
        for room, name in ((cupy.cuda.runtime, "memcpyAsync"), (cupy.cuda, "alloc"), (FakeEvent, "record")):
            monkeypatch.setattr(room, name, self._watched(getattr(room, name)))

    def _watched(self, function: Any) -> Any:
        def called(*values: Any, **named: Any) -> Any:
            self._count()
            found = function(*values, **named)
            self._count()
            return found

        return called

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise self.error


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_ctrl_c_at_any_time_leaves_nothing_behind(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch, fuse: str
) -> None:
    program = gdsl.compile(SCALED, tune=[*SMALL, f"schedule.fuse={fuse}"])
    x, interrupter = np.ones(COUNT, np.float32), Interrupter(cupy, monkeypatch)
    program(graph, x=x, backend="cuda")
    for place in range(1, 100):
        interrupter.left = place
        try:
            program(graph, x=x, backend="cuda")
        except KeyboardInterrupt:
            result = program(graph, x=x, factor=place, backend="cuda")
            assert result.y.get().tolist() == [place] * COUNT
            assert result.total == place * COUNT + 2 * (COUNT - 1)
        else:
            break
    assert interrupter.left > 0, "a call that was not interrupted"
    assert place > 10


def test_a_call_within_a_call_does_not_wait_for_itself(
    cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a signal handler may make it."""
    program, record, refusals = gdsl.compile("bfs", tune=SMALL), FakeEvent.record, []

    def calling(event: FakeEvent, stream: object = None) -> None:
        record(event, stream)
        with pytest.raises(RuntimeError, match="in progress in this thread") as caught:
            program(graph, source=1, backend="cuda", timeout=20)
        refusals.append(caught.value)

    monkeypatch.setattr(FakeEvent, "record", calling)
    assert program(graph, source=3, backend="cuda").distance.get().tolist() == distances(3)
    assert refusals


def test_no_memory_for_an_input(cupy: FakeCupy, graph: gdsl.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    program, x = gdsl.compile(SCALED, tune=SMALL), np.ones(COUNT, np.float32)

    def refuse(values: object) -> None:
        raise OutOfMemoryError

    with monkeypatch.context() as patched:
        patched.setattr(cupy, "asarray", refuse)
        with pytest.raises(gdsl.GdslError) as caught:
            program(graph, x=x, backend="cuda")
        assert caught.value.code == "E0912"
    assert program(graph, x=x, backend="cuda").y.get().tolist() == [2] * COUNT


def test_a_batch_says_how_most_of_it_was_run(cupy: FakeCupy) -> None:
    graph = make_graph(path(9), 9)
    whole, parts = (gdsl.compile("bfs", tune=SMALL).map(graph, source=range(8), **more) for more in ({}, {"batch": 3}))
    assert "3 launches of 3, as requested" in parts.how
    assert np.array_equal(whole.host_arrays()["distance"], parts.host_arrays()["distance"])


def test_runs_that_do_not_converge_say_so(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    program = gdsl.compile("katz", tune=SMALL)
    with pytest.warns(gdsl.NotConvergedWarning, match="katz did not converge: it ended after"):
        program(graph, alpha=50, backend="cuda")
    pending = program.submit(graph, alpha=50, backend="cuda")
    with pytest.warns(gdsl.NotConvergedWarning, match="katz did not converge"):
        pending.result()


def test_arrays_of_the_gpu_are_looked_at(cupy: FakeCupy, graph: gdsl.Graph) -> None:
    text = "problem { vertex x : float64 = 3; } schedule { compute(vertices, v => { x[v] = x[v] * 1e308; }); }"
    program = gdsl.compile(f"program p; {text}", tune=SMALL)
    with pytest.warns(gdsl.NotConvergedWarning, match=f"`x` has {COUNT} values that became infinite"):
        program(graph, backend="cuda")
