"""The option `gpus` from a call to the kernels, on the emulator in the place of CuPy: how GPUs are named, what is
launched where, and each refusal."""

from __future__ import annotations

import ctypes
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.several_gpus import _ABORTED, SeveralGpus

from .. import build
from .calls import code_of, numpy_of

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")


@pytest.mark.parametrize("gpus", [2, "all", [1, 0], [0, 0], (0, 1, 0)], ids=str)
def test_a_run_on_several_gpus(cupy, driver, graph, gpus):
    program = gdsl.compile("bfs")
    expected = program(graph, source=3, backend="reference")
    for _ in range(3):
        found = program(graph, source=3, gpus=gpus)
        assert np.array_equal(numpy_of(found.distance), expected.distance)
        assert found.iterations == expected.iterations
        assert [r.frontier_size for r in found.trace] == [r.frontier_size for r in expected.trace]
    assert found.backend == "cuda"
    count = len(gpus) if not isinstance(gpus, (int, str)) else 2
    assert cupy.log[f"run on {count} GPUs"] == 3
    owners = set(range(2)) if gpus != [0, 0] else {0}
    assert {owner for owner, _ in driver.created.values()} == owners


@pytest.mark.parametrize("name", ["k_core", "pagerank", "connected_components", "sssp"])
@pytest.mark.sampled(4)
@pytest.mark.rare(3)
def test_other_samples(cupy, graph, name):
    graph = gdsl.Graph(
        graph.offsets,
        graph.columns,
        directed=False,
        attributes={"weight": np.ones(graph.num_edges, np.float32)},
    )
    program = gdsl.compile(name)
    values = {"source": 3} if "source" in program.params else {}
    expected = program(graph, **values, backend="reference")
    found = program(graph, **values, gpus=2)
    for array in expected.arrays:
        assert np.allclose(numpy_of(found.arrays[array]), expected.arrays[array], rtol=1e-4)
    for scalar, value in expected.scalars.items():
        assert found.scalars[scalar] == pytest.approx(value, rel=1e-3, abs=1e-6)


SWAPS = """
program swaps;
problem { input vertex first : int32; vertex here : int32 = int32(id); vertex there : int32 = 0; }
vertex functor step(v) { apply { there[v] = here[v] + first[v]; } }
schedule { repeat (3) { compute(vertices, step); swap(here, there); } }
"""


def test_results_whose_buffers_change_places(cupy, graph):
    program = gdsl.compile(SWAPS)
    first = np.arange(graph.num_vertices, dtype=np.int32)
    found = program(graph, first=first, gpus=2)
    assert np.array_equal(numpy_of(found.here), 4 * first)
    assert np.array_equal(numpy_of(found.there), 3 * first)


def test_map_and_submit_run_one_after_the_other(cupy, graph):
    program = gdsl.compile("bfs")
    expected = [program(graph, source=s, backend="reference").distance for s in (1, 2)]
    many = program.map(graph, source=[1, 2], gpus=2)
    assert [np.array_equal(a, b) for a, b in zip(numpy_of(many.distance), expected, strict=True)] == [True, True]
    pending = program.submit(graph, source=2, gpus=2)
    assert np.array_equal(numpy_of(pending.result().distance), expected[1])
    assert cupy.log["run on 2 GPUs"] == 3


def test_a_run_within_a_run_is_an_error(cupy, graph, monkeypatch):
    """As in a signal handler: on other GPUs, too, it would wait for its own thread."""
    program, raised = gdsl.compile("bfs"), []
    wait = SeveralGpus.wait_for

    def interrupted(device, *arguments):
        with pytest.raises(RuntimeError, match="in progress in this thread") as error:
            program(graph, source=3, gpus=[1, 0])
        raised.append(error)
        return wait(device, *arguments)

    program(graph, source=3, gpus=[1, 0])
    with monkeypatch.context() as patch:
        patch.setattr(SeveralGpus, "wait_for", interrupted)
        program(graph, source=3, gpus=2, timeout=60)
    assert raised
    program(graph, source=3, gpus=[1, 0])


