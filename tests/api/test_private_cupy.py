"""Every function of CuPy that it does not document and that we use is called here: a new CuPy shall not surprise."""

from __future__ import annotations

import re
from pathlib import Path

import numpy
import pytest

from gdsl.backends.cuda import nvrtc
from gdsl.diagnostics import GdslError

KERNEL = """
extern "C" __global__ void __launch_bounds__(64) fill(int* out, int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
"""
CUDA = Path(nvrtc.__file__).parent

pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'gdsl[cuda13]'")


@pytest.fixture
def called(monkeypatch):
    """The private functions of NVRTC's binding that are called."""
    names: set[str] = set()

    class Watched:
        def __getattr__(self, name):
            names.add(name)
            return getattr(real, name)

    real = nvrtc.bindings()
    monkeypatch.setattr(nvrtc, "bindings", Watched)
    return names


def test_every_function_of_nvrtc_is_called(called):
    assert nvrtc.version() >= (12, 0)
    assert nvrtc.compile_to_cubin(KERNEL, "sm_80")[:4] == b"\x7fELF"
    assert ".visible .entry fill" in nvrtc.compile_to_ptx(KERNEL, "sm_80")
    with pytest.raises(GdslError, match=r"E0905.*does not compile"):
        nvrtc.compile_to_cubin("this is no CUDA", "sm_80")
    with pytest.raises(GdslError, match="E0904"):
        nvrtc.compile_to_cubin(KERNEL, "sm_10")
    text = (CUDA / "nvrtc.py").read_text(encoding="utf-8")
    used = set(re.findall(r"\bnvrtc\.([A-Za-z]+)\(?", text)) | set(re.findall(r"bindings\(\)\.(\w+)", text))
    assert used - {"py"} <= called | {"getVersion"}
    assert {"createProgram", "compileProgram", "getCUBIN", "getPTX", "getProgramLog", "destroyProgram"} <= called


def test_private_functions_of_the_driver_are_there():
    from cupy.cuda.function import Module
    from cupy_backends.cuda.api import driver

    text = (CUDA / "launching.py").read_text(encoding="utf-8")
    names = set(re.findall(r"\bdriver\.([A-Za-z]\w+)\(", text))
    assert names
    for name in names:
        assert callable(getattr(driver, name)), name
    assert callable(Module)


@pytest.mark.gpu
def test_private_functions_of_the_driver_work():
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.protocol import Arguments

    device = CudaDevice()
    kernel = device.load(nvrtc.compile_to_cubin(KERNEL, device.architecture)).get_function("fill")
    assert device.resident_blocks(kernel, 64) >= 1
    out = device.allocate(4 * 128)
    device.start_clock()
    arguments = Arguments(numpy.array([out.pointer], numpy.uint64), numpy.array([7], numpy.int32))
    device.launch(kernel, 2, 64, arguments)
    device.stop_clock()
    device.end()
    device.wait(lambda: False)
    assert device.fetch(out, numpy.int32, 128).tolist() == [7] * 128
    assert device.elapsed_ms() >= 0


def test_where_cupy_is_there_and_no_gpu_nobody_is_told_to_install_cupy(monkeypatch):
    import cupy

    from gdsl.backends.cuda.backend import CudaBackend

    def none() -> int:
        raise RuntimeError("no device")

    for devices, why in ((none, r"\(no device\)"), (lambda: 0, "answers")):
        monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", devices)
        found = CudaBackend().availability()
        assert not found.ok
        assert re.search(why, found.detail)
        assert "pip install" not in found.fix
        assert "driver" in found.fix
