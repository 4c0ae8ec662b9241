"""Room for programs that are nested deeply: the compiler follows the tree of a program by recursion."""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

DEEPEST_NESTING = 200
"""How many levels of a program's syntax tree may lie inside each other; what is deeper is refused by the parser."""

_FRAMES_A_LEVEL = 15
"""More than any stage takes for one level of a program."""

_MOST_ON_ANY_STACK = 5_000
_BYTES_A_FRAME = 2_048
_LARGEST_STACK = 1 << 30
_WAIT = 0.1


def make_room() -> None:
    """Raise Python's own limit to what the deepest program needs. It is never lowered again: other threads may be deep
    in a program at any moment."""
    wanted = 1000 + DEEPEST_NESTING * _FRAMES_A_LEVEL
    if sys.getrecursionlimit() < wanted:
        sys.setrecursionlimit(wanted)


def with_room(frames: int, work: Callable[[], Result]) -> Result:
    """`work()`, which takes up to `frames` Python frames above each other.

    Before Python 3.11 every one of them takes its part of the C stack, so `work` gets a thread with one that is large
    enough; Ctrl-C reaches it there.
    """
    wanted = 1000 + DEEPEST_NESTING * _FRAMES_A_LEVEL + frames
    if sys.getrecursionlimit() < wanted:
        sys.setrecursionlimit(wanted)
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
