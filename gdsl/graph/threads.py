"""Work on large arrays by as many threads as there are processors: NumPy's operations leave each other alone."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def processors() -> int:
    """As many as this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(work: Callable[[Item], Made], items: Sequence[Item], most: int) -> list[Made]:
    """What `work` makes of each of `items`, by at most so many threads, of which this is one: where the system starts
    no others, it does all."""
    threads = min(processors(), most, len(items))
    if threads < 2:
        return [work(item) for item in items]
    made: dict[int, Made] = {}
    errors: list[BaseException] = []
    places, at_once = iter(range(len(items))), threading.Lock()

    def go_on() -> None:
        while not errors:
            with at_once:
                place = next(places, None)
            if place is None:
                return
            try:
                made[place] = work(items[place])
            except BaseException as error:
                errors.append(error)

    others: list[threading.Thread] = []
    with contextlib.suppress(RuntimeError):
        for _ in range(threads - 1):
            other = threading.Thread(target=go_on)
            other.start()
            others.append(other)
    try:
        go_on()
    finally:
        for other in others:
            other.join()
    if errors:
        raise errors[0]
    return [made[place] for place in range(len(items))]
