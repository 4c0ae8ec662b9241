"""What a piece of a program needs around it: the data, the iteration, the functor's own parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gdsl.codegen.statements import polls
from gdsl.ir import nodes as ir
from gdsl.ir.calls import function_order, long_functions
from gdsl.ir.traversal import walk

_DATA = (
    ir.Count,
    ir.DegreeOf,
    ir.Element,
    ir.ElementTarget,
    ir.ForNeighbors,
    ir.GraphRead,
    ir.LargestDegree,
    ir.ParamValue,
    ir.Place,
    ir.ScalarTarget,
    ir.ScalarValue,
)


@dataclass(frozen=True, slots=True)
class Uses:
    """Whether the data and the iteration are needed, and which of the functor's own parameters."""

    data: bool
    iteration: bool
    roles: frozenset[ir.Role]


def uses_of(part: ir.Node | tuple[ir.Node, ...], functions: dict[str, Uses]) -> Uses:
    """What `part` needs, given what the program's functions need."""
    nodes = list(walk(part))
    called = [functions[node.function] for node in nodes if isinstance(node, ir.FunctionCall)]
    roles = {node.role for node in nodes if isinstance(node, ir.Parameter)}
    if any(isinstance(node, ir.Place) for node in nodes):
        roles |= {ir.Role.SOURCE, ir.Role.EDGE}
    statements = tuple(node for node in nodes if isinstance(node, ir.Statement))
    data = any(isinstance(node, _DATA) or _makes_id(node) for node in nodes) or polls(statements)
    return Uses(
        data or any(uses.data for uses in called),
        any(isinstance(node, ir.Iteration) for node in nodes) or any(uses.iteration for uses in called),
        frozenset(roles),
    )


def _makes_id(node: ir.Node) -> bool:
    """Whether a number becomes an id, for which it is compared with how many there are."""
    return isinstance(node, ir.Convert) and node.type.is_id and node.operand.type is not node.type


def function_uses(program: ir.Program) -> dict[str, Uses]:
    """What each of the program's functions needs."""
    result: dict[str, Uses] = {}
    asking = long_functions(program)
    for function in function_order(program):
        uses = uses_of(function.body, result)
        result[function.name] = replace(uses, data=uses.data or function.name in asking)
    return result
