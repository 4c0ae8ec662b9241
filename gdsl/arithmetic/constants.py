"""Numbers as values of a type: the values of literals, and the limits of the integer types."""

from __future__ import annotations

import math
import struct

from gdsl.types import Type

Number = bool | int | float

_EXACT_BITS = 53
_INFINITE_BITS = 0x7F800000


def integer_range(type_: Type) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    bits = type_.bits or 64
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_.is_signed else (0, (1 << bits) - 1)


def wrapped(value: int, type_: Type) -> int:
    """The value of the integer type `type_` that equals `value` modulo 2 to its width."""
    low, high = integer_range(type_)
    return (value - low) % (high - low + 1) + low


def nearest_float32(value: int | float) -> float:
    """The float32 next to `value`, the even one of two, by one rounding; infinite where none is that large."""
    try:
        return float(struct.unpack("f", struct.pack("f", _exact(value)))[0])
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def nearest_float64(value: int | float) -> float:
    """The float64 next to `value`; infinite where none is that large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def in_type(value: Number, type_: Type) -> Number:
    """`value`, a number that fits, as a value of `type_`: floats are rounded directly to its width, integers wrap."""
    if type_ is Type.FLOAT32:
        return nearest_float32(value)
    if type_ is Type.FLOAT64:
        return nearest_float64(value)
    if type_.is_integer and not isinstance(value, float):
        return wrapped(value, type_)
    return value


def _exact(value: int | float) -> float:
    """A float64 that rounds to the float32 that the whole number `value` rounds to: what is lost leaves a last bit."""
    if isinstance(value, float) or abs(value).bit_length() <= _EXACT_BITS:
        return float(value)
    shift = abs(value).bit_length() - _EXACT_BITS + 1
    magnitude = abs(value)
    quotient = magnitude >> shift
    lost = 1 if magnitude & ((1 << shift) - 1) else 0
    return math.copysign(math.ldexp(float(quotient << 1 | lost), shift - 1), value)


def shortest_float32(value: float) -> str:
    """The shortest decimal text whose nearest float32, by one rounding, is the finite float32 `value`.

    The text that Python prints for the same float64 is longer; and a shorter text that gives `value` through a float64
    may not do so when rounded once.
    """
    from fractions import Fraction

    low, high = (Fraction(midpoint) for midpoint in _midpoints(value))
    for digits in range(9):
        text = repr(float(f"{value:.{digits}e}"))
        if low < Fraction(text) < high:
            return text
    raise AssertionError(value)


def _midpoints(value: float) -> tuple[float, float]:
    """The midpoints between a finite float32 and its neighbors: numbers between them are rounded to `value`."""
    magnitude = abs(value)
    bits = int(struct.unpack("I", struct.pack("f", magnitude))[0])
    above = _of_bits(bits + 1) if bits + 1 < _INFINITE_BITS else 2.0**128
    below = _of_bits(bits - 1) if bits else -above
    low, high = (magnitude + below) / 2, (magnitude + above) / 2
    return (low, high) if value > 0 else (-high, -low)


def _of_bits(bits: int) -> float:
    return float(struct.unpack("f", struct.pack("I", bits))[0])
