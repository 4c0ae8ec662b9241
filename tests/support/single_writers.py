"""What `single_writers.gdsl` is run on: two special floats for each vertex, in every combination."""

from __future__ import annotations

import numpy as np

import gdsl

_SPECIAL = (0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1.5, -1.5)
_PLACES = np.arange(len(_SPECIAL) ** 2)
CYCLE_OF_PAIRS = gdsl.Graph.from_edges(_PLACES, np.roll(_PLACES, 1))


def special_pairs() -> dict[str, np.ndarray]:
    """The two inputs of the program, float64 of shape (vertices,)."""
    values = np.array(_SPECIAL)
    return {"first": values[_PLACES % len(values)], "second": values[_PLACES // len(values)]}
