"""The C++ compiler of this machine, and what it makes of a generated program."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gdsl import deadline
from gdsl.diagnostics import GdslError

OPTIONS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-fopenmp",
    "-fPIC",
    "-shared",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-w",
)
"""For backends to agree: no fused multiply-add, nothing of `-ffast-math`."""

_WAIVED = ((), ("-fopenmp",), ("-march=native",), ("-fopenmp", "-march=native"))
"""What is left out, in this order, where a compiler refuses."""

_NO_COMPILER = "no C++ compiler was found ($CXX, c++, g++, clang++, ziglang)"
_FIX = "install g++ or clang++, or `pip install ziglang`, or use --backend reference"


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: how to call it, and what tells it from another (or another version) in the cache."""

    command: tuple[str, ...]
    identity: str

    def __str__(self) -> str:
        return shlex.join(self.command)


def find_compiler() -> Compiler | None:
    """The first of $CXX, c++, g++, clang++ and the `ziglang` package of this Python; None if there is none."""
    candidates = [shlex.split(os.environ.get("CXX", "")), ["c++"], ["g++"], ["clang++"]]
    for command in candidates:
        path = shutil.which(command[0]) if command else None
        if path is not None:
            return Compiler((path, *command[1:]), _identity(path))
    zig = importlib.util.find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        return Compiler((sys.executable, "-m", "ziglang", "c++"), _identity(zig.origin))
    return None


def required_compiler() -> Compiler:
    """As `find_compiler`; raises E0902 where there is none."""
    compiler = find_compiler()
    if compiler is None:
        raise GdslError.single("E0902", _NO_COMPILER, fix=_FIX)
    return compiler


def missing() -> tuple[str, str]:
    """What is said, and how to mend it, where there is no compiler."""
    return _NO_COMPILER, _FIX


@cache
def processor() -> str:
    """What `-march=native` depends on, as a hash: code made for one machine is never run on another kind."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    kinds = ("model name", "flags", "Features", "CPU part", "isa")
    telling = sorted({line for line in lines if line.startswith(kinds)})
    parts = [platform.machine(), platform.system(), platform.processor(), *telling]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def compile_library(text: str, name: str, compiler: Compiler) -> bytes:
    """The shared library of C++ `text` (`name` is the file it says it is).

    Warns where it has to do without OpenMP. Raises E0905 where the compiler refuses everything.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="gdsl-", ignore_cleanup_errors=True) as directory:
            source, library = Path(directory, name), Path(directory, "library.so")
            source.write_text(text, encoding="utf-8")
            refusals: list[str] = []
            for waived in _WAIVED:
                options = [option for option in OPTIONS if option not in waived]
                refusal = _run([*compiler.command, *options, str(source), "-o", str(library)])
                if refusal is None and library.is_file():
                    if "-fopenmp" in waived:
                        text = f"{compiler} has no OpenMP: the cpu backend runs on one thread"
                        warnings.warn(text, RuntimeWarning, stacklevel=2)
                    return library.read_bytes()
                refusals.append(refusal or "it wrote nothing")
    except OSError as error:
        reason = f"{error.strerror or error} ({error.filename or tempfile.gettempdir()})"
        raise GdslError.single("E0905", f"the program could not be compiled: {reason}") from None
    raise GdslError.single("E0905", f"{compiler} cannot compile the program", notes=(_first_error(refusals[0]),))


def _run(command: list[str]) -> str | None:
    """Run the compiler; what it says where it fails. It and what it starts end with the deadline and with Ctrl-C."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        with deadline.doing("compiling the program"):
            output, _ = process.communicate(timeout=deadline.left())
    except BaseException as error:
        _kill(process)
        if isinstance(error, subprocess.TimeoutExpired):
            deadline.check()
        raise
    return None if process.returncode == 0 else output.decode(errors="replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()]
    return (telling or lines or ["it said nothing"])[0][:300]


def _identity(path: str) -> str:
    """Another version is another file."""
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError:
        return real
    return f"{real} {status.st_size} {status.st_mtime_ns}"
