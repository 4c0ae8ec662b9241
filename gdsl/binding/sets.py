"""Sets of vertices that a caller passes, as a flag for each vertex."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from gdsl.binding.params import Text, plain, vertex_by_name
from gdsl.diagnostics import GdslError, shown, type_name
from gdsl.extras import first_line
from gdsl.foreign_objects import has
from gdsl.graph import Graph
from gdsl.graph.arrays import host_array, is_on_gpu
from gdsl.ir import nodes as ir
from gdsl.numerals import whole_number
from gdsl.source import Source
from gdsl.types import Type

_MANY = 1 << 16
"""More flags take longer to copy to a GPU than to compute there."""


def set_flags(declared: ir.Array, argument: object, graph: Graph, source: Source | None, device: bool = False) -> Any:
    """A bool for each vertex of `graph`: whether it is in the set `argument`. On the device where `device` allows that
    and the set is small compared with the graph.

    `argument` is a sequence, set or array of ids, or of names where the graph has any; duplicates are one. Or it is
    bools, one a vertex; or text with ids between commas or white space, or with names between commas. Raises E0603 for
    anything else, E0604 for an id that the graph does not have, E0606 for another number of bools, E0608 for too few
    members.
    """
    vertices = graph.num_vertices
    values = _values(declared, argument, graph, source)
    if values.ndim == 0:
        what = f"is {shown(argument)}, and not a set, sequence or array of vertices"
        raise _unusable(declared, what, source, f"write [{values}]" if values.dtype.kind in "iu" else None)
    if values.ndim != 1:
        raise _unusable(declared, f"has the shape {values.shape}, and a set is a list of vertices", source)
    if values.dtype.kind == "b":
        if len(values) != vertices:
            message = f"param `{declared.name}` has {len(values):,} bools, but the graph has {vertices:,} vertices"
            raise GdslError.single("E0606", message, declared.span, source, fix="give the ids of the members")
        _check_least(declared, int(np.count_nonzero(values)), source)
        return values
    if not len(values):
        _check_least(declared, 0, source)
        return np.zeros(vertices, dtype=np.bool_)
    if values.dtype.kind not in "iu":
        message = f"has the dtype {type_name(values.dtype)}, and a set is made of integers, the ids of vertices"
        raise _unusable(declared, message, source)
    wrong = values >= vertices
    if values.dtype.kind == "i":
        wrong |= values < 0
    if wrong.any():
        raise _no_vertex(declared, int(values[int(wrong.argmax())]), vertices, source)
    if declared.least > 1:  # duplicates are one
        _check_least(declared, len(np.unique(values)), source)
    module: Any = np
    if device and vertices > _MANY and len(values) < vertices // 16:
        module = importlib.import_module("cupy")
        values = module.asarray(values.astype(np.int64))
    flags = module.zeros(vertices, dtype=np.bool_)
    flags[values] = True
    return flags


def _check_least(declared: ir.Array, size: int, source: Source | None) -> None:
    """Raise E0608 where a set has fewer members than it must have."""
    if size >= declared.least:
        return
    result = f"has {size}" if size else "is empty"
    required_members = "one member" if declared.least == 1 else f"{declared.least:,} members"
    message = f"param `{declared.name}` must have at least {required_members}, but it {result}"
    raise GdslError.single("E0608", message, declared.span, source, fix=_form(declared))


def _values(declared: ir.Array, argument: object, graph: Graph, source: Source | None) -> Any:
    """The members or flags as a new array."""
    if isinstance(argument, Text):
        members = _ids(declared, _words(declared, argument, graph, source), graph, source)
        argument = [_of_text(declared, each, source) if isinstance(each, Text) else each for each in members]
    if has(argument, "__array__") or is_on_gpu(argument):
        try:
            values = host_array(argument, f"param `{declared.name}`")
        except ValueError as error:
            raise _unusable(declared, str(error), source) from None
        if graph.names is None or values.ndim != 1 or values.dtype.kind == "b":
            return values.copy()  # a copy, as other threads may change the caller's array
        argument = values.tolist()
    _refuse_one_vertex(declared, argument, graph, source)
    members = _ids(declared, _listed(declared, argument, graph.num_vertices, source), graph, source)
    return _integers(declared, members, graph.num_vertices, source)


def _words(declared: ir.Array, argument: Text, graph: Graph, source: Source | None) -> list[object]:
    """The members of a text, as written. Two commas without a member between them are an error."""
    parts = argument.split(",")
    if len(parts) > 1 and not all(part.strip() for part in parts):
        what = f"is {shown(str(argument))}, where a member is missing next to a comma"
        raise _unusable(declared, what, source, _form(declared))
    named = graph.names is not None
    return [Text(word) for part in parts for word in ([part] if named else part.split()) if word.strip()]


def _form(declared: ir.Array) -> str:
    return f"-p {declared.name}=1,5,9, or -p {declared.name}=@FILE"


def _ids(declared: ir.Array, members: list[object], graph: Graph, source: Source | None) -> list[object]:
    """The members, with names replaced by ids."""
    if graph.names is None:
        return members
    member = ir.Param(declared.span, declared.name, Type.VERTEX, None)
    return [vertex_by_name(member, each, graph, source) for each in members]


def _refuse_one_vertex(declared: ir.Array, argument: object, graph: Graph, source: Source | None) -> None:
    """Raise E0603 for the name of a vertex; a tuple or frozenset might be a name or the members."""
    if graph.names is None or graph.names.id_of(argument) is None:
        return
    members = ", list(…) for its members" if isinstance(argument, Collection) and not isinstance(argument, str) else ""
    what = f"is {shown(argument)}, the name of one vertex, and not a set of vertices"
    raise _unusable(declared, what, source, f"write [{shown(argument)}] for this vertex{members}")


def _listed(declared: ir.Array, argument: object, vertices: int, source: Source | None) -> list[object]:
    if isinstance(argument, range):
        argument = argument[: vertices + 1]  # all differ, so one of so many is not a vertex
    if isinstance(argument, Collection) and not isinstance(argument, str | bytes | bytearray | Mapping):
        try:
            return list(argument)
        except MemoryError:
            raise
        except Exception as error:  # any exception of the caller's class
            raise _unusable(declared, f"cannot be read: {first_line(error)}", source) from None
    fix = f"write [{shown(argument)}]" if isinstance(argument, int) and not isinstance(argument, bool) else None
    what = f"is {shown(argument)}, and not a set, sequence or array of vertices"
    raise _unusable(declared, what, source, fix)


def _of_text(declared: ir.Array, word: Text, source: Source | None) -> int:
    try:
        return whole_number(word.strip())
    except ValueError as error:
        what = f"has {shown(str(word).strip())}, which is not a vertex; {error}"
        raise _unusable(declared, what, source, _form(declared)) from None


def _integers(declared: ir.Array, members: list[Any], vertices: int, source: Source | None) -> Any:
    """The members one by one, since NumPy turns other things into numbers."""
    members = [member if type(member) is int else plain(member) for member in members]
    flags = bool(members) and all(isinstance(member, bool) for member in members)
    for member in members:
        whole = type(member) is int
        if not flags and not whole:
            message = f"has {shown(member)}, and a set is made of integers, the ids of vertices"
            raise _unusable(declared, message, source)
        if not flags and not 0 <= int(member) < vertices:
            raise _no_vertex(declared, int(member), vertices, source)
    return np.array(members, dtype=np.bool_ if flags else np.int64)


def _no_vertex(declared: ir.Array, value: int, vertices: int, source: Source | None) -> GdslError:
    have = f"vertices 0 to {vertices - 1}" if vertices else "it has no vertices"
    message = f"param `{declared.name}` has {shown(value)}, which is not a vertex of the graph ({have})"
    return GdslError.single("E0604", message, declared.span, source)


def _unusable(declared: ir.Array, why: str, source: Source | None, fix: str | None = None) -> GdslError:
    return GdslError.single("E0603", f"param `{declared.name}` {why}", declared.span, source, fix=fix)
