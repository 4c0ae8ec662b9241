"""`neighbor_reduce`: what it runs on, what it combines by, and the array that receives its results."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.operator_parts import Operators
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain, NeighborOperation
from gdsl.types import Type

_NUMBERS = (NeighborOperation.SUM, NeighborOperation.PRODUCT)
_ORDERINGS = (NeighborOperation.MIN, NeighborOperation.MAX)
_FLAGS = (NeighborOperation.SOME, NeighborOperation.EVERY, NeighborOperation.COUNT)
_WORDS = tuple(operation.value for operation in NeighborOperation)
_ENDS = ("far", "near")


class NeighborReduceChecker:
    """Makes `OperatorCall`s of calls of `neighbor_reduce`; None in an answer means that a mistake was reported."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.environment, self.expressions = operators.environment, operators.expressions

    def call(self, call: syntax.Call, array: Symbol) -> syntax.OperatorCall | None:
        """`array = neighbor_reduce(f, functor, op)`."""
        kind, operators = OperatorKind.NEIGHBOR_REDUCE, self.operators
        positional, keywords = operators.arguments(call, kind)
        if positional is None:
            return None
        runs_on = operators.sets.domain_of(positional[0], Domain.VERTEX)
        source = operators.members(positional[0], runs_on, f"the input of `{call.function}`")
        own = self._own_operation(positional[2])
        operation = self._operation(positional[2]) if own is None else None
        reduced = self._reduced(own, operation, array)
        functor = operators.functor(call, positional[1], FunctorForm.VALUE, call.function, reduced)
        over, by = operators.over(keywords), self._end(keywords)
        fits = self._keywords_fit(keywords, runs_on)
        operators.label(call)
        combined = operation is not None or (own is not None and own.symbol is not None)
        if source is None or functor is None or not combined or over is None or by is None or not fits:
            return None
        known = self.environment.functors.get(functor.name)
        result = known.result if known is not None else reduced
        if result is None or not self._over_vertices(call, array):
            return None
        if not (self._reduces(call, operation, result, array) if operation else self._takes(call, own, result, array)):
            return None
        made = syntax.OperatorCall(call.span, kind, source, functor, over, runs_on, label=call.label)
        made = dataclasses.replace(made, operation=operation, own_operation=own, by_far_ends=by == "far")
        return self._with_empty(made, keywords.get("empty"), array)

    def _reduced(self, own: syntax.Name | None, operation: NeighborOperation | None, array: Symbol) -> Type | None:
        """The type of the values of a functor that does not say it."""
        function = self.environment.functions.get(own.name) if own is not None else None
        taken = function.result if function is not None else None
        return taken or (Type.BOOL if operation in _FLAGS else array.type)

    def _keywords_fit(self, keywords: dict[str, syntax.Argument], runs_on: Domain) -> bool:
        """Whether what is said of the edges suits the set: vertices have edges over which to go, edges have ends."""
        wrong = keywords.get("over" if runs_on is Domain.EDGE else "by")
        if wrong is None:
            return True
        if runs_on is Domain.EDGE:
            message = "a set of edges is reduced as it is, and is not walked `over=` others"
            fix = "write `by=far` or `by=near` for the ends that receive the results"
        else:
            message = "`by=` says which ends of a set of edges receive the results, and this is a set of vertices"
            fix = "each vertex of the set receives one; write `over=in_edges` for the edges that lead to it"
        self.environment.report("E0402", message, wrong.span, fix=fix)
        return False

    def _end(self, keywords: dict[str, syntax.Argument]) -> str | None:
        return self.operators.word(keywords["by"].value, _ENDS, "`by`") if "by" in keywords else "far"

    def _own_operation(self, value: syntax.Expression) -> syntax.Name | None:
        """What the program declares under the name that is given; without a symbol where it is no operator."""
        symbol = self.environment.find(value.name) if isinstance(value, syntax.Name) else None
        if symbol is None or not isinstance(value, syntax.Name):
            return None
        function = self.environment.functions.get(value.name)
        if function is not None and function.identity is not None:
            return dataclasses.replace(value, symbol=symbol)
        if value.name in _WORDS:
            return None
        if symbol.kind is not SymbolKind.MISTAKEN:
            labels = (Label(symbol.span, "declared here"),)
            message = f"`neighbor_reduce` combines by an operator, and `{value.name}` is {symbol.kind.with_article}"
            fix = f"declare `operator {value.name}(a : T, b : T) -> T identity x {{ … }}`, or choose one of the words"
            self.environment.report("E0402", message, value.span, labels=labels, fix=fix)
        return value

    def _takes(self, call: syntax.Call, own: syntax.Name | None, result: Type, array: Symbol) -> bool:
        """Whether an operator of the program takes what the functor gives, and the array what the operator does."""
        function = self.environment.functions[own.name] if own is not None else None
        if function is None or function.result is None or own is None:
            return False
        if function.result is not result:
            message = f"`{own.name}` combines {function.result.name}, and the functor's value is {result.name}"
            fix = "make the functor's result the type of the operator, or the other way round"
            self.environment.report("E0205", message, call.span, fix=fix)
            return False
        return self._fits(call, array.type is result, result.name, array)

    def _over_vertices(self, call: syntax.Call, array: Symbol) -> bool:
        if array.domain is not Domain.VERTEX:
            self.environment.report("E0406", f"`{array.name}` is not over vertices", call.span)
        return array.domain is Domain.VERTEX

    def _operation(self, value: syntax.Expression) -> NeighborOperation | None:
        word = self.operators.word(value, _WORDS, "this reduction", ", or an `operator` of the program")
        return NeighborOperation(word) if word is not None else None

    def _with_empty(
        self, call: syntax.OperatorCall, empty: syntax.Argument | None, array: Symbol
    ) -> syntax.OperatorCall | None:
        """The call with what a vertex without edges receives."""
        if empty is None or array.type is None:
            return call
        value = self.expressions.value(empty.value, array.type, "`empty=`")
        return None if value.type is None else dataclasses.replace(call, empty=value)

    def _reduces(self, call: syntax.Call, operation: NeighborOperation, result: Type, array: Symbol) -> bool:
        environment, word = self.environment, operation.value
        fits = result.is_numeric
        if operation in _ORDERINGS:
            fits = result.is_numeric or result.is_id or result.is_pair
        elif operation in _FLAGS:
            fits = result is Type.BOOL
        elif operation not in _NUMBERS:
            fits = result.is_integer or result is Type.BOOL
        if not fits:
            fix = "use `count`, `some` or `every`" if result is Type.BOOL else None
            fix = "compare in the functor, so that it gives a bool" if operation in _FLAGS else fix
            fix = "pairs have `min` and `max`; give a part, `.0` or `.1`" if result.is_pair and fix is None else fix
            environment.report("E0407", f"`{word}` is not defined on {result.name}", call.span, fix=fix)
            return False
        assert array.type is not None
        wanted = array.type.is_integer if operation is NeighborOperation.COUNT else array.type is result
        given = "an integer" if operation is NeighborOperation.COUNT else result.name
        return self._fits(call, wanted, given, array)

    def _fits(self, call: syntax.Call, fits: bool, given: str, array: Symbol) -> bool:
        """Say where the array is not of the type that is given."""
        if not fits and array.type is not None:
            message = f"this reduction gives {given}, and `{array.name}` is {array.type.name}"
            fix = "make the functor's result the type of the array, or the other way round"
            self.environment.report("E0205", message, call.span, fix=fix)
        return fits
