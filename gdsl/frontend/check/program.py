"""A whole program through the checker."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from gdsl.diagnostics import Diagnostic, GdslError, Label
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
from gdsl.frontend.check.environment import Environment, Generated, Place
from gdsl.frontend.check.far_ends import FarEnds
from gdsl.frontend.check.forests import check_forests
from gdsl.frontend.check.neighbor_operators import vote_types
from gdsl.frontend.check.param_sets import with_sets
from gdsl.frontend.check.procedures import Procedures
from gdsl.frontend.check.schedule import check_block
from gdsl.frontend.check.tuning import Knobs, TuningChecker, operator_calls
from gdsl.frontend.check.type_parameters import declare_types
from gdsl.frontend.parser import parse_tune_words, sort_diagnostics, too_deep
from gdsl.frontend.syntax import DeclarationKind, Symbol
from gdsl.frontend.vocabulary import closest
from gdsl.knobs import WITHOUT
from gdsl.operations import ArrayReduction, BinaryOperation, Over
from gdsl.source import Source, Span
from gdsl.types import Type

NO_TYPES: Mapping[str, Type] = MappingProxyType({})
_REQUIREMENTS = ("symmetric", "simple")
_SATURATING = {
    BinaryOperation.ADD: BinaryOperation.ADD_SATURATING,
    BinaryOperation.SUBTRACT: BinaryOperation.SUBTRACT_SATURATING,
}


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program without mistakes of names, types and placement: the typed tree, its text and its tuning."""

    program: syntax.Program
    source: Source
    knobs: Knobs
    far_ends: dict[str, Over]
    """By the unique name of an edge frontier the edges that were walked for it; see `far_ends`."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All that the checker found out about a tree: `tree` is typed as far as it has no mistakes, `checked` is None
    where there are any."""

    tree: syntax.Program
    symbols: tuple[Symbol, ...]
    diagnostics: tuple[Diagnostic, ...]
    checked: CheckedProgram | None


