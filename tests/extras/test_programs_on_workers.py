"""Every sample on three workers of Ray and on three ranks of MPI: what it must answer, and what one worker answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gdsl
from gdsl.clusters.session import Workers
from tests.support import mpi
from tests.support.programs_on_workers import PROGRAMS, check_program, compile_quickly

pytest.importorskip("ray")
pytest.importorskip("mpi4py")

SIZE = 3


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with gdsl.cluster(workers=SIZE) as workers:
        workers._group.run(compile_quickly, lambda rank: ())
        yield workers


@pytest.mark.parametrize("name", PROGRAMS)
def test_on_workers_of_ray(name: str, workers: Workers) -> None:
    check_program(name, workers, 2)


def test_on_ranks_of_mpi() -> None:
    """All of them with one `mpiexec`, which takes as long to start as most of them to run."""
    done = mpi.run(SIZE, "-m", "tests.support.programs_on_workers", timeout=500)
    assert done.returncode == 0 and done.stdout.count(": passed") == len(PROGRAMS), done.stdout + done.stderr
