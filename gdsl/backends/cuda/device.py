"""The GPU through CuPy: this file and `rooms.py` alone talk to CuPy's runtime."""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.protocol import Arguments
from gdsl.backends.cuda.rooms import HAND_OVER, CudaBuffer, CudaRoom, CudaShared, offsets_of
from gdsl.diagnostics import GdslError

_TURN, _SPINNING = 0.001, 0.05
"""Seconds that the host looks again and again before it lets other threads of Python have a turn, and before it pauses
in between: a pause lasts 0.06 ms at least, and that long the caller would wait too much."""
_SHORT, _LONG, _AFTER = 2e-5, 2e-4, 0.5
"""Seconds of a pause, the long ones after half a second."""
_THREADS, _BLOCKS = 256, 8
"""Threads a block, and blocks a multiprocessor, of kernels by themselves."""
_LENT = 8
"""The driver's number of what a launch may lend a block."""
_RESOURCES = 4, 3, 1
"""The driver's numbers of what a function says of itself: registers, local and shared memory."""


class _Reservation:
    """A device for one run."""

    def __init__(self, device: CudaDevice, timeout: float | None) -> None:
        self._device, self._timeout = device, timeout

    def __enter__(self) -> None:
        self._device.take(self._timeout)

    def __exit__(self, kind: object, *_: object) -> None:
        self._device.give(whole=kind is None)


