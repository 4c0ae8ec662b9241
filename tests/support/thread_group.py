"""A group of workers that are threads of this process: the communicator that tests use, with nothing to install.

Each method is one meeting: everyone puts a value down, waits for the others, and reads theirs. A worker that fails
aborts the group, so that no test hangs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.operations import ReduceOperation

T = TypeVar("T")


class _Group:
    """What the workers of one group share."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.slots: list[Any] = [None] * size
        self.meeting = threading.Barrier(size)
        self.error: BaseException | None = None


class ThreadCommunicator:
    """The communicator of one of these threads. `calls` counts the methods called, `sent` the bytes that went out."""

    patience = 60.0
    """Seconds after which a worker that waits for the others fails: they do not call the same methods."""

    def __init__(self, group: _Group, rank: int) -> None:
        self._group, self.rank, self.size = group, rank, group.size
        self.calls = self.sent = 0

    def _meet(self, value: Any) -> list[Any]:
        group = self._group
        self.calls += 1
        group.slots[self.rank] = value
        try:
            group.meeting.wait(self.patience)
            found = list(group.slots)
            group.meeting.wait(self.patience)
        except threading.BrokenBarrierError:
            raise group.error or TimeoutError("the workers did not meet") from None
        return found

    def all_to_all(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """As `Communicator.all_to_all`, with copies."""
        assert len(parts) == self.size and all(part.ndim == 1 for part in parts)
        assert len({part.dtype for part in parts}) == 1
        self.sent += sum(part.nbytes for rank, part in enumerate(parts) if rank != self.rank)
        found = [every[self.rank] for every in self._meet([part.copy() for part in parts])]
        assert len({part.dtype for part in found}) == 1
        return found

    def all_gather(self, part: NDArray[Any]) -> list[NDArray[Any]]:
        """As `Communicator.all_gather`, with copies."""
        assert part.ndim == 1
        self.sent += part.nbytes * (self.size - 1)
        found = self._meet(part.copy())
        assert len({each.dtype for each in found}) == 1
        return [each.copy() for each in found]

    def all_reduce(self, values: NDArray[Any], operation: ReduceOperation) -> NDArray[Any]:
        """As `Communicator.all_reduce`."""
        first, *others = self._meet(values.copy())
        result: NDArray[Any] = first.copy()
        for other in others:
            assert other.shape == result.shape and other.dtype == result.dtype
            result = _COMBINING[operation](result, other)
        return result

    def barrier(self) -> None:
        """As `Communicator.barrier`."""
        self._meet(None)

    def check(self) -> None:
        """As `Communicator.check`."""
        if self._group.error is not None:
            raise self._group.error

    def abort(self, error: BaseException) -> None:
        """As `Communicator.abort`."""
        if self._group.error is None:
            self._group.error = error
        self._group.meeting.abort()


_COMBINING: dict[ReduceOperation, Callable[..., Any]] = {
    ReduceOperation.MIN: np.fmin,
    ReduceOperation.MAX: np.fmax,
    ReduceOperation.ADD: np.add,
    ReduceOperation.SUBTRACT: np.add,
    ReduceOperation.MULTIPLY: np.multiply,
    ReduceOperation.BIT_AND: np.bitwise_and,
    ReduceOperation.BIT_OR: np.bitwise_or,
    ReduceOperation.BIT_XOR: np.bitwise_xor,
}


def run_group(size: int, work: Callable[[ThreadCommunicator], T]) -> list[T]:
    """What `work` returns for each of `size` workers, by rank. The first exception of any of them is raised."""
    group = _Group(size)
    results: list[Any] = [None] * size

    def run(rank: int) -> None:
        communicator = ThreadCommunicator(group, rank)
        try:
            results[rank] = work(communicator)
        except BaseException as error:  # the others must not wait
            communicator.abort(error)

    threads = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if group.error is not None:
        raise group.error
    return results
