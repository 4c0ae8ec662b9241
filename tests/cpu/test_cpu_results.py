"""Results on a CPU: memory that is the caller's until the last view of it has gone, and a later run's then."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gdsl.backends.cpu.memory_pool import MOST, MOST_LENT, SMALLEST, MemoryPool
from gdsl.graph import Graph
from tests.cpu.running import SWAPPED, fresh, idle, in_threads, ran

LARGE = Graph.generate("grid", rows=300, columns=300)
VIEWS: dict[str, Callable[[Any], object]] = {
    "itself": lambda values: values,
    "a part of a part": lambda values: values[10:][::-1][:5],
    "one element's place": lambda values: values[7:8].reshape(1, 1),
    "another type": lambda values: values.view(np.uint8)[1:],
    "a class of its own": lambda values: values[3:].view(np.recarray),
    "what it stands on": lambda values: values.base,
    "the last of these": lambda values: values.base.base,
    "a buffer": lambda values: memoryview(values)[2:],
    "a capsule": lambda values: values.__dlpack__(),
    "another library's": np.from_dlpack,
    "what a function has kept": lambda values: values.sum,
}


@pytest.mark.parametrize("kind", list(VIEWS))
def test_memory_of_a_result_stays_the_callers_while_there_is_a_view_of_it(kind: str) -> None:
    ready = fresh(SWAPPED)
    found = ran(ready, LARGE, times=1, start=5)
    address, view = found.arrays["there"].ctypes.data, VIEWS[kind](found.arrays["there"])
    del found
    for start in (100, 200, 300):  # each is gone before the next one begins
        assert ran(ready, LARGE, times=1, start=start).arrays["there"].ctypes.data != address
    assert (np.asarray(view) == 6).all() if kind == "a part of a part" else view is not None
    del view
    assert address in {ran(ready, LARGE, times=1, start=7).arrays["there"].ctypes.data for _ in range(3)} | idle(ready)


def test_a_result_that_nobody_has_is_the_memory_of_a_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def counted(size: int) -> Any:
        made.append(size)
        return np.empty(size, np.uint8)

    monkeypatch.setattr("gdsl.backends.cpu.memory_pool.new_block", counted)
    ready = fresh(SWAPPED)
    for start in range(6):
        assert (ran(ready, LARGE, times=0, start=start).arrays["there"] == start).all()
    assert len(made) == 3
    held = [ran(ready, LARGE, times=0, start=start) for start in range(3)]
    assert len(made) == 5 and len({outcome.arrays["there"].ctypes.data for outcome in held}) == 3


def test_results_are_arrays_like_others() -> None:
    """Written, locked, copied and pickled."""
    values = ran(fresh(SWAPPED), LARGE, times=1, start=5).arrays["there"]
    assert type(values) is np.ndarray and values.flags.writeable and values.flags.c_contiguous and values.flags.aligned
    assert not values.flags.owndata and values.ctypes.data % 16 == 0
    for copied in (pickle.loads(pickle.dumps(values, protocol=5)), copy.deepcopy(values), values.copy()):
        np.testing.assert_array_equal(copied, values)
        assert not np.shares_memory(copied, values)
    values.flags.writeable = False
    with pytest.raises(ValueError):
        values[0] = 1
    values.flags.writeable = True
    values[:] = 3
    assert values.sum() == 3 * LARGE.num_vertices


def test_results_outlive_their_program() -> None:
    ready = fresh(SWAPPED)
    first, second = (ran(ready, LARGE, times=1, start=start).arrays["there"] for start in (5, 6))
    kept = weakref.ref(ready.memory_pool)
    del ready
    gc.collect()
    assert kept() is None
    assert (first == 6).all() and (second == 7).all()


def test_threads_that_let_go_of_results_meanwhile_share_none() -> None:
    ready = fresh(SWAPPED)
    wrong: list[tuple[int, int]] = []

    def work(place: int) -> None:
        held: list[Any] = []
        for turn in range(30):
            start = 1000 * place + turn
            held.append((start, ran(ready, LARGE, times=turn % 3, start=start).arrays["there"]))
            if turn % 4 == 3:
                del held[:3]
            for first, values in held:
                if len(set(values[::997].tolist())) != 1 or not 0 <= values[0] - first <= 2:
                    wrong.append((place, first))

    in_threads(work)
    assert wrong == []


@pytest.mark.parametrize("times", [[1, 2, 3, 4], [2, 1, 1, 2, 2], [0, 1, 0]], ids=str)
def test_results_are_never_the_memory_of_a_later_run(times: list[int]) -> None:
    """Whichever of two arrays is the result, after an even or an odd number of swaps."""
    ready = fresh(SWAPPED)
    found = [ran(ready, LARGE, times=each, start=100 * place).arrays["there"] for place, each in enumerate(times)]
    for place, (each, values) in enumerate(zip(times, found, strict=True)):
        assert (values == 100 * place + each).all()
    assert len({values.ctypes.data for values in found}) == len(times)


SIZE = SMALLEST + 16
"""The bytes of a block for `COUNT` numbers of eight bytes."""
COUNT = SMALLEST // 8


def test_the_pool_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays are not pooled, and the pool has a limit that includes what callers have."""
    assert MOST == 1 << 30
    pool = MemoryPool()
    monkeypatch.setattr("gdsl.backends.cpu.memory_pool.MOST", 3 * SIZE)
    run = pool.begin()
    rooms = [run.allocate(count, np.dtype(np.int64)) for count in (COUNT - 3, COUNT, COUNT, COUNT, COUNT)]
    results = [run.lent(room) for room in rooms[:2]]
    run.end()
    assert len(pool._lent) == 1 and len(pool._idle[SIZE]) == 2 and pool.nbytes == 3 * SIZE
    del results
    again = pool.begin()
    assert len(pool._lent) == 0 and len(pool._idle[SIZE]) == 3
    addresses = {again.allocate(COUNT, np.dtype(np.int64)).ctypes.data for _ in range(3)}
    assert rooms[1].ctypes.data in addresses and len(addresses) == 3 and pool.nbytes == 0


