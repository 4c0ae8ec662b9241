"""Reading a program's text, before anything of the compiler is imported."""

from __future__ import annotations

import errno
import os
from typing import BinaryIO

from gdsl import files, program_names
from gdsl.diagnostics import GdslError, printable
from gdsl.source import Source

LARGEST_PROGRAM = 1 << 20
"""Bytes of program text that are accepted; a longer file is something else, given by mistake."""

TEXT = "<text>"
"""The name of a program that was given as text."""

STANDARD_INPUT = "<stdin>"
"""The name of a program that came through standard input."""

_TEXT_SIGNS = "\r\n;{"
_TOO_LONG = f"it is longer than {LARGEST_PROGRAM:,} bytes, which no program is"


def read_source(path_or_text: str | os.PathLike[str]) -> Source:
    """The text and the name of a program, given as its path or as text.

    A path-like object is a path. A str is a path, or the name of a sample (`program_names.meant_by`), where a file has
    that name or where it has no line end, `;` or `{`, else it is the text. Raises TypeError for anything else, and what
    `read_file` raises.
    """
    if isinstance(path_or_text, str):
        if _is_text(path_or_text):
            if len(path_or_text.encode("utf-8", "surrogatepass")) > LARGEST_PROGRAM:
                raise _unreadable(TEXT, _TOO_LONG)
            return Source(TEXT, path_or_text.removeprefix("\ufeff"))
        note = "the str was taken for a path; a program's text has a `;` or a `{`"
        return read_file(program_names.meant_by(path_or_text), note)
    name = files.path_name(path_or_text, "a program is given as a str or a path-like object")
    return read_file(name)


def read_program(word: str) -> Source:
    """What the command line calls PROGRAM: a file, `-` for standard input, or the name of a sample. Raises as
    `read_file`."""
    if word != "-":
        return read_file(program_names.meant_by(word))
    try:
        with open(0, "rb", closefd=False) as file:
            return _decoded(STANDARD_INPUT, file)
    except OSError as error:
        closed = error.errno in (errno.EBADF, errno.EISDIR)  # `gdslc` puts a directory where nothing was open
        why = "standard input is closed" if closed else error.strerror or str(error)
        raise _unreadable(STANDARD_INPUT, why) from None


def read_file(name: str, note: str | None = None) -> Source:
    """The text of the program file `name`; a `note` says more where there is no such file.

    Raises E0113 for a file that cannot be read or is too long, E0104 for one that is not UTF-8 text.
    """
    if not name:
        raise _unreadable(name, "its name is empty", note)
    try:
        with open(name, "rb") as file:
            return _decoded(name, file)
    except ValueError:
        raise _unreadable(name, "a path has no NUL character", note) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise _missing(name, error.strerror or str(error), note) from None
        raise _unreadable(name, error.strerror or str(error), note) from None


def _decoded(name: str, file: BinaryIO) -> Source:
    content = file.read(LARGEST_PROGRAM + 1)
    if len(content) > LARGEST_PROGRAM:
        raise _unreadable(name, _TOO_LONG)
    try:
        return Source(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        message = f"the program is not UTF-8 text (byte {error.start}); is it a .gdsl file?"
        raise GdslError.single("E0104", message, place=name) from None


def _is_text(word: str) -> bool:
    if not any(sign in word for sign in _TEXT_SIGNS):
        return False
    try:
        os.lstat(word)  # a link to nowhere is meant as a path too
    except (OSError, ValueError):
        return True
    return False


def _unreadable(name: str, why: str, note: str | None = None) -> GdslError:
    notes = (note,) if note else ()
    return GdslError.single("E0113", f"cannot read the program: {why}", notes=notes, place=name or None)


def _missing(name: str, why: str, note: str | None) -> GdslError:
    has_suffix = not name.endswith(program_names.SUFFIX) and os.path.isfile(name + program_names.SUFFIX)
    found = program_names.missing(name)
    fix = f"did you mean {printable(name)}{program_names.SUFFIX}?" if has_suffix else found.fix
    fix = files.not_as_url(name) or fix
    notes = (*((note,) if note else ()), *found.notes)
    return GdslError.single("E0113", f"cannot read the program: {why}", fix=fix, notes=notes, place=name)
