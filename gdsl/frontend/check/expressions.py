"""Types of expressions."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import (
    coerce,
    part_hints,
    part_of,
    typed_number,
    typed_pair,
)
from gdsl.frontend.check.environment import poison
from gdsl.frontend.check.members import member, report_method_value
from gdsl.frontend.check.operations import OperationChecker
from gdsl.types import Type


class ExpressionChecker(OperationChecker):
    """Gives typed expressions. A type of None in an answer means that a mistake was reported."""

    def value(
        self, expression: syntax.Expression, target: Type, what: str, *, effects: bool = False
    ) -> syntax.Expression:
        """`expression` as a value of `target`, converted where it widens; `what` names its place in a message."""
        typed = self.infer(expression, target, effects=effects)
        return coerce(typed, target, what, self.environment)

    def infer(
        self, expression: syntax.Expression, hint: Type | None = None, *, effects: bool = False
    ) -> syntax.Expression:
        """`expression` with its type. `hint` is the type that a literal takes; `effects`: whether the place allows
        `changed`, `fetch` and `cas`."""
        match expression:
            case syntax.Number():
                return typed_number(expression, hint, self.environment)
            case syntax.Boolean():
                return dataclasses.replace(expression, type=Type.BOOL)
            case syntax.Infinity() | syntax.NoneLiteral():
                return self._typeless(expression, hint)
            case syntax.Name():
                return self.name(expression, hint)
            case syntax.Index():
                return self.element(expression)
            case syntax.Pair() | syntax.PairPart():
                return self._pair(expression, hint)
            case syntax.Unary():
                return self._unary(expression, hint, effects)
            case syntax.Binary():
                return self._binary(expression, hint, effects)
            case syntax.Chain():
                return self._chain(expression, hint, effects)
            case syntax.Conditional():
                return self._conditional(expression, hint)
            case syntax.Call():
                return self.call(expression, hint)
            case syntax.UpdateValue():
                return self.update_value(expression, effects)
            case syntax.Member():
                return member(expression, self.environment)
            case syntax.CompareAndSwap():
                return self.compare_and_swap(expression, effects)
        return self._no_value(expression)

    def _no_value(self, expression: syntax.Expression) -> syntax.Expression:
        match expression:
            case syntax.SetLiteral():
                message = "a set of vertices can only become a frontier, in the schedule"
                members = [self.environment.words(member.span) for member in expression.members]
                fix = f"a pair is written in parentheses: `({', '.join(members)})`" if len(members) == 2 else None
                self.environment.report("E0403", message, expression.span, fix=fix)
            case syntax.Method():
                report_method_value(expression, self.environment)
            case syntax.Lambda():
                message = "a functor is only allowed where an operator takes one"
                self.environment.report("E0401", message, expression.span, fix="write `f = filter(f, v => …);`")
        return poison(expression.span)

    def _pair(self, expression: syntax.Pair | syntax.PairPart, hint: Type | None) -> syntax.Expression:
        if isinstance(expression, syntax.PairPart):
            return part_of(expression, self.infer(expression.pair), self.environment)
        first, second = map(self.infer, (expression.first, expression.second), part_hints(hint))
        return typed_pair(expression, first, second, hint, self.environment)

    def _typeless(self, expression: syntax.Infinity | syntax.NoneLiteral, hint: Type | None) -> syntax.Expression:
        if isinstance(expression, syntax.Infinity):
            word, fits, example = "inf", hint is not None and hint.is_numeric, "float32(inf)"
        else:
            word, fits, example = "none", hint is not None and hint.is_id, "vertex(none)"
        if fits:
            return dataclasses.replace(expression, type=hint)
        if hint is None:
            message = f"the type of `{word}` cannot be inferred here"
            self.environment.report("E0226", message, expression.span, fix=f"write for example `{example}`")
        else:
            message = f"`{word}` is not {hint.name}"
            self.environment.report("E0205", message, expression.span)
        return poison(expression.span)

    def wrap(self, expression: syntax.Call, hint: Type | None) -> syntax.Expression:
        """`wrap(x)`: the value of x, in which every `+` and `-` wraps."""
        if not self.count_arguments(expression, 1):
            return poison(expression.span)
        before, self.wrapping = self.wrapping, True
        operand = self.infer(expression.arguments[0].value, hint)
        self.wrapping = before
        if operand.type is not None and not operand.type.is_integer:
            return self._undefined(expression, "wrap", operand.type)
        return operand
