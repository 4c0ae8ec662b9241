"""The fake CuPy with a device that does its work late, in the order in which it was asked for: what the host changes or
lets go of too soon is found, and so is whoever waits in the driver behind a run that has no end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy

from gdsl.backends import registry
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.memory_errors import translated
from gdsl.backends.cuda.protocol import Arguments

from . import fake_cupy
from .driver import EmulatedBuffer, library
from .fake_cupy import FakeArray, FakeCupy, MemoryPointer
from .fake_driver import FakeModule

ENDLESS = "endless"
"""What kernels without an end have in their names; they end once the host's flag asks for it."""
_BESIDE = 3
"""The stream that waits for no other."""
_TURNS = (0, 0, 1, 1, 2, 5)
"""How many things are done while the host looks."""


class WaitsForEverError(Exception):
    """The host waits in the driver for a run without an end."""


class LateDevice:
    """What was asked for and is not done yet."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.endless: set[int] = set()
        self._loaded: set[int] = set()
        self._events: list[LateEvent] = []
        self._waiting: deque[tuple[bool, Callable[[], object]]] = deque()
        self._is_over = False

    def ask(self, work: Callable[[], object], endless: bool = False) -> None:
        """Do it later."""
        if self._is_over:
            work()
        else:
            self._waiting.append((endless, work))

    def launch(self, kernel: int, work: Callable[[], object]) -> None:
        """The driver loads a kernel when it is first launched, and may wait for all that goes on."""
        if kernel not in self._loaded:
            self._loaded.add(kernel)
            self.end()
        self.ask(work, kernel in self.endless)

    def go_on(self) -> bool:
        """Do what comes first; False where that is nothing, or a run that has no end."""
        if not self._waiting or (self._waiting[0][0] and not self._is_stopped()):
            return False
        self._waiting.popleft()[1]()
        return True

    def end(self) -> None:
        """Do all; raises WaitsForEverError."""
        while self._waiting:
            if not self.go_on():
                raise WaitsForEverError

    def close(self) -> None:
        """Do all, and what is asked for from now on at once: what was allocated may be let go of later."""
        self._is_over = True
        self.end()

    def event(self, **_: object) -> LateEvent:
        """A new one."""
        self._events.append(LateEvent(self, len(self._events)))
        return self._events[-1]

    def status(self, number: int) -> int:
        """Of an event, after some more work."""
        for _ in range(self.random.choice(_TURNS)):
            self.go_on()
        return 0 if self._events[number].done else 600

    @staticmethod
    def _is_stopped() -> bool:
        device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
        return bool(device._stop[0])


class LateEvent:
    """An event, which is there once all before it is done."""

    def __init__(self, device: LateDevice, number: int) -> None:
        self._device, self.ptr, self._missing = device, number, 0

    @property
    def done(self) -> bool:
        """Whether it is there."""
        return self._missing == 0

    def record(self, stream: object = None) -> None:
        """Behind what was asked for."""
        self._missing += 1
        self._device.ask(self._arrive)

    def synchronize(self) -> None:
        """Raises WaitsForEverError."""
        while self._missing:
            if not self._device.go_on():
                raise WaitsForEverError

    def _arrive(self) -> None:
        self._missing -= 1


def install(monkeypatch: Any, seed: int) -> tuple[FakeCupy, LateDevice]:
    """As `fake_cupy.install`."""
    cupy, late = fake_cupy.install(monkeypatch), LateDevice(seed)

    class Buffer(EmulatedBuffer):
        """Freed in its turn, as the pool gives it to who asks later."""

        def __del__(self) -> None:
            pointer = getattr(self, "pointer", 0)
            if pointer:
                late.ask(lambda: library().native.emulator_free(pointer))

    begin, reshape = FakeArray.__init__, FakeArray.reshape
    pinned, copied, cleared = cupy.cuda.alloc_pinned_memory, cupy._memcpy, cupy._memset

    def begun(array: FakeArray, shape: tuple[int], dtype: Any, memptr: MemoryPointer | None = None) -> None:
        size = int(shape[0]) * numpy.dtype(dtype).itemsize
        begin(array, shape, dtype, memptr or MemoryPointer(Buffer(size)))

    def rows(array: FakeArray, *shape: int) -> Any:
        if shape[0] != -1:  # of a `map`, over memory that is still written
            late.end()
        return reshape(array, *shape)

    def copy(target: int, source: int, nbytes: int, kind: int, stream: int) -> None:
        if stream == _BESIDE:
            copied(target, source, nbytes, kind, stream)
        else:
            late.ask(lambda: copied(target, source, nbytes, kind, stream))

    def uploaded(values: Any) -> FakeArray:
        if isinstance(values, FakeArray):
            return values
        cupy.log["upload"] += 1
        cupy.take(values.nbytes)
        made, staged = FakeArray((values.size,), values.dtype), values.copy()
        cupy.hold(made.data.mem)
        late.ask(lambda: made.set(staged))
        return made

    def allocated(nbytes: int) -> MemoryPointer:
        cupy.take(nbytes)
        return MemoryPointer(cupy.hold(Buffer(nbytes)))

    def sort(array: FakeArray) -> None:
        cupy.take(array.nbytes)
        late.ask(array.sort_now)

    monkeypatch.setattr(FakeArray, "__init__", begun)
    monkeypatch.setattr(FakeArray, "reshape", rows)
    monkeypatch.setattr(FakeArray, "sort", sort)
    cupy.asarray = uploaded  # type: ignore[method-assign]
    cupy.stream = SimpleNamespace(ptr=0, synchronize=late.end)
    cupy.cuda.Event, cupy.cuda.alloc = late.event, allocated
    cupy.cuda.alloc_pinned_memory = lambda nbytes: late.end() or pinned(nbytes)
    runtime = cupy.cuda.runtime
    runtime.eventQuery, runtime.memcpyAsync, runtime.deviceSynchronize = late.status, copy, late.end
    runtime.memsetAsync = lambda *given: late.ask(lambda: cleared(*given))
    cupy.driver.need = lambda: None  # it was asked before
    _install_launches(monkeypatch, late)
    return cupy, late


def _install_launches(monkeypatch: Any, late: LateDevice) -> None:
    """Kernels get what their arguments were at the launch."""
    load, find = Launching.load, FakeModule.get_function

    def loaded(launching: Launching, cubin: bytes) -> Any:
        late.end()
        return load(launching, cubin)

    def found(module: Any, name: str) -> Any:
        made = find(module, name)
        late.endless |= {made.ptr} if ENDLESS in name else set()
        return made

    def launch(
        self: Any, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, dynamic_shared: int = 0
    ) -> None:
        kept, run = Arguments(*(value.copy() for value in arguments.values)), self._driver.launchCooperativeKernel
        with translated(self.cupy):
            self.cupy.need()
        shape = blocks, teams, 1, threads, 1, 1, dynamic_shared, 0
        late.launch(kernel.ptr, lambda: run(kernel.ptr, *shape, kept.address))

    def launch_block(self: Any, kernel: Any, threads: int, arguments: Arguments) -> None:
        self.cupy.need()
        kept, run = Arguments(*(value.copy() for value in arguments.values)), self._driver.launchKernel
        late.launch(kernel.ptr, lambda: run(kernel.ptr, 1, 1, 1, threads, 1, 1, 0, 0, kept.address, 0))

    def compute(self: Any, text: str, name: str, elements: int, values: Any) -> None:
        kernel, kept = self.cupy.RawKernel(text, name), tuple(values)
        late.ask(lambda: kernel((2,), (32,), kept))

    monkeypatch.setattr(Launching, "load", loaded)
    monkeypatch.setattr(FakeModule, "get_function", found)
    for name, function in (("launch", launch), ("launch_block", launch_block), ("compute", compute)):
        monkeypatch.setattr(Launching, name, function)
