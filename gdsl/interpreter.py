"""Settings of the Python interpreter for the compiler: room for deep recursion, and a pause of garbage collection."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import gc
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

Result = TypeVar("Result")

DEEPEST_NESTING = 200
"""The most nested levels of a program's syntax tree; the parser rejects deeper ones."""

_FRAMES_A_LEVEL = 15
"""More than any stage needs for one level of a program."""

_MOST_ON_ANY_STACK = 5_000
_BYTES_A_FRAME = 2_048
_LARGEST_STACK = 1 << 30
_WAIT = 0.1


def make_room() -> None:
    """Raise Python's recursion limit to what the deepest program needs. It is never lowered: other threads may be deep
    in a program at any moment."""
    required_limit = 1000 + DEEPEST_NESTING * _FRAMES_A_LEVEL
    if sys.getrecursionlimit() < required_limit:
        sys.setrecursionlimit(required_limit)


def with_room(frames: int, work: Callable[[], Result]) -> Result:
    """Call `work`, which may nest up to `frames` Python frames.

    Before Python 3.11 each frame takes a part of the C stack, so `work` runs in a thread with a stack that is large
    enough; Ctrl-C reaches it there.
    """
    required_limit = 1000 + DEEPEST_NESTING * _FRAMES_A_LEVEL + frames
    if sys.getrecursionlimit() < required_limit:
        sys.setrecursionlimit(required_limit)
    if sys.version_info >= (3, 11) or frames < _MOST_ON_ANY_STACK:
        return work()
    return _in_a_thread(work, min(frames * _BYTES_A_FRAME, _LARGEST_STACK))


def _in_a_thread(work: Callable[[], Result], stack: int) -> Result:
    from concurrent.futures import Future
    from concurrent.futures import TimeoutError as NotYet

    future: Future[Result] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(work))
        except BaseException as error:
            future.set_exception(error)

    former = threading.stack_size(stack)
    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
    finally:
        threading.stack_size(former)
    while True:
        try:
            return future.result(timeout=_WAIT)
        except NotYet:
            if future.done():
                raise
        except KeyboardInterrupt:
            ident = ctypes.c_ulong(thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(KeyboardInterrupt))


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Pause garbage collection, for work that creates many small objects in a fraction of a second.

    Their number alone would make Python scan everything that the process has imported, which takes about as long as
    loading the parser's tables. With several threads, the first one that entered resumes collection.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
