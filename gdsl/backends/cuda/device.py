"""The GPU through CuPy: for one GPU, only this file, `device_memory.py`, `pinned_copies.py` and `launching.py` call
CuPy's runtime."""

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
from gdsl.backends.cuda.clocks import Clock, Patience
from gdsl.backends.cuda.device_memory import DeviceMemory
from gdsl.backends.cuda.memory_errors import no_memory
from gdsl.backends.cuda.stream_queue import StreamQueue
from gdsl.backends.cuda.whole_gpus import register

_PER_THREAD = 2
"""The stream that is a different one in each thread, `cudaStreamPerThread`."""


class CudaDevice(DeviceMemory):
    """The current GPU."""

    def __init__(self) -> None:
        super().__init__()
        cupy = self.cupy
        self._lock = threading.Lock()
        self.waiting_threads: list[None] = []
        """An entry for each thread that waits to acquire the device."""
        self._threads = threading.local()
        """The threads in which the device has been used."""
        self._holder: int | None = None
        """The thread whose run holds the device."""
        self.lane: object = None
        """The run's stream: CuPy's pool reuses memory that was freed on one only there."""
        self._to_unload: list[object] = []
        """Modules to unload when nothing runs."""
        self._clock, self._clocks = Clock(cupy), list[Clock]()
        self.queue = StreamQueue(weakref.proxy(self))  # so that the device is freed with its owner
        register(self, self._lock)

    @cached_property
    def _stop(self) -> NDArray[Any]:
        """The flag that asks kernels to stop, created at the first run: pinned memory takes as long as a program."""
        return self.pinned(4).view(numpy.uint32)

    @property
    def stop_pointer(self) -> int:
        """The address of the word that stops kernels, as they see it."""
        return int(self._stop.ctypes.data)

    def reserved(self, timeout: float | None) -> contextlib.AbstractContextManager[None]:
        """Hold the device for one run, on CuPy's current stream, whichever thread it is in: a run fills the whole GPU,
        and one flag stops it. Raises E0802 if another run has not ended within `timeout` seconds, and RuntimeError
        within a run of the same thread, as in a signal handler: that would wait for itself.

        All work of a run is queued on that stream, so it automatically waits for the caller's earlier work there; it is
        over when `wait` returns, so memory kept from it may be used on any stream. Queued runs end first.
        """
        return Reservation(self, timeout)

    def acquire(self, timeout: float | None, joins: bool = False, spent: float = 0.0) -> None:
        """Acquire the device for one thread, as `reserved` does, or for a run that `joins` the queue; of the timeout
        `spent` seconds have passed."""
        began = time.monotonic() - spent if timeout is not None else 0.0
        longest = threading.TIMEOUT_MAX if timeout is None else min(max(timeout - spent, 0.0), threading.TIMEOUT_MAX)
        if not self.try_acquire(longest):
            raise failures.timeout_error(timeout)
        try:
            if self.queue.runs:
                until = None if timeout is None else began + timeout
                if not self.queue.drain(self.lane if joins else None, until):
                    raise failures.timeout_error(timeout)
            if self._to_unload and not self.queue.runs:
                self._to_unload.clear()
        except BaseException:
            self.release(whole=True)
            raise

    def unload_later(self, *modules: object) -> None:
        """Keep modules until nothing runs."""
        self._to_unload.extend(modules)

    def try_acquire(self, timeout: float = 0) -> bool:
        """Acquire the device briefly to settle queued runs, unless another thread holds it for that many seconds."""
        thread = threading.get_ident()
        if self._holder == thread:
            raise RuntimeError("a run on this GPU is in progress in this thread; call the program after it has ended")
        if not self._lock.acquire(False) and not self._waited(timeout):
            return False
        try:
            self._holder, self._outer = thread, self.id
            cuda = self.cupy.cuda
            self._outer = cuda.runtime.getDevice()
            if self._outer != self.id or not hasattr(self._threads, "is_known"):
                cuda.runtime.setDevice(self.id)  # before that, the driver knows no device in a thread
                self._threads.is_known = True
            stream = self._stream = cuda.get_current_stream()
            lane = self.lane = stream.ptr
            if lane == _PER_THREAD:
                self.lane = _PER_THREAD, thread
        except BaseException:
            self.release(whole=True)
            raise
        return True

    def _waited(self, timeout: float) -> bool:
        """Whether another thread releases it within that many seconds."""
        is_free = False
        self.waiting_threads.append(None)
        try:
            try:
                is_free = self._lock.acquire(timeout=timeout)
            finally:
                self.waiting_threads.pop()
        except BaseException:  # Ctrl-C
            if is_free:
                self._lock.release()
            raise
        return is_free

    def release(self, whole: bool) -> None:
        """Release the device; `whole`: the run is complete. Otherwise wait until nothing of it is in progress, as the
        next run uses its flag and memory."""
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

    # Memory

    def sort(self, buffer: Any, count: int) -> None:
        """By CuPy, which needs the same amount of memory again; raises E0912 as `allocate`."""
        if count:
            try:
                self.cupy.ndarray((count,), numpy.uint64, memptr=buffer.memory).sort()
            except MemoryError:  # CuPy's own, or that of Thrust, which hides it
                raise no_memory(8 * count, *self.cupy.cuda.runtime.memGetInfo()) from None

    def fetch(self, buffer: Any, dtype: Any, count: int) -> NDArray[Any]:
        """The first `count` values on the host. While runs are queued, the values of a run that is over; the copy does
        not wait for the others."""
        values, runtime = numpy.empty(count, dtype), self.cupy.cuda.runtime
        stream = self._side_stream[0] if self.queue.runs else self.stream()
        if values.nbytes:
            here = values.ctypes.data
            runtime.memcpyAsync(here, buffer.pointer, values.nbytes, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return values

    def fetch_into(self, there: NDArray[Any], buffer: Any) -> None:
        """Queue a copy to the host, on the stream of the run."""
        here, runtime = there.ctypes.data, self.cupy.cuda.runtime
        runtime.memcpyAsync(here, buffer.pointer, there.nbytes, runtime.memcpyDeviceToHost, self.stream().ptr)

    def peek(self, buffer: Any, dtype: Any) -> Any:
        """The first value, by a stream that waits for no other work."""
        if not self._clock.begin.done:
            return numpy.dtype(dtype).type(0)
        stream, there = self._side_stream
        runtime, size = self.cupy.cuda.runtime, numpy.dtype(dtype).itemsize
        runtime.memcpyAsync(there.ctypes.data, buffer.pointer, size, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return there[:size].view(dtype)[0]

    def result(self, buffer: Any, dtype: Any, count: int) -> Any:
        """The first `count` values as a CuPy array over the same memory."""
        return self.cupy.ndarray((count,), dtype, memptr=buffer.memory)

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin: `get_function(name)`. Raises E0912."""
        self.drain_queue()
        return super().load(cubin)

    def drain_queue(self) -> None:
        """Called before operations of the driver that wait for runs: queued runs end, or are stopped when they are
        late, and Ctrl-C is handled."""
        if self.queue.runs:
            if self._holder == threading.get_ident():
                self.queue.drain(None, None)
            else:
                with self.reserved(None):
                    pass

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """As in the base class, but a new text is loaded first."""
        if (text, name) not in self._computing:
            self.drain_queue()
        super().compute(text, name, elements, values)

    # The clock

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
        """Poll until all is done, so that Ctrl-C is handled."""
        self.wait_for(self._clock, must_stop)

    def wait_for(self, clock: Clock, must_stop: Callable[[], bool] | None, until: float | None = None) -> bool:
        """Poll until the work of `clock` is done, so that Ctrl-C is handled; False if it is not done at the moment
        `until`."""
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
        """The clock of the run that was queued last, for the thread that waits for it; the device uses another one from
        now on."""
        clock, self._clock = self._clock, self._clocks.pop() if self._clocks else Clock(self.cupy)
        return clock

    def take_clock_back(self, clock: Clock) -> None:
        """Reuse a clock."""
        self._clocks.append(clock)

    def halt(self) -> None:
        """Stop what is queued on the run's stream, and wait until that is over."""
        if "_stop" in self.__dict__:  # otherwise nothing reads it, and there may be no memory for it
            self._stop[0] = 1
        self._stream.synchronize()

    def stop_all(self) -> None:
        """Ask everything in progress to end soon."""
        self._stop[0] = 1


class Reservation:
    """A device for one run."""

    def __init__(self, device: CudaDevice, timeout: float | None) -> None:
        self._device, self._timeout = device, timeout

    def __enter__(self) -> None:
        self._device.acquire(self._timeout)

    def __exit__(self, kind: object, *_: object) -> None:
        self._device.release(whole=kind is None)
