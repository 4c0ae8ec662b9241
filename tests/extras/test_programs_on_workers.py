"""Every sample on three workers of Ray and on three ranks of MPI: what it must answer, and what one worker answers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.clusters.session import Workers
from tests.support import mpi
from tests.support.programs_on_workers import PROGRAMS, check_program, check_resumed, compile_quickly

pytest.importorskip("ray")
pytest.importorskip("mpi4py")

SIZE = 3


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with gdsl.cluster(workers=SIZE) as workers:
        workers._group.run(compile_quickly, lambda rank: ())
        yield workers


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.sampled(3)
def test_on_workers_of_ray(name: str, workers: Workers) -> None:
    check_program(name, workers, 2)


@pytest.mark.parametrize(
    ("name", "passes"),
    [("bfs", 2), ("sssp", 2), ("pagerank", 3), ("label_propagation", 2)],
)
def test_a_run_that_was_stopped_goes_on(name: str, passes: int, workers: Workers, tmp_path: Path) -> None:
    assert check_resumed(name, workers, tmp_path, passes)


def test_a_loop_within_a_loop(workers: Workers, tmp_path: Path) -> None:
    """The inner loop and what it pushes to a history belong to a pass of the outer one, after which the run goes on."""
    graph = workers.load("karate")
    program, values = gdsl.samples.betweenness, {"sources": []}
    options = {"checkpoint": tmp_path, "every": 3}
    with pytest.raises(gdsl.GdslError, match="E0803"):
        workers.run(program, graph, values, max_iterations=20, **options)
    assert (tmp_path / "pass-18").is_dir()
    told: list[str] = []
    resumed = workers.run(program, graph, values, resume=True, report=lambda _, event: told.append(event), **options)
    whole = workers.run(program, graph, values)
    assert np.allclose(resumed.centrality, whole.centrality) and resumed.iterations == whole.iterations == 34
    assert "note: the run continues after pass 18" in told and "pass 18" not in told and "pass 19" in told


@pytest.mark.slow
def test_every_run_that_was_stopped_goes_on(workers: Workers, tmp_path: Path) -> None:
    resumed = [name for name in PROGRAMS if check_resumed(name, workers, tmp_path)]
    assert len(resumed) > 10, resumed


@pytest.mark.slow
def test_a_run_that_builds_graphs_goes_on_after_a_worker_was_killed(tmp_path: Path) -> None:
    graph, program = gdsl.Graph.read("rmat:7", undirected=True, weights="random:1"), gdsl.samples.louvain
    options: dict[str, Any] = {"checkpoint": tmp_path, "every": 1}

    def kill(member: Any, event: str) -> None:
        if event == "pass 2" and member.rank == 1:
            os.kill(member.process, signal.SIGKILL)

    with gdsl.cluster(workers=2) as workers:
        workers._group.run(compile_quickly, lambda rank: ())
        whole = workers.run(program, graph)
        with pytest.raises(gdsl.GdslError, match=r"E0807.*worker 1 "):
            workers.run(program, graph, report=kill, **options)
        assert (tmp_path / "checkpoint.json").exists()
        workers._group.run(compile_quickly, lambda rank: ())
        resumed = workers.run(program, graph, resume=True, **options)
    assert resumed.iterations == whole.iterations > 1
    assert np.array_equal(resumed.community, whole.community) and resumed.modularity == whole.modularity


@pytest.mark.long
def test_on_ranks_of_mpi() -> None:
    """All of them with one `mpiexec`, which takes as long to start as most of them to run."""
    done = mpi.run(SIZE, "-m", "tests.support.programs_on_workers", timeout=500)
    assert done.returncode == 0 and done.stdout.count(": passed") == len(PROGRAMS), done.stdout + done.stderr
