"""Jobs of workers with GPUs, from the job to the kernels, on the emulator in the place of CuPy; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.fake_nccl import FakeNccl
from support.graphs import random_graph

import gdsl
from gdsl.api.compiling import compile_file
from gdsl.backends.cuda import choosing_links, share_run
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.interface import Limits
from gdsl.clusters.jobs import GraphWords, Job, Part, perform
from gdsl.clusters.session import check_backend, check_run_on_gpus
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare

from . import build
from .emulated_device import EmulatedDevice
from .fake_cupy import install
from .workers import Introduced, in_turns


def job_of(name: str, values: dict[str, Any], limits: Limits | None = None) -> Job:
    """A run of a sample by workers with GPUs, on a graph that they get."""
    program = compile_file(name)
    words = GraphWords(f"the graph of {name}")
    none: frozenset[str] = frozenset()
    return Job(program.text, (), (), words, values, none, limits or Limits(), None, False, backend="cuda")


def run_job(job: Job, graph: Graph, size: int) -> tuple[list[Part], list[list[str]]]:
    """What each worker returns and tells."""
    told: list[list[str]] = [[] for _ in range(size)]

    def work(mine: Introduced) -> Part:
        share = GraphShare.of(graph, mine.rank, size)
        return perform(mine, told[mine.rank].append, replace(job, graph=replace(job.graph, share=share)))

    return in_turns(size, work), told


@pytest.mark.slow
@pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
@pytest.mark.parametrize("direct", [False, True], ids=["through the hosts", "from GPU to GPU"])
def test_a_job_on_three_gpus_and_again(monkeypatch: pytest.MonkeyPatch, direct: bool) -> None:
    """Three workers of a host with as many GPUs, by the real device code; a second run finds everything there."""
    cupy = install(monkeypatch, gpus=3)
    words = "exchanges through the memory of the hosts: GDSL_NCCL=off"
    monkeypatch.setenv("GDSL_NCCL", "off")
    if direct:
        words = "exchanges from GPU to GPU, by NCCL 2.28.9"
        monkeypatch.setattr(choosing_links, "_kept", {})
        for name in ("array_at", "empty_array", "address_of", "work_done"):  # CuPy's arrays, of which there is no fake
            monkeypatch.setattr(CudaDevice, name, getattr(EmulatedDevice, name))

        def with_fake(mine: Introduced, device: Any, gpu: str) -> Any:
            links, words = choosing_links.links_for(mine, device, gpu, lambda: (FakeNccl(mine), ""))
            if links is not None:  # those of the first run meet by its threads
                links._nccl._communicator = mine
            return links, words

        monkeypatch.setattr(share_run, "links_for", with_fake)
    graph = random_graph(60, 240, seed=5, directed=False)
    expected = compile_file("bfs")(graph, source=3, backend="reference")
    for _ in range(2):
        parts, told = run_job(job_of("bfs", {"source": 3}), graph, 3)
        outcome = parts[0].outcome
        assert outcome is not None and [part.outcome for part in parts[1:]] == [None, None]
        assert np.array_equal(outcome.arrays["distance"], expected.distance)
        assert outcome.iterations == expected.iterations
        assert [each.frontier_size for each in outcome.trace] == [each.frontier_size for each in expected.trace]
        assert [f"uses GPU {gpu}" in lines for gpu, lines in zip((0, 1, 2), told, strict=True)] == [True] * 3
        assert [line for line in told[0] if line.startswith("exchanges")] == [words]
        assert not any(line.startswith("exchanges") for line in told[1])
        assert all(part.bytes_sent > 0 and part.exchanges == parts[0].exchanges for part in parts)
    assert cupy.log["copy out"] > 0 and cupy.log["copy back"] > 0


@pytest.mark.slow
@pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")
def test_what_stops_a_job_leaves_the_gpus_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, gpus=2)
    graph = random_graph(60, 240, seed=5, directed=False)
    with pytest.raises(gdsl.GdslError) as caught:
        run_job(job_of("bfs", {"source": 3}, Limits(max_iterations=1)), graph, 2)
    assert caught.value.code == "E0803"
    parts, _ = run_job(job_of("bfs", {"source": 3}), graph, 2)
    assert parts[0].outcome is not None and parts[0].outcome.arrays["distance"][3] == 0


def test_a_worker_without_a_gpu_is_named() -> None:
    graph = random_graph(6, 12, seed=5)
    with pytest.raises(gdsl.GdslError) as caught:
        run_job(job_of("bfs", {"source": 3}), graph, 2)
    assert caught.value.code == "E0901" and "on worker " in str(caught.value)


def test_refusals() -> None:
    check_backend("cuda")
    with pytest.raises(ValueError, match="auto, cpu or cuda"):
        check_backend("reference")
    with pytest.raises(gdsl.GdslError) as caught:
        check_run_on_gpus(compile_file("bfs"), True)
    assert caught.value.code == "E0811" and "checkpoints" in str(caught.value)
