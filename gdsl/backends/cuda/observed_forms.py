"""Decides which form of a program runs on a graph, from how long its runs there have taken.

The plan of `auto` is right for most graphs of a class. What is faster on one graph by a tenth, the numbers of its
vertices and edges do not tell: how many threads a block has, whether a search counts edges for pulls that never come,
which ids the vertices have. Runs do. `gdsl.plan.alternatives` lists what may be faster after what a run has shown, a
knob at a time, and each of these is tried once: it runs in turns with the best form so far, and takes its place if its
runs are the faster ones. What is found adds up.

Each try is a run that the caller asked for, with the results that the program promises; what it costs is the time that
the best form would have saved, and compiling. A try begins when all runs so far have taken `TIMES` times as long as all
tries will have cost by then, if the form is about as fast. Nobody knows that before: so each run of it waits until it
may take as long as it is allowed to (`limit`, where it is stopped and made again), and all tries together have still
cost a tenth. A program that runs a few times has none.

Runs differ: a search takes as long as its source lets it. Of `RUNS` runs of each form all but one must be faster than
all but one of the other form. By chance, that happens in one of 25 tries of forms that are alike, and then nothing is
lost. Callers repeat themselves, as with two sources again and again; so the turns do not (`tries_next`).

A form that was kept for some work may be wrong for other work, as pushes alone are for a search that would pull. So
when runs take much longer than all by which it was kept, the program runs as it is again, and all begins anew.

Runs of several threads: one of them at a time has the `turn`, tries or decides, and changes what is being tried.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Sequence
from statistics import median

from gdsl.backends.interface import Limits, TraceRecord
from gdsl.graph.graph import Graph
from gdsl.operations import Direction, Order
from gdsl.plan.alternatives import Alternative, Seen

TIMES = 10
"""All runs take at least so many times as long as what tries cost."""
WARM = 2
"""Runs of another form that do not count: the first loads its code, and shows how many blocks it should have."""
RUNS = 6
"""Runs of each form that are compared."""
GAIN = 0.95
"""Part of the time that a form must take at most, by the medians: less would be gained than noise takes away."""
HOPELESS = 4
"""A run of another form that takes this many times as long as slow runs of the best one is stopped."""
LOOK_MS = 300.0
"""What it takes to build a plan, which even forms that are in the cache need, until one has shown how long."""
RECORD_MS = 0.01
"""What it takes to read one record of a trace."""
SHORTEST = 0.1
"""Seconds of the shortest timeout that a run of another form has."""
LONG_RUNS = 3
"""So many runs that are much longer than those by which a form was kept begin anew."""
_FADES = 0.98
"""What a slow run still counts for after another one."""


class NoTimeError(Exception):
    """A timeout leaves no time for a try and a run behind it, after others have used the device."""


@dataclasses.dataclass(slots=True)
class Attempt:
    """A run of another form: it is stopped after so many `seconds`, however long it has waited for the device."""

    seconds: float
    waited_ms: float = 0.0

    def begun(self, limits: Limits, asked: float) -> Limits:
        """What limits the run, now that the device is free, for which it `asked` at that moment. Raises NoTimeError."""
        self.waited_ms += 1e3 * (time.monotonic() - asked)
        left = limits.left
        if left is not None and left < 2 * self.seconds:
            raise NoTimeError
        return Limits(self.seconds, memory=limits.memory)


@dataclasses.dataclass(slots=True)
class ObservedForms:
    """Of one program's runs on one graph. Times are in milliseconds."""

    alternatives: list[Alternative] | None = None
    """What is still to be tried; None: no run has shown that yet."""
    kept: tuple[Alternative, ...] = ()
    """What the best form has."""
    trying: Alternative | None = None
    """What is being tried."""
    expected_ms: float = LOOK_MS
    """What compiling the next form takes, or looking for it."""
    usual_ms: float = 0.0
    """What a run of the best form takes."""
    lines: tuple[str, ...] = ()
    """What was tried, and what came of it."""
    compiles: bool = False
    """Whether the form that is being tried has to be compiled."""
    looks_up: bool = False
    """Whether the program runs on other ids here, by a kernel of its own."""
    turn: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    """Held by the one thread whose run tries a form, or decides what is tried next."""
    _all_ms: float = 0.0
    _cost_ms: float = 0.0
    _slow_ms: float = 0.0
    """What slow runs of the best form take."""
    _compared_ms: float = 0.0
    """What the slowest run took by which a form was kept."""
    _long_runs: int = 0
    """How many of the last runs in a row have taken `HOPELESS` times as long as that."""
    _unbuilt_ms: float = 0.0
    """What compiling the form that is being tried will take; 0: it is there."""
    _warm: int = 0
    _times: list[float] = dataclasses.field(default_factory=list)
    _others: list[float] = dataclasses.field(default_factory=list)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left to try."""
        return self.alternatives is not None and not self.alternatives and self.trying is None

    @property
    def may_begin(self) -> bool:
        """Whether runs have taken so long that a try may begin."""
        if self._all_ms < TIMES * self.expected_ms or self.trying is not None or self.alternatives == []:
            return False
        runs = max((WARM + RUNS) * self.usual_ms, 1e3 * self.limit)
        return self._all_ms >= TIMES * (self._cost_ms + self.expected_ms + runs)

    @property
    def tries_next(self) -> bool:
        """Whether the next run is one of the form that is being tried. Both forms have a run in each pair, now the one
        first, now the other, as in the sequence of Thue and Morse: a caller whose runs are slow in turns, or slower and
        slower, gives neither form the slow ones."""
        if self.trying is None:
            return False
        place = len(self._times) + len(self._others)
        return self._warm > 0 or place >= 2 * RUNS or place.bit_count() % 2 == 1

    @property
    def limit(self) -> float:
        """Seconds after which a run of another form is stopped."""
        return max(HOPELESS * max(self.usual_ms, self._slow_ms) / 1e3, SHORTEST)

    @property
    def can_pay(self) -> bool:
        """Whether tries have cost a tenth at most even if the next run is one and has to be stopped."""
        return self._all_ms >= TIMES * (self._cost_ms + self._unbuilt_ms + 1e3 * self.limit)

    def fits(self, left: float | None) -> bool:
        """Whether so many seconds of a timeout are enough for a try that is built and stopped, and a usual run behind
        it: a try must not be why a run is late."""
        return left is None or left >= 2 * self.limit + HOPELESS * self._unbuilt_ms / 1e3

    def look_fits(self, left: float | None) -> bool:
        """Whether they are enough to look for what is tried next."""
        return left is None or left >= HOPELESS * self.expected_ms / 1e3

    def begin(self, alternative: Alternative) -> None:
        """Begin to try `alternative` in the next runs."""
        self.trying, self._warm, self._unbuilt_ms = alternative, WARM, self.expected_ms
        self._times, self._others = [], []

    @property
    def is_outgrown(self) -> bool:
        """Whether runs have other work now than those by which the best form was found."""
        return self._long_runs >= LONG_RUNS

    def begin_anew(self) -> None:
        """The program runs as it is, until later runs find out what is faster now."""
        self.lines = (*self.lines, "anew, as runs take longer than those that were compared")
        self.kept, self.trying, self.alternatives, self._long_runs = (), None, None, 0

    def built(self) -> None:
        """The form that is being tried is there."""
        self._unbuilt_ms = 0.0

    def postpone(self) -> None:
        """There is no room for another form: look again when runs have taken twice the time."""
        self.expected_ms = max(self.expected_ms, 2 * self._all_ms / max(TIMES, 1))

    def note(self, ms: float, operators: int = 0) -> None:
        """A run of the best form, in which so many operators ran, took so long."""
        self._all_ms += ms
        self.usual_ms = ms if not self.usual_ms else 0.75 * self.usual_ms + 0.25 * ms
        slow = _FADES * self._slow_ms
        self._slow_ms = ms if ms > slow else slow
        if self._compared_ms and self.kept:
            self._long_runs = self._long_runs + 1 if ms > HOPELESS * self._compared_ms else 0
        if self.alternatives is None and operators > 1000:
            self.expected_ms = max(self.expected_ms, LOOK_MS + RECORD_MS * operators)
        if self.trying is not None and not self.tries_next:
            self._others.append(ms)

    def spend(self, ms: float) -> None:
        """Compiling took so long, or a run that came to nothing."""
        self._cost_ms += max(ms, 0.0)

    def note_try(self, ms: float) -> bool:
        """A run of the form that is being tried took so long. Whether that form is the best one from now on."""
        self._all_ms += ms
        self._cost_ms += max(ms - self.usual_ms, 0.0)
        trying = self.trying
        if trying is None:  # another thread has given up
            return False
        if self._warm:
            self._warm -= 1
            if not self._warm:
                self._others = []
            return False
        self._times.append(ms)
        if len(self._times) < RUNS or len(self._others) < RUNS:
            if len(self._times) >= RUNS // 2 and self._others and min(self._times) > max(self._others):
                self.lose(f"{min(self._times):.3g} ms for {max(self._others):.3g}")
            return False
        times, others = sorted(self._times), sorted(self._others)
        said = f"{median(times):.3g} ms for {median(others):.3g}"
        if times[-2] >= others[1] or median(times) > GAIN * median(others):
            self.lose(said)
            return False
        self.lines = (*self.lines, f"{trying.word} {said}, kept")
        self.kept = (*(each for each in self.kept if not trying.replaces(each)), trying)
        self.trying, self.usual_ms = None, median(times)
        self._compared_ms, self._long_runs = max(self._compared_ms, *times, *others), 0
        return True

    def lose(self, why: str) -> None:
        """What is being tried is not tried again."""
        if self.trying is not None:
            self.lines = (*self.lines, f"{self.trying.word} {why}")
            self.trying = None

    def drop(self, why: str) -> None:
        """The best form cannot run any more: the program runs as it is, and nothing else is tried."""
        self.lose(why)
        self.lines = (*self.lines, *(f"{each.word} {why}" for each in self.kept))
        self.kept, self.alternatives = (), []

    @property
    def line(self) -> str:
        """What is used in the place of what `auto` would; empty: nothing."""
        return f"form: {', '.join(each.word for each in self.kept)}, as runs showed" if self.kept else ""


def seen_in(trace: Sequence[TraceRecord], graph: Graph, largest_degree: int, by_degree: bool, each: int) -> Seen:
    """What a run with this trace has shown, with `each` blocks on each multiprocessor."""
    labels: dict[int, str] = {}
    members: dict[int, int] = {}
    times: dict[int, float] = {}
    chosen: dict[int, set[Direction | None]] = {}
    for record in trace:
        site = record.site
        labels[site] = record.label
        members[site] = members.get(site, 0) + record.frontier_size
        times[site] = times.get(site, 0.0) + (record.time_ms or 0.0)
        chosen.setdefault(site, set()).add(record.direction)
    pushed = [site for site in labels if chosen[site] == {Direction.PUSH} and 2 * members[site] >= graph.num_vertices]
    total = sum(times.values())
    shares = {site: ms / total for site, ms in times.items()} if total else {}
    near_far = any(record.order is Order.NEAR_FAR for record in trace)
    return Seen(labels, pushed, shares, graph.num_edges, largest_degree, by_degree, near_far, each)
