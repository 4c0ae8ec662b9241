"""What `gdslc doctor` says of several GPUs, over a driver that answers for them."""

from __future__ import annotations

import ctypes

import pytest

from gdsl import doctor
from gdsl.doctor import State


class Driver:
    """The calls of libcuda that the doctor makes; `apart` are pairs without atomics."""

    def __init__(self, count: int, apart: tuple[tuple[int, int], ...] = ()) -> None:
        self.count, self.apart = count, apart

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetCount(self, count: object) -> int:  # noqa: N802
        ctypes.cast(count, ctypes.POINTER(ctypes.c_int))[0] = self.count
        return 0

    def cuDeviceGetName(self, name: ctypes.Array[ctypes.c_char], size: int, device: int) -> int:  # noqa: N802
        name.value = f"GPU number {device}".encode()
        return 0

    def cuDeviceTotalMem_v2(self, memory: object, device: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetAttribute(self, number: object, attribute: int, device: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGetP2PAttribute(self, found: object, attribute: int, first: int, second: int) -> int:  # noqa: N802
        linked = attribute == 2 or (first, second) not in self.apart
        ctypes.cast(found, ctypes.POINTER(ctypes.c_int))[0] = int(linked)
        return 0


@pytest.mark.parametrize(
    ("driver", "extra", "said"),
    [
        (Driver(1), True, ""),
        (Driver(2), False, "to run on several together: pip install 'gdsl[gpus]'"),
        (Driver(3), True, "all can run together (--gpus)"),
        (Driver(3, ((2, 0),)), True, "not together: 0 and 2"),
    ],
)
def test_which_gpus_can_run_together(monkeypatch, driver, extra, said):
    monkeypatch.setattr(doctor, "_cuda_driver", lambda: driver)
    monkeypatch.setattr(doctor, "installed", lambda package: "13.0" if extra else None)
    found = doctor._gpu()
    assert found.state is State.GOOD
    assert "GPU number 0" in found.detail
    assert found.detail.endswith(said) and ("together" in found.detail) == bool(said)
