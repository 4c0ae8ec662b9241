"""Runs that are started now and awaited later, and the default implementation, which runs immediately."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gdsl.backends.interface import Bindings, Executable, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.diagnostics.diagnostic import caution
from gdsl.graph.graph import Graph

Explain = Callable[[GdslError], GdslError]
"""Adds the lines of the program's text to an error."""


class Running(Protocol):
    """One run."""

    def is_done(self) -> bool:
        """Whether there is nothing to wait for; does not wait itself."""
        ...

    def wait(self, until: float | None) -> bool:
        """Wait for the run, or until a moment (of `time.monotonic`): then it is False. On Ctrl-C runs in progress are
        stopped, and KeyboardInterrupt is raised."""
        ...

    def take(self) -> Outcome | None:
        """The outcome of a run that is over; None: it must be submitted again, since it was stopped because of another
        one. Raises what `Executable.run` raises."""
        ...

    def drop(self, explained: Explain) -> None:
        """Nobody will take the outcome: a failure becomes a warning, in the words of `explained`."""
        ...


class Ended:
    """A run that was completed when it was submitted."""

    def __init__(self, outcome: Outcome | None, error: GdslError | None) -> None:
        """Has one of the two."""
        self._outcome, self._error = outcome, error

    def is_done(self) -> bool:
        """True: the run has ended."""
        return True

    def wait(self, until: float | None) -> bool:
        """Returns immediately."""
        return True

    def take(self) -> Outcome | None:
        """The outcome. Raises the run's error."""
        if self._error is not None:
            raise self._error
        return self._outcome

    def drop(self, explained: Explain) -> None:
        """Warn of the failure."""
        if self._error is not None:
            warn_of_failure(self._error, explained)


def warn_of_failure(error: Exception, explained: Explain) -> None:
    """Warn of a failure whose result nobody asked for."""
    message = explained(error) if isinstance(error, GdslError) else f"{type(error).__name__}: {error}"
    caution(f"a run failed whose result was never requested: {message}")


def submit(executable: Executable, graph: Graph, bindings: Bindings, limits: Limits) -> Running:
    """Start a run. Its errors are raised by `Running.take`, also if its timeout passes before it begins."""
    own: Any = getattr(executable, "submit", None)
    try:
        running: Running | None = own(graph, bindings, limits) if own is not None else None
        return running if running is not None else Ended(executable.run(graph, bindings, limits), None)
    except GdslError as error:
        return Ended(None, error.with_traceback(None))  # it refers to the caller
