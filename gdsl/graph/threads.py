"""Work on large arrays by several threads: NumPy releases the interpreter lock."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(work: Callable[[Item], Result], items: Sequence[Item], max_threads: int) -> list[Result]:
    """The results of `work` for each of `items`, by at most `max_threads` threads including this one, which does
    everything where the system starts no others."""
    threads = min(processors(), max_threads, len(items))
    if threads < 2:
        return [work(item) for item in items]
    results: dict[int, Result] = {}
    errors: list[BaseException] = []
    places, lock = iter(range(len(items))), threading.Lock()

    def run_items() -> None:
        while not errors:
            with lock:
                place = next(places, None)
            if place is None:
                return
            try:
                results[place] = work(items[place])
            except BaseException as error:
                errors.append(error)

    helpers: list[threading.Thread] = []
    with contextlib.suppress(RuntimeError):
        for _ in range(threads - 1):
            helper = threading.Thread(target=run_items)
            helper.start()
            helpers.append(helper)
    try:
        run_items()
    finally:
        for helper in helpers:
            helper.join()
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(items))]
