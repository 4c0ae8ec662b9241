"""Checks what this machine has that gdsl can use, and what to install for what is missing."""

from __future__ import annotations

import ctypes
import importlib
import itertools
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from typing import Any

from gdsl import cache
from gdsl.cache.code_fingerprint import check_installation
from gdsl.cache.location import show
from gdsl.diagnostics import GdslError
from gdsl.version import __version__

CUPY_PACKAGES = ("cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x", "cupy")
"""The packages that install the module `cupy`, of which only one may be installed."""

_NEEDED = ("numpy", "scipy", "lark", "jinja2", "click", "rich")


class State(Enum):
    """The state of a finding."""

    GOOD = "ok"
    ABSENT = "--"
    """Missing, but gdsl works without it."""
    BAD = "!!"
    """Something is wrong and should be fixed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `fix` says what to do if the state is not good."""

    name: str
    state: State
    detail: str
    fix: str = ""


def examine() -> list[Finding]:
    """Check everything. Never raises, and starts nothing on a GPU."""
    checks: tuple[Callable[[], Finding], ...] = (
        _versions,
        _packages,
        _driver,
        _gpu,
        _cupy,
        _nvrtc,
        _nccl,
        _compiler,
        _cache,
    )
    findings = []
    for check in checks:
        try:
            findings.append(check())
        except Exception as error:  # the report must not end at the first thing that is broken
            name = check.__name__.strip("_")
            findings.append(Finding(name, State.BAD, f"this check failed: {type(error).__name__}: {error}"))
    return findings + _backends()


def installed(package: str) -> str | None:
    """The version of an installed package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def cupy_clash(version_of: Callable[[str], str | None] = installed) -> Finding | None:
    """A finding if several packages have installed `cupy` over each other; None otherwise."""
    packages = [package for package in CUPY_PACKAGES if version_of(package) is not None]
    if len(packages) < 2:
        return None
    return Finding(
        "CuPy",
        State.BAD,
        f"{' and '.join(packages)} are both installed; they overwrite each other's files",
        f"pip uninstall {' '.join(packages)}, then install one: pip install 'gdsl[cuda13]' (or 'gdsl[cuda12]')",
    )


def _versions() -> Finding:
    detail = f"{__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    try:
        check_installation()
    except GdslError as error:
        return Finding("gdsl", State.BAD, error.diagnostics[0].message, error.diagnostics[0].fix or "")
    return Finding("gdsl", State.GOOD, detail)


def _packages() -> Finding:
    missing = [package for package in _NEEDED if installed(package) is None]
    have = ", ".join(f"{package} {installed(package)}" for package in _NEEDED if package not in missing)
    if missing:
        return Finding("packages", State.BAD, f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    return Finding("packages", State.GOOD, have)


def _driver() -> Finding:
    driver = _cuda_driver()
    if driver is None:
        return Finding(
            "driver",
            State.ABSENT,
            "no NVIDIA driver (libcuda) is installed",
            "for the cuda backend: a machine with an NVIDIA GPU and its driver",
        )
    version = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    major, minor = version.value // 1000, version.value % 1000 // 10
    if major < 12:
        return Finding("driver", State.BAD, f"for CUDA {major}.{minor}", "install a driver for CUDA 12 or 13")
    return Finding("driver", State.GOOD, f"for CUDA {major}.{minor} (gdsl[cuda{min(major, 13)}] fits)")


def _gpu() -> Finding:
    driver = _cuda_driver()
    if driver is None:
        return Finding("GPU", State.ABSENT, "none, as there is no driver")
    status = driver.cuInit(0)
    count = ctypes.c_int()
    if status == 0:
        status = driver.cuDeviceGetCount(ctypes.byref(count))
    if status != 0 or count.value == 0:
        fix = "nvidia-smi says more; in a container the GPU must be passed on"
        return Finding("GPU", State.ABSENT, f"the driver finds none (error {status})", fix)
    names = ", ".join(_gpu_text(driver, device) for device in range(count.value))
    return Finding("GPU", State.GOOD, f"{names}{_together(driver, count.value)}")


def _together(driver: Any, count: int) -> str:
    """What keeps several GPUs from running a program together, if anything does."""
    if count < 2:
        return ""
    if installed("cuda-bindings") is None:
        return "; to run on several together: pip install 'gdsl[gpus]'"
    apart = [f"{a} and {b}" for a, b in itertools.combinations(range(count), 2) if not _are_linked(driver, a, b)]
    return f"; not together: {', '.join(apart)}" if apart else "; all can run together (--gpus)"


def _are_linked(driver: Any, first: int, second: int) -> bool:
    """Whether two GPUs can access and atomically update each other's memory."""
    accessible = ctypes.c_int()
    for attribute in (2, 3):  # CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, …_NATIVE_ATOMIC_SUPPORTED
        for pair in ((first, second), (second, first)):
            driver.cuDeviceGetP2PAttribute(ctypes.byref(accessible), attribute, *pair)
            if not accessible.value:
                return False
    return True


