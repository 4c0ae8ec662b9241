"""The interface between the host's side of a run and a device: memory, kernels, a stop flag, and a clock.

`CudaDevice` (`device.py`) is the GPU through CuPy. The tests use another one, which runs the same generated text on the
CPU.
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


class Divided(Buffer, Protocol):
    """Memory of which the first `resident` bytes are on the device, and the others in the memory of the host."""

    resident: int


class Room(Protocol):
    """Buffers that are allocated and freed together."""

    @property
    def buffers(self) -> Sequence[Buffer]:
        """In the order of the requested sizes."""
        ...


class Arguments:
    """The arguments of a kernel: arrays of one value each, which may change between launches, and their addresses."""

    def __init__(self, *values: NDArray[Any]) -> None:
        self.values = values
        self.pointers: NDArray[Any] | None = None
        """The places of 8 bytes in the first of the values that hold addresses of what no run changes."""
        self.by_owner = False
        """Whether each of several GPUs takes the vertices whose values are in its memory."""
        self._pointers = (ctypes.c_void_p * max(len(values), 1))(*(value.ctypes.data for value in values))
        self.address = ctypes.addressof(self._pointers)


class Incoming:
    """A slot for what a queued run hands over: a place in pinned memory, the arguments of the kernel that writes there,
    and a table of what that kernel clears."""

    def __init__(self, here: NDArray[Any], table: NDArray[Any], received: list[NDArray[Any]], *values: int) -> None:
        self.nbytes, self.pointer, self.received = len(here), here.ctypes.data, received
        self.control = received[0].view(numpy.uint64)
        self._table = table
        self._values = numpy.array([[value] for value in (*values, table.ctypes.data, len(table))], numpy.uint64)
        self.regions: Sequence[tuple[int, int]] = ()
        self.arguments = Arguments(*self._values)

    def clear(self, regions: Sequence[tuple[int, int]]) -> None:
        """What the kernel clears if the run was stopped."""
        self.regions = regions
        if regions:
            self._table[:] = regions


class Shared(Protocol):
    """Small buffers that host and device exchange with one copy in each direction."""

    @property
    def buffers(self) -> Sequence[Buffer]:
        """In the order of the requested sizes."""
        ...

    @property
    def sent(self) -> Sequence[Bytes]:
        """What `send` copies, one array for each of the first buffers; zeros at first."""
        ...

    @property
    def received(self) -> Sequence[Bytes]:
        """What `receive` copied, for every buffer; for the last one its beginning."""
        ...

    def send(self) -> None:
        """Copy `sent` to the device, before the next launch."""
        ...

    def send_ahead(self) -> None:
        """Do so for the next run now, whose `send` then has nothing to do. `sent` does not change until then."""
        ...

    def invalidate(self) -> None:
        """After a run that was stopped: the next `send` copies again what `send_ahead` has copied."""
        ...

    def receive(self) -> None:
        """Copy all buffers to the host; they are there once `Device.wait` has returned."""
        ...

    @property
    def is_ready(self) -> bool:
        """As in `DeviceMemory`'s implementation."""
        ...

    def incoming(self, words: tuple[int, int, int], regions: Sequence[tuple[int, int]]) -> Incoming:
        """A slot for a queued run; see `pinned_copies.CudaShared.incoming`."""
        ...

    def hand_over(self, incoming: Incoming, is_all_zero: bool) -> None:
        """Queue the transfer to a slot; see `pinned_copies.CudaShared.hand_over`."""
        ...

    def take_back(self, incoming: Incoming) -> None:
        """Reuse a slot."""
        ...

    def expect(self, nbytes: int) -> None:
        """Let `received` have at least `nbytes` bytes of the last buffer from the next `send` on, in new arrays."""
        ...


