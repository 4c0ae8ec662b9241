"""Params that are sets of vertices: an input with a flag for each vertex, and a frontier of those vertices,
built before the schedule begins."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Generated
from gdsl.frontend.syntax import DeclarationKind, FunctorForm, OperatorKind, Symbol, SymbolKind, conjuncts
from gdsl.operations import BinaryOperation, Domain, Over
from gdsl.types import Type

VERTEX_SET = "vertex set"
"""The type as it is written."""
_TURNED = {
    BinaryOperation.LESS: BinaryOperation.GREATER,
    BinaryOperation.LESS_EQUAL: BinaryOperation.GREATER_EQUAL,
    BinaryOperation.NOT_EQUAL: BinaryOperation.NOT_EQUAL,
}
"""Comparisons of a number with the size, as those of the size with the number."""


def declare_set(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """Make a param known as the frontier that it is for the schedule."""
    if node.kind is not DeclarationKind.PARAM:
        message = f"`{node.name}` cannot be a set: only a param is a `{VERTEX_SET}`"
        fix = "declare a `frontier` in the schedule, or an array of bool"
        environment.report("E0225", message, node.declared.span, fix=fix)
    elif node.initial is not None:
        message = f"the set `{node.name}` has a default"
        fix = "leave it out: the caller passes the set, empty or not"
        environment.report("E0224", message, node.initial.span, fix=fix)
    symbol = Symbol(SymbolKind.FRONTIER, node.name, node.name_span, None, Domain.VERTEX)
    declared = environment.declare_global(symbol)
    unique = environment.generated.name(f"{node.name}_set", numbered=False)
    declared = dataclasses.replace(declared, unique=unique)
    if environment.globals[node.name].span == node.name_span:
        environment.globals[node.name] = declared
    return dataclasses.replace(node, symbol=declared)


def is_set(node: syntax.Declaration) -> bool:
    """Whether a declaration is a param that is a set of vertices."""
    return node.kind is DeclarationKind.PARAM and node.declared.name == VERTEX_SET


def with_least_size(node: syntax.Declaration, environment: Environment) -> syntax.Declaration:
    """`node`, a set, with the fewest members that its `where` requires, and of the `where` what is about each member.

    `size(s)` is only allowed in parts that compare it with a number: `size(s) > 0`, `size(s) >= 2`.
    """
    if node.where is None:
        return node
    least, rest = 0, []
    for part in conjuncts(node.where):
        if not any(_is_size(each, node.name) for each in syntax.walk(part)):
            rest.append(part)
            continue
        least_size = _least(part, node.name)
        if least_size is None:
            message = f"the size of the set `{node.name}` is compared with a number here, and with nothing else"
            fix = f"`size({node.name}) > 0` or `size({node.name}) >= 2`, and the conditions on each member after `&&`"
            environment.report("E0403", message, part.span, fix=fix)
            least_size = 0
        least = max(least, least_size)
    return dataclasses.replace(node, least=least, where=_joined(rest))


def _joined(parts: list[syntax.Expression]) -> syntax.Expression | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    span = dataclasses.replace(parts[0].span, end_line=parts[-1].span.end_line, end_column=parts[-1].span.end_column)
    links = tuple(syntax.Link(span, BinaryOperation.AND, part) for part in parts[1:])
    return syntax.Chain(span, parts[0], links)


def _is_size(node: syntax.Node, name: str) -> bool:
    """Whether `node` is `size(name)`."""
    if not (isinstance(node, syntax.Call) and node.function == "size" and len(node.arguments) == 1):
        return False
    operand = node.arguments[0].value
    return isinstance(operand, syntax.Name) and operand.name == name


def _least(part: syntax.Expression, name: str) -> int | None:
    """The fewest members with which `part`, a comparison of the size with a number, holds; None for anything else."""
    if not isinstance(part, syntax.Binary):
        return None
    operation, number = part.operation, part.right
    if _is_size(part.right, name) and part.operation in _TURNED:
        operation, number = _TURNED[part.operation], part.left
    elif not _is_size(part.left, name):
        return None
    if not isinstance(number, syntax.Number) or not isinstance(number.value, int):
        return None
    if operation is BinaryOperation.GREATER:
        return number.value + 1
    if operation is BinaryOperation.GREATER_EQUAL:
        return number.value
    return 1 if operation is BinaryOperation.NOT_EQUAL and number.value == 0 else None


def with_sets(program: syntax.Program, generated: Generated) -> syntax.Program:
    """The typed program with an input in the place of each such param, and with the frontiers that it uses."""
    sets = [node for node in program.declarations if is_set(node)]
    nodes = [node for statement in program.schedule for node in syntax.walk(statement)]
    used = {node.symbol.unique for node in nodes if isinstance(node, syntax.Name) and node.symbol is not None}
    before: list[syntax.Statement] = []
    functors: list[syntax.Functor] = []
    for node in sets:
        if node.symbol is not None and node.symbol.unique in used:
            functor = _members(node, generated)
            functors.append(functor)
            before.append(_frontier(node, node.symbol, functor))
    return dataclasses.replace(
        program,
        declarations=tuple(_input(node) if is_set(node) else node for node in program.declarations),
        functors=(*program.functors, *functors),
        schedule=(*before, *program.schedule),
    )


def _array(node: syntax.Declaration) -> Symbol:
    return Symbol(SymbolKind.ARRAY, node.name, node.name_span, Type.BOOL, Domain.VERTEX, True, False, node.name)


def _input(node: syntax.Declaration) -> syntax.Declaration:
    """The flags of the vertices, which the caller's set becomes before a run."""
    kind, symbol = DeclarationKind.VERTEX_ARRAY, _array(node)
    return dataclasses.replace(node, kind=kind, is_input=True, is_set=True, type=Type.BOOL, symbol=symbol)


def _members(node: syntax.Declaration, generated: Generated) -> syntax.Functor:
    """What accepts the vertices of the set."""
    span, name = node.span, generated.name(f"in_{node.name}", numbered=False)
    vertex = Symbol(SymbolKind.VERTEX, "v", span, Type.VERTEX, unique="v")
    own = syntax.Name(span, "v", symbol=vertex, type=Type.VERTEX)
    flag = syntax.Index(span, node.name, span, own, symbol=_array(node), type=Type.BOOL)
    functor = syntax.Functor(span, name, span, FunctorForm.VERTEX, (syntax.ParameterName(span, "v"),), flag, ())
    symbol = Symbol(SymbolKind.FUNCTOR, name, span, domain=Domain.VERTEX, unique=name)
    return dataclasses.replace(functor, symbol=symbol, symbols=(vertex,), is_lambda=True)


def _frontier(node: syntax.Declaration, symbol: Symbol, functor: syntax.Functor) -> syntax.Statement:
    span, name = node.span, syntax.Name(node.span, functor.name, symbol=functor.symbol)
    call = syntax.OperatorCall(span, OperatorKind.WHERE, None, name, Over.OUT_EDGES, Domain.VERTEX, Domain.VERTEX)
    return syntax.FrontierDeclaration(span, symbol.unique, node.name_span, call, symbol)
