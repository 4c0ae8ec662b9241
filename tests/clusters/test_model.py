"""The model of a pass, against what was measured."""

from __future__ import annotations

import pytest

from gdsl.clusters.model import ETHERNET, INFINIBAND, NVLINK, Work, memory_of_worker, predict

MEASURED = {1: 10.57e-3, 2: 5.17e-3, 4: 2.84e-3}
"""Seconds of an iteration of PageRank on rmat24 on so many H200 of one host."""


@pytest.mark.parametrize("workers", MEASURED)
def test_pagerank_on_gpus_of_one_host(workers: int) -> None:
    work = Work(MEASURED[1], vertices=1 << 24)
    assert predict(work, workers, NVLINK).seconds == pytest.approx(MEASURED[workers], rel=0.2)


def test_what_each_worker_sends() -> None:
    work = Work(1.0, vertices=1000, bytes_per_vertex=8, share=0.5)
    assert predict(work, 1, ETHERNET).sent == 0 and predict(work, 1, ETHERNET).seconds == 1.0
    assert predict(work, 4, ETHERNET).sent == 1000 * 8 * 0.5 * 3 / 4


def test_more_workers_stop_helping_where_sending_takes_over() -> None:
    work = Work(0.1, vertices=1 << 26, exchanges=3)
    times = {workers: predict(work, workers, ETHERNET) for workers in (1, 2, 1024)}
    assert times[2].seconds > times[1].seconds and times[1024].computing < times[1024].sending
    assert predict(work, 1024, INFINIBAND).meeting == pytest.approx(3 * 10 * 10e-6)


def test_memory() -> None:
    assert memory_of_worker(1000, 16_000, 4) == 1000 * 16 + 16_000 * 8 / 4
