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
_UNIFORM_WORK = ("U", "R2UR", "S2UR")


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
    """Where a warp has diverged before a barrier and what it computes once for all its threads overwrites what that was
    computed from: the threads that come later compute it from what the first have left. Addresses of instructions.

    Threads that skip what is one thread's alone jump to a label behind it, and the mark of where they meet (BSSY) lies
    within what they skip: so nothing keeps them until the next WARPSYNC.
    """
    found = []
    at = {line.label: place for place, line in enumerate(code) if line.label is not None}
    for label in _met_late(code, at):
        read: set[str] = set()
        written: set[str] = set()
        for line in code[at[label] :]:
            if line.text.startswith(("WARPSYNC", "BSYNC", "BRA", "EXIT", "RET")):
                break
            targets, sources = _uniform(line.text)
            read |= sources - written
            found += [line.address] if targets & read - written else []
            written |= targets
    return found


def _met_late(code: list[Line], at: dict[str | None, int]) -> Iterator[str]:
    """The labels to which threads have jumped before the mark of where they meet."""
    jumps: dict[str, int] = {}
    marks: dict[str, int] = {}
    for place, line in enumerate(code):
        if line.text.startswith("@") and "BRA" in line.text:
            for label in line.places:
                jumps.setdefault(label, place)
        elif line.text.startswith("BSSY"):
            marks.update(dict.fromkeys(line.places, place))
    for label, mark in marks.items():
        if jumps.get(label, len(code)) < mark < at.get(label, 0):
            yield label


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
