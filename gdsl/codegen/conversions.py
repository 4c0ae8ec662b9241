"""Changes of type as C++ and CUDA text."""

from __future__ import annotations

from gdsl.codegen.precedence import Text, atom, binary_text, call
from gdsl.operations import BinaryOperation
from gdsl.types import Type


def conversion(operand: Text, old: Type, new: Type, count: str = "") -> Text:
    """`operand`, of type `old`, as a `new`: a plain cast wherever C++ means what the language means. Ids, if
    `new` is one, lie below `count`."""
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
