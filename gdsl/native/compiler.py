"""The C++ compiler of this machine: finding it, and compiling generated text to libraries."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Sequence
from functools import cache as remember
from pathlib import Path

from gdsl import deadline
from gdsl.cache.location import show
from gdsl.diagnostics import GdslError, caution, shown
from gdsl.native import processes
from gdsl.records import dataclass

OPTIONS = (
    "-std=c++17",
    "-O3",
    "-march=native",
    "-fopenmp",
    "-fPIC",
    "-shared",
    "-fno-fast-math",
    "-ffp-contract=off",
    "-frounding-math",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-w",
)
"""For backends to agree: no fused multiply-add, nothing of `-ffast-math` (which $CXX may set), and no folding by
g++ that changes the sign of a zero: without `-frounding-math` it turns `0 - float(n)` into `-float(n)`."""

_OPTIONS_TO_DROP = ((), ("-fopenmp",), ("-march=native",), ("-fopenmp", "-march=native"))
"""Options that are left out, in this order, where a compiler fails."""

_NO_COMPILER = "no C++ compiler was found ($CXX, c++, g++, clang++, ziglang)"
_FIX = "install g++ or clang++, or `pip install ziglang`, or use --backend reference"
_FIX_CXX = "set CXX to the command of a C++ compiler, such as CXX=g++, or unset it"
_DEFAULT_TIMEOUT = 120.0
"""How long a compiler may take, unless GDSL_COMPILER_TIMEOUT is set."""
FIX_SPACE = "make room there, or set TMPDIR to a directory that can be written"
_FIX_ENDLESS = "fix the compiler, or set CXX to another one; GDSL_COMPILER_TIMEOUT is how many seconds it may take"
FIX_BROKEN = "fix the compiler, or set CXX to another one"
_NO_SPACE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Errors of the system where there is no room for the compiler's own files."""
_MAX_OUTPUT = 1 << 20
"""Bytes that it may print."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler: how to call it, and what distinguishes it from other compilers and versions in the cache."""

    command: tuple[str, ...]
    identity: str

    def __str__(self) -> str:
        return shlex.join(self.command)


def find_compiler() -> Compiler | None:
    """$CXX where it is set, else the first of c++, g++, clang++ and the `ziglang` package of this Python.

    None where there is none, or where CXX names no compiler."""
    cxx = _words_of_cxx()
    if isinstance(cxx, str):
        return None
    for command in (cxx,) if cxx else (["c++"], ["g++"], ["clang++"]):
        path = shutil.which(command[0])
        if path is not None:
            return Compiler((path, *command[1:]), _identity(path, *command[1:]))
    zig = importlib.util.find_spec("ziglang")
    if zig is not None and zig.origin is not None:
        return Compiler((sys.executable, "-m", "ziglang", "c++"), _identity(zig.origin))
    return None


def _words_of_cxx() -> list[str] | str:
    """The words of $CXX (none if it is not set), or a message about what is wrong with it."""
    text = os.environ.get("CXX", "")
    try:
        words = shlex.split(text)
    except ValueError as error:
        return f"CXX={show(text)} is not a command: {str(error).lower()}"
    if words and shutil.which(words[0]) is None:
        what = "is a directory" if os.path.isdir(words[0]) else "is not a program that can be found and started"
        return f"CXX={show(text)} names no compiler: {show(words[0])} {what}"
    return words


def required_compiler() -> Compiler:
    """As `find_compiler`; raises E0902 where there is none."""
    compiler = find_compiler()
    if compiler is None:
        message, fix = missing()
        raise GdslError.single("E0902", message, fix=fix)
    return compiler


def missing() -> tuple[str, str]:
    """The message and the fix where there is no compiler."""
    cxx = _words_of_cxx()
    return (cxx, _FIX_CXX) if isinstance(cxx, str) else (_NO_COMPILER, _FIX)


def compile_library(text: str, name: str, compiler: Compiler, options: Sequence[str] | None = None) -> bytes:
    """The shared library of C++ `text` (`name` is its file name in messages), by `options`, else `OPTIONS`.

    Warns if the compiler lacks OpenMP. Raises E0905 if the compiler fails with all options, E0906 where it cannot be
    used.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="gdsl-", ignore_cleanup_errors=True) as directory:
            source, library = Path(directory, name), Path(directory, "library.so")
            source.write_text(text, encoding="utf-8")
            refusals: list[str | None] = []
            for dropped in _OPTIONS_TO_DROP:
                remaining = [option for option in options or OPTIONS if option not in dropped]
                library.unlink(missing_ok=True)
                refusal = _run([*compiler.command, *remaining, str(source), "-o", str(library)])
                if refusal is None and library.is_file():
                    if "-fopenmp" in dropped and options is None:
                        caution(f"{compiler} has no OpenMP: the cpu backend runs on one thread")
                    return library.read_bytes()
                refusals.append(refusal)
    except OSError as error:
        reason = f"{error.strerror or error} ({show(error.filename or tempfile.gettempdir())})"
        fix = FIX_BROKEN if error.filename == compiler.command[0] else FIX_SPACE
        raise unusable(f"the program could not be compiled: {reason}", fix) from None
    except processes.EndlessError as error:
        raise unusable(f"{compiler} {error} and was stopped", _FIX_ENDLESS) from None
    if refusals[0] is None:
        raise unusable(f"{compiler} ended with success and wrote nothing", FIX_BROKEN)
    full = next((text for text in map(os.strerror, _NO_SPACE_ERRORS) if text in refusals[0]), None)
    if full is not None:
        place = os.environ.get("TMPDIR") or tempfile.gettempdir()  # as the compiler sees it
        raise unusable(f"the program could not be compiled: {full} ({show(place)})", FIX_SPACE)
    raise GdslError.single("E0905", f"{compiler} cannot compile the program", notes=(_first_error(refusals[0]),))


def unusable(message: str, fix: str) -> GdslError:
    """E0906: the machine's compiler, or its output, cannot be used."""
    return GdslError.single("E0906", message, fix=fix)


def _run(command: list[str]) -> str | None:
    """Run the compiler until the deadline of the run at the latest; returns its output if it fails."""
    seconds, left = _timeout(), deadline.left()
    try:
        with deadline.doing("compiling the program"):
            status, output = processes.run(command, seconds if left is None else min(seconds, left), _MAX_OUTPUT)
    except processes.EndlessError:
        deadline.check()
        raise
    if status == 0:
        return None
    signal = processes.signal_name(status)
    return output if signal is None else f"error: it was ended by {signal}\n{output}"


def _timeout() -> float:
    return _timeout_of(os.environ.get("GDSL_COMPILER_TIMEOUT", "").strip())


@remember
def _timeout_of(word: str) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(word)
        if 0 < seconds < float("inf"):
            return seconds
    if word:
        caution(f"GDSL_COMPILER_TIMEOUT={shown(word)} is not a number of seconds; {_DEFAULT_TIMEOUT:g} is used")
    return _DEFAULT_TIMEOUT


def _first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    error_lines = [line for line in lines if "error" in line.lower()]
    return (error_lines or lines or ["it said nothing"])[0][:300]


def _identity(*words: str) -> str:
    """The files of the command and its arguments (`ccache g++`), which differ between versions."""
    parts = []
    for word in words:
        path = shutil.which(word) or word
        with contextlib.suppress(OSError, ValueError):
            real = os.path.realpath(path)
            status = os.stat(real)
            parts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
    return " ".join(parts)
