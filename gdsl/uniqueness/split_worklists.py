"""Worklists of which each pass processes a part: buckets, and two filters with opposite tests.

`while (b) { p = b.pop(); …; r = advance(p, relax); …; b.push(r); }`, or
`while (w) { p = filter(w, test); w = filter(w, not_test); …; r = advance(p, relax); …; w = w | r; }`

A vertex leaves w only into p, and the advance from p visits its edges in the same pass. So once w is empty, every
vertex that was ever added to w has been in p afterwards, as in a plain worklist (`relaxation`); which vertices a pass
takes, and in which order, makes no difference to the end. The test may read anything, as long as one filter directly
follows the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir import nodes
from gdsl.operations import BinaryOperation, Domain, SetOperation, UnaryOperation

_OPPOSITES = {BinaryOperation.EQUAL: BinaryOperation.NOT_EQUAL, BinaryOperation.NOT_EQUAL: BinaryOperation.EQUAL}


class SplitWorklist:
    """The worklist of a loop that waits for one; `defined` says how often the loop defines each frontier."""

    def __init__(self, loop: nodes.While, defined: Mapping[str, int], program: nodes.Program) -> None:
        condition = loop.condition
        self.waiting = condition.frontier if isinstance(condition, nodes.FrontierNotEmpty) else None
        self.body, self.defined = loop.body, defined
        self.functors = {functor.name: functor for functor in program.vertex_functors}

    def works_off(self, operator: nodes.Operator) -> bool:
        """Whether an advance directly in the body visits the part that its pass takes, and exactly what it accepts is
        added to the worklist later."""
        part, result = operator.frontier.frontier, operator.result
        if operator not in self.body or part is None or result is None:
            return False
        if self.waiting is None or self.defined.get(self.waiting) != 2:
            return False
        makers = 2 if part == result else 1  # the filter that takes it out, and the advance
        if self.defined.get(part) != makers or self.defined.get(result) != makers or part == self.waiting:
            return False
        at = self.body.index(operator)
        splits = any(self._pops(step, part) for step in self.body[:at])
        splits = splits or any(self._splits(place, part) for place in range(at - 1))
        return splits and any(self._adds(step, result) for step in self.body[at + 1 :])

    def _pops(self, step: nodes.Step, part: str) -> bool:
        return isinstance(step, nodes.PopBuckets) and (step.buckets.waiting, step.result) == (self.waiting, part)

    def _splits(self, place: int, part: str) -> bool:
        """Whether two steps take `part` out of the worklist."""
        popped, remaining = self.body[place], self.body[place + 1]
        if not (isinstance(popped, nodes.Filter) and isinstance(remaining, nodes.Filter)):
            return False
        if popped.frontier.domain is not Domain.VERTEX or remaining.frontier.domain is not Domain.VERTEX:
            return False
        sources, results = (popped.frontier.frontier, remaining.frontier.frontier), (popped.result, remaining.result)
        if sources != (self.waiting, self.waiting) or results != (part, self.waiting):
            return False
        return self._are_opposites(popped.functor, remaining.functor)

    def _are_opposites(self, first: str, second: str) -> bool:
        one, other = self.functors.get(first), self.functors.get(second)
        if one is None or other is None or one.body or other.body:
            return False
        if len(one.condition) != 1 or len(other.condition) != 1:
            return False
        test, negated = one.condition[0], other.condition[0]
        if any(_is_not(*pair) for pair in ((test, negated), (negated, test))):
            return True
        if not (isinstance(test, nodes.Binary) and isinstance(negated, nodes.Binary)):
            return False
        return _OPPOSITES.get(test.operation) is negated.operation and all(
            _same(*pair) for pair in ((test.left, negated.left), (test.right, negated.right))
        )

    def _adds(self, step: nodes.Step, result: str) -> bool:
        if isinstance(step, nodes.PushBuckets):
            return (step.buckets.waiting, step.members.frontier) == (self.waiting, result)
        return (
            isinstance(step, nodes.CombineFrontiers)
            and step.operation is SetOperation.UNION
            and step.name == self.waiting
            and {step.first.frontier, step.second.frontier} == {self.waiting, result}
        )


def _is_not(one: nodes.Expression, other: nodes.Expression) -> bool:
    """Whether one test is the negation of the other: both are evaluated for the same vertex with nothing in between."""
    return isinstance(one, nodes.Unary) and one.operation is UnaryOperation.NOT and one.operand == other


def _same(one: nodes.Expression, other: nodes.Expression) -> bool:
    """Whether two operands are the same scalar, or the same array's element of the functor's vertex."""
    if isinstance(one, nodes.ScalarValue) and isinstance(other, nodes.ScalarValue):
        return one.name == other.name and not one.now and not other.now
    if not (isinstance(one, nodes.Element) and isinstance(other, nodes.Element)):
        return False
    at = (one.index, other.index)
    own = all(nodes.is_parameter(index, nodes.Role.VERTEX) for index in at)
    return own and one.array == other.array and not one.now and not other.now
