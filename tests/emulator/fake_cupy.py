"""As much of CuPy as gdsl's host side uses, over the emulator's memory: what a call does is tested without a GPU.

Copies and kernels run at once; `log` has what was asked of the device.
"""

from __future__ import annotations

import ctypes
import weakref
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy

from gdsl.backends import registry
from gdsl.backends.cuda import backend as backends
from gdsl.backends.cuda import flat_ranges, host_memory, nvrtc, observed_forms, observed_gpus
from gdsl.backends.cuda.flat_ranges import HOST
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.memory_errors import translated
from gdsl.backends.gpus import LANES, gpus_of

from .driver import EmulatedBuffer, EmulatedModule, Schedule, launch, library
from .fake_driver import FakeDriver, FakeModule


class OutOfMemoryError(MemoryError):
    """As CuPy's."""


class DriverError(RuntimeError):
    """As the driver's for memory that is not there."""

    status = 2


class ForeignBuffer(EmulatedBuffer):
    """Memory that is not of CuPy's pool: what is released is gone at once, whatever is in progress, and its addresses
    are not used again."""

    def __init__(self, nbytes: int) -> None:
        super().__init__(nbytes)
        _BEHIND.append(EmulatedBuffer(4))

    def __del__(self) -> None:
        if getattr(self, "pointer", 0):
            self.bytes()[:] = 0xDD
        super().__del__()


_BEHIND: list[EmulatedBuffer] = []
"""Memory behind each of them, which the emulator would reuse otherwise."""


class MemoryPointer:
    """What `cupy.cuda.alloc` gives."""

    def __init__(self, buffer: EmulatedBuffer, offset: int = 0) -> None:
        self.mem, self.offset, self.ptr = buffer, offset, buffer.pointer + offset

    def bytes(self, nbytes: int) -> numpy.ndarray[Any, Any]:
        """The memory from here on."""
        return self.mem.bytes()[self.offset : self.offset + nbytes]

    def memset_async(self, value: int, nbytes: int) -> None:
        """Fill it with a byte."""
        ctypes.memset(self.ptr, value, nbytes)
        library().native.emulator_mark_written(self.ptr, nbytes)


class FakeArray:
    """`cupy.ndarray`, of one dimension."""

    flags = SimpleNamespace(c_contiguous=True)

    def __init__(self, shape: tuple[int], dtype: Any, memptr: MemoryPointer | None = None) -> None:
        self.dtype, self.size = numpy.dtype(dtype), int(shape[0])
        self.nbytes, self.shape, self.ndim = self.size * self.dtype.itemsize, shape, 1
        self.data = memptr if memptr is not None else MemoryPointer(EmulatedBuffer(self.nbytes))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}

    def __len__(self) -> int:
        return self.size

    def sum(self) -> Any:
        """Of all values."""
        return self.get().sum()

    def min(self) -> Any:
        """Of all values."""
        return self.get().min()

    def get(self) -> numpy.ndarray[Any, Any]:
        """On the host."""
        return self.data.bytes(self.nbytes).copy().view(self.dtype)

    def without(self, first: int) -> FakeArray:
        """The same without so many values at its beginning."""
        data = MemoryPointer(self.data.mem, first * self.dtype.itemsize)
        return FakeArray((self.size - first,), self.dtype, data)

    def __getitem__(self, place: int) -> Any:
        """One value."""
        return self.get()[place]

    def reshape(self, *shape: int) -> numpy.ndarray[Any, Any]:
        """What is left of it is looked at on the host."""
        return self.get().reshape(*shape)

    def sort(self) -> None:
        """In place, with as much memory again while that is queued."""
        self.take(self.nbytes)
        self.sort_now()

    def sort_now(self) -> None:
        """In its turn."""
        self.set(numpy.sort(self.get()))

    @staticmethod
    def take(nbytes: int) -> None:
        """Raises OutOfMemoryError if there is less."""

    def set(self, values: Any) -> None:
        """Other values."""
        self.data.bytes(self.nbytes)[:] = numpy.ascontiguousarray(values, self.dtype).view(numpy.uint8)
        library().native.emulator_mark_written(self.data.ptr, self.nbytes)

    def astype(self, dtype: Any, copy: bool = True) -> FakeArray:
        """The same values, which are nowhere copied for nothing."""
        assert not copy
        if self.dtype == dtype:
            return self
        made = FakeArray((self.size,), dtype)
        made.set(self.get().astype(dtype))
        return made


