"""One program and one graph in several threads and processes, and copies of everything."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda.backend import CudaBackend
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.stream_queue import StreamQueue

HOPS = """program hops;
problem {
    param  source : vertex;
    input  vertex blocked : bool;
    input  edge weight : float32 where weight >= 0;
    vertex distance : int32 = -1;
    vertex parent : vertex = none;
    scalar levels : int32 = 0;
    scalar total : float64 = 0.0;
}
edge functor visit(src, dst, e) {
    cond distance[dst] == -1 && !blocked[dst];
    apply { distance[dst] = iteration + 1; parent[dst] any= src; }
}
edge functor add(src, dst, e) { apply { total += float64(weight[e]); } }
schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); levels += 1; }
    frontier all = vertices;
    advance(all, add, to=none);
}
"""
BACKENDS = ("reference", "cpu")
COUNT = 60


@pytest.fixture(autouse=True, scope="module")
def one_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GDSL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def ring() -> gdsl.Graph:
    ids = np.arange(COUNT)
    return gdsl.Graph.from_edges(
        ids, (ids + 1) % COUNT, weights=np.ones(COUNT, np.float32), vertex_attributes={"blocked": np.zeros(COUNT, bool)}
    )


def run(program: gdsl.Program, graph: gdsl.Graph, source: int, backend: str) -> gdsl.Result:
    return program(graph, source=source, backend=backend)


def is_right(result: gdsl.Result, source: int) -> bool:
    expected = [(vertex - source) % COUNT for vertex in range(COUNT)]
    return bool(result.distance.tolist() == expected and result.total == COUNT and result.levels == COUNT)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_threads(backend: str) -> None:
    """The first of them compile, all at once; caches of graph and program are filled at once too."""
    program, graph = gdsl.compile(HOPS), ring()

    def work(thread: int) -> bool:
        return all(is_right(run(program, graph, source, backend), source) for source in range(thread, COUNT, 9))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_stopped_thread_stops_no_other(backend: str) -> None:
    endless = gdsl.compile(
        "program p; problem { scalar x : int32 = 0; } vertex functor f(v) { apply { x += 1; } } "
        "schedule { while (x >= 0 || x < 0) { compute(vertices, f); } }"
    )
    program, graph = gdsl.compile(HOPS), ring()

    def stopped(_: int) -> str:
        with pytest.raises(gdsl.GdslError) as caught:
            endless(graph, backend=backend, timeout=0.2)
        return caught.value.code

    with ThreadPoolExecutor(4) as pool:
        codes = pool.map(stopped, range(4))
        assert all(is_right(run(program, graph, source, backend), source) for source in range(0, COUNT, 7))
        assert list(codes) == ["E0802"] * 4


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method: str) -> None:
    """With fork, the compiled code (and its threads) have been used by the parent before."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    program, graph = gdsl.compile(HOPS), ring()
    jobs = [(source, backend) for source in (0, 5, 30) for backend in BACKENDS]
    assert all(is_right(run(program, graph, *job), job[0]) for job in jobs)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        results = list(pool.map(run, [program] * 6, [graph] * 6, *zip(*jobs, strict=True), timeout=120))
    assert all(is_right(result, job[0]) for result, job in zip(results, jobs, strict=True))
    assert [result.backend for result in results] == [job[1] for job in jobs]
    assert is_right(run(program, graph, 3, "cpu"), 3)


def test_errors_come_back_from_processes() -> None:
    program, graph = gdsl.compile(HOPS), ring()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool, pytest.raises(gdsl.GdslError) as caught:
        pool.submit(run, program, graph, COUNT, "reference").result(timeout=120)
    assert caught.value.code == "E0604"
    assert "<text>:3:" in str(caught.value)


def copies(value):
    yield copy.copy(value)
    yield copy.deepcopy(value)
    yield copy.deepcopy([value, {"x": value}])[1]["x"]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(value, protocol))
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    yield pickle.loads(data, buffers=buffers)
    yield pickle.loads(data, buffers=[bytearray(buffer) for buffer in buffers])


def test_copies_of_programs() -> None:
    graph = ring()
    for used in (False, True):
        program = gdsl.compile(HOPS, fuse=False)
        if used:
            assert all(is_right(run(program, graph, 1, backend), 1) for backend in BACKENDS)
        for other in copies(program):
            assert other.ir == program.ir
            assert (other.name, other.doc, other.params, other.inputs) == ("hops", "", program.params, program.inputs)
            assert all(is_right(run(other, graph, 2, backend), 2) for backend in BACKENDS)
            with pytest.raises(gdsl.GdslError, match="<text>:3:"):
                other(graph, source=COUNT, backend="reference")


