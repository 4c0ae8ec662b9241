"""The device that gdsl's enactor works with, on the emulator."""

from __future__ import annotations

import contextlib
import ctypes
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy

from gdsl.backends.cuda.owned_chunks import chunk_lengths
from gdsl.backends.cuda.protocol import Arguments

from .driver import EmulatedBuffer, EmulatedCopies, EmulatedModule, EmulatorError, Schedule, launch, library


@dataclass
class EmulatedRoom:
    """Buffers, each of exactly its size."""

    buffers: list[EmulatedBuffer]


class EmulatedShared:
    """Buffers, each of exactly its size, and the host's copies."""

    def __init__(self, device: EmulatedDevice, sizes: Sequence[int], sent: int) -> None:
        self._device = device
        self.buffers = [device.allocate(nbytes) for nbytes in sizes]
        self.sent = [numpy.zeros(nbytes, numpy.uint8) for nbytes in sizes[:sent]]
        self.received = [numpy.zeros(nbytes, numpy.uint8) for nbytes in sizes]

    def send(self) -> None:
        """Copy at once."""
        for buffer, sent in zip(self.buffers, self.sent, strict=False):
            self._device.write(buffer, sent)

    def send_ahead(self) -> None:
        """The next run does it itself, so that what a run forgets is found."""

    def invalidate(self) -> None:
        """The next run copies everything anyway."""

    def receive(self) -> None:
        """Copy at once."""
        for buffer, received in zip(self.buffers, self.received, strict=True):
            received[:] = buffer.bytes()[: len(received)]

    def expect(self, nbytes: int) -> None:
        """All of each buffer is received anyway."""


@cache
def _computing(text: str) -> EmulatedModule:
    return EmulatedModule(text, "part.cu")


