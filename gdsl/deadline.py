"""The one deadline of a run: whatever takes long between a call and its result looks at it.

It is kept in a context variable, so that what evaluates an expression or waits for a compiler need not be given it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

from gdsl.diagnostics import GdslError
from gdsl.source import Span

_AGAIN = 0.5
"""Seconds after which `interrupting` comes back where something caught its error."""
_LONGEST_TIMER = 1e6
"""Timers of the system end somewhere; one that comes too early looks at the clock and goes on."""


@dataclass
class _Deadline:
    timeout: float
    started: float
    doing: str = ""


_current: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)
current = _current.get
"""The one that runs, or None: not a function of this module, as each call asks."""


@contextlib.contextmanager
def limited(timeout: float | None) -> Iterator[None]:
    """Let what is done inside last `timeout` seconds in all (None: as long as it takes). One that runs already goes
    on: the command line counts from its own start."""
    if timeout is None or _current.get() is not None:
        yield
        return
    token = _current.set(_Deadline(timeout, time.monotonic()))
    try:
        yield
    finally:
        _current.reset(token)


class doing:  # noqa: N801 - it is used as contextlib's are, and as cheap as it can be: each call has some
    """Say what is going on inside, such as ``reading roads.mtx``, for the message about the timeout."""

    __slots__ = ("_deadline", "_outer", "_what")

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        self._deadline = deadline = _current.get()
        if deadline is not None:
            self._outer, deadline.doing = deadline.doing, self._what

    def __exit__(self, kind: object, *_: object) -> None:
        deadline = self._deadline
        if deadline is not None and kind is None:
            check()
            deadline.doing = self._outer


def check() -> None:
    """Raise E0802 once the time is over."""
    deadline = _current.get()
    if deadline is not None and time.monotonic() - deadline.started > deadline.timeout:
        raise timeout_error(deadline.timeout, deadline.doing)


def spent() -> float:
    """Seconds of the timeout that are gone; 0 where there is none."""
    deadline = _current.get()
    return 0.0 if deadline is None else time.monotonic() - deadline.started


def left() -> float | None:
    """Seconds until the deadline, at least a moment; None where there is none."""
    deadline = _current.get()
    return None if deadline is None else max(deadline.timeout - spent(), 0.001)


@contextlib.contextmanager
def interrupting() -> Iterator[None]:
    """Raise E0802 in the middle of whatever is done inside, by a signal: reading and waiting do not look at the clock.
    Only in the main thread, and where the system has such signals; elsewhere the deadline is seen later."""
    remaining = left()
    if (
        remaining is None
        or not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    former = signal.signal(signal.SIGALRM, lambda *_: check())
    signal.setitimer(signal.ITIMER_REAL, min(remaining + 0.001, _LONGEST_TIMER), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def timeout_error(timeout: float, what: str = "", span: Span | None = None, fix: str | None = None) -> GdslError:
    """E0802 after `timeout` seconds, while `what` was going on; `span` is that of the loop that did not end."""
    doing_it = f", {'' if span else 'while '}{what}" if what else ""
    message = f"the run was stopped after {timeout:g} seconds, its timeout{doing_it}"
    return GdslError.single("E0802", message, span, fix=fix)
