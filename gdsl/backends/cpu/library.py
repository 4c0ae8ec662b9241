"""Compiled shared libraries: tried before they are loaded, and closed when unused."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from gdsl.backends.cpu.memory import ControlBlock, HostSlice
from gdsl.diagnostics import caution
from gdsl.native import library_check

SYMBOLS = ("gdsl_run", "gdsl_release")
"""What every generated library has."""

_SPINS = "1000"
"""How often a thread of GCC's OpenMP polls a barrier before it sleeps. The default is long enough to starve the threads
that it waits for where other programs use the machine, too."""
_NUMBERS = re.compile(r"\s*0*[1-9]\d{0,8}\s*(,\s*0*[1-9]\d{0,8}\s*)*")
_SIZE = re.compile(r"\s*(\d{1,12})\s*([bkmg]?)\s*", re.IGNORECASE)
_UNITS = {"b": 0, "k": 10, "": 10, "m": 20, "g": 30}
_LARGEST_STACK = 1 << 30

_environment = threading.RLock()
_first: dict[str, ctypes.CDLL] = {}
"""The first library of each compiler is never closed: it keeps the OpenMP library loaded in which its threads run."""


class LibraryError(Exception):
    """A library that cannot be loaded, and why."""


class Library:
    """A loaded library, closed when neither this object nor a call of `run` is left."""

    def __init__(self, path: Path, maker: str) -> None:
        """Load the library at `path`, compiled by `maker`; raises `LibraryError`."""
        try:
            with _openmp_environment():
                loaded = ctypes.CDLL(str(path))
            self.run, self.release = (getattr(loaded, symbol) for symbol in SYMBOLS)
            self._threads = _thread_functions(loaded)
        except (OSError, AttributeError) as error:
            raise LibraryError(library_check.reason(str(error), path)) from None
        self.run.argtypes = [ctypes.POINTER(HostSlice)]
        self.release.argtypes = [ctypes.POINTER(ControlBlock)]
        self.release.restype = None
        if _first.setdefault(maker, loaded) is not loaded:
            # Functions keep their library alive, so it outlives an abandoned run.
            weakref.finalize(loaded, _close, loaded._handle).atexit = False
        weakref.finalize(self, self.release, None).atexit = False  # frees memory kept for the next run

    def use_one_thread(self) -> Callable[[], None]:
        """Let runs of the calling thread use no further threads, until the function that is returned is called."""
        if self._threads is None:
            return lambda: None
        get, put = self._threads
        before = get()
        put(1)
        return lambda: put(before)


def _thread_functions(loaded: ctypes.CDLL) -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """OpenMP's functions that return and set the number of threads; None without OpenMP."""
    try:
        return loaded.omp_get_max_threads, loaded.omp_set_num_threads
    except AttributeError:
        return None


def refusal(path: Path) -> str | None:
    """Why the library at `path` cannot be used; None if it can. Raises OSError."""
    if not library_check.can_try():
        return "its end is missing" if library_check.is_cut_off(path) else _refusal_here(path)
    with _openmp_environment() as environment:
        return library_check.refusal(path, SYMBOLS, environment)


def _refusal_here(path: Path) -> str | None:
    """The same where no interpreter can be started, as in a frozen application."""
    try:
        Library(path, "")
    except LibraryError as error:
        return str(error)
    return None


def _close(handle: int) -> None:
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    close(handle)


@contextlib.contextmanager
def _openmp_environment() -> Iterator[dict[str, str]]:
    """The environment without values that OpenMP would reject; its library reads it when it is first loaded."""
    with _environment:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
        refused = {
            name: os.environ.pop(name)
            for name, accepts in _ACCEPTED.items()
            if name in os.environ and not accepts(os.environ[name])
        }
        try:
            yield dict(os.environ)
        finally:
            os.environ.update(refused)
    for name, value in refused.items():
        if value.strip():
            _caution_once(name, value)


def _is_count(text: str) -> bool:
    return _NUMBERS.fullmatch(text) is not None


def _is_stack(text: str) -> bool:
    """Whether this is the size of a stack that every thread can have."""
    match = _SIZE.fullmatch(text)
    return match is not None and int(match[1]) << _UNITS[match[2].lower()] <= _LARGEST_STACK


_ACCEPTED = {
    "OMP_NUM_THREADS": _is_count,
    "OMP_THREAD_LIMIT": _is_count,
    "OMP_STACKSIZE": _is_stack,
    "GOMP_STACKSIZE": _is_stack,
}
"""Tests of what OpenMP accepts in the environment. Its library reports other values on standard error, or fails."""


def _caution_once(name: str, value: str) -> None:
    if (name, value) not in _cautioned:
        _cautioned.add((name, value))
        caution(f"{name}={value[:40]!r} is of no use to OpenMP; it is as if it were not set")


_cautioned: set[tuple[str, str]] = set()
