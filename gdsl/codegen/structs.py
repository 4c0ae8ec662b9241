"""Structs of the plan as the bytes that the host fills; their C++ is printed from the same description."""

from __future__ import annotations

import numpy

from gdsl.codegen.literals import memory_type_name
from gdsl.plan.buffer_nodes import Pointer, Struct
from gdsl.types import Type, Widths

_DTYPES = {
    Type.BOOL: "u1",
    Type.INT8: "i1",
    Type.UINT8: "u1",
    Type.INT16: "i2",
    Type.UINT16: "u2",
    Type.INT32: "i4",
    Type.UINT32: "u4",
    Type.INT64: "i8",
    Type.UINT64: "u8",
    Type.FLOAT32: "f4",
    Type.FLOAT64: "f8",
}


def type_text(kind: Type | Pointer | Struct) -> str:
    """What a type is called."""
    if isinstance(kind, Pointer):
        return f"{kind.to}*"
    return memory_type_name(kind) if isinstance(kind, Type) else kind.name


def struct_dtype(struct: Struct, widths: Widths) -> numpy.dtype[numpy.void]:
    """A struct as an aligned NumPy dtype."""
    fields = []
    for field in struct.fields:
        kind = element_dtype(field.type, widths)
        fields.append((field.name, kind, (field.count,)) if field.count else (field.name, kind))
    dtype = numpy.dtype(fields, align=True)
    if dtype.itemsize % max(struct.aligned, 1) == 0:
        return dtype
    placed = [dtype.fields[name] for name in dtype.names] if dtype.fields is not None and dtype.names else []
    size = -(-dtype.itemsize // struct.aligned) * struct.aligned
    return numpy.dtype(
        {
            "names": [field.name for field in struct.fields],
            "formats": [place[0] for place in placed],
            "offsets": [place[1] for place in placed],
            "itemsize": size,
        }
    )


def element_dtype(kind: Type | Pointer | Struct, widths: Widths) -> numpy.dtype[numpy.generic]:
    """The dtype of values in generated code; ids are unsigned there."""
    if isinstance(kind, Struct):
        return struct_dtype(kind, widths)
    if isinstance(kind, Pointer):
        return numpy.dtype("u8")
    if kind.is_pair:
        words = [("word", "u8")] if widths.of(kind) == 64 else [("first", "u8"), ("second", "u8")]
        return numpy.dtype(words)
    return numpy.dtype(_DTYPES.get(kind) or f"u{widths.of(kind) // 8}")
