"""What the host side asks of a device: memory, kernels, a flag that asks them to stop, and a clock.

`CudaDevice` is the GPU through CuPy. The tests bring another one, which runs the same generated text on the CPU.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy

from gdsl.backends import failures
from gdsl.diagnostics import GdslError


class Buffer(Protocol):
    """Device memory: `pointer` is what kernels get."""

    pointer: int
    nbytes: int


class Device(Protocol):
    """One device, with one stream of work."""

    multiprocessors: int
    stop_pointer: int
    """Where the flag that asks kernels to stop lies, as kernels see it."""

    def allocate(self, nbytes: int) -> Buffer:
        """At least `nbytes` bytes, of any content, aligned to 16."""
        ...

    def upload(self, array: Any) -> Buffer:
        """The bytes of a NumPy array (or, on a GPU, of a CuPy array, which is used as it is)."""
        ...

    def write(self, buffer: Buffer, array: numpy.ndarray[Any, Any]) -> None:
        """Replace the first bytes of `buffer`."""
        ...

    def zero(self, buffer: Buffer) -> None:
        """Clear `buffer`."""
        ...

    def fetch(self, buffer: Buffer, dtype: Any, count: int) -> numpy.ndarray[Any, Any]:
        """The first `count` values of `buffer`, on the host, after all work so far."""
        ...

    def result(self, buffer: Buffer, dtype: Any, count: int) -> Any:
        """The same as an array of the kind that the caller is given."""
        ...

    def resident_blocks(self, kernel: Any, threads: int) -> int:
        """How many blocks of `threads` threads of `kernel` fit on one multiprocessor."""
        ...

    def launch(self, kernel: Any, blocks: int, threads: int, arguments: Sequence[numpy.generic]) -> None:
        """Start a kernel whose blocks all run at the same time; does not wait."""
        ...

    def start_clock(self) -> None:
        """The moment from which `stop_clock` counts."""
        ...

    def stop_clock(self) -> None:
        """The moment up to which `elapsed_ms` counts."""
        ...

    def elapsed_ms(self) -> float:
        """Milliseconds between the two, once the work is done."""
        ...

    def wait(self, must_stop: Callable[[], bool]) -> None:
        """Until all work is done. Once `must_stop` says so, or on Ctrl-C, kernels are asked to stop."""
        ...


class CudaBuffer:
    """Memory of the GPU; `array` keeps it alive."""

    def __init__(self, array: Any, nbytes: int) -> None:
        self.array = array
        self.pointer = int(array.data.ptr)
        self.nbytes = nbytes


class CudaDevice:
    """The current GPU. Private CuPy functions used here: `cupy_backends.cuda.api.driver.launchCooperativeKernel` and
    `occupancyMaxActiveBlocksPerMultiprocessor`, `cupy.cuda.function.Module`."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.id = int(cupy.cuda.Device().id)
        self.multiprocessors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        self._lock = threading.Lock()
        pinned = cupy.cuda.alloc_pinned_memory(4)
        self._stop = numpy.frombuffer(pinned, numpy.uint32, 1)
        self.stop_pointer = int(pinned.ptr)

    @contextlib.contextmanager
    def reserved(self, timeout: float | None) -> Iterator[None]:
        """One run at a time, on CuPy's current stream, whatever threads ask for it: a run fills the whole GPU, and it
        has one flag to stop it. Raises E0802 where another run has not ended within `timeout` seconds."""
        longest = threading.TIMEOUT_MAX if timeout is None else min(timeout, threading.TIMEOUT_MAX)
        if not self._lock.acquire(timeout=longest):
            raise failures.timeout_error(timeout or 0.0)
        try:
            with self.cupy.cuda.Device(self.id):
                stream = self.cupy.cuda.get_current_stream()
                # Memory that the pool hands out again may still be in use by earlier work on this stream, and copies
                # from the host do not wait for a stream that was made with `non_blocking`.
                stream.synchronize()
                try:
                    yield
                except BaseException:  # nothing of this run goes on while the next one uses its flag and memory
                    self._stop[0] = 1
                    stream.synchronize()
                    raise
        finally:
            self._lock.release()

    @cached_property
    def architecture(self) -> str:
        """Such as ``sm_90``."""
        return f"sm_{self.cupy.cuda.Device(self.id).compute_capability}"

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Device memory from CuPy's pool; raises E0912 with what is needed and what there is."""
        size = max(16, -(-nbytes // 16) * 16)
        try:
            return CudaBuffer(self.cupy.empty(size, self.cupy.uint8), size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            free, total = self.cupy.cuda.runtime.memGetInfo()
            raise _no_memory(size, free, total) from None

    def require(self, nbytes: int) -> None:
        """Raise E0912 before anything is allocated if `nbytes` bytes cannot be had."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        pooled = self.cupy.get_default_memory_pool().free_bytes()
        if nbytes > free + pooled:
            raise _no_memory(nbytes, free + pooled, total)

    def upload(self, array: Any) -> CudaBuffer:
        """A copy on the GPU; a CuPy array is used as it is."""
        if not isinstance(array, self.cupy.ndarray):
            array = self.cupy.asarray(array if array.size else numpy.zeros(16, numpy.uint8))
        return CudaBuffer(array, int(array.nbytes))

    def write(self, buffer: Any, array: numpy.ndarray[Any, Any]) -> None:
        """Replace the first bytes of `buffer`."""
        data = numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)
        buffer.array.reshape(-1).view(self.cupy.uint8)[: data.size].set(data)

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        buffer.array.data.memset_async(0, buffer.nbytes)

    def fetch(self, buffer: Any, dtype: Any, count: int) -> numpy.ndarray[Any, Any]:
        """The first `count` values on the host."""
        return numpy.asarray(self.cupy.asnumpy(self.result(buffer, dtype, count)))

    def result(self, buffer: Any, dtype: Any, count: int) -> Any:
        """The first `count` values as a CuPy array over the same memory."""
        return self.cupy.ndarray((count,), dtype, memptr=buffer.array.data)

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin: `get_function(name)`."""
        from cupy.cuda.function import Module

        module = Module()
        module.load(cubin)
        return module

    def resident_blocks(self, kernel: Any, threads: int) -> int:
        """How many blocks fit on one multiprocessor."""
        from cupy_backends.cuda.api import driver

        return int(driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.ptr, threads, 0))

    def launch(self, kernel: Any, blocks: int, threads: int, arguments: Sequence[numpy.generic]) -> None:
        """A cooperative launch on CuPy's current stream."""
        from cupy_backends.cuda.api import driver

        held = [numpy.asarray(argument).reshape(1) for argument in arguments]
        pointers = (ctypes.c_void_p * len(held))(*(argument.ctypes.data for argument in held))
        stream = self.cupy.cuda.get_current_stream().ptr
        driver.launchCooperativeKernel(kernel.ptr, blocks, 1, 1, threads, 1, 1, 0, stream, ctypes.addressof(pointers))

    def start_clock(self) -> None:
        """Record the first event; both are made anew for each run."""
        self._stop[0] = 0
        self._begin, self._end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        self._begin.record()

    def stop_clock(self) -> None:
        """Record the second event."""
        self._end.record()

    def elapsed_ms(self) -> float:
        """Milliseconds between the two events."""
        return float(self.cupy.cuda.get_elapsed_time(self._begin, self._end))

    def wait(self, must_stop: Callable[[], bool]) -> None:
        """Query the second event, first without and then with short sleeps, so that Ctrl-C is heard."""
        began = time.monotonic()
        try:
            while not self._end.done:
                if must_stop():
                    self._stop[0] = 1
                if time.monotonic() - began > 0.002:
                    time.sleep(0.0002)
        except KeyboardInterrupt:
            self._stop[0] = 1
            self._end.synchronize()
            raise
        self._end.synchronize()


def _no_memory(needed: int, free: int, total: int) -> GdslError:
    return GdslError.single(
        "E0912",
        f"the run needs {needed / 1e9:.2f} GB more of the GPU's memory, and {free / 1e9:.2f} GB of its "
        f"{total / 1e9:.2f} GB are free",
        fix="use a smaller graph, free memory of other programs, or run with --backend cpu",
    )
