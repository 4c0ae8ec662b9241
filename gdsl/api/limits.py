"""When a run is stopped: what a caller gives for `timeout` and `max_iterations`."""

from __future__ import annotations

import math
from numbers import Integral, Real

from gdsl.backends.interface import Limits
from gdsl.diagnostics import shown

_LARGEST = 2**63 - 1


def limits(timeout: object, max_iterations: object) -> Limits:
    """Both as backends take them. Raises TypeError for what is no number, ValueError for one out of range."""
    return Limits(_seconds(timeout), _passes(max_iterations))


def _seconds(timeout: object) -> float | None:
    if timeout is None:
        return None
    if not isinstance(timeout, Real) or isinstance(timeout, bool):
        raise TypeError(f"timeout must be a number of seconds, not {shown(timeout)}")
    try:
        seconds = float(timeout)
    except OverflowError:  # of an integer beyond all floats
        seconds = math.inf if timeout > 0 else -math.inf  # type: ignore[operator]
    if not seconds > 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {shown(timeout)}")
    return None if math.isinf(seconds) else seconds


def _passes(max_iterations: object) -> int | None:
    if max_iterations is None:
        return None
    if not isinstance(max_iterations, Integral) or isinstance(max_iterations, bool):
        raise TypeError(f"max_iterations must be a whole number, not {shown(max_iterations)}")
    passes = int(max_iterations)
    if not 0 <= passes <= _LARGEST:
        raise ValueError(f"max_iterations must be from 0 to 2^63 - 1, not {shown(passes)}")
    return passes
