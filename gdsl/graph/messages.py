"""Errors (E07xx) and notices about graphs and their files, and a way to silence warnings of other libraries."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace

from gdsl.diagnostics import GdslError, shell_word
from gdsl.graph_names import COMPRESSED
from gdsl.numerals import readable_bytes


def bad_id(value: int, where: str, num_vertices: int | None) -> GdslError:
    """E0707: an array has an id that is not a vertex."""
    if num_vertices is None:
        return GdslError.single("E0707", f"{where} is {value}, which is not a vertex id: ids count from 0")
    there = "there is 1 vertex" if num_vertices == 1 else f"there are {num_vertices:,} vertices"
    message = f"{where} is {value}, but {there}"
    ids = f"ids count from 0: 0 … {num_vertices - 1:,}" if num_vertices else "so no edge can have an end"
    fix = "ids that count from 1 need 1 subtracted" if value == num_vertices and num_vertices else None
    return GdslError.single("E0707", message, notes=(ids,), fix=fix)


def bad_array(message: str, fix: str) -> GdslError:
    """E0711: an array of the caller that cannot be used."""
    return GdslError.single("E0711", message, fix=fix)


def too_large(message: str, place: str | None = None) -> GdslError:
    """E0709: a graph beyond what ids and degrees can count."""
    return GdslError.single("E0709", f"the graph is too large: {message}", place=place)


def no_memory(what: str, needed: int, available: int, place: str | None = None) -> GdslError:
    """E0708: more memory is needed than is available."""
    amounts = f"{readable_bytes(needed)} of memory, and {readable_bytes(available)} are available"
    return GdslError.single("E0708", f"{what} needs {amounts}", place=place)


_UNPACKING = dict(zip(COMPRESSED, ("gzip -dc", "bzip2 -dc", "xz -dc"), strict=True))


def in_shell(path: str) -> str:
    """A path as a word of a shell that no command takes for an option."""
    return shell_word(f"./{path}" if path.startswith("-") else path)


def edited(path: str, script: str) -> str:
    """The command that edits the file at `path` by `script`, a word for sed: in place, or where it is compressed into
    a new file, as sed would destroy it."""
    return filtered(path, f"sed {script}") if _unpacking(path) else f"sed -i {script} {in_shell(path)}"


def filtered(path: str, command: str) -> str:
    """The command that writes what `command` makes of the text of the file at `path` into a new file."""
    stem, suffix = os.path.splitext(path)
    if program := _unpacking(path):
        source, suffix = f"{program} {in_shell(path)} | {command}", os.path.splitext(stem)[1]
    else:
        source = f"{command} {in_shell(path)}"
    return f"{source} > {shlex.quote('NEW' + suffix)}"


def _unpacking(path: str) -> str | None:
    return _UNPACKING.get(os.path.splitext(path.lower())[1])


def with_fix(error: GdslError, fix: str) -> GdslError:
    """`error` with `fix` as the fix of its first diagnostic."""
    first, *others = error.diagnostics
    return GdslError((replace(first, fix=fix), *others), error.source)


def refused_file(path: str, message: str, fix: str) -> GdslError:
    """E0705: a file that describes something other than a graph of gdsl."""
    return GdslError.single("E0705", message, fix=fix, place=path)


_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


class GraphNotice(UserWarning):
    """A graph file was read in a way that its author may not expect."""


def notice(text: str) -> None:
    """Report one line about a file: as a `GraphNotice`, or to `collecting`."""
    collected = _collected.get()
    if collected is None:
        warnings.warn(text, GraphNotice, stacklevel=_level_of_caller())
    elif text not in collected:
        collected.append(text)


def _level_of_caller() -> int:
    """The `stacklevel` for `notice` at which the frames of gdsl end: the line that reads the file."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "gdsl":
        level, frame = level + 1, frame.f_back
    return level


@contextlib.contextmanager
def collecting() -> Iterator[list[str]]:
    """Collect the notices of the block in the list that is returned instead of issuing warnings."""
    result: list[str] = []
    token = _collected.set(result)
    try:
        yield result
    finally:
        _collected.reset(token)


_at_once = threading.Lock()


@contextlib.contextmanager
def quiet() -> Iterator[set[str]]:
    """Silence warnings, for one thread at a time: filters belong to the process, and two threads that restore them
    could leave them changed for good. The set has the texts of the warnings."""
    heard: set[str] = set()
    with _at_once, warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: heard.add(str(message))
        yield heard
