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
_WORD = 16
"""Kernels read up to so many bytes at a time, at multiples of them."""


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
        pointer = int(runtime.pointerGetAttributes(address).devicePointer)
        if pointer:
            self.pointer = pointer


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
    """`values` for kernels, with the first `resident` bytes (whole pages) in the GPU's memory if that is possible.
    Raises E0912."""
    values = numpy.ascontiguousarray(values).reshape(-1)
    buffer = _divided(cupy, device, values.nbytes, resident)
    if buffer is None:
        return _pinned(cupy, values)
    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    runtime.memcpyAsync(buffer.pointer, values.ctypes.data, resident, runtime.memcpyHostToDevice, stream.ptr)
    try:
        copy_by_threads(_bytes_at(buffer.pointer + resident, values.nbytes - resident), _bytes_of(values)[resident:])
    finally:  # without enough threads, too, the range is unmapped
        stream.synchronize()
    return buffer


def allocate(cupy: Any, device: int, nbytes: int, resident: int) -> HostBuffer:
    """`nbytes` bytes of any content, the first `resident` of them in the GPU's memory if that is possible. Raises
    E0912."""
    return _divided(cupy, device, nbytes, resident) or _new(cupy, nbytes)


def _divided(cupy: Any, device: int, nbytes: int, resident: int) -> HostBuffer | None:
    """Memory in a range of which the first pages are the GPU's; None without such pages, where the driver cannot map
    the range, or without enough memory."""
    if not resident:
        return None
    page = flat_ranges.page_bytes((device, HOST))
    whole = -(-nbytes // page) * page
    free = available_memory()
    if free is not None and whole - resident > free:
        return None
    parts = [Part(device, resident), Part(HOST, whole - resident)]
    with contextlib.suppress(GdslError):
        flat_range = FlatRange(parts, [device])
        return HostBuffer(flat_range, nbytes, flat_range.pointer, resident)
    with contextlib.suppress(GdslError):
        cupy.get_default_memory_pool().free_all_blocks()  # which a range cannot use
        flat_range = FlatRange(parts, [device])
        return HostBuffer(flat_range, nbytes, flat_range.pointer, resident)
    return None


def copy_by_threads(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy bytes between arrays of the host."""

    def copy(first: int) -> None:
        target[first : first + _PIECE] = source[first : first + _PIECE]

    by_threads(copy, range(0, source.nbytes, _PIECE), _THREADS)


def _pinned(cupy: Any, values: NDArray[Any]) -> HostBuffer:
    """The array itself if it can be pinned, otherwise a copy of it in pinned memory."""
    key = address, nbytes = values.ctypes.data, values.nbytes
    if nbytes >= _LEAST_PINNED and address % _WORD == 0:
        with contextlib.suppress(Exception):  # the driver's errors come in several classes
            pinned = _PINNED.get(key) or PinnedArray(cupy, values)
            _PINNED[key] = pinned
            return HostBuffer(pinned, nbytes, pinned.pointer)
    buffer = _new(cupy, nbytes)
    copy_by_threads(_bytes_at(buffer.pointer, nbytes), _bytes_of(values))
    return buffer


class PinnedMemory:
    """New memory of the host that kernels can access, aligned to a page."""

    def __init__(self, cupy: Any, nbytes: int) -> None:
        """Raises the driver's error."""
        runtime = cupy.cuda.runtime
        self.pointer = int(runtime.hostAlloc(nbytes, _PORTABLE | _MAPPED))
        weakref.finalize(self, _free, runtime, self.pointer).atexit = False


def _free(runtime: Any, pointer: int) -> None:
    with contextlib.suppress(Exception):  # the context may be gone
        runtime.freeHost(pointer)


def _new(cupy: Any, nbytes: int) -> HostBuffer:
    """Pinned memory of any content."""
    _require(nbytes)
    try:
        memory = PinnedMemory(cupy, max(nbytes, _WORD))
    except Exception as error:  # of the driver
        raise _no_memory(nbytes) from error
    return HostBuffer(memory, nbytes, memory.pointer)


def _bytes_at(pointer: int, nbytes: int) -> NDArray[Any]:
    return numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(pointer))


def _bytes_of(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(numpy.uint8)


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
