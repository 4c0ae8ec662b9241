"""Values in the memory of a GPU: copies of them, arrays over them, and edge lists that stay in the host's memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.buffers import CudaBuffer
from gdsl.backends.cuda.memory_errors import no_memory
from gdsl.backends.cuda.pinned_copies import PinnedCopies

if TYPE_CHECKING:
    from gdsl.backends.cuda.host_memory import HostBuffer


class DeviceMemory(PinnedCopies):
    """What is in the memory of the current GPU, and what is elsewhere on several."""

    def upload(self, array: Any) -> CudaBuffer:
        """A copy on the GPU; a CuPy array is used as it is. Raises E0912 as `allocate`."""
        if not isinstance(array, self.cupy.ndarray):
            try:
                array = self.cupy.asarray(array if array.size else numpy.zeros(16, numpy.uint8))
            except self.cupy.cuda.memory.OutOfMemoryError:
                raise no_memory(array.nbytes, *self.cupy.cuda.runtime.memGetInfo()) from None
        return CudaBuffer(array.data, int(array.nbytes), array.data.ptr)

    def read_memory(self, address: int, dtype: Any, count: int) -> NDArray[Any]:
        """So many values at an address, after the work on the run's stream, through pinned memory."""
        values = numpy.empty(count, dtype)
        if values.nbytes:
            there, runtime, stream = self._staging(values.nbytes), self.cupy.cuda.runtime, self.stream()
            runtime.memcpyAsync(there.ctypes.data, address, values.nbytes, runtime.memcpyDeviceToHost, stream.ptr)
            stream.synchronize()
            values.view(numpy.uint8)[:] = there[: values.nbytes]
        return values

    def write_memory(self, address: int, values: NDArray[Any]) -> None:
        """Store values at an address, after the work on the run's stream, through pinned memory."""
        data = numpy.ascontiguousarray(values).reshape(-1).view(numpy.uint8)
        if data.nbytes:
            there, runtime, stream = self._staging(data.nbytes), self.cupy.cuda.runtime, self.stream()
            there[: data.nbytes] = data
            runtime.memcpyAsync(address, there.ctypes.data, data.nbytes, runtime.memcpyHostToDevice, stream.ptr)
            stream.synchronize()  # the pinned memory is used again

    def array_at(self, address: int, dtype: Any, count: int) -> Any:
        """Values at an address as a CuPy array over the same memory, which the caller keeps."""
        cupy, nbytes = self.cupy, numpy.dtype(dtype).itemsize * count
        if not nbytes:
            return cupy.empty(0, dtype)
        memory = cupy.cuda.UnownedMemory(address, nbytes, self, self.id)
        return cupy.ndarray((count,), dtype, memptr=cupy.cuda.MemoryPointer(memory, 0))

    def empty_array(self, dtype: Any, count: int) -> Any:
        """A new CuPy array of any content. Raises MemoryError."""
        return self.cupy.empty(count, dtype)

    def address_of(self, array: Any) -> int:
        """Where a CuPy array is."""
        return int(array.data.ptr)

    @property
    def stream_address(self) -> int:
        """The stream of the run, as the driver knows it."""
        return int(self.stream().ptr)

    def work_done(self) -> Callable[[], bool]:
        """Asks whether the work of the run's stream so far is done."""
        over = self.cupy.cuda.Event(disable_timing=True)
        over.record(self.stream())
        return lambda: bool(over.done)

    def _staging(self, nbytes: int) -> NDArray[Any]:
        """Pinned memory for what the host exchanges with other workers, of at least that many bytes."""
        if len(self._staged) < nbytes:
            self._staged = self.pinned(nbytes)
        return self._staged

    @cached_property
    def _staged(self) -> NDArray[Any]:
        return self.pinned(0)

    def page_bytes(self) -> int | None:
        """As `host_memory.page_bytes`."""
        return self._page

    @cached_property
    def _page(self) -> int | None:
        from gdsl.backends.cuda import host_memory

        return host_memory.page_bytes(self.id)

    def place(self, values: NDArray[Any], resident: int) -> HostBuffer:
        """As `host_memory.place`."""
        from gdsl.backends.cuda import host_memory

        return host_memory.place(self.cupy, self.id, values, resident)

    def divided(self, nbytes: int, resident: int) -> HostBuffer:
        """As `host_memory.allocate`."""
        from gdsl.backends.cuda import host_memory

        return host_memory.allocate(self.cupy, self.id, nbytes, resident)
