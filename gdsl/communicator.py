"""What workers of one run need of each other. MPI and Ray each implement it; nothing else in gdsl knows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from gdsl.operations import ReduceOperation


class Communicator(Protocol):
    """A group of `size` workers, of which this process is number `rank`. Every worker calls the same methods in the
    same order. A call raises E0807 with the name of the worker that is gone if one has ended."""

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        ...

    @property
    def size(self) -> int:
        """The number of workers."""
        ...

    def all_to_all(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Send `parts[r]` to worker r, and return what each worker sent here, by rank. Parts are of one dimension and
        of the same dtype on all workers; their lengths may differ."""
        ...

    def all_gather(self, part: NDArray[Any]) -> list[NDArray[Any]]:
        """Send `part` to all workers, and return theirs, by rank. As in `all_to_all`, lengths may differ."""
        ...

    def all_reduce(self, values: NDArray[Any], operation: ReduceOperation) -> NDArray[Any]:
        """`values`, of one shape and dtype on all workers, reduced element by element in the order of their ranks, so
        that every worker has the same bits."""
        ...

    def barrier(self) -> None:
        """Wait for all workers."""
        ...

    def check(self) -> None:
        """Called while this worker waits for something else, such as its GPU: raises the error with which another one
        has ended the run, and E0807 where it is known that one has ended."""
        ...

    def abort(self, error: BaseException) -> None:
        """End the run on all workers: each call that waits raises `error` there."""
        ...
