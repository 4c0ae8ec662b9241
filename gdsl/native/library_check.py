"""Whether a library that a compiler built is whole and loads, tried in another process, which it may crash."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gdsl.native import processes

_MAGIC = b"\x7fELF"
_WIDTHS = {1: ("IIIIHHHHHH", 16, 4), 2: ("QQQIHHHHHH", 32, 8)}
"""By class (32 or 64 bits): the header from `e_entry` on, and where a segment has its size in the file."""
_ORDERS = {1: "<", 2: ">"}


def length(data: bytes) -> int | None:
    """Where the last part that the headers describe ends, in bytes; None for another format.

    Raises ValueError for truncated headers.
    """
    if data[:4] != _MAGIC:
        return None
    try:
        form, size_at, word = _WIDTHS[data[4]]
        order = _ORDERS[data[5]]
        header = struct.unpack_from(f"{order}{form}", data, 24)
        _, segments, sections, _, _, segment_size, segment_count, section_size, section_count, _ = header
        ends = [segments + segment_size * segment_count, sections + section_size * section_count]
        for number in range(segment_count):
            start = segments + number * segment_size
            offset_at = start + word  # after the type (and, of 64 bits, the flags)
            width = "I" if word == 4 else "Q"
            [offset] = struct.unpack_from(f"{order}{width}", data, offset_at)
            [size] = struct.unpack_from(f"{order}{width}", data, start + size_at)
            ends.append(offset + size)
    except (struct.error, KeyError, IndexError):
        raise ValueError("the headers are cut off") from None
    return int(max(ends))


_TRIAL = """\
import ctypes, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, OSError):
    pass
library = ctypes.CDLL(sys.argv[1])
for symbol in sys.argv[2:]:
    getattr(library, symbol)
"""
_SECONDS = 60.0
_MAX_OUTPUT = 1 << 16


def is_cut_off(path: Path) -> bool:
    """Whether a library ends before what its headers describe; False for other formats. Raises OSError.

    Where the rest of a page is missing, the loader silently reads zeros.
    """
    data = path.read_bytes()
    try:
        return (length(data) or 0) > len(data)
    except ValueError:
        return True


def can_try() -> bool:
    """Whether there is an interpreter to start, which a frozen application lacks."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def refusal(path: Path, symbols: Sequence[str], environment: Mapping[str, str] | None = None) -> str | None:
    """Why another process cannot load the library at `path` and find `symbols` in it; None if it can.

    Raises OSError.
    """
    if is_cut_off(path):
        return "its end is missing"
    command = [sys.executable, "-I", "-S", "-c", _TRIAL, str(path), *symbols]
    try:
        status, output = processes.run(command, _SECONDS, _MAX_OUTPUT, environment)
    except processes.EndlessError as error:
        return f"loading it {error}"
    if status == 0:
        return None
    signal = processes.signal_name(status)
    if signal is not None:
        return f"loading it ends in {signal}"
    lines = [line for line in output.splitlines() if line.strip()]
    return reason(lines[-1] if lines else "no reason given", path)


def reason(text: str, path: Path) -> str:
    """The loader's words without the temporary name of the file."""
    text = re.sub(r"^\w*Error: ", "", text.strip())
    return text.replace(f"{path}: ", "").replace(str(path), "the file")[:300]
