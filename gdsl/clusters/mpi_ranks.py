"""A run whose workers are the ranks of an MPI program: each calls the same functions, and rank 0 has the results."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from gdsl.clusters.failures import Member, explained
from gdsl.clusters.members import check_members, introduction, use_threads
from gdsl.clusters.mpi import MpiCommunicator
from gdsl.communicator import Communicator

Report = Callable[[Member, str], object]
"""Called on rank 0 with a worker and what it has begun or done."""


class MpiRanks:
    """The ranks of this MPI program as workers. Every rank creates one, and calls `run` and `close`."""

    def __init__(self) -> None:
        """Raises E0907 without mpi4py or an MPI library, E0808 where ranks have different versions of gdsl."""
        self._communicator = MpiCommunicator()
        self.rank, self.size = self._communicator.rank, self._communicator.size
        self._started = False

    def start(self, report: Report | None = None) -> None:
        """Let the workers introduce themselves, once. Raises E0808."""
        if self._started:
            return
        communicator = self._communicator
        members = tuple(gathered(communicator, introduction(self.rank)))
        communicator.members = members
        check_members(members)
        use_threads(members, self.rank)
        self._started = True
        for member in members:
            if report is not None and self.rank == 0:
                report(member, "started")

    def run(
        self, task: Callable[..., Any], arguments: tuple[Any, ...], report: Report | None = None
    ) -> list[Any] | None:
        """What ``task(communicator, report, *arguments)`` returns on each rank, by rank; None on all ranks but 0. The
        first failure is raised on all of them."""
        self.start(report)
        communicator = self._communicator
        own = communicator.members[self.rank]

        def tell(event: str) -> None:
            if report is not None and self.rank == 0:
                report(own, event)

        try:
            value = task(communicator, tell, *arguments)
            results: list[Any] | None = gathered(communicator, value, to_all=False)
            return results
        except Exception as error:
            failure = explained(error, own)
            communicator.abort(failure)
            raise failure from None
        except BaseException as error:
            communicator.abort(error)
            raise

    def close(self) -> bool:
        """Wait for the other ranks; whether all have come, so that MPI can end."""
        return self._communicator.leave()


def gathered(communicator: Communicator, value: Any, *, to_all: bool = True) -> Any:
    """The objects of all workers, by rank; with `to_all` false on worker 0 only, None on the others."""
    words = np.frombuffer(pickle.dumps(value, protocol=5), np.uint8)
    nothing = words[:0]
    if to_all:
        received = communicator.all_gather(words)
    else:
        received = communicator.all_to_all([words, *[nothing] * (communicator.size - 1)])
    return [pickle.loads(part.tobytes()) for part in received] if to_all or communicator.rank == 0 else None
