"""As much of CUDA's driver as gdsl's host side calls through CuPy: kernels of the emulator, which run at once.

The kernels of a run on several GPUs wait until all are launched, as those of real GPUs wait for each other.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy

from .driver import EmulatedBuffer, EmulatedModule, EmulatorError, Options, library

if TYPE_CHECKING:
    from .fake_cupy import FakeCupy


class FakeDriver:
    """`cupy_backends.cuda.api.driver`."""

    def __init__(self, cupy: FakeCupy) -> None:
        self._cupy, self.need = cupy, cupy.need
        self._waiting: list[tuple[int, int]] = []
        """The blocks of launches that wait for those on other GPUs, and the address of the argument of each."""
        self.fails_after: int | None = None
        """Launches after which one fails."""

    def funcSetAttribute(self, kernel: int, attribute: int, value: int) -> None:  # noqa: N802
        """There is no dynamic shared memory here."""

    def occupancyMaxActiveBlocksPerMultiprocessor(self, kernel: int, threads: int, shared: int) -> int:  # noqa: N802
        """One block."""
        self._cupy.log["occupancy"] += 1
        return 1

    def funcGetAttribute(self, attribute: int, kernel: int) -> int:  # noqa: N802
        """Its own number, as nothing is known of a GPU."""
        return attribute

    def launchCooperativeKernel(self, kernel: int, *shape: int) -> None:  # noqa: N802
        """Run it."""
        self.need()
        self._cupy.log["launch"] += 1
        blocks, teams, _, threads, _, _, _, _, arguments = shape
        self._cupy.block_threads = threads
        self._run(kernel, blocks, teams, threads, arguments)

    def launchKernel(self, kernel: int, *shape: int) -> None:  # noqa: N802
        """Run one whose blocks do not wait for each other."""
        self.need()
        self._cupy.log["raw kernel"] += 1
        blocks, _, _, threads, _, _, _, _, arguments, _ = shape
        self._run(kernel, blocks, 1, threads, arguments)

    def _run(self, kernel: int, blocks: int, teams: int, threads: int, arguments: int) -> None:
        if self.fails_after is not None:
            self.fails_after -= 1
            if self.fails_after < 0:
                self.fails_after = None
                self._waiting.clear()
                raise RuntimeError("the launch failed")
        gpus, place = 1, _PLACES.get(kernel)
        if place is not None:
            first, total = place.bytes()[:16].view(numpy.uint64).tolist()  # of the module that was loaded last
            own = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_void_p))[0]
            self._waiting.append((blocks, own))
            if sum(count for count, _ in self._waiting) < total:
                return
            launched = [self._waiting[-1], *self._waiting[:-1]]  # the first GPU's kernel is launched last
            assert first + launched[-1][0] == total == sum(count for count, _ in launched)
            blocks, gpus = total, len(launched)
            every = (ctypes.c_void_p * gpus)(*(each for _, each in launched))
            arguments = ctypes.addressof(every)
            self._waiting.clear()
            self._cupy.log[f"run on {gpus} GPUs"] += 1
        options = Options(blocks * teams, threads, 1, 0, 0, 200_000_000, 0, 0, teams, gpus, int(gpus > 1))
        pointers = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_void_p))
        ended = library().native.emulator_launch(kernel, pointers, ctypes.byref(options))
        findings = library().findings()
        if findings or not ended:
            raise EmulatorError(findings)


class FakeModule:
    """A loaded module, whose machine code is the text."""

    def __init__(self, text: bytes) -> None:
        self._module = EmulatedModule(text.decode(), "call.cu")
        self._place = EmulatedBuffer(8 * 65) if b"gdsl_place" in text else None

    def get_function(self, name: str) -> Any:
        """A kernel."""
        found = SimpleNamespace(ptr=self._module.get_function(name))
        if self._place is not None:
            _PLACES[found.ptr] = self._place
        return found

    def get_global_var(self, name: str) -> int:
        """The address of a variable."""
        if self._place is None:
            raise RuntimeError("not found")
        return self._place.pointer


_PLACES: dict[int, EmulatedBuffer] = {}
"""The variable `gdsl_place` of the module that was loaded last, by its kernels."""
