"""From text to IR in one call."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gdsl import frontend
from gdsl.advice import advise
from gdsl.annotate import annotate, judge_program, with_tuning
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import Analysis, CheckedProgram, Reading, Types, check_tune_words
from gdsl.frontend.check.type_parameters import mistakes_of_instances
from gdsl.imports import with_imports
from gdsl.ir.lowering import lower
from gdsl.ir.nodes import Program
from gdsl.program_files import read_source
from gdsl.source import Source

if TYPE_CHECKING:
    from gdsl.suggestions import Outcome


def analyze(source: Source, before_trial: Callable[[], None] = lambda: None) -> Analysis:
    """The analysis of a text with all of its mistakes: in syntax, names and types, and, where these are correct,
    against the rules of writes and reads, for every type that it admits. Never raises, whatever the text; editors call
    this. `before_trial` is called before each fix is tried, and may raise to end that."""
    source = with_imports(source)
    reading = _reading(source)
    analysis = reading.checked()
    mistakes = _mistakes(reading, source, reading.instances() or ((),))
    diagnostics = _with_verified_fixes(mistakes, reading, source, before_trial)
    return dataclasses.replace(analysis, diagnostics=diagnostics, checked=None) if diagnostics else analysis


def library_mistakes(source: Source) -> tuple[Diagnostic, ...]:
    """The mistakes of syntax of a file that others import from, with fixes that were tried."""
    diagnostics = frontend.analyze_library(source).diagnostics
    if not diagnostics:
        return ()
    from gdsl.suggestions import Outcome, verified

    return verified(diagnostics, (), source, lambda text: Outcome(frontend.analyze_library(text).diagnostics, ()))


def warnings(
    source: Source, tune: Sequence[str] = (), types: Types = (), program: Program | None = None
) -> tuple[Diagnostic, ...]:
    """The warnings (W0x) about a program, in the order of the text; none for a program with mistakes, which
    `load_source` reports. `program` is what that has returned, if there is one."""
    source = with_imports(source)
    reading = _reading(source)
    analysis = reading.checked(types)
    try:
        program = program or annotate(lower(_checked(reading, source, tune, types)), source)
    except GdslError:
        return ()
    advices = advise(program, analysis.symbols, source, tune)
    if not any(one.suggestions for one in advices):
        return advices
    from gdsl.suggestions import verified

    return verified(advices, analysis.symbols, source, _advised)


def load_checked(source: Source, tune: Sequence[str] = (), types: Types = ()) -> CheckedProgram:
    """The typed tree of a program, for `--emit ast`. Raises `GdslError` with all mistakes up to types."""
    source = with_imports(source)
    reading = _reading(source)
    try:
        return _checked(reading, source, tune, types)
    except GdslError as error:
        if _is_of_words(error, source):
            raise
        raise GdslError(_with_verified_fixes(error.diagnostics, reading, source, tune=tune), error.source) from None


def load_source(
    source: Source, tune: Sequence[str] = (), types: Types = (), *, refuse: bool = True, every: bool = False
) -> Program:
    """The IR of a program. `tune` has tuning words as on the command line (``visit.direction=pull``), which override
    the program's own, and `types` the values of type parameters, instead of their defaults. Raises `GdslError` with all
    independent mistakes. With `every`, a program that is wrong for other types that it admits is refused, too. With
    `refuse` False, a program that the rules of writes and reads forbid passes, for tests that show what they
    prevent."""
    source = with_imports(source)
    reading = _reading(source)
    try:
        program = annotate(lower(_checked(reading, source, tune, types)), source, refuse)
    except GdslError as error:
        admitted = reading.instances()
        diagnostics = _mistakes(reading, source, admitted) if admitted else ()
        if not diagnostics and _is_of_words(error, source):
            raise
        if diagnostics:
            raise GdslError(_with_verified_fixes(diagnostics, reading, source), error.source) from None
        raise GdslError(_with_verified_fixes(error.diagnostics, reading, source, tune=tune), error.source) from None
    if every and program.types:
        own = tuple((each.name, each.type) for each in program.types)
        others = [each for each in reading.instances() if each != own]
        if diagnostics := _mistakes(reading, source, others, (own,)):
            raise GdslError(_with_verified_fixes(diagnostics, reading, source), source)
    return program


def load(
    text_or_path: str | Path | Source, tune: Sequence[str] = (), types: Types = (), *, every: bool = False
) -> Program:
    """As `load_source`, for a program given as its text, its path or a `Source`."""
    source = text_or_path if isinstance(text_or_path, Source) else read_source(text_or_path)
    return load_source(source, tune, types, every=every)


@lru_cache(maxsize=1)
def _reading(source: Source) -> Reading:
    """The text that was read last is often asked for again: for its warnings, or for other types."""
    return frontend.Reading(source)


def _checked(reading: Reading, source: Source, tune: Sequence[str], types: Types) -> CheckedProgram:
    analysis = reading.checked(types)
    if analysis.checked is None:
        raise GdslError(analysis.diagnostics, source)
    checked = dataclasses.replace(analysis.checked, knobs=analysis.checked.knobs.copy())
    check_tune_words(checked, tune)
    return checked


def _mistakes(
    reading: Reading, source: Source, instances: Sequence[Types], sound: Sequence[Types] = ()
) -> tuple[Diagnostic, ...]:
    """All mistakes of some instances of a program, without words of tuning; `sound` are others that have none."""
    by_types: dict[Types, tuple[Diagnostic, ...]] = dict.fromkeys(sound, ())
    for types in instances:
        analysis = reading.checked(types)
        by_types[types] = analysis.diagnostics
        if analysis.checked is not None:
            try:
                annotate(lower(analysis.checked), source)
            except GdslError as error:
                by_types[types] = error.diagnostics
    if reading.tree is None or len(by_types) == 1:
        return next(iter(by_types.values()))
    return mistakes_of_instances(reading.tree, by_types)


def _is_of_words(error: GdslError, source: Source) -> bool:
    """Whether a mistake is one of words of tuning, which are a text of their own."""
    return error.source is not None and error.source.name != source.name


def _with_verified_fixes(
    diagnostics: Sequence[Diagnostic],
    reading: Reading,
    source: Source,
    before_trial: Callable[[], None] = lambda: None,
    tune: Sequence[str] = (),
) -> tuple[Diagnostic, ...]:
    """The diagnostics, with fixes that were verified on the program, tuned by these words."""
    from gdsl.suggestions import verified  # only programs with mistakes need it

    def tried(changed: Source) -> Outcome:
        before_trial()
        return _outcome(changed, tune)

    symbols = reading.checked().symbols
    return verified(diagnostics, symbols, source, tried, len(reading.instances()))


def _outcome(source: Source, tune: Sequence[str] = ()) -> Outcome:
    """The mistakes of another text, or else those that it has with these words of tuning."""
    from gdsl.suggestions import Outcome

    reading = frontend.Reading(with_imports(source))
    mistakes = _mistakes(reading, source, reading.instances() or ((),))
    if tune and not mistakes:
        try:
            annotate(lower(_checked(reading, source, tune, ())), source)
        except GdslError as error:
            mistakes = error.diagnostics
    return Outcome(mistakes, reading.checked().symbols)


def _advised(source: Source) -> Outcome:
    """The mistakes of another text, or else its warnings."""
    outcome = _outcome(source)
    if outcome.diagnostics:
        return outcome
    analysis = frontend.analyze(source)
    assert analysis.checked is not None
    from gdsl.suggestions import Outcome

    program = annotate(lower(analysis.checked), source)
    return Outcome(advise(program, analysis.symbols, source), analysis.symbols)


class Tunable:
    """A program to be tuned in many ways. Nearly everything depends on no knob and is computed once.

    Raises `GdslError` as `load_source` does for a program with mistakes.
    """

    def __init__(self, source: Source, types: Types = ()) -> None:
        try:
            self._checked = load_checked(source, (), types)
            self._judged = judge_program(lower(self._checked), with_imports(source))
        except GdslError:
            load_source(source, (), types)  # says the same, with fixes that were tried
            raise

    def tuned(self, tune: Sequence[str] = ()) -> Program:
        """The result of `load_source` with these words. Raises `GdslError` (E04xx) for words that do not fit the
        program."""
        checked = dataclasses.replace(self._checked, knobs=self._checked.knobs.copy())
        check_tune_words(checked, tune)
        return with_tuning(self._judged, lower(checked).tuning)
