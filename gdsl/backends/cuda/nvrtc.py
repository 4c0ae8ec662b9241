"""Compiles CUDA C++ to machine code with NVRTC, without a GPU.

CuPy's own compiler queries the driver for the architecture and adds options. This is the only file that calls
`cupy_backends.cuda.libs.nvrtc`, which CuPy does not document: `getVersion`, `createProgram`, `compileProgram`,
`getProgramLog`, `getCUBIN`, `getPTX`, `destroyProgram`, `NVRTCError`.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from gdsl.diagnostics import GdslError
from gdsl.native import library_check

Made = TypeVar("Made")
OPTIONS = (
    "-std=c++17",
    "-lineinfo",
    "-ftz=false",
    "-fmad=false",
    "-prec-div=true",
    "-prec-sqrt=true",
    "-default-device",
)
"""The options for every program: no contraction, no flush of denormals, so that backends agree."""

_ENTRY = re.compile(r"Compiling entry function '")
_REPORTED = (r"Used (\d+) registers", r"(\d+) bytes spill stores", r"(\d+) bytes smem")
"""How the assembler reports a kernel's resources."""
_ARCHITECTURE = re.compile(r"(?:sm_|compute_)?([0-9]{2,3}[af]?)")
_RELATIVE_NAME = re.compile(r'^(#line \d+ ")(?!/)', re.MULTILINE)
_LIBRARY = re.compile(r"libnvrtc\.so\..*|nvrtc64_.*\.dll", re.DOTALL)
_INSTALL = "install it with: pip install 'gdsl[cuda13]' (or 'gdsl[cuda12]' for a driver older than 580)"


@cache
def bindings() -> Any:
    """CuPy's binding of NVRTC, with the library loaded; raises GdslError if it is missing."""
    try:
        _load_wheel_library()
        from cupy_backends.cuda.libs import nvrtc

        nvrtc.getVersion()
    except Exception as error:  # depending on its version, CuPy raises ImportError, RuntimeError or its own errors
        missing = isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("cupy")
        why = "CuPy, which brings it, is not installed" if missing else _first_line(error)
        raise GdslError.single(
            "E0903", f"NVRTC, NVIDIA's run-time compiler, cannot be loaded: {why}", fix=_INSTALL
        ) from None
    return nvrtc


def version() -> tuple[int, int]:
    """The version of NVRTC, such as (13, 0)."""
    major, minor = bindings().getVersion()
    return int(major), int(minor)


def require() -> None:
    """Raise GdslError if NVRTC is missing; a library that cannot be loaded is reported when it is used."""
    if _wheel_library() is None:
        version()


@cache
def is_there() -> bool:
    """Whether NVRTC is installed. Without it CuPy cannot compile its own operations on arrays, either."""
    try:
        require()
    except GdslError:
        return False
    return True


@cache
def identity() -> tuple[str | int, ...]:
    """Identifies this NVRTC in cache keys. Loading the library takes longer than everything else that a cached program
    needs, so a wheel's library is identified by its file. Without NVRTC, there is only what packages bring along."""
    library = _wheel_library()
    if library is None:
        return version() if is_there() else ("no NVRTC",)
    status = library.stat()
    return library.name, status.st_size, status.st_mtime_ns


def normal_architecture(arch: str) -> str:
    """`sm_90` from what users write (`sm_90`, `90`, `compute_90`); raises GdslError for anything else."""
    match = _ARCHITECTURE.fullmatch(arch.strip().lower())
    if match is None:
        raise GdslError.single(
            "E0904", f"{arch!r} is not a GPU architecture", fix="write it as sm_75, sm_80, sm_90 or sm_120"
        )
    return f"sm_{match[1]}"


def compile_to_cubin(text: str, arch: str, name: str = "gdsl.cu") -> bytes:
    """Machine code for `arch` from CUDA C++ `text`; `name` is the text's name for the compiler and the profiler."""
    return _whole(_compile(text, normal_architecture(arch), name, binary=True))


def portable_cubin(text: str, arch: str, name: str) -> bytes:
    """As `compile_to_cubin`, but without a trace of the current directory: the same bytes wherever it is compiled."""
    return compile_to_cubin(_RELATIVE_NAME.sub(r"\1/", text), arch, f"/{name}")


def _whole(cubin: bytes) -> bytes:
    """CuPy 14.2 omits the last byte, which is 0: drivers accept that, tools such as `nvdisasm` do not."""
    return cubin + bytes(max(0, (library_check.length(cubin) or 0) - len(cubin)))


