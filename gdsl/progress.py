"""Signs of life for work that takes longer than a second: on a terminal, and in a notebook."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType
from typing import Any

DELAY = 1.0
"""Seconds of silence before anything is shown."""


def on_terminal() -> bool:
    """Whether somebody reads standard error as it comes."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter's, whose output is a page."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return type(found).__name__ == "ZMQInteractiveShell"


class Counting:
    """How many of so many things are done, as a bar on standard error; nothing within the first second."""

    def __init__(self, what: str, total: int, shown: bool | None = None) -> None:
        """`shown` None: on a terminal, and in a notebook where tqdm is installed."""
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
        """So many more are done."""
        self._done += count
        if not self._wanted:
            return
        if self._bar is not None:
            self._bar.update(count)
        elif time.monotonic() - self._began > DELAY:
            self._bar = _tqdm(self._what, self._total) or _RichBar(self._what, self._total)
            self._bar.update(self._done)


def _tqdm(what: str, total: int) -> Any:
    """A bar of tqdm's in a notebook, where rich's would leave a line for each step; None elsewhere, and without it."""
    if not in_notebook():
        return None
    with contextlib.suppress(ImportError):
        from tqdm.std import tqdm  # type: ignore[import-untyped]

        return tqdm(total=total, desc=what, leave=False, file=sys.stderr)
    return _Nothing()


class _RichBar:
    def __init__(self, what: str, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(what, total=total)
        self._progress.start()

    def update(self, count: int) -> None:
        self._progress.update(self._task, advance=count)

    def close(self) -> None:
        self._progress.stop()


class _Nothing:
    def update(self, count: int) -> None:
        pass

    def close(self) -> None:
        pass
