"""The functions of `nccl.bindings.nccl` that links use, for workers that are threads of this process: arrays are in
the memory of the host. Each worker has its own, and all of them end the same groups."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {0: "i1", 1: "u1", 2: "i4", 3: "u4", 4: "i8", 5: "u8"}
_OPERATIONS = {0: np.add, 1: np.multiply, 2: np.maximum, 3: np.minimum}


class Config:
    """`ncclConfig_t`."""

    ptr = 1

    def __init__(self) -> None:
        self.blocking = 1


class NCCLError(Exception):
    """What NCCL's functions raise."""


class FakeNccl:
    """Of one worker. `fails_at`: the group, from 0, at which it reports an error, on this worker alone."""

    Config, NCCLError = Config, NCCLError

    def __init__(self, communicator: Any, version: int = 22809, fails_at: int | None = None) -> None:
        self._communicator, self._version, self._fails_at = communicator, version, fails_at
        self._sends: list[tuple[int, bytes]] = []
        self._receives: list[tuple[int, NDArray[Any]]] = []
        self._reductions: list[tuple[NDArray[Any], int]] = []
        self._depth, self._status = 0, [0]
        self.groups = self.calls = 0
        self.aborted = False

    def get_version(self) -> int:
        """As NCCL has it."""
        return self._version

    def get_unique_id(self) -> bytes:
        """Any one."""
        return b"one" * 40

    def get_error_string(self, status: int) -> str:
        """In words."""
        return "remote process exited or there was a network error" if status == 6 else f"error {status}"

    def comm_init_rank_scalable(self, size: int, rank: int, count: int, ids: bytearray, config: int) -> object:
        """When all have come."""
        assert (size, rank) == (self._communicator.size, self._communicator.rank) and count == 1
        assert len(set(self._communicator._meet(bytes(ids)))) == 1
        self._status = [7, 7, 0]
        return self

    def comm_get_async_error(self, comm: object) -> int:
        """In progress for a while."""
        assert comm is self and not self.aborted
        return self._status.pop(0) if len(self._status) > 1 else self._status[0]

    def comm_abort(self, comm: object) -> None:
        """Nothing works any more."""
        assert comm is self
        self.aborted = True

    def group_start(self) -> None:
        """Begin to collect."""
        self._depth += 1

    def send(self, address: int, count: int, dtype: int, peer: int, comm: object, stream: int) -> None:
        """In a group."""
        assert self._depth == 1 and peer != self._communicator.rank
        self._sends.append((peer, _at(address, count, dtype).tobytes()))

    def recv(self, address: int, count: int, dtype: int, peer: int, comm: object, stream: int) -> None:
        """In a group."""
        assert self._depth == 1 and peer != self._communicator.rank
        self._receives.append((peer, _at(address, count, dtype)))

    def all_reduce(
        self, source: int, target: int, count: int, dtype: int, operation: int, comm: object, stream: int
    ) -> None:
        """In a group, in place."""
        assert self._depth == 1 and source == target
        self._reductions.append((_at(target, count, dtype), operation))

    def group_end(self) -> None:
        """All workers meet, if the group has anything."""
        self._depth -= 1
        assert self._depth == 0
        if self.groups == self._fails_at:
            self._status = [7, 6]
            return
        self.groups += 1
        self._status = [7, 0]
        given = self._sends, [(values.copy(), operation) for values, operation in self._reductions]
        rank = self._communicator.rank
        met = self._communicator._meet(given)
        arrived = [[words for peer, words in sends if peer == rank] for sends, _ in met]
        for peer, values in self._receives:
            words = arrived[peer].pop(0)
            assert len(words) == values.nbytes, "a receive of another size"
            values.view(np.uint8)[:] = np.frombuffer(words, np.uint8)
        assert not any(arrived), "something was sent that nobody receives"
        for number, (values, operation) in enumerate(self._reductions):
            parts = [reductions[number] for _, reductions in met]
            assert {each for _, each in parts} == {operation}
            result = parts[0][0]
            for part, _ in parts[1:]:
                assert part.dtype == result.dtype and len(part) == len(result)
                result = _OPERATIONS[operation](result, part)
            values[:] = result
        self._sends, self._receives, self._reductions = [], [], []


def _at(address: int, count: int, dtype: int) -> NDArray[Any]:
    kind = np.dtype(_TYPES[dtype])
    return np.ctypeslib.as_array((ctypes.c_uint8 * (count * kind.itemsize)).from_address(address)).view(kind)


class HostDevice:
    """The part of a device that links and exchanges use, in the memory of the host."""

    stream_address = 0

    def empty_array(self, dtype: Any, count: int) -> NDArray[Any]:
        """With a pattern."""
        return np.full(np.dtype(dtype).itemsize * count, 0xA5, np.uint8).view(dtype)

    def address_of(self, array: NDArray[Any]) -> int:
        """Of its first value."""
        assert array.flags.c_contiguous
        return int(array.ctypes.data)

    def work_done(self) -> Any:
        """It is."""
        return lambda: True
