"""A cell as the text of a program: its lines keep their numbers, so that messages name those of the cell."""

from __future__ import annotations

import re

from gdsl.source import Source

_BEGINNING = re.compile(r'(?:\s|#[^\n]*(?:\n|$))*("""(?:.|\n)*?""")?(?:\s|#[^\n]*(?:\n|$))*(program\s+(\w+)\s*;)?')


def own_name(cell: str) -> str | None:
    """What the text in a cell calls itself; None where it says nothing."""
    found = _BEGINNING.match(cell)
    return found[3] if found is not None else None


def source_of(name: str, cell: str) -> Source:
    """The text of the program `name`. The line of the magic stands empty in front of it, or says what the program is
    called, where the cell does not."""
    text = "\n" + cell
    if own_name(cell) is None:
        found = _BEGINNING.match(text)
        end = found.end(1) if found is not None and found[1] is not None else 0
        text = f"{text[:end]} program {name};{text[end:]}"
    return Source(f"<cell {name}>", text)
