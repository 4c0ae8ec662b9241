"""All codes that a message can have, with what `gdslc explain` says about them, read from `codes.txt`."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path

from gdsl.knob_help import standing
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of mistake: its stable code, a title of a few words, what it means and how to fix it, an example."""

    code: str
    title: str
    explanation: str
    example: str = ""

    @property
    def family(self) -> str:
        """What the code begins with: `E03`, or `W0` of all warnings."""
        return self.code[: 3 if self.code.startswith("E") else 2]


@cache
def all_codes() -> tuple[Code, ...]:
    """Every code, in ascending order."""
    text = Path(__file__).with_name("codes.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"(?m)^([EW]\d+): (.+)\n", text.replace("{operators of knobs}", standing()))
    return tuple(_code(*entry) for entry in zip(parts[::3], parts[1::3], parts[2::3], strict=True))


def _code(code: str, title: str, text: str) -> Code:
    explanation, _, example = text.partition("\nExample:\n")
    return Code(code, title, explanation.strip(), textwrap.dedent(example).strip("\n"))


def find_code(name: str) -> Code | None:
    """The code called `name` (in any case, errors with or without the leading E); None if there is none."""
    word = name.strip().upper()
    wanted = f"W{word[1:].zfill(2)}" if word.startswith("W") else "E" + word.removeprefix("E").zfill(4)
    return next((code for code in all_codes() if code.code == wanted), None)


def explain(code: Code) -> str:
    """What `gdslc explain` prints for `code`."""
    parts = [f"{code.code}: {code.title}", code.explanation]
    if code.example:
        parts.append("Example:\n\n" + "\n".join(f"    {line}".rstrip() for line in code.example.split("\n")))
    return "\n\n".join(parts) + "\n"
