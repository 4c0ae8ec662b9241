"""Where a worker's messages wait until its run asks for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOOK = 0.5
"""Seconds after which a worker that waits looks whether those that it has written to are still there."""


class Mailbox:
    """Messages of other workers, by run, by exchange and by sender. One thread delivers, another one takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages: dict[tuple[int, int, int], NDArray[Any]] = {}
        self._errors: dict[int, BaseException] = {}
        self._run = 0

    def begin(self, run: int) -> None:
        """Forget what earlier runs have left; runs have ascending numbers."""
        with self._changed:
            self._run = run
            self._messages = {key: message for key, message in self._messages.items() if key[0] >= run}
            self._errors = {key: error for key, error in self._errors.items() if key >= run}

    def deliver(self, run: int, exchange: int, sender: int, message: NDArray[Any]) -> None:
        """Put down the message of a sender in an exchange of a run; one of an earlier run is dropped."""
        with self._changed:
            if run >= self._run:
                self._messages[run, exchange, sender] = message
                self._changed.notify_all()

    def abort(self, run: int, error: BaseException) -> None:
        """Let each `take` of this run raise `error`; the first one counts."""
        with self._changed:
            if run >= self._run:
                self._errors.setdefault(run, error)
                self._changed.notify_all()

    def check(self, run: int) -> None:
        """Raise the error of this run, if there is one."""
        with self._changed:
            if run in self._errors:
                raise self._errors[run]

    def take(self, run: int, exchange: int, sender: int, look: Callable[[], None]) -> NDArray[Any]:
        """A copy of the message of `sender` in this exchange, once it is there. `look`, which may raise, is called
        meanwhile. Raises the error that `abort` was called with."""
        with self._changed:
            while (message := self._messages.pop((run, exchange, sender), None)) is None:
                if run in self._errors:
                    raise self._errors[run]
                if not self._changed.wait(LOOK):
                    look()
        return np.array(message)
