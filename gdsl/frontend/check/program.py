"""A whole program through the checker."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.frontend import syntax
from gdsl.frontend.check.declarations import (
    check_data,
    check_function,
    check_functor,
    check_recursion,
    declare_data,
    declare_function,
    declare_functor,
)
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.saturation import saturated
from gdsl.frontend.check.schedule import ScheduleChecker
from gdsl.frontend.check.tuning import Knobs, TuningChecker, operator_calls
from gdsl.frontend.parser import parse_tune_words
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.source import NOWHERE, Source

_REQUIREMENTS = ("symmetric", "simple")


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program without mistakes of names, types and placement: the typed tree, its text and its tuning."""

    program: syntax.Program
    source: Source
    knobs: Knobs


def check(program: syntax.Program, source: Source, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a parsed program; `tune` are further tuning words, which win over the program's own.

    Raises `GdslError` with as many independent mistakes as there are (E02xx, E04xx, E05xx). The rules of writes and
    reads are not part of this: see `gdsl.rules`.
    """
    environment = Environment()
    typed = _typed(program, environment)
    calls = operator_calls(typed.schedule)
    knobs = Knobs()
    TuningChecker(environment, calls, knobs).entries(program.tune)
    if environment.diagnostics:
        raise GdslError(_in_order(environment.diagnostics), source)
    for word in tune:
        environment.diagnostics.clear()
        TuningChecker(environment, calls, knobs).entries(parse_tune_words((word,)))
        if environment.diagnostics:
            raise GdslError(environment.diagnostics, Source("--tune", word))
    return CheckedProgram(saturated(typed), source, knobs)


def _typed(program: syntax.Program, environment: Environment) -> syntax.Program:
    for part in program.later:
        environment.later(part.what, part.span)
        for name in part.names:
            environment.declare_global(Symbol(SymbolKind.LATER, name, NOWHERE))
    _check_requirements(program, environment)
    declarations = [declare_data(node, environment) for node in program.declarations]
    functions = [declare_function(node, environment) for node in program.functions]
    functors = [declare_functor(node, environment) for node in program.functors]
    check_recursion(program.functions, environment)
    return dataclasses.replace(
        program,
        declarations=tuple(check_data(node, environment) for node in declarations),
        functions=tuple(check_function(node, environment) for node in functions),
        functors=tuple(check_functor(node, environment) for node in functors),
        schedule=ScheduleChecker(environment).block(program.schedule),
    )


def _check_requirements(program: syntax.Program, environment: Environment) -> None:
    for word in program.requires:
        if word.name not in _REQUIREMENTS:
            near = closest(word.name, _REQUIREMENTS)
            fix = f"did you mean `{near}`?" if near else "there are `symmetric` and `simple`"
            environment.report("E0410", f"`requires` does not know `{word.name}`", word.span, fix=fix)


def _in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """In the order of the text, each once."""
    unique = list(dict.fromkeys(diagnostics))
    return sorted(unique, key=lambda d: (d.span.line, d.span.column) if d.span is not None else (0, 0))
