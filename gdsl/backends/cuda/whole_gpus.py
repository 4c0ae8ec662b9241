"""Runs that must have their GPUs to themselves.

Where several kernels of a run share a GPU, they cannot be launched together. If another run comes between two of them
and needs all multiprocessors, it waits for the first kernel, which waits for the second, which waits for that run. So a
run of such kernels also acquires each device of its GPUs, and those that are made before it ends.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterable
from typing import Protocol

from gdsl.backends.cuda.stream_queue import StreamQueue


class Device(Protocol):
    """What is needed of `device.CudaDevice`."""

    id: int
    queue: StreamQueue

    def try_acquire(self, timeout: float = 0) -> bool:
        """Acquire it, unless another thread holds it for that many seconds."""
        ...

    def release(self, whole: bool) -> None:
        """Release it; `whole`: the run is complete."""
        ...


_lock = threading.Lock()
_devices: weakref.WeakSet[Device] = weakref.WeakSet()
_held: dict[int, WholeGpus] = {}
"""The run that has a GPU to itself."""


def register(device: Device, lock: threading.Lock) -> None:
    """A new device, with the lock that it acquires for a run."""
    with _lock:
        _devices.add(device)
        if (run := _held.get(device.id)) is not None:
            lock.acquire()
            run.locks.append(lock)


class WholeGpus:
    """The devices that a run has acquired beside its own."""

    def __init__(self, gpus: Iterable[int]) -> None:
        """`gpus`: those that the run must have to itself."""
        self._gpus = frozenset(gpus)
        self._devices: list[Device] = []
        self.locks: list[threading.Lock] = []
        """Those of devices that were made since."""

    def acquire(self, until: float, is_other: Callable[[Device], bool]) -> bool:
        """Acquire each device of these GPUs that `is_other`, once its queued runs have ended; False if that is not done
        at the moment `until`. In both cases, and after an error, `release` has to follow."""
        if not self._gpus:
            return True
        with _lock:
            _held.update(dict.fromkeys(self._gpus, self))
            others = [device for device in _devices if device.id in self._gpus and is_other(device)]
        for device in others:
            if not device.try_acquire(max(0.0, until - time.monotonic())):
                return False
            self._devices.append(device)
            if not device.queue.drain(None, until):
                return False
        return True

    def release(self) -> None:
        """Let others use the GPUs."""
        if not self._gpus:
            return
        try:
            while self._devices:
                self._devices.pop().release(whole=True)
        finally:
            with _lock:
                for gpu in self._gpus:
                    _held.pop(gpu, None)
                while self.locks:
                    self.locks.pop().release()
