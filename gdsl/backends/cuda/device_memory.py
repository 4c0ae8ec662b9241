"""Memory of a GPU: groups of buffers in one block, and buffers that host and device exchange through pinned memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda import packaged
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.protocol import Arguments, Incoming
from gdsl.backends.cuda.stream_queue import MOST_QUEUED
from gdsl.diagnostics import GdslError
from gdsl.resources import filled_text

if TYPE_CHECKING:
    from gdsl.backends.cuda.host_memory import HostBuffer

_ALIGNMENT = 256
"""Alignment of buffers in one block: words that many threads poll share no cache line with others."""
_SETTLED, _FEW, _PACK = 16, 1 << 14, 16
"""Calls after which a kernel, instead of a copy, hands over what the host reads, if it is at most that many bytes: this
is 7 microseconds faster, but the kernel has to be loaded first. Each thread moves 16 bytes at a time."""
_THREADS = 256
STOPPED_FROM_BIT = 61
"""The bits of the barrier's word from here on say that a stop was requested; loops in functors check them directly."""


def hand_over_text() -> str:
    """The kernels that copy what the host reads into pinned memory."""
    values = {"bytes": _PACK, "words": _PACK // 8, "stopped_from_bit": STOPPED_FROM_BIT}
    return filled_text("templates", "cuda", "hand_over.cu.in", **values)


class CudaBuffer:
    """Memory of the GPU; `memory` keeps it alive unless it is part of another buffer."""

    __slots__ = ("memory", "nbytes", "pointer")

    def __init__(self, memory: Any, nbytes: int, pointer: int) -> None:
        self.memory, self.nbytes, self.pointer = memory, nbytes, pointer


class CudaRoom:
    """Parts of one block of memory."""

    def __init__(self, block: CudaBuffer, sizes: Sequence[int]) -> None:
        self.block = block
        offsets = offsets_of(sizes)
        self.buffers = [
            CudaBuffer(None, size, block.pointer + offset) for size, offset in zip(sizes, offsets, strict=False)
        ]


class CudaShared:
    """Buffers in one block of memory, with copies in pinned memory of the host."""

    def __init__(self, device: DeviceMemory, sizes: Sequence[int], sent: int, beginning: int) -> None:
        *self._offsets, whole = offsets_of(sizes)
        self._device, self._sizes = device, sizes
        self._room = CudaRoom(device.allocate_near(whole), sizes)
        self._spare: list[Incoming] = []
        self.buffers = self._room.buffers
        outgoing = self._offsets[sent - 1] + sizes[sent - 1] if sent else 0
        here = device.pinned(outgoing)
        self._there, self._outgoing = self._room.block.pointer, (here.ctypes.data, outgoing)
        self._sent_on: Any = None
        """The stream on which the next run's copy is queued."""
        self._sent_lane: object = None
        self._runs = 0
        self.sent = _parts(here, self._offsets[:sent], sizes)
        self._make_room(beginning)

    def expect(self, nbytes: int) -> None:
        """Reserve more room on the host from the next run on: pinned memory is only allocated once runs in progress
        have ended."""
        self._expected = nbytes

    def _make_room(self, nbytes: int) -> None:
        beginning = min(nbytes, self._sizes[-1])
        whole = -(-(self._offsets[-1] + beginning) // _PACK) * _PACK
        here = self._device.pinned(whole)
        self._incoming = here.ctypes.data, whole
        packs = numpy.array([[self._there], [here.ctypes.data], [whole // _PACK]], numpy.uint64)
        self._packs = Arguments(*packs)
        self.received = _parts(here, self._offsets, [*self._sizes[:-1], beginning])
        self._received_sizes = [*self._sizes[:-1], beginning]
        self._spare.clear()
        self._expected = 0

    def send(self) -> None:
        """Queue the copy unless `send_ahead` has done so."""
        if self._expected:
            self._make_room(self._expected)
        sent_on, self._sent_on = self._sent_on, None
        self._runs += 1
        if self._runs == _SETTLED:
            self._load()
        if sent_on is not None and self._sent_lane == self._device.lane:
            return
        if sent_on is not None:  # what is queued there must not run in between
            self._device.let_end(sent_on, self._sent_lane)
        self._copy_out(self._device.stream())

    def send_ahead(self) -> None:
        """Queue the copy after the run in progress."""
        stream = self._device.stream()
        self._copy_out(stream)
        self._sent_lane = self._device.lane
        self._sent_on = stream  # set last: if the copy is interrupted, the next run has to do it

    def invalidate(self) -> None:
        """What is on the device is not what was sent: the next `send` copies it again."""
        self._sent_on = None

    def _copy_out(self, stream: Any) -> None:
        runtime = self._device.cupy.cuda.runtime
        runtime.memcpyAsync(self._there, *self._outgoing, runtime.memcpyHostToDevice, stream.ptr)

    def receive(self) -> None:
        """Queue the copy."""
        runtime, (here, nbytes) = self._device.cupy.cuda.runtime, self._incoming
        if self._runs > _SETTLED and nbytes <= _FEW:
            self._hand_over()
        else:
            runtime.memcpyAsync(here, self._there, nbytes, runtime.memcpyDeviceToHost, self._device.stream().ptr)

    @property
    def is_ready(self) -> bool:
        """Whether `incoming` has nothing to create, and `send` has nothing to wait for on another stream."""
        is_here = self._sent_on is None or self._sent_lane == self._device.lane
        return bool(self._spare) and not self._expected and is_here

    def incoming(self, words: tuple[int, int, int], rooms: Sequence[tuple[int, int]]) -> Incoming:
        """A slot for what a run hands over, created before the run begins: during the run, allocating pinned memory
        and loading a kernel would wait for its end. If one of the `words` of the control block says that the run was
        stopped, `rooms` are cleared afterwards: pairs of an address and a number of words, equally many in every
        run."""
        _ = self._device.hand_over_and_clear
        if not self._spare:
            self._device.prepare_peek()
            self._spare = [self._another(words, len(rooms)) for _ in range(MOST_QUEUED)]
        incoming = self._spare.pop()
        if incoming.rooms is not rooms:
            incoming.clear(rooms)
        return incoming

    def hand_over(self, incoming: Incoming, is_all_zero: bool) -> None:
        """Queue a kernel that hands all buffers over to that slot, and clears those that are sent; if only zeros are
        sent, the next `send` has nothing to do."""
        stream = self._device.stream()
        if incoming.nbytes > _FEW:
            runtime = self._device.cupy.cuda.runtime
            host = runtime.memcpyDeviceToHost
            runtime.memcpyAsync(incoming.pointer, self._there, incoming.nbytes, host, stream.ptr)
        self._device.launch_block(self._device.hand_over_and_clear, _THREADS, incoming.arguments)
        self._sent_lane = self._device.lane
        self._sent_on = stream if is_all_zero else None

    def take_back(self, incoming: Incoming) -> None:
        """Reuse a slot."""
        if incoming.nbytes == self._incoming[1]:
            self._spare.append(incoming)

    def _another(self, words: tuple[int, int, int], num_rooms: int) -> Incoming:
        nbytes = self._incoming[1]
        whole = self._device.pinned(nbytes + 16 * num_rooms)
        here, table = whole[:nbytes], whole[nbytes:].view(numpy.uint64).reshape(num_rooms, 2)
        count = nbytes // _PACK if nbytes <= _FEW else 0
        sent = -(-self._outgoing[1] // _PACK)
        received = _parts(here, self._offsets, self._received_sizes)
        return Incoming(here, table, received, self._there, here.ctypes.data, count, sent, *words)

    def _load(self) -> None:
        """Load the kernel outside the measured time of a run, by launching it with nothing to hand over: the values of
        the run before are still needed."""
        nothing = Arguments(*numpy.array([[self._there], [self._incoming[0]], [0]], numpy.uint64))
        self._device.launch_block(self._device.hand_over, _THREADS, nothing)

    def _hand_over(self) -> None:
        self._device.launch_block(self._device.hand_over, _THREADS, self._packs)


class DeviceMemory(Launching):
    """The current GPU: its memory, and copies to and from the host."""

    gpu_numbers: tuple[int, ...] = ()
    lane: object = None
    """The run's stream: CuPy's pool reuses memory that was freed on one only there."""

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Device memory from CuPy's pool; raises E0912 with what is needed and what is free."""
        size = max(16, -(-nbytes // 16) * 16)
        try:
            memory = self.cupy.cuda.alloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            free, total = self.cupy.cuda.runtime.memGetInfo()
            raise no_memory(size, free, total) from None
        return CudaBuffer(memory, size, memory.ptr)

    def allocate_near(self, nbytes: int) -> CudaBuffer:
        """Memory that the host sends to and receives from; of several GPUs it is on the first. Raises E0912."""
        return self.allocate(nbytes)

    def allocate_constant(self, nbytes: int) -> CudaBuffer:
        """Memory that no run changes, once it is filled and published. Raises E0912."""
        return self.allocate(nbytes)

    def allocate_copies(self, nbytes: int) -> CudaBuffer:
        """Memory of which every GPU has its own. Raises E0912."""
        return self.allocate(nbytes)

    def fetch_copies(self, pointer: int, nbytes: int) -> list[NDArray[Any]]:
        """What is in every GPU's own memory that begins at `pointer` on the first, on the host."""
        raise NotImplementedError

    def publish(self, buffer: Any) -> None:
        """Give every GPU what such memory was filled with."""

    def constant_copy(self, buffer: Any) -> Any:
        """What `buffer` holds where every GPU has it, once no run changes it."""
        return buffer

    def allocate_result(self, nbytes: int) -> CudaBuffer:
        """Memory that the caller gets, in the order of the caller's ids. Raises E0912."""
        return self.allocate(nbytes)

    @property
    def copies_results(self) -> bool:
        """Whether the caller gets copies (`copy_result`) instead of the memory that kernels wrote."""
        return False

    def copy_result(self, buffer: Any) -> CudaBuffer:
        """A copy for the caller, queued on the run's stream. Raises E0912."""
        raise NotImplementedError

    def is_divided(self, nbytes: int) -> bool:
        """One GPU has it all."""
        return False

    def near_room(self, nbytes: int) -> Any:
        """Memory on the first of several GPUs for `bring_near`."""
        return None

    def bring_near(self, arrays: Sequence[tuple[Any, Any]]) -> list[Callable[[], None]]:
        """Queue copies of arrays into their `near_room`."""
        return []

    def room(self, sizes: Sequence[int], former: Any) -> Any:
        """One block of memory for all buffers."""
        needed = offsets_of(sizes)[-1]
        if former is not None and former.block.nbytes >= needed:
            return CudaRoom(former.block, sizes)
        return CudaRoom(self.allocate(needed), sizes)

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> CudaShared:
        """One block of memory for all buffers, on the device and on the host."""
        return CudaShared(self, sizes, sent, beginning)

    def pinned(self, nbytes: int) -> NDArray[Any]:
        """Zeros in memory of the host that the device can access."""
        memory_view = numpy.frombuffer(self.cupy.cuda.alloc_pinned_memory(max(nbytes, 1)), numpy.uint8, nbytes)
        memory_view[:] = 0
        return memory_view

    def require(self, nbytes: int) -> None:
        """Raise E0912 before anything is allocated if `nbytes` bytes are not available."""
        free, total = self.memory()
        if nbytes > free:
            raise no_memory(nbytes, free, total, len(set(self.gpu_numbers)))

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes); memory in CuPy's pool that is unused counts as free."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        return free + self.cupy.get_default_memory_pool().free_bytes(), total

    def upload(self, array: Any) -> CudaBuffer:
        """A copy on the GPU; a CuPy array is used as it is. Raises E0912 as `allocate`."""
        if not isinstance(array, self.cupy.ndarray):
            try:
                array = self.cupy.asarray(array if array.size else numpy.zeros(16, numpy.uint8))
            except self.cupy.cuda.memory.OutOfMemoryError:
                raise no_memory(array.nbytes, *self.cupy.cuda.runtime.memGetInfo()) from None
        return CudaBuffer(array.data, int(array.nbytes), array.data.ptr)

    def read_memory(self, address: int, dtype: Any, count: int) -> NDArray[Any]:
        """So many values at an address, after the work on the run's stream, through pinned memory."""
        values = numpy.empty(count, dtype)
        if values.nbytes:
            there, runtime, stream = self._staging(values.nbytes), self.cupy.cuda.runtime, self.stream()
            runtime.memcpyAsync(there.ctypes.data, address, values.nbytes, runtime.memcpyDeviceToHost, stream.ptr)
            stream.synchronize()
            values.view(numpy.uint8)[:] = there[: values.nbytes]
        return values

    def write_memory(self, address: int, values: NDArray[Any]) -> None:
        """Store values at an address, after the work on the run's stream, through pinned memory."""
        data = numpy.ascontiguousarray(values).reshape(-1).view(numpy.uint8)
        if data.nbytes:
            there, runtime, stream = self._staging(data.nbytes), self.cupy.cuda.runtime, self.stream()
            there[: data.nbytes] = data
            runtime.memcpyAsync(address, there.ctypes.data, data.nbytes, runtime.memcpyHostToDevice, stream.ptr)
            stream.synchronize()  # the pinned memory is used again

    def array_at(self, address: int, dtype: Any, count: int) -> Any:
        """Values at an address as a CuPy array over the same memory, which the caller keeps."""
        cupy, nbytes = self.cupy, numpy.dtype(dtype).itemsize * count
        if not nbytes:
            return cupy.empty(0, dtype)
        memory = cupy.cuda.UnownedMemory(address, nbytes, self, self.id)
        return cupy.ndarray((count,), dtype, memptr=cupy.cuda.MemoryPointer(memory, 0))

    def empty_array(self, dtype: Any, count: int) -> Any:
        """A new CuPy array of any content. Raises MemoryError."""
        return self.cupy.empty(count, dtype)

    def address_of(self, array: Any) -> int:
        """Where a CuPy array is."""
        return int(array.data.ptr)

    @property
    def stream_address(self) -> int:
        """The stream of the run, as the driver knows it."""
        return int(self.stream().ptr)

    def work_done(self) -> Callable[[], bool]:
        """Asks whether the work of the run's stream so far is done."""
        over = self.cupy.cuda.Event(disable_timing=True)
        over.record(self.stream())
        return lambda: bool(over.done)

    def _staging(self, nbytes: int) -> NDArray[Any]:
        """Pinned memory for what the host exchanges with other workers, of at least that many bytes."""
        if len(self._staged) < nbytes:
            self._staged = self.pinned(nbytes)
        return self._staged

    @cached_property
    def _staged(self) -> NDArray[Any]:
        return self.pinned(0)

    def page_bytes(self) -> int | None:
        """As `host_memory.page_bytes`."""
        return self._page

    @cached_property
    def _page(self) -> int | None:
        from gdsl.backends.cuda import host_memory

        return host_memory.page_bytes(self.id)

    def place(self, values: NDArray[Any], resident: int) -> HostBuffer:
        """As `host_memory.place`."""
        from gdsl.backends.cuda import host_memory

        return host_memory.place(self.cupy, self.id, values, resident)

    def divided(self, nbytes: int, resident: int) -> HostBuffer:
        """As `host_memory.allocate`."""
        from gdsl.backends.cuda import host_memory

        return host_memory.allocate(self.cupy, self.id, nbytes, resident)

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        self.cupy.cuda.runtime.memsetAsync(buffer.pointer, 0, buffer.nbytes, self.stream().ptr)

    # Copies to the host

    def prepare_peek(self) -> None:
        """Allocate pinned memory and a stream, once."""
        _ = self._side_stream

    @cached_property
    def _side_stream(self) -> tuple[Any, NDArray[Any]]:
        """A stream next to that of the run, and pinned memory for its copies."""
        return self.cupy.cuda.Stream(non_blocking=True), self.pinned(8)

    def let_end(self, stream: Any, lane: object) -> None:
        """Wait for what was queued on a stream of this lane; the per-thread stream of another thread cannot be named
        here."""
        if isinstance(lane, tuple):
            self.cupy.cuda.runtime.deviceSynchronize()
        else:
            stream.synchronize()

    @cached_property
    def hand_over(self) -> Any:
        """A kernel that copies from the device to pinned memory."""
        return self._handing.get_function("hand_over")

    @cached_property
    def hand_over_and_clear(self) -> Any:
        """A kernel that copies like `hand_over`, for a run after which another one is queued. Both are launched once
        without data, which loads them."""
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
        """Their machine code, compiled once per machine."""
        return packaged.cached_code("hand_over", hand_over_text(), self.architecture)


def offsets_of(sizes: Sequence[int]) -> list[int]:
    """The offsets of buffers of `sizes` in a block, each with some room, and last the end."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT)
    return places


def _parts(host: NDArray[Any], offsets: Sequence[int], sizes: Sequence[int]) -> list[NDArray[Any]]:
    return [host[offset : offset + size] for offset, size in zip(offsets, sizes, strict=False)]


def no_memory(needed: int, free: int, total: int, gpus: int = 0) -> GdslError:
    """E0912 for that many bytes, on so many `gpus` together or on one."""
    memory, instead = "the GPU's memory", "keep the edge lists in the host's memory with --memory host (from Python: "
    instead += "memory='host')"
    if gpus > 1:  # none of which uses the memory of the host
        memory, instead = f"the memory of {gpus} GPUs", "use more GPUs"
    return GdslError.single(
        "E0912",
        f"the run needs {needed / 1e9:.2f} GB more of {memory}, and {free / 1e9:.2f} GB of its "
        f"{total / 1e9:.2f} GB are free",
        fix=f"{instead}, use a smaller graph, or free memory of other programs",
        notes=["gdslc run --dry-run lists what needs it (from Python: program.dry_run)"],
    )
