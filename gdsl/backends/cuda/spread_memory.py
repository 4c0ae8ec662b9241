"""The memory of several GPUs of one machine as that of one device: arrays in flat ranges.

What no run changes (the graph, inputs) has a copy for each kernel, as long as there is room: random reads over the link
between GPUs are three times as slow. Other large arrays are cut into equal parts, one in the memory of each GPU;
everything else is in the memory of the first one. What the caller gets are copies there, in memory of CuPy's pool, or
arrays in the memories of all GPUs, which each of them has put in the caller's order (`owned_chunks`).
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.buffers import CudaBuffer, offsets_of
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.flat_ranges import (
    CopyArena,
    FlatRange,
    Part,
    page_bytes,
    parts_at,
    require_atomics,
    require_reach,
)
from gdsl.backends.cuda.owned_chunks import chunk_lengths
from gdsl.backends.cuda.pinned_copies import CudaShared
from gdsl.backends.gpus import is_copied, is_spread
from gdsl.diagnostics import GdslError

_TURN, _MOST_TURNS = 2, 64
"""Where GPUs have pages in turns: the fewest pages of a turn, and about how many turns there are at most, since each is
mapped alone."""
_SLAB = 32 << 20
"""Bytes of the first GPU that are mapped at a time for small buffers."""


class FlatRoom:
    """Buffers that are allocated together: large ones are spread, the others are on the first GPU."""

    def __init__(self, device: SpreadMemory, sizes: Sequence[int], filled: int) -> None:
        """The last `filled` of them are filled from the beginning: GPUs have their pages in turns."""
        self.sizes, self.filled = tuple(sizes), filled
        near = [size for size in sizes if not device.is_spread(size)]
        *offsets, whole = offsets_of(near)
        block = device.allocate_near(whole)
        places = iter(offsets)
        self.buffers = [
            device.allocate(size, in_turns=place >= len(sizes) - filled)
            if device.is_spread(size)
            else CudaBuffer(block.memory, size, block.pointer + next(places))
            for place, size in enumerate(sizes)
        ]


class NearRoom:
    """Memory of the first GPU into which an array is brought, and the event that it is there."""

    def __init__(self, buffer: CudaBuffer, nbytes: int, came: Any) -> None:
        self._buffer, self.pointer, self.nbytes, self.came = buffer, buffer.pointer, nbytes, came


class SpreadMemory(CudaDevice):
    """Several GPUs as one device, whose own number is that of the first, without its kernels (`several_gpus`)."""

    def __init__(self, gpus: Sequence[int]) -> None:
        """`gpus`: their numbers, which exist. Raises E0907 without the extra, and E0922 for GPUs that cannot reach each
        other's memory."""
        super().__init__()
        assert gpus[0] == self.id
        self.gpus = self.gpu_numbers = tuple(gpus)
        self.owners = tuple(dict.fromkeys(gpus))
        require_reach(self.owners, self.owners)
        require_atomics(self.owners)
        self._page_size = page_bytes(self.owners)
        self._ranges: dict[int, weakref.ref[FlatRange]] = {}
        self._near = self.cupy.cuda.MemoryPool(self._pages_on_first)
        self._far: dict[tuple[int, bool | tuple[Part, ...]], Any] = {}
        """A pool for each number of pages: of a pool with several sizes, arrays would share a range, and each of them
        would be where the cuts of that range happen to be, often on one GPU as a whole."""
        self._copied = self.cupy.cuda.MemoryPool(self._copied_pages)

    @cached_property
    def arena(self) -> CopyArena:
        """Where the copies for the kernels are: as much as the largest GPU has."""
        return CopyArena(self.gpus, max(self.memory_of(gpu)[1] for gpu in self.owners))

    def is_spread(self, nbytes: int) -> bool:
        """Whether an array of so many bytes is cut into parts on all GPUs."""
        return is_spread(nbytes, len(self.owners), self._page_size)

    def is_divided(self, nbytes: int) -> bool:
        """Whether each kernel has a part of an array of so many bytes. Kernels that share a GPU, which is for tests,
        work as if each had one."""
        return is_spread(nbytes, len(self.gpus), self._page_size)

    def allocate(self, nbytes: int, in_turns: bool = False) -> CudaBuffer:
        """Memory that all GPUs reach, of which each has a part, or (`in_turns`) some pages after those of another one.
        Raises E0912."""
        if not self.is_spread(nbytes):
            return self._allocate(self._near, nbytes)
        whole = -(-nbytes // self._page_size) * self._page_size
        if (whole, in_turns) not in self._far:
            pages = self._pages_in_turns if in_turns else self._pages_on_all
            self._far[whole, in_turns] = self.cupy.cuda.MemoryPool(pages)
        found = self._allocate(self._far[whole, in_turns], whole)
        return CudaBuffer(found.memory, nbytes, found.pointer)

    def allocate_constant(self, nbytes: int) -> CudaBuffer:
        """A copy for each kernel, of which the first is the one to fill, or, where there is too little room, as any
        other array. Raises E0912."""
        free = min(self.memory_of(gpu)[0] // self.gpus.count(gpu) for gpu in self.owners)
        if is_copied(nbytes, free):
            try:
                return self.allocate_copies(nbytes)
            except GdslError as error:
                if error.code != "E0912":
                    raise
        return self.allocate(nbytes)

    def allocate_copies(self, nbytes: int) -> CudaBuffer:
        """Memory of which each kernel has its own, however little there is. Raises E0912."""
        return self._allocate(self._copied, nbytes)

    def fetch_copies(self, pointer: int, nbytes: int) -> list[NDArray[Any]]:
        """What is in each kernel's own memory that begins at `pointer` in that of the first, on the host."""
        copies = [numpy.empty(nbytes, numpy.uint8) for _ in self.gpus]
        runtime, stream = self.cupy.cuda.runtime, self.stream()
        for number, copy in enumerate(copies):
            source = pointer + number * self.arena.stride
            runtime.memcpyAsync(copy.ctypes.data, source, nbytes, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        return copies

    def publish(self, buffer: Any) -> None:
        """Copy the first copy to the others, on the run's stream."""
        if not self._is_copied(buffer.pointer):
            return
        runtime = self.cupy.cuda.runtime
        for number in range(1, len(self.gpus)):
            target = buffer.pointer + number * self.arena.stride
            kind = runtime.memcpyDeviceToDevice
            runtime.memcpyAsync(target, buffer.pointer, buffer.nbytes, kind, self.stream().ptr)

    def constant_copy(self, buffer: Any) -> Any:
        """A copy for each kernel; `buffer` itself where there is too little room. Raises E0912."""
        found, runtime = self.allocate_constant(buffer.nbytes), self.cupy.cuda.runtime
        if not self._is_copied(found.pointer):
            return buffer
        for pointer, offset, nbytes in self._pieces(buffer.pointer, buffer.nbytes):
            kind = runtime.memcpyDeviceToDevice
            runtime.memcpyAsync(found.pointer + offset, pointer, nbytes, kind, self.stream().ptr)
        self.publish(found)
        self.stream().synchronize()  # until then `buffer` is needed
        return found

    def _is_copied(self, pointer: int) -> bool:
        """Whether it is an address of a first copy."""
        return "arena" in self.__dict__ and 0 <= pointer - self.arena.pointer < self.arena.stride

    def _copied_pages(self, nbytes: int) -> Any:
        pages = self.arena.allocate(nbytes)
        memory = self.cupy.cuda.UnownedMemory(pages.pointer, pages.nbytes, pages, self.id)
        return self.cupy.cuda.MemoryPointer(memory, 0)

    def allocate_near(self, nbytes: int) -> CudaBuffer:
        """Memory on the first GPU, however large. Raises E0912."""
        return self._allocate(self._near, nbytes)

    def allocate_result(self, nbytes: int) -> CudaBuffer:
        """Memory for the caller, on the first GPU, which no kernel of a run uses."""
        return super().allocate(nbytes)

    def chunk_lengths(self, num_vertices: int) -> Sequence[int]:
        """Whole pages of small values, if each GPU has several; the results of small graphs are on the first GPU."""
        gpus = len(self.gpus)
        return chunk_lengths(num_vertices, gpus, self._page_size) if self.is_divided(4 * num_vertices) else ()

    def allocate_owned(self, nbytes: int, each: int, owners: Sequence[int]) -> CudaBuffer:
        """Memory for the caller, of which the GPU of the number `owners[k]` has the chunk k of `each` bytes, whole
        pages. Raises E0912."""
        whole = -(-nbytes // self._page_size) * self._page_size
        chunks = [Part(self.gpus[owner], min(each, whole - each * place)) for place, owner in enumerate(owners)]
        runs = [list(same) for _, same in itertools.groupby(chunks, key=lambda part: part.owner)]
        parts = tuple(Part(same[0].owner, sum(part.nbytes for part in same)) for same in runs)
        if (whole, parts) not in self._far:
            self._far[whole, parts] = self.cupy.cuda.MemoryPool(lambda _: self._range_of(parts))
        found = self._allocate(self._far[whole, parts], whole)
        return CudaBuffer(found.memory, nbytes, found.pointer)

    def own_address(self, pointer: int, number: int) -> int:
        """The address for the GPU of this number: that of its own copy if each has one."""
        return pointer + number * self.arena.stride if self._is_copied(pointer) else pointer

    def _allocate(self, pool: Any, nbytes: int) -> CudaBuffer:
        size = max(16, -(-nbytes // 16) * 16)
        try:
            if pool in (self._near, self._copied) and size < _SLAB and pool.free_bytes() < size + 512:
                pool.malloc(_SLAB)  # and dropped, so that the pool has it
            memory = pool.malloc(size)
        except GdslError as error:
            if error.code != "E0912":
                raise
            self.free_pages()
            memory = pool.malloc(size)
        return CudaBuffer(memory, size, memory.ptr)

    def _pages_on_first(self, nbytes: int) -> Any:
        return self._pages(nbytes, (), self.owners[:1])

    def _pages_on_all(self, nbytes: int) -> Any:
        count = len(self.owners)
        return self._pages(nbytes, [nbytes * place // count for place in range(1, count)], self.owners)

    def _pages_in_turns(self, nbytes: int) -> Any:
        turn = max(_TURN, nbytes // self._page_size // _MOST_TURNS) * self._page_size
        cuts = range(turn, nbytes, turn)
        owners = [self.owners[place % len(self.owners)] for place in range(len(cuts) + 1)]
        return self._pages(nbytes, cuts, owners)

    def _pages(self, nbytes: int, cuts: Sequence[int], owners: Sequence[int]) -> Any:
        """What CuPy's pool asks for: memory of whole pages."""
        return self._range_of(parts_at(cuts, nbytes, owners, self._page_size))

    def _range_of(self, parts: Sequence[Part]) -> Any:
        flat_range = FlatRange(parts, self.owners)
        self._ranges = {start: each for start, each in self._ranges.items() if each() is not None}
        self._ranges[flat_range.pointer] = weakref.ref(flat_range)
        memory = self.cupy.cuda.UnownedMemory(flat_range.pointer, flat_range.nbytes, flat_range, self.id)
        return self.cupy.cuda.MemoryPointer(memory, 0)

    def free_pages(self) -> None:
        """Free pages that no buffer uses, once nothing is in progress."""
        for gpu in self.owners:
            with self._on(gpu):
                self.cupy.cuda.runtime.deviceSynchronize()
        for pool in (self._near, self._copied, *self._far.values(), self.cupy.get_default_memory_pool()):
            pool.free_all_blocks()

    def room(self, sizes: Sequence[int], former: Any, filled: int = 0) -> Any:
        """Each buffer with parts of its own."""
        same = former is not None and (former.sizes, former.filled) == (tuple(sizes), filled)
        return former if same else FlatRoom(self, sizes, filled)

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes) of all GPUs together; as many are free on each as on the fullest one."""
        memories = [self.memory_of(gpu) for gpu in self.owners]
        return min(free for free, _ in memories) * len(memories), sum(total for _, total in memories)

    def memory_of(self, gpu: int) -> tuple[int, int]:
        """(free bytes, all bytes) of one of the GPUs."""
        with self._on(gpu):
            free, total = self.cupy.cuda.runtime.memGetInfo()
        spread = sum(pool.free_bytes() for pool in self._far.values())
        free += spread // len(self.owners) + self._copied.free_bytes() * self.gpus.count(gpu)
        if gpu == self.id:
            free += self._near.free_bytes() + self.cupy.get_default_memory_pool().free_bytes()
        return int(free), int(total)

    def upload(self, array: Any) -> CudaBuffer:
        """A copy in memory that all GPUs reach, of a CuPy array too. Raises E0912."""
        buffer = self.allocate_constant(array.nbytes)
        if array.nbytes:
            runtime = self.cupy.cuda.runtime
            on_device = isinstance(array, self.cupy.ndarray)
            if not on_device:
                array = numpy.ascontiguousarray(array)
            kind = runtime.memcpyDeviceToDevice if on_device else runtime.memcpyHostToDevice
            source = array.data.ptr if on_device else array.ctypes.data
            for pointer, offset, nbytes in self._pieces(buffer.pointer, array.nbytes):
                for place, further, part in self._pieces(source + offset, nbytes):  # a result of another run
                    runtime.memcpyAsync(pointer + further, place, part, kind, self.stream().ptr)
            self.publish(buffer)
            self.stream().synchronize()  # until then `array` is needed
        return buffer

    def zero(self, buffer: Any) -> None:
        """Clear `buffer`."""
        for pointer, _, nbytes in self._pieces(buffer.pointer, buffer.nbytes):
            self.cupy.cuda.runtime.memsetAsync(pointer, 0, nbytes, self.stream().ptr)

    def fetch(self, buffer: Any, dtype: Any, count: int) -> NDArray[Any]:
        """The first `count` values on the host."""
        values = numpy.empty(count, dtype)
        self.fetch_into(values, buffer)
        self.stream().synchronize()
        return values

    def fetch_into(self, there: NDArray[Any], buffer: Any) -> None:
        """Queue a copy to the host, on the stream of the run."""
        here, runtime = there.ctypes.data, self.cupy.cuda.runtime
        for pointer, offset, nbytes in self._pieces(buffer.pointer, there.nbytes):
            runtime.memcpyAsync(here + offset, pointer, nbytes, runtime.memcpyDeviceToHost, self.stream().ptr)

    def copy_result(self, buffer: Any) -> CudaBuffer:
        """A copy for the caller, queued on the run's stream. Raises E0912."""
        copied, runtime = self.allocate_result(buffer.nbytes), self.cupy.cuda.runtime
        for pointer, offset, nbytes in self._pieces(buffer.pointer, buffer.nbytes):
            target = copied.pointer + offset
            runtime.memcpyAsync(target, pointer, nbytes, runtime.memcpyDeviceToDevice, self.stream().ptr)
        return copied

    def near_room(self, nbytes: int) -> NearRoom | None:
        """Memory on the first GPU, for an array that is spread and takes at most a part of what is free there."""
        if not self.is_spread(nbytes) or not is_copied(nbytes, self.memory_of(self.id)[0]):
            return None
        _ = self._bringing
        with contextlib.suppress(GdslError):
            return NearRoom(self.allocate_near(nbytes), nbytes, self.cupy.cuda.Event(disable_timing=True))
        return None

    def bring_near(self, arrays: Sequence[tuple[Any, Any]]) -> list[Callable[[], None]]:
        """What the first GPU has of an array is copied when the array is waited for. All that others have is queued
        now, on a stream of its own: so the link is busy while arrays that have come are put in another order."""
        stream, (beside, before) = self.stream(), self._bringing
        before.record(stream)
        beside.wait_event(before)
        runtime, own = self.cupy.cuda.runtime, list[list[tuple[int, int, int, int]]]()
        for buffer, near in arrays:
            own.append([])
            for pointer, offset, nbytes, owner in self._owned_pieces(buffer.pointer, near.nbytes):
                copy = near.pointer + offset, pointer, nbytes, runtime.memcpyDeviceToDevice
                if owner == self.id:
                    own[-1].append(copy)
                else:
                    runtime.memcpyAsync(*copy, beside.ptr)
            near.came.record(beside)

        def wait(near: NearRoom, copies: list[tuple[int, int, int, int]]) -> None:
            for copy in copies:
                runtime.memcpyAsync(*copy, stream.ptr)
            stream.wait_event(near.came)

        return [partial(wait, near, copies) for (_, near), copies in zip(arrays, own, strict=True)]

    @cached_property
    def _bringing(self) -> tuple[Any, Any]:
        """A stream for copies to the first GPU, and an event before them."""
        return self.cupy.cuda.Stream(non_blocking=True), self.cupy.cuda.Event(disable_timing=True)

    def _pieces(self, pointer: int, nbytes: int) -> Iterator[tuple[int, int, int]]:
        """(address, offset, bytes) of the parts of so many bytes that have one owner each: one copy at a time reads or
        writes the memory of one GPU."""
        for *piece, _ in self._owned_pieces(pointer, nbytes):
            yield piece[0], piece[1], piece[2]

    def _owned_pieces(self, pointer: int, nbytes: int) -> Iterator[tuple[int, int, int, int]]:
        """The same with the owner of each."""
        starts = sorted(self._ranges)
        place = bisect.bisect_right(starts, pointer) - 1
        flat_range = self._ranges[starts[place]]() if place >= 0 else None
        if flat_range is None or pointer + nbytes > flat_range.pointer + flat_range.nbytes:
            yield from [(pointer, 0, nbytes, self.id)] if nbytes else []
            return
        end = flat_range.pointer
        for part in flat_range.parts:
            begin, end = end, end + part.nbytes
            first, last = max(begin, pointer), min(end, pointer + nbytes)
            if first < last:
                yield first, first - pointer, last - first, part.owner

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> CudaShared:
        """On the first GPU: counters and scalars, which all of them update."""
        return CudaShared(self, sizes, sent, beginning)

    @property
    def copies_results(self) -> bool:
        """True: callers get copies of results, in the memory of one GPU."""
        return True

    @contextlib.contextmanager
    def _on(self, gpu: int) -> Iterator[None]:
        """Call the driver for one of the GPUs."""
        runtime = self.cupy.cuda.runtime
        former = runtime.getDevice()
        if former == gpu:
            yield
            return
        runtime.setDevice(gpu)
        try:
            yield
        finally:
            runtime.setDevice(former)