class Device(Protocol):
    """One device, with one stream of work. What has a body here is so for one GPU, and otherwise for several."""

    multiprocessors: int
    gpu_numbers: tuple[int, ...] = ()
    """Those of several GPUs that run together, one for each kernel; none of one GPU."""
    lane: object
    """The stream that memory is allocated for: another run may use the memory if its lane is the same."""

    @property
    def stop_pointer(self) -> int:
        """The address of the stop flag, as kernels see it."""
        ...

    def allocate(self, nbytes: int) -> Buffer:
        """At least `nbytes` bytes with any content, aligned to 16."""
        ...

    def allocate_near(self, nbytes: int) -> Buffer:
        """As `allocate`, on the first of several GPUs, however large. Raises E0912."""
        return self.allocate(nbytes)

    def allocate_constant(self, nbytes: int) -> Buffer:
        """As `allocate`, for what no run changes: it is filled, and then passed to `publish`."""
        return self.allocate(nbytes)

    def allocate_copies(self, nbytes: int) -> Buffer:
        """As `allocate`, but each of several GPUs gets memory of its own, which it alone changes."""
        return self.allocate(nbytes)

    def fetch_copies(self, pointer: int, nbytes: int) -> Sequence[Bytes]:
        """The first bytes of such memory on the host, as each GPU has it; `pointer` is that of the first."""
        return [self.read_memory(pointer, numpy.uint8, nbytes)]

    def publish(self, buffer: Buffer) -> None:
        """Give every GPU what a buffer from `allocate_constant` has been filled with."""
        return

    def constant_copy(self, buffer: Any) -> Buffer:
        """What `buffer` holds, which no run changes from now on, where every GPU has it; the same on one GPU."""
        return buffer  # type: ignore[no-any-return]

    def allocate_result(self, nbytes: int) -> Buffer:
        """As `allocate`, for what the caller gets in another order than that of the device."""
        return self.allocate(nbytes)

    @property
    def copies_results(self) -> bool:
        """Whether the caller gets copies, by `copy_result`, instead of the memory that kernels wrote."""
        return False

    def copy_result(self, buffer: Buffer) -> Buffer:
        """A copy of a buffer for the caller, queued after the work so far."""
        raise AssertionError("only where `copies_results`")

    def is_divided(self, nbytes: int) -> bool:
        """Whether each kernel of a run on several GPUs has its own part of an array of so many bytes nearby."""
        return False

    def near_room(self, nbytes: int) -> Any:
        """Memory on the first of several GPUs for `bring_near`, with its address `pointer`; None if an array of so many
        bytes is there as a whole, or if there is too little room."""
        return None

    def bring_near(self, arrays: Sequence[tuple[Buffer, Any]]) -> list[Callable[[], None]]:
        """Queue copies of arrays into their `near_room`, beside the work to come. A call of what it returns lets the
        work that follows wait for one of them."""
        return []

    def chunk_lengths(self, num_vertices: int) -> Sequence[int]:
        """How many consecutive vertices each of several GPUs may have at a time of results in the caller's order
        (`owned_chunks`), from the most to the fewest; none if such results are on one GPU."""
        return ()

    def allocate_owned(self, nbytes: int, each: int, owners: Sequence[int]) -> Buffer:
        """Memory for such results, of which the GPU of the number `owners[k]` has the chunk k of `each` bytes."""
        return self.allocate(nbytes)

    def own_address(self, pointer: int, number: int) -> int:
        """What is at this address, for the GPU of that number: its own copy if each has one."""
        return pointer

    def launch_on_each(self, launches: Sequence[tuple[Any, int, int, Sequence[Arguments]]]) -> None:
        """Launch kernels on each of several GPUs: so many blocks for each multiprocessor, of so many threads, with the
        arguments of that GPU. They begin when the work so far is done, and what follows waits for all of them."""
        for kernel, blocks, threads, arguments in launches:
            self.launch(kernel, blocks * self.multiprocessors, threads, arguments[0])

    def room(self, sizes: Sequence[int], former: Any, filled: int = 0) -> Room:
        """Buffers of at least these sizes with any content, in the memory of `former` if that is large enough; `former`
        must not be used any more. The last `filled` of them are filled from the beginning, and often in part."""
        ...

    def shared(self, sizes: Sequence[int], sent: int, beginning: int) -> Shared:
        """Buffers of which the first `sent` are sent; of the last one, `beginning` bytes are received."""
        ...

    def reserved(self, timeout: float | None) -> contextlib.AbstractContextManager[None]:
        """Hold the device for one run; raises E0802 if another one has not ended within `timeout` seconds."""
        ...

    def memory(self) -> tuple[int, int]:
        """The free bytes and all bytes of the memory; of several GPUs together."""
        ...

    def require(self, nbytes: int) -> None:
        """Raise E0912 if `nbytes` bytes are not available."""
        ...

    def upload(self, array: Any) -> Buffer:
        """The bytes of a NumPy array (or, on a GPU, of a CuPy array, which is used as it is)."""
        ...

    def page_bytes(self) -> int | None:
        """The size of the pages between which memory can be divided between device and host; None if it cannot."""
        ...

    def place(self, values: NDArray[Any], resident: int) -> Divided:
        """The bytes of an array in memory of the host that kernels read, the first `resident` ones on the device if
        memory can be divided. Raises E0912."""
        ...

    def divided(self, nbytes: int, resident: int) -> Divided:
        """Such memory of any content. Raises E0912."""
        ...

    def zero(self, buffer: Buffer) -> None:
        """Clear `buffer`."""
        ...

    def sort(self, buffer: Buffer, count: int) -> None:
        """Sort the first `count` words of 64 bits of a buffer from `allocate`."""
        ...

    def fetch(self, buffer: Buffer, dtype: Any, count: int) -> NDArray[Any]:
        """The first `count` values of `buffer`, on the host, after all work so far except queued runs."""
        ...

    def read_memory(self, address: int, dtype: Any, count: int) -> NDArray[Any]:
        """So many values at an address of the device, on the host, after all work so far."""
        ...

    def write_memory(self, address: int, values: NDArray[Any]) -> None:
        """Store values at an address of the device, before what is launched next."""
        ...

    def array_at(self, address: int, dtype: Any, count: int) -> Any:
        """So many values at an address of the device, as an array over that memory, in the order of the work."""
        ...

    def empty_array(self, dtype: Any, count: int) -> Any:
        """A new array of this kind, with any content."""
        ...

    def address_of(self, array: Any) -> int:
        """The address of the first value of such an array."""
        ...

    @property
    def stream_address(self) -> int:
        """The stream of work, as a number for other libraries."""
        ...

    def work_done(self) -> Callable[[], bool]:
        """Asks whether all work so far is done; does not wait."""
        ...

    def pinned(self, nbytes: int) -> NDArray[Any]:
        """uint8[nbytes], zeros in memory of the host to which the device can copy. Do not call this while a kernel
        runs: it would wait for its end."""
        ...

    def fetch_into(self, there: NDArray[Any], buffer: Buffer) -> None:
        """Copy the first bytes of `buffer` to an array from `pinned`, where they are once the work so far is done; does
        not wait."""
        ...

    def prepare_peek(self) -> None:
        """Create what `peek` needs: while a kernel runs, this would wait for its end."""
        ...

    def peek(self, buffer: Buffer, dtype: Any) -> Any:
        """The first value of `buffer` at this moment; waits for no kernel. 0 if the work before `start_clock` is not
        done."""
        ...

    def result(self, buffer: Buffer, dtype: Any, count: int) -> Any:
        """The first `count` values of a buffer from `allocate` as an array of the kind that the caller gets."""
        ...

    def resident_blocks(self, kernel: Any, threads: int, dynamic_shared: int = 0) -> int:
        """How many blocks of `threads` threads of `kernel` fit on one multiprocessor, each with `dynamic_shared` bytes
        of dynamic shared memory."""
        ...

    def dynamic_shared_limit(self) -> int:
        """The most bytes of shared memory of a block that has a multiprocessor to itself."""
        ...

    def reserve_dynamic_shared(self, kernel: Any) -> int:
        """The most bytes of dynamic shared memory for a block of `kernel` that has a multiprocessor to itself; launches
        may use as many from now on."""
        ...

    def resources(self, kernel: Any) -> tuple[int, int, int, int]:
        """Its registers per thread, bytes of local memory per thread, bytes of shared memory per block, and the threads
        that a multiprocessor holds."""
        ...

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, dynamic_shared: int = 0
    ) -> None:
        """Launch a kernel whose blocks all run at the same time, `blocks` of each team; does not wait.
        `dynamic_shared`: bytes of dynamic shared memory per block."""
        ...

    def prepare(self, arguments: Arguments) -> None:
        """Do what a launch with these arguments would begin with, while the device works."""
        return

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """Run the kernel `name` of `text`, standalone CUDA C++, with enough threads for that many elements."""
        ...

    def start_clock(self) -> None:
        """The start of the time that `elapsed_ms` measures."""
        ...

    def stop_clock(self) -> None:
        """The end of the time that `elapsed_ms` measures."""
        ...

    def elapsed_ms(self) -> float:
        """Milliseconds between the two, once the work is done."""
        ...

    def end(self) -> None:
        """Everything that `wait` waits for has been queued."""
        ...

    def wait(self, must_stop: Callable[[], bool] | None) -> None:
        """Wait until all work before `end` is done. Kernels are asked to stop when `must_stop` returns True, and on
        Ctrl-C."""
        ...


def signed(word: int) -> int:
    """A word of 64 bits as a signed number."""
    return word - (1 << 64) if word >> 63 else word
