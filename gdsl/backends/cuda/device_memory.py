"""Memory of a GPU in rooms: buffers side by side in one block, some of them with a copy on the host."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.protocol import Arguments, Incoming
from gdsl.backends.cuda.stream_queue import MOST_QUEUED
from gdsl.diagnostics import GdslError
from gdsl.resources import filled_text

_ALIGNMENT = 256
"""Of buffers in one block of memory: words that many threads wait for share no line of the cache with others."""
_SETTLED, _FEW, _PACK = 16, 1 << 14, 16
"""Calls after which a kernel hands over what the host looks at, where it is that many bytes at most: it is there 7
microseconds before a copy would be, but has to be loaded first. 16 bytes a thread and turn."""
_THREADS = 256
STOPPED_FROM_BIT = 61
"""The bits of the barrier's word from here on say that somebody asked for a stop; loops in functors heed it at once."""


def hand_over_text() -> str:
    """The kernels that copy what the host reads into its memory."""
    values = {"bytes": _PACK, "words": _PACK // 8, "stopped_from_bit": STOPPED_FROM_BIT}
    return filled_text("templates", "cuda", "hand_over.cu.in", **values)


class CudaBuffer:
    """Memory of the GPU; `memory` keeps it alive, where that is not somebody else's part."""

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
    """The same, with copies in pinned memory of the host, from which and to which the device copies by itself."""

    def __init__(self, device: DeviceMemory, sizes: Sequence[int], sent: int, beginning: int) -> None:
        *self._offsets, whole = offsets_of(sizes)
        self._device, self._sizes = device, sizes
        self._room = CudaRoom(device.allocate(whole), sizes)
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
        """More room on the host from the next run on, which others that go on must not be in the way of: beside them
        pinned memory would be there once they have ended."""
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
        """Queue the copy, if that has not been done."""
        if self._expected:
            self._make_room(self._expected)
        sent_on, self._sent_on = self._sent_on, None
        self._runs += 1
        if self._runs == _SETTLED:
            self._load()
        if sent_on is not None and self._sent_lane == self._device.lane:
            return
        if sent_on is not None:  # what is queued there shall not come in between
            self._device.let_end(sent_on, self._sent_lane)
        self._copy_out(self._device.stream())

    def send_ahead(self) -> None:
        """Queue the copy behind the run that is going on."""
        stream = self._device.stream()
        self._copy_out(stream)
        self._sent_lane = self._device.lane
        self._sent_on = stream  # not before it is: where that is interrupted, the next run has to

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
        """Whether `incoming` has nothing to make, and `send` nothing to wait for on another stream."""
        is_here = self._sent_on is None or self._sent_lane == self._device.lane
        return bool(self._spare) and not self._expected and is_here

    def incoming(self, words: tuple[int, int, int], rooms: Sequence[tuple[int, int]]) -> Incoming:
        """A place for what a run hands over, made before it begins: beside it, pinned memory and a kernel to load would
        be there once it has ended. Where one of the `words` of the control block says that the run was stopped, `rooms`
        are cleared behind it: pairs of an address and a number of words, from run to run as many."""
        _ = self._device.hand_over_and_clear
        if not self._spare:
            self._device.prepare_peek()
            self._spare = [self._another(words, len(rooms)) for _ in range(MOST_QUEUED)]
        incoming = self._spare.pop()
        if incoming.rooms is not rooms:
            incoming.clear(rooms)
        return incoming

    def hand_over(self, incoming: Incoming, is_all_zero: bool) -> None:
        """Queue a kernel that hands all buffers over to that place, and clears those that are sent; if only zeros are
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
        """Nobody looks at it any more."""
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
        """Have the kernel loaded, which is not to be within the time of a run, by one that hands nothing over: what a
        run before has left is still here."""
        nothing = Arguments(*numpy.array([[self._there], [self._incoming[0]], [0]], numpy.uint64))
        self._device.launch_block(self._device.hand_over, _THREADS, nothing)

    def _hand_over(self) -> None:
        self._device.launch_block(self._device.hand_over, _THREADS, self._packs)


class DeviceMemory(Launching):
    """The current GPU: its memory, and copies to and from the host."""

    lane: object = None
    """The run's stream: CuPy's pool reuses memory that was freed on one only there."""

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Device memory from CuPy's pool; raises E0912 with what is needed and what there is."""
        size = max(16, -(-nbytes // 16) * 16)
        try:
            memory = self.cupy.cuda.alloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            free, total = self.cupy.cuda.runtime.memGetInfo()
            raise no_memory(size, free, total) from None
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
            raise no_memory(nbytes, free, total)

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
                raise no_memory(array.nbytes, *self.cupy.cuda.runtime.memGetInfo()) from None
        return CudaBuffer(array.data, int(array.nbytes), array.data.ptr)

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        self.cupy.cuda.runtime.memsetAsync(buffer.pointer, 0, buffer.nbytes, self.stream().ptr)

    # Copies to the host

    def prepare_peek(self) -> None:
        """Pinned memory and a stream, once."""
        _ = self._side_stream

    @cached_property
    def _side_stream(self) -> tuple[Any, NDArray[Any]]:
        """A stream beside that of the run, and memory for what comes by it."""
        return self.cupy.cuda.Stream(non_blocking=True), self.pinned(8)

    def let_end(self, stream: Any, lane: object) -> None:
        """Wait for what was queued on a stream that was this lane; another thread's own has no name in this one."""
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


def offsets_of(sizes: Sequence[int]) -> list[int]:
    """Where buffers of `sizes` begin in a block, none without room, and last where they end."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT)
    return places


def _parts(host: NDArray[Any], offsets: Sequence[int], sizes: Sequence[int]) -> list[NDArray[Any]]:
    return [host[offset : offset + size] for offset, size in zip(offsets, sizes, strict=False)]


def no_memory(needed: int, free: int, total: int) -> GdslError:
    """E0912 for that many bytes."""
    return GdslError.single(
        "E0912",
        f"the run needs {needed / 1e9:.2f} GB more of the GPU's memory, and {free / 1e9:.2f} GB of its "
        f"{total / 1e9:.2f} GB are free",
        fix="use a smaller graph, free memory of other programs, or run with --backend cpu",
        notes=["gdslc run --dry-run tells what takes it (from Python: program.dry_run)"],
    )