class FakeEvent:
    """An event; everything is done at once, unless a test says that it is not."""

    ptr = 0

    def __init__(self, disable_timing: bool = False) -> None:
        pass

    @property
    def done(self) -> bool:
        """Whether what was asked for before it is done."""
        return not FakeEvent.is_busy()

    @staticmethod
    def is_busy() -> bool:
        """Whether the device is at work."""
        return False

    def record(self, stream: Any = None) -> None:
        """Nothing to note."""

    def synchronize(self) -> None:
        """Nothing to wait for."""


class FakeCupy:
    """The module `cupy`."""

    ndarray = FakeArray
    uint8 = numpy.uint8

    def __init__(self, gpus: int = 1) -> None:
        """On a machine with so many GPUs."""
        self.log: Counter[str] = Counter()
        self.gpu = 0
        self.free = 1 << 40
        """Bytes of memory for all that is allocated at a time, as `memGetInfo` has it."""
        self.held, self.most_held = 0, 0
        """Bytes that are allocated on the device, and the most there were."""
        self.unit = 1
        """What is allocated takes a multiple of so many bytes."""
        self.asked, self.fails = 0, range(0)
        """How often memory of the device was requested, and which of these requests fails."""
        self.needed, self.refuses = 0, range(0)
        """How often the driver needed memory of its own, and which of these times it gets none."""
        self._host_memory: dict[int, EmulatedBuffer] = {}
        self.block_threads = 0
        """Of the last launch."""
        self.live: list[Any] = []
        runtime = SimpleNamespace(
            memcpyAsync=self._memcpy,
            memsetAsync=self._memset,
            memGetInfo=lambda: (max(self.free - self.held, 0), 1 << 40),
            hostRegister=_refuse,
            hostAlloc=self._host_alloc,
            freeHost=self._host_memory.pop,
            getDevice=lambda: self.gpu,
            setDevice=self._set_device,
            getDeviceCount=lambda: gpus,
            getDeviceProperties=self._properties,
            cudaDevAttrMultiProcessorCount=16,
            cudaDevAttrMaxThreadsPerMultiProcessor=39,
            cudaDevAttrMaxSharedMemoryPerBlockOptin=97,
            deviceGetAttribute=lambda attribute, number: 2,
            eventQuery=lambda pointer: 600 if FakeEvent.is_busy() else 0,
            deviceSynchronize=lambda: self._note("synchronize all"),
            memcpyHostToDevice=1,
            memcpyDeviceToHost=2,
            memcpyDeviceToDevice=3,
        )
        stream = SimpleNamespace(ptr=0, synchronize=lambda: self._note("synchronize"))
        beside = SimpleNamespace(
            ptr=3, synchronize=lambda: self._note("synchronize beside"), wait_event=lambda event: None
        )
        stream.wait_event = lambda event: None
        stream.done = True
        self.stream = stream
        self.cuda = SimpleNamespace(
            runtime=runtime,
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            Device=lambda number=None: _Device(self, number),
            Event=FakeEvent,
            Stream=lambda non_blocking: beside,
            alloc=self._alloc,
            alloc_pinned_memory=self._pinned,
            get_current_stream=lambda: self.stream,
            get_elapsed_time=lambda begin, end: 0.001,
            MemoryPool=_Pool,
            MemoryPointer=lambda memory, offset: memory,
            UnownedMemory=_Unowned,
        )

    def asarray(self, values: Any) -> FakeArray:
        """A copy on the device."""
        if isinstance(values, FakeArray):
            return values
        self._note("upload")
        self.take(values.nbytes)
        made = FakeArray((values.size,), values.dtype)
        self.hold(made.data.mem)
        made.set(values)
        return made

    def ascontiguousarray(self, values: FakeArray) -> FakeArray:
        """All are."""
        return values

    def empty(self, count: int, dtype: Any) -> FakeArray:
        """Of any content."""
        return FakeArray((count,), dtype)

    def RawKernel(self, text: str, name: str) -> Any:  # noqa: N802
        """A kernel from text, on the emulator."""
        kernel = EmulatedModule(text, "raw.cu").get_function(name)

        def call(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            self._note("raw kernel")
            values = [numpy.uint64(each.data.ptr) if isinstance(each, FakeArray) else each for each in arguments]
            ended, findings = launch(kernel, *grid, *block, values, Schedule(resident=1))
            assert ended, findings
            assert not findings, findings

        return call

    def get_default_memory_pool(self) -> Any:
        """A pool without free blocks."""
        return SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: self._note("free blocks"))

    def _set_device(self, number: int) -> None:
        self.gpu = number

    def _note(self, what: str) -> None:
        self.log[what] += 1

    def _alloc(self, nbytes: int) -> MemoryPointer:
        self._note("alloc")
        self.take(nbytes)
        return MemoryPointer(self.hold(EmulatedBuffer(nbytes)))

    def take(self, nbytes: int) -> None:
        """Raises OutOfMemoryError if there is less memory."""
        self.asked += 1
        if self.asked - 1 in self.fails or self._whole(nbytes) > self.free - self.held:
            raise OutOfMemoryError
        self.most_held = max(self.most_held, self.held + nbytes)

    def _whole(self, nbytes: int) -> int:
        return -(-nbytes // self.unit) * self.unit

    def need(self) -> None:
        """Memory of the driver's own; raises DriverError."""
        self.needed += 1
        if self.needed - 1 in self.refuses:
            raise DriverError("out of memory")

    def _pinned(self, nbytes: int) -> Any:
        self.need()
        return _pinned(nbytes)

    def _host_alloc(self, nbytes: int, flags: int) -> int:
        self.need()
        buffer = ForeignBuffer(nbytes)
        library().native.emulator_mark_written(buffer.pointer, buffer.nbytes)
        self._host_memory[buffer.pointer] = buffer
        return buffer.pointer

    def hold(self, buffer: EmulatedBuffer, nbytes: int | None = None) -> EmulatedBuffer:
        """Count the bytes of `buffer` that are on the device for as long as it exists."""
        count = self._whole(buffer.nbytes if nbytes is None else nbytes)
        self.held += count
        self.most_held = max(self.most_held, self.held)
        weakref.finalize(buffer, self._release, count)
        return buffer

    def _release(self, count: int) -> None:
        self.held -= count

    def _memcpy(self, target: int, source: int, nbytes: int, kind: int, stream: int) -> None:
        self._note(("copy out", "copy back", "copy across")[kind - 1])
        ctypes.memmove(target, source, nbytes)
        if kind != 2:
            library().native.emulator_mark_written(target, nbytes)

    def _memset(self, target: int, value: int, nbytes: int, stream: int) -> None:
        self._note("clear")
        ctypes.memset(target, value, nbytes)
        library().native.emulator_mark_written(target, nbytes)

    def _properties(self, number: int) -> dict[str, bytes]:
        self._note("properties")
        return {"name": b"a GPU that is none", "uuid": bytes([number] * 16)}


class _Unowned:
    """`cupy.cuda.UnownedMemory`, and a pointer to it."""

    def __init__(self, pointer: int, nbytes: int, owner: Any, device: int) -> None:
        self.ptr, self.nbytes, self.owner = pointer, nbytes, owner

    def bytes(self, nbytes: int) -> numpy.ndarray[Any, Any]:
        """The memory itself."""
        return numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(self.ptr))


