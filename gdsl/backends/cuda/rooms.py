"""Memory of a GPU in rooms: buffers side by side in one block, some of them with a copy on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.protocol import Arguments
from gdsl.resources import filled_text

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice

_ALIGNMENT = 256
"""Of buffers in one block of memory: words that many threads wait for share no line of the cache with others."""
_SETTLED, _FEW, _PACK = 16, 1 << 14, 16
"""Calls after which a kernel hands over what the host looks at, where it is that many bytes at most: it is there 7
microseconds before a copy would be, but has to be loaded first. 16 bytes a thread and turn."""
_THREADS = 256
MOST_IN_LINE = 4
"""Runs that nobody waits for, on a device: while one goes on, the next ones are queued; more would keep memory and gain
nothing."""
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


class Incoming:
    """What a run handed over that nobody waited for: a place in pinned memory, the values of the kernel that writes
    there, and behind that place what this is to clear."""

    def __init__(self, here: NDArray[Any], table: NDArray[Any], received: list[NDArray[Any]], *values: int) -> None:
        self.nbytes, self.pointer, self.received = len(here), here.ctypes.data, received
        self.control = received[0].view(numpy.uint64)
        self._table = table
        self._values = numpy.array([[value] for value in (*values, table.ctypes.data, len(table))], numpy.uint64)
        self.rooms: Sequence[tuple[int, int]] = ()
        self.arguments = Arguments(*self._values)

    def clear(self, rooms: Sequence[tuple[int, int]]) -> None:
        """What the kernel is to clear where a run did not end whole."""
        self.rooms = rooms
        if rooms:
            self._table[:] = rooms


class CudaShared:
    """The same, with copies in pinned memory of the host, from which and to which the device copies by itself."""

    def __init__(self, device: CudaDevice, sizes: Sequence[int], sent: int, beginning: int) -> None:
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
            self._spare = [self._another(words, len(rooms)) for _ in range(MOST_IN_LINE)]
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


def offsets_of(sizes: Sequence[int]) -> list[int]:
    """Where buffers of `sizes` begin in a block, none without room, and last where they end."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT)
    return places


def _parts(host: NDArray[Any], offsets: Sequence[int], sizes: Sequence[int]) -> list[NDArray[Any]]:
    return [host[offset : offset + size] for offset, size in zip(offsets, sizes, strict=False)]
