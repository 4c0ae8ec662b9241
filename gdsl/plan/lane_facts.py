"""Facts about loops over neighbors, for the pass `lane_loops`, its rule and the text that is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import parts, walk
from gdsl.operations import BinaryOperation, Builtin, ReduceOperation
from gdsl.plan.result_nodes import Reduction
from gdsl.types import Type

INNER_LOOPS = (ir.ForNeighbors, ir.ForRange, ir.Loop)
_BY_OPERATOR = {
    BinaryOperation.ADD: ReduceOperation.ADD,
    BinaryOperation.SUBTRACT: ReduceOperation.SUBTRACT,
    BinaryOperation.BIT_AND: ReduceOperation.BIT_AND,
    BinaryOperation.BIT_OR: ReduceOperation.BIT_OR,
    BinaryOperation.BIT_XOR: ReduceOperation.BIT_XOR,
}
_BY_FUNCTION = {Builtin.MIN: ReduceOperation.MIN, Builtin.MAX: ReduceOperation.MAX}


def neighbor_loops(functor: ir.VertexFunctor) -> list[ir.ForNeighbors]:
    """The loops over neighbors in a functor that are in no other one, in the order of the text."""
    inside = {id(node) for loop in walk(functor.body) if isinstance(loop, ir.ForNeighbors) for node in walk(loop.body)}
    return [node for node in walk(functor.body) if isinstance(node, ir.ForNeighbors) and id(node) not in inside]


def gathered_in(loop: ir.ForNeighbors) -> dict[str, Reduction]:
    """The locals from outside a loop into which it does nothing but combine whole numbers or bools, each by one
    operation that gives the same in any order."""
    nodes = walk(loop.body)
    own = {node.name for node in nodes if isinstance(node, ir.Let)}
    found: dict[str, set[Reduction | None]] = {}
    reads = Counter(node.name for node in nodes if isinstance(node, ir.Local))
    for node in nodes:
        if isinstance(node, ir.Assign) and node.name not in own:
            found.setdefault(node.name, set()).add(_combined(node))
            reads[node.name] -= 1
    return {
        name: reduction
        for name, ways in found.items()
        if len(ways) == 1 and (reduction := next(iter(ways))) is not None and reads[name] == 0
    }


def _combined(node: ir.Assign) -> Reduction | None:
    """How `x = x op y` combines."""
    value, kind = node.value, node.value.type
    operands: tuple[ir.Expression, ...]
    if isinstance(value, ir.Binary):
        operation, operands = _BY_OPERATOR.get(value.operation), (value.left, value.right)
        operands = operands[:1] if value.operation is BinaryOperation.SUBTRACT else operands
    elif isinstance(value, ir.BuiltinCall) and value.function in _BY_FUNCTION:
        operation, operands = _BY_FUNCTION[value.function], value.arguments
    else:
        return None
    itself = any(isinstance(each, ir.Local) and each.name == node.name for each in operands)
    exact = kind.is_integer or kind is Type.BOOL
    return Reduction(operation, kind) if operation is not None and itself and exact else None


def depends(part: object, carried: Iterable[str]) -> bool:
    """Whether evaluating `part` needs one of the locals `carried`."""
    names = frozenset(carried)
    return any(isinstance(node, ir.Local) and node.name in names for node in walk(part))


def following(part: object, carried: Iterable[str]) -> list[ir.Expression]:
    """The expressions in `part` whose values need one of the locals `carried`."""
    names, found = frozenset(carried), list[ir.Expression]()

    def needs(item: object) -> bool:
        inside = [needs(each) for each in parts(item)]
        follows = any(inside) or (isinstance(item, ir.Local) and item.name in names)
        if follows and isinstance(item, ir.Expression):
            found.append(item)
        return follows

    needs(part)
    return found