def test_copies_of_graphs() -> None:
    program = gdsl.compile(HOPS)
    for used in (False, True):
        graph = ring()
        if used:
            assert is_right(run(program, graph, 1, "cpu"), 1)
            assert len(graph.in_sources) == len(graph.in_degrees) == COUNT
        for other in copies(graph):
            assert_immutable(other)
            assert (other.num_vertices, other.num_edges, other.directed) == (COUNT, COUNT, True)
            assert other.attributes.keys() == {"weight"}
            assert other.vertex_attributes.keys() == {"blocked"}
            assert other.in_sources.tolist() == graph.in_sources.tolist()
            assert all(is_right(run(program, other, 4, backend), 4) for backend in BACKENDS)


def test_copies_of_results() -> None:
    for backend in BACKENDS:
        result = run(gdsl.compile(HOPS), ring(), 3, backend)
        for other in copies(result):
            assert is_right(other, 3)
            assert other.parent.tolist() == result.parent.tolist()
            assert (other.iterations, other.backend, other.trace) == (result.iterations, backend, result.trace)
            assert other.unique == result.unique
            assert other.summary() == result.summary()
            assert repr(other) == repr(result)


def test_results_with_the_names_of_protocols() -> None:
    program = gdsl.compile(
        "program p; problem { vertex __deepcopy__ : int32 = 4; scalar _arrays : int32 = 5; } schedule { }"
    )
    result = program(ring(), backend="reference")
    for other in copies(result):
        assert other["__deepcopy__"].tolist() == [4] * COUNT
        assert other["_arrays"] == 5


def arrays_of(graph: gdsl.Graph) -> dict[str, np.ndarray]:
    names = (
        "offsets",
        "columns",
        "out_degrees",
        "in_degrees",
        "edge_sources",
        "in_offsets",
        "in_sources",
        "in_edge_ids",
    )
    return {name: getattr(graph, name) for name in names} | {
        **{f"edge {name}": values for name, values in graph.attributes.items()},
        **{f"vertex {name}": values for name, values in graph.vertex_attributes.items()},
    }


