"""Runs on a GPU that the caller does not wait for immediately, and the queue of these runs on the device's stream."""

from __future__ import annotations

import atexit
import contextlib
import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from gdsl.backends import processes
from gdsl.backends.cuda.clocks import SPINNING, Clock
from gdsl.backends.cuda.protocol import Buffer, Incoming, Shared
from gdsl.backends.failures import forked_error, timeout_error
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.pending import Explain, warn_of_failure

MOST_QUEUED = 4
"""Queued runs on a device: the next ones wait while one is in progress; more would keep memory and gain nothing."""
_MOMENT, _PAUSE = 0.002, 5e-5
"""Seconds for which a thread that waits for a run keeps the device, and between two checks without it."""


class QueueDevice(Protocol):
    """What a queue needs of its device, `device.CudaDevice`."""

    lane: object
    waiting_threads: list[None]

    def try_acquire(self, timeout: float = 0) -> bool:
        """Acquire the device for a moment, unless another thread holds it for that many seconds."""
        ...

    def release(self, whole: bool) -> None:
        """Release it; `whole`: the run is complete."""
        ...

    def wait_for(self, clock: Clock, must_stop: Callable[[], bool] | None, until: float | None = None) -> bool:
        """Wait for a run; False if it is not over at the moment `until`."""
        ...

    def hand_out_clock(self) -> Clock:
        """The clock of the run that was queued last."""
        ...

    def take_clock_back(self, clock: Clock) -> None:
        """Reuse a clock."""
        ...

    def stop_all(self) -> None:
        """Ask everything in progress to end soon."""
        ...


class QueuedMemory(Protocol):
    """What a queued run needs of its memory, `run_memory.RunMemory`."""

    names: dict[str, Buffer]
    shared: Shared


