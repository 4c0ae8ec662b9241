"""What `Program.submit` gives back: a run that is waited for later."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdsl import deadline
from gdsl.api.limits import limits, seconds
from gdsl.api.result import Result
from gdsl.backends.interface import Bindings, Executable, Limits
from gdsl.backends.pending import submit
from gdsl.diagnostics import GdslError

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
) -> Pending:
    """`Program.submit`, of names that are known to be str."""
    stops = limits(timeout, max_iterations)
    if timeout is None:
        return _submitted(program, graph, given, backend, stops, 0.0)
    called = time.monotonic()
    with deadline.limited(timeout):
        return _submitted(program, graph, given, backend, stops, called)


def _submitted(
    program: Program, graph: Graph, given: Mapping[str, Any], backend: str, stops: Limits, called: float
) -> Pending:
    tuned = None
    if program._picker is not None:
        program, tuned = program._picked(graph, backend)
    try:
        return Pending(program, graph, program._asked(graph, given, backend), stops, called, tuned)
    except GdslError as error:
        raise program._explained(error) from None


class Pending:
    """A run that was asked for by `Program.submit` and may still be going on.

    Its graph stays until it is over. Where the result is never asked for, a failure becomes a RuntimeWarning.
    """

    __slots__ = (
        "__weakref__",
        "_asked",
        "_called",
        "_error",
        "_graph",
        "_is_told",
        "_program",
        "_result",
        "_running",
        "_stops",
        "_tuned",
    )

    def __init__(
        self, program: Program, graph: Graph, asked: _Asked, stops: Limits, called: float, tuned: Tuned | None
    ) -> None:
        """Use `Program.submit` instead."""
        self._result: Result | None = None
        self._error: GdslError | None = None
        self._is_told = False
        self._program, self._graph, self._stops, self._called, self._tuned = program, graph, stops, called, tuned
        self._asked: _Asked | None = asked
        self._running = submit(asked[1], graph, asked[2], self._left())

    def _left(self) -> Limits:
        """With what is left of the time."""
        stops = self._stops
        return stops if stops.timeout is None else replace(stops, spent=time.monotonic() - self._called)

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
        if self._result is None:
            self._wait(timeout)
        if self._error is not None:
            self._is_told = True
            raise self._error.with_traceback(None) from None
        assert self._result is not None
        return self._result

    def _wait(self, timeout: float | None) -> None:
        """Until there is a result or an error. Raises TimeoutError."""
        most = 0.0 if type(timeout) in (int, float) and timeout == 0 else seconds(timeout)
        until = None if most is None else time.monotonic() + most
        while self._result is None and self._error is None:
            if not self._running.wait(until):
                raise TimeoutError(f"the run is still going on after {most:g} seconds")
            self._take()

    def _take(self) -> None:
        """What the run gave, which is over; where it was stopped for another's sake, ask for it again."""
        asked = self._asked
        if asked is None:  # another thread was quicker
            return
        choice, executable, bindings, compile_ms = asked
        graph, program = self._graph, self._program
        try:
            outcome = self._running.take()
        except GdslError as error:
            self._error = program._explained(error)
            error.__traceback__ = None  # which knows this object
        else:
            if outcome is None:
                self._running = submit(executable, graph, bindings, self._left())
                return
            backend = choice.backend.name
            made = Result(program._results, outcome, backend, choice.line, compile_ms, bindings.params, graph)
            made.tuned = self._tuned
            self._result = made
        self._asked = None
        del self._graph

    def __del__(self) -> None:
        running = getattr(self, "_running", None)
        if running is not None and self._result is None and not self._is_told:
            running.drop()

    def __reduce__(self) -> Any:
        raise TypeError("a run that may still be going on stays in its process; its result() can be copied and pickled")

    def __repr__(self) -> str:
        return f"<Pending {self._program.name}, {'done' if self.done() else 'going on'}>"
