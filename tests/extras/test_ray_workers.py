"""Workers of Ray: the communicator, and what happens when one fails, is killed, or is interrupted."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gdsl import deadline
from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError
from tests.support import communicating

pytest.importorskip("ray")

from gdsl.clusters.ray_cluster import RayCluster, gpu_share

SIZE = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    cluster = RayCluster(SIZE)
    yield cluster
    cluster.close()


def _run(cluster: RayCluster, task: Callable[..., Any], *arguments: Any, report: Any = None) -> list[Any]:
    return cluster.run(task, lambda rank: arguments, report)


def _ended(processes: list[int]) -> bool:
    """Whether all of these processes end."""
    until = time.monotonic() + 120
    while any(os.path.exists(f"/proc/{process}") for process in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _once_begun(rank: int, action: Callable[..., object], *arguments: Any) -> Callable[[Member, str], object]:
    """Does this a moment after that worker has reported that it has begun."""

    def report(member: Member, event: str) -> None:
        if member.rank == rank and event == "begun":
            threading.Timer(0.3, action, arguments).start()

    return report


def test_exchange(cluster: RayCluster) -> None:
    _run(cluster, communicating.exchange)


def test_exchanges_stay_in_order(cluster: RayCluster) -> None:
    told: list[tuple[int, str]] = []

    def report(member: Member, event: str) -> None:
        told.append((member.rank, event))

    found = _run(cluster, communicating.order, report=report)
    assert found == [[100 * rank + number for number in range(20) for rank in range(SIZE)]] * SIZE
    assert sorted(each for each in told if each[1] != "started") == [(rank, "in order") for rank in range(SIZE)]


def test_reductions_have_the_bits_of_the_order_of_ranks(cluster: RayCluster) -> None:
    for results in _run(cluster, communicating.reduce):
        for result, value in zip(results, communicating.expected(SIZE), strict=True):
            assert result.dtype == value.dtype and np.array_equal(result, value, equal_nan=result.dtype.kind == "f")


@pytest.mark.thorough
def test_more_than_2_31_bytes(cluster: RayCluster) -> None:
    assert _run(cluster, communicating.large)[-1] == 2**31 + 5


@pytest.mark.parametrize("rank", range(SIZE))
def test_an_error_of_one_worker_is_raised_and_all_stay(cluster: RayCluster, rank: int) -> None:
    cluster.start()
    members = cluster.members
    with pytest.raises(GdslError, match=f"E0801.*: worker {rank} looked past the end"):
        _run(cluster, communicating.fail, rank)
    assert cluster.members == members
    _run(cluster, communicating.order)


def test_an_error_is_found_while_waiting_for_something_else(cluster: RayCluster) -> None:
    with pytest.raises(GdslError, match=r"E0801.*: worker 1 looked past the end"):
        _run(cluster, communicating.fail_elsewhere, 1)
    _run(cluster, communicating.order)


@pytest.mark.parametrize(
    ("rank", "code", "words"),
    [(0, "E0912", "not enough memory"), (1, "E0911", "No space left on device"), (2, "E0807", "KeyError: 'x'")],
)
def test_an_exception_names_the_worker(cluster: RayCluster, rank: int, code: str, words: str) -> None:
    cluster.start()
    member = cluster.members[rank]
    with pytest.raises(GdslError) as caught:
        _run(cluster, communicating.fail_badly, rank)
    assert caught.value.code == code and str(member) in str(caught.value) and words in str(caught.value)


@pytest.mark.parametrize("task", [communicating.exchange_on, communicating.compute_on, communicating.look_on])
@pytest.mark.parametrize("rank", [0, 2])
def test_a_killed_worker_is_named_and_all_end(cluster: RayCluster, task: Callable[..., Any], rank: int) -> None:
    cluster.start()
    members = cluster.members
    with pytest.raises(GdslError) as caught:
        _run(cluster, task, 600, report=_once_begun(rank, os.kill, members[rank].process, 9))
    assert caught.value.code == "E0807" and str(members[rank]) in str(caught.value)
    assert _ended([member.process for member in members])
    _run(cluster, communicating.order)  # by new workers


def test_a_worker_that_crashes(cluster: RayCluster) -> None:
    with pytest.raises(GdslError, match=r"E0807.*worker 1 \(process \d+ on .*\) ended"):
        _run(cluster, communicating.leave, 1)


def test_a_worker_that_is_killed_between_runs(cluster: RayCluster) -> None:
    cluster.start()
    members = cluster.members
    os.kill(members[1].process, 9)
    assert _ended([members[1].process])
    _run(cluster, communicating.order)
    assert cluster.members[1].process != members[1].process


def test_the_deadline_stops_workers(cluster: RayCluster) -> None:
    cluster.start()
    processes = [member.process for member in cluster.members]
    with pytest.raises(GdslError, match="E0802"), deadline.limited(0.5):
        _run(cluster, communicating.compute_on, 600)
    assert _ended(processes)


def test_an_interrupt_stops_workers(cluster: RayCluster) -> None:
    cluster.start()
    processes = [member.process for member in cluster.members]
    with pytest.raises(KeyboardInterrupt):
        _run(cluster, communicating.compute_on, 600, report=_once_begun(0, os.kill, os.getpid(), 2))
    assert _ended(processes)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ray://127.0.0.1:1", "nothing answers on 127.0.0.1, port 1"),
        ("127.0.0.1:1", "nothing answers on 127.0.0.1, port 1"),
        ("ray://", "not the address of a cluster"),
        ("http://x", "not the address of a cluster"),
    ],
)
def test_addresses_where_no_cluster_is(address: str, words: str) -> None:
    with pytest.raises(GdslError) as caught:
        RayCluster(2, address)
    assert caught.value.code == "E0810" and words in str(caught.value)


def test_a_timeout_while_ray_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(**_: object) -> None:
        raise deadline.timeout_error(0.1)

    monkeypatch.setattr("ray.is_initialized", bool)
    monkeypatch.setattr("ray.init", late)
    with pytest.raises(GdslError) as caught:
        RayCluster(2)
    assert caught.value.code == "E0802"


@pytest.mark.parametrize(("gpus", "workers", "share"), [(0, 3, 0), (4, 3, 1), (3, 3, 1), (2, 3, 0.5), (1, 3, 0.3333)])
def test_a_gpu_takes_a_whole_number_of_workers(gpus: int, workers: int, share: float) -> None:
    assert gpu_share(gpus, workers) == share


_GPUS = """
import os, ray
from gdsl.clusters.ray_cluster import RayCluster
def visible(group, tell):
    return os.environ.get("CUDA_VISIBLE_DEVICES")
ray.init(address="local", num_cpus=3, num_gpus=2, include_dashboard=False, log_to_driver=False)
for workers in (None, 3):
    cluster = RayCluster(workers, gpus=True)
    print(sorted(map(str, cluster.run(visible, lambda rank: ()))))
    cluster.close()
"""


@pytest.mark.slow
def test_ray_gives_workers_their_gpus(tmp_path: Path) -> None:
    """On a Ray that believes to have two."""
    (tmp_path / "given.py").write_text(_GPUS)
    command = [sys.executable, tmp_path / "given.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    by_default, three = (ast.literal_eval(line) for line in done.stdout.splitlines() if line.startswith("["))
    assert by_default == ["0", "1"] and sorted({*three}) == ["0", "1"] and len(three) == 3
