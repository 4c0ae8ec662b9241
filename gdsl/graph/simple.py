"""What a simple graph does not have: self-loops and parallel edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def loops_of(columns: NDArray[Any], sources: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[E]: which edges lead from a vertex to itself."""
    return np.asarray(columns == sources)


def repeated_of(columns: NDArray[Any], sources: NDArray[Any]) -> NDArray[np.bool_]:
    """bool[E]: which edges, ordered by source and then by destination, repeat the one before."""
    repeated = np.zeros(len(columns), dtype=bool)
    repeated[1:] = (columns[1:] == columns[:-1]) & (sources[1:] == sources[:-1])
    return repeated


def first_odd(columns: NDArray[Any], sources: NDArray[Any]) -> int | None:
    """The lowest id of an edge that is either."""
    found = loops_of(columns, sources) | repeated_of(columns, sources)
    return int(np.argmax(found)) if found.any() else None
