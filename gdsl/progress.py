"""Progress of work that takes longer than a second: on a terminal by Rich, in a notebook by tqdm.

Rich is a dependency and draws on the terminal; in a notebook it needs widgets and otherwise shows nothing, where tqdm
has a bar of text. If standard error is neither, nothing is shown.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from gdsl import deadline

DELAY = 1.0
"""Seconds before anything is shown."""


def on_terminal() -> bool:
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook; IPython is only used if the process has imported it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None  # type: ignore[union-attr]
    return "IPKernelApp" in getattr(shell, "config", ())


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Show `what` on standard error, if that is a terminal, from `DELAY` seconds on until the block ends."""
    with deadline.doing(what), _shown(what):
        yield


@contextlib.contextmanager
def _shown(what: str) -> Iterator[None]:
    if not on_terminal():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(what, ended), daemon=True)
    with contextlib.suppress(RuntimeError):  # the system starts no more threads, and the work needs none
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()


def _show(what: str, ended: threading.Event) -> None:
    if ended.wait(DELAY):
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} …"):
        ended.wait()


class Counting:
    """A bar of how many things are done; nothing within the first `DELAY` seconds."""

    def __init__(self, what: str, total: int, shown: bool | None = None) -> None:
        """`shown` None: on a terminal, and in a notebook if tqdm is installed."""
        self._what, self._total = what, total
        self._wanted = shown if shown is not None else on_terminal() or in_notebook()
        self._bar: Any = None
        self._done, self._began = 0, time.monotonic()

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()

    def add(self, count: int) -> None:
        """Note that `count` more are done, and show it."""
        self._done += count
        if not self._wanted:
            return
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() - self._began > DELAY:
            self._bar = (_NotebookBar if in_notebook() else _TerminalBar)(self._what, self._total)
            self._bar.update(self._done)


class _TerminalBar:
    def __init__(self, what: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        described = TextColumn("{task.description}", markup=False)
        columns = (described, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(what, total=total)
        self._progress.start()

    def update(self, count: int) -> None:
        self._progress.update(self._task, advance=count)

    def close(self) -> None:
        self._progress.stop()


class _NotebookBar:
    """tqdm's bar, a widget or text; None if tqdm is not installed."""

    def __init__(self, what: str, total: int) -> None:
        self._bar: Any = None
        with contextlib.suppress(ImportError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm warns if there are no widgets, but text is fine
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, desc=what, leave=False)

    def update(self, count: int) -> None:
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
