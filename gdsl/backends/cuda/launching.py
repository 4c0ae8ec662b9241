"""Kernels on the GPU: loaded, queried and launched by the driver through CuPy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from gdsl.backends.cuda import packaged
from gdsl.backends.cuda.memory_errors import memory_error, translated
from gdsl.backends.cuda.protocol import Arguments, Device
from gdsl.packages import opened

_THREADS, _BLOCKS = 256, 8
"""Threads per block, and blocks per multiprocessor, of kernels that are launched on their own."""
_DYNAMIC_SHARED = 8
"""The driver's number for the attribute of dynamic shared memory."""
_RESOURCES = 4, 3, 1
"""The driver's numbers for a function's attributes: registers, local and shared memory."""


class Launching(Device):
    """Kernels on the current GPU. Private CuPy functions used here: `launchCooperativeKernel`, `launchKernel`,
    `occupancyMaxActiveBlocksPerMultiprocessor`, `funcGetAttribute` and `funcSetAttribute` of
    `cupy_backends.cuda.api.driver`, `cupy.cuda.function.Module`."""

    def __init__(self) -> None:
        import cupy
        from cupy_backends.cuda.api import driver

        self.cupy, self._driver = cupy, driver
        self.id = int(cupy.cuda.Device().id)
        runtime = cupy.cuda.runtime  # one attribute: querying all of them takes CuPy a millisecond
        self.multiprocessors = int(runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, self.id))
        self._stream: Any = None
        """That of the run in progress."""
        self._computing: dict[tuple[str, str], Any] = {}

    def stream(self) -> Any:
        """The stream of the run, or CuPy's current one outside of a run. Frequent calls check for their own first."""
        return self._stream or self.cupy.cuda.get_current_stream()

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin: `get_function(name)`. Raises E0912."""
        from cupy.cuda.function import Module

        module = Module()
        with translated(self.cupy):
            module.load(cubin)
        return module

    def load_on_each(self, cubin: bytes) -> Any:
        """As `load`, for kernels that `launch_on_each` launches on several GPUs."""
        return self.load(cubin)

    def resident_blocks(self, kernel: Any, threads: int, dynamic_shared: int = 0) -> int:
        """How many blocks fit on one multiprocessor."""
        driver = self._driver
        return int(driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.ptr, threads, dynamic_shared))

    def dynamic_shared_limit(self) -> int:
        """Four fifths of what there is: the cache uses the rest, and hardly works without it (PageRank on rmat22 takes
        0.57 ms per iteration with 192 KB, 0.70 ms with 208 KB)."""
        runtime = self.cupy.cuda.runtime
        return int(runtime.deviceGetAttribute(runtime.cudaDevAttrMaxSharedMemoryPerBlockOptin, self.id)) * 4 // 5

    def reserve_dynamic_shared(self, kernel: Any) -> int:
        """What a kernel's own shared memory leaves of that."""
        dynamic_shared = max(0, self.dynamic_shared_limit() - self.resources(kernel)[2])
        self._driver.funcSetAttribute(kernel.ptr, _DYNAMIC_SHARED, dynamic_shared)
        return dynamic_shared

    def resources(self, kernel: Any) -> tuple[int, int, int, int]:
        """As reported by the driver."""
        registers, local, shared = (int(self._driver.funcGetAttribute(which, kernel.ptr)) for which in _RESOURCES)
        runtime = self.cupy.cuda.runtime
        most = runtime.deviceGetAttribute(runtime.cudaDevAttrMaxThreadsPerMultiProcessor, self.id)
        return registers, local, shared, int(most)

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, dynamic_shared: int = 0
    ) -> None:
        """A cooperative launch on CuPy's current stream. Raises E0912."""
        driver, stream = self._driver, (self._stream or self.stream()).ptr
        shape = blocks, teams, 1, threads, 1, 1, dynamic_shared
        try:  # the driver loads a kernel when it is first launched
            driver.launchCooperativeKernel(kernel.ptr, *shape, stream, arguments.address)
        except Exception as error:
            raise (memory_error(self.cupy, error) or error) from None

    def launch_block(self, kernel: Any, threads: int, arguments: Arguments) -> None:
        """A launch of one block, on the same stream."""
        stream = (self._stream or self.stream()).ptr
        self._driver.launchKernel(kernel.ptr, 1, 1, 1, threads, 1, 1, 0, stream, arguments.address, 0)

    @cached_property
    def architecture(self) -> str:
        """The architecture that kernels are compiled for, such as ``sm_90``."""
        return f"sm_{self.cupy.cuda.Device(self.id).compute_capability}"

    def compute(self, text: str, name: str, elements: int, values: Sequence[Any]) -> None:
        """On the run's stream; compiled kernels are kept, by CuPy also on disk."""
        kernel = self._computing.get((text, name))
        if kernel is None:
            cubin = packaged.find(text, self.architecture) if opened() else None
            kernel = self.cupy.RawKernel(text, name) if cubin is None else self.load(cubin).get_function(name)
            self._computing[text, name] = kernel
        blocks = min(-(-elements // _THREADS), self.multiprocessors * _BLOCKS)
        kernel((max(blocks, 1),), (_THREADS,), tuple(values))
