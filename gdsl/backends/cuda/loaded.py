"""Kernels that a device has loaded."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice


class LoadedKernel:
    """A kernel, `ptr` for the driver; what it was loaded with stays for as long."""

    __slots__ = ("_loaded", "ptr")

    def __init__(self, loaded: Loaded, ptr: int) -> None:
        self._loaded, self.ptr = loaded, ptr


class Loaded:
    """The kernels of a cubin; each is looked up once.

    Who lets go of the last of them leaves the module to the device: Python may find that out in the midst of a run, for
    whose end the driver would wait before it unloads anything.
    """

    def __init__(self, device: CudaDevice, cubin: bytes) -> None:
        self._module = device.load(cubin)
        self._found: dict[str, Any] = {}
        weakref.finalize(self, device.leave, self._module, self._found).atexit = False

    def get(self, name: str) -> LoadedKernel:
        """The kernel called `name`."""
        if name not in self._found:
            self._found[name] = self._module.get_function(name)
        return LoadedKernel(self, self._found[name].ptr)
