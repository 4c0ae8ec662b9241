"""Workers that are the ranks of an MPI program. Rank 0 says what is done, and does its part; the others follow it."""

from __future__ import annotations

import atexit
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gdsl.clusters.failures import Member, explained, worker_ended
from gdsl.clusters.members import Report, check_members, introduction, use_threads
from gdsl.clusters.mpi import MpiCommunicator
from gdsl.communicator import Communicator


class MpiRanks:
    """The ranks of this MPI program as workers: on rank 0, `run` and `close`; on the others `follow`, which does what
    rank 0 says until it closes."""

    generation = 0
    """Ranks cannot start anew."""

    def __init__(self) -> None:
        """On every rank. Raises E0907 without mpi4py or an MPI library."""
        self._communicator = MpiCommunicator()
        self.rank, self.size = self._communicator.rank, self._communicator.size
        self.members: tuple[Member, ...] = ()
        """Who the workers are, by rank, once they have introduced themselves."""
        self._closed = False
        self._stuck = False
        """Whether some rank has not ended a run that failed."""
        atexit.register(self._end)

    def start(self, report: Report | None = None) -> None:
        """Let the workers introduce themselves, once. Raises E0808 where they have different versions of gdsl."""
        if self.members:
            return
        self.members = tuple(self.run(_introduced, lambda rank: (), None))
        self._communicator.members = self.members
        check_members(self.members)
        self.run(_take_members, lambda rank: (self.members,), None)
        for member in self.members:
            if report is not None:
                report(member, "started")

    def run(
        self, task: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]], report: Report | None = None
    ) -> list[Any]:
        """On rank 0: what ``task(communicator, report, *arguments(rank))`` returns on each rank, by rank. The first
        failure is raised, when the others have ended: E0807 where MPI reports that a rank is gone, otherwise what the
        task raised."""
        if self._stuck:
            raise worker_ended(self.members, None, "it has not ended a run that failed before")
        try:
            orders = [(task, arguments(rank)) for rank in range(self.size)]
            _scattered(self._communicator, orders)
            del orders
            return self._perform(task, arguments(0), report)
        except BaseException as error:
            self._communicator.abort(error)
            self._stuck = not self._communicator.renew()
            raise

    def follow(self) -> int:
        """On the other ranks: do what rank 0 says until it closes; the status to exit with. Interrupts are left to
        rank 0."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        while True:
            order = None
            try:
                order = _scattered(self._communicator, None)
                if isinstance(order, int):
                    return order
                task, arguments = order
                self._perform(task, arguments, None)
            except BaseException as error:
                self._communicator.abort(error)
                if not self._communicator.renew():
                    self._stuck = True
                    return 1

    def _perform(self, task: Callable[..., Any], arguments: tuple[Any, ...], report: Report | None) -> list[Any]:
        communicator = self._communicator

        def tell(event: str) -> None:
            if report is not None:
                report(self.members[self.rank], event)

        try:
            value = task(communicator, tell, *arguments)
        except Exception as error:
            raise explained(error, self._own()) from None
        return gathered(communicator, value)

    def _own(self) -> Member:
        members = self._communicator.members
        return members[self.rank] if members else introduction(self.rank)

    def close(self, status: int = 0) -> bool:
        """On rank 0: let the others end with this status. On all: whether all have come to the end, so that MPI can
        end too."""
        if self._closed or self._stuck:  # others have been waited for, and did not come
            return not self._stuck
        self._closed, failed = True, False
        self._stuck = True  # also where this is interrupted
        if self.rank == 0:
            try:
                _scattered(self._communicator, [status] * self.size)
            except Exception:
                failed = True
        self._stuck = not self._communicator.leave(failed)
        return not self._stuck

    def _end(self) -> None:
        """At the end of the process, before MPI ends, which waits for all ranks: for those that do not come, end all
        of them."""
        if not self.close():
            self._communicator.end_all()


def _introduced(communicator: Communicator, report: Callable[[str], object]) -> Member:
    return introduction(communicator.rank)


def _take_members(communicator: MpiCommunicator, report: Callable[[str], object], members: tuple[Member, ...]) -> None:
    communicator.members = members
    use_threads(members, communicator.rank)


def _scattered(communicator: Communicator, values: Sequence[Any] | None) -> Any:
    """What rank 0 has for each rank."""
    nothing = np.empty(0, np.uint8)
    parts = [nothing] * communicator.size
    if values is not None:
        parts = [_pickled(value) if rank else nothing for rank, value in enumerate(values)]
    received = communicator.all_to_all(parts)[0]
    return values[0] if values is not None else pickle.loads(received.tobytes())


def gathered(communicator: Communicator, value: Any) -> list[Any]:
    """The objects of all workers, by rank, on worker 0; an empty list on the others."""
    nothing = np.empty(0, np.uint8)
    first = communicator.rank == 0
    received = communicator.all_to_all([nothing if first else _pickled(value), *[nothing] * (communicator.size - 1)])
    return [value, *(pickle.loads(part.tobytes()) for part in received[1:])] if first else []


def _pickled(value: Any) -> Any:
    return np.frombuffer(pickle.dumps(value, protocol=5), np.uint8)