def assert_immutable(graph: gdsl.Graph) -> None:
    before = {name: values.tolist() for name, values in arrays_of(graph).items()}
    for values in arrays_of(graph).values():
        owner = values
        while isinstance(owner, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                owner[:] = 99
            with pytest.raises(ValueError, match="WRITEABLE"):
                owner.setflags(write=True)
            with pytest.raises(ValueError, match="WRITEABLE"):
                owner.flags.writeable = True
            for alias in (owner.view(np.uint8), owner.reshape(-1), owner[::-1], np.frombuffer(owner, owner.dtype)):
                with pytest.raises(ValueError, match="read-only"):
                    alias[...] = 1
            with pytest.raises((ValueError, BufferError)):
                np.ndarray(owner.shape, owner.dtype, buffer=owner)[:] = 1
            owner = owner.base
        assert not hasattr(owner, "obj")
        with pytest.raises(TypeError):
            memoryview(owner)[0] = 1
        values.shape = (1, -1)
        values.dtype = np.uint8
    for name in ("offsets", "columns", "num_vertices", "num_edges", "directed", "attributes", "other", "_columns"):
        with pytest.raises(AttributeError):
            setattr(graph, name, np.zeros(3))
    for name in ("columns", "num_vertices", "attributes"):
        with pytest.raises(AttributeError):
            delattr(graph, name)
    for group in (graph.attributes, graph.vertex_attributes):
        with pytest.raises(TypeError):
            group["weight"] = np.zeros(COUNT)  # type: ignore[index]
        assert not hasattr(group, "pop")
    assert {name: values.tolist() for name, values in arrays_of(graph).items()} == before


def test_graphs_are_immutable(tmp_path) -> None:
    assert_immutable(ring())
    assert_immutable(gdsl.Graph.from_edges([0], [1], directed=False, weights=[2.5]))
    np.save(tmp_path / "ids.npy", np.arange(COUNT))
    mapped = np.load(tmp_path / "ids.npy", mmap_mode="r+")
    weights, blocked = bytearray(np.ones(COUNT, np.float32).tobytes()), np.zeros(COUNT, bool)
    graph = gdsl.Graph.from_edges(
        mapped, (mapped + 1) % COUNT, weights=np.frombuffer(weights, np.float32), vertex_attributes={"blocked": blocked}
    )
    offsets, columns = np.arange(3), np.array([1, 0], np.int32)
    small = gdsl.Graph(offsets, columns, directed=True, attributes={"x": columns}, vertex_attributes={"y": columns})
    program = gdsl.compile(HOPS)
    assert is_right(run(program, graph, 1, "cpu"), 1)
    mapped[:] = 10**9
    weights[:] = b"\xff" * len(weights)
    blocked[:] = True
    offsets[:], columns[:] = 10**9, 10**6
    assert small.columns.tolist() == small.attributes["x"].tolist() == small.vertex_attributes["y"].tolist() == [1, 0]
    assert small.offsets.tolist() == [0, 1, 2]
    assert_immutable(graph)
    assert all(is_right(run(program, graph, source, backend), source) for source in (1, 7) for backend in BACKENDS)


def test_what_is_no_csr_is_refused() -> None:
    for offsets, columns in (
        ([0, 100], [0]), ([0, 1], [9]), ([0, 1], [-1]), ([1, 1], [0]), ([], []), ([0, 2, 1], [0]), ([0, -5, 1], [0]),
        ([0, 2], [0]), ([0], [0]), ([0, 3, 3], [1, 0, 1]), ([0.0, 1.0], [0]), ([0, 2**62], [0]), ([[0, 1]], [0]),
    ):  # fmt: skip
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.Graph(offsets, columns, directed=True)
        assert caught.value.code in ("E0707", "E0709", "E0711")
    with pytest.raises(gdsl.GdslError, match="no opposite"):
        gdsl.Graph([0, 1, 1], [1], directed=False)
    assert gdsl.Graph([0, 3, 3], [0, 1, 1], directed=True).num_edges == 3
    assert gdsl.Graph([0, 1, 2], [1, 0], directed=False).is_symmetric()
    assert gdsl.Graph([0], [], directed=True).num_vertices == 0


class FakeCuda:
    """As much of CuPy as a device's reservation asks for."""

    def __init__(self) -> None:
        self.log: list[object] = []
        self.cuda = SimpleNamespace(
            runtime=SimpleNamespace(getDevice=lambda: 1, setDevice=self.log.append),
            get_current_stream=lambda: SimpleNamespace(ptr=0, synchronize=self._wait),
        )

    def _wait(self) -> None:
        self.log.append("synchronize")


def fake_device() -> CudaDevice:
    device = CudaDevice.__new__(CudaDevice)
    device.cupy, device.id = FakeCuda(), 0
    device._lock, device._holder, device._stop = threading.Lock(), None, np.zeros(1, np.uint32)
    device.waiting_threads, device._to_unload, device._threads = [], [], threading.local()
    device.queue = StreamQueue(device)
    return device


def test_runs_on_a_gpu_take_turns() -> None:
    device, inside, most = fake_device(), [0], [0]

    def work(_: int) -> None:
        with device.reserved(None):
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            time.sleep(0.001)
            inside[0] -= 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(40)))
    assert most == [1]
    assert device.cupy.log == [0, 1] * 40, "on that device, and nobody waits for more than the run"


def test_a_run_on_a_gpu_that_fails_leaves_it_to_others() -> None:
    device = fake_device()
    with pytest.raises(ZeroDivisionError), device.reserved(1e308):
        raise ZeroDivisionError
    assert device._stop[0] == 1
    assert device.cupy.log == [0, "synchronize", 1]
    with device.reserved(5.0), pytest.raises(RuntimeError, match="in this thread"), device.reserved(None):
        pass

    def wait() -> None:
        with device.reserved(0.05):
            pass

    with device.reserved(5.0), ThreadPoolExecutor(1) as pool, pytest.raises(gdsl.GdslError) as caught:
        pool.submit(wait).result()
    assert caught.value.code == "E0802"
    with device.reserved(5.0):
        pass


def test_a_forked_process_is_told_of_the_gpu() -> None:
    backend = CudaBackend()
    backend._devices[0] = fake_device()
    backend._process -= 1
    found = backend.availability()
    assert not found.ok
    assert "forked" in found.detail
    assert "spawn" in found.fix


def test_each_kernel_of_a_text_is_a_kernel_of_its_own() -> None:
    """A text may have several kernels; what was compiled is known again by both, the text and the name."""
    device, compiled = fake_device(), []

    def raw_kernel(text: str, name: str) -> object:
        compiled.append(name)
        return lambda grid, block, values: device.cupy.log.append((name, values))

    device.cupy.RawKernel = raw_kernel
    device.multiprocessors, device._computing = 4, {}
    for name in ("edge_sources", "in_edges", "edge_sources"):
        device.compute("a text with both", name, 10, (1,))
    assert compiled == ["edge_sources", "in_edges"]
    assert [each for each in device.cupy.log if isinstance(each, tuple)] == [
        ("edge_sources", (1,)),
        ("in_edges", (1,)),
        ("edge_sources", (1,)),
    ]
