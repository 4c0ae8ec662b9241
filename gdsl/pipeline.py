"""The way from text to IR in one call."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from gdsl import frontend
from gdsl.advice import advise
from gdsl.annotate import annotate, judged, tuned
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import Analysis, CheckedProgram, check_tune_words
from gdsl.imports import with_imports
from gdsl.ir.lowering import lower
from gdsl.ir.nodes import Program
from gdsl.program_text import read_source
from gdsl.source import Source


def analyse(source: Source) -> Analysis:
    """What a text says, and all that is wrong with it: syntax, names and types, and, where these are fine, the rules of
    writes and reads. Raises nothing, whatever the text: this is what an editor asks."""
    source = with_imports(source)
    analysis = frontend.analyse(source)
    if analysis.checked is None:
        return analysis
    try:
        annotate(lower(analysis.checked), source)
    except GdslError as error:
        return dataclasses.replace(analysis, diagnostics=error.diagnostics, checked=None)
    return analysis


def warnings(source: Source, tune: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """What a program says and probably does not mean (W0x), in the order of the text; nothing of a program with
    mistakes, whose messages are those of `load_source`."""
    analysis = frontend.analyse(source)
    if analysis.checked is None:
        return ()
    try:
        check_tune_words(analysis.checked, tune)
        program = annotate(lower(analysis.checked), source)
    except GdslError:
        return ()
    return advise(program, analysis.symbols, source, tune)


def load_checked(source: Source, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a program, for `--emit ast`. Raises `GdslError` with all mistakes up to types."""
    source = with_imports(source)
    analysis = frontend.analyse(source)
    if analysis.checked is None:
        raise GdslError(analysis.diagnostics, source)
    check_tune_words(analysis.checked, tune)
    return analysis.checked


def load_source(source: Source, tune: Sequence[str] = (), *, refuse: bool = True) -> Program:
    """The IR of a program; `tune` are tuning words as on the command line (``visit.direction=pull``), which win over
    the program's own. Raises `GdslError` with as many independent mistakes as there are; with `refuse` False, for tests
    that show what the rules of writes and reads prevent, a program that these forbid passes."""
    source = with_imports(source)
    return annotate(lower(load_checked(source, tune)), source, refuse)


def load(text_or_path: str | Path | Source, tune: Sequence[str] = ()) -> Program:
    """As `load_source`, for a program given as its text, its path or a `Source`."""
    source = text_or_path if isinstance(text_or_path, Source) else read_source(text_or_path)
    return load_source(source, tune)


class Tunable:
    """A program to be tuned in many ways: what no knob changes, which is nearly all, is found out once.

    Raises `GdslError` as `load_source` does for a program with mistakes.
    """

    def __init__(self, source: Source) -> None:
        self._checked = load_checked(source)
        self._judged = judged(lower(self._checked), with_imports(source))

    def tuned(self, tune: Sequence[str] = ()) -> Program:
        """What `load_source` gives for these words. Raises `GdslError` (E04xx) where the program does not take them."""
        checked = dataclasses.replace(self._checked, knobs=self._checked.knobs.copy())
        check_tune_words(checked, tune)
        return tuned(self._judged, lower(checked).tuning)
