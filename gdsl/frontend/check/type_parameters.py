"""Declared types and type parameters, and the instances of a program: one for each choice of its type parameters."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from gdsl.diagnostics import Diagnostic, GdslError, enumerate_words
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.param_sets import VERTEX_SET
from gdsl.frontend.check.statements import resolve_type
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import TYPES, closest
from gdsl.source import Span
from gdsl.types import TYPE_CLASSES, Type, widened

MOST_PARAMETERS = 3
"""A program is checked for every combination of the types that its parameters admit."""


def declare_types(
    program: syntax.Program, chosen: Mapping[str, Type], environment: Environment
) -> tuple[syntax.TypeDeclaration, ...]:
    """Make the declared types known, `chosen` in the place of defaults; reports mistakes (E0243)."""
    parameters = [node for node in program.types if node.is_parameter]
    for node in parameters[MOST_PARAMETERS:]:
        message = f"a program has at most {MOST_PARAMETERS} type parameters: it is checked for every type of each"
        environment.report("E0243", message, node.span, fix=f"write `type {node.name} = {node.target.name};`")
    return tuple(_declared(node, chosen, environment) for node in program.types)


def _declared(
    node: syntax.TypeDeclaration, chosen: Mapping[str, Type], environment: Environment
) -> syntax.TypeDeclaration:
    type_ = _parameter(node, chosen, environment) if node.is_parameter else _alias(node, environment)
    kind = SymbolKind.MISTAKEN if type_ is None else SymbolKind.TYPE
    symbol = environment.declare_global(Symbol(kind, node.name, node.name_span, type_))
    if environment.globals[node.name].span == symbol.span:
        environment.types[node.name] = type_
    return dataclasses.replace(node, type=type_)


def _parameter(node: syntax.TypeDeclaration, chosen: Mapping[str, Type], environment: Environment) -> Type | None:
    admitted = TYPE_CLASSES.get(node.class_name or "")
    if admitted is None:
        near = closest(node.class_name or "", TYPE_CLASSES)
        classes = enumerate_words(f"`{name}`" for name in TYPE_CLASSES)
        fix = f"did you mean `{near}`?" if near else None
        if node.class_name in ("float", "floating", "decimal"):
            fix = f"write `type {node.name} : real = {node.target.name};`"
        elif node.class_name in ("int", "whole", "integral"):
            fix = f"write `type {node.name} : integer = {node.target.name};`"
        elif node.class_name in TYPES:
            fix = f"for another name for a type write `type {node.name} = {node.class_name};`"
        message = f"a type parameter is {classes}, not `{node.class_name}`"
        environment.report("E0243", message, node.class_span or node.span, fix=fix)
        return None
    if default_of(node) is None:
        if node.target.parts or node.target.name in {*environment.types, *TYPES, VERTEX_SET}:
            type_names = enumerate_words(type_.name for type_ in admitted)
            message = f"the default of `{node.name}` is one of the types of `{node.class_name}`: {type_names}"
            environment.report("E0243", message, node.target.span)
        else:
            resolve_type(node.target, environment)
        return None
    return chosen.get(node.name, default_of(node))


def default_of(node: syntax.TypeDeclaration) -> Type | None:
    """The default of a type parameter; None where its class or its default is invalid."""
    type_ = TYPES.get(node.target.name)
    return type_ if type_ in TYPE_CLASSES.get(node.class_name or "", ()) else None


def _alias(node: syntax.TypeDeclaration, environment: Environment) -> Type | None:
    type_ = resolve_type(node.target, environment)
    if type_ is None or not node.widened:
        return type_
    if not type_.is_numeric:
        environment.report("E0243", f"`wide` is of types of numbers, and this is {type_.name}", node.target.span)
        return None
    return widened(type_)


def parameter_of(name: str, program: syntax.Program) -> str | None:
    """The type parameter that a name of a type means, directly or through other names; None: another type."""
    declared = {node.name: node for node in program.types}
    seen = set[str]()
    while name in declared and name not in seen:
        seen.add(name)
        node = declared[name]
        if node.is_parameter:
            return name
        if node.widened:
            return None
        name = node.target.name
    return None


_FRACTION = re.compile(r"\d\.\d|\de-\d")
Types = tuple[tuple[str, Type], ...]
"""Type parameters by name, each with the type that an instance of the program has there."""


def instances(program: syntax.Program) -> Iterator[Types]:
    """Every combination of types that the type parameters of a program admit, that of the defaults first; nothing of
    one without type parameters, or with mistakes in their declarations."""
    parameters = [node for node in program.types if node.is_parameter]
    names = {node.name for node in parameters}
    if not 0 < len(parameters) == len(names) <= MOST_PARAMETERS or not all(map(default_of, parameters)):
        return
    defaults = tuple((node.name, TYPES[node.target.name]) for node in parameters)
    yield defaults
    for types in product(*(TYPE_CLASSES[node.class_name or ""] for node in parameters)):
        named = tuple((node.name, type_) for node, type_ in zip(parameters, types, strict=True))
        if named != defaults:
            yield named


def check_choice(program: syntax.Program, types: Types) -> None:
    """Raise E0621 for a name that is not a type parameter of the program, and for a type that it does not admit."""
    parameters = {node.name: node for node in program.types if node.is_parameter}
    for name, type_ in types:
        if name not in parameters:
            near = closest(name, parameters)
            choices = enumerate_words((f"`{each}`" for each in parameters), "and")
            fix = f"did you mean `{near}`?" if near else f"its type parameters are {choices}" if parameters else None
            raise GdslError.single("E0621", f"program {program.name} has no type parameter `{name}`", fix=fix)
        node = parameters[name]
        admitted = TYPE_CLASSES.get(node.class_name or "", (type_,))
        if type_ not in admitted:
            message = f"`{name}` is a `{node.class_name}`, and {type_.name} is not one"
            fix = f"its types are {enumerate_words(each.name for each in admitted)}"
            raise GdslError.single("E0621", message, fix=fix)


def mistakes_of_instances(
    program: syntax.Program, by_types: Mapping[Types, Sequence[Diagnostic]]
) -> tuple[Diagnostic, ...]:
    """The mistakes that instances have, each once; one that some do not have names the types of those that do."""
    by_place: dict[tuple[str, Span | None], dict[Types, Diagnostic]] = {}
    for types, diagnostics in by_types.items():
        for each in diagnostics:
            by_place.setdefault((each.code, each.span), {}).setdefault(types, each)
    return tuple(_of_some(program, wrong, [*by_types]) for wrong in by_place.values())


def _of_some(program: syntax.Program, wrong: Mapping[Types, Diagnostic], every: Sequence[Types]) -> Diagnostic:
    first = next(iter(wrong.values()))
    if len(wrong) == len(every):
        return first
    instance, names = next(iter(wrong)), [name for name, _ in every[0]]
    types = [{each[place][1] for each in wrong} for place in range(len(names))]
    all_types = [{each[place][1] for each in every} for place in range(len(names))]
    some = [place for place in range(len(names)) if types[place] != all_types[place]]
    fix = _with_parameter_names(first.fix, [instance[place] for place in some or range(len(names))])
    if len(some) != 1:
        shown = " and ".join(f"`{names[place]}` is {instance[place][1].name}" for place in some or range(len(names)))
        return dataclasses.replace(first, notes=(*first.notes, f"for some types only, such as where {shown}"), fix=fix)
    [place] = some
    if fix is not None and _FRACTION.search(fix) and all(type_.is_integer for type_ in types[place]):
        fix = None  # a cast would make another number of it
    type_names = enumerate_words(type_.name for type_ in TYPES.values() if type_ in types[place])
    note = f"only where `{names[place]}` is {type_names}"
    fix = fix or _fewer_types_fix(program, names[place], types[place])
    return dataclasses.replace(first, notes=(*first.notes, note), fix=fix)


def _with_parameter_names(fix: str | None, types: Sequence[tuple[str, Type]]) -> str | None:
    """A fix for one instance with the names of type parameters in its casts; None where these may be several."""
    for type_ in {type_ for _, type_ in types}:
        if fix is not None and re.search(cast := rf"\b{type_.name}\(", fix):
            names = [name for name, each in types if each is type_]
            fix = re.sub(cast, f"{names[0]}(", fix) if len(names) == 1 else None
    return fix


def _fewer_types_fix(program: syntax.Program, name: str, wrong: set[Type]) -> str | None:
    """A class of types without those that the program is wrong for."""
    node = next(each for each in program.types if each.name == name)
    admitted = set(TYPE_CLASSES[node.class_name or ""])
    for class_name, types in TYPE_CLASSES.items():
        if {*types} <= admitted - wrong:
            default = node.target.name if TYPES[node.target.name] in types else types[0].name
            return f"admit fewer types: `type {name} : {class_name} = {default};`"
    return None
