"""Workers that are the ranks of an MPI program, which `mpiexec` or `srun` starts."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl import deadline
from gdsl.clusters.failures import Member, worker_ended
from gdsl.clusters.reductions import SMALL, all_reduce, reduced
from gdsl.diagnostics import GdslError
from gdsl.extras import first_line, required
from gdsl.operations import ReduceOperation

CHUNK = 1 << 30
"""The most bytes of one message: MPI libraries before MPI 4 count in int32."""
_LENGTH, _LITTLE = 8, 504
"""Bytes of a length, and of what is sent with it."""
_BRISK, _BRISK_IF_CROWDED = 200, 20
"""Looks at messages without a pause in between; what comes later than that is worth a sleep. Fewer where a host has
more ranks than processors: there, whoever looks keeps those from working that it waits for."""
_SHORTEST_SLEEP, _LONGEST_SLEEP = 2e-5, 1e-3
"""Seconds between two looks."""
_FAREWELL = 8.0
"""Seconds that workers wait for each other after an error, before they end without. Ten seconds behind the error, all
have ended."""


def mpi_library() -> Any:
    """The module `mpi4py.MPI`, which starts MPI when it is first imported. Raises E0907."""
    install = "gdsl[mpi]"
    required("mpi4py", install, "--mpi")
    try:
        with _ending_on_interrupt():
            return required("mpi4py.MPI", install, "--mpi")
    except RuntimeError as error:  # mpi4py is there, and no MPI library
        message = f"--mpi needs an MPI library, which mpi4py does not find: {first_line(error)}"
        fix = "load your cluster's MPI (often `module load mpi`), or for one host `pip install mpich`"
        raise GdslError.single("E0907", message, fix=fix) from None


@contextlib.contextmanager
def _ending_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once, as MPI waits for all ranks when it starts, and some may have ended."""
    former = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or former is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


