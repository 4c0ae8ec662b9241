"""Workers that are threads of this process, with what `gdsl.cluster` does for those of Ray and MPI."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdsl.clusters.failures import Member
from gdsl.clusters.members import Report
from gdsl.clusters.session import Workers
from tests.support.thread_group import ThreadCommunicator, run_group


class ThreadWorkers:
    """The group behind the workers. They keep no parts of graphs, since all of them are in one process."""

    def __init__(self, size: int) -> None:
        self.size, self.generation = size, 0
        self.told: list[tuple[int, str]] = []
        self.members = tuple(Member(rank, "host", 100 + rank, 1, "1", "x") for rank in range(size))

    def start(self, report: Report | None = None) -> None:
        """They start with each task."""
        self.generation += 1

    def run(
        self, task: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]], report: Report | None = None
    ) -> list[Any]:
        """What the task returns on each of them."""

        def work(communicator: ThreadCommunicator) -> Any:
            communicator.members = self.members  # type: ignore[attr-defined]
            rank = communicator.rank
            return task(communicator, lambda event: self.told.append((rank, event)), *arguments(rank))

        return run_group(self.size, work)

    def close(self) -> None:
        """Nothing is left."""


def thread_workers(size: int) -> Workers:
    """So many of them."""
    return Workers(ThreadWorkers(size))
