"""Pairs of programs that differ in one place: one that the race rules accept, one that they refuse.

A `.pair` file is one program text in which `«accepted → refused»` stands where the two differ and `§` marks the place
of the message about the refused one. Its head says what to expect:

    # accepted: store RULE; closes ARRAY END CONJUNCT STATEMENT | closes nothing; not unique NAME …
    # refused: CODE
    # meet: words of the message or its notes (several lines are allowed)
    # fix: words of the fix
    # racy            the refused program has more than one answer under the interpreter
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAIRS = Path(__file__).parent / "pairs"
_CHOICE = re.compile(r"«(.*?) → (.*?)»", re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """A pair and what is expected of it."""

    name: str
    accepted: str
    refused: str
    findings: tuple[str, ...]
    """What the facts about the accepted program say, part by part."""
    code: str
    line: int
    column: int
    meet: tuple[str, ...]
    fix: tuple[str, ...]
    racy: bool


def read_pair(path: Path) -> Pair:
    """The pair in a file."""
    text = path.read_text(encoding="utf-8")
    head: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("# ") and ":" in line:
            key, words = line[2:].split(":", 1)
            head.setdefault(key.strip(), []).append(words.strip())
    refused = _CHOICE.sub(lambda choice: choice[2], text)
    before = refused[: refused.index("§")]
    return Pair(
        path.stem,
        _CHOICE.sub(lambda choice: choice[1], text).replace("§", ""),
        refused.replace("§", ""),
        tuple(part.strip() for part in head["accepted"][0].split(";") if part.strip()),
        head["refused"][0],
        before.count("\n") + 1,
        len(before) - before.rfind("\n"),
        tuple(head["meet"]),
        tuple(head["fix"]),
        "\n# racy\n" in text,
    )


def all_pairs() -> list[Pair]:
    """Every pair of the folder."""
    return [read_pair(path) for path in sorted(PAIRS.glob("*.pair"))]
