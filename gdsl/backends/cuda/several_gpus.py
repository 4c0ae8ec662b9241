"""Several GPUs of one machine as one device: a persistent kernel on each of them, and arrays in flat ranges.

The kernels run the same text, whose blocks are numbered over all GPUs. What no run changes (the graph, inputs) has a
copy for each kernel, as long as there is room: random reads over the link between GPUs are three times as slow. Other
large arrays are cut into equal parts, one in the memory of each GPU; everything else is in the memory of the first one,
which is also where all other work is done (numbering vertices, copies from and to the host). What the caller gets are
copies there, in memory of CuPy's pool.

A GPU may be named more than once: its kernels then share its multiprocessors, which shows that a program is right on
several GPUs where there is only one.
"""

from __future__ import annotations

import bisect
import contextlib
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.clocks import DONE, NOT_READY, Clock
from gdsl.backends.cuda.device import CudaDevice
from gdsl.backends.cuda.device_memory import STOPPED_FROM_BIT, CudaBuffer, CudaShared, offsets_of
from gdsl.backends.cuda.flat_ranges import (
    CopyArena,
    FlatRange,
    load_function,
    page_bytes,
    parts_at,
    require_atomics,
    require_reach,
)
from gdsl.backends.cuda.protocol import Arguments
from gdsl.backends.gpus import is_copied, is_spread
from gdsl.diagnostics import GdslError

_PLACE = "gdsl_place"
"""The kernels' variable with the number of the GPU's first block, and the number of all blocks."""
_SLAB = 32 << 20
"""Bytes of the first GPU that are mapped at a time for small buffers."""
_ONE_RUN = threading.Lock()
"""Held by the run that is in progress on several GPUs: if each of two had a GPU that the other one waits for, both
would wait forever."""
_DYNAMIC_SHARED = 8
"""The driver's number for the attribute of dynamic shared memory."""
_ABORTED = (0b11 << (STOPPED_FROM_BIT + 1)) | (1 << (STOPPED_FROM_BIT - 1))
"""The word of a barrier that has every arrival that a run may wait for, and tells all to leave the run."""


class Share:
    """One kernel of a run: the GPU that it runs on, and how many of its multiprocessors it has."""

    def __init__(self, cupy: Any, gpu: int, kernels: int) -> None:
        """`kernels` of the run share the GPU."""
        runtime = cupy.cuda.runtime
        whole = int(runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, gpu))
        self.gpu, self.multiprocessors, self.is_alone = gpu, whole // kernels, kernels == 1
        with cupy.cuda.Device(gpu):
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self.ended = cupy.cuda.Event(disable_timing=True)


class SpreadKernel:
    """A kernel on each GPU of a run, loaded once for each share; `ptr` is that of the first. `variables` are the
    addresses of its variable `gdsl_place` there, and `stored` what was stored in them last."""

    __slots__ = ("__weakref__", "functions", "ptr", "stored", "variables")

    def __init__(self, functions: Sequence[Any], variables: Sequence[int]) -> None:
        self.functions, self.variables = functions, variables
        self.ptr = functions[0].ptr
        self.stored: list[tuple[int, int]] = [(0, 0)] * len(variables)


class SpreadModule:
    """A cubin, loaded on all GPUs of a run."""

    def __init__(self, modules: Sequence[Any], variables: Sequence[int], known: Callable[[SpreadKernel], None]) -> None:
        self._modules, self._variables, self._known = modules, variables, known

    def get_function(self, name: str) -> SpreadKernel:
        """The kernel called `name`."""
        functions = [module.get_function(name) for module in self._modules]
        for function in functions:
            load_function(function.ptr)
        kernel = SpreadKernel(functions, self._variables)
        self._known(kernel)
        return kernel


