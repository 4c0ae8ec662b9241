"""What must hold of a program that comes from outside, beyond what `verifier` asks of the passes: with it, no program
that is read from the cache reaches past an array, ends a backend with an exception, or is text that no compiler takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from gdsl.arithmetic.constants import integer_range
from gdsl.ir import nodes, signatures
from gdsl.ir.nodes import Role
from gdsl.ir.params_checked import all_checked
from gdsl.ir.set_checks import holds_together
from gdsl.ir.slot_soundness import slots_are_sound
from gdsl.ir.traversal import walk
from gdsl.operations import (
    BinaryOperation,
    Domain,
    GraphQuery,
    NeighborOperation,
    ReduceOperation,
    UnaryOperation,
)
from gdsl.source import Span
from gdsl.types import TYPE_CLASSES, Type

_Known: TypeAlias = "str | tuple[str, Type]"
_LARGEST = 2**31 - 1
"""Of lines, columns and sites."""
_BITWISE = (BinaryOperation.BIT_AND, BinaryOperation.BIT_OR, BinaryOperation.BIT_XOR)
_WHOLE = (
    BinaryOperation.ADD_SATURATING,
    BinaryOperation.SUBTRACT_SATURATING,
    BinaryOperation.INTEGER_DIVIDE,
    BinaryOperation.SHIFT_LEFT,
    BinaryOperation.SHIFT_RIGHT,
)
_TYPES = {
    nodes.Iteration: Type.INT32,
    nodes.Place: Type.INT32,
    nodes.OwnPart: Type.INT32,
    nodes.DegreeOf: Type.INT32,
    nodes.Count: Type.INT64,
    nodes.FrontierSize: Type.INT64,
    nodes.FrontierNotEmpty: Type.BOOL,
    nodes.CompareAndSwap: Type.BOOL,
}
_SAFE = (nodes.Parameter, nodes.OwnId, nodes.ParamValue, nodes.ListVariable)
"""Indices that are within bounds by what they are, or are tested before the run."""
_EVERYWHERE = (
    nodes.Literal,
    nodes.NoneId,
    nodes.Unary,
    nodes.Binary,
    nodes.Chain,
    nodes.Select,
    nodes.Convert,
    nodes.BuiltinCall,
    nodes.FunctionCall,
    nodes.MakePair,
    nodes.PairPart,
)
_GRAPH = (nodes.ParamValue, nodes.Count, nodes.DegreeOf)
_INITIAL = (*_EVERYWHERE, *_GRAPH, nodes.OwnId, nodes.OwnPart, nodes.Element, nodes.Slot, nodes.ScalarValue)
_FUNCTION = (*_EVERYWHERE, nodes.Local)
_NAMED = (nodes.Local, nodes.ListVariable, nodes.Assign)
_NOT_IN_FUNCTIONS = (nodes.Store, nodes.Update, nodes.Evaluate, nodes.Accept, nodes.ForNeighbors)
_VERTEX = (
    *_EVERYWHERE,
    *_GRAPH,
    nodes.Local,
    nodes.ListVariable,
    nodes.Parameter,
    nodes.ScalarValue,
    nodes.Element,
    nodes.Slot,
    nodes.GraphRead,
    nodes.Iteration,
    nodes.UpdateValue,
    nodes.CompareAndSwap,
)
_EDGE = (*_VERTEX, nodes.Place)
_VOTE = (
    *_FUNCTION,
    *_GRAPH,
    nodes.Parameter,
    nodes.ScalarValue,
    nodes.Element,
    nodes.GraphRead,
    nodes.Iteration,
)
_SCHEDULE = (
    *_EVERYWHERE,
    *_GRAPH,
    nodes.Slot,
    nodes.ScalarValue,
    nodes.Iteration,
    nodes.FrontierSize,
    nodes.FrontierNotEmpty,
)


def is_sound(program: nodes.Program) -> bool:
    """Whether all of it holds of a verified program."""
    return (
        all(_node(node, program) for node in walk(program))
        and _data(program)
        and all(_type_parameter(each, program) for each in program.types)
        and slots_are_sound(program)
        and _functions(program)
        and _functors(program)
        and all(_allowed(step, _SCHEDULE) for step in program.schedule)
        and _writes(program)
        and all_checked(program)
        and holds_together(program)
    )


def _type_parameter(parameter: nodes.TypeParameter, program: nodes.Program) -> bool:
    """Whether it admits its types, and what it lists has its type."""
    admitted = TYPE_CLASSES.get(parameter.class_name, ())
    data = {each.name: each.type for each in program.params}
    data |= {each.name: each.type for each in program.arrays}
    data |= {each.name: each.type for each in program.scalars}
    if parameter.type not in admitted or parameter.default not in admitted:
        return False
    return all(data.get(name) is parameter.type for name in parameter.users)


# ------------------------------------------------------------ nodes by themselves


def _node(node: nodes.Node, program: nodes.Program) -> bool:
    span = node.span
    if not _is_place(span) or (span.origin is not None and not all(map(_is_place, span.calls))):
        return False
    if type(node) in _TYPES and isinstance(node, nodes.Expression) and node.type is not _TYPES[type(node)]:
        return False
    test = _TESTS.get(type(node))
    return test is None or test(node, program)


def _is_place(span: Span) -> bool:
    return min(at := (span.line, span.column, span.end_line, span.end_column)) >= 0 and max(at) <= _LARGEST


def _literal(node: nodes.Literal, _: nodes.Program) -> bool:
    if node.type.is_float or node.type is Type.BOOL:
        return isinstance(node.value, float if node.type.is_float else bool)
    if isinstance(node.value, bool) or not isinstance(node.value, int) or node.type.is_pair:
        return False
    low, high = integer_range(node.type) if node.type.is_integer else (-(2**64), 2**64)
    return low <= node.value <= high


def _unary(node: nodes.Unary, _: nodes.Program) -> bool:
    wanted = {
        UnaryOperation.NEGATE: node.type.is_numeric,
        UnaryOperation.NOT: node.type is Type.BOOL,
        UnaryOperation.INVERT: node.type.is_integer,
    }
    return wanted[node.operation]


def _takes(operation: BinaryOperation, kind: Type) -> bool:
    """Whether an operation is one on values of a type."""
    if operation.is_logical or kind is Type.BOOL:
        equal = operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL, *_BITWISE)
        return kind is Type.BOOL and (operation.is_logical or equal)
    if operation.is_comparison:
        return True
    if operation in _BITWISE or operation in _WHOLE:
        return kind.is_integer
    return kind.is_float if operation is BinaryOperation.DIVIDE else kind.is_numeric


def _chain(node: nodes.Chain, _: nodes.Program) -> bool:
    kept = [link.operation for link in node.links if node.type is Type.BOOL or not link.operation.is_comparison]
    return 0 < len(node.links) == len(kept) and all(_takes(operation, node.type) for operation in kept)


def _builtin(node: nodes.BuiltinCall, _: nodes.Program) -> bool:
    return signatures.fits(node.function, node.type, [argument.type for argument in node.arguments])


def _parameter(node: nodes.Parameter, _: nodes.Program) -> bool:
    return (node.type is Type.EDGE) is node.role.is_edge and node.type.is_id


def _indexed(node: nodes.Element | nodes.ElementTarget, program: nodes.Program) -> bool:
    own, index = Type.VERTEX if node.domain is Domain.VERTEX else Type.EDGE, nodes.element_index(node.index)
    checked = node.index.checked and not node.checked if isinstance(node.index, nodes.Slot) else node.checked
    return checked or (index.type is own and isinstance(index, _SAFE))


def _degree(node: nodes.DegreeOf, _: nodes.Program) -> bool:
    return node.checked or isinstance(node.vertex, _SAFE)


def _graph_read(node: nodes.GraphRead, _: nodes.Program) -> bool:
    return node.checked or node.query is GraphQuery.HAS_EDGE or isinstance(node.arguments[0], _SAFE)


def _update(node: nodes.Update, _: nodes.Program) -> bool:
    kind = node.target.type
    if node.operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        return kind.is_numeric or kind.is_id or kind.is_pair
    if node.operation in (ReduceOperation.BIT_AND, ReduceOperation.BIT_OR, ReduceOperation.BIT_XOR):
        return kind.is_integer or kind is Type.BOOL
    return kind.is_numeric


def _closes(node: nodes.Advance | nodes.Compute, program: nodes.Program) -> bool:
    closing = node.closing
    functor = {each.name: each for each in program.edge_functors}.get(node.functor)
    if closing is None or functor is None:
        return closing is None
    if closing.statement is not None and not 0 <= closing.statement < len(functor.body):
        return False
    written = functor.body if closing.statement is None else functor.body[closing.statement]
    return (
        closing.end in (Role.NEAR, Role.FAR)
        and 0 <= closing.conjunct < len(functor.condition)
        and _names(functor.condition[closing.conjunct], nodes.Element, closing.array)
        and _names(written, nodes.ElementTarget, closing.array)
    )


def _names(part: object, kind: type[nodes.Element | nodes.ElementTarget], array: str) -> bool:
    return any(isinstance(node, kind) and node.array == array for node in walk(part))


def _reduces(node: nodes.NeighborReduce, program: nodes.Program) -> bool:
    operation, kind = node.operation, node.array_type
    if operation is None:
        return True
    [value] = [functor.value for functor in program.edge_functors if functor.name == node.functor]
    if operation is NeighborOperation.COUNT:
        return kind.is_integer and value is not None and value.type is Type.BOOL
    if operation in (NeighborOperation.SOME, NeighborOperation.EVERY):
        return kind is Type.BOOL
    if operation in (NeighborOperation.AND, NeighborOperation.OR, NeighborOperation.XOR):
        return kind.is_integer or kind is Type.BOOL
    ordered = kind.is_id or kind.is_pair
    return kind.is_numeric or (ordered and operation in (NeighborOperation.MIN, NeighborOperation.MAX))


def _votes(node: nodes.NeighborVote, program: nodes.Program) -> bool:
    [functor] = [functor for functor in program.edge_functors if functor.name == node.functor]
    keyed = node.array_type.is_integer or node.array_type.is_id
    return keyed and functor.value is not None and functor.value.type.is_numeric


_TESTS: dict[type, Callable[..., bool]] = {
    nodes.Literal: _literal,
    nodes.NoneId: lambda node, _: node.type.is_id,
    nodes.OwnId: lambda node, _: node.type.is_id,
    nodes.Unary: _unary,
    nodes.Binary: lambda node, _: _takes(node.operation, node.left.type),
    nodes.Chain: _chain,
    nodes.BuiltinCall: _builtin,
    nodes.Convert: lambda node, _: node.type is node.operand.type or not (node.type.parts or node.operand.type.parts),
    nodes.Parameter: _parameter,
    nodes.Element: _indexed,
    nodes.ElementTarget: _indexed,
    nodes.DegreeOf: _degree,
    nodes.GraphRead: _graph_read,
    nodes.ForNeighbors: lambda node, _: node.checked or isinstance(node.vertex, _SAFE),
    nodes.Update: _update,
    nodes.Advance: _closes,
    nodes.Compute: _closes,
    nodes.NeighborReduce: _reduces,
    nodes.NeighborVote: _votes,
}


# ------------------------------------------------------------ what may stand where


def _allowed(part: object, kinds: tuple[type[nodes.Expression], ...], roles: Iterable[Role] = ()) -> bool:
    return all(
        isinstance(node, kinds) and (not isinstance(node, nodes.Parameter) or node.role in roles)
        for node in walk(part)
        if isinstance(node, nodes.Expression)
    )


def _data(program: nodes.Program) -> bool:
    for param in program.params:
        kinds = (*_EVERYWHERE, nodes.ParamValue) if param.is_count else _EVERYWHERE
        where = param.where is None or (param.where.type is Type.BOOL and not param.is_count)
        alone = _allowed(param.default, kinds) and _allowed(param.where, (*_EVERYWHERE, *_GRAPH))
        if not where or not alone or param.type.is_pair:
            return False
    everything: tuple[nodes.Array | nodes.Scalar, ...] = (*program.arrays, *program.scalars)
    for data in everything:
        if (data.initial is None) is not data.is_input or (data.is_input and data.type.is_pair):
            return False
        if isinstance(data, nodes.Array) and data.is_set and not _is_set(data):
            return False
        if not _allowed((data.initial, data.where), _INITIAL):
            return False
        if data.where is not None and (data.where.type is not Type.BOOL or not data.is_input):
            return False
    return True


def _functions(program: nodes.Program) -> bool:
    """Functions end in a result and call only others, none itself by way of them."""
    calls = {
        function.name: {node.function for node in walk(function.body) if isinstance(node, nodes.FunctionCall)}
        for function in program.functions
    }
    while calls:
        ready = {name for name, called in calls.items() if not called & calls.keys()}
        if not ready:
            return False
        calls = {name: called for name, called in calls.items() if name not in ready}
    return all(
        _allowed(function.body, _FUNCTION)
        and not any(isinstance(node, _NOT_IN_FUNCTIONS) for node in parts)
        and all(node.value.type is function.result for node in parts if isinstance(node, nodes.Return))
        and _block(function.body, {name for name, _ in function.parameters}, returns=True)
        for function in program.functions
        for parts in [tuple(walk(function.body))]
    )


def _functors(program: nodes.Program) -> bool:
    ends = (Role.SOURCE, Role.DESTINATION, Role.EDGE, Role.NEAR, Role.FAR)
    of_vertices = all(
        _allowed((functor.condition, functor.body), _VERTEX, (Role.VERTEX,)) for functor in program.vertex_functors
    )
    of_edges = all(
        _allowed((functor.condition, functor.body, functor.value, functor.key), _EDGE, ends)
        if functor.common is None
        else _allowed((functor.condition, functor.body), _VERTEX, _corners(functor.common))
        for functor in program.edge_functors
    )
    functors: tuple[nodes.VertexFunctor | nodes.EdgeFunctor, ...] = (*program.vertex_functors, *program.edge_functors)
    conditions = all(part.type is Type.BOOL for functor in functors for part in functor.condition)
    votes = all(_allowed(functor.value, _VOTE, (Role.VERTEX,)) for functor in program.vote_functors)
    numbers = all(functor.value.type.is_numeric for functor in program.vote_functors)
    of_edges = of_edges and votes and numbers
    return of_vertices and of_edges and conditions and all(_block(functor.body, set()) for functor in functors)


def _corners(common: nodes.CommonNames) -> tuple[Role, ...]:
    """What a functor on common neighbours may speak of."""
    edges = (Role.EDGE, Role.SOURCE_EDGE, Role.DESTINATION_EDGE) if common.has_edges else ()
    return Role.SOURCE, Role.DESTINATION, Role.COMMON, *edges


def _block(body: Iterable[nodes.Statement], known: set[_Known], loop: bool = False, returns: bool = False) -> bool:
    """Whether locals are known where they are used, loops are left in loops only, and only functions return.

    `known` has the names of locals, and those of list variables with their types."""
    known = set(known)
    for node in body:
        inside: tuple[tuple[nodes.Statement, ...], ...] = ()
        own: object = node
        if isinstance(node, nodes.Branch):
            own, inside = node.condition, (node.then, node.otherwise)
        elif isinstance(node, nodes.Loop):
            own, inside = node.condition, (node.body,)
        elif isinstance(node, nodes.ForRange):
            own, inside = (node.first, node.last), (node.body,)
        elif isinstance(node, nodes.ForNeighbors):
            own, inside = node.vertex, (node.body,)
        elif (isinstance(node, nodes.Break) and not loop) or (isinstance(node, nodes.Return) and not returns):
            return False
        if any(isinstance(part, _NAMED) and _key(part) not in known for part in walk(own)):
            return False
        looping = loop or isinstance(node, (nodes.Loop, nodes.ForRange, nodes.ForNeighbors))
        seen = {*known, node.name} if isinstance(node, nodes.ForRange) else known
        seen = {*known, *node.variables} if isinstance(node, nodes.ForNeighbors) else seen
        if not all(_block(part, seen, looping, returns) for part in inside):
            return False
        if isinstance(node, nodes.Let):
            known.add(node.name)
    return True


def _is_set(array: nodes.Array) -> bool:
    """Whether an array can hold a set of the caller's."""
    return array.is_input and array.type is Type.BOOL and array.domain is Domain.VERTEX and array.least >= 0


def _key(part: nodes.Local | nodes.ListVariable | nodes.Assign) -> _Known:
    return (part.name, part.type) if isinstance(part, nodes.ListVariable) else part.name


def _writes(program: nodes.Program) -> bool:
    """Nothing is written that belongs to the caller."""
    everything: tuple[nodes.Array | nodes.Scalar, ...] = (*program.arrays, *program.scalars)
    given = {data.name for data in everything if data.is_input}
    written: set[str] = set()
    for node in walk((program.vertex_functors, program.edge_functors, program.schedule)):
        if isinstance(node, (nodes.ElementTarget, nodes.Fill)):
            written.add(node.array)
        elif isinstance(node, nodes.Contract):
            written |= set(node.arrays)
        elif isinstance(node, nodes.SetStep):
            written |= set(node.writes)
        elif isinstance(node, nodes.Operator):
            written |= {name for name in (node.stores, node.adds_to) if name is not None}
        elif isinstance(node, (nodes.ScalarTarget, nodes.StoreScalar)):
            written.add(node.scalar)
        elif isinstance(node, nodes.Swap):
            written |= {node.first, node.second}
    return not written & given
