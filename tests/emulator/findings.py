"""What the emulator found, as Python objects with source lines."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

_COUNTER = (1 << 48) - 1
"""The part of a site that is a program counter."""


class Kind(IntEnum):
    """The kinds of mistake."""

    RACE = 1
    BOUNDS = 2
    MISALIGNED = 3
    UNINITIALIZED = 4
    STALE = 5
    DIVERGENCE = 6
    DEADLOCK = 7
    STEPS = 8
    MISUSE = 9


class RawReport(ctypes.Structure):
    """`Report` of native/core.h."""

    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("site", ctypes.c_uint64),
        ("other_site", ctypes.c_uint64),
        ("thread", ctypes.c_uint32),
        ("block", ctypes.c_uint32),
        ("other_thread", ctypes.c_uint32),
        ("other_block", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("other_flags", ctypes.c_uint32),
        ("unused", ctypes.c_uint32),
        ("text", ctypes.c_char * 240),
    ]


@dataclass(frozen=True)
class Place:
    """A source line, and the function around it; `outer` are the calls that led to it, the inlined ones too."""

    function: str
    line: str
    outer: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.line} ({self.function})" if self.line else "an unknown place"


@dataclass(frozen=True)
class Finding:
    """One mistake, seen `count` times."""

    kind: Kind
    count: int
    text: str
    place: Place
    other: Place | None

    def __str__(self) -> str:
        other = f"; the other: {self.other}" if self.other else ""
        return f"{self.kind.name.lower()} at {self.place}: {self.text}{other} [{self.count}x]"


def describe(raw: RawReport, locate: Locator) -> Finding:
    """A report of the emulator with its sites resolved."""
    kind = Kind(raw.kind)
    text = raw.text.decode()
    if kind in (Kind.RACE, Kind.STALE):
        where = "shared" if raw.flags & 8 else "global"
        one = f"{_access(raw.flags)} of {raw.size} bytes of {where} memory by thread {raw.thread} of block {raw.block}"
        other = f"{_access(raw.other_flags)} by thread {raw.other_thread} of block {raw.other_block}"
        text = f"{one} and {other}, with nothing between them"
        if kind is Kind.STALE:
            text = f"read through the non-coherent cache in a kernel that writes there: {text}"
    elif kind is Kind.UNINITIALIZED:
        text = f"{raw.size} bytes that nobody has written are read"
    other_place = locate.place(raw.other_site) if raw.other_site else None
    return Finding(kind, raw.count, text, locate.place(raw.site), other_place)


def _access(flags: int) -> str:
    kind = "write" if flags & 1 else "read"
    return f"an atomic {kind}" if flags & 2 else f"a {kind}"


class Locator:
    """Sites, which are program counters within calls, to source lines, by addr2line."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._module_of = library.emulator_module_of
        self._module_of.restype = ctypes.c_char_p
        self._module_of.argtypes = [ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
        self._around = library.emulator_site_around
        self._around.restype = ctypes.c_uint64
        self._around.argtypes = [ctypes.c_uint64]

    def place(self, site: int) -> Place:
        """The source line of a site."""
        inner = self._line(site)
        outer = list(inner.outer)
        while site := self._around(site):
            line = self._line(site)
            outer += [line.line, *line.outer]
        return Place(inner.function, inner.line, tuple(outer))

    def _line(self, site: int) -> Place:
        site &= _COUNTER
        base = ctypes.c_uint64()
        path = self._module_of(site, ctypes.byref(base)) if site else None
        if not path:
            return Place("", "")
        return _resolve(path.decode(), site - base.value)

    def same(self, a: int, b: int) -> bool:
        """Whether two sites are one place of the source, reached through the same calls."""
        return self.place(a) == self.place(b)


@cache
def _resolve(path: str, offset: int) -> Place:
    tool = shutil.which("addr2line")
    if tool is None:
        return Place("?", f"{path}+{offset:#x}")
    command = [tool, "-f", "-i", "-C", "-e", path, hex(offset)]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    frames = [(words[i], _short(words[i + 1])) for i in range(0, len(words) - 1, 2)]
    # The emulator's own inline functions are not the place that a person looks for.
    inner = next((i for i, (_, line) in enumerate(frames) if not line.startswith(("emulator.h:", "platform.h:"))), 0)
    function, line = frames[inner]
    return Place(function, line, tuple(line for _, line in frames[inner + 1 :]))


def _short(line: str) -> str:
    return line.split(" (")[0].rsplit("/", 1)[-1]
