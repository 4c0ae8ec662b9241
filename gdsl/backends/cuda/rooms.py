"""Memory of a GPU in rooms: buffers side by side in one block, some of them with a copy on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.protocol import Arguments

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice

_ALIGNMENT = 256
"""Of buffers in one block of memory: words that many threads wait for share no line of the cache with others."""
_SETTLED, _FEW, _PACK = 16, 1 << 14, 16
"""Calls after which a kernel hands over what the host looks at, where it is that many bytes at most: it is there 7
microseconds before a copy would be, but has to be loaded first. 16 bytes a thread and turn."""
_THREADS = 256
HAND_OVER = f"""
struct alignas({_PACK}) pack {{ unsigned long long words[{_PACK // 8}]; }};

extern "C" __global__ void hand_over(const pack* from, pack* to, unsigned long long count) {{
    for (unsigned long long i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}}
"""


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

    def __init__(self, device: CudaDevice, sizes: Sequence[int], sent: int, beginning: int) -> None:
        *self._offsets, whole = offsets_of(sizes)
        self._device, self._sizes = device, sizes
        self._room = CudaRoom(device.allocate(whole), sizes)
        self.buffers = self._room.buffers
        outgoing = self._offsets[sent - 1] + sizes[sent - 1] if sent else 0
        here = device.pinned(outgoing)
        self._there, self._outgoing = self._room.block.pointer, (here.ctypes.data, outgoing)
        self._sent_on: Any = None
        """The stream on which the next run's copy is queued."""
        self._runs = 0
        self.sent = _parts(here, self._offsets[:sent], sizes)
        self.expect(beginning)

    def expect(self, nbytes: int) -> None:
        """More room on the host."""
        beginning = min(nbytes, self._sizes[-1])
        whole = -(-(self._offsets[-1] + beginning) // _PACK) * _PACK
        here = self._device.pinned(whole)
        self._incoming = here.ctypes.data, whole
        packs = numpy.array([[self._there], [here.ctypes.data], [whole // _PACK]], numpy.uint64)
        self._packs = Arguments(*packs)
        self.received = _parts(here, self._offsets, [*self._sizes[:-1], beginning])

    def send(self) -> None:
        """Queue the copy, if that has not been done."""
        sent_on, self._sent_on = self._sent_on, None
        stream = self._device.stream()
        self._runs += 1
        if self._runs == _SETTLED:
            self._hand_over()  # to have it loaded, which is not to be within the time of a run
        if sent_on is not None and sent_on.ptr == stream.ptr:
            return
        if sent_on is not None:  # what is queued there shall not come in between
            sent_on.synchronize()
        self._copy_out(stream)

    def send_ahead(self) -> None:
        """Queue the copy behind the run that is going on."""
        stream = self._device.stream()
        self._copy_out(stream)
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
