"""Buffers in the memory of a GPU, and many of them in one block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gdsl.backends.cuda.launching import Launching
from gdsl.backends.cuda.memory_errors import no_memory
from gdsl.backends.cuda.protocol import Buffer

_ALIGNMENT = 256
"""Alignment of buffers in one block: words that many threads poll share no cache line with others."""


class CudaBuffer:
    """Memory of the GPU; `memory` keeps it alive unless it is part of another buffer."""

    __slots__ = ("memory", "nbytes", "pointer")

    def __init__(self, memory: Any, nbytes: int, pointer: int) -> None:
        self.memory, self.nbytes, self.pointer = memory, nbytes, pointer


class CudaRoom:
    """Parts of one block of memory."""

    def __init__(self, block: Buffer, sizes: Sequence[int]) -> None:
        self.block = block
        offsets = offsets_of(sizes)
        self.buffers = [
            CudaBuffer(None, size, block.pointer + offset) for size, offset in zip(sizes, offsets, strict=False)
        ]


class Allocating(Launching):
    """Memory of the current GPU."""

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Device memory from CuPy's pool; raises E0912 with what is needed and what is free."""
        size = max(16, -(-nbytes // 16) * 16)
        try:
            memory = self.cupy.cuda.alloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError:
            free, total = self.cupy.cuda.runtime.memGetInfo()
            raise no_memory(size, free, total) from None
        return CudaBuffer(memory, size, memory.ptr)

    def room(self, sizes: Sequence[int], former: Any, filled: int = 0) -> Any:
        """One block of memory for all buffers."""
        needed = offsets_of(sizes)[-1]
        if former is not None and former.block.nbytes >= needed:
            return CudaRoom(former.block, sizes)
        return CudaRoom(self.allocate(needed), sizes)

    def require(self, nbytes: int) -> None:
        """Raise E0912 before anything is allocated if `nbytes` bytes are not available."""
        free, total = self.memory()
        if nbytes > free:
            raise no_memory(nbytes, free, total, len(set(self.gpu_numbers)))

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes); memory in CuPy's pool that is unused counts as free."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        return free + self.cupy.get_default_memory_pool().free_bytes(), total

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        self.cupy.cuda.runtime.memsetAsync(buffer.pointer, 0, buffer.nbytes, self.stream().ptr)


def offsets_of(sizes: Sequence[int]) -> list[int]:
    """The offsets of buffers of `sizes` in a block, each with some room, and last the end."""
    places = [0]
    for size in sizes:
        places.append(places[-1] + -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT)
    return places
