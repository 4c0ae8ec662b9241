"""Ctrl-C and SIGTERM where a library would lose them, or answer them in words and with a status of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_received: list[int] = []
"""The signals that have come inside the latest `ending`, in their order."""

_inside: list[bool] = []
"""An element inside `ending`, whose handlers raise only there."""


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Leave the block on Ctrl-C with KeyboardInterrupt and on SIGTERM with the exit status 128 + SIGTERM, so that what
    the block holds ends, instead of the process at once. The signal wins over everything that it causes: whatever
    leaves the block after it, even a result, becomes that. Only in the main thread, and not for ignored signals.

    Both raise KeyboardInterrupt, which Ray lets pass wherever it waits: in place of a SystemExit it raises one of its
    own, with status 1, and of any other exception it prints a traceback and goes on.
    """
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    handled = {number: handler for number, handler in usual.items() if signal.getsignal(number) == handler}
    if threading.current_thread() is not threading.main_thread() or _inside or not handled:
        yield
        return
    try:  # a signal may come between any two calls: handlers raise only where all of them are set
        _received.clear()
        for number in handled:
            signal.signal(number, _interrupt)
        _inside.append(True)
        check()
        yield
    finally:
        _inside.clear()
        for number in reversed(handled):  # Ctrl-C last, which then raises
            signal.signal(number, handled[number])
        if signal.SIGTERM in _received[:1]:
            sys.exit(128 + signal.SIGTERM)
        if _received:
            raise KeyboardInterrupt


@contextlib.contextmanager
def deferred(seconds: float) -> Iterator[None]:
    """Keep Ctrl-C, and inside `ending` SIGTERM, until the block has been left, for libraries that would leave half of
    what they start, or answer in words of their own; another Ctrl-C, or `seconds` after the first, it comes at once.
    Handlers that the library sets are replaced by those before, and an exit inside is what it makes of SIGTERM. Only in
    the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    formers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    kept: list[int] = []
    patience = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    patience.daemon = True

    def keep(number: int, _: FrameType | None) -> None:
        kept.append(number)
        if len(kept) == 1:
            patience.start()
        elif number == signal.SIGINT:
            raise KeyboardInterrupt

    for number, former in formers.items():
        if former in (signal.default_int_handler, _interrupt):
            signal.signal(number, keep)
    try:
        yield
    except SystemExit:
        if formers[signal.SIGTERM] != _interrupt:
            raise
        kept.append(signal.SIGTERM)
    finally:
        patience.cancel()
        for number, former in formers.items():
            if former is not None:  # otherwise it is not Python's
                signal.signal(number, former)
        if kept:
            signal.raise_signal(kept[0])


@contextlib.contextmanager
def before_the_end(clean_up: Callable[[], object]) -> Iterator[None]:
    """Where SIGTERM or SIGHUP ends the process at once, have it end after `clean_up`, for what others would find. Only
    in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handled = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, _: FrameType | None) -> None:
        clean_up()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    try:
        for number in handled:
            signal.signal(number, end)
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def check() -> None:
    """Raise KeyboardInterrupt if a signal has come inside `ending`: its exception is lost where it was raised in a
    method from which Python lets none pass, such as `__del__`. What waits for long asks from time to time."""
    if _inside and _received:
        raise KeyboardInterrupt


def _interrupt(number: int, _: object) -> None:
    """Leave what runs, the first time; what ends it then, only a further Ctrl-C may cut short."""
    _received.append(number)
    if _inside and (len(_received) == 1 or number == signal.SIGINT):
        raise KeyboardInterrupt