def _gpu_text(driver: Any, device: int) -> str:
    name = ctypes.create_string_buffer(128)
    memory = ctypes.c_size_t()
    numbers = [ctypes.c_int(), ctypes.c_int()]
    driver.cuDeviceGetName(name, len(name), device)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
    for attribute, number in zip((75, 76), numbers, strict=True):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
    capability = f"sm_{numbers[0].value}{numbers[1].value}"
    return f"{name.value.decode(errors='replace')} ({capability}, {memory.value / 2**30:.0f} GiB)"


def _cuda_driver() -> Any:
    for name in ("libcuda.so.1", "libcuda.so", "nvcuda.dll"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _cupy() -> Finding:
    clash = cupy_clash()
    if clash is not None:
        return clash
    for package in CUPY_PACKAGES:
        version = installed(package)
        if version is None:
            continue
        if not 14 <= int(version.split(".")[0]) < 15:
            return Finding("CuPy", State.BAD, f"{package} {version}", "gdsl needs CuPy 14: pip install 'gdsl[cuda13]'")
        return Finding("CuPy", State.GOOD, f"{package} {version}")
    return Finding("CuPy", State.ABSENT, "not installed", f"pip install '{_extra()}'")


def _nvrtc() -> Finding:
    try:
        nvrtc = importlib.import_module("gdsl.backends.cuda.nvrtc")
        major, minor = nvrtc.version()
    except GdslError as error:
        return Finding("NVRTC", State.ABSENT, error.diagnostics[0].message, f"pip install '{_extra()}'")
    return Finding("NVRTC", State.GOOD, f"{major}.{minor}")


def _nccl() -> Finding:
    bindings, lacks = importlib.import_module("gdsl.backends.cuda.choosing_links").bindings()
    if bindings is None:
        what, has_fix, fix = lacks.rpartition(" (")
        detail = f"for workers with a GPU each: {what if has_fix else lacks}"
        return Finding("NCCL", State.ABSENT, detail, fix.removesuffix(")") if has_fix else "")
    version = importlib.import_module("gdsl.backends.cuda.links").version_text(bindings.get_version())
    return Finding("NCCL", State.GOOD, f"{version}, nccl4py {installed('nccl4py')}")


def _extra() -> str:
    """The extra that fits the driver; the newer one without a driver, which can still compile."""
    driver = _cuda_driver()
    version = ctypes.c_int()
    if driver is not None:
        driver.cuDriverGetVersion(ctypes.byref(version))
    return "gdsl[cuda12]" if 12000 <= version.value < 13000 else "gdsl[cuda13]"


def _compiler() -> Finding:
    compiler = importlib.import_module("gdsl.backends.registry").availability("cpu")
    if not compiler.ok:
        state = State.BAD if os.environ.get("CXX", "").strip() else State.ABSENT
        return Finding("C++ compiler", state, compiler.detail, compiler.fix)
    try:
        importlib.import_module("gdsl.backends.cpu.backend").try_compiler()
    except GdslError as error:
        first = error.diagnostics[0]
        return Finding("C++ compiler", State.BAD, "; ".join((first.message, *first.notes)), first.fix or "")
    return Finding("C++ compiler", State.GOOD, compiler.detail.removeprefix("C++ compiler "))


def _cache() -> Finding:
    problem = cache.problem()
    if problem is not None:
        return Finding("cache", State.BAD, problem, cache.REMEDY)
    entries, size = cache.usage()
    return Finding("cache", State.GOOD, f"{show(cache.directory())}, {entries} entries, {size / 2**20:.1f} MiB")


def _backends() -> list[Finding]:
    registry = importlib.import_module("gdsl.backends.registry")
    findings = []
    for name in registry.NAMES:
        state = registry.availability(name)
        findings.append(Finding(f"backend {name}", State.GOOD if state.ok else State.ABSENT, state.detail, state.fix))
    return findings
