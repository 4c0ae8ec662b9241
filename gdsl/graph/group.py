"""The workers that read one graph together: what they agree on, and how they fail together.

A process that reads alone is a group of one, so that readers decide everything in one place for both.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError

T = TypeVar("T")


class ReadAgainError(Exception):
    """What a worker found means that all of them read again, in another way. Its arguments can be pickled."""


class NotInPartsError(Exception):
    """A file that several workers cannot read in parts; the argument says what it is, in the plural."""


class Group:
    """The workers of a communicator, each of which calls the same methods in the same order; without one, this process
    alone."""

    def __init__(self, communicator: Communicator | None = None) -> None:
        """The group of all workers of `communicator`."""
        self._communicator = communicator
        self.rank, self.size = (0, 1) if communicator is None else (communicator.rank, communicator.size)
        self.has_agreed = False
        """Whether all workers raised the same error last."""

    @property
    def alone(self) -> bool:
        """Whether this process reads without others."""
        return self._communicator is None

    @contextlib.contextmanager
    def agreement(self) -> Iterator[None]:
        """A block without communication: if it fails for some workers, the error of the lowest rank is raised on all.

        Workers read the file in the order of their ranks, so this is the error that a process alone would raise.
        """
        if self._communicator is None:
            yield
            return
        error: Exception | None = None
        self.has_agreed = False
        try:
            yield
        except Exception as raised:
            if self.has_agreed:
                raise
            error = raised
        self.raise_first(error)

    def raise_first(self, error: Exception | None) -> None:
        """Raise, on all workers, the error of the lowest rank that has one."""
        first = self.first(_portable(error))
        if first is not None:
            self.has_agreed = True
            raise first from None

    def agreed(self, error: GdslError) -> GdslError:
        """`error`, which all workers raise, as they decide by the same facts."""
        self.has_agreed = True
        return error

    def gather(self, value: T) -> list[T]:
        """The values of all workers, by rank: anything that can be pickled."""
        if self._communicator is None:
            return [value]
        self.has_agreed = False
        parts = self._communicator.all_gather(_pickled(value))
        return [pickle.loads(part.tobytes()) for part in parts]

    def first(self, value: T | None) -> T | None:
        """The value of the lowest rank that has one."""
        return next((each for each in self.gather(value) if each is not None), None)

    def last(self, value: T | None) -> T | None:
        """The value of the highest rank that has one."""
        return next((each for each in reversed(self.gather(value)) if each is not None), None)

    def sum(self, value: int) -> int:
        """The sum over all workers."""
        return sum(self.gather(value))

    def max(self, value: int) -> int:
        """The largest value of a worker."""
        return max(self.gather(value))

    def any(self, value: bool) -> bool:
        """Whether the value of any worker is true."""
        return any(self.gather(value))

    def before(self, value: int) -> int:
        """The sum over the workers of lower rank."""
        return sum(self.gather(value)[: self.rank])

    def part(self, count: int) -> tuple[int, int]:
        """Where this worker's equal part of `count` elements begins and ends."""
        return count * self.rank // self.size, count * (self.rank + 1) // self.size

    def exchange(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Send `parts[r]`, of one dimension and the same dtype on all workers, to worker r; return what each sent."""
        if self._communicator is None:
            return list(parts)
        self.has_agreed = False
        if parts[0].dtype != object:
            return self._communicator.all_to_all(parts)
        arrived = self._communicator.all_to_all([_pickled(_joined(part.tolist())) for part in parts])
        return [_separated(pickle.loads(part.tobytes())) for part in arrived]


ALONE = Group()


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """The values as an array of Python's objects of one dimension, whatever they are."""
    objects_ = list(values)
    result = np.empty(len(objects_), object)
    for place, value in enumerate(objects_):
        result[place] = value
    return result


def _joined(values: list[Any]) -> list[Any] | tuple[NDArray[np.int32], bytes]:
    """The values; of texts, which pickle would put into a table of their own, their lengths and one long text."""
    if not values or not all(type(value) is str for value in values):
        return values
    lengths = np.fromiter(map(len, values), np.int32, len(values))
    return lengths, "".join(values).encode("utf-8", "surrogatepass")


def _separated(values: list[Any] | tuple[NDArray[np.int32], bytes]) -> NDArray[Any]:
    if isinstance(values, list):
        return objects(values)
    lengths, joined = values
    text, ends = joined.decode("utf-8", "surrogatepass"), np.cumsum(lengths, dtype=np.int64)
    result = np.empty(len(lengths), object)
    for place, (start, end) in enumerate(zip((ends - lengths).tolist(), ends.tolist(), strict=True)):
        result[place] = text[start:end]
    return result


def _pickled(value: object) -> NDArray[np.uint8]:
    # Only workers of the same run read it; nothing in a file is ever unpickled.
    return np.frombuffer(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL), np.uint8)


def _portable(error: Exception | None) -> Exception | None:
    """`error`, or where that cannot be pickled its text."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


def attempt(work: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """(result, error) of some work without communication."""
    try:
        return work(), None
    except Exception as error:
        return None, error
