"""Two GPUs of one host that run the kernels of link.cu at the same time, on memory of which each has a half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.backends.cuda.flat_ranges import FlatRange, Part, require_atomics

SOURCE = Path(__file__).with_name("link.cu")
BLOCK, BLOCKS = 512, 2
"""Threads of a block, and blocks of a multiprocessor."""


class Gpu:
    """One of the two: its kernels, and a sum for each thread."""

    def __init__(self, cupy: Any, number: int) -> None:
        self.cupy, self.number = cupy, number
        runtime = cupy.cuda.runtime
        with cupy.cuda.Device(number):
            self.blocks = BLOCKS * int(runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, number))
            self.threads = self.blocks * BLOCK
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self.begin, self.end, self.held = (cupy.cuda.Event() for _ in range(3))
            self.sums = [cupy.zeros(self.threads, np.uint64) for _ in range(2)]
            self._module = cupy.RawModule(code=SOURCE.read_text(), options=("--std=c++17",))
            self._kernels: dict[str, Any] = {}
            cupy.cuda.Device(number).synchronize()

    def launch(self, name: str, *arguments: Any, alone: bool = False) -> None:
        """Queue a kernel, of one thread if `alone`."""
        with self.cupy.cuda.Device(self.number), self.stream:
            if name not in self._kernels:
                self._kernels[name] = self._module.get_function(name)
            shape = ((1,), (1,)) if alone else ((self.blocks,), (BLOCK,))
            self._kernels[name](*shape, arguments)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Queue a copy by a copy engine."""
        runtime = self.cupy.cuda.runtime
        with self.cupy.cuda.Device(self.number):
            runtime.memcpyAsync(to, source, nbytes, runtime.memcpyDeviceToDevice, self.stream.ptr)

    def record(self, event: Any) -> None:
        """Record it after what is queued."""
        with self.cupy.cuda.Device(self.number):
            event.record(self.stream)

    def total(self, place: int = 0) -> int:
        """The sum over all threads."""
        with self.cupy.cuda.Device(self.number):
            self.stream.synchronize()
            return int(self.sums[place].get().sum(dtype=np.uint64))

    def pointers(self) -> tuple[np.uint64, np.uint64]:
        """Where threads store their sums."""
        return np.uint64(self.sums[0].data.ptr), np.uint64(self.sums[1].data.ptr)


Queue = Callable[[Gpu], None]


class Pair:
    """Both GPUs."""

    def __init__(self, cupy: Any, numbers: Sequence[int]) -> None:
        require_atomics(numbers)
        self.cupy, self.gpus = cupy, tuple(Gpu(cupy, number) for number in numbers)
        self.threads = min(gpu.threads for gpu in self.gpus)

    def range(self, bytes_of_each: int) -> FlatRange:
        """One range of which each GPU has a half."""
        numbers = [gpu.number for gpu in self.gpus]
        return FlatRange([Part(number, bytes_of_each) for number in numbers], numbers)

    def all(self, queue: Queue) -> None:
        """Let each GPU do it, and wait."""
        for gpu in self.gpus:
            queue(gpu)
        for gpu in self.gpus:
            gpu.stream.synchronize()

    def milliseconds(self, queue: Queue, only: Sequence[Gpu] = ()) -> list[float]:
        """What it takes each GPU. The first one holds both back until all is queued."""
        gpus = only or self.gpus
        gpus[0].launch("hold", np.uint64(400_000), alone=True)
        gpus[0].record(gpus[0].held)
        for gpu in gpus:
            with self.cupy.cuda.Device(gpu.number):
                gpu.stream.wait_event(gpus[0].held)
            gpu.record(gpu.begin)
            queue(gpu)
            gpu.record(gpu.end)
        for gpu in gpus:
            gpu.stream.synchronize()
        return [float(self.cupy.cuda.get_elapsed_time(gpu.begin, gpu.end)) for gpu in gpus]

    def sums(self, place: int = 0) -> int:
        """Over both, as 64-bit numbers add up."""
        return sum(gpu.total(place) for gpu in self.gpus) % (1 << 64)

    def place_of(self, gpu: Gpu) -> int:
        """0 or 1: which half is its own."""
        return self.gpus.index(gpu)