@pytest.mark.parametrize(("inner", "outer"), [([0, 0], None), (None, [0, 0]), ([0], [0, 0]), ([0, 0, 1], [0])], ids=str)
def test_kernels_that_share_a_gpu_have_it_to_themselves(cupy, graph, monkeypatch, inner, outer):
    """Otherwise one of them waits for another, which waits on that GPU behind a run that needs all of it."""
    program, errors = gdsl.compile("bfs"), list[gdsl.GdslError]()
    expected = program(graph, source=3, backend="reference").distance
    device = SeveralGpus if outer == [0, 0] else CudaDevice
    wait = device.wait_for

    def other() -> None:
        try:
            program(graph, source=3, backend="cuda", gpus=inner, timeout=0.2)
        except gdsl.GdslError as error:
            errors.append(error)

    def interrupted(*arguments):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return wait(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(device, "wait_for", interrupted)
        found = program(graph, source=3, backend="cuda", gpus=outer, timeout=60)
    assert np.array_equal(numpy_of(found.distance), expected)
    assert [error.code for error in errors] == ["E0802"]
    for gpus in (inner, outer):
        assert np.array_equal(numpy_of(program(graph, source=3, backend="cuda", gpus=gpus).distance), expected)


def test_queued_runs_end_before_kernels_that_share_their_gpu(cupy, graph):
    program = gdsl.compile("bfs")
    expected = program(graph, source=3, backend="reference").distance
    pending = program.submit(graph, source=3, backend="cuda")
    assert np.array_equal(numpy_of(program(graph, source=3, gpus=[0, 0]).distance), expected)
    assert pending.done() and np.array_equal(numpy_of(pending.result().distance), expected)


def test_a_profile_names_the_gpus(cupy, graph, tmp_path):
    profile = gdsl.profile("bfs", graph, source=3, gpus=[1, 0])
    document = profile.as_document()
    assert ["GPUs", "1, 0"] in document["facts"]
    assert [each["gpu"] for each in document["memory"]["gpus"]] == [1, 0]
    profile.to_html(tmp_path / "page.html")
    assert type(profile).read(tmp_path / "page.html").as_document() == document


def test_limits(cupy, graph):
    program = gdsl.compile("bfs")
    with pytest.raises(gdsl.GdslError) as error:
        program(graph, source=3, gpus=2, max_iterations=1)
    assert error.value.code == "E0803"
    assert numpy_of(program(graph, source=3, gpus=2).distance)[3] == 0


@pytest.mark.parametrize("after", [0, 1])
def test_a_launch_that_fails_leaves_no_kernel_waiting(cupy, graph, after):
    """The kernel that has begun is told to leave, and the next run is right."""
    program = gdsl.compile("bfs")
    expected = numpy_of(program(graph, source=3, gpus=2).distance)
    cupy.driver.fails_after = after
    with pytest.raises(RuntimeError, match="the launch failed"):
        program(graph, source=3, gpus=2)
    assert np.array_equal(numpy_of(program(graph, source=3, gpus=2).distance), expected)


def test_a_kernel_that_dies_takes_no_other_with_it(cupy, graph, monkeypatch):
    """The run ends with the driver's error, and those that waited for that kernel have been told to leave."""
    program = gdsl.compile("bfs")
    expected = numpy_of(program(graph, source=3, gpus=2).distance)
    device = registry.get("cuda:0,1").device()
    healthy, aborted = device.shares[1].ended, []

    def dies() -> None:
        aborted.append(True)
        raise RuntimeError("an illegal memory access was encountered")

    device.shares[1].ended = SimpleNamespace(ptr=7, record=lambda stream: None, synchronize=dies)
    words = []
    barrier_words = [device._control, *device._barrier_words[1:]]
    assert len(set(barrier_words)) == 2
    monkeypatch.setattr(
        device, "halt", lambda: words.extend(ctypes.c_uint64.from_address(word).value for word in barrier_words)
    )
    with monkeypatch.context() as patch:
        patch.setattr(cupy.cuda.runtime, "eventQuery", lambda pointer: 700 if pointer == 7 else 600)
        with pytest.raises(RuntimeError, match="illegal memory access"):
            program(graph, source=3, gpus=2)
    assert aborted
    assert set(words) == {_ABORTED}
    device.shares[1].ended = healthy
    monkeypatch.delattr(device, "halt")
    assert np.array_equal(numpy_of(program(graph, source=3, gpus=2).distance), expected)


def words_of(device) -> list[int]:
    return [ctypes.c_uint64.from_address(word).value for word in device._barrier_words[1:]]


@pytest.mark.parametrize("gpus", [2, [0, 1, 0]], ids=str)
def test_words_of_barriers_are_cleared_for_the_next_run(cupy, graph, monkeypatch, gpus):
    """Behind a run, on its stream, so that no run waits for that; a run on another stream waits for it there."""
    program, cleared = gdsl.compile("bfs"), []
    program(graph, source=3, gpus=gpus)
    device = registry.get("cuda:0,1" if gpus == 2 else "cuda:0,1,0").device()
    clear = device._clear
    monkeypatch.setattr(device, "_clear", lambda stream: (cleared.append(cupy.log["launch"]), clear(stream)))
    for source in (3, 4):
        assert set(words_of(device)) == {0}
        found = program(graph, source=source, gpus=gpus)
        assert np.array_equal(numpy_of(found.distance), program(graph, source=source, backend="reference").distance)
    launches = cupy.log["launch"]
    assert len(cleared) == 2 and cleared[-1] == launches
    waited, other = cupy.log["synchronize"], SimpleNamespace(**{**vars(cupy.stream), "ptr": 11})
    monkeypatch.setattr(cupy, "stream", other)
    program(graph, source=3, gpus=gpus)
    assert len(cleared) == 3 and cupy.log["synchronize"] > waited


@pytest.mark.parametrize("is_idle", [True, False], ids=["idle", "busy"])
def test_kernels_wait_for_what_is_queued_before_them(cupy, graph, monkeypatch, is_idle):
    """By an event, if there is anything."""
    program, waits = gdsl.compile("bfs"), []
    program(graph, source=3, gpus=2)
    device = registry.get("cuda:0,1").device()
    monkeypatch.setattr(cupy.stream, "done", is_idle)
    launch = device._launch_share
    monkeypatch.setattr(device, "_launch_share", lambda *values: (waits.append(values[-1][1]), launch(*values)))
    found = program(graph, source=4, gpus=2)
    assert waits == [None if is_idle else device._begin] * 2
    assert np.array_equal(numpy_of(found.distance), program(graph, source=4, backend="reference").distance)


def test_one_gpu_of_the_list_is_the_plain_form(cupy, graph):
    program = gdsl.compile("bfs")
    for gpus in (1, [1], [0]):
        program(graph, source=3, gpus=gpus)
    assert not any(what.startswith("run on") for what in cupy.log)


def test_refusals_name_what_was_found_and_a_fix(cupy, driver, graph, monkeypatch):
    program = gdsl.compile("bfs")
    run = lambda **options: lambda: program(graph, source=3, **options)  # noqa: E731
    code, text = code_of(run(gpus=3))
    assert code == "E0921" and "3 GPUs are requested, and this machine has 2" in text and "fix: choose fewer" in text
    code, text = code_of(run(gpus=[0, 2]))
    assert code == "E0921" and "GPU 2 is requested" in text and "choose from 0 to 1" in text
    for backend in ("cpu", "reference"):
        code, text = code_of(run(gpus=2, backend=backend))
        assert code in ("E0923", "E0902") and ("does not run on GPUs" in text or code == "E0902")
    unfused = gdsl.compile("bfs", fuse=False)
    code, text = code_of(lambda: unfused(graph, source=3, gpus=2))
    assert code == "E0923" and "schedule.fuse=off" in text and "fix: leave out" in text
    driver.apart = True
    monkeypatch.setattr(registry.get("cuda"), "_groups", {})
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=2))
    assert code == "E0922" and "GPU 0 that of GPU 1" in text
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", None)
    monkeypatch.setattr(registry.get("cuda"), "_groups", {})
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=2))
    assert code == "E0907" and "pip install 'gdsl[gpus]'" in text


