"""Reading a program's text, before anything of the compiler is imported."""

from __future__ import annotations

import os
from pathlib import Path

from gdsl.diagnostics import GdslError
from gdsl.source import Source

LARGEST_PROGRAM = 1 << 20
"""Bytes of program text that are accepted; a longer file is something else, given by mistake."""

_TOO_LONG = f"it is longer than {LARGEST_PROGRAM:,} bytes, which no program is"


def read_source(path_or_text: str | os.PathLike[str]) -> Source:
    """The text and the name of a program, given as its path or as text (a str with a line end, a `;` or a `{`).

    Raises E0113 for a file that cannot be read or is too long, E0104 for one that is not UTF-8 text.
    """
    if isinstance(path_or_text, str) and any(sign in path_or_text for sign in "\r\n;{"):
        if len(path_or_text.encode("utf-8", "surrogatepass")) > LARGEST_PROGRAM:
            raise _unreadable("<text>", _TOO_LONG)
        return Source("<text>", path_or_text.removeprefix("\ufeff"))
    name = os.fspath(path_or_text)
    try:
        with Path(name).open("rb") as file:
            content = file.read(LARGEST_PROGRAM + 1)
    except (OSError, ValueError) as error:
        raise _unreadable(name, getattr(error, "strerror", None) or str(error)) from None
    if len(content) > LARGEST_PROGRAM:
        raise _unreadable(name, _TOO_LONG)
    try:
        return Source(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"the program is not UTF-8 text (byte {error.start}); is it a .gdsl file?"
        raise GdslError.single("E0104", message, place=name) from None


def _unreadable(name: str, why: str) -> GdslError:
    fix = f"did you mean {name}.gdsl?" if not name.endswith(".gdsl") and Path(f"{name}.gdsl").is_file() else None
    return GdslError.single("E0113", f"cannot read the program: {why}", fix=fix, place=name)
