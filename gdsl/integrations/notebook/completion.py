"""Tab in the lines of the magics: options, knobs and their values, programs, and the codes of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from IPython.core.completer import SimpleCompletion, context_matcher

from gdsl.cli.program_words import knobs

IDENTIFIER = "gdsl"
_LINE = re.compile(r"\s*(%%?)gdsl\s(.*)")
_OPTIONS = ("--tune", "--fuse", "--tune-file", "--type")


def matcher(shell: Any) -> Callable[[Any], dict[str, Any]]:
    """A matcher of IPython. In a line of a magic it suppresses the names of Python, which mean nothing there."""

    def completions(context: Any) -> dict[str, Any]:
        line = _LINE.match(context.text_until_cursor)
        if line is None:
            return {"completions": []}
        before, _, word = line[2].rpartition(" ")
        previous = before.split()[-1] if before.split() else ""
        known = _of_cell(previous, word, context.full_text) if line[1] == "%%" else _explained(shell)
        fitting = [SimpleCompletion(each) for each in known if each.startswith(word)]
        return {"completions": fitting, "matched_fragment": word, "suppress": True}

    matches: Callable[[Any], dict[str, Any]] = context_matcher(identifier=IDENTIFIER)(completions)
    return matches


def _of_cell(previous: str, word: str, cell: str) -> Iterable[str]:
    if previous == "--fuse":
        return ("on", "off")
    if previous == "--tune":
        known = knobs(cell)
        name, is_named, _ = word.partition("=")
        if is_named:
            return [f"{name}={value}" for value in known[name].values] if name in known else ()
        return [f"{each}=" for each in known]
    return () if previous in ("--tune-file", "--type", "-t") else _OPTIONS


def _explained(shell: Any) -> Iterable[str]:
    from gdsl.api.program import Program
    from gdsl.diagnostics import all_codes
    from gdsl.program_files import samples

    names = [name for name, value in shell.user_ns.items() if isinstance(value, Program) and not name.startswith("_")]
    return [*names, *samples(), *(code.code for code in all_codes())]
