"""The magics ``%%gdsl`` and ``%gdsl``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from keyword import iskeyword
from typing import Any

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from gdsl.cli.program_words import knobs
from gdsl.diagnostics import GdslError, printable
from gdsl.source import Source

_BEGINNING = re.compile(r'(?:\s|#[^\n]*(?:\n|$))*("""(?:.|\n)*?""")?(?:\s|#[^\n]*(?:\n|$))*(program\s+(\w+)\s*;)?')
_HELP = """\
%%gdsl NAME [--tune KNOB=VALUE]… [--fuse on|off] [--tune-file FILE]
    compiles the cell as the program NAME, to be called with a graph: NAME(graph, source=0)
%gdsl NAME
    describes a program of this notebook, or a sample, with its arguments and results
%gdsl CODE
    explains the code of a message, such as E0301
Programs, graphs and results have a rich display as the last value of a cell. Samples: {}"""


class CellError(GdslError):
    """A mistake in a cell, which IPython shows without a traceback through gdsl."""

    def _render_traceback_(self) -> list[str]:
        return str(self).split("\n")


@magics_class
class GdslMagics(Magics):
    """The magics of `%load_ext gdsl`."""

    @magic_arguments()
    @argument("name", nargs="?", help="the name of the variable; by default the name in the program")
    @argument("--tune", action="append", default=[], metavar="KNOB=VALUE", help="set a knob; may be repeated")
    @argument("--fuse", choices=["on", "off"], help="one kernel for the whole schedule, or one an operator")
    @argument("--tune-file", metavar="FILE", help="take knobs from this file of gdslc tune")
    @argument("-t", "--type", action="append", default=[], metavar="NAME=TYPE", help="choose a type; may be repeated")
    @line_cell_magic
    def gdsl(self, line: str, cell: str | None = None) -> None:
        """Compile the cell as a program, a variable of this notebook; without a cell, help."""
        try:
            parsed = parse_argstring(self.gdsl, line)
        except ValueError as error:  # an unterminated quotation
            raise UsageError(f"the line of %gdsl cannot be read: {error}") from None
        if cell is None:
            _explain(self.shell, parsed.name)
            return
        name = parsed.name or own_name(cell)
        if name is None:
            raise UsageError("the program has no name: write %%gdsl NAME, or program NAME; in the cell")
        if not name.isidentifier() or not name.isascii() or iskeyword(name):
            raise UsageError(f"{printable(name)!r} is not a name of a variable: use letters, digits and _")
        words = [*parsed.tune, *([f"schedule.fuse={parsed.fuse}"] if parsed.fuse else [])]
        if wrong := next((word for word in parsed.type if not all(word.partition("="))), None):
            raise UsageError(f"-t {printable(wrong)} is not of the form name=type, such as weight_type=int64")
        types = dict(word.split("=", 1) for word in parsed.type) or None
        self.shell.user_ns[name] = _compiled(name, cell, words, parsed.tune_file, types)


def _compiled(name: str, cell: str, words: list[str], tune_file: str | None, types: dict[str, str] | None) -> Any:
    from gdsl.api.compiling import compile_source
    from gdsl.api.description import results_of

    try:
        program = compile_source(source_of(name, cell), words, tune_file, types)
    except GdslError as error:
        raise CellError(error.diagnostics, error.source) from None
    if program.warnings:
        print(GdslError(program.warnings, program.text), file=sys.stderr)
    takes = ", ".join(("graph", *program.params, *program.inputs))
    gives = ", ".join(data.name for data in results_of(program.ir)) or "nothing"
    print(f"{name}({takes}) gives {gives}")
    return program


def _explain(shell: Any, word: str | None) -> None:
    from gdsl.api.program import Program
    from gdsl.diagnostics import explain, find_code
    from gdsl.program_files import samples

    if word is None:
        print(_HELP.format(", ".join(samples())))
        return
    program = shell.user_ns.get(word)
    code = find_code(word)
    if isinstance(program, Program):
        print(program.__doc__)
    elif code is not None:
        print(explain(code), end="")
    elif word in samples():
        import gdsl

        print(getattr(gdsl.samples, word).__doc__)
    else:
        raise UsageError(f"there is no program, no sample and no code {printable(word)!r}; %gdsl says what there is")


def own_name(cell: str) -> str | None:
    """The program's name in a cell's text; None if there is none."""
    match = _BEGINNING.match(cell)
    return match[3] if match is not None else None


def source_of(name: str, cell: str) -> Source:
    """The text of the program `name`. The line of the magic becomes an empty first line, or declares the name if the
    cell does not."""
    text = "\n" + cell
    if own_name(cell) is None:
        match = _BEGINNING.match(text)
        end = match.end(1) if match is not None and match[1] is not None else 0
        space = " " if end else ""
        text = f"{text[:end]}{space}program {name};{text[end:]}"
    return Source(f"<cell {name}>", text)


# Tab in the lines of the magics: options, knobs and their values, programs, and the codes of messages.


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
