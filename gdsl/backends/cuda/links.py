"""Links between the GPUs of workers: arrays go from the memory of one GPU to that of another one, by NCCL.

NCCL's communicator is nonblocking, and the host asks whether work is done, so that a worker that waits notices when
another one has failed, which NCCL does not always do. The functions of NCCL are those of `nccl.bindings.nccl` of
nccl4py, which have the names and arguments of C. Its `nccl.core` would import PyTorch wherever that is installed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from gdsl.backends.cuda.clocks import Patience
from gdsl.backends.cuda.protocol import Device
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.extras import first_line
from gdsl.operations import ReduceOperation

_SUCCESS, _IN_PROGRESS = 0, 7
"""Results of NCCL's functions."""
_TYPES = {"i1": 0, "u1": 1, "i4": 2, "u4": 3, "i8": 4, "u8": 5}
"""NCCL's numbers for types of integers."""
_OPERATIONS = {
    ReduceOperation.ADD: 0,
    ReduceOperation.MULTIPLY: 1,
    ReduceOperation.MAX: 2,
    ReduceOperation.MIN: 3,
}
START_LIMIT = 60.0
"""Seconds after which workers that have not all reached NCCL give it up."""
Reduction = tuple[NDArray[Any], ReduceOperation]
Parts = Sequence[tuple[int, NDArray[Any]]]
"""Arrays on the GPU, each with the worker that it goes to or comes from."""


class LinkError(Exception):
    """What was under way has ended on this worker alone; `error` is what the user reads."""

    def __init__(self, error: GdslError) -> None:
        super().__init__(str(error))
        self.error = error


def reduces(operation: ReduceOperation | None, dtype: Any) -> bool:
    """Whether NCCL has this reduction of integers. Those of floats are not used: their order is NCCL's own."""
    return operation in _OPERATIONS and dtype.str[1:] in _TYPES


class Links:
    """One worker's links to the others, which all of them create and use together."""

    def __init__(self, nccl: Any, communicator: Communicator, device: Device, identity: bytes) -> None:
        """With the `identity` that worker 0 got from NCCL. Raises `LinkError`."""
        self._nccl, self.identity, self._place = nccl, identity, (communicator.rank, communicator.size)
        self.version = version_text(nccl.get_version())
        self._comm: Any = None
        self._starts_until: float | None = time.monotonic() + START_LIMIT
        self.meet(communicator, device)
        config = nccl.Config()
        config.blocking = 0
        try:
            arguments = communicator.size, communicator.rank, 1, bytearray(identity), config.ptr
            self._comm = nccl.comm_init_rank_scalable(*arguments)
            while not self._is_ready():
                self._check()
                time.sleep(1e-3)
        except BaseException as error:
            self.abort()
            raise self._explained(error) from None

    def connect(self) -> None:
        """Use each link once, since NCCL connects two workers when they first send. Raises `LinkError`."""
        size, rank, empty = self._communicator.size, self._communicator.rank, self._device.empty_array
        others = [other for other in range(size) if other != rank]
        sends = [(other, empty("u1", 8)) for other in others]
        self.exchange(sends, [(other, empty("u1", 8)) for other in others], [(empty("i4", 2), ReduceOperation.MIN)])
        self.sent, self._starts_until = 0, None

    def meet(self, communicator: Communicator, device: Device) -> None:
        """The others of the next run, and the GPU here."""
        self._communicator, self._device = communicator, device
        self.sent = 0
        """Bytes that this worker has sent to others in this run."""

    def fit(self, communicator: Communicator) -> bool:
        """Whether nothing has failed, and they are those of a worker at this place of such a group."""
        return self._comm is not None and self._place == (communicator.rank, communicator.size)

    def exchange(self, sends: Parts, receives: Parts, reductions: Sequence[Reduction] = ()) -> None:
        """Send arrays, fill others with what comes, and reduce arrays of integers (`reduces`) in place. Of two workers,
        what the first one sends is received by the other in the same order."""
        nccl, at, stream = self._nccl, self._device.address_of, self._device.stream_address
        with _Group(self):
            for values, operation in reductions:
                if len(values):
                    kind, there = _TYPES[values.dtype.str[1:]], at(values)
                    nccl.all_reduce(there, there, len(values), kind, _OPERATIONS[operation], self._comm, stream)
                    self.sent += 2 * values.nbytes * (self._communicator.size - 1) // self._communicator.size
            for rank, part in sends:
                if part.nbytes:
                    nccl.send(at(part), part.nbytes, _TYPES["u1"], rank, self._comm, stream)
                    self.sent += part.nbytes
            for rank, part in receives:
                if part.nbytes:
                    nccl.recv(at(part), part.nbytes, _TYPES["u1"], rank, self._comm, stream)

    def abort(self) -> None:
        """End what is under way, without the others."""
        comm, self._comm = self._comm, None
        if comm is not None:
            try:
                self._nccl.comm_abort(comm)
            except Exception:  # the first failure is what matters
                return

    def wait(self) -> None:
        """Wait for what was begun. Raises `LinkError`, and what `Communicator.check` raises."""
        patience, done = Patience(), None
        while True:
            if done is not None:
                if done():
                    return
                self._is_ready()
            elif self._is_ready():
                done = self._device.work_done()
                continue
            self._check()
            patience.pause()

    def _check(self) -> None:
        """Look at the other workers while waiting."""
        self._communicator.check()
        if self._starts_until is not None and time.monotonic() > self._starts_until:
            raise self._failure(f"not all workers have come within {START_LIMIT:.0f} seconds")

    def _is_ready(self) -> bool:
        """Whether NCCL has begun all operations that were queued."""
        status = int(self._nccl.comm_get_async_error(self._comm))
        if status not in (_SUCCESS, _IN_PROGRESS):
            raise self._failure(self._nccl.get_error_string(status))
        return status == _SUCCESS

    def _failure(self, why: str) -> LinkError:
        worker, which = f"worker {self._communicator.rank}", f"NCCL {self.version}"
        what = f"{worker} cannot exchange data any more: {which} reports: {why}"
        if self._starts_until is not None:
            what = f"{which} cannot connect {worker}: {why}"
        fix = "NCCL_DEBUG=WARN makes NCCL report more; GDSL_NCCL=off exchanges data through the memory of the hosts"
        return LinkError(GdslError.single("E0807", what, fix=fix))

    def _explained(self, error: BaseException) -> BaseException:
        """An error of NCCL, or one that was found while waiting: others may wait for this worker, which has left."""
        if isinstance(error, GdslError):
            return LinkError(error)
        return self._failure(first_line(error)) if isinstance(error, self._nccl.NCCLError) else error


class _Group:
    """Calls of NCCL that are one; at its end it is waited for."""

    def __init__(self, links: Links) -> None:
        self._links = links

    def __enter__(self) -> None:
        self._links._nccl.group_start()

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        links = self._links
        try:
            links._nccl.group_end()
            if error is None:
                links.wait()
        except BaseException as found:
            links.abort()
            raise links._explained(error or found) from None
        if error is not None:
            links.abort()
            raise links._explained(error) from None


def version_text(number: int) -> str:
    """NCCL's version as people write it."""
    return f"{number // 10000}.{number % 10000 // 100}.{number % 100}"
