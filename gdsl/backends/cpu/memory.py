"""What the host shares with generated C++: structs, graphs and arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.graph import Graph
from gdsl.plan import structs_cpu
from gdsl.plan.buffer_nodes import Pointer, Struct
from gdsl.types import Type, Widths

_POINTERS: dict[str, Any] = {"void*": ctypes.POINTER(ctypes.c_void_p), "void* const": ctypes.POINTER(ctypes.c_void_p)}
"""The pointers that the host itself follows; others are addresses."""
_STRUCTURES: dict[str, Any] = {}
_ALIGNMENT = 16


def _structure(struct: Struct) -> Any:
    """A struct of the plan as a ctypes class; pointers to it can be followed from now on."""
    fields = [(field.name, _kind(field.type)) for field in struct.fields]
    structure = type(struct.name, (ctypes.Structure,), {"_fields_": fields})
    _STRUCTURES[struct.name], _POINTERS[struct.name] = structure, ctypes.POINTER(structure)
    return structure


def _kind(kind: Type | Pointer | Struct) -> Any:
    if isinstance(kind, Struct):
        return _STRUCTURES[kind.name]
    if isinstance(kind, Pointer):
        return _POINTERS.get(kind.to, ctypes.c_void_p)
    return getattr(ctypes, f"c_{kind.name}")


GraphSlice = _structure(structs_cpu.GRAPH_SLICE)
TraceEntry = _structure(structs_cpu.TRACE_RECORD)
ControlBlock = _structure(structs_cpu.WORKERS_CONTROL)
"""Programs of one worker have the first fields of it."""
ExchangeCall = _structure(structs_cpu.EXCHANGE_CALL)
HoistedGraph = _structure(structs_cpu.HOISTED_GRAPH)
HostSlice = _structure(structs_cpu.HOST_SLICE)


_widened: WeakKeyDictionary[Graph, dict[str, NDArray[Any]]] = WeakKeyDictionary()


def graph_slice(graph: Graph, widths: Widths, parts: Iterable[str]) -> tuple[Any, list[Any]]:
    """The `parts` of `graph` for ids of these widths, and the arrays that must stay alive."""
    arrays = {name: _part(graph, name, widths) for name in parts}
    addresses = {name: array.ctypes.data for name, array in arrays.items()}
    return GraphSlice(graph.num_vertices, graph.num_edges, **addresses), list(arrays.values())


def _part(graph: Graph, name: str, widths: Widths) -> NDArray[Any]:
    if name in ("offsets", "in_offsets"):
        offsets: NDArray[Any] = getattr(graph, name)
        return offsets
    if name == "in_edges":
        return _ids(graph, "in_edge_ids", widths.edge)
    ids = _ids(graph, name, widths.edge if name == "reverse_edges" else widths.vertex)
    return ids if len(ids) else np.zeros(1, ids.dtype)  # a checked index 0 must be readable


def _ids(graph: Graph, name: str, id_bits: int) -> NDArray[Any]:
    """An array of ids at this width; converted arrays live as long as the graph."""
    array: NDArray[Any] = getattr(graph, name)
    if array.dtype.itemsize * 8 == id_bits:
        return array
    converted = _widened.setdefault(graph, {})
    if name not in converted:
        converted[name] = array.astype(f"int{id_bits}")
    return converted[name]


def dtype_of(kind: Type, widths: Widths) -> np.dtype[Any]:
    """The dtype of values of a type, for pairs that of their words. Ids are signed: `none` is -1, same bits."""
    if kind.is_pair:
        return np.dtype(np.uint64)
    return np.dtype(f"int{widths.of(kind)}" if kind.is_id else kind.name)


def allocate(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An uninitialized array of `count` values with memory for at least one, so that index 0 can always be read. It is
    aligned to 16 bytes, as atomics on two words require."""
    return array_in(new_block(block_size(count, dtype)), count, dtype)


def block_size(count: int, dtype: np.dtype[Any]) -> int:
    """The bytes of the block for such an array."""
    return max(count, 1) * dtype.itemsize + _ALIGNMENT


def new_block(size: int) -> NDArray[np.uint8]:
    """Uninitialized memory."""
    return np.empty(size, np.uint8)


def array_in(block: NDArray[np.uint8], count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The array of `count` elements in a block of as many bytes as `block_size` says, aligned."""
    first = -block.ctypes.data % _ALIGNMENT
    return block[first : first + len(block) - _ALIGNMENT].view(dtype)[:count]


def pointers(addresses: Sequence[int]) -> Any:
    """Addresses as a C array of pointers."""
    return (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
