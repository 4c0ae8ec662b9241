"""What runs in the process of a Ray worker: the actor, and the communicator of its runs. Only workers that Ray has
started, and those that start them, import this file."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray

from gdsl.clusters.failures import Member, explained, worker_ended
from gdsl.clusters.members import introduction
from gdsl.clusters.reductions import all_reduce
from gdsl.extras import first_line
from gdsl.operations import ReduceOperation
from gdsl.records import dataclass

LOOK = 0.5
"""Seconds after which a worker that waits looks whether those that it has written to are still there."""


class Mailbox:
    """Messages of other workers, by run, by exchange and by sender. One thread delivers, another one takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages: dict[tuple[int, int, int], NDArray[Any]] = {}
        self._errors: dict[int, BaseException] = {}
        self._run = 0

    def begin(self, run: int) -> None:
        """Forget what earlier runs have left; runs have ascending numbers."""
        with self._changed:
            self._run = run
            self._messages = {key: message for key, message in self._messages.items() if key[0] >= run}
            self._errors = {key: error for key, error in self._errors.items() if key >= run}

    def deliver(self, run: int, exchange: int, sender: int, message: NDArray[Any]) -> None:
        """Put down the message of a sender in an exchange of a run; one of an earlier run is dropped."""
        with self._changed:
            if run >= self._run:
                self._messages[run, exchange, sender] = message
                self._changed.notify_all()

    def abort(self, run: int, error: BaseException) -> None:
        """Let each `take` of this run raise `error`; the first one counts."""
        with self._changed:
            if run >= self._run:
                self._errors.setdefault(run, error)
                self._changed.notify_all()

    def check(self, run: int) -> None:
        """Raise the error of this run, if there is one."""
        with self._changed:
            if run in self._errors:
                raise self._errors[run]

    def take(self, run: int, exchange: int, sender: int, look: Callable[[], None]) -> NDArray[Any]:
        """A copy of the message of `sender` in this exchange, once it is there. `look`, which may raise, is called
        meanwhile. Raises the error that `abort` was called with."""
        with self._changed:
            while (message := self._messages.pop((run, exchange, sender), None)) is None:
                if run in self._errors:
                    raise self._errors[run]
                if not self._changed.wait(LOOK):
                    look()
        return np.array(message)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has returned, or why it failed, and what it has reported since the last look."""

    value: Any
    error: BaseException | None
    events: list[str]


GROUPS = {"exchange": 1, "events": 1}
"""Threads of a worker beside the one that runs programs: messages of the others arrive while a program runs."""


class RayWorker:
    """Worker `rank`: an actor, whose methods the driver and the other workers call."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self._mailbox = Mailbox()
        self._peers: Sequence[Any] = ()
        self._members: tuple[Member, ...] = ()
        self._events: queue.SimpleQueue[str] = queue.SimpleQueue()

    def introduce(self) -> Member:
        """Who this worker is."""
        return introduction(self._rank)

    def ping(self) -> None:
        """Answer that this worker is there."""

    def meet(self, peers: Sequence[Any], members: tuple[Member, ...], threads: int) -> None:
        """Take the handles of all workers, by rank, and who they are; native code uses that many threads here."""
        self._peers, self._members = peers, members
        os.environ["OMP_NUM_THREADS"] = str(threads)

    def run(self, number: int, task: Callable[..., Any], arguments: tuple[Any, ...], reports: bool) -> Outcome:
        """``task(communicator, report, *arguments)``. A failure here ends the run on all workers."""
        self._mailbox.begin(number)
        self._events = queue.SimpleQueue()  # a late `next_events` of the run before takes none of this one's
        communicator = RayCommunicator(number, self._rank, self._peers, self._members, self._mailbox)
        value, failure = None, None
        try:
            value = task(communicator, self._events.put if reports else _ignore, *arguments)
        except BaseException as error:
            failure = explained(error, self._members[self._rank])
            communicator.abort(failure)
        return Outcome(value, failure, _waiting(self._events))

    @ray.method(concurrency_group="events")
    def next_events(self) -> list[str]:
        """What the run has reported since the last call; waits a second for the first one."""
        events = self._events
        try:
            first = events.get(timeout=1)
        except queue.Empty:
            return []
        return [first, *_waiting(events)]

    @ray.method(concurrency_group="exchange")
    def deliver(self, run: int, exchange: int, sender: int, message: NDArray[Any]) -> None:
        """Take a message of another worker."""
        self._mailbox.deliver(run, exchange, sender, message)

    @ray.method(concurrency_group="exchange")
    def abort(self, run: int, error: BaseException) -> None:
        """Let the run end with `error` as soon as it waits for another worker."""
        self._mailbox.abort(run, error)