class FlatRoom:
    """Buffers that are allocated together: large ones are spread, the others are on the first GPU."""

    def __init__(self, device: SeveralGpus, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        near = [size for size in sizes if not device.is_spread(size)]
        *offsets, whole = offsets_of(near)
        block = device.allocate_near(whole)
        places = iter(offsets)
        self.buffers = [
            device.allocate(size)
            if device.is_spread(size)
            else CudaBuffer(block.memory, size, block.pointer + next(places))
            for size in sizes
        ]


class SeveralGpus(CudaDevice):
    """Several GPUs as one device, whose own number is that of the first."""

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
        kernels = Counter(gpus)
        self.shares = [Share(self.cupy, gpu, kernels[gpu]) for gpu in gpus]
        self.own_multiprocessors = self.multiprocessors
        """Of the first GPU alone."""
        self.multiprocessors = sum(share.multiprocessors for share in self.shares)
        self._spread: weakref.WeakValueDictionary[int, SpreadKernel] = weakref.WeakValueDictionary()
        self._ranges: dict[int, weakref.ref[FlatRange]] = {}
        self._has_turn, self._control = False, 0
        self._begin = self.cupy.cuda.Event(disable_timing=True)
        self._near = self.cupy.cuda.MemoryPool(self._pages_on_first)
        self._far = self.cupy.cuda.MemoryPool(self._pages_on_all)
        self._copied = self.cupy.cuda.MemoryPool(self._copied_pages)
        self._own_arguments: list[Arguments] = []
        self._arguments_of: NDArray[Any] | None = None
        _ = self._places, self._aborted, self._side_stream  # during a run, the driver would wait for its end

    # Memory

    @cached_property
    def arena(self) -> CopyArena:
        """Where the copies for the kernels are: as much as the largest GPU has."""
        return CopyArena(self.gpus, max(self.memory_of(gpu)[1] for gpu in self.owners))

    def is_spread(self, nbytes: int) -> bool:
        """Whether an array of so many bytes is cut into parts on all GPUs."""
        return is_spread(nbytes, len(self.owners), self._page_size)

    def allocate(self, nbytes: int) -> CudaBuffer:
        """Memory that all GPUs reach; raises E0912."""
        return self._allocate(self._far if self.is_spread(nbytes) else self._near, nbytes)

    def allocate_constant(self, nbytes: int) -> CudaBuffer:
        """A copy for each kernel, of which the first is the one to fill, or, where there is too little room, as any
        other array. Raises E0912."""
        free = min(self.memory_of(gpu)[0] // self.gpus.count(gpu) for gpu in self.owners)
        if is_copied(nbytes, free):
            try:
                return self._allocate(self._copied, nbytes)
            except GdslError as error:
                if error.code != "E0912":
                    raise
        return self.allocate(nbytes)

    def publish(self, buffer: Any) -> None:
        """Copy the first copy to the others, on the run's stream."""
        if not self._is_copied(buffer.pointer):
            return
        runtime = self.cupy.cuda.runtime
        for number in range(1, len(self.gpus)):
            target = buffer.pointer + number * self.arena.stride
            kind = runtime.memcpyDeviceToDevice
            runtime.memcpyAsync(target, buffer.pointer, buffer.nbytes, kind, self.stream().ptr)

    def _is_copied(self, pointer: int) -> bool:
        """Whether it is an address of a first copy."""
        return "arena" in self.__dict__ and 0 <= pointer - self.arena.pointer < self.arena.stride

    def _copied_pages(self, nbytes: int) -> Any:
        pages = self.arena.allocate(nbytes)
        memory = self.cupy.cuda.UnownedMemory(pages.pointer, pages.nbytes, pages, self.id)
        return self.cupy.cuda.MemoryPointer(memory, 0)

    def allocate_near(self, nbytes: int) -> CudaBuffer:
        """The same on the first GPU, however large."""
        return self._allocate(self._near, nbytes)

    def allocate_result(self, nbytes: int) -> CudaBuffer:
        """Memory for the caller, on the first GPU, which no kernel of a run uses."""
        return super().allocate(nbytes)

    def _allocate(self, pool: Any, nbytes: int) -> CudaBuffer:
        size = max(16, -(-nbytes // 16) * 16)
        try:
            if pool is not self._far and size < _SLAB and pool.free_bytes() < size + 512:
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

    def _pages(self, nbytes: int, cuts: Sequence[int], owners: Sequence[int]) -> Any:
        """What CuPy's pool asks for: memory of whole pages."""
        flat_range = FlatRange(parts_at(cuts, nbytes, owners, self._page_size), self.owners)
        self._ranges = {start: each for start, each in self._ranges.items() if each() is not None}
        self._ranges[flat_range.pointer] = weakref.ref(flat_range)
        memory = self.cupy.cuda.UnownedMemory(flat_range.pointer, flat_range.nbytes, flat_range, self.id)
        return self.cupy.cuda.MemoryPointer(memory, 0)

    def free_pages(self) -> None:
        """Free pages that no buffer uses, once nothing is in progress."""
        for gpu in self.owners:
            with self._on(gpu):
                self.cupy.cuda.runtime.deviceSynchronize()
        for pool in (self._near, self._far, self._copied):
            pool.free_all_blocks()

    def room(self, sizes: Sequence[int], former: Any) -> Any:
        """Each buffer with parts of its own."""
        return former if former is not None and former.sizes == tuple(sizes) else FlatRoom(self, sizes)

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes) of all GPUs together; as many are free on each as on the fullest one."""
        memories = [self.memory_of(gpu) for gpu in self.owners]
        return min(free for free, _ in memories) * len(memories), sum(total for _, total in memories)

    def memory_of(self, gpu: int) -> tuple[int, int]:
        """(free bytes, all bytes) of one of the GPUs."""
        with self._on(gpu):
            free, total = self.cupy.cuda.runtime.memGetInfo()
        free += self._far.free_bytes() // len(self.owners) + self._copied.free_bytes() * self.gpus.count(gpu)
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
                runtime.memcpyAsync(pointer, source + offset, nbytes, kind, self.stream().ptr)
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
        """On the run's stream."""
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

    def _pieces(self, pointer: int, nbytes: int) -> Iterator[tuple[int, int, int]]:
        """(address, offset, bytes) of the parts of so many bytes that have one owner each: one copy at a time reads or
        writes the memory of one GPU."""
        starts = sorted(self._ranges)
        place = bisect.bisect_right(starts, pointer) - 1
        flat_range = self._ranges[starts[place]]() if place >= 0 else None
        if flat_range is None or pointer + nbytes > flat_range.pointer + flat_range.nbytes:
            yield from [(pointer, 0, nbytes)] if nbytes else []
            return
        end = flat_range.pointer
        for part in flat_range.parts:
            begin, end = end, end + part.nbytes
            first, last = max(begin, pointer), min(end, pointer + nbytes)
            if first < last:
                yield first, first - pointer, last - first

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> CudaShared:
        """On the first GPU: counters and scalars, which all of them update."""
        return CudaShared(self, sizes, sent, beginning)

    @property
    def copies_results(self) -> bool:
        """The caller gets copies."""
        return True

    # Runs

    def try_acquire(self, timeout: float = 0) -> bool:
        """All GPUs, while no other run on several GPUs has any."""
        if self._holder != threading.get_ident():
            began = time.monotonic()
            if not _ONE_RUN.acquire(timeout > 0, timeout if timeout > 0 else -1):
                return False
            self._has_turn = True
            timeout = max(0.0, timeout - (time.monotonic() - began))
        acquired = False
        try:
            acquired = super().try_acquire(timeout)
        finally:
            if not acquired and self._holder != threading.get_ident():
                self._end_turn()
        return acquired

    def release(self, whole: bool) -> None:
        """Let others run."""
        try:
            super().release(whole)
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            _ONE_RUN.release()

    # Kernels

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin; those whose blocks are numbered over all GPUs are loaded on each."""
        with self._on(self.id):
            first = super().load(cubin)
            try:
                variables = [first.get_global_var(_PLACE)]
            except Exception:  # the driver's: it has no such variable
                return first
        modules = [first]
        for share in self.shares[1:]:
            with self._on(share.gpu):
                module = super().load(cubin)
                modules.append(module)
                variables.append(module.get_global_var(_PLACE))
        return SpreadModule(modules, variables, self._know)

    def _know(self, kernel: SpreadKernel) -> None:
        self._spread[kernel.ptr] = kernel

    def reserve_dynamic_shared(self, kernel: Any) -> int:
        """The same on each GPU."""
        dynamic_shared = super().reserve_dynamic_shared(kernel)
        spread = self._spread.get(kernel.ptr)
        for function, share in zip(spread.functions if spread else (), self.shares, strict=False):
            with self._on(share.gpu):
                self._driver.funcSetAttribute(function.ptr, _DYNAMIC_SHARED, dynamic_shared)
        return dynamic_shared

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

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, dynamic_shared: int = 0
    ) -> None:
        """Launch the kernel on all GPUs, with `blocks` together; on the first alone if its blocks are not numbered over
        all of them. If a part of it cannot be launched, those that run are told to leave."""
        spread = self._spread.get(kernel.ptr)
        if spread is None:
            own = max(1, blocks * self.own_multiprocessors // self.multiprocessors)
            super().launch(kernel, min(blocks, own), threads, arguments, teams, dynamic_shared)
            return
        stream = self._stream or self.stream()
        counts = [blocks // self.multiprocessors * share.multiprocessors for share in self.shares]
        self._store_places(spread, counts)
        self._begin.record(stream)
        self._control = int(arguments.values[0]["run"]["control"][0])
        whole = False
        try:
            for number, count in enumerate(counts):
                of_share = self._arguments_for(number, arguments)
                self._launch_share(spread, number, (count, threads, dynamic_shared), of_share, stream)
            for share in self.shares[1:]:
                stream.wait_event(share.ended)
            whole = True
        finally:
            if not whole:
                self._abort()

    def _arguments_for(self, number: int, arguments: Arguments) -> Arguments:
        """The arguments of a kernel, with the addresses of its own copies."""
        places = arguments.pointers
        if number == 0 or places is None or "arena" not in self.__dict__:
            return arguments
        record, *others = arguments.values
        if self._arguments_of is not record:
            self._own_arguments = [Arguments(record.copy(), *others) for _ in self.gpus]
            self._arguments_of = record
        own = self._own_arguments[number]
        own.values[0][:] = record
        words = own.values[0].view(numpy.uint64)
        offsets = words[places] - numpy.uint64(self.arena.pointer)  # below it wraps
        words[places[offsets < self.arena.stride]] += numpy.uint64(number * self.arena.stride)
        return own

    def _store_places(self, kernel: SpreadKernel, counts: Sequence[int]) -> None:
        """Let the kernels know their blocks, before any of them runs."""
        first, runtime = 0, self.cupy.cuda.runtime
        for number, count in enumerate(counts):
            place = first, sum(counts)
            first += count
            if kernel.stored[number] == place:
                continue
            share, here = self.shares[number], self._places[number]
            here[:] = place
            with self._on(share.gpu):
                variable = kernel.variables[number]
                runtime.memcpyAsync(variable, here.ctypes.data, 8, runtime.memcpyHostToDevice, share.stream.ptr)
                share.stream.synchronize()
            kernel.stored[number] = place

    def _launch_share(
        self, kernel: SpreadKernel, number: int, shape: tuple[int, int, int], arguments: Arguments, stream: Any
    ) -> None:
        share, (blocks, threads, dynamic_shared) = self.shares[number], shape
        driver, function = self._driver, kernel.functions[number]
        own = stream if number == 0 else share.stream
        with self._on(share.gpu):
            if number > 0:
                own.wait_event(self._begin)
            if share.is_alone:
                driver.launchCooperativeKernel(
                    function.ptr, blocks, 1, 1, threads, 1, 1, dynamic_shared, own.ptr, arguments.address
                )
            else:  # a cooperative launch would have the GPU to itself
                driver.launchKernel(
                    function.ptr, blocks, 1, 1, threads, 1, 1, dynamic_shared, own.ptr, arguments.address, 0
                )
            if number > 0:
                share.ended.record(own)

    @cached_property
    def _places(self) -> list[NDArray[Any]]:
        """Pinned memory for what is stored in `gdsl_place`, of each share."""
        return [self.pinned(8).view(numpy.uint32) for _ in self.shares]

    @cached_property
    def _aborted(self) -> NDArray[Any]:
        words = self.pinned(8).view(numpy.uint64)
        words[0] = _ABORTED
        return words

    def _abort(self) -> None:
        """Let kernels leave that wait for others which do not come, and wait until they have."""
        runtime, (stream, _) = self.cupy.cuda.runtime, self._side_stream
        here = self._aborted.ctypes.data
        runtime.memcpyAsync(self._control, here, 8, runtime.memcpyHostToDevice, stream.ptr)
        stream.synchronize()
        self.halt()

    def wait_for(self, clock: Clock, must_stop: Callable[[], bool] | None, until: float | None = None) -> bool:
        """As for one GPU; if the kernel on another GPU has failed, those that wait for it are told to leave."""

        def stop() -> bool:
            for share in self.shares[1:]:
                if self.cupy.cuda.runtime.eventQuery(share.ended.ptr) not in (DONE, NOT_READY):
                    self._abort()
                    share.ended.synchronize()  # raises what the driver says
            return must_stop is not None and must_stop()

        return super().wait_for(clock, stop, until)

    def halt(self) -> None:
        """Stop what is queued, and wait until that is over."""
        super().halt()
        for share in self.shares[1:]:
            share.stream.synchronize()
