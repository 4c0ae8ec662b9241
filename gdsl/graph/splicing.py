"""Copies of arrays without some of their elements and with others inserted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.immutable import allocate_immutable, immutable
from gdsl.graph.threads import by_threads

Array = NDArray[Any]
_BY_PIECES = 256
"""Up to one change for so many elements, pieces are copied one by one; more are shifted by NumPy together."""
_MOST_COPY_THREADS, _PIECE = 8, 1 << 20


def spliced(values: Array, deleted: Array, places: Array, inserted: Array) -> Array:
    """`values` without those at the ascending places `deleted`, and with `inserted` before those at the ascending
    `places`, all of the original array; in memory that cannot be written."""
    inserted = inserted.astype(values.dtype, copy=False)
    if (len(deleted) + len(places)) * _BY_PIECES > len(values):
        moved = places - np.searchsorted(deleted, places)
        return immutable(np.insert(np.delete(values, deleted), moved, inserted))
    writable, result = allocate_immutable(len(values) - len(deleted) + len(inserted), values.dtype)
    jobs, at = list[tuple[int, Array]](), 0
    for piece in _pieces(values, deleted, places, inserted):
        for first in range(0, len(piece), _PIECE):
            jobs.append((at + first, piece[first : first + _PIECE]))
        at += len(piece)

    def copy(job: tuple[int, Array]) -> None:
        first, piece = job
        writable[first : first + len(piece)] = piece

    by_threads(copy, jobs, _MOST_COPY_THREADS if len(values) > _PIECE else 1)
    return result


def _pieces(values: Array, deleted: Array, places: Array, inserted: Array) -> Iterator[Array]:
    """What is between the changes, and what is inserted, in order."""
    firsts, counts = np.unique(places, return_counts=True)
    ends = np.cumsum(counts)
    changes = [
        (int(place), 0, int(end - count), int(end)) for place, count, end in zip(firsts, counts, ends, strict=True)
    ]
    changes += [(int(place), 1, 0, 0) for place in deleted]
    at = 0
    for place, skipped, first, last in sorted(changes):
        if place > at:
            yield values[at:place]
        yield inserted[first:last]
        at = place + skipped
    yield values[at:]
