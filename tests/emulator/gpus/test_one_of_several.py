"""Runs that several GPUs leave to the first one, once a run has shown that its operators are short."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from support.graphs import grid, make_graph

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda import observed_gpus
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.graph_cache import GraphCache
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.observed_gpus import ObservedGpus
from gdsl.backends.cuda.several_gpus import SeveralGpus
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.plan import occupancy

from .. import build
from ..test_instances import DISTANCES
from .calls import code_of, numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


@pytest.mark.parametrize(
    ("ms", "operators", "alone"),
    [(50, 2000, True), (50, 200, False), (0.9, 2000, False)],
    ids=["many short operators", "long operators", "a short run"],
)
def test_what_a_run_shows(ms: float, operators: int, alone: bool) -> None:
    observed = ObservedGpus()
    observed.note_together(ms, operators)
    assert observed.is_alone is alone


@pytest.mark.parametrize(("ms", "alone"), [(49, True), (51, False)])
def test_the_faster_way_stays(ms: float, alone: bool) -> None:
    observed = ObservedGpus()
    observed.note_together(50, 2000)
    observed.note_alone(ms)
    observed.note_together(80, 2000)
    observed.note_alone(200)
    assert observed.is_alone is alone


@pytest.fixture
def gpus(cupy, driver, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many GPUs each run has had; all runs are long here, and all operators short."""
    found, run = list[int](), Enactor.run
    monkeypatch.setattr(observed_gpus, "LEAST_MS", 0.0)
    monkeypatch.setattr(observed_gpus, "SHORT_MS", 1e9)

    def counted(enactor: Enactor, bindings: Bindings, limits: Limits, most_visits: int = 0) -> Outcome:
        found.append(max(len(enactor.device.gpu_numbers), 1))
        outcome = run(enactor, bindings, limits, most_visits)
        assert outcome.operators == len(outcome.trace)
        return outcome

    monkeypatch.setattr(Enactor, "run", counted)
    monkeypatch.setattr(SeveralGpus, "memory_of", lambda device, gpu: (12 << 20, 12 << 20))  # traces take megabytes
    gc.collect()
    yield found


@pytest.fixture
def small() -> gdsl.Graph:
    return make_graph(grid(12, 12), 144, directed=False)


@pytest.mark.parametrize("faster", [True, False])
@pytest.mark.parametrize(("name", "result"), [("bfs", "distance"), ("k_core", "core"), ("sssp", "distance")])
def test_the_next_run_is_one_of_the_first_gpu(gpus, small, monkeypatch, name, result, faster):
    def note_alone(observed: ObservedGpus, ms: float) -> None:
        observed.is_alone, observed._settled = faster, True

    monkeypatch.setattr(ObservedGpus, "note_alone", note_alone)
    program = gdsl.compile(name)
    values = {} if name == "k_core" else {"source": 3}
    expected = np.asarray(getattr(program(small, **values, backend="reference"), result))
    for _ in range(4):
        found = program(small, **values, gpus=[1, 0])
        assert np.array_equal(numpy_of(getattr(found, result)), expected)
        assert found.backend == "cuda"
    many = 1 if faster else 2
    assert gpus == [2, 1, many, many]


def test_the_graph_stays_only_if_that_is_faster(gpus, small, monkeypatch):
    program, freed, free = gdsl.compile("bfs"), list[int](), GraphOnDevice.free
    monkeypatch.setattr(GraphOnDevice, "free", lambda graph: freed.append(1) or free(graph))
    monkeypatch.setattr(ObservedGpus, "note_alone", lambda observed, ms: observed.give_up())
    for _ in range(3):
        program(small, source=3, gpus=2)
    assert gpus == [2, 1, 2] and freed
    assert numpy_of(program(small, source=3, backend="cuda").distance)[3] == 0  # it comes back for others


def test_too_little_room_on_the_first_gpu(gpus, small, monkeypatch):
    """Runs have all GPUs again."""
    program, require = gdsl.compile("bfs"), CudaDevice.require
    expected = np.asarray(program(small, source=3, backend="reference").distance)

    def refused(device: CudaDevice, nbytes: int) -> None:
        if not device.gpu_numbers:
            raise gdsl.GdslError.single("E0912", "too little")
        require(device, nbytes)

    monkeypatch.setattr(CudaDevice, "require", refused)
    for _ in range(3):
        assert np.array_equal(numpy_of(program(small, source=3, gpus=2).distance), expected)
    assert [count for count in gpus if count == 2] == [2, 2, 2] and gpus[-1] == 2
    assert code_of(lambda: program(small, source=3, backend="cuda", memory="device"))[0] == "E0912"


