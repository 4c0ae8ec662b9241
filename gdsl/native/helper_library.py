"""Small libraries that make gdsl itself faster; where there is no compiler, NumPy does their work."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from pathlib import Path

from gdsl import cache
from gdsl.cache.location import private_library
from gdsl.diagnostics import GdslError
from gdsl.native import compiler as compilers
from gdsl.native import library_check, processor
from gdsl.resources import resource_text

OPTIONS = tuple(option for option in compilers.OPTIONS if option not in ("-fopenmp", "-frounding-math"))
"""Threads are Python's, and the sign of a zero depends on no expression that a compiler might fold."""
_KIND = "native"
_lock = threading.Lock()
_loaded: dict[str, ctypes.CDLL] = {}
_absent: set[tuple[str, bool]] = set()
"""Libraries that could not be loaded, by whether they were to be compiled."""


def library(name: str, symbols: Sequence[str], make: bool) -> ctypes.CDLL | None:
    """The library of the C++ in `templates/NAME`, which has `symbols`: from this process, the cache, or, with `make`,
    compiled now; else None. Raises GdslError if the deadline of a run passes."""
    with _lock:
        if name not in _loaded and (name, make) not in _absent:
            try:
                loaded = _find(name, symbols, make)
            except (OSError, AttributeError):
                loaded = None
            if loaded is not None:
                _loaded[name] = loaded
            else:
                _absent.add((name, make))
        return _loaded.get(name)


def _find(name: str, symbols: Sequence[str], make: bool) -> ctypes.CDLL | None:
    compiler = compilers.find_compiler()
    if compiler is None:
        return None
    text = resource_text("templates", *name.split("/"))
    key = (text, str(compiler), compiler.identity, " ".join(OPTIONS), processor.identity())
    path = cache.get_file(_KIND, key)
    if path is not None:
        try:
            return _load(path, symbols)
        except OSError:  # the file system may be mounted noexec
            path = private_library(path.read_bytes())
    elif make and library_check.can_try():
        path = _compile(text, name.rpartition("/")[2], key, symbols, compiler)
    return None if path is None else _load(path, symbols)


def _compile(
    text: str, name: str, key: Sequence[cache.KeyPart], symbols: Sequence[str], compiler: compilers.Compiler
) -> Path | None:
    try:
        binary = compilers.compile_library(text, name, compiler, OPTIONS)
    except GdslError as error:
        if error.diagnostics[0].code in ("E0905", "E0906"):
            return None
        raise
    return cache.put_file(_KIND, key, binary, accept=lambda path: library_check.refusal(path, symbols) is None)


def _load(path: Path, symbols: Sequence[str]) -> ctypes.CDLL:
    """Raises OSError, or AttributeError where a symbol is missing. A file outside the cache is deleted."""
    try:
        loaded = ctypes.CDLL(str(path))
        for symbol in symbols:
            getattr(loaded, symbol)
    finally:
        if not cache.contains(path):
            path.unlink(missing_ok=True)
    return loaded
