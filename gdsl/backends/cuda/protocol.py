"""What the host side asks of a device: memory, kernels, a flag that asks them to stop, and a clock.

`CudaDevice` (`device.py`) is the GPU through CuPy. The tests bring another one, which runs the same generated text on
the CPU.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

Bytes = NDArray[Any]
"""Bytes in the memory of the host."""


class Buffer(Protocol):
    """Device memory: `pointer` is what kernels get."""

    pointer: int
    nbytes: int


class Room(Protocol):
    """Buffers that were allocated together and are freed together."""

    @property
    def buffers(self) -> Sequence[Buffer]:
        """In the order of the sizes that were asked for."""
        ...


class Arguments:
    """What a kernel gets: arrays of one value each, which may change between launches, and their addresses."""

    def __init__(self, *values: NDArray[Any]) -> None:
        self.values = values
        self._pointers = (ctypes.c_void_p * max(len(values), 1))(*(value.ctypes.data for value in values))
        self.address = ctypes.addressof(self._pointers)


class Incoming:
    """What a run handed over that nobody waited for: a place in pinned memory, the values of the kernel that writes
    there, and behind that place what this is to clear."""

    def __init__(self, here: NDArray[Any], table: NDArray[Any], received: list[NDArray[Any]], *values: int) -> None:
        self.nbytes, self.pointer, self.received = len(here), here.ctypes.data, received
        self.control = received[0].view(numpy.uint64)
        self._table = table
        self._values = numpy.array([[value] for value in (*values, table.ctypes.data, len(table))], numpy.uint64)
        self.rooms: Sequence[tuple[int, int]] = ()
        self.arguments = Arguments(*self._values)

    def clear(self, rooms: Sequence[tuple[int, int]]) -> None:
        """What the kernel is to clear where a run did not end whole."""
        self.rooms = rooms
        if rooms:
            self._table[:] = rooms


class Shared(Protocol):
    """Small buffers that host and device hand each other in one copy each way."""

    @property
    def buffers(self) -> Sequence[Buffer]:
        """In the order of the sizes that were asked for."""
        ...

    @property
    def sent(self) -> Sequence[Bytes]:
        """What `send` copies, for the first buffers one each; zeros at first."""
        ...

    @property
    def received(self) -> Sequence[Bytes]:
        """What `receive` copied, for every buffer; of the last one its beginning."""
        ...

    def send(self) -> None:
        """Copy `sent` to the device, before whatever is launched next."""
        ...

    def send_ahead(self) -> None:
        """Do so for the next run already: its `send` has nothing to do then. `sent` stays what it is until then."""
        ...

    def receive(self) -> None:
        """Copy all buffers to the host; it is there once `Device.wait` has returned."""
        ...

    @property
    def is_ready(self) -> bool:
        """The same."""
        ...

    def incoming(self, words: tuple[int, int, int], rooms: Sequence[tuple[int, int]]) -> Incoming:
        """As `CudaShared` has it, for runs that are not waited for."""
        ...

    def hand_over(self, incoming: Incoming, is_all_zero: bool) -> None:
        """The same."""
        ...

    def take_back(self, incoming: Incoming) -> None:
        """It is not looked at any more."""
        ...

    def expect(self, nbytes: int) -> None:
        """Let `received` have at least `nbytes` bytes of the last buffer from the next `send` on; its arrays are others
        then."""
        ...


class Device(Protocol):
    """One device, with one stream of work."""

    multiprocessors: int
    lane: object
    """What memory is allocated for: another run may use it where this is the same."""

    @property
    def stop_pointer(self) -> int:
        """Where the flag that asks kernels to stop lies, as kernels see it."""
        ...

    def allocate(self, nbytes: int) -> Buffer:
        """At least `nbytes` bytes, of any content, aligned to 16."""
        ...

    def room(self, sizes: Sequence[int], former: Any) -> Room:
        """Buffers of at least these sizes, of any content, in the memory of `former` where that is enough; nobody uses
        `former` any more."""
        ...

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> Shared:
        """Buffers of which the first `sent` are sent, and of whose last one `beginning` bytes are received."""
        ...

    def reserved(self, timeout: float | None) -> contextlib.AbstractContextManager[None]:
        """One run at a time; raises E0802 where another one has not ended within `timeout` seconds."""
        ...

    def memory(self) -> tuple[int, int]:
        """(free bytes, all bytes)."""
        ...

    def require(self, nbytes: int) -> None:
        """Raise E0912 if `nbytes` bytes cannot be had."""
        ...

    def upload(self, array: Any) -> Buffer:
        """The bytes of a NumPy array (or, on a GPU, of a CuPy array, which is used as it is)."""
        ...

    def zero(self, buffer: Buffer) -> None:
        """Clear `buffer`."""
        ...

    def sort(self, buffer: Buffer, count: int) -> None:
        """Put the first `count` words of 64 bits of a buffer from `allocate` into ascending order."""
        ...

    def fetch(self, buffer: Buffer, dtype: Any, count: int) -> NDArray[Any]:
        """The first `count` values of `buffer`, on the host, after all work so far but that of runs in line."""
        ...

    def pinned(self, nbytes: int) -> NDArray[Any]:
        """Zeros in memory of the host to which the device copies by itself; not to be asked for beside a kernel, for
        whose end it would wait."""
        ...

    def fetch_into(self, there: NDArray[Any], buffer: Buffer) -> None:
        """Copy the first bytes of `buffer` to an array from `pinned`, where they are once the work up to here is done;
        does not wait."""
        ...

    def prepare_peek(self) -> None:
        """Make what `peek` needs: asked for beside a kernel, it would not be made before that ends."""
        ...

    def peek(self, buffer: Buffer, dtype: Any) -> Any:
        """The first value of `buffer` at this moment, while kernels run: it waits for none of them. 0 where the work up
        to `start_clock` is not done."""
        ...

    def result(self, buffer: Buffer, dtype: Any, count: int) -> Any:
        """The first `count` values of a buffer from `allocate` as an array of the kind that the caller is given."""
        ...

    def resident_blocks(self, kernel: Any, threads: int, lent: int = 0) -> int:
        """How many blocks of `threads` threads of `kernel` fit on one multiprocessor, to each of which so many bytes of
        shared memory are lent beside its own."""
        ...

    def lendable(self) -> int:
        """How many bytes of shared memory a block may have that has a multiprocessor for itself."""
        ...

    def lends(self, kernel: Any) -> int:
        """How many bytes may be lent to a block of `kernel` that has a multiprocessor for itself; from now on launches
        of it may lend as many."""
        ...

    def resources(self, kernel: Any) -> tuple[int, int, int, int]:
        """Its registers a thread, bytes of local memory a thread, and bytes of shared memory a block; and how many
        threads a multiprocessor holds."""
        ...

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, lent: int = 0
    ) -> None:
        """Start a kernel whose blocks all run at the same time, so many of each team; does not wait. `lent`: bytes of
        shared memory for each."""
        ...

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """Run the kernel `name` of `text`, CUDA C++ by itself, with enough threads for so many elements."""
        ...

    def start_clock(self) -> None:
        """The moment from which `stop_clock` counts."""
        ...

    def stop_clock(self) -> None:
        """The moment up to which `elapsed_ms` counts."""
        ...

    def elapsed_ms(self) -> float:
        """Milliseconds between the two, once the work is done."""
        ...

    def end(self) -> None:
        """What `wait` waits for has been asked for by now."""
        ...

    def wait(self, must_stop: Callable[[], bool] | None) -> None:
        """Until all work up to `end` is done. Once `must_stop` says so, or on Ctrl-C, kernels are asked to stop."""
        ...


def signed(word: int) -> int:
    """A word of 64 bits as a signed number."""
    return word - (1 << 64) if word >> 63 else word
