"""Runs on a GPU that nobody waits for at once: each by itself, and all of a device in line on its stream."""

from __future__ import annotations

import atexit
import contextlib
import math
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gdsl.backends import processes
from gdsl.backends.cuda.clocks import SPINNING
from gdsl.backends.cuda.protocol import Buffer
from gdsl.backends.cuda.rooms import MOST_IN_LINE
from gdsl.backends.failures import forked_error, timeout_error
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.pending import Explain, tell

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.enactor import Enactor
    from gdsl.backends.cuda.rooms import Incoming
    from gdsl.backends.cuda.run_memory import RunMemory
    from gdsl.graph.graph import Graph

_MOMENT, _PAUSE = 0.002, 5e-5
"""Seconds that who waits for a run keeps the device at least, and between two looks without it."""


class Flight:
    """A run that is queued: `backends.pending.Running`. It keeps what it runs on until it is over, also where nobody
    wants its result any more."""

    __slots__ = (
        "bindings",
        "clock",
        "control",
        "device",
        "enactor",
        "error",
        "explained",
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
        device: CudaDevice,
        enactor: Enactor,
        graph: Graph,
        asked: tuple[Bindings, Limits, float],
        made: tuple[RunMemory, Mapping[str, Buffer] | None, Incoming],
    ) -> None:
        """`asked`: with what, and when it began. `made`: its memory, the results where they lie in the caller's order,
        and what it hands over."""
        self.device, self.enactor, self.graph = device, enactor, graph
        self.bindings, self.limits, self.started = asked
        self.incoming: Incoming | None
        self.memory, self.outside, self.incoming = made
        self.received, self.control = self.incoming.received, self.incoming.control
        self.names, self.clock = self.memory.names, device.hand_out_clock()
        self.outcome: Outcome | None = None
        self.error: Exception | None = None
        self.is_over = False
        self.explained: Explain | None = None
        """Of a run that nobody will ask for."""

    def is_late(self) -> bool:
        """Whether the caller's time is over."""
        left = self.limits.left
        return left is not None and time.monotonic() - self.started > left

    def is_last(self) -> bool:
        """Whether nobody has worked in its memory since."""
        return all(each.memory is not self.memory for each in self.device.line.flights if each is not self)

    def settle(self) -> None:
        """Collect what the run gave, which is done."""
        if self.incoming is None:
            return
        try:
            if self.error is None:
                self.outcome = self.enactor.collect(self)
        except Exception as error:
            self.error = error
        is_news, self.is_over = not self.is_over, True
        incoming, self.incoming = self.incoming, None
        self.memory.shared.take_back(incoming)
        if self.explained is not None and is_news:
            self.drop(self.explained)

    def let_go(self) -> None:
        """Keep nothing but what the run gave."""
        del self.graph, self.bindings, self.names, self.outside, self.received, self.control, self.memory, self.enactor

    def is_done(self) -> bool:
        """Whether there is nothing to wait for."""
        return self.is_over or self.device.line.looked_after(self)

    def wait(self, until: float | None) -> bool:
        """Until the run is over, or until this moment: then it is False."""
        return self.is_over or self.device.line.wait_for(self, until)

    def take(self) -> Outcome | None:
        """What the run gave, which is over; None: it must be asked for again, as it was stopped for another's sake.
        Raises what it failed with."""
        if self.error is not None:
            raise self.error
        return self.outcome

    def drop(self, explained: Explain) -> None:
        """Nobody will ask for it; a failure is not to be lost."""
        self.explained = explained
        if self.is_over and self.error is not None:
            tell(self.error, explained)


class Line:
    """The runs of a device that nobody has waited for yet, the oldest first. All are on one stream, so that each finds
    the memory that programs work in as the one before left it.

    Only the thread that has the device changes it.
    """

    def __init__(self, device: CudaDevice) -> None:
        self._device, self._process = device, 0
        self.flights: deque[Flight] = deque()
        self._lane: object = None

    def join(self, flight: Flight) -> None:
        """The run was queued on the stream of the thread that has the device."""
        if self._process != processes.current:
            self._process = processes.current
            atexit.register(self._end)
        self._lane = self._device.lane
        self.flights.append(flight)

    def let_pass(self, lane: object, until: float | None) -> bool:
        """Wait for those that another run must not meet: all, or, of one that joins their `lane`, the first where they
        are too many. False where it is not so until that moment."""
        most = MOST_IN_LINE - 1 if lane is not None and lane == self._lane else 0
        while len(self.flights) > most:
            if not self._settle_first(until):
                return False
        return True

    def looked_after(self, flight: Flight) -> bool:
        """Whether it is over, which is looked at; where it or one before it is late, that is stopped."""
        self._check_process()
        if not flight.is_over and (flight.clock.is_over or any(each.is_late() for each in list(self.flights))):
            self._try_to_settle(flight)
        return flight.is_over

    def wait_for(self, flight: Flight, until: float | None) -> bool:
        """Wait for it and for all before it: by keeping the device while no other thread asks for it, as threads that
        look again and again side by side keep each other from going on; after that by a look now and then."""
        self._check_process()
        until = math.inf if until is None else until
        try:
            began = now = time.monotonic()
            while now - began < SPINNING and not self._device.asking:
                if self._waited(flight, min(now + _MOMENT, until)):
                    return True
                now = time.monotonic()
                if now > until:
                    return False
            while not self.looked_after(flight):
                if time.monotonic() > until:
                    return False
                time.sleep(_PAUSE)
        except KeyboardInterrupt:
            self._interrupt()
            raise
        return True

    def _waited(self, flight: Flight, until: float) -> bool:
        """Whether it is over at that moment."""
        if not self._device.took(max(until - time.monotonic(), 0)):
            return flight.is_over
        try:
            while not flight.is_over and self._settle_first(until):
                pass
        finally:
            self._device.give(whole=True)
        return flight.is_over

    def _check_process(self) -> None:
        if self._process != processes.current:
            raise forked_error()

    def _try_to_settle(self, flight: Flight) -> None:
        """Where no other thread has the device, which then looks after its line itself."""
        if not self._device.took():
            return
        try:
            while not flight.is_over:
                first = self.flights[0]
                if first.clock.is_over or first.is_late():
                    self._settle_first(None)
                elif flight.is_late():  # while others are at work that have time
                    flight.error, flight.is_over = timeout_error(flight.limits.timeout or 0.0), True
                else:
                    break
        finally:
            self._device.give(whole=True)

    def _settle_first(self, until: float | None) -> bool:
        """Wait for the oldest, stop it where it is late, and collect what it gave."""
        flight = self.flights[0]
        try:
            if not flight.clock.is_done and not self._device.wait_for(flight.clock, flight.is_late, until):
                return False
        except Exception as error:  # of the driver, to whose runs nothing can be asked any more
            flight.error = error
        flight.settle()
        self.flights.popleft()
        self._device.take_clock_back(flight.clock)
        flight.let_go()
        return True

    def _interrupt(self) -> None:
        """On Ctrl-C: stop what is going on, so that the device is free for what comes next."""
        if not self._device.took():
            return
        try:
            self._device.stop_all()
            while self.flights:
                self._settle_first(None)
        finally:
            self._device.give(whole=True)

    def _end(self) -> None:
        """Python ends: what goes on is stopped, as nobody will see its results."""
        if self.flights and self._process == processes.current:
            with contextlib.suppress(Exception):
                self._interrupt()
