"""A turn on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice


class Reservation:
    """A device for one run."""

    def __init__(self, device: CudaDevice, timeout: float | None) -> None:
        self._device, self._timeout = device, timeout

    def __enter__(self) -> None:
        self._device.take(self._timeout)

    def __exit__(self, kind: object, *_: object) -> None:
        self._device.give(whole=kind is None)