CALLS = {
    "run": lambda program, graph, **options: program.run(graph, {"source": 3}, **options),
    "call": lambda program, graph, **options: program(graph, source=3, **options),
    "dry_run": lambda program, graph, **options: program.dry_run(graph, {"source": 3}, **options),
    "dry_run elsewhere": lambda program, graph, **options: program.dry_run(
        graph, {"source": 3}, memory="1GB", **options
    ),
    "map": lambda program, graph, **options: program.map(graph, source=[3, 4], **options),
    "submit": lambda program, graph, **options: program.submit(graph, source=3, **options).result(),
    "profile": lambda program, graph, **options: gdsl.profile(program, graph, source=3, **options),
}


@pytest.mark.parametrize("backend", ["cuda:0,1", "cuda:1", "cuda:0"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_gpus_are_named_in_one_way(cupy, graph, call, backend):
    """By the name of the backend or by the option; each fix works when it is typed in."""
    program = gdsl.compile("bfs")
    for gpus in (1, 2, [0, 1], "all"):
        code, text = code_of(lambda: call(program, graph, backend=backend, gpus=gpus))  # noqa: B023
        assert code == "E0923"
        assert f"GPUs are named twice, by backend='{backend}' and by gpus={gpus!r}" in text
        assert f"fix: write only one of them: backend='{backend}', or gpus={gpus!r} with backend=\"cuda\"" in text
    call(program, graph, backend=backend)
    call(program, graph, backend="cuda", gpus=2)


@pytest.mark.parametrize("backend", ["cuda:", "cuda:x", "cuda:0,", "cpu:1", "auto:0", "cuda:-1", "cuda:0 "])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_names_that_are_no_backend(cupy, graph, call, backend):
    for options in ({}, {"gpus": 2}):
        with pytest.raises(ValueError, match=r"backend must be one of auto, cuda, cpu, reference, not '"):
            call(gdsl.compile("bfs"), graph, backend=backend, **options)


def test_gpus_in_the_name_of_the_backend(cupy, graph):
    """Mean what the option means: the same results, the same refusals, and the same needs without any GPU."""
    program = gdsl.compile("bfs")
    expected = program(graph, source=3, backend="reference").distance
    assert np.array_equal(numpy_of(program(graph, source=3, backend="cuda:0,1").distance), expected)
    assert cupy.log["run on 2 GPUs"] == 1
    for call in (call for name, call in CALLS.items() if name != "dry_run elsewhere"):
        code, text = code_of(lambda: call(program, graph, backend="cuda:0,2"))  # noqa: B023
        assert code == "E0921" and "GPU 2 is requested, and this machine has 2" in text


@pytest.mark.parametrize("gpus", [[0, 0, 0], [0, 1, 1, 1, 1]], ids=str)
def test_each_kernel_needs_a_multiprocessor(cupy, graph, gpus):
    """Of which the GPUs here have two."""
    code, text = code_of(lambda: gdsl.compile("bfs")(graph, source=3, gpus=gpus))
    assert (
        code == "E0921" and f"GPU {gpus[-1]} is requested {gpus.count(gpus[-1])} times" in text and "fix: name" in text
    )


@pytest.mark.parametrize(
    ("gpus", "error"),
    [
        (True, TypeError), (0, ValueError), (-1, ValueError), ("two", ValueError), (1.5, TypeError), ([], ValueError),
        ([0, "1"], TypeError), ({0, 1}, TypeError), (b"\0", TypeError),
    ],
    ids=str,
)  # fmt: skip
def test_other_values_are_errors_of_the_call(cupy, graph, gpus, error):
    with pytest.raises(error, match="gpus is"):
        gdsl.compile("bfs")(graph, source=3, gpus=gpus)
