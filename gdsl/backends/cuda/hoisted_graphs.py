"""Graphs that programs make of a graph's structure alone, which stay on the device with it; see
`gdsl.plan.hoisted_graphs`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy

from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.plan.buffers import HOISTED


class HoistedGraphs:
    """The arrays of such graphs, by the text of what selects their edges. A kernel writes them in the first run that
    needs them, and says in the buffer `HOISTED` that they are there."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._graphs: dict[tuple[str, ...], dict[str, Buffer]] = {}
        self._copied: set[tuple[str, ...]] = set()
        self.version = 0
        """Changes whenever arrays that a run had are no longer there."""

    def missing_bytes(self, key: str, sizes: Mapping[str, int]) -> int:
        """How many more bytes `arrays` would allocate."""
        return 0 if (key, *sizes) in self._graphs else sum(sizes.values())

    def arrays(self, key: str, sizes: Mapping[str, int]) -> Mapping[str, Buffer]:
        """The arrays of the graph `key`, of so many bytes each, by name. Raises E0912."""
        of = (key, *sizes)
        arrays = self._graphs.get(of)
        if arrays is None:
            arrays = {name: self._device.allocate(nbytes) for name, nbytes in sizes.items()}
            self._device.zero(arrays[HOISTED])
            self._graphs[of] = arrays
        return arrays

    def copy_for_gpus(self) -> None:
        """Give each of several GPUs copies of its own of the graphs that runs have made: an intersection reads their
        lists again and again. Raises E0912."""
        for of, arrays in self._graphs.items() if self._device.gpu_numbers else ():
            if of not in self._copied and self._device.fetch(arrays[HOISTED], numpy.uint64, 1).any():
                self._graphs[of] = {name: self._device.constant_copy(buffer) for name, buffer in arrays.items()}
                self._copied.add(of)
                self.version += 1

    def held_bytes(self) -> int:
        """The bytes that they have at the moment."""
        return sum(buffer.nbytes for arrays in self._graphs.values() for buffer in arrays.values())

    def free_unused(self) -> bool:
        """Drop all of them: the next run that needs one makes it again. Whether there were any."""
        had, self._graphs, self._copied = bool(self._graphs), {}, set()
        self.version += had
        return had
