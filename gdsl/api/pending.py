"""Runs that `Program.submit` starts and whose results are awaited later."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gdsl import deadline
from gdsl.api.arguments import limits, seconds
from gdsl.api.compiled import CompiledProgram, PreparedRun
from gdsl.api.convergence import warn
from gdsl.api.result import Result
from gdsl.backends import pending as backend_pending
from gdsl.backends.interface import Limits
from gdsl.backends.pending import Running
from gdsl.diagnostics import GdslError
from gdsl.numerals import is_real

if TYPE_CHECKING:
    from gdsl.api.tuned import Tuned
    from gdsl.graph import Graph


def submit(
    program: CompiledProgram,
    graph: Graph,
    arguments: Mapping[str, Any],
    backend: str = "auto",
    timeout: float | None = None,
    max_iterations: int | None = None,
    types: Mapping[str, Any] | None = None,
    round: str | Collection[str] | None = None,  # noqa: A002 - as in `Program.run`
    memory: int | str | None = None,
) -> Pending:
    """`Program.submit`, with names that are known to be str."""
    program = program.instance(graph, arguments, types)
    rounded = program._rounded(round)
    stops = limits(timeout, max_iterations, memory)
    if timeout is None:
        return _submit(program, graph, arguments, backend, stops, 0.0, rounded)
    called = time.monotonic()
    with deadline.limited(timeout):
        return _submit(program, graph, arguments, backend, stops, called, rounded)


def _submit(
    program: CompiledProgram,
    graph: Graph,
    arguments: Mapping[str, Any],
    backend: str,
    stops: Limits,
    called: float,
    rounded: frozenset[str],
) -> Pending:
    tuned = None
    if program._picker is not None:
        program, tuned = program._tuned_for(graph, backend)
    try:
        run = program._prepare_run(graph, arguments, backend, rounded, stops.memory)
        return Pending(program, graph, run, stops, called, tuned)
    except GdslError as error:
        raise program._explained(error) from None


_INSTEAD = {
    "cancel": "a run cannot be taken out of the queue; give `submit` a timeout, or drop what it returned",
    "cancelled": "a run cannot be taken out of the queue",
    "running": "call done()",
    "add_done_callback": "nothing watches the run; for a callback pass `result` to a thread of a "
    "concurrent.futures.ThreadPoolExecutor: pool.submit(pending.result).add_done_callback(…)",
    "_condition": "concurrent.futures only waits for futures of its own executors: call result() of each, or pass "
    "it pool.submit(pending.result) of a ThreadPoolExecutor",
}
"""What Python's own futures also have, and what to do instead."""


class Pending:
    """A run that was started by `Program.submit` and may still be in progress.

    Its graph is kept until the run is over. If nobody asks for the result, a failure becomes a RuntimeWarning. Several
    threads may use it.
    """

    __slots__ = (
        "__weakref__",
        "_called",
        "_is_delivered",
        "_outcomes",
        "_program",
        "_request",
        "_running",
        "_stops",
        "_tuned",
        "_warning",
    )

    def __init__(
        self,
        program: CompiledProgram,
        graph: Graph,
        run: PreparedRun,
        stops: Limits,
        called: float,
        tuned: Tuned | None,
    ) -> None:
        """Use `Program.submit` instead."""
        self._outcomes: list[Result | Exception] = []
        """The first one counts; several threads may add one at the same time."""
        self._is_delivered = False
        self._warning: str | None = None
        """What `result` still has to warn of."""
        self._program, self._stops, self._called, self._tuned = program, stops, called, tuned
        self._request: tuple[Graph, PreparedRun] | None = (graph, run)
        self._running = backend_pending.submit(run.executable, graph, run.bindings, self._remaining())

    def _remaining(self) -> Limits:
        """The limits with the time that has passed."""
        stops = self._stops
        return stops if stops.timeout is None else replace(stops, spent=time.monotonic() - self._called)

    def done(self) -> bool:
        """Whether `result` would return without waiting. This does not wait either; it stops a run that is late."""
        while not self._outcomes:
            running = self._running
            if not running.is_done():
                return False
            self._take(running)
        return True

    def result(self, timeout: float | None = None) -> Result:
        """The result of the run, the same `Result` each time; waits for it for at most `timeout` seconds (0 or less:
        not at all).

        Raises what the call would have raised, and TimeoutError if the run is still in progress after `timeout`; it
        then continues. Ctrl-C stops everything in the GPU's queue; `result` of a run that was stopped this way runs it
        again.
        """
        outcome = self._wait(timeout)
        if isinstance(outcome, Exception):
            raise outcome.with_traceback(None) from None
        warning, self._warning = self._warning, None
        if warning is not None:
            warn(warning)
        return outcome

    def exception(self, timeout: float | None = None) -> Exception | None:
        """What `result` would raise, None if the run succeeded; waits as `result` does."""
        outcome = self._wait(timeout)
        return outcome if isinstance(outcome, Exception) else None

    def _wait(self, timeout: float | None) -> Result | Exception:
        """The outcome of the run. Raises TimeoutError."""
        most = 0.0 if timeout is not None and is_real(timeout) and timeout <= 0 else seconds(timeout)
        until = None if most is None else time.monotonic() + most
        while not self._outcomes:
            running = self._running
            if not running.wait(until):
                raise TimeoutError(f"the run is still in progress{f' after {most:g} seconds' if most else ''}")
            self._take(running)
        self._is_delivered = True
        return self._outcomes[0]

    def _take(self, running: Running) -> None:
        """Take the outcome of a run that is over; if it was stopped because of another one, start it again."""
        request = self._request
        if request is None:  # another thread was quicker
            return
        graph, run = request
        try:
            outcome = running.take()
        except Exception as error:  # of the driver too
            self._outcomes.append(self._program._explained(error) if isinstance(error, GdslError) else error)
            error.__traceback__ = None  # it refers to this object
        else:
            if outcome is None:
                if self._running is running:
                    self._running = backend_pending.submit(run.executable, graph, run.bindings, self._remaining())
                return
            backend, results = run.choice.backend.name, self._program._results
            result = run.result(results, outcome, graph)
            result.tuned = self._tuned
            if not (self._outcomes or results.watch.is_idle):
                # Reading arrays on a GPU would wait for the runs that are queued after this one.
                arrays = {} if backend == "cuda" else outcome.arrays
                self._warning = results.watch.check(arrays, outcome.scalars, outcome.iterations, run.bindings)
            self._outcomes.append(result)
        self._request = None

    def __del__(self) -> None:
        running = getattr(self, "_running", None)
        succeeded = self._outcomes and isinstance(self._outcomes[0], Result)
        if running is not None and not self._is_delivered and not succeeded:
            running.drop(self._program._explained)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a run that may be in progress cannot leave its process; its result() can be copied and pickled"
        )

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError with the place where the name is available."""
        if name in _INSTEAD:
            raise AttributeError(f"a Pending has no {name!r}: {_INSTEAD[name]}")
        if not name.startswith("_") and name in self._program._results.declared:
            raise AttributeError(f"a Pending has no {name!r}, its result has: pending.result().{name}")
        raise AttributeError(f"a Pending has no {name!r}; it has result(), exception() and done()")

    def __repr__(self) -> str:
        is_done = bool(self._outcomes)
        with contextlib.suppress(GdslError, RuntimeError):  # in a forked process, or during another run
            is_done = is_done or self._running.is_done()
        return f"<Pending {self._program.name}, {'done' if is_done else 'in progress'}>"
