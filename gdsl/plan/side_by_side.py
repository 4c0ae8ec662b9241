"""Decides how many edges of a list a thread looks at side by side where they are reduced (cuda).

A thread waits for the neighbour's id and then for what is read of the neighbour. With several edges at a time these
waits overlap, at the price of the value's text as many times, in registers and in the compiler's time. What computes
long by itself has less to wait for and more text, so it is written once. To look further ahead changes no result: all
of a list is reduced, or what is left of it cannot change the result (`stopping`).
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir.nodes import BuiltinCall, EdgeFunctor, FunctionCall, NeighborReduce, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Builtin

SEVERAL = 4
MOST_NODES = 48
"""Of a value and of the operator that reduces it, calls replaced by what they call: more are written once."""
_SHORT = frozenset({Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC, Builtin.SQRT})
_LONG_CALL = 32
"""Nodes for which a call counts that is many instructions."""


def edges_side_by_side(step: NeighborReduce, functor: EdgeFunctor, program: Program) -> int:
    """Of the reduction `step` of what `functor` gives."""
    functions = {function.name: function.body for function in program.functions}
    own = nodes_in(functions[step.own.function], functions) if step.own is not None else 0
    nodes = nodes_in(functor, functions) + own
    return SEVERAL if nodes <= MOST_NODES else 1


def nodes_in(part: object, functions: Mapping[str, object]) -> int:
    """How many nodes `part` has once calls are replaced by what they call, as far as it matters."""
    count, parts = 0, [part]
    while parts and count <= MOST_NODES:
        for node in walk(parts.pop()):
            count += _LONG_CALL if isinstance(node, BuiltinCall) and node.function not in _SHORT else 1
            if isinstance(node, FunctionCall):
                parts.append(functions[node.function])
    return count
