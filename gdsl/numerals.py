"""Numbers as text, by the rules of the language and of C, and numbers that callers pass from Python.

Python's `int` and `float` also take digits of other scripts and `1_000`, and silently turn `1e400` into infinity.
"""

from __future__ import annotations

import math
import re
from numbers import Integral, Real

_WHOLE = re.compile(r"([+-]?)0*([0-9]+)")
_REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NOT_ZERO = re.compile(r"[+-]?[0.]*[1-9]")
_BYTES = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) *((?:[KMGT]i?)?B?)", re.IGNORECASE | re.ASCII)
_UNITS = {
    f"{prefix}{between}{unit}".lower(): (1024 if between else 1000) ** power
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
    for between in ("", "i")
    for unit in ("", "B")
}
_SPECIAL = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)
_MOST_DIGITS = 1000


def whole_number(text: str) -> int:
    """The integer in `text`, such as ``-12``. Raises ValueError.

    One of more than a thousand digits becomes a power of ten of similar size: no type holds either.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise ValueError("expected a whole number")
    digits = match[2]
    value = int(digits) if len(digits) <= _MOST_DIGITS else 10 ** len(digits)
    return -value if match[1] == "-" else value


def real_number(text: str) -> float:
    """The number in `text`, such as ``0.5``, ``1e-3``, ``inf`` or ``nan``. Raises ValueError, also for one that
    float64 cannot hold."""
    if _SPECIAL.fullmatch(text) is not None:
        return float(text)
    if _REAL.fullmatch(text) is None:
        raise ValueError("expected a number")
    value = float(text)
    if math.isinf(value):
        raise ValueError("it is too large for float64")
    return value


def underflows(text: str) -> bool:
    """Whether the number in `text` is not 0, but so close to it that a float64 is 0."""
    return _NOT_ZERO.match(text) is not None and float(text) == 0


def is_whole(value: object) -> bool:
    """Whether `value` is an integer of Python or NumPy; bools and NumPy's time spans are not."""
    return isinstance(value, Integral) and _is_number(value)


def is_real(value: object) -> bool:
    """Whether `value` is an integer or a float of Python or NumPy, or a fraction."""
    return isinstance(value, Real) and _is_number(value)


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and getattr(getattr(value, "dtype", None), "kind", "i") in "iuf"


def byte_count(text: str) -> int:
    """The number of bytes in `text`, which may have a unit: ``80000000000``, ``80GB``, ``64GiB``. Raises ValueError."""
    match = _BYTES.fullmatch(text.strip())
    if match is None:
        raise ValueError("expected a number of bytes, such as 80000000000, 80GB or 64GiB")
    from decimal import Decimal

    return int(Decimal(match[1]) * _UNITS[match[2].lower()])


_MOST_BYTES = 10**30
"""More are not told apart: a float has an end, and there is no such memory."""


def readable_bytes(count: int) -> str:
    """`count` bytes for people: 1.2 GB."""
    amount, units = float(min(count, _MOST_BYTES)), ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.0f} {units[0]}" if units[0] == "bytes" else f"{amount:.1f} {units[0]}"