class RayCommunicator:
    """The `Communicator` of one run of a Ray worker. Arrays travel as arguments of `deliver`, which Ray moves between
    hosts through its object store."""

    def __init__(
        self, run: int, rank: int, peers: Sequence[Any], members: tuple[Member, ...], mailbox: Mailbox
    ) -> None:
        self.rank, self.size, self.members = rank, len(peers), members
        self._run, self._peers, self._mailbox = run, peers, mailbox
        self._exchange = 0
        self._asked: dict[Any, int] = {}
        """The others, by what each was asked while this worker waits for something else."""
        self._asks_at = 0.0

    def all_to_all(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """As `Communicator.all_to_all`."""
        return self._exchanged(parts)

    def all_gather(self, part: NDArray[Any]) -> list[NDArray[Any]]:
        """As `Communicator.all_gather`."""
        part = np.ascontiguousarray(part)
        sent = ray.put(part) if part.nbytes > _IN_MESSAGE and self.size > 2 else part
        return self._exchanged([part if rank == self.rank else sent for rank in range(self.size)])

    def all_reduce(self, values: NDArray[Any], operation: ReduceOperation) -> NDArray[Any]:
        """As `Communicator.all_reduce`."""
        return all_reduce(self, values, operation)

    def barrier(self) -> None:
        """As `Communicator.barrier`."""
        self._exchanged([np.empty(0, np.uint8)] * self.size)

    def check(self) -> None:
        """As `Communicator.check`. Others answer after the run, or with Ray's error when they are gone."""
        self._mailbox.check(self._run)
        if time.monotonic() < self._asks_at:
            return
        self._asks_at = time.monotonic() + LOOK
        if not self._asked:
            others = [rank for rank in range(self.size) if rank != self.rank]
            self._asked = {self._peers[rank].ping.remote(): rank for rank in others}
        self._look(self._asked)

    def abort(self, error: BaseException) -> None:
        """As `Communicator.abort`."""
        for rank, peer in enumerate(self._peers):
            if rank != self.rank:
                peer.abort.remote(self._run, error)

    def _exchanged(self, parts: Sequence[Any]) -> list[NDArray[Any]]:
        """Send an array, or Ray's reference to one, to each worker; what they have sent, by rank."""
        self._exchange += 1
        sent = {}
        for distance in range(1, self.size):  # not all to the same worker first
            rank = (self.rank + distance) % self.size
            deliver = self._peers[rank].deliver
            sent[deliver.remote(self._run, self._exchange, self.rank, parts[rank])] = rank

        def look() -> None:
            self._look(sent)

        return [
            np.array(parts[rank])
            if rank == self.rank
            else self._mailbox.take(self._run, self._exchange, rank, look if sent else _nothing)
            for rank in range(self.size)
        ]

    def _look(self, asked: dict[Any, int]) -> None:
        """Raise E0807 if one of the workers that were asked something is gone."""
        for done in ray.wait(list(asked), num_returns=len(asked), timeout=0)[0] if asked else ():
            rank = asked.pop(done)
            try:
                ray.get(done)
            except ray.exceptions.RayActorError as error:
                raise worker_ended(self.members, rank, first_line(error)) from None


_IN_MESSAGE = 100_000
"""Bytes that Ray sends with the message itself; larger arrays it puts into its store, once for each message unless they
are there already."""


def _waiting(events: queue.SimpleQueue[str]) -> list[str]:
    """All events that are there."""
    found = []
    with contextlib.suppress(queue.Empty):
        while True:
            found.append(events.get_nowait())
    return found


def _nothing() -> None:
    pass


def _ignore(event: str) -> None:
    pass
