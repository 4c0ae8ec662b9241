"""The structs that the host fills for a generated program: one description for their C++ text and their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from gdsl.codegen.names import Names
from gdsl.ir.nodes import Array, Param, Program
from gdsl.operations import Domain
from gdsl.types import ScalarType

DTYPES = {
    ScalarType.BOOL: "u1",
    ScalarType.INT32: "i4",
    ScalarType.UINT32: "u4",
    ScalarType.INT64: "i8",
    ScalarType.UINT64: "u8",
    ScalarType.FLOAT32: "f4",
    ScalarType.FLOAT64: "f8",
}
POINTER = "u8"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a struct: its declaration in C++ (`type name`), its NumPy type code and a comment."""

    name: str
    type: str
    dtype: Any
    comment: str = ""
    count: int = 0
    """Elements of an array member; 0: a single value."""


def type_code(type_: ScalarType, id_bits: int) -> str:
    """The NumPy type code of a value on the device; ids are unsigned there."""
    return DTYPES.get(type_, f"u{id_bits // 8}")


def graph_members() -> tuple[Member, ...]:
    """`graph_slice`: the graph in compressed rows; the edges of v are offsets[v] to offsets[v + 1]."""
    return (
        Member("num_vertices", "int64", "i8"),
        Member("num_edges", "int64", "i8"),
        Member("largest_degree", "int64", "i8", "of any vertex, in either direction"),
        Member("offsets", "const edge*", POINTER, "out-edges: num_vertices + 1"),
        Member("columns", "const vertex*", POINTER, "their destinations: num_edges, ascending for each vertex"),
        Member("in_offsets", "const edge*", POINTER, "in-edges: num_vertices + 1"),
        Member("in_sources", "const vertex*", POINTER, "their sources: num_edges"),
        Member("in_edges", "const edge*", POINTER, "their edge ids: num_edges"),
        Member("edge_sources", "const vertex*", POINTER, "of each edge id: num_edges"),
    )


def run_members(frontiers: int) -> tuple[Member, ...]:
    """`run_slice`: what the enactor works with, beside the problem data."""
    return (
        Member("control", "control_block*", POINTER),
        Member("host_stop", "const uint32*", POINTER, "in the host's memory: not 0 asks for a stop"),
        Member("trace", "trace_record*", POINTER),
        Member("trace_capacity", "uint64", "u8"),
        Member("max_iterations", "int64", "i8", "passes that one loop may have"),
        Member("hubs", "hub_chunk*", POINTER, "chunks of long lists"),
        Member("saved", "saved_state*", POINTER, "between the kernels of the unfused form"),
        Member("outputs", "uint64*", POINTER, "where what was swapped lies at the end"),
        Member("queues", "vertex*", POINTER, "of each frontier: num_vertices", max(frontiers, 1)),
        Member("bitmaps", "uint32*", POINTER, "of each frontier: a bit a vertex", max(frontiers, 1)),
        Member("marks", "uint32*", POINTER, "a bit a vertex, twice", 2),
    )


FRONTIER = numpy.dtype(
    [("queue", "u8"), ("bitmap", "u8"), ("size", "u8"), ("edges", "u8"), ("queued", "u1"), ("mapped", "u1")], align=True
)
DIRECTION_STATE = numpy.dtype([("unvisited", "u8"), ("pull", "u1")], align=True)


def saved_members(frontiers: int, directions: int) -> tuple[Member, ...]:
    """`saved_state`: what the kernels of the unfused form hand on from one to the next."""
    return (
        Member("operators", "uint64", "u8"),
        *((Member("frontiers", "frontier", FRONTIER, count=frontiers),) if frontiers else ()),
        *((Member("directions", "direction_state", DIRECTION_STATE, count=directions),) if directions else ()),
    )


def problem_members(program: Program, names: Names, id_bits: int) -> tuple[Member, ...]:
    """The problem data: arrays and scalars as pointers, params as values."""
    members = [Member(names.member(a.name), f"{a.type.value}*", POINTER, _array_comment(a)) for a in program.arrays]
    members += [Member(names.member(s.name), f"{s.type.value}*", POINTER, "one value") for s in program.scalars]
    params = sorted(program.params, key=lambda param: -_width(param, id_bits))
    members += [Member(names.member(p.name), p.type.value, type_code(p.type, id_bits)) for p in params]
    return tuple(members)


def struct_text(name: str, members: tuple[Member, ...], first: str = "") -> str:
    """The C++ definition of a struct."""
    lines = [f"struct {name} {{"]
    lines += [f"    {first}"] if first else []
    for member in members:
        array = f"[{member.count}]" if member.count else ""
        declaration = f"    {member.type} {member.name}{array};"
        lines.append(f"{declaration}  // {member.comment}" if member.comment else declaration)
    return "\n".join([*lines, "};"])


def checked_struct_text(name: str, members: tuple[Member, ...]) -> str:
    """The same for a struct that only the device reads: the compiler sees to it that the host's size is right."""
    size = struct_dtype(members).itemsize
    return f'{struct_text(name, members)}\nstatic_assert(sizeof({name}) == {size}, "as the host allocates it");'


def struct_dtype(members: tuple[Member, ...]) -> numpy.dtype[numpy.void]:
    """The same struct as an aligned NumPy dtype; a member `x` of the program is field `x`."""
    fields = [(m.name, m.dtype, (m.count,)) if m.count else (m.name, m.dtype) for m in members]
    return numpy.dtype(fields, align=True)


def data_dtype(problem: tuple[Member, ...], frontiers: int) -> numpy.dtype[numpy.void]:
    """`data_slice` as an aligned NumPy dtype with the fields `graph`, `run` and, where there is any, `problem`."""
    parts = [("graph", struct_dtype(graph_members())), ("run", struct_dtype(run_members(frontiers)))]
    if problem:
        parts.append(("problem", struct_dtype(problem)))
    return numpy.dtype(parts, align=True)


def _array_comment(array: Array) -> str:
    return "num_vertices" if array.domain is Domain.VERTEX else "num_edges"


def _width(param: Param, id_bits: int) -> int:
    return numpy.dtype(type_code(param.type, id_bits)).itemsize
