"""Programs that `gdslc` may write: their texts with everything that a text editor would keep."""

from __future__ import annotations

import codecs
import difflib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from gdsl.cli.output import write_output
from gdsl.diagnostics import GdslError, printable
from gdsl.files import cannot_write
from gdsl.program_files import STANDARD_INPUT, meant_by, read_program, samples
from gdsl.source import Source


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program as it was read: `path` is None for standard input."""

    source: Source
    path: str | None
    content: bytes

    @property
    def name(self) -> str:
        """What messages and diffs call it."""
        return self.path or STANDARD_INPUT


def read_text(word: str, *, samples_too: bool = False) -> ProgramText:
    """What PROGRAM means, to be written again. Raises what `read_program` raises, and E0911 for a sample, which is
    part of gdsl and only read."""
    source = read_program(word)
    if word == "-":
        return ProgramText(source, None, source.text.encode("utf-8"))
    path = meant_by(word)
    if not samples_too and path != word and path in samples().values():
        fix = f"write a copy: `gdslc samples {word} > {word}.gdsl`"
        raise GdslError.single("E0911", f"{word} is a sample, which is not written", fix=fix)
    with open(path, "rb") as file:
        return ProgramText(source, path, file.read())


def write_text(program: ProgramText, text: str) -> None:
    """Put `text` in place of the program, completely or not at all; its mode and its byte order mark remain. That of
    standard input goes to standard output. Raises E0911, also for a file that was changed in the meantime."""
    if program.path is None:
        click.echo(text, nl=False)
        return
    mark = codecs.BOM_UTF8 if program.content.startswith(codecs.BOM_UTF8) else b""
    try:
        current = Path(program.path).read_bytes()
    except OSError as error:
        raise cannot_write(program.path, error.strerror or str(error)) from None
    if current != program.content:
        raise cannot_write(program.path, "it was changed while it was being read")
    if not os.access(program.path, os.W_OK):
        raise cannot_write(program.path, "it is read-only")
    write_output(Path(program.path), lambda file: file.write(mark + text.encode("utf-8")))


def diff(name: str, before: str, after: str) -> str:
    """The difference of two texts of the file `name`, as `patch` reads it; empty if there is none."""
    old, new = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))
    changes = difflib.unified_diff(old, new, name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in changes)


def print_diff(name: str, before: str, after: str, *, to_errors: bool = False) -> None:
    """Print the difference, in color on a terminal."""
    colors = {"-": "red", "+": "green", "@": "cyan"}
    for line in diff(printable(name), before, after).removesuffix("\n").split("\n"):
        plain = line.startswith(("---", "+++"))
        shown = click.style(line, bold=True) if plain else click.style(line, fg=colors.get(line[:1]))
        click.echo(shown, err=to_errors)


def is_interactive() -> bool:
    """Whether somebody can answer questions."""
    return sys.stdin is not None and sys.stdin.isatty()
