"""Ranks of MPI: the communicator, and what happens when one fails or is killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time

import pytest

from tests.support import mpi

pytest.importorskip("mpi4py")

SIZE = 3


def _task(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return mpi.run(SIZE, "-m", "tests.support.mpi", name, *map(str, arguments))


@pytest.mark.parametrize("name", ["exchange", "reduce"])
@pytest.mark.parametrize("chunks", ["", "small-chunks"])
def test_exchanges_and_reductions(name: str, chunks: str) -> None:
    done = _task(name, *[chunks] if chunks else [])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("started") == SIZE


def test_exchanges_stay_in_order() -> None:
    done = _task("order")
    assert f"results: {[[100 * rank + number for number in range(20) for rank in range(SIZE)]] * SIZE}" in done.stdout


@pytest.mark.thorough
def test_more_than_2_31_bytes() -> None:
    done = _task("large")
    assert f"results: [0, 0, {2**31 + 5}]" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("rank", range(SIZE))
def test_an_error_of_one_rank_is_raised_on_all(rank: int) -> None:
    done = _task("fail", rank)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count(f"rank 0: error[E0801]: worker {rank} looked past the end") == 2  # it ran twice
    assert done.stderr == ""


@pytest.mark.parametrize(("rank", "code"), [(0, "E0912"), (1, "E0911"), (2, "E0807")])
def test_an_exception_names_the_rank(rank: int, code: str) -> None:
    done = _task("fail_badly", rank)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"rank 0: error\[{code}\]: worker {rank} \(process \d+ on .*\)", done.stdout)


@pytest.mark.parametrize("task", ["exchange_on", "compute_on"])
def test_a_killed_rank_ends_all_and_the_launcher_names_it(task: str) -> None:
    process = mpi.start(SIZE, "-u", "-m", "tests.support.mpi", task, "600")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(SIZE)]
    processes = [int(word) for line in lines for word in re.findall(r"process (\d+) on", line)]
    time.sleep(0.3)  # where it is by then makes no difference
    os.kill(processes[1], 9)
    output, errors = process.communicate(timeout=120)
    assert process.returncode not in (0, None)
    assert any(f"PID {each} RUNNING AT" in output + errors for each in processes)  # usually the one that was killed
    assert not any(os.path.exists(f"/proc/{each}") for each in processes)


def test_without_an_mpi_library() -> None:
    code = "from gdsl.clusters.mpi import mpi_library; mpi_library()"
    found = {**mpi.environment(), "MPI4PY_LIBMPI": "/nowhere/libmpi.so", "LD_LIBRARY_PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=found, check=False)
    assert "needs an MPI library, which mpi4py does not find" in done.stderr and "pip install mpich" in done.stderr
