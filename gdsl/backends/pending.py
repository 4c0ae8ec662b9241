"""Runs that are asked for and waited for later: what a backend gives for one, and how it does so without a way of its
own, which is to wait at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gdsl.backends.interface import Bindings, Executable, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.diagnostics.diagnostic import caution
from gdsl.graph.graph import Graph

Explain = Callable[[GdslError], GdslError]
"""Gives an error with the lines of the program's text that it is about."""


class Running(Protocol):
    """One run."""

    def is_done(self) -> bool:
        """Whether there is nothing to wait for; does not wait itself."""
        ...

    def wait(self, until: float | None) -> bool:
        """Until the run is over, or until this moment (of `time.monotonic`): then it is False. On Ctrl-C what is going
        on is stopped, and KeyboardInterrupt raised."""
        ...

    def take(self) -> Outcome | None:
        """What the run gave, once it is over; None: it must be asked for again, since it was stopped for another's
        sake. Raises what `Executable.run` raises."""
        ...

    def drop(self, explained: Explain) -> None:
        """Nobody will take it: a failure becomes a warning, in the words that `explained` finds."""
        ...


class Ended:
    """A run that was waited for when it was asked for."""

    def __init__(self, outcome: Outcome | None, error: GdslError | None) -> None:
        """One of the two."""
        self._outcome, self._error = outcome, error

    def is_done(self) -> bool:
        """It is."""
        return True

    def wait(self, until: float | None) -> bool:
        """Not at all."""
        return True

    def take(self) -> Outcome | None:
        """What it gave. Raises what it failed with."""
        if self._error is not None:
            raise self._error
        return self._outcome

    def drop(self, explained: Explain) -> None:
        """Warn of the failure."""
        if self._error is not None:
            warn_of_failure(self._error, explained)


def warn_of_failure(error: Exception, explained: Explain) -> None:
    """Warn of a failure that nobody has asked for."""
    told = explained(error) if isinstance(error, GdslError) else f"{type(error).__name__}: {error}"
    caution(f"a run failed whose result nobody has asked for: {told}")


def submit(executable: Executable, graph: Graph, bindings: Bindings, limits: Limits) -> Running:
    """Ask for a run. What it fails with, `Running.take` raises, also where its time is over before its turn comes."""
    own: Any = getattr(executable, "submit", None)
    try:
        running: Running | None = own(graph, bindings, limits) if own is not None else None
        return running if running is not None else Ended(executable.run(graph, bindings, limits), None)
    except GdslError as error:
        return Ended(None, error.with_traceback(None))  # which knows who asked
