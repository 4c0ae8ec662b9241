"""The GPU through CuPy: this file, `launching.py` and `rooms.py` alone talk to CuPy's runtime."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends import failures
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.clocks import Clock, Patience
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.line import Line
from gdsl.backends.cuda.protocol import Arguments
from gdsl.backends.cuda.reservation import Reservation
from gdsl.backends.cuda.rooms import CudaBuffer, CudaRoom, CudaShared, hand_over_text, offsets_of
from gdsl.diagnostics import GdslError

_PER_THREAD = 2
"""What the stream is called that is another one in each thread, `cudaStreamPerThread`."""


class CudaDevice(Launching):
    """The current GPU."""

    def __init__(self) -> None:
        super().__init__()
        cupy = self.cupy
        self._lock = threading.Lock()
        self.asking: list[None] = []
        """One for each thread that waits to have it."""
        self._threads = threading.local()
        """In which threads the device has been used."""
        self._holder: int | None = None
        """The thread whose run it is."""
        self.lane: object = None
        """The run's stream: CuPy's pool gives memory that is freed on one to who asks there."""
        self._left: list[object] = []
        """Modules that nobody has any more."""
        self._clock, self._clocks = Clock(cupy), list[Clock]()
        self.line = Line(weakref.proxy(self))  # so that the device goes with who has it

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
        is over when `wait` returns, so that memory kept from it may be used on any stream. Runs that nobody waits for
        end before.
        """
        return Reservation(self, timeout)

    def take(self, timeout: float | None, joins: bool = False) -> None:
        """Have it for one thread, as `reserved` says, or for a run that `joins` the line of those nobody waits for."""
        began = time.monotonic() if timeout is not None else 0.0
        longest = threading.TIMEOUT_MAX if timeout is None else min(timeout, threading.TIMEOUT_MAX)
        if not self.took(longest):
            raise failures.timeout_error(timeout or 0.0)
        try:
            if self.line.flights:
                until = None if timeout is None else began + timeout
                if not self.line.let_pass(self.lane if joins else None, until):
                    raise failures.timeout_error(timeout or 0.0)
            if self._left and not self.line.flights:
                self._left.clear()
        except BaseException:
            self.give(whole=True)
            raise

    def leave(self, *modules: object) -> None:
        """Keep them until nothing runs."""
        self._left.extend(modules)

    def took(self, timeout: float = 0) -> bool:
        """Have it, for a moment to look after runs of the line, unless another thread has it for so many seconds."""
        thread = threading.get_ident()
        if self._holder == thread:
            raise RuntimeError("a run on this GPU is going on in this thread; call the program once that has ended")
        if not self._lock.acquire(False) and not self._waited(timeout):
            return False
        try:
            self._holder, self._outer = thread, self.id
            cuda = self.cupy.cuda
            self._outer = cuda.runtime.getDevice()
            if self._outer != self.id or not hasattr(self._threads, "is_known"):
                cuda.runtime.setDevice(self.id)  # the driver knows no device in a thread before that
                self._threads.is_known = True
            stream = self._stream = cuda.get_current_stream()
            lane = self.lane = stream.ptr
            if lane == _PER_THREAD:
                self.lane = _PER_THREAD, thread
        except BaseException:
            self.give(whole=True)
            raise
        return True

    def _waited(self, timeout: float) -> bool:
        """Whether another thread leaves it within so many seconds."""
        is_free = False
        self.asking.append(None)
        try:
            try:
                is_free = self._lock.acquire(timeout=timeout)
            finally:
                self.asking.pop()
        except BaseException:  # Ctrl-C
            if is_free:
                self._lock.release()
            raise
        return is_free

    def give(self, whole: bool) -> None:
        """Leave it to others; `whole`: the run is over. Else nothing of it goes on while the next one uses its flag and
        memory."""
        try:
            if not whole:
                self.halt()
        finally:
            self._stream = self._holder = None
            try:
                if self._outer != self.id:
                    self.cupy.cuda.runtime.setDevice(self._outer)
            finally:
                self._lock.release()

    @cached_property
    def hand_over(self) -> Any:
        """A kernel that copies from the device to pinned memory."""
        return self._handing.get_function("hand_over")

    @cached_property
    def hand_over_and_clear(self) -> Any:
        """The same for a run behind which another one is queued. Both run once for nothing, which has them loaded."""
        kernel, memory = self._handing.get_function("hand_over_and_clear"), self.allocate(16)
        self.zero(memory)
        nothing = numpy.array([[memory.pointer], *[[0]] * 8], numpy.uint64)
        self.launch_block(kernel, 1, Arguments(*nothing))
        self.launch_block(self.hand_over, 1, Arguments(*nothing[:3]))
        return kernel

    @cached_property
    def _handing(self) -> Any:
        return self.load(self.hand_over_cubin())

    def hand_over_cubin(self) -> bytes:
        """Its machine code, which the first program that is compiled on a machine leaves there."""
        return nvrtc.kept_cubin("hand_over", hand_over_text(), self.architecture)

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
        """The first `count` values on the host: of what a run has left that is over, where others stand in line, for
        which the copy does not wait."""
        found, runtime = numpy.empty(count, dtype), self.cupy.cuda.runtime
        stream = self._beside[0] if self.line.flights else self.stream()
        if found.nbytes:
            here = found.ctypes.data
            runtime.memcpyAsync(here, buffer.pointer, found.nbytes, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return found

    def fetch_into(self, there: NDArray[Any], buffer: Any) -> None:
        """On the run's stream."""
        here, runtime = there.ctypes.data, self.cupy.cuda.runtime
        runtime.memcpyAsync(here, buffer.pointer, there.nbytes, runtime.memcpyDeviceToHost, self.stream().ptr)

    def prepare_peek(self) -> None:
        """Pinned memory and a stream, once."""
        _ = self._beside

    def peek(self, buffer: Any, dtype: Any) -> Any:
        """The first value, by a stream that waits for no other."""
        if not self._clock.begin.done:
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

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin: `get_function(name)`."""
        self.let_line_pass()
        return super().load(cubin)

    def let_line_pass(self) -> None:
        """Before work of the driver that waits for runs: those that nobody watches end, or are stopped when they are
        late, and Ctrl-C is heard."""
        if self.line.flights:
            if self._holder == threading.get_ident():
                self.line.let_pass(None, None)
            else:
                with self.reserved(None):
                    pass

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """As others, but a text that is new is loaded."""
        if text not in self._computing:
            self.let_line_pass()
        super().compute(text, name, elements, values)

    # The clock

    def let_end(self, stream: Any, lane: object) -> None:
        """Wait for what was queued on a stream that was this lane; another thread's own has no name in this one."""
        if isinstance(lane, tuple):
            self.cupy.cuda.runtime.deviceSynchronize()
        else:
            stream.synchronize()

    def start_clock(self) -> None:
        """Record the first event."""
        self._stop[0] = 0
        self._clock.begin.record(self._stream or self.stream())

    def stop_clock(self) -> None:
        """Record the second event."""
        self._clock.end.record(self._stream or self.stream())

    def elapsed_ms(self) -> float:
        """Milliseconds between the two events."""
        return self._clock.elapsed_ms()

    def end(self) -> None:
        """Record the event that is waited for."""
        self._clock.over.record(self._stream or self.stream())

    def wait(self, must_stop: Callable[[], bool] | None) -> None:
        """Ask whether all is done, so that Ctrl-C is heard."""
        self.wait_for(self._clock, must_stop)

    def wait_for(self, clock: Clock, must_stop: Callable[[], bool] | None, until: float | None = None) -> bool:
        """The same of another clock; at the moment `until` it is False if that is not so by then."""
        if clock.is_done:
            return True
        patience = Patience()
        try:
            while not clock.is_done:
                if must_stop is not None and must_stop():
                    self._stop[0] = 1
                elif until is not None and time.monotonic() > until:
                    return False
                patience.pause()
        except KeyboardInterrupt:
            self._stop[0] = 1
            clock.over.synchronize()
            raise
        return True

    def hand_out_clock(self) -> Clock:
        """The clock of the run that was queued, for who waits for it; there is another one now."""
        clock, self._clock = self._clock, self._clocks.pop() if self._clocks else Clock(self.cupy)
        return clock

    def take_clock_back(self, clock: Clock) -> None:
        """Nobody looks at it any more."""
        self._clocks.append(clock)

    def halt(self) -> None:
        """Stop what is queued on the run's stream, and wait until that is over."""
        self._stop[0] = 1
        self._stream.synchronize()

    def stop_all(self) -> None:
        """Have whatever is going on end soon."""
        self._stop[0] = 1


def _no_memory(needed: int, free: int, total: int) -> GdslError:
    return GdslError.single(
        "E0912",
        f"the run needs {needed / 1e9:.2f} GB more of the GPU's memory, and {free / 1e9:.2f} GB of its "
        f"{total / 1e9:.2f} GB are free",
        fix="use a smaller graph, free memory of other programs, or run with --backend cpu",
        notes=["gdslc run --dry-run tells what takes it (from Python: program.dry_run)"],
    )
