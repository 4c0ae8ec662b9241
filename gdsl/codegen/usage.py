"""What a piece of a program needs around it: the data, the iteration, the functor's own parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gdsl.codegen.statements import polls
from gdsl.ir.calls import function_order, long_functions
from gdsl.ir.nodes import (
    Convert,
    Count,
    DegreeOf,
    Element,
    ElementTarget,
    ForNeighbors,
    FunctionCall,
    GraphRead,
    Iteration,
    Node,
    Parameter,
    ParamValue,
    Place,
    Program,
    Role,
    ScalarTarget,
    ScalarValue,
    Statement,
)
from gdsl.ir.traversal import walk

_DATA = (
    Count,
    DegreeOf,
    Element,
    ElementTarget,
    ForNeighbors,
    GraphRead,
    ParamValue,
    Place,
    ScalarTarget,
    ScalarValue,
)


@dataclass(frozen=True, slots=True)
class Uses:
    """Whether the data and the iteration are needed, and which of the functor's own parameters."""

    data: bool
    iteration: bool
    roles: frozenset[Role]


def uses_of(part: Node | tuple[Node, ...], functions: dict[str, Uses]) -> Uses:
    """What `part` needs, given what the program's functions need."""
    nodes = list(walk(part))
    called = [functions[node.function] for node in nodes if isinstance(node, FunctionCall)]
    roles = {node.role for node in nodes if isinstance(node, Parameter)}
    if any(isinstance(node, Place) for node in nodes):
        roles |= {Role.SOURCE, Role.EDGE}
    statements = tuple(node for node in nodes if isinstance(node, Statement))
    data = any(isinstance(node, _DATA) or _makes_id(node) for node in nodes) or polls(statements)
    return Uses(
        data or any(uses.data for uses in called),
        any(isinstance(node, Iteration) for node in nodes) or any(uses.iteration for uses in called),
        frozenset(roles),
    )


def _makes_id(node: Node) -> bool:
    """Whether a number becomes an id, for which it is compared with how many there are."""
    return isinstance(node, Convert) and node.type.is_id and node.operand.type is not node.type


def function_uses(program: Program) -> dict[str, Uses]:
    """What each of the program's functions needs."""
    result: dict[str, Uses] = {}
    asking = long_functions(program)
    for function in function_order(program):
        uses = uses_of(function.body, result)
        result[function.name] = replace(uses, data=uses.data or function.name in asking)
    return result