class CudaDevice:
    """The current GPU. Private CuPy functions used here: `launchCooperativeKernel`,
    `occupancyMaxActiveBlocksPerMultiprocessor`, `funcGetAttribute` and `funcSetAttribute` of
    `cupy_backends.cuda.api.driver`, `cupy.cuda.function.Module`."""

    def __init__(self) -> None:
        import cupy
        from cupy_backends.cuda.api import driver

        self.cupy, self._driver = cupy, driver
        self.id = int(cupy.cuda.Device().id)
        runtime = cupy.cuda.runtime  # one attribute: for all of them CuPy takes a millisecond
        self.multiprocessors = int(runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, self.id))
        self._lock = threading.Lock()
        self._holder: int | None = None
        """The thread whose run it is."""
        self._stream: Any = None
        self._computing: dict[str, Any] = {}
        self._begin, self._end = cupy.cuda.Event(), cupy.cuda.Event()
        self._done = cupy.cuda.Event(disable_timing=True)

    @cached_property
    def _stop(self) -> NDArray[Any]:
        """The flag that asks kernels to stop, there from the first run on: pinned memory takes as long as a program."""
        return self.pinned(4).view(numpy.uint32)

    @property
    def stop_pointer(self) -> int:
        """Where it lies, as kernels see it."""
        return int(self._stop.ctypes.data)

    def reserved(self, timeout: float | None) -> contextlib.AbstractContextManager[None]:
        """One run at a time, on CuPy's current stream, whatever threads ask for it: a run fills the whole GPU, and it
        has one flag to stop it. Raises E0802 where another run has not ended within `timeout` seconds, and RuntimeError
        within a run of the same thread, as in a signal handler: that would wait for itself.

        All work of a run is queued on that stream, so that it waits for the caller's earlier work there by itself; it
        is over when `wait` returns, so that memory kept from it may be used on any stream.
        """
        return _Reservation(self, timeout)

    def take(self, timeout: float | None) -> None:
        """Have it for one thread, as `reserved` says."""
        if self._holder == threading.get_ident():
            raise RuntimeError("a run on this GPU is going on in this thread; call the program once that has ended")
        longest = threading.TIMEOUT_MAX if timeout is None else min(timeout, threading.TIMEOUT_MAX)
        if not self._lock.acquire(timeout=longest):
            raise failures.timeout_error(timeout or 0.0)
        try:
            self._holder = threading.get_ident()
            self._outer = self.cupy.cuda.runtime.getDevice()
            if self._outer != self.id:
                self.cupy.cuda.runtime.setDevice(self.id)
            self._stream = self.cupy.cuda.get_current_stream()
        except BaseException:
            self._holder = None
            self._lock.release()
            raise

    def give(self, whole: bool) -> None:
        """Leave it to others; `whole`: the run is over. Else nothing of it goes on while the next one uses its flag and
        memory."""
        try:
            if not whole:
                self._stop[0] = 1
                self._stream.synchronize()
        finally:
            self._stream = self._holder = None
            if self._outer != self.id:
                self.cupy.cuda.runtime.setDevice(self._outer)
            self._lock.release()

    @cached_property
    def hand_over(self) -> Any:
        """A kernel that copies from the device to pinned memory."""
        return self.load(self.hand_over_cubin()).get_function("hand_over")

    def hand_over_cubin(self) -> bytes:
        """Its machine code, which the first program that is compiled on a machine leaves there."""
        return nvrtc.kept_cubin("hand_over", HAND_OVER, self.architecture)

    @cached_property
    def architecture(self) -> str:
        """Such as ``sm_90``."""
        return f"sm_{self.cupy.cuda.Device(self.id).compute_capability}"

    # Memory

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Device memory from CuPy's pool; raises E0912 with what is needed and what there is."""
        size = max(16, -(-nbytes // 16) * 16)
        try:
            memory = self.cupy.cuda.alloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            free, total = self.cupy.cuda.runtime.memGetInfo()
            raise _no_memory(size, free, total) from None
        return CudaBuffer(memory, size, memory.ptr)

    def room(self, sizes: Sequence[int], former: Any) -> CudaRoom:
        """One block of memory for all."""
        needed = offsets_of(sizes)[-1]
        if former is not None and former.block.nbytes >= needed:
            return CudaRoom(former.block, sizes)
        return CudaRoom(self.allocate(needed), sizes)

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> CudaShared:
        """One block of memory for all, here and on the host."""
        return CudaShared(self, sizes, sent, beginning)

    def pinned(self, nbytes: int) -> NDArray[Any]:
        """Zeros in memory of the host that the device reads and writes by itself."""
        made = numpy.frombuffer(self.cupy.cuda.alloc_pinned_memory(max(nbytes, 1)), numpy.uint8, nbytes)
        made[:] = 0
        return made

    def require(self, nbytes: int) -> None:
        """Raise E0912 before anything is allocated if `nbytes` bytes cannot be had."""
        free, total = self.memory()
        if nbytes > free:
            raise _no_memory(nbytes, free, total)

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes); what CuPy's pool keeps unused is free."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        return free + self.cupy.get_default_memory_pool().free_bytes(), total

    def upload(self, array: Any) -> CudaBuffer:
        """A copy on the GPU; a CuPy array is used as it is. Raises E0912 as `allocate`."""
        if not isinstance(array, self.cupy.ndarray):
            try:
                array = self.cupy.asarray(array if array.size else numpy.zeros(16, numpy.uint8))
            except self.cupy.cuda.memory.OutOfMemoryError:
                raise _no_memory(array.nbytes, *self.cupy.cuda.runtime.memGetInfo()) from None
        return CudaBuffer(array.data, int(array.nbytes), array.data.ptr)

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        self.cupy.cuda.runtime.memsetAsync(buffer.pointer, 0, buffer.nbytes, self.stream().ptr)

    def sort(self, buffer: Any, count: int) -> None:
        """By CuPy, which takes as much memory once more; raises E0912 as `allocate`."""
        if count:
            try:
                self.cupy.ndarray((count,), numpy.uint64, memptr=buffer.memory).sort()
            except self.cupy.cuda.memory.OutOfMemoryError:
                raise _no_memory(8 * count, *self.cupy.cuda.runtime.memGetInfo()) from None

    def fetch(self, buffer: Any, dtype: Any, count: int) -> NDArray[Any]:
        """The first `count` values on the host."""
        found, runtime, stream = numpy.empty(count, dtype), self.cupy.cuda.runtime, self.stream()
        if found.nbytes:
            here = found.ctypes.data
            runtime.memcpyAsync(here, buffer.pointer, found.nbytes, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return found

    def prepare_peek(self) -> None:
        """Pinned memory and a stream, once."""
        _ = self._beside

    def peek(self, buffer: Any, dtype: Any) -> Any:
        """The first value, by a stream that waits for no other."""
        if not self._begin.done:
            return numpy.dtype(dtype).type(0)
        stream, there = self._beside
        runtime, size = self.cupy.cuda.runtime, numpy.dtype(dtype).itemsize
        runtime.memcpyAsync(there.ctypes.data, buffer.pointer, size, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return there[:size].view(dtype)[0]

    @cached_property
    def _beside(self) -> tuple[Any, NDArray[Any]]:
        """A stream beside that of the run, and memory for what comes by it."""
        return self.cupy.cuda.Stream(non_blocking=True), self.pinned(8)

    def result(self, buffer: Any, dtype: Any, count: int) -> Any:
        """The first `count` values as a CuPy array over the same memory."""
        return self.cupy.ndarray((count,), dtype, memptr=buffer.memory)

    # Kernels

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin: `get_function(name)`."""
        from cupy.cuda.function import Module

        module = Module()
        module.load(cubin)
        return module

    def resident_blocks(self, kernel: Any, threads: int, lent: int = 0) -> int:
        """How many blocks fit on one multiprocessor."""
        driver = self._driver
        return int(driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.ptr, threads, lent))

    def lends(self, kernel: Any) -> int:
        """Four fifths of what there is: the cache has the rest, and hardly anything without it (PageRank on rmat22 with
        192 KB 0.57 ms an iteration, with 208 0.70)."""
        runtime = self.cupy.cuda.runtime
        most = int(runtime.deviceGetAttribute(runtime.cudaDevAttrMaxSharedMemoryPerBlockOptin, self.id))
        lent = max(0, most * 4 // 5 - self.resources(kernel)[2])
        self._driver.funcSetAttribute(kernel.ptr, _LENT, lent)
        return lent

    def resources(self, kernel: Any) -> tuple[int, int, int, int]:
        """As the driver says it."""
        registers, local, shared = (int(self._driver.funcGetAttribute(which, kernel.ptr)) for which in _RESOURCES)
        runtime = self.cupy.cuda.runtime
        most = runtime.deviceGetAttribute(runtime.cudaDevAttrMaxThreadsPerMultiProcessor, self.id)
        return registers, local, shared, int(most)

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, lent: int = 0
    ) -> None:
        """A cooperative launch on CuPy's current stream."""
        driver, stream = self._driver, self.stream().ptr
        driver.launchCooperativeKernel(kernel.ptr, blocks, teams, 1, threads, 1, 1, lent, stream, arguments.address)

    def launch_block(self, kernel: Any, threads: int, arguments: Arguments) -> None:
        """A launch of one block, there too."""
        self._driver.launchKernel(kernel.ptr, 1, 1, 1, threads, 1, 1, 0, self.stream().ptr, arguments.address, 0)

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """On the run's stream; what is compiled of a text is kept, by CuPy on disk too."""
        kernel = self._computing.get(text)
        if kernel is None:
            kernel = self._computing[text] = self.cupy.RawKernel(text, name)
        blocks = min(-(-elements // _THREADS), self.multiprocessors * _BLOCKS)
        kernel((max(blocks, 1),), (_THREADS,), tuple(values))

    # The clock

    def lane(self) -> object:
        """The stream: CuPy's pool gives memory that is freed on one to who asks there."""
        return self.stream().ptr

    def start_clock(self) -> None:
        """Record the first event."""
        self._stop[0] = 0
        self._begin.record(self.stream())

    def stop_clock(self) -> None:
        """Record the second event."""
        self._end.record(self.stream())

    def elapsed_ms(self) -> float:
        """Milliseconds between the two events."""
        return float(self.cupy.cuda.get_elapsed_time(self._begin, self._end))

    def end(self) -> None:
        """Record the event that is waited for."""
        self._done.record(self.stream())

    def wait(self, must_stop: Callable[[], bool] | None) -> None:
        """Ask whether all is done, first without and then with short pauses, so that Ctrl-C is heard."""
        done = self._done
        began = turn = time.monotonic()
        try:
            while not done.done:
                if must_stop is not None and must_stop():
                    self._stop[0] = 1
                now = time.monotonic()
                if now - began > _SPINNING:
                    time.sleep(_SHORT if now - began < _AFTER else _LONG)
                elif now - turn > _TURN:
                    _let_others_go_on()
                    turn = now
        except KeyboardInterrupt:
            self._stop[0] = 1
            done.synchronize()
            raise

    def stream(self) -> Any:
        """The stream of the run, outside of one CuPy's current one."""
        return self._stream if self._stream is not None else self.cupy.cuda.get_current_stream()


def _let_others_go_on() -> None:
    """Let other threads of Python have a turn. Where there is a choice not by a sleep, which takes time whatever it is
    asked for."""
    if os.name == "nt":
        time.sleep(0)
    else:
        select.select((), (), (), 0)


def _no_memory(needed: int, free: int, total: int) -> GdslError:
    return GdslError.single(
        "E0912",
        f"the run needs {needed / 1e9:.2f} GB more of the GPU's memory, and {free / 1e9:.2f} GB of its "
        f"{total / 1e9:.2f} GB are free",
        fix="use a smaller graph, free memory of other programs, or run with --backend cpu",
        notes=["gdslc run --dry-run tells what takes it (from Python: program.dry_run)"],
    )