class InFlightRun:
    """A queued run: `backends.pending.Running`. It keeps alive what it runs on until it is over, even if its result is
    no longer wanted."""

    __slots__ = (
        "_queue",
        "bindings",
        "clock",
        "collect",
        "control",
        "error",
        "explain",
        "graph",
        "incoming",
        "is_over",
        "limits",
        "memory",
        "names",
        "outcome",
        "outside",
        "received",
        "started",
    )

    def __init__(
        self,
        queue: StreamQueue,
        collect: Callable[[InFlightRun], Outcome | None],
        graph: object,
        request: tuple[Bindings, Limits, float],
        memory: QueuedMemory,
        outside: Mapping[str, Buffer] | None,
        incoming: Incoming,
    ) -> None:
        """`collect` creates the outcome once the run is over. `request`: the arguments, the limits and the start.
        `outside`: the results, where the caller's order is another one. `incoming`: what the device hands over."""
        self._queue, self.collect, self.graph = queue, collect, graph
        self.bindings, self.limits, self.started = request
        self.memory, self.outside = memory, outside
        self.incoming: Incoming | None = incoming
        self.received, self.control = incoming.received, incoming.control
        self.names, self.clock = memory.names, queue.device.hand_out_clock()
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.is_over = False
        self.explain: Explain | None = None
        """Explains an error of a run whose result will never be requested."""

    def is_late(self) -> bool:
        """Whether the caller's timeout has passed."""
        left = self.limits.left
        return left is not None and time.monotonic() - self.started > left

    def is_last(self) -> bool:
        """Whether no later run uses its memory."""
        return all(each.memory is not self.memory for each in self._queue.runs if each is not self)

    def settle(self) -> None:
        """Collect the outcome of a run that is over."""
        if self.incoming is None:
            return
        try:
            if self.error is None:
                self.outcome = self.collect(self)
        except Exception as error:
            self.error = error
        is_news, self.is_over = not self.is_over, True
        incoming, self.incoming = self.incoming, None
        self.memory.shared.take_back(incoming)
        if self.explain is not None and is_news:
            self.drop(self.explain)

    def release_resources(self) -> None:
        """Keep nothing but the outcome."""
        del self.graph, self.bindings, self.names, self.outside, self.received, self.control, self.memory, self.collect

    def is_done(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.is_over or self._queue.is_over(self)

    def wait(self, until: float | None) -> bool:
        """Wait for the run, or until a moment: then it is False."""
        return self.is_over or self._queue.wait_for(self, until)

    def take(self) -> Outcome | None:
        """The outcome of a run that is over; None: it was stopped because of another one, and must be submitted again.
        Raises the run's error."""
        if self.error is not None:
            raise self.error
        return self.outcome

    def drop(self, explain: Explain) -> None:
        """Nobody will ask for the outcome; an error becomes a warning."""
        self.explain = explain
        if self.is_over and self.error is not None:
            warn_of_failure(self.error, explain)


class StreamQueue:
    """The queued runs of a device, the oldest first. All are on one stream, so that each finds the memory that programs
    share as the run before left it.

    Only the thread that holds the device changes it.
    """

    def __init__(self, device: QueueDevice) -> None:
        self.device, self._process = device, 0
        self.runs: deque[InFlightRun] = deque()
        self._lane: object = None

    def add(self, run: InFlightRun) -> None:
        """Add a run on the stream of the thread that holds the device."""
        if self._process != processes.current:
            self._process = processes.current
            atexit.register(self._end)
        self._lane = self.device.lane
        self.runs.append(run)

    def drain(self, lane: object, until: float | None) -> bool:
        """Wait for the runs that another one must not overlap: all, or, for a run that joins their `lane`, the oldest
        if there are too many. False if that is not done at the moment `until`."""
        most = MOST_QUEUED - 1 if lane is not None and lane == self._lane else 0
        while len(self.runs) > most:
            if not self._settle_first(until):
                return False
        return True

    def is_over(self, run: InFlightRun) -> bool:
        """Whether a run is over; stops it, or one before it, if it is late."""
        self._check_process()
        if not run.is_over and (run.clock.is_over or any(each.is_late() for each in list(self.runs))):
            self._try_to_settle(run)
        return run.is_over

    def wait_for(self, run: InFlightRun, until: float | None) -> bool:
        """Wait for a run and for all before it: by holding the device while no other thread wants it, as threads that
        poll side by side slow each other down; after that by polling now and then."""
        self._check_process()
        until = math.inf if until is None else until
        try:
            began = now = time.monotonic()
            while now - began < SPINNING and not self.device.waiting_threads:
                if self._wait_holding(run, min(now + _MOMENT, until)):
                    return True
                now = time.monotonic()
                if now > until:
                    return False
            while not self.is_over(run):
                if time.monotonic() > until:
                    return False
                time.sleep(_PAUSE)
        except KeyboardInterrupt:
            self._interrupt()
            raise
        return True

    def _wait_holding(self, run: InFlightRun, until: float) -> bool:
        """Whether the run is over at that moment."""
        if not self.device.try_acquire(max(until - time.monotonic(), 0)):
            return run.is_over
        try:
            while not run.is_over and self._settle_first(until):
                pass
        finally:
            self.device.release(whole=True)
        return run.is_over

    def _check_process(self) -> None:
        if self._process != processes.current:
            raise forked_error()

    def _try_to_settle(self, run: InFlightRun) -> None:
        """Unless another thread holds the device, which then settles the queue itself."""
        if not self.device.try_acquire():
            return
        try:
            while not run.is_over:
                first = self.runs[0]
                if first.clock.is_over or first.is_late():
                    self._settle_first(None)
                elif run.is_late():  # while runs before it still have time
                    run.error, run.is_over = timeout_error(run.limits.timeout), True
                else:
                    break
        finally:
            self.device.release(whole=True)

    def _settle_first(self, until: float | None) -> bool:
        """Wait for the oldest run, stop it if it is late, and collect its outcome."""
        run = self.runs[0]
        try:
            if not run.clock.is_done and not self.device.wait_for(run.clock, run.is_late, until):
                return False
        except Exception as error:  # of the driver, which answers nothing about its runs any more
            run.error = error
        run.settle()
        self.runs.popleft()
        self.device.take_clock_back(run.clock)
        run.release_resources()
        return True

    def _interrupt(self) -> None:
        """On Ctrl-C: stop what is in progress, so that the device is free."""
        if not self.device.try_acquire():
            return
        try:
            self.device.stop_all()
            while self.runs:
                self._settle_first(None)
        finally:
            self.device.release(whole=True)

    def _end(self) -> None:
        """When Python ends: stop what is in progress, as its results will not be used."""
        if self.runs and self._process == processes.current:
            with contextlib.suppress(Exception):
                self._interrupt()
