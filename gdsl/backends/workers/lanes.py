"""What each of several workers did when: it computed, waited for others, or exchanged data with them.

Clocks of hosts differ. All workers leave their first meeting at about the same time, so lanes are aligned there: to
within the time of one message.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.gpu_lanes import ChromeTrace, event
from gdsl.records import dataclass

MOST_MEETINGS = 100_000
"""The most meetings of a lane; its totals cover all of them."""


@dataclass(frozen=True, slots=True)
class Lane:
    """What one worker did.

    meetings: int64 of shape (n, 5), a row for each meeting: the number of the exchange in the plan (below 0 one without
    data), when the worker came, when all others had come, when it had their data (nanoseconds since its run began), and
    the bytes that it sent. total_ns: the whole run. wait_ns, exchange_ns, sent: of all meetings, also of those after
    the first `MOST_MEETINGS`.
    """

    meetings: NDArray[np.int64]
    total_ns: int
    wait_ns: int
    exchange_ns: int
    sent: int

    @property
    def compute_ns(self) -> int:
        """The time outside meetings."""
        return self.total_ns - self.wait_ns - self.exchange_ns


class Clock:
    """Takes the times of one worker."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """The run begins now."""
        self._began = time.perf_counter_ns()
        self._meetings: list[list[int]] = []
        self._last = [0, 0, 0, 0, 0]
        self._wait = self._exchange = self._sent = 0

    def now(self) -> int:
        """Nanoseconds since the run began."""
        return time.perf_counter_ns() - self._began

    def met(self, number: int, came: int) -> None:
        """All have come to a meeting, to which this worker came then."""
        there = self.now()
        self._wait += there - came
        self._last = [number, came, there, there, 0]
        if len(self._meetings) < MOST_MEETINGS:
            self._meetings.append(self._last)

    def exchanged(self, sent: int) -> None:
        """The data of the last meeting are there, for which this worker has sent so many bytes."""
        ended = self.now()
        self._exchange += ended - self._last[2]
        self._sent += sent
        self._last[3:] = [ended, sent]

    def lane(self) -> Lane:
        """All that was taken; the run ends now."""
        meetings = np.array(self._meetings, np.int64).reshape(-1, 5)
        return Lane(meetings, self.now(), self._wait, self._exchange, self._sent)


@dataclass(frozen=True, slots=True)
class Lanes(ChromeTrace):
    """The lanes of all workers of a run. workers: who they are, by rank. labels: of exchanges, by number, the operator
    before it."""

    workers: tuple[str, ...]
    lanes: tuple[Lane, ...]
    labels: Mapping[int, str]

    def summary(self) -> list[str]:
        """A line for each worker."""
        return [
            f"{worker}: computed {_ms(lane.compute_ns)}, waited {_ms(lane.wait_ns)}, exchanged "
            f"{_ms(lane.exchange_ns)}; {lane.sent:,} bytes sent"
            for worker, lane in zip(self.workers, self.lanes, strict=True)
        ]

    def _names(self) -> tuple[str, ...]:
        return self.workers

    def _events(self) -> Iterator[dict[str, Any]]:
        for rank, (lane, shift) in enumerate(zip(self.lanes, self._shifts(), strict=True)):
            before = 0
            for number, came, there, ended, sent in lane.meetings.tolist():
                label = self.labels.get(number, "the end" if number < 0 else f"exchange {number}")
                yield event("compute", label, rank, (before + shift) / 1000, (came - before) / 1000)
                yield event("wait", label, rank, (came + shift) / 1000, (there - came) / 1000)
                if ended > there:
                    times = (there + shift) / 1000, (ended - there) / 1000
                    yield event("exchange", label, rank, *times, **{"bytes sent": sent})
                before = ended

    def _shifts(self) -> Sequence[int]:
        """What is added to the times of each worker, so that all leave the first meeting together."""
        firsts = [int(lane.meetings[0, 2]) if len(lane.meetings) else 0 for lane in self.lanes]
        return [max(firsts, default=0) - first for first in firsts]


def _ms(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:,.3f} ms"
