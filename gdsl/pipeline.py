"""The way from text to IR in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gdsl.diagnostics import GdslError
from gdsl.frontend import CheckedProgram, check, parse
from gdsl.ir.lowering import lower
from gdsl.ir.nodes import Program
from gdsl.source import Source


def read_source(text_or_path: str | Path) -> Source:
    """The text of a program: what is in the file, or `text_or_path` itself if it is a str of more than one line or one
    that has a `;` or a `{`. Raises `GdslError` E0113 (no such file, not readable) and E0104 (not UTF-8)."""
    if isinstance(text_or_path, str) and any(sign in text_or_path for sign in "\n;{"):
        return Source("<text>", text_or_path)
    path = Path(text_or_path)
    try:
        return Source(str(text_or_path), path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        place = f"byte {failure.start}"
        message = f"the program is not UTF-8 text ({place}); is it a .gdsl file?"
        raise GdslError.single("E0104", message, place=str(text_or_path)) from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        message = f"cannot read the program: {reason}"
        raise GdslError.single("E0113", message, place=str(text_or_path)) from None


def load_checked(source: Source, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a program, for `--emit ast`. Raises `GdslError` with all that names and types forbid."""
    return check(parse(source), source, tune)


def load(text_or_path: str | Path | Source, tune: Sequence[str] = ()) -> Program:
    """The IR of a program, given as its text, its path or a `Source`.

    `tune` are tuning words as on the command line (``visit.direction=pull``); they win over the program's own. Raises
    `GdslError` with as many independent mistakes as there are.
    """
    source = text_or_path if isinstance(text_or_path, Source) else read_source(text_or_path)
    return lower(load_checked(source, tune))
