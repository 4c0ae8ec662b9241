"""What `Program.submit` gives back: a run that is waited for later."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdsl import deadline
from gdsl.api.convergence import warn
from gdsl.api.limits import NO_LIMITS, limits, seconds
from gdsl.api.result import Result
from gdsl.backends.interface import Bindings, Executable, Limits
from gdsl.backends.pending import Running, submit
from gdsl.diagnostics import GdslError
from gdsl.numerals import is_real

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.api.tuned import Tuned
    from gdsl.backends.registry import Choice
    from gdsl.graph import Graph

_Asked = tuple["Choice", Executable, Bindings, float]
"""What `Program._asked` gives."""


def submitted(
    program: Program,
    graph: Graph,
    given: Mapping[str, Any],
    backend: str = "auto",
    timeout: float | None = None,
    max_iterations: int | None = None,
    types: Mapping[str, Any] | None = None,
    round: str | Collection[str] | None = None,  # noqa: A002 - as `Program.run` calls it
) -> Pending:
    """`Program.submit`, of names that are known to be str."""
    program = program.instance(graph, given, types)
    rounded = program._rounded(round)
    stops = NO_LIMITS if timeout is None and max_iterations is None else limits(timeout, max_iterations)
    if timeout is None:
        return _submitted(program, graph, given, backend, stops, 0.0, rounded)
    called = time.monotonic()
    with deadline.limited(timeout):
        return _submitted(program, graph, given, backend, stops, called, rounded)


def _submitted(
    program: Program,
    graph: Graph,
    given: Mapping[str, Any],
    backend: str,
    stops: Limits,
    called: float,
    rounded: frozenset[str],
) -> Pending:
    tuned = None
    if program._picker is not None:
        program, tuned = program._picked(graph, backend)
    try:
        return Pending(program, graph, program._asked(graph, given, backend, rounded), stops, called, tuned)
    except GdslError as error:
        raise program._explained(error) from None


_ELSEWHERE = {
    "cancel": "a run cannot be taken out of the line; give `submit` a timeout, or let go of what it gave",
    "cancelled": "a run cannot be taken out of the line",
    "running": "ask done()",
    "add_done_callback": "nobody watches the run; for a callback hand `result` to a thread of a "
    "concurrent.futures.ThreadPoolExecutor: pool.submit(pending.result).add_done_callback(…)",
    "_condition": "concurrent.futures waits for futures of its own executors alone: ask each for its result(), or give "
    "it pool.submit(pending.result) of a ThreadPoolExecutor",
}
"""What Python's own futures have beside, and what to do instead."""


class Pending:
    """A run that was asked for by `Program.submit` and may still be going on.

    Its graph stays until it is over. Where the result is never asked for, a failure becomes a RuntimeWarning. Several
    threads may ask.
    """

    __slots__ = (
        "__weakref__",
        "_asked",
        "_called",
        "_ended",
        "_is_told",
        "_program",
        "_running",
        "_said",
        "_stops",
        "_tuned",
    )

    def __init__(
        self, program: Program, graph: Graph, asked: _Asked, stops: Limits, called: float, tuned: Tuned | None
    ) -> None:
        """Use `Program.submit` instead."""
        self._ended: list[Result | Exception] = []
        """The first is what came of it: of several threads that find out at once one is the first."""
        self._is_told = False
        self._said: str | None = None
        """What `result` has still to warn of."""
        self._program, self._stops, self._called, self._tuned = program, stops, called, tuned
        self._asked: tuple[Graph, _Asked] | None = (graph, asked)
        self._running = submit(asked[1], graph, asked[2], stops if stops.timeout is None else self._left())

    def _left(self) -> Limits:
        """With what is left of the time."""
        stops = self._stops
        return stops if stops.timeout is None else replace(stops, spent=time.monotonic() - self._called)

    def done(self) -> bool:
        """Whether `result` has nothing to wait for. This does not wait either; a run that is late is stopped by it."""
        while not self._ended:
            running = self._running
            if not running.is_done():
                return False
            self._take(running)
        return True

    def result(self, timeout: float | None = None) -> Result:
        """What the run gave, the same `Result` each time; waits for it for `timeout` seconds at most (0 or less: not at
        all).

        Raises what the call would have raised, and TimeoutError where the run is still going on after `timeout`, and
        goes on. Ctrl-C stops what the GPU has in line; `result` of a run that was stopped so runs it anew.
        """
        found = self._waited(timeout)
        if isinstance(found, Exception):
            raise found.with_traceback(None) from None
        said, self._said = self._said, None
        if said is not None:
            warn(said)
        return found

    def exception(self, timeout: float | None = None) -> Exception | None:
        """What `result` would raise of the run, None where it came to its end; waits as `result` does."""
        found = self._waited(timeout)
        return found if isinstance(found, Exception) else None

    def _waited(self, timeout: float | None) -> Result | Exception:
        """What came of the run, which the caller is told. Raises TimeoutError."""
        most = 0.0 if timeout is not None and is_real(timeout) and timeout <= 0 else seconds(timeout)
        until = None if most is None else time.monotonic() + most
        while not self._ended:
            running = self._running
            if not running.wait(until):
                raise TimeoutError(f"the run is still going on{f' after {most:g} seconds' if most else ''}")
            self._take(running)
        self._is_told = True
        return self._ended[0]

    def _take(self, running: Running) -> None:
        """What the run gave, which is over; where it was stopped for another's sake, ask for it again."""
        asked = self._asked
        if asked is None:  # another thread was quicker
            return
        graph, (choice, executable, bindings, compile_ms) = asked
        try:
            outcome = running.take()
        except Exception as error:  # of the driver too
            self._ended.append(self._program._explained(error) if isinstance(error, GdslError) else error)
            error.__traceback__ = None  # which knows this object
        else:
            if outcome is None:
                if self._running is running:
                    self._running = submit(executable, graph, bindings, self._left())
                return
            backend = choice.backend.name
            made = Result(self._program._results, outcome, backend, choice.line, compile_ms, bindings.params, graph)
            made.tuned = self._tuned
            watch = self._program._results.watch
            if not (self._ended or watch.is_idle):
                # To look at arrays of a GPU would wait for the runs in line behind this one.
                arrays = {} if backend == "cuda" else outcome.arrays
                self._said = watch.found(arrays, outcome.scalars, outcome.iterations, bindings)
            self._ended.append(made)
        self._asked = None

    def __del__(self) -> None:
        running = getattr(self, "_running", None)
        if running is not None and not self._is_told and not (self._ended and isinstance(self._ended[0], Result)):
            running.drop(self._program._explained)

    def __reduce__(self) -> Any:
        raise TypeError("a run that may still be going on stays in its process; its result() can be copied and pickled")

    def __getattr__(self, name: str) -> Any:
        """Nothing; says where it is to be had."""
        if name in _ELSEWHERE:
            raise AttributeError(f"a Pending has no {name!r}: {_ELSEWHERE[name]}")
        if not name.startswith("_") and name in self._program._results.declared:
            raise AttributeError(f"a Pending has no {name!r}, its result has: pending.result().{name}")
        raise AttributeError(f"a Pending has no {name!r}; it has result(), exception() and done()")

    def __repr__(self) -> str:
        is_done = bool(self._ended)
        with contextlib.suppress(GdslError, RuntimeError):  # of a process that was forked, and amidst another run
            is_done = is_done or self._running.is_done()
        return f"<Pending {self._program.name}, {'done' if is_done else 'going on'}>"
