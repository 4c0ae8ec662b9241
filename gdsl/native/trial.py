"""Whether a library that the compiler made can be used: another process tries it, as a damaged one may end the process
that loads it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gdsl.native import elf, processes

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
_ROOM = 1 << 16


def is_cut_off(path: Path) -> bool:
    """Whether a library ends before what its headers speak of; False for other formats. Raises OSError.

    Where the rest of a page is missing, the loader finds zeros there instead and says nothing.
    """
    data = path.read_bytes()
    try:
        return (elf.length(data) or 0) > len(data)
    except ValueError:
        return True


def can_try() -> bool:
    """Whether there is an interpreter to start, as there is none in a frozen application."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def refusal(path: Path, symbols: Sequence[str], environment: Mapping[str, str] | None = None) -> str | None:
    """Why another process cannot load the library at `path` and find `symbols` in it; None if it can.

    Raises OSError.
    """
    if is_cut_off(path):
        return "its end is missing"
    command = [sys.executable, "-I", "-S", "-c", _TRIAL, str(path), *symbols]
    try:
        status, output = processes.run(command, _SECONDS, _ROOM, environment)
    except processes.EndlessError as error:
        return f"loading it {error}"
    if status == 0:
        return None
    signal = processes.ending(status)
    if signal is not None:
        return f"loading it ends in {signal}"
    lines = [line for line in output.splitlines() if line.strip()]
    return reason(lines[-1] if lines else "no reason given", path)


def reason(text: str, path: Path) -> str:
    """The loader's words without the name of the file, which nobody chose."""
    text = re.sub(r"^\w*Error: ", "", text.strip())
    return text.replace(f"{path}: ", "").replace(str(path), "the file")[:300]
