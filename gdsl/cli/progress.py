"""Signs of life on a terminal for work that takes longer than a second."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from gdsl import deadline
from gdsl.progress import DELAY, on_terminal


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show `what` on standard error, if that is a terminal, while the block runs and once it has run for `DELAY`."""
    with deadline.doing(what), _shown(what):
        yield


@contextlib.contextmanager
def _shown(what: str) -> Iterator[None]:
    if not on_terminal():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(what, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show(what: str, ended: threading.Event) -> None:
    if ended.wait(DELAY):
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        ended.wait()
