"""Memory of the host that kernels read, over a runtime that keeps books: what is pinned, copied, divided and freed."""

from __future__ import annotations

import ctypes
import gc
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gdsl.backends.cuda import flat_ranges, host_memory
from gdsl.backends.cuda.flat_ranges import HOST, Part
from gdsl.diagnostics import GdslError

PAGE = 4096


class Runtime:
    """CUDA's runtime, as far as `host_memory` calls it."""

    memcpyHostToDevice = 1  # noqa: N815

    def __init__(self) -> None:
        self.registered: dict[int, tuple[int, int]] = {}
        self.allocated: dict[int, Any] = {}
        self.refused: set[int] = set()
        """Flags with which nothing is pinned."""
        self.moved = 0
        """The distance from addresses of the host to those of kernels."""
        self.room = 1 << 40

    def hostRegister(self, pointer: int, nbytes: int, flags: int) -> None:  # noqa: N802
        if flags in self.refused or pointer in self.registered:
            raise RuntimeError("refused")
        self.registered[pointer] = nbytes, flags

    def hostUnregister(self, pointer: int) -> None:  # noqa: N802
        del self.registered[pointer]

    def pointerGetAttributes(self, pointer: int) -> Any:  # noqa: N802
        return SimpleNamespace(devicePointer=pointer + self.moved)

    def hostAlloc(self, nbytes: int, flags: int) -> int:  # noqa: N802
        if nbytes > self.room:
            raise RuntimeError("out of memory")
        memory = (ctypes.c_uint8 * nbytes)()
        self.allocated[ctypes.addressof(memory)] = memory
        return ctypes.addressof(memory)

    def freeHost(self, pointer: int) -> None:  # noqa: N802
        del self.allocated[pointer]

    def memcpyAsync(self, target: int, source: int, nbytes: int, kind: int, stream: int) -> None:  # noqa: N802
        assert kind == 1
        ctypes.memmove(target, source, nbytes)


class Range:
    """`FlatRange`, over memory of the process."""

    failures = 0
    made: list[list[Part]]

    def __init__(self, parts: list[Part], gpus: list[int]) -> None:
        assert gpus == [0] and all(part.nbytes % PAGE == 0 for part in parts)
        if Range.failures:
            Range.failures -= 1
            raise GdslError.single("E0912", "no memory")
        Range.made.append(parts)
        self.memory = (ctypes.c_uint8 * sum(part.nbytes for part in parts))()
        self.pointer = ctypes.addressof(self.memory)

    def close(self) -> None:
        pass


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(host_memory, "FlatRange", Range)
    monkeypatch.setattr(flat_ranges, "page_bytes", lambda owners: PAGE)
    Range.failures, Range.made = 0, []
    stream = SimpleNamespace(ptr=0, synchronize=lambda: None)
    freed: list[int] = []
    cuda = SimpleNamespace(runtime=Runtime(), get_current_stream=lambda: stream)
    pool = SimpleNamespace(free_all_blocks=lambda: freed.append(1))
    return SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: pool, freed=freed)


def bytes_of(buffer: host_memory.HostBuffer) -> bytes:
    return ctypes.string_at(buffer.pointer, buffer.nbytes)


def values_of(nbytes: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(0, 1 << 30, nbytes // 4).astype(np.int32)


def test_a_large_array_is_pinned_where_it_is_and_only_once(cupy: Any) -> None:
    values, runtime = values_of(1 << 20), cupy.cuda.runtime
    first, second = (host_memory.place(cupy, 0, values, 0) for _ in range(2))
    assert first.pointer == second.pointer == values.ctypes.data and not runtime.allocated
    assert runtime.registered == {values.ctypes.data: (1 << 20, 3)}
    del first
    gc.collect()
    assert runtime.registered, "the other one needs it"
    del second
    gc.collect()
    assert not runtime.registered


def test_memory_that_is_only_read_and_other_addresses_for_kernels(cupy: Any) -> None:
    values, runtime = values_of(1 << 20), cupy.cuda.runtime
    runtime.refused, runtime.moved = {3}, 1 << 44
    buffer = host_memory.place(cupy, 0, values, 0)
    assert runtime.registered[values.ctypes.data] == (1 << 20, 11)
    assert buffer.pointer == values.ctypes.data + (1 << 44)


@pytest.mark.parametrize("nbytes", [0, 4, 4096, 1 << 20])
def test_what_cannot_be_pinned_is_copied(cupy: Any, nbytes: int) -> None:
    values, runtime = values_of(nbytes), cupy.cuda.runtime
    runtime.refused = {3, 11}
    buffer = host_memory.place(cupy, 0, values, 0)
    assert list(runtime.allocated) == [buffer.pointer] and bytes_of(buffer) == values.tobytes()
    del buffer
    gc.collect()
    assert not runtime.allocated


def test_arrays_at_odd_addresses_are_copied(cupy: Any) -> None:
    whole = np.zeros((1 << 20) + 64, np.uint8)
    first = -whole.ctypes.data % 16 + 4
    buffer = host_memory.place(cupy, 0, whole[first : first + (1 << 20)], 0)
    assert buffer.pointer in cupy.cuda.runtime.allocated


@pytest.mark.parametrize("resident", [PAGE, 3 * PAGE, 4 * PAGE])
def test_a_list_is_divided_at_a_page(cupy: Any, resident: int) -> None:
    values = values_of(4 * PAGE + 20)
    buffer = host_memory.place(cupy, 0, values, resident)
    assert buffer.resident == resident and bytes_of(buffer) == values.tobytes()
    assert Range.made == [[Part(0, resident), Part(HOST, 5 * PAGE - resident)]]
    new = host_memory.allocate(cupy, 0, 4 * PAGE + 20, resident)
    assert (new.resident, new.nbytes) == (resident, 4 * PAGE + 20)


def test_the_pool_gives_back_what_a_range_needs(cupy: Any) -> None:
    Range.failures = 1
    assert host_memory.place(cupy, 0, values_of(4 * PAGE), PAGE).resident == PAGE and cupy.freed == [1]


def test_without_room_for_a_range_everything_is_in_the_host(cupy: Any) -> None:
    values = values_of(4 * PAGE)
    for place in (lambda: host_memory.place(cupy, 0, values, PAGE), lambda: host_memory.allocate(cupy, 0, 4 * PAGE, 0)):
        Range.failures = 2
        buffer = place()
        assert buffer.resident == 0 and buffer.pointer in cupy.cuda.runtime.allocated


def test_no_pinned_memory(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy.cuda.runtime.room = 10
    with pytest.raises(GdslError, match=r"need 16\.4 kB of pinned memory of the host\n") as caught:
        host_memory.place(cupy, 0, values_of(4 * PAGE), 0)
    assert caught.value.code == "E0912"
    monkeypatch.setattr(host_memory, "available_memory", lambda: 2000)
    with pytest.raises(GdslError, match=r"need 16\.4 kB of pinned memory of the host, and 2\.0 kB are free"):
        host_memory.allocate(cupy, 0, 4 * PAGE, 0)


def test_where_lists_cannot_be_divided(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert host_memory.page_bytes(0) == PAGE
    Range.failures = 1
    assert host_memory.page_bytes(0) is None, "the driver refuses to map the host's memory"

    def missing(owners: object) -> int:
        raise GdslError.single("E0907", "no cuda-bindings")

    monkeypatch.setattr(flat_ranges, "page_bytes", missing)
    assert host_memory.page_bytes(0) is None
