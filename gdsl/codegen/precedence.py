"""Pieces of C++ expressions that know how tightly they bind, put together with the parentheses that are needed."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.operations import BinaryOperation

_ATOM, _POSTFIX, _PREFIX, _CONDITIONAL = 20, 19, 18, 1

_BINARY = {
    BinaryOperation.MULTIPLY: 17,
    BinaryOperation.DIVIDE: 17,
    BinaryOperation.MODULO: 17,
    BinaryOperation.ADD: 16,
    BinaryOperation.SUBTRACT: 16,
    BinaryOperation.SHIFT_LEFT: 15,
    BinaryOperation.SHIFT_RIGHT: 15,
    BinaryOperation.LESS: 14,
    BinaryOperation.LESS_EQUAL: 14,
    BinaryOperation.GREATER: 14,
    BinaryOperation.GREATER_EQUAL: 14,
    BinaryOperation.EQUAL: 13,
    BinaryOperation.NOT_EQUAL: 13,
    BinaryOperation.BIT_AND: 12,
    BinaryOperation.BIT_XOR: 11,
    BinaryOperation.BIT_OR: 10,
    BinaryOperation.AND: 9,
    BinaryOperation.OR: 8,
}
AND_LEVEL = _BINARY[BinaryOperation.AND]
"""How tightly an operand of `&&` must bind."""
POSTFIX_LEVEL = _POSTFIX
"""How tightly that must bind of which a member is taken."""

_UNUSUAL = frozenset({10, 11, 12, 15})
"""Bit operations and shifts: few know how they bind, so binary operands get parentheses."""


@dataclass(frozen=True, slots=True)
class Text:
    """An expression's text and how tightly it binds."""

    text: str
    level: int

    def within(self, level: int) -> str:
        """The text, in parentheses if it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


def atom(text: str) -> Text:
    """A name, a literal, or something in parentheses."""
    return Text(text, _ATOM)


def postfix(text: str) -> Text:
    """A member or an element."""
    return Text(text, _POSTFIX)


def call(function: str, *arguments: str) -> Text:
    """A call, or a conversion in the form of one."""
    return Text(f"{function}({', '.join(arguments)})", _POSTFIX)


def prefix(operator: str, operand: Text) -> Text:
    """A prefix operator; `-` before `-` and the like get parentheses."""
    text = operand.within(_PREFIX)
    if operator and text.startswith(operator[-1]):
        text = f"({text})"
    return Text(f"{operator}{text}", _PREFIX)


def binary_text(operation: BinaryOperation, left: Text, right: Text) -> Text:
    """Two operands of a left-associative operator."""
    level = _BINARY[operation]
    return Text(f"{_side(left, level, 0)} {operation.value} {_side(right, level, 1)}", level)


def conditional(condition: Text, yes: Text, no: Text) -> Text:
    """`condition ? yes : no`."""
    inner = _CONDITIONAL + 1
    return Text(f"{condition.within(inner)} ? {yes.within(inner)} : {no.within(_CONDITIONAL)}", _CONDITIONAL)


def _side(side: Text, level: int, more: int) -> str:
    is_binary = _CONDITIONAL < side.level < _PREFIX
    mixes_logic = level == _BINARY[BinaryOperation.OR] and side.level == _BINARY[BinaryOperation.AND]
    is_unusual = is_binary and side.level != level and (level in _UNUSUAL or side.level in _UNUSUAL)
    compares_comparison = 13 <= level <= 14 and 13 <= side.level <= 14
    if mixes_logic or compares_comparison or (is_unusual and level > 9):
        return f"({side.text})"
    return side.within(level + more)
