"""The deadline of a run, which everything that takes long between a call and its result checks.

It is in a context variable, so that it need not be passed to whatever evaluates an expression or waits for a compiler.
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
"""Seconds until `interrupting` signals again if its error was caught."""
_LONGEST_TIMER = 1e6
"""The longest timer that systems support; one that fires too early checks the clock and is set again."""


@dataclass
class _Deadline:
    timeout: float
    started: float
    doing: str = ""


_current: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)
current = _current.get
"""The current deadline, or None: not wrapped in a function of this module, as each call needs it."""


@contextlib.contextmanager
def limited(timeout: float | None) -> Iterator[None]:
    """Limit everything inside to `timeout` seconds in all (None: no limit). A deadline that is already set stays: the
    command line counts from its own start."""
    if timeout is None or _current.get() is not None:
        yield
        return
    token = _current.set(_Deadline(timeout, time.monotonic()))
    try:
        yield
    finally:
        _current.reset(token)


class doing:  # noqa: N801 - it is used as contextlib's are, and as cheap as it can be: each call has some
    """Describe what is done inside, such as ``reading roads.mtx``, for the message about the timeout."""

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
    """Raise E0802 if the time is over."""
    deadline = _current.get()
    if deadline is not None and time.monotonic() - deadline.started > deadline.timeout:
        raise timeout_error(deadline.timeout, deadline.doing)


def spent() -> float:
    """Seconds of the timeout that have passed; 0 without one."""
    deadline = _current.get()
    return 0.0 if deadline is None else time.monotonic() - deadline.started


def left() -> float | None:
    """Seconds until the deadline, at least a moment; None without one."""
    deadline = _current.get()
    return None if deadline is None else max(deadline.timeout - spent(), 0.001)


@contextlib.contextmanager
def interrupting() -> Iterator[None]:
    """Raise E0802 in the middle of whatever is done inside, by a signal, as reading and waiting do not check the clock.
    Only in the main thread; elsewhere the deadline takes effect later."""
    remaining = left()
    if remaining is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGALRM, lambda *_: check())
    signal.setitimer(signal.ITIMER_REAL, min(remaining + 0.001, _LONGEST_TIMER), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def timeout_error(
    timeout: float | None, what: str = "", span: Span | None = None, notes: tuple[str, ...] = (), fix: str | None = None
) -> GdslError:
    """E0802 after `timeout` seconds, during `what`; `span` is that of the loop that did not end."""
    doing_it = f", {'' if span else 'while '}{what}" if what else ""
    message = f"the run was stopped after {timeout or 0:g} seconds, its timeout{doing_it}"
    return GdslError.single("E0802", message, span, notes=notes, fix=fix)
