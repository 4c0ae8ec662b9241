"""When a run is stopped: what a caller gives for `timeout` and `max_iterations`."""

from __future__ import annotations

import math
from typing import Any

from gdsl.backends.interface import Limits
from gdsl.diagnostics import shown
from gdsl.numerals import is_real, is_whole

_LARGEST = 2**63 - 1
NO_LIMITS = Limits()


def limits(timeout: object, max_iterations: object) -> Limits:
    """Both as backends take them. Raises TypeError for what is no number, ValueError for one out of range."""
    if timeout is None and max_iterations is None:
        return NO_LIMITS
    return Limits(seconds(timeout), _passes(max_iterations))


def seconds(timeout: Any) -> float | None:
    """A timeout as a number; None: none. Raises as `limits`."""
    if timeout is None:
        return None
    if not is_real(timeout):
        raise TypeError(f"timeout must be a number of seconds, not {shown(timeout)}")
    try:
        found = float(timeout)
    except OverflowError:  # of an integer beyond all floats
        found = math.inf if timeout > 0 else -math.inf
    if not found > 0:
        raise ValueError(f"timeout must be a positive number of seconds, not {shown(timeout)}")
    return None if math.isinf(found) else found


def _passes(max_iterations: Any) -> int | None:
    if max_iterations is None:
        return None
    if not is_whole(max_iterations):
        raise TypeError(f"max_iterations must be a whole number, not {shown(max_iterations)}")
    passes = int(max_iterations)
    if not 0 <= passes <= _LARGEST:
        raise ValueError(f"max_iterations must be from 0 to 2^63 - 1, not {shown(passes)}")
    return passes