class _Pool:
    """`cupy.cuda.MemoryPool` without anything free."""

    def __init__(self, allocator: Any) -> None:
        self.malloc, self.free_all_blocks, self.free_bytes = allocator, lambda: None, lambda: 1 << 30


class _Device:
    """`cupy.cuda.Device`."""

    compute_capability = "90"

    def __init__(self, cupy: FakeCupy, number: int | None) -> None:
        self.id = cupy.gpu if number is None else number
        self._cupy, self._former = cupy, 0

    def __enter__(self) -> _Device:
        self._former, self._cupy.gpu = self._cupy.gpu, self.id
        return self

    def __exit__(self, *_: object) -> None:
        self._cupy.gpu = self._former


def _pinned(nbytes: int) -> Any:
    """Pinned memory of the host, which kernels may use too."""
    buffer = EmulatedBuffer(nbytes)
    library().native.emulator_mark_written(buffer.pointer, buffer.nbytes)
    made: Any = (ctypes.c_uint8 * buffer.nbytes).from_address(buffer.pointer)
    made.buffer, made.ptr = buffer, buffer.pointer
    return made


def _refuse(pointer: int, nbytes: int, flags: int) -> None:
    """The emulator's kernels may touch its own memory only."""
    raise RuntimeError("this memory cannot be pinned")


