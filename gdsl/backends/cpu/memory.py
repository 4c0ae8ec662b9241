"""The host's side of what generated C++ reads and writes: structures, graphs and slots."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.graph import Graph
from gdsl.types import ScalarType, Widths


class GraphSlice(ctypes.Structure):
    """`graph_slice` of the runtime."""

    _fields_ = [
        ("num_vertices", ctypes.c_int64),
        ("num_edges", ctypes.c_int64),
        ("offsets", ctypes.c_void_p),
        ("columns", ctypes.c_void_p),
        ("in_offsets", ctypes.c_void_p),
        ("in_sources", ctypes.c_void_p),
        ("in_edges", ctypes.c_void_p),
    ]


class TraceEntry(ctypes.Structure):
    """`trace_record` of the runtime."""

    _fields_ = [
        ("site", ctypes.c_int32),
        ("iteration", ctypes.c_int32),
        ("size", ctypes.c_int64),
        ("edges", ctypes.c_int64),
        ("pulled", ctypes.c_int64),
    ]


class ControlBlock(ctypes.Structure):
    """`control_block` of the runtime."""

    _fields_ = [
        ("host_stop", ctypes.c_uint32),
        ("halted", ctypes.c_uint32),
        ("failure", ctypes.c_int64),
        ("failed_value", ctypes.c_int64),
        ("exhausted", ctypes.c_int64),
        ("max_iterations", ctypes.c_int64),
        ("iterations", ctypes.c_int64),
        ("nanoseconds", ctypes.c_int64),
        ("trace", ctypes.POINTER(TraceEntry)),
        ("trace_length", ctypes.c_int64),
        ("trace_capacity", ctypes.c_int64),
    ]


class HostSlice(ctypes.Structure):
    """`host_slice` of the generated program."""

    _fields_ = [
        ("graph", GraphSlice),
        ("control", ctypes.POINTER(ControlBlock)),
        ("params", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
    ]


_widened: WeakKeyDictionary[Graph, dict[str, NDArray[Any]]] = WeakKeyDictionary()


def graph_slice(graph: Graph, widths: Widths, parts: Iterable[str]) -> tuple[GraphSlice, list[Any]]:
    """`graph` for ids of these widths, with the `parts` that are asked for, and what must be kept alive."""
    arrays = {name: _part(graph, name, widths) for name in parts}
    addresses = {name: array.ctypes.data for name, array in arrays.items()}
    return GraphSlice(graph.num_vertices, graph.num_edges, **addresses), list(arrays.values())


def _part(graph: Graph, name: str, widths: Widths) -> NDArray[Any]:
    if name in ("offsets", "in_offsets"):
        offsets: NDArray[Any] = getattr(graph, name)
        return offsets
    if name == "in_edges":
        return _ids(graph, "in_edge_ids", widths.edge)
    return _ids(graph, name, widths.vertex)


def _ids(graph: Graph, name: str, id_bits: int) -> NDArray[Any]:
    """An array of ids at this width; one that has to be made is kept as long as the graph."""
    array: NDArray[Any] = getattr(graph, name)
    if array.dtype.itemsize * 8 == id_bits:
        return array
    made = _widened.setdefault(graph, {})
    if name not in made:
        made[name] = array.astype(f"int{id_bits}")
    return made[name]


def dtype_of(kind: ScalarType, widths: Widths) -> np.dtype[Any]:
    """The dtype of values of a type; ids are signed, with `none` as -1, the same bits as the device's."""
    return np.dtype(f"int{widths.of(kind)}" if kind.is_id else kind.value)


def room_for(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of `count` values with room for one at least, so that a checked index 0 is always there."""
    return np.empty(max(count, 1), dtype)[:count]


def pointers(arrays: list[NDArray[Any]]) -> Any:
    """The addresses of `arrays` as a C array of pointers."""
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))