def test_no_more_than_some_results_are_looked_after() -> None:
    pool = MemoryPool()
    results = []
    for _ in range(MOST_LENT + 3):
        run = pool.begin()
        results.append(run.lent(run.allocate(COUNT, np.dtype(np.int64))))
        run.end()
    assert len(pool._lent) == MOST_LENT and len({result.ctypes.data for result in results}) == len(results)
    results.clear()
    pool.begin()
    assert len(pool._lent) == 0 and len(pool._idle[SIZE]) == MOST_LENT


def test_what_the_last_run_had_no_use_for_goes() -> None:
    pool = MemoryPool()
    first = pool.begin()
    held = first.lent(first.allocate(COUNT, np.dtype(np.int64)))
    first.allocate(COUNT, np.dtype(np.int64))
    first.end()
    assert pool.nbytes == 2 * SIZE
    second = pool.begin()
    second.allocate(2 * COUNT, np.dtype(np.int64))
    second.end()
    assert list(pool._idle) == [2 * SMALLEST + 16] and not pool._lent
    del held
    pool.begin()
    assert list(pool._idle) == [2 * SMALLEST + 16]


def test_idle_memory_is_freed_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = MemoryPool()
    first = pool.begin()
    first.allocate(COUNT, np.dtype(np.int64))
    first.end()
    second = pool.begin()
    made: list[int] = []

    def scarce(size: int) -> Any:
        made.append(size)
        if len(made) == 1:
            raise MemoryError
        return np.empty(size, np.uint8)

    monkeypatch.setattr("gdsl.backends.cpu.memory_pool.new_block", scarce)
    assert len(second.allocate(2 * COUNT, np.dtype(np.int64))) == 2 * COUNT
    assert made == [2 * SMALLEST + 16] * 2 and pool.nbytes == 0
    made.clear()
    with pytest.raises(MemoryError):
        second.allocate(2 * COUNT, np.dtype(np.int64))
