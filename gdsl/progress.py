"""Signs of life for work that takes longer than a second: on a terminal by Rich, in a notebook by tqdm.

Rich is there anyway and draws the terminal; in a notebook it asks for widgets and else shows nothing, where tqdm has a
bar of text. Where standard error is neither, nothing is shown.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gdsl import deadline

DELAY = 1.0
"""Seconds of silence before anything is shown."""

Advance = Callable[[int], None]
"""Says that so many more of the steps are done."""


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show `what` on standard error, if that is a terminal, while the block runs and once it has run for `DELAY`."""
    with deadline.doing(what), _shown(what):
        yield


@contextlib.contextmanager
def counting(what: str, total: int) -> Iterator[Advance]:
    """Show a bar for `total` steps while the block runs and once it has run for `DELAY`; the block calls what it is
    given with the number of steps that it has done since."""
    with deadline.doing(what):
        if _in_notebook():
            with _notebook_bar(what, total) as advance:
                yield advance
        elif _on_terminal():
            with _terminal_bar(what, total) as advance:
                yield advance
        else:
            yield lambda steps: None


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _in_notebook() -> bool:
    """Whether this is the kernel of a notebook; IPython is asked only where somebody else has imported it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return shell is not None and "IPKernelApp" in shell.config


@contextlib.contextmanager
def _shown(what: str) -> Iterator[None]:
    if not _on_terminal():
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


@contextlib.contextmanager
def _terminal_bar(what: str, total: int) -> Iterator[Advance]:
    started, done, bar, task = time.monotonic(), 0, None, None

    def advance(steps: int) -> None:
        nonlocal done, bar, task
        done += steps
        if bar is None and time.monotonic() - started > DELAY:
            bar = _rich_bar()
            task = bar.add_task(what, total=total)
            bar.start()
        if bar is not None:
            bar.update(task, completed=done)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _rich_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextlib.contextmanager
def _notebook_bar(what: str, total: int) -> Iterator[Advance]:
    """tqdm's, which is a widget where there are widgets and else text; nothing where the extra is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm warns where there are no widgets, and text will do
            from tqdm.auto import tqdm
    except ImportError:
        yield lambda steps: None
        return
    with tqdm(total=total, desc=what, delay=DELAY, leave=False) as bar:
        yield bar.update
