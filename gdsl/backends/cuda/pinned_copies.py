"""Buffers that host and device exchange: one block of memory on the device, and copies of it in pinned memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda import packaged
from gdsl.backends.cuda.buffers import Allocating, CudaRoom, offsets_of
from gdsl.backends.cuda.memory_errors import translated
from gdsl.backends.cuda.protocol import Arguments, Incoming
from gdsl.backends.cuda.stream_queue import MOST_QUEUED
from gdsl.resources import filled_text

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


class CudaShared:
    """Buffers in one block of memory, with copies in pinned memory of the host."""

    def __init__(self, device: PinnedCopies, sizes: Sequence[int], sent: int, beginning: int) -> None:
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

    def incoming(self, words: tuple[int, int, int], regions: Sequence[tuple[int, int]]) -> Incoming:
        """A slot for what a run hands over, created before the run begins: during the run, allocating pinned memory
        and loading a kernel would wait for its end. If one of the `words` of the control block says that the run was
        stopped, `regions` are cleared afterwards: pairs of an address and a number of words, equally many in every
        run."""
        _ = self._device.hand_over_and_clear
        if not self._spare:
            self._device.prepare_peek()
            self._spare = [self._another(words, len(regions)) for _ in range(MOST_QUEUED)]
        incoming = self._spare.pop()
        if incoming.regions is not regions:
            incoming.clear(regions)
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

    def _another(self, words: tuple[int, int, int], num_regions: int) -> Incoming:
        nbytes = self._incoming[1]
        whole = self._device.pinned(nbytes + 16 * num_regions)
        here, table = whole[:nbytes], whole[nbytes:].view(numpy.uint64).reshape(num_regions, 2)
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


class PinnedCopies(Allocating):
    """Copies between the current GPU and pinned memory of the host."""

    lane: object = None
    """The run's stream: CuPy's pool reuses memory that was freed on one only there."""

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> CudaShared:
        """One block of memory for all buffers, on the device and on the host."""
        return CudaShared(self, sizes, sent, beginning)

    def pinned(self, nbytes: int) -> NDArray[Any]:
        """Zeros in memory of the host that the device can access. Raises E0912."""
        with translated(self.cupy):
            memory = self.cupy.cuda.alloc_pinned_memory(max(nbytes, 1))
        memory_view = numpy.frombuffer(memory, numpy.uint8, nbytes)
        memory_view[:] = 0
        return memory_view

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


def _parts(host: NDArray[Any], offsets: Sequence[int], sizes: Sequence[int]) -> list[NDArray[Any]]:
    return [host[offset : offset + size] for offset, size in zip(offsets, sizes, strict=False)]