class EmulatedDevice:
    """`gdsl.backends.cuda.protocol.Device` on the emulator. Launches run at once; a finding raises EmulatorError."""

    def __init__(self, blocks: int = 3, schedule: Schedule | None = None, gpus: int = 1) -> None:
        """`blocks` of all `gpus` together."""
        self.multiprocessors, self.gpus = blocks, gpus
        self._copies: weakref.WeakValueDictionary[int, EmulatedCopies] = weakref.WeakValueDictionary()
        self.schedule = schedule or Schedule()
        self.launches = 0
        self.lane = None
        self.gpu_numbers = tuple(range(gpus)) if gpus > 1 else ()
        self.free = 1 << 30
        self.steps = 0
        self._stop = (ctypes.c_uint32 * 1)(0)
        self.stop_pointer = ctypes.addressof(self._stop)
        self._times = [0.0, 0.0]

    def allocate(self, nbytes: int) -> EmulatedBuffer:
        """Memory that holds a pattern."""
        return EmulatedBuffer(nbytes)

    allocate_result = allocate_near = allocate

    def allocate_constant(self, nbytes: int) -> EmulatedBuffer:
        """A copy for each GPU."""
        if self.gpus == 1:
            return self.allocate(nbytes)
        found = EmulatedCopies(nbytes, self.gpus)
        self._copies[found.pointer] = found
        return found

    allocate_copies = allocate_constant

    def fetch_copies(self, pointer: int, nbytes: int) -> list[numpy.ndarray]:
        """Of each GPU."""
        first = self._copies[pointer]
        return [numpy.array(each.bytes()[:nbytes]) for each in (first, *first.others)]

    def publish(self, buffer: EmulatedBuffer) -> None:
        """Fill the other copies; what was not published, they do not have."""
        for other in buffer.others if isinstance(buffer, EmulatedCopies) else ():
            self.write(other, buffer.bytes())

    def constant_copy(self, buffer: EmulatedBuffer) -> EmulatedBuffer:
        """A copy for each GPU."""
        found = self.allocate_constant(buffer.nbytes)
        self.write(found, buffer.bytes())
        self.publish(found)
        return found

    def _arguments_of(self, arguments: Arguments, gpu: int) -> list[Any]:
        """The arguments of the kernel on one GPU, with the addresses of its own copies."""
        record, *others = arguments.values
        if arguments.pointers is None:
            return [record, *others]
        own = record.copy()
        words = own.view(numpy.uint64)
        for place in arguments.pointers:
            copies = self._copies.get(int(words[place]))
            if copies is not None and gpu > 0:
                words[place] = copies.others[gpu - 1].pointer
        return [own, *others]

    copies_results = False

    def copy_result(self, buffer: EmulatedBuffer) -> EmulatedBuffer:
        """Another buffer with the same bytes."""
        copied = self.allocate(buffer.nbytes)
        self.write(copied, buffer.bytes())
        return copied

    def is_divided(self, nbytes: int) -> bool:
        """Arrays of a few dozen vertices are, so that small graphs show both."""
        return self.gpus > 1 and nbytes >= 128

    def chunk_lengths(self, num_vertices: int) -> Sequence[int]:
        """Pages of 64 bytes, so that small graphs have several chunks."""
        return chunk_lengths(num_vertices, self.gpus, 64) if self.is_divided(4 * num_vertices) else ()

    def allocate_owned(self, nbytes: int, each: int, owners: Sequence[int]) -> EmulatedBuffer:
        """All memory is equally near, but the chunks are there."""
        assert each % 64 == 0 and each * (len(owners) - 1) < nbytes <= each * len(owners)
        assert set(owners) <= set(range(self.gpus))
        return self.allocate(nbytes)

    def own_address(self, pointer: int, number: int) -> int:
        """The copy of that GPU."""
        copies = self._copies.get(pointer)
        return pointer if copies is None or number == 0 else copies.others[number - 1].pointer

    def launch_on_each(self, launches: Sequence[tuple[Any, int, int, Sequence[Arguments]]]) -> None:
        """One GPU after the other."""
        for kernel, blocks, threads, arguments in launches:
            assert len(arguments) == self.gpus
            for each in arguments:
                ended, findings = launch(kernel, blocks, threads, each.values, self.schedule)
                if findings or not ended:
                    raise EmulatorError(findings)

    def near_room(self, nbytes: int) -> None:
        """All memory is equally near."""

    def bring_near(self, arrays: Sequence[tuple[Any, Any]]) -> list[Callable[[], None]]:
        """There are none."""
        return []

    def room(self, sizes: Sequence[int], former: EmulatedRoom | None, filled: int = 0) -> EmulatedRoom:
        """New ones, so that what is written beyond one of them is found."""
        return EmulatedRoom([self.allocate(nbytes) for nbytes in sizes])

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> EmulatedShared:
        """The same."""
        return EmulatedShared(self, sizes, sent)

    def reserved(self, timeout: float | None) -> contextlib.AbstractContextManager[None]:
        """Nobody else is there."""
        return contextlib.nullcontext()

    def memory(self) -> tuple[int, int]:
        """As much as tests allow."""
        return self.free, self.free

    def require(self, nbytes: int) -> None:
        """Small graphs always fit."""

    def upload(self, array: Any) -> EmulatedBuffer:
        """A copy of a NumPy array."""
        buffer = self.allocate_constant(array.nbytes)
        self.write(buffer, array)
        self.publish(buffer)
        return buffer

    def write(self, buffer: EmulatedBuffer, array: numpy.ndarray[Any, Any]) -> None:
        """Replace the first bytes of `buffer`."""
        data = numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8)
        buffer.bytes()[: data.size] = data
        library().native.emulator_mark_written(buffer.pointer, data.size)

    def page_bytes(self) -> int | None:
        """So small that small lists are divided."""
        return 64

    def place(self, values: numpy.ndarray[Any, Any], resident: int) -> EmulatedBuffer:
        """One buffer: all memory is the host's. It is filled as two parts."""
        data, buffer = numpy.ascontiguousarray(values).reshape(-1).view(numpy.uint8), EmulatedBuffer(values.nbytes)
        assert 0 <= resident <= data.size and resident % 64 == 0
        for first, last in ((0, resident), (resident, data.size)):
            buffer.bytes()[first:last] = data[first:last]
        library().native.emulator_mark_written(buffer.pointer, data.size)
        buffer.resident = resident
        return buffer

    def divided(self, nbytes: int, resident: int) -> EmulatedBuffer:
        """The same, with a pattern in it."""
        buffer = EmulatedBuffer(nbytes)
        buffer.resident = resident
        return buffer

    def zero(self, buffer: EmulatedBuffer) -> None:
        """Clear `buffer`."""
        buffer.bytes()[:] = 0
        library().native.emulator_mark_written(buffer.pointer, buffer.nbytes)

    def sort(self, buffer: EmulatedBuffer, count: int) -> None:
        """By NumPy."""
        buffer.bytes()[: 8 * count].view(numpy.uint64).sort()

    def fetch(self, buffer: EmulatedBuffer, dtype: Any, count: int) -> numpy.ndarray[Any, Any]:
        """A copy of the first `count` values."""
        return buffer.bytes()[: numpy.dtype(dtype).itemsize * count].copy().view(dtype)

    def read_memory(self, address: int, dtype: Any, count: int) -> numpy.ndarray[Any, Any]:
        """A copy of what is at the address."""
        nbytes = numpy.dtype(dtype).itemsize * count
        return numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address)).copy().view(dtype)

    def write_memory(self, address: int, values: numpy.ndarray[Any, Any]) -> None:
        """At once."""
        data = numpy.ascontiguousarray(values).reshape(-1).view(numpy.uint8)
        ctypes.memmove(address, data.ctypes.data, data.size)
        library().native.emulator_mark_written(address, data.size)

    def array_at(self, address: int, dtype: Any, count: int) -> Any:
        """An array over the emulator's memory, all of which counts as written."""
        nbytes = numpy.dtype(dtype).itemsize * count
        if not nbytes:
            return numpy.empty(0, dtype)
        library().native.emulator_mark_written(address, nbytes)
        return numpy.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address)).view(dtype)

    def empty_array(self, dtype: Any, count: int) -> Any:
        """With a pattern."""
        return numpy.full(numpy.dtype(dtype).itemsize * count, 0xA5, numpy.uint8).view(dtype)

    def address_of(self, array: Any) -> int:
        """Where the host has it."""
        return int(array.ctypes.data)

    stream_address = 0

    def work_done(self) -> Callable[[], bool]:
        """It is."""
        return lambda: True

    def pinned(self, nbytes: int) -> numpy.ndarray[Any, Any]:
        """As any other."""
        return numpy.zeros(nbytes, numpy.uint8)

    def fetch_into(self, there: numpy.ndarray[Any, Any], buffer: EmulatedBuffer) -> None:
        """At once."""
        there[:] = self.fetch(buffer, numpy.uint8, there.size)

    def prepare_peek(self) -> None:
        """There is nothing to make."""

    def peek(self, buffer: EmulatedBuffer, dtype: Any) -> Any:
        """The first value."""
        return self.fetch(buffer, dtype, 1)[0]

    def result(self, buffer: EmulatedBuffer, dtype: Any, count: int) -> Any:
        """The same as `fetch`."""
        return self.fetch(buffer, dtype, count)

    def resident_blocks(self, kernel: Any, threads: int, dynamic_shared: int = 0) -> int:
        """One block a multiprocessor."""
        return 1

    def dynamic_shared_limit(self) -> int:
        """As much as there is."""
        return 64

    def reserve_dynamic_shared(self, kernel: Any) -> int:
        """As `platform.h` has it."""
        return 64

    def resources(self, kernel: Any) -> tuple[int, int, int, int]:
        """None that say anything of a GPU."""
        return 0, 0, 0, 0

    def prepare(self, arguments: Arguments) -> None:
        """Nothing is done before a launch."""

    def launch(
        self,
        kernel: Any,
        blocks: int,
        threads: int,
        arguments: Arguments | Sequence[Any],
        teams: int = 1,
        dynamic_shared: int = 0,
    ) -> None:
        """Run a cooperative kernel to its end; raises EmulatorError for anything that was found."""
        schedule = Schedule(**{**vars(self.schedule), "seed": self.schedule.seed + 7919 * self.launches})
        self.launches += 1
        values = arguments.values if isinstance(arguments, Arguments) else arguments
        each: list[list[Any]] = []
        if self.gpus > 1 and isinstance(arguments, Arguments):
            each = [self._arguments_of(arguments, gpu) for gpu in range(self.gpus)]
        ended, findings = launch(kernel, blocks * teams, threads, values, schedule, teams, self.gpus, each)
        self.steps += library().native.emulator_steps()
        if findings or not ended:
            raise EmulatorError(findings)

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """With two blocks."""
        kernel = _computing(text).get_function(name)
        ended, findings = launch(kernel, 2, 32, values, Schedule(resident=1, seed=self.schedule.seed))
        if findings or not ended:
            raise EmulatorError(findings)

    def end(self) -> None:
        """All work is done already."""

    def start_clock(self) -> None:
        """Note the time."""
        self._stop[0] = 0
        self._times[0] = time.perf_counter()

    def stop_clock(self) -> None:
        """Note the time."""
        self._times[1] = time.perf_counter()

    def elapsed_ms(self) -> float:
        """Milliseconds of the CPU, which say nothing about a GPU."""
        return (self._times[1] - self._times[0]) * 1e3

    def wait(self, must_stop: Callable[[], bool] | None) -> None:
        """All work is done already, which `must_stop` may look at once."""
        if must_stop is not None:
            must_stop()
