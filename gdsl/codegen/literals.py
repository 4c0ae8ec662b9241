"""Constants and types as C++ and CUDA text."""

from __future__ import annotations

import math
import struct

from gdsl.types import ScalarType

_SUFFIXES = {ScalarType.INT32: "", ScalarType.UINT32: "u", ScalarType.INT64: "ll", ScalarType.UINT64: "ull"}

_LONG_ID = (1 << 32) - 2
"""From here on a number is no id of 32 bits; whether it is one at all, the width in the generated text says."""


def id_number(value: int, kind: ScalarType) -> str:
    """An id as a side of a comparison, where it needs no type unless it is a long one."""
    return str(value) if value < _LONG_ID else literal(value, kind)


def type_name(kind: ScalarType) -> str:
    """The runtime's typedef of a scalar type: the language's own name."""
    return kind.value


def literal(value: bool | int | float, kind: ScalarType) -> str:
    """Text with exactly this value and type."""
    if kind is ScalarType.BOOL:
        return "true" if value else "false"
    if kind.is_float:
        return _float(float(value), kind)
    if kind.is_id:
        return f"{kind.value}({value})" if value < _LONG_ID else f"number_id<{kind.value}>({value})"
    number = int(value)
    suffix = _SUFFIXES[kind]
    if kind.is_signed and kind.bits is not None and number == -(1 << (kind.bits - 1)):
        return f"({number + 1}{suffix} - 1)"
    return f"{number}{suffix}"


def _float(value: float, kind: ScalarType) -> str:
    """The shortest decimal text that reads back as the same number of this width."""
    if math.isnan(value):
        return f"({_infinity(kind)} - {_infinity(kind)})"
    if math.isinf(value) or (kind is ScalarType.FLOAT32 and math.isinf(_single(value))):
        return _infinity(kind) if value > 0 else f"-{_infinity(kind)}"
    if kind is ScalarType.FLOAT64:
        return repr(value)
    single = _single(value)
    for digits in range(1, 18):
        text = repr(float(f"{single:.{digits}g}"))
        if _single(float(text)) == single:
            return f"{text}f"
    raise AssertionError(value)


def _single(value: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _infinity(kind: ScalarType) -> str:
    return "FLOAT32_INF" if kind is ScalarType.FLOAT32 else "FLOAT64_INF"