def check(program: syntax.Program, source: Source, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a parsed program; `tune` are further tuning words, which win over the program's own.

    Raises `GdslError` with as many independent mistakes as there are (E02xx, E04xx). The rules of writes and
    reads are not part of this: see `gdsl.rules`.
    """
    analysis = check_all(program, source)
    if analysis.checked is None:
        raise GdslError(analysis.diagnostics, source)
    check_tune_words(analysis.checked, tune)
    return analysis.checked


def check_all(
    program: syntax.Program, source: Source, broken: syntax.Broken | None = None, types: Mapping[str, Type] = NO_TYPES
) -> CheckResult:
    """What the checker finds in any tree, also in one that the parser could read in parts only; raises nothing. `types`
    are those of type parameters, which else have their defaults."""
    environment = Environment(broken=broken or syntax.Broken(), source=source)
    typed, far_ends, complete = _typed(program, environment, types)
    knobs = Knobs()
    TuningChecker(environment, operator_calls(typed.schedule), knobs, complete=complete).entries(program.tune)
    sorted_diagnostics = sort_diagnostics(environment.diagnostics)
    diagnostics = tuple(
        one for one in sorted_diagnostics if one.span is None or not environment.broken.touches(one.span)
    )
    checked = (
        None if diagnostics or environment.broken.spans else CheckedProgram(saturated(typed), source, knobs, far_ends)
    )
    return CheckResult(typed, tuple(environment.declared), diagnostics, checked)


def check_tune_words(checked: CheckedProgram, tune: Sequence[str]) -> None:
    """Put further tuning words into the knobs of a program. Raises `GdslError` (E04xx) at a wrong one."""
    environment = Environment()
    environment.functors.update(
        {functor.name: functor for functor in checked.program.functors if not functor.is_lambda}
    )
    calls = operator_calls(checked.program.schedule)
    for word in tune:
        checker = TuningChecker(environment, calls, checked.knobs, of_text=False)
        if word.startswith(WITHOUT):
            checker.disable_pass(word.removeprefix(WITHOUT), Span(1, len(WITHOUT) + 1, 1, len(word) + 1))
        else:
            checker.entries(parse_tune_words((word,)))
        if environment.diagnostics:
            raise GdslError(environment.diagnostics, Source("--tune", word))


def _typed(
    program: syntax.Program, environment: Environment, types: Mapping[str, Type]
) -> tuple[syntax.Program, dict[str, Over], bool]:
    """The typed program, how its edge frontiers were walked, and whether its schedule has no mistakes."""
    environment.generated.taken.update(syntax.all_names(program))
    environment.generated.labels.update(_labels(program))
    _check_requirements(program, environment)
    program = dataclasses.replace(program, types=declare_types(program, types, environment))
    declarations = [declare_data(node, environment) for node in program.declarations]
    functions = [declare_function(node, environment) for node in program.functions]
    functors = [declare_functor(node, environment) for node in program.functors]
    procedures = Procedures(environment, check_block)
    procedures.declare(program.procedures)
    environment.votes.update(vote_types(program, environment))
    check_recursion(program.functions, environment)
    typed = dataclasses.replace(
        program,
        declarations=tuple(check_data(node, environment) for node in declarations),
        functions=tuple(check_function(node, environment) for node in functions),
        functors=tuple(check_functor(node, environment) for node in functors),
    )
    before = len(environment.diagnostics)
    procedures.check_all()
    around = environment.part(Place.SCHEDULE)
    around.taken.update(environment.globals)  # what a procedure declares may have the name of data, which it hides
    schedule = check_block(around, procedures, None, program.schedule)
    result = _with_generated(typed, environment.generated, schedule)
    if len(environment.diagnostics) == 0:
        check_forests(result, environment)
    deep = too_deep(result) if procedures.expansions and not environment.diagnostics else None
    if deep is not None:
        environment.diagnostics.append(deep)
    far_ends = FarEnds(environment).find(schedule)
    complete = len(environment.diagnostics) == before and not environment.broken.spans
    return result, far_ends, complete


def _with_generated(
    typed: syntax.Program, generated: Generated, schedule: tuple[syntax.Statement, ...]
) -> syntax.Program:
    """The program with its typed schedule and with the declarations generated for it."""
    scalars = tuple(_local_scalar(symbol) for symbol in generated.scalars)
    complete = dataclasses.replace(
        typed,
        declarations=(*typed.declarations, *scalars),
        functors=(*typed.functors, *generated.functors),
        schedule=schedule,
        procedures=(),
        imports=(),
    )
    return with_sets(complete, generated)


def _local_scalar(symbol: Symbol) -> syntax.Declaration:
    assert symbol.type is not None
    kind, declared = DeclarationKind.SCALAR, syntax.TypeName(symbol.span, symbol.type.name)
    node = syntax.Declaration(symbol.span, kind, symbol.name, symbol.span, declared, None, None, False, is_local=True)
    return dataclasses.replace(node, type=symbol.type, symbol=symbol)


def _labels(program: syntax.Program) -> set[str]:
    return {node.label for node in syntax.walk(program) if isinstance(node, syntax.Call) and node.label is not None}


def _check_requirements(program: syntax.Program, environment: Environment) -> None:
    first: dict[str, Span] = {}
    for word in program.requires:
        if first.setdefault(word.name, word.span) is not word.span:
            message, labels = f"`{word.name}` is required twice", (Label(first[word.name], "the first"),)
            environment.report("E0410", message, word.span, labels=labels, fix="leave one of them out")
        elif word.name not in _REQUIREMENTS:
            near = closest(word.name, _REQUIREMENTS)
            fix = f"did you mean `{near}`?" if near else "there are `symmetric` and `simple`"
            environment.report("E0410", f"`requires` does not know `{word.name}`", word.span, fix=fix)


def saturated(program: syntax.Program) -> syntax.Program:
    """The typed `program` with its saturating sums and differences marked: those of the integer types whose `inf` the
    program writes.

    Updates (`x += y` on an element or a scalar) are left alone: they wrap, as atomic additions do.
    """
    infinity_types = (node.type for node in syntax.walk(program) if isinstance(node, syntax.Infinity))
    types = frozenset(type_ for type_ in infinity_types if type_ is not None and type_.is_integer)

    def change(value: Any) -> Any:
        if not isinstance(value, syntax.Node):
            return value
        node = syntax.map_slots(value, change)
        match node:
            case syntax.Binary(wraps=False) if node.type in types and node.operation in _SATURATING:
                return dataclasses.replace(node, operation=_SATURATING[node.operation])
            case syntax.Chain(wraps=False) if node.type in types:
                signs = [_SATURATING.get(link.operation, link.operation) for link in node.links]
                links = zip(node.links, signs, strict=True)
                return dataclasses.replace(
                    node, links=tuple(dataclasses.replace(link, operation=sign) for link, sign in links)
                )
            case syntax.Reduced(operation=ArrayReduction.SUM) if node.type in types:
                return dataclasses.replace(node, saturates=True)
        return node

    return syntax.map_slots(program, change) if types else program
