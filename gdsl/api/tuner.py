"""Searches for the fastest knobs of a program on a graph.

Coordinate descent: each value of one knob is tried with the best setting so far, then those of the next knob, until a
whole round changes nothing. The speed of a machine varies, so the best setting is run again alternately with each try,
and medians decide. Code that has been measured before is not run again.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gdsl import deadline
from gdsl.api.convergence import quiet
from gdsl.api.loading import Types, load
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.schedules import KnobChoice, Words, code_of, differences, knob_choices
from gdsl.api.summary import on_host
from gdsl.api.tune_files import kind_of
from gdsl.api.tuning_outcome import BEFORE, HOPELESS, Stop, Try, TuningOutcome, Verdict
from gdsl.backends import cuda, registry
from gdsl.backends.interface import Pair
from gdsl.backends.measuring import measured
from gdsl.binding import needed_widths
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.imports import with_imports
from gdsl.plan.graph_class import GENERAL
from gdsl.source import Source

MARGIN = 0.02
"""The part of the time that a setting must save to be kept; smaller differences may be noise."""
_FAR = 1.5
"""A setting that is this many times slower in the best of its first runs is not compared further, or tried again."""
_LOST = 1.15
"""A try whose best run is this much slower than the median of the best setting is not repeated further."""
_LEAST, _MOST = 3, 15
"""Runs of a try that count; short runs get more."""
_WARMING, _WARM = 15, 50.0
"""Warm-up runs before the comparison, and the milliseconds that optional ones may take: a processor and its caches come
up to speed."""
_SITTING = 0.5
"""Seconds for a try and the best setting together, unless the least number of runs needs more."""
_SHORTEST = 0.05
"""The shortest timeout of a run in seconds: the host notices a timeout no sooner."""
_SEARCH = 0.9
"""The part of the time for the search; in the rest the best setting is compared with the untuned program once more."""
_ENDS = {"E0912": Verdict.NO_ROOM, "E0802": Verdict.STOPPED}
"""Errors that a try may end with, although the untuned program does not."""


@dataclass
class _Way:
    """The program with one setting, by knob; longest: seconds of the longest call after the first one."""

    words: dict[str, str]
    program: Program
    longest: float = 0.0

    def run(self, tuner: Tuner, timeout: float | None) -> Result:
        started = tuner.clock()
        result = tuner.run(self.program, tuner.graph, tuner.values, tuner.backend, timeout)
        self.longest = max(self.longest, tuner.clock() - started)
        return result


class _OutOfTimeError(Exception):
    """The search must end."""


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
    """A run for measurement, without warnings."""
    with quiet(), measured():
        return program.run(graph, values, backend=backend, timeout=timeout, round=round)


class Tuner:
    """A search for the best knobs of `source` on `graph`, with `values` for its params, on `backend` (cuda or cpu; no
    knob affects the reference).

    It ends after `seconds`. `before` are words that an earlier search has found, which are tried first. `tell` is
    called before each try with its setting, the knobs that this round has tried, and their total. `run` and `clock` are
    replaced in tests.
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
        """Words that are far slower than the best setting, whatever the other knobs are."""
        self._changed = False
        self.outcome = TuningOutcome()

    def search(self) -> TuningOutcome:
        """Measure until nothing is faster, the time is over, or Ctrl-C; then return the best so far.

        Raises GdslError if the untuned program fails or takes all the time (E0802), or if a knob changes a result
        (E0909); KeyboardInterrupt before the untuned program has run.
        """
        knobs = self._measure_auto()
        try:
            self._descend(knobs)
        except _OutOfTimeError:
            self.outcome.stop = Stop.TIME
        except KeyboardInterrupt:
            self.outcome.stop = Stop.INTERRUPTED
        self._settle()
        return self.outcome

    # ------------------------------------------------------------ the program as it is

    def _measure_auto(self) -> list[KnobChoice]:
        """Measure the untuned program, whose results all tries must have."""
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
        self.outcome.auto_ms = self.outcome.tuned_ms = statistics.median(times[1:] or times)
        return knob_choices(self._auto.program.ir, first.trace)

    def _left(self, part: float) -> float:
        """Seconds left of a part of the time."""
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
        """The program with these words, with the types of the search."""
        return Program(load(self.source, words, self._types), self.source, words, chosen=dict(self._types))

    def _try(self, knob: str, word: str) -> bool:
        """Measure one setting with the best of the others; False if the program has no such knob."""
        words = {name: each for name, each in self._best.words.items() if name != knob}
        if word:
            words[knob] = word
        return self._try_words(knob, word, words)

    def _try_words(self, knob: str, word: str, words: dict[str, str]) -> bool:
        """The same for all words together, unless their code is known."""
        try:
            chosen = tuple(words.values())
            program = self._program(chosen)
        except GdslError as error:
            # E0420 refuses a value next to others; the other codes mean that it cannot be written, as for an unnamed
            # operator.
            return error.code in ("E0412", "E0413", "E0420")
        code = self._code(program)
        if code not in self._codes:
            self._codes.add(code)
            self._measure(knob, word, _Way(words, program))
        return True

    def _code(self, program: Program) -> str:
        """A hash of the code of `program` for the graph: equal code is measured once."""
        if self.backend == "reference":
            return ""
        tree = program.ir
        graph_class = GENERAL
        if self.backend == "cuda":
            graph_class = cuda.class_on(tree, self.graph, self._kind.largest_degree)
        return code_of(tree, self.backend, needed_widths(tree, self.graph), graph_class)

    def _measure(self, knob: str, word: str, way: _Way) -> None:
        ms, best_ms = None, self.outcome.tuned_ms
        try:
            self._make_ready(way)
            verdict, ms, best_ms = self._compared(way)
        except GdslError as error:
            if error.code not in _ENDS:
                raise self._explained(error, word or f"no {knob}", way) from None
            verdict = _ENDS[error.code]
        self.outcome.tries.append(Try(knob, word, verdict, ms, best_ms))
        if ms is None or ms > _FAR * best_ms:
            self._far.add(word)
        if verdict is Verdict.KEPT and ms is not None:
            self._best, self.outcome.knobs, self.outcome.tuned_ms = way, tuple(way.words.values()), ms
            self._changed = True

    def _compared(self, way: _Way) -> tuple[Verdict, float, float]:
        """The verdict on a setting, and the medians of it and of the best setting. Raises E0802 if a run takes too
        long, E0909 for a different result."""
        first = self._first(way)
        difference = next(differences(way.program.ir, self._expected, first), None)
        if difference is not None:
            raise GdslError.single("E0909", difference)
        best, shortest = self.outcome.tuned_ms, first.time_ms
        spent = shortest
        for again in range(_WARMING):  # the first runs wake threads and touch memory, which alone may make them slow
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
        """Compile in the remaining time."""
        left = self._left(1.0)
        try:
            with deadline.limited(max(left, 0.001)):
                way.program.prepare(self.backend, ids=needed_widths(way.program.ir, self.graph))
        except GdslError as error:
            if error.code == "E0802":
                raise _OutOfTimeError from None
            raise

    def _first(self, way: _Way) -> Result:
        """The first result. A first run also checks the inputs and creates what the program needs of the graph, which
        must not count: it may take as long as that of the untuned program, and a second one is allowed if that is not
        enough."""
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
        """The milliseconds of alternating runs, at least one of each."""
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
        """The error of a try, with its knobs: a different result, or an error that the untuned program does not raise;
        errors caused by the machine stay as they are."""
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
        """Compare the best setting with the untuned program once more: gains of several knobs may be accumulated
        noise."""
        if self._best is self._auto:
            self.outcome.tuned_ms = self.outcome.auto_ms
            return
        if self.outcome.stop is not Stop.INTERRUPTED and self._left(1.0) > 0:
            try:
                tuned, auto = self._in_turns(self._best, self._auto, 1.0)
            except KeyboardInterrupt:
                self.outcome.stop = Stop.INTERRUPTED
            except GdslError as error:
                if error.code not in _ENDS:
                    raise
                self.outcome.tuned_ms = self.outcome.auto_ms  # it is not always that fast
            else:
                self.outcome.auto_ms, self.outcome.tuned_ms = statistics.median(auto), statistics.median(tuned)
        if self.outcome.gain < MARGIN:
            self.outcome.knobs, self.outcome.tuned_ms = (), self.outcome.auto_ms


def _on_host(value: Any) -> Any:
    """A result in memory of the host."""
    if isinstance(value, Pair):
        return Pair(*map(_on_host, value))
    return on_host(value) if hasattr(value, "__cuda_array_interface__") else value