def compile_to_ptx(text: str, arch: str) -> str:
    """PTX for `arch`, for people: gdsl itself only loads machine code."""
    architecture = normal_architecture(arch).replace("sm_", "compute_")
    return _compile(text, architecture, "gdsl.cu", binary=False).decode().rstrip("\0")


@dataclass(frozen=True, slots=True)
class KernelResources:
    """The resources of a kernel: registers per thread, bytes spilled per thread, bytes of shared memory per block."""

    registers: int
    spilled: int
    shared: int


def kernel_resources(text: str, arch: str) -> dict[str, KernelResources]:
    """The resources of every kernel of CUDA C++ `text` for `arch`, by its name, as the assembler reports them."""
    architecture = normal_architecture(arch)

    def log(nvrtc: Any, program: Any) -> str:
        return str(nvrtc.getProgramLog(program))

    return _reported(_with_program(text, architecture, "gdsl.cu", log, "--ptxas-options=-v"))


def _reported(log: str) -> dict[str, KernelResources]:
    libraries = {}
    for entry in _ENTRY.split(log)[1:]:
        name, _, rest = entry.partition("'")
        numbers = [re.search(pattern, rest) for pattern in _REPORTED]
        libraries[name] = KernelResources(*(int(number[1]) if number is not None else 0 for number in numbers))
    return libraries


def _compile(text: str, architecture: str, name: str, binary: bool) -> bytes:
    def code(nvrtc: Any, program: Any) -> bytes:
        code = nvrtc.getCUBIN(program) if binary else nvrtc.getPTX(program)
        return code if isinstance(code, bytes) else str(code).encode()

    return _with_program(text, architecture, name, code)


def _with_program(text: str, architecture: str, name: str, use: Callable[[Any, Any], Made], *options: str) -> Made:
    """What `use` returns for a compiled program."""
    nvrtc = bindings()
    text, name = _without_directory(text, name)
    program = nvrtc.createProgram(text, name, (), ())
    try:
        try:
            nvrtc.compileProgram(program, (*OPTIONS, f"-arch={architecture}", *options))
        except nvrtc.NVRTCError as error:
            raise _compile_error(str(nvrtc.getProgramLog(program)) or str(error), architecture) from None
        return use(nvrtc, program)
    finally:
        nvrtc.destroyProgram(program)


def _without_directory(text: str, name: str) -> tuple[str, str]:
    """NVRTC prepends the current directory to relative names, and its own assembler fails on a quote there."""
    try:
        if '"' not in os.getcwd():
            return text, name
    except OSError:
        return text, name
    return _RELATIVE_NAME.sub(r"\1/", text), f"/{name}"


def _compile_error(log: str, architecture: str) -> GdslError:
    """A program that the checker accepts must compile; what remains is an architecture that NVRTC does not know."""
    if "invalid value for --gpu-architecture" in log or "Unsupported gpu architecture" in log:
        major, minor = version()
        return GdslError.single(
            "E0904",
            f"NVRTC {major}.{minor} does not compile for {architecture}",
            fix="choose another --arch, or install another NVRTC",
        )
    first = next((line for line in log.splitlines() if "error" in line), log.strip())
    return GdslError.single(
        "E0905",
        "the generated CUDA does not compile; this is a defect of gdsl, not of your program",
        notes=(f"NVRTC says: {first}",),
        fix="please report it with your program and the output of 'gdslc compile'",
    )


def _load_wheel_library() -> None:
    """Load NVRTC from NVIDIA's wheel, if it is installed, so that CuPy finds it on machines without the toolkit."""
    library = _wheel_library()
    if library is not None:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


@cache
def _wheel_library() -> Path | None:
    """The library of NVIDIA's wheel."""
    for folder in _wheel_folders():
        with contextlib.suppress(OSError):
            for name in sorted(filter(_LIBRARY.fullmatch, os.listdir(folder))):
                if "builtins" not in name and ".alt" not in name:
                    return Path(folder, name)
    return None


def _wheel_folders() -> list[str]:
    spec = find_spec("nvidia")
    roots = list(spec.submodule_search_locations or ()) if spec else []
    return [
        os.path.join(root, *sub)
        for root in roots
        for sub in (("cu13", "lib"), ("cuda_nvrtc", "lib"), ("cu13", "bin", "x86_64"), ("cuda_nvrtc", "bin"))
    ]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
