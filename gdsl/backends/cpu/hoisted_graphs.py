"""Graphs that programs make of a graph's structure alone, which stay in memory with it (`gdsl.plan.hoisted_graphs`)."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from gdsl.backends.cpu.memory import HoistedGraph
from gdsl.graph.graph import Graph
from gdsl.types import Widths

_ARRAYS = ("offsets", "neighbors", "edge_ids", "in_offsets", "in_sources", "in_edges", "reverse")
_kept: WeakKeyDictionary[Graph, dict[tuple[str, str], Any]] = WeakKeyDictionary()
_lock = Lock()


def addresses_of(graph: Graph, widths: Widths, keys: Sequence[str]) -> list[int]:
    """Where runs with ids of these widths find and leave what is kept of `graph` under `keys`; it is freed with it."""
    if not keys:
        return []
    with _lock:
        slots = _kept.setdefault(graph, {})
        for key in keys:
            if (key, str(widths)) not in slots:
                slots[key, str(widths)] = _new_slot(graph)
        return [ctypes.addressof(slots[key, str(widths)]) for key in keys]


def _new_slot(graph: Graph) -> Any:
    slot = HoistedGraph()
    weakref.finalize(graph, _free, slot).atexit = False
    return slot


def _free(slot: Any) -> None:
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = [ctypes.c_void_p], None
    for name in _ARRAYS:
        free(getattr(slot, name))