class MpiCommunicator:
    """The `Communicator` of the ranks of `MPI.COMM_WORLD`, or of those of another communicator of mpi4py.

    All messages are nonblocking, so that a worker that waits notices when another one has failed.
    """

    def __init__(self, world: Any = None) -> None:
        """Every rank creates one at the same time. Raises E0907 without mpi4py or an MPI library."""
        self._mpi = mpi_library()
        self._world = self._mpi.COMM_WORLD if world is None else world
        self.rank: int = self._world.Get_rank()
        self.size: int = self._world.Get_size()
        self._members: tuple[Member, ...] = ()
        self._brisk = _BRISK
        self._abandoned: list[Any] = []
        """Messages that an error has left under way, with their buffers."""
        self._begin(failed=False)

    @property
    def members(self) -> tuple[Member, ...]:
        """Who the workers are, by rank, once they have introduced themselves."""
        return self._members

    @members.setter
    def members(self, members: tuple[Member, ...]) -> None:
        self._members = members
        here = sum(each.host == members[self.rank].host for each in members)
        self._brisk = _BRISK_IF_CROWDED if here > (os.cpu_count() or 1) else _BRISK

    def _begin(self, failed: bool) -> bool:
        """Take communicators of mpi4py on which no message is under way; whether all workers have come to do so, after
        an error within some seconds."""
        taken = [self._world.Idup() for _ in range(2)]
        self._data, self._control = (communicator for communicator, _ in taken)
        if not all(self._arrived(request, failed) for _, request in taken):
            return False
        for communicator in (self._data, self._control):
            communicator.Set_errhandler(self._mpi.ERRORS_RETURN)  # exceptions, instead of the end of all ranks
        self._error: BaseException | None = None
        return True

    def all_to_all(self, parts: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """As `Communicator.all_to_all`."""
        parts = [np.ascontiguousarray(part) for part in parts]
        sent = np.array([len(part) for part in parts], np.int64)
        lengths = np.empty_like(sent)
        self._wait([self._start(self._data.Ialltoall, sent, lengths)], (sent, lengths))
        return self._exchange(parts, lengths)

    def all_gather(self, part: NDArray[Any]) -> list[NDArray[Any]]:
        """As `Communicator.all_gather`. What all workers have is in the message with the lengths if it is little."""
        part = np.ascontiguousarray(part)
        words, sent = part.view(np.uint8), np.zeros(_LENGTH + _LITTLE, np.uint8)
        sent[:_LENGTH] = np.array([len(part)], np.int64).view(np.uint8)
        if len(words) <= _LITTLE:
            sent[_LENGTH : _LENGTH + len(words)] = words
        received = np.empty((self.size, len(sent)), np.uint8)
        self._wait([self._start(self._data.Iallgather, sent, received)], (sent, received))
        lengths = received[:, :_LENGTH].copy().view(np.int64).reshape(-1)
        ends = _LENGTH + lengths * part.itemsize
        if ends.max() > len(sent):
            return self._exchange([part] * self.size, lengths)
        return [row[_LENGTH:end].copy().view(part.dtype) for row, end in zip(received, ends.tolist(), strict=True)]

    def all_reduce(self, values: NDArray[Any], operation: ReduceOperation) -> NDArray[Any]:
        """As `Communicator.all_reduce`. Of small arrays one message, as all workers know its length."""
        flat = np.ascontiguousarray(values).reshape(-1)
        if flat.nbytes > SMALL:
            return all_reduce(self, values, operation)
        sent, received = flat.view(np.uint8), np.empty((self.size, flat.nbytes), np.uint8)
        self._wait([self._start(self._data.Iallgather, sent, received)], (sent, received))
        return reduced([part.view(flat.dtype) for part in received], operation).reshape(values.shape)

    def barrier(self) -> None:
        """As `Communicator.barrier`."""
        self._wait([self._start(self._data.Ibarrier)], ())

    def check(self) -> None:
        """As `Communicator.check`."""
        try:
            self._receive_error()
        except self._mpi.Exception as error:
            raise self._failed(error) from None
        if self._error is not None:
            raise self._error
        deadline.check()

    def abort(self, error: BaseException) -> None:
        """As `Communicator.abort`."""
        if self._error is not None:
            return
        self._error = error
        words = np.frombuffer(pickle.dumps(error), np.uint8)
        for rank in range(self.size):
            if rank != self.rank:
                self._abandoned.append((self._start(self._control.Isend, words, rank), words))

    def renew(self) -> bool:
        """After an error on all workers: forget it and its messages; whether all workers have come to do so within
        some seconds."""
        return self.leave(failed=True) and self._begin(failed=True)

    def leave(self, failed: bool = False) -> bool:
        """Wait for all others, after an error some seconds; whether all have come. Then MPI can be ended."""
        try:
            return self._arrived(self._control.Ibarrier(), failed)
        except self._mpi.Exception:
            return False

    def end_all(self) -> None:
        """End all ranks now, without waiting for any of them; this one, too."""
        self._world.Abort(1)

    def _arrived(self, meeting: Any, failed: bool) -> bool:
        """Whether all others have come to a meeting; after an error within some seconds."""
        until = time.monotonic() + _FAREWELL
        while not meeting.Test():
            if failed and time.monotonic() > until:
                return False
            time.sleep(_LONGEST_SLEEP)
        return True

    def _exchange(self, parts: Sequence[NDArray[Any]], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Send `parts`, and receive arrays of these lengths."""
        dtype = parts[0].dtype
        received = [np.empty(length, dtype) for length in lengths.tolist()]
        received[self.rank][:] = parts[self.rank]
        requests = []
        for rank in range(self.size):
            if rank != self.rank:
                requests += [self._start(self._data.Irecv, piece, rank) for piece in _pieces(received[rank])]
        for distance in range(1, self.size):  # not all to the same worker first
            rank = (self.rank + distance) % self.size
            requests += [self._start(self._data.Isend, piece, rank) for piece in _pieces(parts[rank])]
        self._wait(requests, (parts, received))
        return received

    def _start(self, method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except self._mpi.Exception as error:
            raise self._failed(error) from None

    def _wait(self, requests: list[Any], buffers: Any) -> None:
        """Wait until all of `requests`, which use `buffers`, are done. Raises the error with which another worker
        aborted, and E0807 where MPI reports that one is gone."""
        looks, sleep = 0, _SHORTEST_SLEEP
        try:
            while not self._mpi.Request.Testall(requests):
                self._receive_error()
                if self._error is not None:
                    raise self._error
                deadline.check()
                looks += 1
                if looks > self._brisk:
                    time.sleep(sleep)
                    sleep = min(2 * sleep, _LONGEST_SLEEP)
        except self._mpi.Exception as error:
            self._abandoned.append((requests, buffers))
            raise self._failed(error) from None
        except BaseException:
            self._abandoned.append((requests, buffers))
            raise

    def _receive_error(self) -> None:
        """Take the errors of others, of which the first one counts."""
        status = self._mpi.Status()
        while self._control.Iprobe(status=status):
            words = np.empty(status.Get_count(self._mpi.BYTE), np.uint8)
            self._control.Recv(words, status.Get_source())
            error = pickle.loads(words.tobytes())
            self._error = self._error or error

    def _failed(self, error: Any) -> GdslError:
        return worker_ended(self.members, None, f"MPI reports: {first_line(error)}")


def _pieces(values: NDArray[Any]) -> list[NDArray[np.uint8]]:
    """The bytes of an array, in pieces that fit into a message."""
    words = values.view(np.uint8)
    return [words[first : first + CHUNK] for first in range(0, len(words), CHUNK)]
