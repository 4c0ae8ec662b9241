"""Constants, types and conversions as C++ and CUDA text."""

from __future__ import annotations

import math

from gdsl.arithmetic.constants import in_type, shortest_float32
from gdsl.codegen.precedence import Text, atom, binary_text, call
from gdsl.operations import BinaryOperation
from gdsl.types import Type

_SUFFIXES = {Type.INT32: "", Type.UINT32: "u", Type.INT64: "ll", Type.UINT64: "ull"}

_LONG_ID = (1 << 32) - 2
"""From here on a number is no id of 32 bits; whether it is one at all, the width in the generated text says."""


def id_number(value: int, kind: Type) -> str:
    """An id as a side of a comparison, where it needs no type unless it is a long one."""
    return str(value) if value < _LONG_ID else literal(value, kind)


def type_name(kind: Type) -> str:
    """What values of a type are in generated text: the language's own name, which the runtime defines."""
    return f"pair_of<{', '.join(part.name for part in kind.parts)}>" if kind.is_pair else kind.name


def memory_type_name(kind: Type) -> str:
    """What they are in memory."""
    return f"stored_pair<{', '.join(part.name for part in kind.parts)}>" if kind.is_pair else kind.name


def literal(value: bool | int | float, kind: Type) -> str:
    """Text with exactly this value and type."""
    if kind is Type.BOOL:
        return "true" if value else "false"
    if kind.is_float:
        return _float(float(value), kind)
    if kind.is_id:
        return f"{kind.name}({value})" if value < _LONG_ID else f"number_id<{kind.name}>({value})"
    number = int(value)
    suffix = _SUFFIXES[kind]
    if kind.is_signed and kind.bits is not None and number == -(1 << (kind.bits - 1)):
        return f"({number + 1}{suffix} - 1)"
    return f"{number}{suffix}"


def _float(value: float, kind: Type) -> str:
    if math.isnan(value):
        return f"({_infinity(kind)} - {_infinity(kind)})"
    number = in_type(value, kind)
    if math.isinf(number):
        return _infinity(kind) if number > 0 else f"-{_infinity(kind)}"
    return repr(number) if kind is Type.FLOAT64 else f"{shortest_float32(number)}f"


def _infinity(kind: Type) -> str:
    return "FLOAT32_INF" if kind is Type.FLOAT32 else "FLOAT64_INF"


def conversion(operand: Text, old: Type, new: Type, count: str = "") -> Text:
    """`operand`, of type `old`, as a `new`: a plain cast wherever C++ means what the language means. Ids, if
    `new` is one, are below `count`."""
    name = new.name
    if old is new:
        return operand
    if new is Type.BOOL:
        return binary_text(BinaryOperation.NOT_EQUAL, operand, atom("0"))
    if old.is_id and new.is_id:
        return call(f"to_id<{name}>", f"from_id<int64>({operand.text})", count)
    if old.is_id:
        return call(f"from_id<{name}>", operand.text)
    if new.is_id:
        whole = f"convert<int64>({operand.text})" if old.is_float else operand.text
        return call(f"to_id<{name}>", f"int32({whole})" if old is Type.BOOL else whole, count)
    rounds_unsigned = old is Type.UINT32 and new is Type.FLOAT32
    if (old.is_float and new.is_integer) or rounds_unsigned:
        return call(f"convert<{name}>", operand.text)
    return call(name, operand.text)
