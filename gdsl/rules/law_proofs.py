"""Proves that operators of a program are commutative and associative for all values of their type.

The body must reduce to one operation that is both (`+` and `*` of integers that wrap, `& | ^`, `min`, `max`, logical
ones) over the two operands. For bools all values are tried, so there is nothing left to prove.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdsl.ir import nodes
from gdsl.operations import LARGER, SMALLER, BinaryOperation, Builtin
from gdsl.types import Type

_MOST_STEPS = 200
_MOST_LEAVES = 200
"""Larger forms (a local may double in each statement) are not proved."""
_WRAPPING = (BinaryOperation.ADD, BinaryOperation.MULTIPLY, BinaryOperation.BIT_XOR)
_IDEMPOTENT = (
    BinaryOperation.BIT_AND,
    BinaryOperation.BIT_OR,
    BinaryOperation.AND,
    BinaryOperation.OR,
    Builtin.MIN,
    Builtin.MAX,
)
Operation = BinaryOperation | Builtin


@dataclass(frozen=True)
class _Form:
    """`operation` over all of `leaves` (parameters and literals, each as often as it occurs); None: the one leaf."""

    operation: Operation | None
    leaves: tuple[object, ...]


_Known = Mapping[str, _Form]


class _UnknownError(Exception):
    """The body has another form."""


def is_proved(program: nodes.Program, function: nodes.Function) -> bool:
    """Whether the operator `function` may combine values in any order, for all values of its type."""
    if function.result is Type.BOOL:
        return True
    if not (function.result.is_integer or function.result.is_id):
        return False
    first, second = (name for name, _ in function.parameters)
    try:
        form = _Reducer(program).call(function, (_Form(None, (first,)), _Form(None, (second,))))
    except _UnknownError:
        return False
    counts = Counter(form.leaves)
    once = counts[first] == counts[second] == 1
    both = counts[first] > 0 and counts[second] > 0
    return both and (form.operation in _IDEMPOTENT or (form.operation in _WRAPPING and once))


class _Reducer:
    def __init__(self, program: nodes.Program) -> None:
        self._functions = {function.name: function for function in program.functions}
        self._steps = _MOST_STEPS

    def call(self, function: nodes.Function, arguments: Sequence[_Form]) -> _Form:
        """The result of a call. Raises `_UnknownError`."""
        names = (name for name, _ in function.parameters)
        return self._block(function.body, dict(zip(names, arguments, strict=True)))

    def _block(self, body: Sequence[nodes.Statement], known: dict[str, _Form]) -> _Form:
        """The result of a block, all paths of which must return."""
        for number, statement in enumerate(body):
            self._spend()
            match statement:
                case nodes.Let() | nodes.Assign():
                    known[statement.name] = self._value(statement.value, known)
                case nodes.Return():
                    return self._value(statement.value, known)
                case nodes.Branch():
                    rest = body[number + 1 :]
                    yes = self._block((*statement.then, *rest), dict(known))
                    no = self._block((*statement.otherwise, *rest), dict(known))
                    return self._minimum_or_maximum(statement.condition, yes, no, known)
                case _:
                    raise _UnknownError
        raise _UnknownError

    def _value(self, node: nodes.Expression, known: _Known) -> _Form:
        self._spend()
        match node:
            case nodes.Local():
                return known[node.name]
            case nodes.Literal():
                return _Form(None, (("literal", node.value),))
            case nodes.Binary():
                return _apply(node.operation, self._value(node.left, known), self._value(node.right, known))
            case nodes.Chain():
                value = self._value(node.first, known)
                for operation, operand in node.links:
                    value = _apply(operation, value, self._value(operand, known))
                return value
            case nodes.BuiltinCall(function=Builtin.MIN | Builtin.MAX):
                value, *others = (self._value(each, known) for each in node.arguments)
                for other in others:
                    value = _apply(node.function, value, other)
                return value
            case nodes.Select():
                yes, no = self._value(node.yes, known), self._value(node.no, known)
                return self._minimum_or_maximum(node.condition, yes, no, known)
            case nodes.FunctionCall():
                arguments = [self._value(each, known) for each in node.arguments]
                return self.call(self._functions[node.function], arguments)
        raise _UnknownError

    def _minimum_or_maximum(self, condition: nodes.Expression, yes: _Form, no: _Form, known: _Known) -> _Form:
        """`x < y ? x : y` and its like, of integers and ids, which are all ordered."""
        if not isinstance(condition, nodes.Binary) or condition.left.type.is_float:
            raise _UnknownError
        sides = self._value(condition.left, known), self._value(condition.right, known)
        if condition.operation not in (*SMALLER, *LARGER) or {yes, no} != {*sides}:
            raise _UnknownError
        smallest = (condition.operation in SMALLER) is (yes == sides[0])
        return _apply(Builtin.MIN if smallest else Builtin.MAX, yes, no)

    def _spend(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise _UnknownError


def _apply(operation: Operation, left: _Form, right: _Form) -> _Form:
    if operation not in (*_WRAPPING, *_IDEMPOTENT):
        raise _UnknownError
    if any(form.operation not in (None, operation) for form in (left, right)):
        raise _UnknownError
    if len(left.leaves) + len(right.leaves) > _MOST_LEAVES:
        raise _UnknownError
    return _Form(operation, (*left.leaves, *right.leaves))
