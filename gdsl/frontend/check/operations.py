"""Types of operations: literals take the type of their place, or of the other side."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.calls import CallChecker
from gdsl.frontend.check.conversions import (
    SHIFTS,
    common_type,
    comparison_fix,
    converted,
    has_float,
    is_literal,
    negative_id,
    shifted_hint,
    shifts_a_literal,
    suggested_cast,
    takes_its_place,
    with_common_type,
)
from gdsl.frontend.check.environment import Place, poison
from gdsl.frontend.check.set_operations import is_set_operation
from gdsl.frontend.check.wrong_operands import prefer_fractions, report_quotient, report_sides, report_undefined
from gdsl.operations import BinaryOperation, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

_BITWISE = (BinaryOperation.BIT_AND, BinaryOperation.BIT_OR, BinaryOperation.BIT_XOR)


class OperationChecker(CallChecker):
    """Conditions and operators."""

    def condition(self, expression: syntax.Expression, *, effects: bool = False) -> syntax.Expression:
        """`expression` as a condition."""
        typed = self.infer(expression, Type.BOOL, effects=effects)
        if typed.type in (None, Type.BOOL):
            return typed
        return self._no_condition(typed, typed.span, "!=")

    def _no_condition(self, typed: syntax.Expression, span: Span, sign: str) -> syntax.Expression:
        """Says how what is at `span`, the value `typed` or its opposite, becomes a condition."""
        assert typed.type is not None
        message = f"a condition is a bool, and this is {typed.type.name}"
        fix = None if typed.type.is_pair else comparison_fix(self.environment.words(typed.span), typed.type, sign)
        self.environment.report("E0210", message, span, fix=fix)
        return poison(span)

    def _unary(self, expression: syntax.Unary, hint: Type | None, effects: bool) -> syntax.Expression:
        operation = expression.operation
        if operation is UnaryOperation.NOT:
            operand = self.infer(expression.operand, Type.BOOL, effects=effects)
            if operand.type not in (None, Type.BOOL):
                return self._no_condition(operand, expression.span, "==")
            return dataclasses.replace(expression, operand=operand, type=operand.type and Type.BOOL)
        operand = self.infer(expression.operand, hint)
        type_ = operand.type
        if type_ is None:
            return poison(expression.span)
        fits = type_.is_numeric if operation is UnaryOperation.NEGATE else type_.is_integer
        if not fits and type_.is_id and isinstance(operand, syntax.Number):
            return negative_id(operand, type_, expression.span, self.environment)
        if not fits:
            return self._undefined(expression, operation.value, type_)
        return dataclasses.replace(expression, operand=operand, type=type_)

    def _binary(self, expression: syntax.Binary, hint: Type | None, effects: bool) -> syntax.Expression:
        operation = expression.operation
        if operation.is_logical:
            left = self.condition(expression.left, effects=effects)
            with self.environment.perhaps():
                right = self.condition(expression.right, effects=effects)
            if left.type is None or right.type is None:
                return poison(expression.span)
            return dataclasses.replace(expression, left=left, right=right, type=Type.BOOL)
        if self._is_set(expression):
            return poison(expression.span)
        if operation in SHIFTS:
            return self._shift(expression, hint)
        left, right = self._sides(expression, None if operation.is_comparison else hint)
        if left.type is None or right.type is None:
            prefer_fractions(expression.left, right.type, self.environment)
            prefer_fractions(expression.right, left.type, self.environment)
        return self._apply(expression, left, right, hint)

    def _apply(
        self, expression: syntax.Binary, left: syntax.Expression, right: syntax.Expression, hint: Type | None = None
    ) -> syntax.Expression:
        """`expression` with its typed sides, in their common type; `hint` is the type of its place."""
        operation = expression.operation
        if left.type is None or right.type is None:
            return poison(expression.span)
        left, right = with_common_type(left, right)
        type_ = self._agree(expression, left, right, hint)
        if type_ is None:
            return poison(expression.span)
        left, right = converted(left, type_), converted(right, type_)
        result = Type.BOOL if operation.is_comparison else type_
        return dataclasses.replace(expression, left=left, right=right, type=result, wraps=self.wrapping)

    def _is_set(self, expression: syntax.Binary | syntax.Chain) -> bool:
        """Whether it gives a set, which is not a value; reports it."""
        if not is_set_operation(expression, self.environment):
            return False
        if self.environment.place is Place.SCHEDULE:
            words = self.environment.words(expression.span)
            fix = f"give it a name, `frontier h = {words};`, and write `h` as a condition, `size(h)` as a number"
            self.environment.report("E0403", "this is a set, not a value", expression.span, fix=fix)
        else:
            message = "sets are only combined in the schedule"
            self.environment.report("E0403", message, expression.span)
        return True

    def _sides(self, expression: syntax.Binary, hint: Type | None) -> tuple[syntax.Expression, syntax.Expression]:
        """Both sides inferred, a literal one with the type of the other."""
        left, right = expression.left, expression.right
        if is_literal(left) and is_literal(right):
            if hint is None and (has_float(left) or has_float(right)):
                hint = Type.FLOAT32
            return self.infer(left, hint), self.infer(right, hint)
        if is_literal(left):
            second = self.infer(right, hint)
            return self._beside(left, second, hint), second
        if is_literal(right):
            first = self.infer(left, hint)
            return first, self._beside(right, first, hint)
        shifted = shifts_a_literal(left), shifts_a_literal(right)
        if shifted == (True, False):
            second = self.infer(right, hint)
            return self.infer(left, second.type or hint), second
        first = self.infer(left, hint)
        return first, self.infer(right, first.type or hint if shifted == (False, True) else hint)

    def _beside(self, literal: syntax.Expression, other: syntax.Expression, hint: Type | None) -> syntax.Expression:
        """A literal side with the type of the other one, whose mistake is not told twice."""
        if other.type is None:
            return poison(literal.span)
        return self.infer(literal, self._literal_hint(literal, other.type, hint))

    def _chain(self, chain: syntax.Chain, hint: Type | None, effects: bool) -> syntax.Expression:
        """Typed like nested `Binary`s, one operator after the other."""
        first = chain.links[0]
        if self._is_set(chain):
            return poison(chain.span)
        if first.operation.is_logical:
            return self._logical_chain(chain, effects)
        if first.operation in SHIFTS:
            return self._shift_chain(chain, hint)
        if first.operation.is_comparison:
            pair = syntax.Binary(first.span, first.operation, chain.first, first.operand)
            typed = [self._binary(pair, None, effects)]
            return self._run(chain.links[1:], pair, typed, None)
        operands = [chain.first, *(link.operand for link in chain.links)]
        decides = next((place for place, operand in enumerate(operands) if not takes_its_place(operand)), None)
        if decides and not all(is_literal(operand) for operand in operands[:decides]):
            return self._shifted_run(chain, decides, hint)
        start = next((place for place, operand in enumerate(operands) if not is_literal(operand)), len(operands))
        literals = operands[:start]
        if start == len(operands):
            if hint is None and any(has_float(operand) for operand in literals):
                hint = Type.FLOAT32
            return self._run(chain.links, chain.first, [self.infer(operand, hint) for operand in literals], hint)
        pivot = self.infer(operands[start], hint)
        with_float = next((operand for operand in literals if has_float(operand)), chain.first)
        own = self._literal_hint(with_float, pivot.type, hint)
        typed = [*(self.infer(operand, own) for operand in literals), pivot]
        return self._run(chain.links, chain.first, typed, hint, shifted=decides is None)

    def _shifted_run(self, chain: syntax.Chain, decides: int, hint: Type | None) -> syntax.Expression:
        """A chain that begins with shifted literals: the operand at `decides` is the first one with its own type."""
        links = chain.links[: decides - 1]
        before = syntax.Chain(links[-1].span, chain.first, links) if links else chain.first
        pivot = self.infer(chain.links[decides - 1].operand, hint)
        typed = [self.infer(before, pivot.type or hint), pivot]
        return self._run(chain.links[decides - 1 :], before, typed, hint)

    def _logical_chain(self, chain: syntax.Chain, effects: bool) -> syntax.Expression:
        first = self.condition(chain.first, effects=effects)
        with self.environment.perhaps():
            links = [
                dataclasses.replace(link, operand=self.condition(link.operand, effects=effects)) for link in chain.links
            ]
        if first.type is None or any(link.operand.type is None for link in links):
            return poison(chain.span)
        return dataclasses.replace(chain, first=first, links=tuple(links), type=Type.BOOL)

    def _run(
        self,
        links: tuple[syntax.Link, ...],
        former: syntax.Expression,
        typed: list[syntax.Expression],
        hint: Type | None,
        *,
        shifted: bool = False,
    ) -> syntax.Expression:
        """`links` applied to `typed[0]`; the next of `typed` are their first operands, where they are known already.
        `former` is the expression before the first link; `shifted`: all operands are literals, shifted or not."""
        first, run = typed[0], list[syntax.Link]()
        for place, link in enumerate(links):
            left = syntax.Unknown(link.span, type=first.type)  # represents the whole run so far
            if place + 1 < len(typed):
                operand = typed[place + 1]
            elif shifted and shifts_a_literal(link.operand):
                operand = self.infer(link.operand, hint)
            else:
                operand = self._right_side(link.operand, first.type, hint)
            binary = syntax.Binary(link.span, link.operation, former, link.operand)
            step = self._apply(binary, left, operand, hint)
            former = link.operand
            if isinstance(step, syntax.Binary) and step.left is left and step.type is first.type:
                run.append(syntax.Link(link.span, link.operation, step.right))
                continue
            whole = self._chain_of(first, run)
            if isinstance(step, syntax.Binary):
                assert step.type is not None
                side = converted(whole, step.right.type) if step.right.type is not None else whole
                step = dataclasses.replace(step, left=side)
            first, run = step, []
        return self._chain_of(first, run)

    def _chain_of(self, first: syntax.Expression, links: list[syntax.Link]) -> syntax.Expression:
        """`first` and the typed operators after it."""
        if not links:
            return first
        return syntax.Chain(links[-1].span, first, tuple(links), type=first.type, wraps=self.wrapping)

    def _right_side(self, operand: syntax.Expression, left: Type | None, hint: Type | None) -> syntax.Expression:
        if shifts_a_literal(operand):
            return self.infer(operand, left or hint)
        return self.infer(operand, self._literal_hint(operand, left, hint) if is_literal(operand) else hint)

    @staticmethod
    def _literal_hint(literal: syntax.Expression, other: Type | None, hint: Type | None) -> Type | None:
        if other is not None and other.is_integer and has_float(literal):
            return hint if hint is not None and hint.is_float else Type.FLOAT32
        return other if other is not None else hint

    def apply_to(self, expression: syntax.Binary, left: syntax.Expression) -> syntax.Expression:
        """`expression` with a left side that is typed already."""
        if expression.operation in SHIFTS:
            return self._apply_shift(expression, left, self.infer(expression.right))
        return self._apply(expression, left, self._right_side(expression.right, left.type, left.type), left.type)

    def _shift(self, expression: syntax.Binary, hint: Type | None) -> syntax.Expression:
        """A shift has the type of its left side; the count may be of any integer type."""
        right = self.infer(expression.right)
        left = self.infer(expression.left, shifted_hint(expression.left, expression.right, right.type, hint))
        return self._apply_shift(expression, left, right)

    def _apply_shift(
        self, expression: syntax.Binary, left: syntax.Expression, right: syntax.Expression
    ) -> syntax.Expression:
        if left.type is None or right.type is None:
            return poison(expression.span)
        for side in (left, right):
            assert side.type is not None
            if not side.type.is_integer:
                return self._undefined(expression, expression.operation.value, side.type)
        return dataclasses.replace(expression, left=left, right=right, type=left.type)

    def _shift_chain(self, chain: syntax.Chain, hint: Type | None) -> syntax.Expression:
        """Every count has its own type; a leading literal takes that of its place, else that of the first count that is
        not a literal."""
        counts = [self.infer(link.operand) for link in chain.links]
        own = (place for place, link in enumerate(chain.links) if not is_literal(link.operand))
        place = next(own, 0)
        hint = shifted_hint(chain.first, chain.links[place].operand, counts[place].type, hint)
        first = self.infer(chain.first, hint)
        links = []
        for link, count in zip(chain.links, counts, strict=True):
            if first.type is None or count.type is None:
                return poison(chain.span)
            for type_ in (first.type, count.type):
                if not type_.is_integer:
                    return self._undefined(link, link.operation.value, type_)
            links.append(dataclasses.replace(link, operand=count))
        return dataclasses.replace(chain, first=first, links=tuple(links), type=first.type)

    def _agree(
        self, expression: syntax.Binary, left: syntax.Expression, right: syntax.Expression, hint: Type | None
    ) -> Type | None:
        """The common type of both sides if the operation is defined on it; reports a mistake if not."""
        operation = expression.operation
        assert left.type is not None and right.type is not None
        type_ = common_type(left.type, right.type)
        if type_ is None:
            report_sides(expression, left.type, right.type, self.environment)
            return None
        if operation.is_comparison:
            fits = type_ is not Type.BOOL or operation in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL)
        elif operation in _BITWISE:
            fits = type_.is_integer or type_ is Type.BOOL
        elif operation is BinaryOperation.INTEGER_DIVIDE:
            fits = type_.is_integer
        else:
            fits = type_.is_numeric
        if not fits:
            self._undefined(expression, operation.value, type_)
            return None
        if operation is BinaryOperation.DIVIDE and type_.is_integer:
            report_quotient(expression, left.type, right.type, hint, self.environment)
            return None
        return type_

    def _undefined(self, expression: syntax.Node, sign: str, type_: Type) -> syntax.Expression:
        report_undefined(expression, sign, type_, self.environment)
        return poison(expression.span)

    def _conditional(self, expression: syntax.Conditional, hint: Type | None) -> syntax.Expression:
        condition = self.condition(expression.condition)
        with self.environment.perhaps():
            return self._chosen(expression, condition, hint)

    def _chosen(
        self, expression: syntax.Conditional, condition: syntax.Expression, hint: Type | None
    ) -> syntax.Expression:
        yes, no = expression.yes, expression.no
        if (is_literal(yes) and not is_literal(no)) or (shifts_a_literal(yes) and not takes_its_place(no)):
            second = self.infer(no, hint)
            first = self._right_side(yes, second.type, hint)
        else:
            first = self.infer(yes, hint)
            both = shifts_a_literal(yes) and shifts_a_literal(no)
            second = self.infer(no, hint) if both else self._right_side(no, first.type, hint)
        if condition.type is None or first.type is None or second.type is None:
            return poison(expression.span)
        type_ = common_type(first.type, second.type)
        if type_ is None:
            message = f"one side is {first.type.name}, the other {second.type.name}"
            self.environment.report(
                "E0205",
                message,
                expression.span,
                fix=suggested_cast(second.type, first.type, self.environment.words(no.span)),
            )
            return poison(expression.span)
        first, second = converted(first, type_), converted(second, type_)
        return dataclasses.replace(expression, condition=condition, yes=first, no=second, type=type_)
