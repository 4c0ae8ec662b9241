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
from gdsl.frontend.check.far_ends import FarEnds
from gdsl.frontend.check.saturation import saturated
from gdsl.frontend.check.schedule import ScheduleChecker
from gdsl.frontend.check.tuning import Knobs, TuningChecker, operator_calls
from gdsl.frontend.parser import in_order, parse_tune_words
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.operations import Over
from gdsl.source import NOWHERE, Source

_REQUIREMENTS = ("symmetric", "simple")


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program without mistakes of names, types and placement: the typed tree, its text and its tuning."""

    program: syntax.Program
    source: Source
    knobs: Knobs
    far_ends: dict[str, Over]
    """By the unique name of an edge frontier the edges that were walked for it; see `far_ends`."""


@dataclass(frozen=True, slots=True)
class Checked:
    """All that the checker found out about a tree: `tree` is typed as far as it has no mistakes, `checked` is None
    where there are any."""

    tree: syntax.Program
    symbols: tuple[Symbol, ...]
    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None


def check(program: syntax.Program, source: Source, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a parsed program; `tune` are further tuning words, which win over the program's own.

    Raises `GdslError` with as many independent mistakes as there are (E02xx, E04xx, E05xx). The rules of writes and
    reads are not part of this: see `gdsl.rules`.
    """
    found = check_all(program, source)
    if found.checked is None:
        raise GdslError(found.diagnostics, source)
    check_tune_words(found.checked, tune)
    return found.checked


def check_all(program: syntax.Program, source: Source, broken: syntax.Broken | None = None) -> Checked:
    """The same of any tree, also of one that the parser could read in parts only; raises nothing."""
    environment = Environment(broken=broken or syntax.Broken())
    typed, far_ends, whole = _typed(program, environment)
    knobs = Knobs()
    TuningChecker(environment, operator_calls(typed.schedule), knobs, whole=whole).entries(program.tune)
    found = in_order(environment.diagnostics)
    diagnostics = tuple(one for one in found if one.span is None or not environment.broken.touches(one.span))
    checked = (
        None if diagnostics or environment.broken.spans else CheckedProgram(saturated(typed), source, knobs, far_ends)
    )
    return Checked(typed, tuple(environment.declared), diagnostics, checked)


def check_tune_words(checked: CheckedProgram, tune: Sequence[str]) -> None:
    """Put further tuning words into the knobs of a program. Raises `GdslError` (E04xx, E05xx) at a wrong one."""
    environment = Environment()
    environment.functors.update({functor.name: functor for functor in checked.program.functors})
    calls = operator_calls(checked.program.schedule)
    for word in tune:
        TuningChecker(environment, calls, checked.knobs, of_text=False).entries(parse_tune_words((word,)))
        if environment.diagnostics:
            raise GdslError(environment.diagnostics, Source("--tune", word))


def _typed(program: syntax.Program, environment: Environment) -> tuple[syntax.Program, dict[str, Over], bool]:
    """The typed program, how its edge frontiers were walked, and whether its schedule has no mistakes."""
    for part in program.later:
        environment.later(part.what, part.span)
        for name in part.names:
            environment.declare_global(Symbol(SymbolKind.LATER, name, NOWHERE))
    _check_requirements(program, environment)
    declarations = [declare_data(node, environment) for node in program.declarations]
    functions = [declare_function(node, environment) for node in program.functions]
    functors = [declare_functor(node, environment) for node in program.functors]
    check_recursion(program.functions, environment)
    typed = dataclasses.replace(
        program,
        declarations=tuple(check_data(node, environment) for node in declarations),
        functions=tuple(check_function(node, environment) for node in functions),
        functors=tuple(check_functor(node, environment) for node in functors),
    )
    before = len(environment.diagnostics)
    schedule = ScheduleChecker(environment).schedule(program.schedule)
    far_ends = FarEnds(environment).find(schedule)
    whole = len(environment.diagnostics) == before and not environment.broken.spans
    return dataclasses.replace(typed, schedule=schedule), far_ends, whole


def _check_requirements(program: syntax.Program, environment: Environment) -> None:
    for word in program.requires:
        if word.name not in _REQUIREMENTS:
            near = closest(word.name, _REQUIREMENTS)
            fix = f"did you mean `{near}`?" if near else "there are `symmetric` and `simple`"
            environment.report("E0410", f"`requires` does not know `{word.name}`", word.span, fix=fix)