class FakeRange:
    """`flat_ranges.FlatRange`, of small pages."""

    page = 64

    def __init__(self, cupy: FakeCupy, parts: Any) -> None:
        self.parts = tuple(part for part in parts if part.nbytes)
        assert all(part.nbytes % self.page == 0 for part in self.parts), parts
        self.nbytes = sum(part.nbytes for part in self.parts)
        here = [part for part in self.parts if part.owner != HOST]
        try:
            cupy.take(sum(part.nbytes for part in here))
        except OutOfMemoryError:
            raise flat_ranges._no_memory(here[0]) from None
        self.buffer = ForeignBuffer(self.nbytes)
        cupy.hold(self.buffer, sum(part.nbytes for part in here))
        library().native.emulator_mark_written(self.buffer.pointer, self.nbytes)
        self.pointer = self.buffer.pointer

    def close(self) -> None:
        """It is freed with the object."""


def install(monkeypatch: Any, gpus: int = 1) -> FakeCupy:
    """Let gdsl find this in the place of CuPy, its driver and NVRTC, on a machine with so many GPUs, and no device of
    before."""
    _BEHIND.clear()
    cupy = FakeCupy(gpus)
    driver = cupy.driver = FakeDriver(cupy)

    def load(launching: Launching, cubin: bytes) -> FakeModule:
        with translated(cupy):
            cupy.need()
        return FakeModule(cubin)

    api = SimpleNamespace(driver=driver)
    modules = {"cupy": cupy, "cupy_backends.cuda.api": api, "cupy_backends.cuda.api.driver": driver}
    modules |= {
        "cupy_backends": SimpleNamespace(cuda=SimpleNamespace(api=api)),
        "cupy_backends.cuda": SimpleNamespace(api=api),
    }
    for name, module in modules.items():
        monkeypatch.setitem(__import__("sys").modules, name, module)
    monkeypatch.setattr(observed_gpus, "LEAST_MS", float("inf"))  # all runs are long here
    monkeypatch.setattr(observed_forms, "TIMES", float("inf"))
    monkeypatch.setattr(nvrtc, "version", lambda: (13, 0))
    monkeypatch.setattr(nvrtc, "require", lambda: None)
    monkeypatch.setattr(nvrtc, "is_there", lambda: True)
    monkeypatch.setattr(nvrtc, "identity", lambda: ("none", 13, 0))
    monkeypatch.setattr(nvrtc, "compile_to_cubin", lambda text, arch, name: text.encode())
    monkeypatch.setattr(Launching, "load", load)
    monkeypatch.setattr(FakeArray, "take", staticmethod(cupy.take))
    monkeypatch.setattr(host_memory, "FlatRange", lambda parts, gpus: FakeRange(cupy, parts))
    monkeypatch.setattr(flat_ranges, "page_bytes", lambda owners: FakeRange.page)
    backend = backends.CudaBackend()
    real = registry.get

    def get(name: str) -> Any:
        if name.startswith("cuda:"):
            return backend.on_gpus(gpus_of(name), name.endswith(LANES))
        return backend if name == "cuda" else real(name)

    monkeypatch.setattr(registry, "get", get)
    return cupy
