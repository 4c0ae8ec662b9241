"""`intersect`: as a number it is stored in a scalar of the problem, as a set it is a frontier like any other."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment
from gdsl.frontend.check.operands import OperandChecker
from gdsl.frontend.check.set_operations import is_set
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.frontend.vocabulary import ARRAY_REDUCTIONS
from gdsl.operations import Domain
from gdsl.types import Type

_NAME = OperatorKind.INTERSECT.value
_PAIRED = "intersect(pairs=(f, g))`, or `frontier c = intersect(pairs=(f, g), functor, count=s);"


def is_intersect(value: syntax.Expression) -> bool:
    """Whether `value` is a call of `intersect`, and nothing around it."""
    return isinstance(value, syntax.Call) and value.function == _NAME


def split_total(
    statement: syntax.Statement, environment: Environment
) -> tuple[syntax.Statement] | tuple[syntax.Statement, syntax.Statement]:
    """`s = x` with one `intersect(…)` inside `x` as two statements: the total into `s`, then `x` with `s` in its place.

    Only where `s` is an int64 scalar that `x` does not read otherwise; any other statement is left as it is, and is
    reported later, with the fix to store the total in another scalar.
    """
    if not isinstance(statement, syntax.Assign) or is_intersect(statement.value):
        return (statement,)
    calls = [node for node in syntax.walk(statement.value) if isinstance(node, syntax.Call) and node.function == _NAME]
    target = statement.target
    if len(calls) != 1 or not isinstance(target, syntax.Name) or statement.any_winner:
        return (statement,)
    symbol = environment.find(target.name)
    if symbol is None or symbol.kind is not SymbolKind.SCALAR or symbol.type is not Type.INT64:
        return (statement,)
    if any(isinstance(node, syntax.Name) and node.name == target.name for node in syntax.walk(statement.value)):
        return (statement,)
    (call,) = calls
    if any(_reduces(node, call) for node in syntax.walk(statement.value)):
        return (statement,)
    value = syntax.substitute(statement.value, call, syntax.Name(call.span, target.name))
    return syntax.Assign(call.span, target, call), dataclasses.replace(statement, value=value)


def _reduces(node: syntax.Node, call: syntax.Call) -> bool:
    """Whether `node` is a reduction of `call`, which gives no array; `min` and `max` are functions of numbers, too."""
    words = ARRAY_REDUCTIONS - {"min", "max"}
    arguments = node.arguments if isinstance(node, syntax.Call) and node.function in words else ()
    return bool(arguments) and arguments[0].value is call


class IntersectChecker:
    """Makes `OperatorCall`s of calls of `intersect`; None in an answer means that a mistake was reported."""

    def __init__(self, operators: OperandChecker) -> None:
        self.operators = operators
        self.environment, self.expressions = operators.environment, operators.expressions

    def call(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """The call as a frontier; as one without `count=` it gives that and nothing else."""
        self.operators.label(call)
        paired = any(argument.keyword == "pairs" for argument in call.arguments)
        plain = [argument.value for argument in call.arguments if argument.keyword is None]
        if paired and len(plain) == 1 and is_set(plain[0], self.environment):
            message = f"`{_NAME}` takes edges or `pairs=`, not both"
            self.environment.report("E0402", message, plain[0].span, fix=f"write `{_PAIRED}`")
            return None
        arguments = self.operators.arguments(call, _PAIRED if paired else "", missing=int(paired))
        if arguments is None:
            return None
        sets = self._pairs(arguments["pairs"]) if paired else (self._edges(arguments["edges"]),)
        functor = self._functor(call, arguments["functor"]) if "functor" in arguments else None
        count = self._count(arguments["count"]) if "count" in arguments else None
        if sets is None or None in sets or ("count" in arguments and count is None):
            return None
        if "functor" in arguments and functor is None:
            return None
        if not self._apart(functor, count) or (paired and functor is not None and not self._fits_pairs(functor)):
            return None
        domain = Domain.VERTEX if paired else Domain.EDGE
        typed = syntax.OperatorCall(call.span, OperatorKind.INTERSECT, sets[0], functor, runs_on=domain)
        other = sets[1] if len(sets) == 2 else None
        return dataclasses.replace(typed, gives=Domain.VERTEX, label=call.label, count=count, other=other)

    def _edges(self, value: syntax.Expression) -> syntax.Expression | None:
        return self.operators.members(value, Domain.EDGE, "the input of `intersect`")

    def _pairs(self, value: syntax.Expression) -> tuple[syntax.Expression | None, syntax.Expression | None] | None:
        """The two sets of vertices that are taken as pairs."""
        if not isinstance(value, syntax.Pair):
            message = "`pairs=` takes two sets of vertices of the same size"
            self.environment.report("E0402", message, value.span, fix=f"write `{_PAIRED}`")
            return None
        first, second = (
            self.operators.members(each, Domain.VERTEX, "`pairs=`") for each in (value.first, value.second)
        )
        return first, second

    def _fits_pairs(self, functor: syntax.Name) -> bool:
        """Whether a functor does without the edge: there need be none between the two vertices of a pair."""
        declared = self.environment.functor(functor.name)
        edge = declared.parameters[3].name if len(declared.parameters) > 3 else None
        uses = (node for node in syntax.walk(declared) if isinstance(node, syntax.Name) and node.name == edge)
        use = next(uses, None)
        if use is not None:
            message = f"`{edge}` is not an edge where `{functor.name}` runs on pairs of vertices"
            labels = (Label(use.span, "used here"),)
            fix = "do without it, or intersect a frontier of edges"
            self.environment.report("E0401", message, functor.span, labels=labels, fix=fix)
        return use is None

    def _functor(self, call: syntax.Call, value: syntax.Expression) -> syntax.Name | None:
        return self.operators.functor(call, value, FunctorForm.COMMON, _NAME)

    def alone(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """The call as a statement: only its total is of use, and what its functor does."""
        typed = self.call(call)
        if typed is not None and typed.count is None and typed.functor is None:
            fix = "write `s = intersect(…);` or `frontier c = intersect(…);`"
            self.environment.report("E0227", "the result of `intersect` is not used", call.span, fix=fix)
            return None
        return None if typed is None else dataclasses.replace(typed, gives=None)

    def total(self, call: syntax.Call, target: syntax.Name, *, adds: bool) -> syntax.OperatorCall | None:
        """`s = intersect(…)`, or `s += intersect(…)`."""
        for argument in call.arguments:
            if argument.keyword == "count":
                fix = f"write `{target.name} = intersect(…)` without it, or `frontier c = intersect(…, count=…)`"
                message = f"the total is already stored in `{target.name}`"
                self.environment.report("E0402", message, argument.span, fix=fix)
                return None
        count, typed = self._count(target), self.call(call)
        if count is None or typed is None or not self._apart(typed.functor, count):
            return None
        return dataclasses.replace(typed, gives=None, count=count, adds=adds)

    def _apart(self, functor: syntax.Name | None, count: syntax.Name | None) -> bool:
        """Whether the functor has nothing to do with the scalar of the total."""
        if functor is None or count is None:
            return True
        uses = (
            node
            for node in syntax.walk(self.environment.functor(functor.name))
            if isinstance(node, syntax.Name) and node.name == count.name
        )
        use = next(uses, None)
        if use is not None:
            message = f"`{functor.name}` uses `{count.name}`, which receives the total of this call"
            labels = (Label(use.span, "here"),)
            self.environment.report(
                "E0402", message, count.span, labels=labels, fix="store the total in another scalar"
            )
        return use is None

    def _count(self, value: syntax.Expression) -> syntax.Name | None:
        """The scalar that receives the total."""
        environment = self.environment
        if not isinstance(value, syntax.Name):
            fix = "declare `scalar s : int64;` in `problem`"
            environment.report("E0402", f"the total of `{_NAME}` is stored in a scalar", value.span, fix=fix)
            return None
        target = self.expressions.target(value)
        if target is None or target.symbol is None or not isinstance(target, syntax.Name):
            return None
        if target.symbol.kind is not SymbolKind.SCALAR:
            fix = "declare `scalar s : int64;` in `problem`"
            message = f"the total of `{_NAME}` is stored in a scalar, and `{value.name}` is {_what(target.symbol)}"
            environment.report("E0402", message, value.span, fix=fix)
            return None
        if target.type is not Type.INT64:
            declared = target.type.name if target.type is not None else "of no known type"
            message = f"`{_NAME}` gives an int64, and `{value.name}` is {declared}"
            environment.report("E0205", message, value.span, fix=f"declare `scalar {value.name} : int64`")
            return None
        return target


def _what(symbol: Symbol) -> str:
    if symbol.kind is SymbolKind.FRONTIER:
        return f"a frontier of {'edges' if symbol.domain is Domain.EDGE else 'vertices'}"
    return f"{'an' if symbol.kind.value[0] in 'aeiou' else 'a'} {symbol.kind.value}"
