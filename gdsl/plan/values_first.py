"""Decides where a reduction to the least or greatest value looks at the value of an edge before the tests of that edge
(cpu).

Only a value that would change what a list has given so far needs its tests, and of a list in any order there are few:
the k-th is one of them with probability 1/k. That branch is easily guessed, where those of the tests may be as good as
drawn, and what the tests read beside is seldom asked for. Nothing is read in vain if the first test reads the value
anyway. Tests and value are the same whenever they are looked at; where one of them may be found to be wrong on the way
(an index outside its array) they stay as the program has them, as do floats, whose NaN is no value like others.
"""

from __future__ import annotations

from gdsl.ir.nodes import EdgeFunctor, Element, NeighborReduce
from gdsl.ir.printer_expressions import print_expression
from gdsl.ir.traversal import walk
from gdsl.operations import NeighborOperation
from gdsl.plan.stops import may_stop


def looks_at_value_first(step: NeighborReduce, functor: EdgeFunctor) -> bool:
    """Whether the tests of `functor` are asked for values alone that change the result of `step` so far."""
    if step.operation not in (NeighborOperation.MIN, NeighborOperation.MAX) or not functor.condition:
        return False
    value = functor.value
    if not isinstance(value, Element) or value.type != step.array_type or value.type.holds_float or value.type.is_pair:
        return False
    if may_stop(functor):
        return False
    reads = {print_expression(node) for node in walk(functor.condition[0]) if isinstance(node, Element)}
    return print_expression(value) in reads