@pytest.mark.parametrize(
    "run",
    [
        lambda program, graph: program(graph, source=3, gpus=[0, 0]),
        lambda program, graph: gdsl.profile(program, graph, source=3, gpus=2),
        lambda program, graph: program(graph, source=3, gpus=2, memory="device"),
    ],
    ids=["named twice, as in tests", "lanes of all GPUs", "a choice of memory"],
)
def test_where_all_gpus_are_asked_for(gpus, small, run):
    program = gdsl.compile("bfs")
    for _ in range(2):
        run(program, small)
    assert set(gpus) == {2}


def test_barriers_and_launches_are_measured_on_all_gpus(gpus, monkeypatch):
    from bench import several_gpus

    monkeypatch.setattr(several_gpus, "_WAITING", several_gpus._WAITING.replace(str(several_gpus._BARRIERS), "3"))
    monkeypatch.setattr(several_gpus, "_VERTICES", 64)
    for measured in (several_gpus.microseconds_of_a_barrier, several_gpus.microseconds_of_a_run):
        del gpus[:]
        measured(2)
        assert set(gpus) == {2}
        measured()
        assert gpus[-1] == 1


def test_many_values_and_limits(gpus, small):
    program = gdsl.compile("bfs")
    expected = [np.asarray(program(small, source=each, backend="reference").distance) for each in (1, 2, 3)]
    many = program.map(small, source=[1, 2, 3], gpus=2)
    assert all(np.array_equal(a, b) for a, b in zip(numpy_of(many.distance), expected, strict=True))
    assert gpus[:2] == [2, 1]
    pending = program.submit(small, source=2, gpus=2)
    assert np.array_equal(numpy_of(pending.result().distance), expected[1])
    assert code_of(lambda: program(small, source=3, gpus=2, max_iterations=1))[0] == "E0803"
    assert np.array_equal(numpy_of(program(small, source=3, gpus=2, timeout=60).distance), expected[2])
    assert registry.get("cuda:0,1")._on_current is registry.get("cuda")  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", [0, 1])
def test_a_batch_goes_on_when_the_graph_has_left_the_gpu(gpus, small, monkeypatch, words):
    """Between two of its results other runs leave it, and so free what the batch has read."""
    monkeypatch.setattr(ObservedGpus, "note_alone", lambda observed, ms: observed.give_up())
    monkeypatch.setattr(occupancy, "words_of_instances", lambda *_: words)
    freed, free = list[int](), GraphOnDevice.free
    monkeypatch.setattr(GraphOnDevice, "free", lambda graph: freed.append(1) or free(graph))
    program = gdsl.compile(DISTANCES, tune=["schedule.block=64"])
    sources = [1, 5, 9, 100, 143, 7, 8]
    expected = [np.asarray(program(small, source=each, backend="reference").distance) for each in sources]
    for place, found in enumerate(program.imap(small, source=sources, backend="cuda", batch=2)):
        assert np.array_equal(numpy_of(found.distance), expected[place])
        if place in (0, 4):
            before, other = len(freed), gdsl.compile("bfs")
            for _ in range(3):
                other(small, source=3, gpus=2)
            assert len(freed) > before
    rows = program.imap(small, source=[78, 78, 78, 0], backend="cuda", batch=2, max_iterations=15)
    next(rows)
    other = gdsl.compile("bfs")
    for _ in range(3):
        other(small, source=3, gpus=2)
    code, text = code_of(lambda: list(rows))
    assert code == "E0803" and "number 3 of the 4 values" in text


@pytest.mark.parametrize("submits", [False, True])
def test_the_graph_leaves_while_a_thread_waits_for_the_gpu(gpus, small, monkeypatch, submits):
    program, acquire = gdsl.compile("bfs"), CudaDevice.acquire
    expected = np.asarray(program(small, source=3, backend="reference").distance)
    program(small, source=5, backend="cuda")
    left = list[int]()

    def acquired(device: CudaDevice, timeout: float | None, joins: bool = False, spent: float = 0.0) -> None:
        acquire(device, timeout, joins, spent)
        if not left:  # another thread had the device before
            left.append(1)
            graphs: GraphCache = registry.get("cuda")._graphs  # type: ignore[attr-defined]
            graphs.free(small, device)
            gc.collect()

    monkeypatch.setattr(CudaDevice, "acquire", acquired)
    begun = (program.submit if submits else program)(small, source=3, backend="cuda")
    found = begun.result() if submits else begun
    assert left and np.array_equal(numpy_of(found.distance), expected)
