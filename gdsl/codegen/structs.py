"""The structs of the plan as C++ and CUDA text, and as the bytes that the host fills: one description for both."""

from __future__ import annotations

import numpy

from gdsl.codegen.literals import memory_type_name
from gdsl.plan.storage import Pointer, Struct
from gdsl.types import Type, Widths

_DTYPES = {
    Type.BOOL: "u1",
    Type.INT32: "i4",
    Type.UINT32: "u4",
    Type.INT64: "i8",
    Type.UINT64: "u8",
    Type.FLOAT32: "f4",
    Type.FLOAT64: "f8",
}


def struct_text(struct: Struct, first: str = "") -> str:
    """The definition of a struct."""
    aligned = f"alignas({struct.aligned}) " if struct.aligned else ""
    lines = [*(f"// {line}" for line in struct.doc.splitlines()), f"struct {aligned}{struct.name} {{"]
    lines += [f"    {first}"] if first else []
    for field in struct.fields:
        array = f"[{field.count}]" if field.count else ""
        declaration = f"    {type_text(field.type)} {field.name}{array};"
        lines.append(f"{declaration}  // {field.comment}" if field.comment else declaration)
    return "\n".join([*lines, "};"])


def checked_struct_text(struct: Struct, widths: Widths) -> str:
    """The same, with a check of its size."""
    return f"{struct_text(struct)}\n{size_check(struct, struct_dtype(struct, widths).itemsize)}"


def size_check(struct: Struct, size: int) -> str:
    """Has the compiler see to it that the host knows the right size."""
    return f'static_assert(sizeof({struct.name}) == {size}, "as the host knows it");'


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
