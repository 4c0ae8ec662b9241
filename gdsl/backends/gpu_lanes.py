"""What each of several GPUs did when: it computed, or its first block waited at barriers.

Each GPU counts the cycles of its own clock, and its kernel begins when the driver starts it. All GPUs leave a barrier
together, so lanes are aligned at the end of the first operator.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.records import dataclass


class ChromeTrace:
    """Lanes that can be written in the format of Chrome's traces, which https://ui.perfetto.dev shows."""

    __slots__ = ()

    def write(self, path: Any) -> None:
        """Write them as JSON, a lane for each GPU or worker. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())

    def text(self) -> str:
        """The trace as JSON in the format of Chrome's trace viewer."""
        events: list[dict[str, Any]] = [{"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "gdsl"}}]
        for lane, name in enumerate(self._names()):
            events.append({"name": "thread_name", "ph": "M", "pid": 0, "tid": lane, "args": {"name": name}})
        return json.dumps({"displayTimeUnit": "ms", "traceEvents": [*events, *self._events()]})

    def _names(self) -> tuple[str, ...]:
        """What the lanes are called."""
        raise NotImplementedError

    def _events(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError


def event(kind: str, label: str, lane: int, begin_us: float, took_us: float, **arguments: int) -> dict[str, Any]:
    """An event of a lane."""
    found: dict[str, Any] = {
        "name": f"{kind} ({label})",
        "cat": kind,
        "ph": "X",
        "pid": 0,
        "tid": lane,
        "ts": begin_us,
        "dur": took_us,
    }
    return {**found, "args": arguments} if arguments else found


@dataclass(frozen=True, slots=True)
class GpuLanes(ChromeTrace):
    """The lanes of all GPUs of a run.

    gpus: what they are called. labels: the operator of each record of the trace. compute_ms, waiting_ms: float64 of
    shape (GPUs, records): the time from the record before to this one, without and at barriers. members: int64 of the
    same shape: how many members of the operator the GPU took; -1 where loops divide them while they run.
    """

    gpus: tuple[str, ...]
    labels: tuple[str, ...]
    compute_ms: NDArray[np.float64]
    waiting_ms: NDArray[np.float64]
    members: NDArray[np.int64]

    def members_of(self, gpu: int) -> int | None:
        """How many members that GPU took in all records; None unless all of them are known."""
        members = self.members[gpu]
        return int(members.sum()) if (members >= 0).all() else None

    def summary(self) -> list[str]:
        """A line for each GPU."""
        lines = []
        for place, gpu in enumerate(self.gpus):
            taken = self.members_of(place)
            compute, waiting = self.compute_ms[place].sum(), self.waiting_ms[place].sum()
            line = f"{gpu}: computed {compute:,.3f} ms, waited {waiting:,.3f} ms at barriers"
            lines.append(line if taken is None else f"{line}; {taken:,} members")
        return lines

    def _names(self) -> tuple[str, ...]:
        return self.gpus

    def _events(self) -> Iterator[dict[str, Any]]:
        firsts = (self.compute_ms + self.waiting_ms)[:, :1].sum(axis=1)
        for place in range(len(self.gpus)):
            at = float(firsts.max(initial=0) - firsts[place])
            columns = (each[place].tolist() for each in (self.compute_ms, self.waiting_ms, self.members))
            for label, compute, waiting, members in zip(self.labels, *columns, strict=True):
                known = {"members": members} if members >= 0 else {}
                yield event("compute", label, place, at * 1000, compute * 1000, **known)
                yield event("wait", label, place, (at + compute) * 1000, waiting * 1000)
                at += compute + waiting
