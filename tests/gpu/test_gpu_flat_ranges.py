"""Flat ranges on GPUs: CuPy arrays over memory of one GPU, of two, and of a GPU and the host."""

from __future__ import annotations

import numpy
import pytest

from gdsl.backends.cuda.flat_ranges import HOST, FlatRange, Part, page_bytes

cupy = pytest.importorskip("cupy")
pytest.importorskip("cuda.bindings.driver")
pytestmark = pytest.mark.gpu


def _owners() -> list[list[int]]:
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    return [[0], [0, 0], [0, HOST], *([[0, 1], [1, 0, 1]] if count > 1 else [])]


@pytest.mark.parametrize("owners", _owners(), ids=str)
def test_one_array_over_the_memories_of_all_owners(owners):
    gpus = [owner for owner in owners if owner != HOST]
    page = page_bytes(owners)
    found = FlatRange([Part(owner, page) for owner in owners], gpus)
    memory = cupy.cuda.UnownedMemory(found.pointer, found.nbytes, found, device_id=gpus[0])
    values = cupy.ndarray((found.nbytes // 4,), numpy.uint32, memptr=cupy.cuda.MemoryPointer(memory, 0))
    values[...] = cupy.arange(len(values), dtype=numpy.uint32)
    for gpu in gpus:
        with cupy.cuda.Device(gpu):
            seen = cupy.ndarray((len(values),), numpy.uint32, memptr=cupy.cuda.MemoryPointer(memory, 0))
            assert int(seen.astype(numpy.uint64).sum()) == len(values) * (len(values) - 1) // 2
            cupy.cuda.Device(gpu).synchronize()
