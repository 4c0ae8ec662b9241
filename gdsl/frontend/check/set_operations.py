"""Sets combined by `|`, `&` and `-` in the schedule, distinguished from operations on numbers by their operands."""

from __future__ import annotations

from collections.abc import Callable

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import as_operand
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.operations import BinaryOperation, Domain, SetOperation, UnaryOperation

_BY_SIGN = {operation.value: operation for operation in SetOperation}
_MEANT = {
    BinaryOperation.ADD: "{0} | {1}",
    BinaryOperation.OR: "{0} | {1}",
    BinaryOperation.MULTIPLY: "{0} & {1}",
    BinaryOperation.AND: "{0} & {1}",
    BinaryOperation.BIT_XOR: "({0} | {1}) - ({0} & {1})",
}
_COMBINED = "frontiers are combined by `|`, `&` and `-`; `size(f)` is the number of the elements of one"
_OPERATORS = frozenset(kind.value for kind in OperatorKind)
Combination = syntax.Binary | syntax.Chain


def contains_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether any operand of an operation, however deep in operations, is a set: a frontier, all vertices or edges, a
    set literal, or the call of an operator."""
    waiting: list[syntax.Expression] = [value]
    while waiting:
        match waiting.pop():
            case syntax.Binary() as pair:
                waiting += (pair.left, pair.right)
            case syntax.Chain() as chain:
                waiting += (chain.first, *(link.operand for link in chain.links))
            case syntax.Unary() as single:
                waiting.append(single.operand)
            case found if is_set(found, environment):
                return True
    return False


def is_set(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an expression is a set by its form alone, no operation on sets."""
    match value:
        case syntax.Name():
            symbol = environment.find(value.name)
            return value.name in ("vertices", "edges") if symbol is None else symbol.kind is SymbolKind.FRONTIER
        case syntax.Call():
            return value.function in _OPERATORS
        case syntax.Method(owner=syntax.Name(name=name)):
            owner = environment.find(name)
            return owner is not None and owner.kind is SymbolKind.BUCKETS
    return isinstance(value, syntax.SetLiteral)


def is_set_operation(value: syntax.Expression, environment: Environment) -> bool:
    """Whether an operation has a set on both sides, so that it gives a set."""
    if isinstance(value, syntax.Chain):
        first, second, operation = value.first, value.links[0].operand, value.links[0].operation
    elif isinstance(value, syntax.Binary):
        first, second, operation = value.left, value.right, value.operation
    else:
        return is_set(value, environment)
    if operation.value not in _BY_SIGN:
        return False
    return is_set_operation(first, environment) and is_set_operation(second, environment)


class SetChecker:
    """Makes `SetChain`s; `typed` types a set of a domain that is an operand. None in an answer: a mistake was
    reported."""

    def __init__(
        self, environment: Environment, typed: Callable[[syntax.Expression, Domain], syntax.Expression | None]
    ) -> None:
        self.environment = environment
        self.typed = typed

    def chain(self, value: Combination, domain: Domain) -> syntax.SetChain | None:
        """The sets of `value` and what combines them; nested ones of the same side become one chain."""
        if isinstance(value, syntax.Chain):
            first, links = value.first, [(link.span, link.operation, link.operand) for link in value.links]
        else:
            first, links = value.left, [(value.span, value.operation, value.right)]
        wrong = next((link for link in links if link[1].value not in _BY_SIGN), None)
        if wrong is not None:
            self._undefined(wrong[1], first if wrong is links[0] else None, wrong[2], value)
            return None
        head = self.typed(first, domain)
        typed = [(span, operation, self.typed(operand, domain)) for span, operation, operand in links]
        if head is None:
            return None
        result = []
        for span, operation, operand in typed:
            if operand is None:
                return None
            result.append(syntax.SetLink(span, _BY_SIGN[operation.value], operand))
        if isinstance(head, syntax.SetChain):
            return syntax.SetChain(value.span, head.first, (*head.links, *result), domain)
        return syntax.SetChain(value.span, head, tuple(result), domain)

    def _undefined(
        self, operation: BinaryOperation, left: syntax.Expression | None, right: syntax.Expression, value: Combination
    ) -> None:
        fix, sides = _COMBINED, [right] if left is None else [left, right]
        if operation in _MEANT and all(contains_set(side, self.environment) for side in sides):
            first = self._shown(left) if left is not None else "…"
            fix = f"write `{_MEANT[operation].format(first, self._shown(right))}`"
        self.environment.report("E0206", f"`{operation.value}` is not defined on frontiers", value.span, fix=fix)

    def unary(self, value: syntax.Unary, domain: Domain) -> None:
        """Report `!f`, `~f` and `-f`."""
        fix = f"write `{'vertices' if domain is Domain.VERTEX else 'edges'} - {self._shown(value.operand)}`"
        fix = _COMBINED if value.operation is UnaryOperation.NEGATE else fix
        self.environment.report("E0206", f"`{value.operation.value}` is not defined on frontiers", value.span, fix=fix)

    def _shown(self, value: syntax.Expression) -> str:
        return as_operand(self.environment.words(value.span))


def set_assignment_fix(update: syntax.Update, words: str) -> str | None:
    """How `f |= g` is written; None for what no sets have."""
    sign = {"+": "|"}.get(update.operation.value[:-1], update.operation.value[:-1])
    if sign not in _BY_SIGN or not isinstance(update.target, syntax.Name):
        return None
    return f"write `{update.target.name} = {update.target.name} {sign} {words};`"
