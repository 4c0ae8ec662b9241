"""Declared types: the caller's type parameters and other names for types, in one instance of a program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.param_sets import VERTEX_SET
from gdsl.frontend.check.statements import resolve_type
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import TYPES, closest, enumerate_words
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
        if node.class_name in TYPES:
            fix = f"for another name for a type write `type {node.name} = {node.class_name};`"
        message = f"a type parameter is {classes}, not `{node.class_name}`"
        environment.report("E0243", message, node.class_span or node.span, fix=fix)
        return None
    if default_of(node) is None:
        if node.target.parts or node.target.name in {*environment.types, *TYPES, VERTEX_SET}:
            listed = enumerate_words(type_.name for type_ in admitted)
            message = f"the default of `{node.name}` is one of the types of `{node.class_name}`: {listed}"
            environment.report("E0243", message, node.target.span)
        else:
            resolve_type(node.target, environment)
        return None
    return chosen.get(node.name, default_of(node))


def default_of(node: syntax.TypeDeclaration) -> Type | None:
    """The default of a type parameter; None where its class or its default is none."""
    found = TYPES.get(node.target.name)
    return found if found in TYPE_CLASSES.get(node.class_name or "", ()) else None


def _alias(node: syntax.TypeDeclaration, environment: Environment) -> Type | None:
    found = resolve_type(node.target, environment)
    if found is None or not node.widened:
        return found
    if not found.is_numeric:
        environment.report("E0243", f"`wide` is of types of numbers, and this is {found.name}", node.target.span)
        return None
    return widened(found)


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
