"""All codes that a message can have, with what `gdslc explain` says about them."""

from __future__ import annotations

import importlib
from functools import cache

from gdsl.records import dataclass

# fmt: off
_FAMILIES = (
    "syntax", "names", "races", "schedule", "inputs", "graphs", "running", "environment", "warnings",
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of mistake: its stable code, a title of a few words, what is meant and how to mend it, an example."""

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
    codes: list[Code] = []
    for family in _FAMILIES:
        codes += importlib.import_module(f"gdsl.diagnostics.codes.{family}").CODES
    return tuple(sorted(codes, key=lambda code: code.code))


def find_code(name: str) -> Code | None:
    """The code called `name` (in any case, errors with or without the leading E); None if there is none."""
    word = name.strip().upper()
    wanted = f"W{word[1:].zfill(2)}" if word.startswith("W") else "E" + word.removeprefix("E").zfill(4)
    return next((code for code in all_codes() if code.code == wanted), None)


def explain(code: Code) -> str:
    """What `gdslc explain` prints for `code`."""
    parts = [f"{code.code}: {code.title}", code.explanation.strip()]
    if code.example:
        parts.append(
            "Example:\n\n" + "\n".join(f"    {line}".rstrip() for line in code.example.strip("\n").split("\n"))
        )
    return "\n\n".join(parts) + "\n"
