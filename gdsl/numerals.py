"""What is a number: written as text, on the command line and in files of arrays (the rule of the language and of C), or
handed over by a caller from Python.

Python's `int` and `float` also take digits of other scripts, `1_000`, and turn `1e400` into infinity without a word.
"""

from __future__ import annotations

import math
import re
from numbers import Integral, Real

_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPECIAL = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_MOST_DIGITS = 1000


def whole_number(text: str) -> int:
    """The integer that `text` is, such as ``-12``. Raises ValueError.

    One of more than a thousand digits becomes a power of ten of their number: no type has either.
    """
    found = _WHOLE.fullmatch(text)
    if found is None:
        raise ValueError("expected a whole number")
    digits = found[2]
    value = int(digits) if len(digits) <= _MOST_DIGITS else 10 ** len(digits)
    return -value if found[1] == "-" else value


def real_number(text: str) -> float:
    """The number that `text` is, such as ``0.5``, ``1e-3``, ``inf`` or ``nan``. Raises ValueError, also for one that
    float64 cannot hold."""
    if _SPECIAL.fullmatch(text) is not None:
        return float(text)
    if _REAL.fullmatch(text) is None:
        raise ValueError("expected a number")
    value = float(text)
    if math.isinf(value):
        raise ValueError("it is too large for float64")
    return value


def is_whole(value: object) -> bool:
    """Whether `value` is an integer of Python or NumPy; bools and spans of time (NumPy has them among its) are none."""
    return isinstance(value, Integral) and _is_number(value)


def is_real(value: object) -> bool:
    """Whether `value` is an integer or a float of Python or NumPy, or a fraction."""
    return isinstance(value, Real) and _is_number(value)


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and getattr(getattr(value, "dtype", None), "kind", "i") in "iuf"
