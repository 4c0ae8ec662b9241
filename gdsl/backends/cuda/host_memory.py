"""Memory of the host that kernels read: arrays that the driver pins, and lists of which the GPU has the first pages."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda import flat_ranges
from gdsl.backends.cuda.flat_ranges import HOST, FlatRange, Part
from gdsl.diagnostics import GdslError
from gdsl.graph.memory import available_memory
from gdsl.graph.threads import by_threads
from gdsl.numerals import readable_bytes

_PORTABLE, _MAPPED, _READ_ONLY = 1, 2, 8
"""Flags of `cudaHostRegister`: for all contexts, for kernels, for memory that the process may only read (a file)."""
_LEAST_PINNED = 1 << 20
"""Smaller arrays are copied: they may share a page with others, which can be pinned only once."""
_ALIGNMENT = 256
"""Of copies: an aligned list is read in whole lines of 128 bytes."""


_PIECE, _THREADS = 1 << 24, 8
"""Bytes that a thread copies at a time."""


class HostBuffer:
    """Memory that kernels read at `pointer`; `memory` keeps it alive."""

    __slots__ = ("memory", "nbytes", "pointer", "resident")

    def __init__(self, memory: Any, nbytes: int, pointer: int, resident: int = 0) -> None:
        """`resident`: how many bytes, the first ones, are in the GPU's memory."""
        self.memory, self.nbytes, self.pointer, self.resident = memory, nbytes, pointer, resident


class PinnedArray:
    """An array of the host that is pinned for as long as this object lives; kernels read it at `pointer`."""

    def __init__(self, cupy: Any, array: NDArray[Any]) -> None:
        """Raises the driver's error."""
        runtime, address = cupy.cuda.runtime, array.ctypes.data
        flags = _PORTABLE | _MAPPED
        try:
            runtime.hostRegister(address, array.nbytes, flags)
        except Exception:  # the driver's errors come in several classes; memory that is only read needs a flag
            runtime.hostRegister(address, array.nbytes, flags | _READ_ONLY)
        self.array, self.pointer = array, address
        weakref.finalize(self, _unpin, runtime, address, array).atexit = False
        found = int(runtime.pointerGetAttributes(address).devicePointer)
        if found:
            self.pointer = found


_PINNED: weakref.WeakValueDictionary[tuple[int, int], PinnedArray] = weakref.WeakValueDictionary()
"""By address and size: an array can be pinned only once."""


def _unpin(runtime: Any, address: int, array: Any) -> None:
    """`array` is alive until this is done."""
    with contextlib.suppress(Exception):  # the context may be gone
        runtime.hostUnregister(address)


def page_bytes(device: int) -> int | None:
    """The size of the pages between which a list can be divided; None if that is not possible here: without the extra
    `gdsl[gpus]`, or with a driver that cannot map the host's memory."""
    try:
        page = flat_ranges.page_bytes((device, HOST))
        FlatRange([Part(device, page), Part(HOST, page)], [device]).close()  # containers may refuse it
    except GdslError:
        return None
    return page


def place(cupy: Any, device: int, values: NDArray[Any], resident: int) -> HostBuffer:
    """`values` for kernels, with the first `resident` bytes (whole pages) in the GPU's memory. Raises E0912."""
    values = numpy.ascontiguousarray(values).reshape(-1)
    if resident:
        try:
            return _divided(cupy, device, values, resident)
        except GdslError:  # the driver cannot map it, or the host has no room for a copy
            pass
    return _pinned(cupy, values)


def allocate(cupy: Any, device: int, nbytes: int, resident: int) -> HostBuffer:
    """`nbytes` bytes of any content, the first `resident` of them in the GPU's memory. Raises E0912."""
    if resident:
        with contextlib.suppress(GdslError):
            return _divided_range(device, nbytes, resident)
    return _pinned(cupy, _aligned(nbytes))


def _divided(cupy: Any, device: int, values: NDArray[Any], resident: int) -> HostBuffer:
    """A copy in a range of which the first pages are the GPU's."""
    buffer = _divided_range(device, values.nbytes, resident)
    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    runtime.memcpyAsync(buffer.pointer, values.ctypes.data, resident, runtime.memcpyHostToDevice, stream.ptr)
    rest = values.view(numpy.uint8)[resident:]
    there = (ctypes.c_uint8 * rest.nbytes).from_address(buffer.pointer + resident)
    copy_by_threads(numpy.ctypeslib.as_array(there), rest)
    stream.synchronize()
    return buffer


def copy_by_threads(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy bytes between arrays of the host."""

    def copy(first: int) -> None:
        target[first : first + _PIECE] = source[first : first + _PIECE]

    by_threads(copy, range(0, source.nbytes, _PIECE), _THREADS)


def _divided_range(device: int, nbytes: int, resident: int) -> HostBuffer:
    page = flat_ranges.page_bytes((device, HOST))
    whole = -(-nbytes // page) * page
    _require(whole - resident)
    found = FlatRange([Part(device, resident), Part(HOST, whole - resident)], [device])
    return HostBuffer(found, nbytes, found.pointer, resident)


def _pinned(cupy: Any, values: NDArray[Any]) -> HostBuffer:
    """The array itself if it can be pinned, otherwise a copy of it in pinned memory."""
    if values.nbytes >= _LEAST_PINNED:
        key = values.ctypes.data, values.nbytes
        with contextlib.suppress(Exception):  # the driver's errors come in several classes
            pinned = _PINNED.get(key) or PinnedArray(cupy, values)
            _PINNED[key] = pinned
            return HostBuffer(pinned, values.nbytes, pinned.pointer)
    _require(values.nbytes)
    try:
        memory = cupy.cuda.alloc_pinned_memory(max(values.nbytes, _ALIGNMENT))
    except Exception as error:  # of the driver
        raise _no_memory(values.nbytes) from error
    numpy.frombuffer(memory, numpy.uint8, values.nbytes)[:] = values.view(numpy.uint8)
    return HostBuffer(memory, values.nbytes, int(memory.ptr))


def _aligned(nbytes: int) -> NDArray[Any]:
    """Bytes at an aligned address."""
    memory = numpy.empty(nbytes + _ALIGNMENT, numpy.uint8)
    first = -memory.ctypes.data % _ALIGNMENT
    return memory[first : first + nbytes]


def _require(nbytes: int) -> None:
    free = available_memory()
    if free is not None and nbytes > free:
        raise _no_memory(nbytes, free)


def _no_memory(nbytes: int, free: int | None = None) -> GdslError:
    there = "" if free is None else f", and {readable_bytes(free)} are free"
    return GdslError.single(
        "E0912",
        f"the edge lists need {readable_bytes(nbytes)} of pinned memory of the host{there}",
        fix="use a smaller graph, or free memory of other programs",
        notes=["gdslc run --dry-run lists what needs it (from Python: program.dry_run)"],
    )
