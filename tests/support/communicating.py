"""What every communicator must do: tests run these tasks on workers of Ray, on ranks of MPI, and on threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.operations import ReduceOperation

DTYPES = ("bool", "int32", "uint32", "int64", "uint64", "float32", "float64")
Report = Callable[[str], object]


def _values(rank: int, length: int, dtype: str) -> NDArray[Any]:
    return np.random.default_rng([rank, length]).integers(0, 100, length).astype(dtype)


def exchange(communicator: Communicator, report: Report = print) -> None:
    """Arrays of every type and of different lengths, also empty ones, arrive as they were sent."""
    rank, size = communicator.rank, communicator.size
    for dtype in DTYPES:
        for step in (0, 1, 30_000):
            parts = [_values(rank, step * to, dtype) for to in range(size)]
            received = communicator.all_to_all(parts)
            assert [each.dtype for each in received] == [np.dtype(dtype)] * size
            for sender, values in enumerate(received):
                assert np.array_equal(values, _values(sender, step * rank, dtype))
            for values in received:
                values[:] = 0  # they are the caller's
            assert np.array_equal(parts[-1], _values(rank, step * (size - 1), dtype))
            gathered = communicator.all_gather(_values(rank, step * rank, dtype))
            for sender, values in enumerate(gathered):
                assert np.array_equal(values, _values(sender, step * sender, dtype))
    communicator.barrier()


def order(communicator: Communicator, report: Report = print) -> list[int]:
    """Workers of different speed: every exchange has its own messages."""
    found = []
    for number in range(20):
        if number % communicator.size == communicator.rank:
            time.sleep(0.01)
        found += [int(each[0]) for each in communicator.all_gather(np.array([100 * communicator.rank + number]))]
    report("in order")
    return found


def reduce(communicator: Communicator, report: Report = print) -> list[NDArray[Any]]:
    """Reductions of small and of large arrays, of which the caller compares the bits."""
    results = []
    for length in (0, 1, 5, 40_000):
        floats = np.random.default_rng([communicator.rank, length]).normal(size=(length, 2)) * 1e3
        floats[: length // 5] = np.nan
        for dtype in ("float32", "float64"):
            for operation in (ReduceOperation.ADD, ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.MULTIPLY):
                results.append(communicator.all_reduce(floats.astype(dtype), operation))
        words = _values(communicator.rank, length, "int32") << 24  # sums wrap
        for operation in ReduceOperation:
            results.append(communicator.all_reduce(words, operation))
        results.append(communicator.all_reduce(words > 1 << 29, ReduceOperation.BIT_OR))
    return results


def expected(size: int) -> list[NDArray[Any]]:
    """The results of `reduce`, from arrays in one process."""
    results: list[NDArray[Any]] = []
    functions: dict[ReduceOperation, Callable[..., Any]] = {
        ReduceOperation.ADD: np.add,
        ReduceOperation.SUBTRACT: np.add,
        ReduceOperation.MIN: np.fmin,
        ReduceOperation.MAX: np.fmax,
        ReduceOperation.MULTIPLY: np.multiply,
        ReduceOperation.BIT_AND: np.bitwise_and,
        ReduceOperation.BIT_OR: np.bitwise_or,
        ReduceOperation.BIT_XOR: np.bitwise_xor,
    }

    def reduced(parts: list[NDArray[Any]], operation: ReduceOperation) -> NDArray[Any]:
        result = parts[0]
        for part in parts[1:]:
            result = functions[operation](result, part)
        return result

    for length in (0, 1, 5, 40_000):
        every = [np.random.default_rng([rank, length]).normal(size=(length, 2)) * 1e3 for rank in range(size)]
        for floats in every:
            floats[: length // 5] = np.nan
        for dtype in ("float32", "float64"):
            for operation in (ReduceOperation.ADD, ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.MULTIPLY):
                results.append(reduced([floats.astype(dtype) for floats in every], operation))
        words = [_values(rank, length, "int32") << 24 for rank in range(size)]
        for operation in ReduceOperation:
            results.append(reduced(words, operation))
        results.append(reduced([each > 1 << 29 for each in words], ReduceOperation.BIT_OR))
    return results


def large(communicator: Communicator, report: Report = print) -> int:
    """Worker 0 sends the last one an array of more than 2^31 bytes."""
    length = 2**31 + 5
    nothing = np.empty(0, np.uint8)
    parts = [nothing] * communicator.size
    if communicator.rank == 0:
        parts[-1] = np.full(length, 7, np.uint8)
        parts[-1][-1] = 9
    received = communicator.all_to_all(parts)
    if communicator.rank == communicator.size - 1:
        assert len(received[0]) == length and received[0][0] == 7 and received[0][-1] == 9
    return len(received[0])


def fail(communicator: Communicator, report: Report, rank: int) -> None:
    """One worker raises while the others wait for it, with large messages under way."""
    if communicator.rank == rank:
        time.sleep(0.1)
        raise GdslError.single("E0801", f"worker {rank} looked past the end")
    communicator.all_to_all([np.zeros(1_000_000)] * communicator.size)


def fail_elsewhere(communicator: Communicator, report: Report, rank: int) -> None:
    """One worker raises while the others wait for something else than its messages."""
    if communicator.rank == rank:
        time.sleep(0.1)
        raise GdslError.single("E0801", f"worker {rank} looked past the end")
    look_on(communicator, report, 600)


def fail_badly(communicator: Communicator, report: Report, rank: int) -> None:
    """One worker raises what is none of gdsl's errors."""
    if communicator.rank == rank:
        raise {0: MemoryError(), 1: OSError(28, "No space left on device"), 2: KeyError("x")}[rank]
    communicator.barrier()


def exchange_on(communicator: Communicator, report: Report, seconds: float) -> None:
    """Exchange until the time is over."""
    report("begun")
    until = time.monotonic() + seconds
    while communicator.all_reduce(np.array([time.monotonic() < until]), ReduceOperation.BIT_AND)[0]:
        communicator.all_to_all([np.zeros(50_000)] * communicator.size)


def compute_on(communicator: Communicator, report: Report, seconds: float) -> None:
    """Look at nobody for that long, as native code does."""
    report("begun")
    time.sleep(seconds)
    communicator.barrier()


def look_on(communicator: Communicator, report: Report, seconds: float) -> None:
    """Wait for something else for that long, and look whether the others are there."""
    report("begun")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        communicator.check()
        time.sleep(0.001)


def leave(communicator: Communicator, report: Report, rank: int) -> None:
    """One worker's process ends, as after a crash, when all have begun."""
    communicator.barrier()
    if communicator.rank == rank:
        os.kill(os.getpid(), 9)
    communicator.barrier()
