"""What the assembler has made of a kernel, as `nvdisasm` shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_LABEL = re.compile(r"^(\.L_x_\d+):")
_INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
_PLACE = re.compile(r"`\((\.L_x_\d+)\)")
_UNIFORM = re.compile(r"\bU[RP]\d+\b")
_PREDICATE = re.compile(r"^@!?U?P\w+\s+")
_GENERIC = re.compile(r"(@!?U?P\w+\s+)?(LD|ST|ATOM)\.")
_BEGINS = ("BSYNC", "BAR", "CALL", "ENDCOLLECTIVE", "EXIT", "RET")
_UNIFORM_WORK = ("U", "R2UR", "S2UR", "REDUX", "VOTEU")


@dataclass(frozen=True)
class Line:
    """A label, or an instruction with its address."""

    label: str | None
    address: str
    text: str

    @property
    def places(self) -> list[str]:
        """The labels that it names."""
        return _PLACE.findall(self.text)


def disassembled(cubin: Path) -> list[Line]:
    """The code of a cubin, in its order. Skips where there is no `nvdisasm`."""
    tool = shutil.which("nvdisasm") or shutil.which("nvdisasm", path="/usr/local/cuda/bin")
    if tool is None:
        pytest.skip("nvdisasm is not installed (it is part of the CUDA toolkit)")
    done = subprocess.run([tool, "-c", str(cubin)], check=True, capture_output=True, text=True, timeout=100)
    return lines_of(done.stdout)


def lines_of(text: str) -> list[Line]:
    """The same of what the tool has printed."""
    return list(_lines(text))


def _lines(text: str) -> Iterator[Line]:
    for line in text.splitlines():
        label, instruction = _LABEL.match(line), _INSTRUCTION.search(line)
        if label is not None:
            yield Line(label[1], "", "")
        elif instruction is not None:
            yield Line(None, instruction[1], instruction[2])


def computed_twice(code: list[Line]) -> list[str]:
    """Where what a warp computes once for all its threads overwrites what it was computed from, in a stretch of
    instructions at whose end the assembler has the threads of a warp meet (WARPSYNC, BRA.DIV), so that they may not all
    be together yet: those that come later compute it from what the first have left. Addresses of instructions.

    A stretch begins where threads come in: at a label, or behind a call. That they met at a BSYNC says nothing: one
    that looks at something again and again yields (YIELD), and the others go on without it.
    """
    found: list[str] = []
    entries = {place for line in code for place in line.places}
    stretch = _Stretch()
    for line in code:
        name = _PREDICATE.sub("", line.text)
        if line.label in entries or name.startswith(_BEGINS):
            stretch = _Stretch()
        elif name.startswith("WARPSYNC") or "BRA.DIV" in name:
            found += stretch.overwritten
            stretch = _Stretch()
        elif name.startswith("BRA"):
            stretch = _Stretch()
        else:
            stretch.add(line)
    return found


class _Stretch:
    """Instructions one behind the other."""

    def __init__(self) -> None:
        self.overwritten: list[str] = []
        self._read: set[str] = set()
        self._written: set[str] = set()

    def add(self, line: Line) -> None:
        """The next one."""
        targets, sources = _uniform(line.text)
        self._read |= sources - self._written
        if targets & self._read - self._written:
            self.overwritten.append(line.address)
        self._written |= targets


def _uniform(text: str) -> tuple[set[str], set[str]]:
    """The uniform registers that an instruction writes, and those that it reads."""
    predicate, _, rest = text.partition(" ") if text.startswith("@") else ("", "", text)
    name, _, operands = rest.strip().partition(" ")
    parts = [part.strip() for part in operands.split(",")]
    count = 0
    if name.startswith(_UNIFORM_WORK):
        count = 1 + sum(1 for part in parts[1:2] if re.fullmatch(r"UP\d+|UPT", part) and len(parts) > 3)
    wide = ".64" in name or ".WIDE" in name
    targets = {each for part in parts[:count] for each in _registers(part, wide)}
    sources = {each for part in parts[count:] for each in _registers(part, ".64" in part or "desc" in part)}
    return targets, sources | set(_UNIFORM.findall(predicate))


def _registers(part: str, wide: bool) -> Iterator[str]:
    for register in _UNIFORM.findall(part):
        yield register
        if wide and register.startswith("UR"):
            yield f"UR{int(register[2:]) + 1}"


def generic_addresses(lines: list[Line]) -> list[str]:
    """The accesses of memory of a kind that the compiler does not know."""
    return [line.text for line in lines if _GENERIC.match(line.text)]
