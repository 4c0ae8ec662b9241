"""Measures the knobs of a program on a graph, one after the other, and keeps what is faster.

Coordinate descent: each value of one knob is tried beside what is best so far, then those of the next, until a whole
round changes nothing. A machine is not always equally fast, so the best so far is run again in turn with each try, and
medians of the two decide. What comes to code that has been measured is not run.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from gdsl import deadline
from gdsl.api.convergence import quiet
from gdsl.api.loading import Types, load
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.schedules import KnobChoice, Words, code_of, differences, knob_choices
from gdsl.api.summary import on_host
from gdsl.api.tune_files import kind_of
from gdsl.backends import registry
from gdsl.backends.interface import Pair
from gdsl.binding import needed_widths
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.imports import with_imports
from gdsl.plan import work_order
from gdsl.source import Source

MARGIN = 0.02
"""The part of the time by which a way must be faster to be kept; less is not told from chance."""
HOPELESS = 3.0
"""A run that takes so many times as long as the best so far is stopped, and not repeated."""
_FAR = 1.5
"""What is so many times slower in the best of its first runs is not measured beside the best so far, or tried again."""
_LOST = 1.15
"""A try whose best run is so much slower than the median of the best so far is not repeated further."""
_LEAST, _MOST = 3, 15
"""Runs of a try that are counted, the more the shorter they are."""
_WARMING, _WARM = 15, 50.0
"""Runs before those that are compared, and the milliseconds that more than are needed of them may take: a processor
and its caches come to their speed."""
_SITTING = 0.5
"""Seconds that a try and the best so far are given together, if they need no more for the least number of runs."""
_SHORTEST = 0.05
"""Seconds that every run may take: the host sees no sooner that one is to be stopped."""
_SEARCH = 0.9
"""The part of the time that is searched; in the rest the best is measured against the program as it is once more."""


BEFORE = "as before"
"""Stands for the knob where all words of a former search are tried together."""


class Verdict(Enum):
    """What came of a try."""

    KEPT = "kept"
    NOT_FASTER = "not faster"
    STOPPED = f"stopped: more than {HOPELESS:g} times as long"
    NO_ROOM = "not enough memory"


_ENDS = {"E0912": Verdict.NO_ROOM, "E0802": Verdict.STOPPED}
"""Errors that a try may end with though the program as it is does not."""


@dataclass(frozen=True, slots=True)
class Try:
    """A setting of one knob beside the best so far. knob: its name; word: what it was set to, empty: as the program has
    it. ms, best_ms: medians of its runs and of those of the best so far meanwhile; ms is None where none ended."""

    knob: str
    word: str
    verdict: Verdict
    ms: float | None
    best_ms: float

    @property
    def gain(self) -> float | None:
        """The part of the time that it saves; below 0 where it costs some."""
        return None if self.ms is None or not self.best_ms else 1 - self.ms / self.best_ms


class Stop(Enum):
    """Why a search ended."""

    DONE = "no knob gives more"
    TIME = "the time is over"
    INTERRUPTED = "interrupted"


@dataclass
class Found:
    """What a search has found. knobs: the best words, none where the program is as good as it is; auto_ms, tuned_ms:
    medians of a run without and with them; stop: why the search ended."""

    knobs: Words = ()
    auto_ms: float = 0.0
    tuned_ms: float = 0.0
    tries: list[Try] = field(default_factory=list)
    stop: Stop = Stop.DONE

    @property
    def gain(self) -> float:
        """The part of the time that the knobs save."""
        return 1 - self.tuned_ms / self.auto_ms if self.auto_ms else 0.0


@dataclass
class _Way:
    """The program tuned in one way, by knob; longest: seconds that a call took once everything was in place."""

    words: dict[str, str]
    program: Program
    longest: float = 0.0

    def run(self, tuner: Tuner, timeout: float | None) -> Result:
        started = tuner.clock()
        result = tuner.run(self.program, tuner.graph, tuner.values, tuner.backend, timeout)
        self.longest = max(self.longest, tuner.clock() - started)
        return result


class _OutOfTimeError(Exception):
    """The search is to end."""


Run = Callable[[Program, Graph, Mapping[str, Any], str, "float | None"], Result]
Tell = Callable[[str, int, int], None]


def run_quietly(
    program: Program,
    graph: Graph,
    values: Mapping[str, Any],
    backend: str,
    timeout: float | None,
    round: Collection[str] = (),  # noqa: A002 - as `Program.run` calls it
) -> Result:
    """A run that nobody asked for, which does not warn."""
    with quiet():
        return program.run(graph, values, backend=backend, timeout=timeout, round=round)


class Tuner:
    """A search for the best knobs of `source` on `graph`, with `values` for its params, on `backend` (cuda or cpu; what
    the reference does no knob changes).

    It ends after `seconds`. `before` are words that a former search has found, which are tried first. `tell` is called
    before each try with what is tried, how many knobs this round has seen and how many it has. `run` and `clock` are
    others in tests.
    """

    def __init__(
        self,
        source: Source,
        graph: Graph,
        values: Mapping[str, Any],
        backend: str,
        seconds: float,
        *,
        before: Words = (),
        tell: Tell = lambda what, done, of: None,
        run: Run | None = None,
        clock: Callable[[], float] = time.monotonic,
        types: Types = (),
    ) -> None:
        self.source, self.graph, self.values, self.backend = with_imports(source), graph, values, backend
        self.clock, self.run, self._tell, self._before = clock, run or run_quietly, tell, before
        self._seconds, self._started = seconds, clock()
        self._types = types
        self._auto = self._best = _Way({}, self._program(()))
        self._expected: dict[str, Any] = {}
        self._setup, self._kind = 0.0, kind_of(graph)
        self._codes: set[str] = set()
        self._far: set[str] = set()
        """Words that are no match for the best so far, whatever the other knobs are."""
        self._changed = False
        self.found = Found()

    def search(self) -> Found:
        """Measure until nothing is better, the time is over, or Ctrl-C; then what was found so far is given back.

        Raises GdslError where the program does not run as it is, where that takes all the time (E0802), or where a
        knob changes a result (E0909); KeyboardInterrupt before it has run as it is.
        """
        knobs = self._measure_auto()
        try:
            self._descend(knobs)
        except _OutOfTimeError:
            self.found.stop = Stop.TIME
        except KeyboardInterrupt:
            self.found.stop = Stop.INTERRUPTED
        self._settle()
        return self.found

    # ------------------------------------------------------------ the program as it is

    def _measure_auto(self) -> list[KnobChoice]:
        """The time without any knob, and the results that all tries must have, too."""
        self._tell("the program as it is", 0, 1)
        try:
            self._make_ready(self._auto)
            first = self._auto.run(self, self._seconds)
        except (GdslError, _OutOfTimeError) as error:
            if isinstance(error, GdslError) and error.code != "E0802":
                raise
            message = f"the program as it is was stopped after {self._seconds:g} seconds, before it had run once"
            raise GdslError.single("E0802", message, fix="give the search more time: --seconds") from None
        self._expected = {name: _on_host(value) for name, value in first.items()}
        self._setup, self._auto.longest = self._auto.longest, 0.0
        self._codes.add(self._code(self._auto.program))
        times = [first.time_ms]
        for again in range(_WARMING):
            if (again >= _LEAST and sum(times) > _WARM) or self._left(_SEARCH) <= first.time_ms / 1000:
                break
            times.append(self._auto.run(self, None).time_ms)
        self._auto.longest = self._auto.longest or first.time_ms / 1000
        self.found.auto_ms = self.found.tuned_ms = statistics.median(times[1:] or times)
        return knob_choices(self._auto.program.ir, first.trace)

    def _left(self, part: float) -> float:
        """Seconds of a part of the time that are left."""
        return self._started + part * self._seconds - self.clock()

    # ------------------------------------------------------------ the search

    def _descend(self, knobs: list[KnobChoice]) -> None:
        if self._before and self.backend != "reference":
            self._tell("what was best before", 0, len(knobs))
            words = {word.partition("=")[0]: word for word in self._before}
            self._try_words(BEFORE, " ".join(self._before), words)
        self._changed = self.backend != "reference"
        while self._changed:
            self._changed = False
            for place, knob in enumerate(knobs):
                for word in knob.words:
                    if self._left(_SEARCH) <= 2 * self._best.longest:
                        raise _OutOfTimeError
                    if word in self._far:
                        continue
                    self._tell(word or f"without {knob.name}", place, len(knobs))
                    if not self._try(knob.name, word):
                        break

    def _program(self, words: Words) -> Program:
        """The program with these words, in the types of the search."""
        return Program(load(self.source, words, self._types), self.source, words, chosen=dict(self._types))

    def _try(self, knob: str, word: str) -> bool:
        """Measure one setting beside the best so far; False where the program has no such knob at all."""
        words = {name: each for name, each in self._best.words.items() if name != knob}
        if word:
            words[knob] = word
        return self._try_words(knob, word, words)

    def _try_words(self, knob: str, word: str, words: dict[str, str]) -> bool:
        """The same of all words together, unless their code is known."""
        try:
            chosen = tuple(words.values())
            program = self._program(chosen)
        except GdslError as error:
            # E0420 refuses one value beside others; anything else that nobody can write: an operator without a name.
            return error.code in ("E0412", "E0413", "E0420")
        code = self._code(program)
        if code not in self._codes:
            self._codes.add(code)
            self._measure(knob, word, _Way(words, program))
        return True

    def _code(self, program: Program) -> str:
        """A hash of what `program` becomes for the graph: of two that come to the same one is measured."""
        if self.backend == "reference":
            return ""
        tree = program.ir
        if self.backend == "cuda" and work_order.has_choice(tree):
            kind = self._kind
            tree = work_order.suited(tree, kind.vertices, kind.edges, kind.largest_degree)
        return code_of(tree, self.backend, needed_widths(tree, self.graph))

    def _measure(self, knob: str, word: str, way: _Way) -> None:
        ms, best_ms = None, self.found.tuned_ms
        try:
            self._make_ready(way)
            verdict, ms, best_ms = self._compared(way)
        except GdslError as error:
            if error.code not in _ENDS:
                raise self._explained(error, word or f"no {knob}", way) from None
            verdict = _ENDS[error.code]
        self.found.tries.append(Try(knob, word, verdict, ms, best_ms))
        if ms is None or ms > _FAR * best_ms:
            self._far.add(word)
        if verdict is Verdict.KEPT and ms is not None:
            self._best, self.found.knobs, self.found.tuned_ms = way, tuple(way.words.values()), ms
            self._changed = True

    def _compared(self, way: _Way) -> tuple[Verdict, float, float]:
        """What came of a way beside the best so far, and the medians of both. Raises E0802 where a run takes too long,
        E0909 for another result."""
        first = self._first(way)
        found = next(differences(way.program.ir, self._expected, first), None)
        if found is not None:
            raise GdslError.single("E0909", found)
        best, shortest = self.found.tuned_ms, first.time_ms
        spent = shortest
        for again in range(_WARMING):  # the first runs wake threads and touch memory, and may be slow for that alone
            if shortest <= _FAR * best or (again and spent > _WARM):
                break
            ms = way.run(self, self._limit()).time_ms
            shortest, spent = min(shortest, ms), spent + ms
        if shortest > _FAR * best:
            return Verdict.STOPPED if shortest > HOPELESS * best else Verdict.NOT_FASTER, shortest, best
        times, others = self._in_turns(way, self._best, _SEARCH)
        if len(times) < _LEAST:
            raise _OutOfTimeError
        ms, best_ms = statistics.median(times), statistics.median(others)
        faster = ms < (1 - MARGIN) * best_ms and min(times) < min(others)
        return Verdict.KEPT if faster else Verdict.NOT_FASTER, ms, best_ms

    def _make_ready(self, way: _Way) -> None:
        """Compile, in the time that is left."""
        left = self._left(1.0)
        try:
            with deadline.limited(max(left, 0.001)):
                way.program.prepare(self.backend, ids=needed_widths(way.program.ir, self.graph))
        except GdslError as error:
            if error.code == "E0802":
                raise _OutOfTimeError from None
            raise

    def _first(self, way: _Way) -> Result:
        """The first result. A first run also checks the inputs, and makes what the graph lacks for the program, both of
        which must not count: it has as long for it as that of the program as it is, and where that is not enough there
        is a second one."""
        limit = self._setup + self._limit()
        try:
            result = way.run(self, limit)
        except GdslError as error:
            if error.code != "E0802":
                raise
            result = way.run(self, limit)
        way.longest = 0.0
        return result

    def _limit(self) -> float:
        """Seconds after which a run is hopeless."""
        return max(HOPELESS * self._best.longest, _SHORTEST)

    def _in_turns(self, way: _Way, beside: _Way, part: float) -> tuple[list[float], list[float]]:
        """The milliseconds of runs of both, at least one each."""
        times: list[float] = []
        others: list[float] = []
        began, limit = self.clock(), max(2 * HOPELESS * beside.longest, 1.0)
        while len(times) < _MOST and (len(times) < _LEAST or self.clock() - began < _SITTING):
            others.append(beside.run(self, limit).time_ms)
            times.append(way.run(self, limit).time_ms)
            lost = min(times) > _LOST * statistics.median(others)
            if self._left(part) <= 0 or (len(times) >= _LEAST and lost):
                break
        return times, others

    def _explained(self, error: GdslError, setting: str, way: _Way) -> GdslError:
        """What a try must not end with, with the knobs of it: another result, or an error that the program as it is
        does not end with; what the machine is at fault for stays what it is."""
        note = (
            f"it ran on {self.backend} with {' '.join(f'--tune {word}' for word in way.words.values()) or 'no knobs'}"
        )
        first = error.diagnostics[0]
        if registry.is_fault_of_machine(error):
            return GdslError(
                (dataclasses.replace(first, notes=(*first.notes, note)), *error.diagnostics[1:]), error.source
            )
        what = first.message if error.code == "E0909" else f"it ends with {error.code}, {first.message}"
        message = f"`{setting}` changes a result: {what}"
        return GdslError.single("E0909", message, notes=(note,), fix="report it: this is a defect of gdsl")

    # ------------------------------------------------------------ the end

    def _settle(self) -> None:
        """The best beside the program as it is once more: gains of several knobs may be chance that adds up."""
        if self._best is self._auto:
            self.found.tuned_ms = self.found.auto_ms
            return
        if self.found.stop is not Stop.INTERRUPTED and self._left(1.0) > 0:
            try:
                tuned, auto = self._in_turns(self._best, self._auto, 1.0)
            except KeyboardInterrupt:
                self.found.stop = Stop.INTERRUPTED
            except GdslError as error:
                if error.code not in _ENDS:
                    raise
                self.found.tuned_ms = self.found.auto_ms  # it is not always that fast
            else:
                self.found.auto_ms, self.found.tuned_ms = statistics.median(auto), statistics.median(tuned)
        if self.found.gain < MARGIN:
            self.found.knobs, self.found.tuned_ms = (), self.found.auto_ms


def _on_host(value: Any) -> Any:
    """A result where it takes no memory of a GPU."""
    if isinstance(value, Pair):
        return Pair(*map(_on_host, value))
    return on_host(value) if hasattr(value, "__cuda_array_interface__") else value
