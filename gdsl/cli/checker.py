"""Checks programs for `gdslc check`: one after the other, fixed before if that is wanted, reported in the form that is
wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from gdsl.cli.program_texts import print_diff, read_text, write_text
from gdsl.cli.streams import message
from gdsl.deadline import doing
from gdsl.diagnostics import Diagnostic, GdslError, Suggestion, printable, render
from gdsl.program_files import STANDARD_INPUT, programs_meant, read_program
from gdsl.records import dataclass
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.api.program import Program
    from gdsl.fixes import Applied, Choose
    from gdsl.reports import FileReport

CERTAIN, ALL = "certain", "all"
_QUESTION = "Apply this fix? [y]es, [n]o, [a]ll, [q]uit"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line; `mode` is CERTAIN, ALL or None, `form` is json, sarif or None."""

    strict: bool
    mode: str | None
    yes: bool
    only_diff: bool
    form: str | None
    tune: tuple[str, ...]
    types: dict[str, str] | None


class Checker:
    """Checks programs and remembers what remains; `tell_sound` describes one without mistakes."""

    def __init__(self, options: Options, tell_sound: Callable[[str, Program], object]) -> None:
        self._options = options
        self._tell_sound = tell_sound
        self._reports: list[FileReport] = []
        self._failed = False

    def check(self, words: Sequence[str]) -> bool:
        """Whether all of these programs are sound, after their fixes. Raises E0113 for a directory without programs,
        and E0802 after the time limit."""
        choose = None if self._options.mode is None else self._chooser()
        programs = programs_meant(words)
        if choose is not None:
            programs.sort(key=_is_program)  # the files that others import from are fixed before these are checked
        for word in programs:
            try:
                with doing(f"checking {printable(word)}"):
                    self._check_one(word, choose)
            except GdslError as error:
                if error.code == "E0802":
                    raise
                self._report_failure(word, error)
        if self._options.form is not None:
            from gdsl.reports import as_json, as_sarif

            document = (as_json if self._options.form == "json" else as_sarif)(self._reports)
            click.echo(json.dumps(document, indent=2))
        return not self._failed

    def _check_one(self, word: str, choose: Choose | None) -> None:
        """Raises GdslError for a program that cannot be read or written."""
        applied: tuple[Applied, ...] = ()
        source = read_program(word) if word == "-" and choose is None else None
        if choose is not None:
            source, applied = self._fixed(word, choose)
        try:
            program = self._compiled(word, source)
        except GdslError as error:
            self._report_failure(word, error, applied)
            return
        if program is None:
            self._report(word, source, (), applied)
            if self._describes(word):
                click.echo(f"{printable(word)}: ok, a file to import from")
            return
        self._report(word, program.text, program.warnings, applied)
        if program.warnings and self._options.form is None:
            message(f"{GdslError(program.warnings, program.text)}\n")
        if self._options.strict and program.warnings:
            self._failed = True
        elif self._describes(word):
            self._tell_sound(STANDARD_INPUT if word == "-" else word, program)

    def _describes(self, word: str) -> bool:
        """Whether standard output is for words about sound programs."""
        return self._options.form is None and not (word == "-" and self._options.mode is not None)

    def _report_failure(self, word: str, error: GdslError, applied: tuple[Applied, ...] = ()) -> None:
        self._failed = True
        self._report(word, error.source, error.diagnostics, applied)
        if self._options.form is None:
            message(f"{error}\n")
            others = any(each.edits for diagnostic in error.diagnostics for each in diagnostic.suggestions)
            if others and self._options.mode == CERTAIN:
                message("the fixes above are not certain: gdslc check --fix=all asks about each of them\n")

    def _report(
        self, word: str, source: Source | None, diagnostics: tuple[Diagnostic, ...], applied: tuple[Applied, ...]
    ) -> None:
        if self._options.form is not None:
            from gdsl.program_files import meant_by
            from gdsl.reports import FileReport

            name = STANDARD_INPUT if word == "-" else meant_by(word)
            self._reports.append(FileReport(name, source, diagnostics, applied))

    def _compiled(self, word: str, source: Source | None) -> Program | None:
        """The program, or None for a file that others import from. Raises GdslError."""
        from gdsl.api.compiling import compile_file, compile_source

        options = self._options
        try:
            if source is None:
                return compile_file(word, options.tune, types=options.types)
            return compile_source(source, options.tune, types=options.types)
        except GdslError as error:
            from gdsl.frontend import is_library
            from gdsl.pipeline import library_mistakes

            if error.source is None or not error.code.startswith("E01") or not is_library(error.source):
                raise
            diagnostics = library_mistakes(error.source)
            if diagnostics:
                raise GdslError(diagnostics, error.source) from None
            return None

    # ------------------------------------------------------------ fixes

    def _chooser(self) -> Choose:
        """What decides about each fix: nobody for those that are certain, `--yes` or the user for the others."""
        from gdsl.fixes import choose_certain, choose_first

        if self._options.mode == CERTAIN:
            return choose_certain
        return choose_first if self._options.yes else _Questions()

    def _fixed(self, word: str, choose: Choose) -> tuple[Source, tuple[Applied, ...]]:
        """The text after its fixes, which are written. Raises what `read_text` and `write_text` raise."""
        from gdsl.fixes import fix

        options = self._options
        program = read_text(word, samples_too=options.only_diff)
        together = options.mode == CERTAIN or options.yes
        fixed = fix(program.source, choose, together=together, tune=options.tune)
        writes = not options.only_diff
        if writes and (fixed.applied or program.path is None):
            write_text(program, fixed.source.text)
        count = len(fixed.applied)
        if count and options.form is None:
            if program.path is not None or not writes:
                print_diff(program.name, program.source.text, fixed.source.text)
            done = "applied" if writes else "would be applied"
            message(f"{printable(program.name)}: {count} {'fix' if count == 1 else 'fixes'} {done}")
        return fixed.source, fixed.applied


def _is_program(word: str) -> bool:
    """Whether a word means a program, and not a file that others import from."""
    from gdsl.frontend import is_library

    try:
        return word == "-" or not is_library(read_program(word))
    except GdslError:
        return True  # which is reported in its turn


class _Questions:
    """For --fix=all: chooses the fixes that are certain, and asks about each other one, once."""

    def __init__(self) -> None:
        self._refused: set[tuple[str, str, str]] = set()
        self._every = self._quit = False

    def __call__(self, diagnostic: Diagnostic, source: Source) -> Suggestion | None:
        """The fix to apply, if any."""
        from gdsl.fixes import is_certain, with_edits

        if is_certain(diagnostic, source) or self._every:
            return diagnostic.suggestions[0]
        for suggestion in () if self._quit else diagnostic.suggestions:
            key = (diagnostic.code, diagnostic.message, suggestion.words)
            changed = with_edits(source, suggestion)
            if key in self._refused or changed is None:
                continue
            click.echo(f"\n{render(diagnostic, source)}\n", err=True)
            print_diff(source.name, source.text, changed, to_errors=True)
            answer = click.prompt(_QUESTION, type=click.Choice(list("ynaq")), default="n", show_choices=False, err=True)
            self._every, self._quit = answer == "a", answer == "q"
            if answer in ("y", "a"):
                return suggestion
            if self._quit:
                return None
            self._refused.add(key)
        return None
