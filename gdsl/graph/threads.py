"""Work on large arrays by as many threads as there are processors: NumPy's operations leave each other alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def processors() -> int:
    """As many as this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def by_threads(work: Callable[[Item], Made], items: Sequence[Item], most: int) -> list[Made]:
    """What `work` makes of each of `items`, by at most so many threads at a time."""
    threads = min(processors(), most, len(items))
    if threads < 2:
        return [work(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
