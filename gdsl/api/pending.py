"""What `Program.submit` gives back: a run that is waited for later."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gdsl import deadline
from gdsl.api.given import called_with
from gdsl.api.limits import limits, seconds
from gdsl.api.result import Result
from gdsl.api.signature import OPTIONS
from gdsl.backends.interface import Bindings, Executable, Limits
from gdsl.backends.pending import submit
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, as_graph

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.api.tuned import Tuned
    from gdsl.backends.registry import Choice

_Asked = tuple[Executable, Graph, Bindings]


class _How(NamedTuple):
    """What a result says beside what the run gave; `called`: when it was asked for."""

    choice: Choice
    compile_ms: float
    tuned: Tuned | None
    called: float

    def again(self, stops: Limits) -> Limits:
        """What is left of the time, for another run."""
        return stops if stops.timeout is None else replace(stops, spent=time.monotonic() - self.called)


def submitted(program: Program, graph: Any, values: Mapping[str, Any] | None, named: dict[str, Any]) -> Pending:
    """`Program.submit`."""
    given, options = called_with(OPTIONS, program._binder.known, values, named)
    return _submitted(program, as_graph(graph), given, **options)


def _submitted(
    program: Program,
    graph: Graph,
    given: Mapping[str, Any],
    backend: str = "auto",
    timeout: float | None = None,
    max_iterations: int | None = None,
) -> Pending:
    stops, called = limits(timeout, max_iterations), 0.0
    if timeout is None:
        return _asked_for(program, graph, given, backend, stops, called)
    called = time.monotonic()
    with deadline.limited(timeout):
        return _asked_for(program, graph, given, backend, stops, called)


def _asked_for(
    program: Program, graph: Graph, given: Mapping[str, Any], backend: str, stops: Limits, called: float
) -> Pending:
    tuned = None
    if program._picker is not None:
        program, tuned = program._picked(graph, backend)
    try:
        choice, executable, bindings, compile_ms = program._asked(graph, given, backend)
        how = _How(choice, compile_ms, tuned, called)
        return Pending(program, (executable, graph, bindings), how.again(stops), how)
    except GdslError as error:
        raise program._explained(error) from None


class Pending:
    """A run that was asked for by `Program.submit` and may still be going on.

    Its graph stays until it is over. Where the result is never asked for, a failure becomes a RuntimeWarning.
    """

    __slots__ = ("__weakref__", "_asked", "_error", "_how", "_is_told", "_program", "_result", "_running", "_stops")

    def __init__(self, program: Program, asked: _Asked, stops: Limits, how: _How) -> None:
        """Use `Program.submit` instead."""
        self._result: Result | None = None
        self._error: GdslError | None = None
        self._is_told = False
        self._program, self._stops, self._how = program, stops, how
        self._asked: _Asked | None = asked
        self._running = submit(*asked, stops)

    def done(self) -> bool:
        """Whether `result` has nothing to wait for. This does not wait either; a run that is late is stopped by it."""
        while self._result is None and self._error is None:
            if not self._running.is_done():
                return False
            self._take()
        return True

    def result(self, timeout: float | None = None) -> Result:
        """What the run gave, the same `Result` each time; waits for it for `timeout` seconds at most (0: not at all).

        Raises what the call would have raised, and TimeoutError where the run is still going on after `timeout`, and
        goes on. Ctrl-C stops what the GPU has in line; `result` of a run that was stopped so runs it anew.
        """
        if self._result is None and self._error is None:
            most = 0.0 if type(timeout) in (int, float) and timeout == 0 else seconds(timeout)
            until = None if most is None else time.monotonic() + most
            while self._result is None and self._error is None:
                if not self._running.wait(until):
                    raise TimeoutError(f"the run is still going on after {most:g} seconds")
                self._take()
        if self._error is not None:
            self._is_told = True
            raise self._error.with_traceback(None) from None
        assert self._result is not None
        return self._result

    def _take(self) -> None:
        """What the run gave, which is over; where it was stopped for another's sake, ask for it again."""
        if self._asked is None:  # another thread was quicker
            return
        executable, graph, bindings = self._asked
        how = self._how
        try:
            outcome = self._running.take()
        except GdslError as error:
            self._error = self._program._explained(error)
            error.__traceback__ = None  # which knows this object
            self._asked = None
            return
        if outcome is None:
            self._running = submit(executable, graph, bindings, how.again(self._stops))
            return
        backend = how.choice.backend.name
        made = Result(self._program._results, outcome, backend, how.choice.line, how.compile_ms, bindings.params, graph)
        made.tuned = how.tuned
        self._result, self._asked = made, None

    def __del__(self) -> None:
        running = getattr(self, "_running", None)
        if running is not None and self._result is None and not self._is_told:
            running.drop()

    def __reduce__(self) -> Any:
        raise TypeError("a run that may still be going on stays in its process; its result() can be copied and pickled")

    def __repr__(self) -> str:
        return f"<Pending {self._program.name}, {'done' if self.done() else 'going on'}>"
