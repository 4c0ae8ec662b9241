"""Whether a type represents given values exactly, so that no number changes unless the caller requests it.

A whole number must be one of the type's values. A fraction represents its decimal digits: a float32 has 0.1, although
the nearest float32 and the nearest float64 differ, since both print `0.1`. It has fractions of up to nine digits, which
tell all float32 apart, if it prints these digits: not 0.123456789, for which it prints 0.123456791, and not the float64
1 / 3. So decimals from text keep the digits that they are written with.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any
_CHUNK = 1 << 16
"""Values that are examined together."""
_WIDE = {"i": 2.0**63, "u": 2.0**64}
"""The first whole number above those of 64 bits."""
_DIGITS = range(6, 10)
"""Decimals of up to six digits map to different float32, and nine digits distinguish all of them."""
_OF_DENORMALS = range(1, 10)
_LEAST_NORMAL = 2.0**-126
"""Float32 below it have fewer bits, the least one a single bit: it prints `1e-45`, and is 1.4e-45."""
_EXACT_POWER = 22
"""The largest power of ten that is a float64."""
_LEAST, _MOST = 1e-12, 1e12
"""Magnitudes whose digits are found by arithmetic on float64."""


def has_float32(value: float) -> bool:
    """Whether a float32 represents the float64 `value`, which is within its range."""
    with np.errstate(over="ignore"):
        nearest = float(np.float32(value))
    if nearest == value or math.isnan(value):
        return True
    if value == math.floor(value) or nearest == 0 or math.isinf(nearest):
        return False
    counts = _DIGITS if abs(nearest) >= _LEAST_NORMAL else _OF_DENORMALS
    return any(float(f"{nearest:.{digits - 1}e}") == value for digits in counts)


def has_float(value: int, type_name: str) -> bool:
    """Whether the whole number `value` is one of the floats of a type, `float32` or `float64`."""
    bits = abs(value).bit_length()
    most = {"float32": 24, "float64": 53}[type_name]
    return bits <= most or value % (1 << (bits - most)) == 0


def plain_number(value: Any) -> str:
    """A number of NumPy as its type prints it, a whole one without a fraction."""
    number = value.item()
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e16:
        return str(int(number))
    return str(value)


def first_changed(values: Array, converted: Array, module: Any) -> int | None:
    """The first place where `converted`, a float array, does not represent `values`, which are numbers; None where it
    does everywhere. Both are of one dimension, of the library `module` (numpy or cupy)."""
    if values.dtype.kind in "iu":
        most = 1 << (24 if converted.dtype.itemsize == 4 else 53)
        if not values.size or (int(values.max()) <= most and int(values.min()) >= -most):
            return None
        changed = _whole_changed(values, converted, module)
        return int(changed.argmax()) if bool(changed.any()) else None
    if values.dtype.itemsize <= converted.dtype.itemsize:
        return None
    # Denormals and overflow are compared as they are: NaN is the one value that differs from itself.
    places = module.flatnonzero((converted != values) & (values == values))
    for begin in range(0, len(places), _CHUNK):
        chunk = places[begin : begin + _CHUNK]
        wrong = ~_prints_alike(_on_host(values[chunk]), _on_host(converted[chunk]))
        if wrong.any():
            return int(chunk[int(wrong.argmax())])
    return None


def _on_host(values: Array) -> np.ndarray[Any, Any]:
    return np.asarray(values.get() if hasattr(values, "get") else values)


def _whole_changed(values: Array, converted: Array, module: Any) -> Array:
    """Which integers were changed by the conversion."""
    kind = values.dtype.kind
    outside = converted >= _WIDE[kind]
    restored = module.where(outside, converted.dtype.type(0), converted).astype(np.int64 if kind == "i" else np.uint64)
    return outside | (restored != values)


def _prints_alike(values: np.ndarray[Any, Any], converted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For numbers that differ as float64 and float32: where the float32 prints the same digits."""
    size = np.abs(values)
    alike = np.zeros(len(values), dtype=bool)
    fraction = (size != np.floor(size)) & (converted != 0) & np.isfinite(converted)
    usual = fraction & (size > _LEAST) & (size < _MOST)
    alike[usual] = _digits_alike(size[usual], np.abs(converted[usual]))
    for place in np.flatnonzero(fraction & ~usual):
        alike[place] = has_float32(float(values[place]))
    return alike


def _digits_alike(size: np.ndarray[Any, Any], nearest: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Whether the float32 `nearest`, printed with some number of digits, reads as the float64 `size`."""
    wide = nearest.astype(np.float64)
    exponent = np.floor(np.log10(wide)).astype(np.int64)
    alike = np.zeros(len(size), dtype=bool)
    for digits in _DIGITS:
        shift = digits - 1 - exponent
        up, down = 10.0 ** np.clip(shift, 0, _EXACT_POWER), 10.0 ** np.clip(-shift, 0, _EXACT_POWER)
        alike |= np.rint(wide * up / down) / up * down == size
    return alike
