"""Calls of operators, and the other statements of the schedule that are calls: `swap`, `fill` and `a = number(f)`."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import Arguments
from gdsl.frontend.check.environment import Environment, built_in, same_expression
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.intersect import IntersectChecker
from gdsl.frontend.check.neighbor_operators import NeighborReduceChecker, VoteChecker
from gdsl.frontend.check.operands import OperandChecker
from gdsl.frontend.check.sets import GIVE_VALUES, OPERATORS, functor_domain
from gdsl.frontend.syntax import FunctorForm, OperatorKind, Symbol, SymbolKind
from gdsl.operations import Domain
from gdsl.types import Type

_RESULTS = {"vertices": Domain.VERTEX, "edges": Domain.EDGE, "none": None}


class OperatorChecker(OperandChecker):
    """Builds `OperatorCall`s from calls; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, expressions: ExpressionChecker) -> None:
        super().__init__(environment, expressions)
        self.intersect = IntersectChecker(self)
        self.reductions = NeighborReduceChecker(self)
        self.vote = VoteChecker(self)

    def operator(self, call: syntax.Call) -> syntax.OperatorCall | None:
        """Any operator but those that give values."""
        kind = OPERATORS[call.function]
        if kind in GIVE_VALUES:
            message = f"the result of `{call.function}` is assigned to an array over vertices"
            self.environment.report("E0406", message, call.span, fix=f"write `a = {call.function}(…);`")
            return None
        if kind is OperatorKind.INTERSECT:
            return self.intersect.call(call)
        arguments = self.arguments(call)
        if arguments is None:
            return None
        if kind is OperatorKind.TOP:
            return self._top(call, arguments)
        runs_on, source, set_ = Domain.VERTEX, None, arguments.get("f")
        if set_ is not None:
            runs_on = self.sets.domain_of(set_, self._expected(arguments["functor"], kind))
            source = self.members(set_, runs_on, f"the input of `{call.function}`")
        domain = Domain.EDGE if kind is OperatorKind.ADVANCE else runs_on
        form = FunctorForm.EDGE if domain is Domain.EDGE else FunctorForm.VERTEX
        operator = call.function
        if domain is Domain.EDGE and kind is not OperatorKind.ADVANCE:
            operator = f"{operator}({set_.name if isinstance(set_, syntax.Name) else 'edges'}, …)"
        functor = self.functor(call, arguments["functor"], form, operator)
        typed = syntax.OperatorCall(call.span, kind, source, functor, runs_on=runs_on, label=call.label)
        if kind is OperatorKind.ADVANCE:
            over, to = self.over(arguments), self.choice(arguments, "to")
            if over is None or to is None:
                functor = None
            else:
                typed = dataclasses.replace(typed, over=over, gives=_RESULTS[to])
        elif kind is not OperatorKind.COMPUTE:
            typed = dataclasses.replace(typed, gives=runs_on)
        self.label(call)
        return None if functor is None or (set_ is not None and source is None) else typed

    def _top(self, call: syntax.Call, arguments: Arguments) -> syntax.OperatorCall | None:
        """`top(f, functor, k)`."""
        source = self.members(arguments["f"], Domain.VERTEX, "the input of `top`")
        functor = self.functor(call, arguments["functor"], FunctorForm.VALUE, call.function, Type.FLOAT64)
        limit = self.expressions.value(arguments["k"], Type.INT64, "the number of edges that `top` takes")
        over = self.over(arguments)
        self.label(call)
        if source is None or functor is None or limit.type is None or over is None:
            return None
        declaration = self.environment.functors.get(functor.name)
        result = declaration.result if declaration is not None else Type.FLOAT64
        if result is None or not result.is_numeric:
            message = "`top` compares numbers" + (f", and `{functor.name}` gives {result.name}" if result else "")
            self.environment.report("E0407", message, arguments["functor"].span)
            return None
        typed = syntax.OperatorCall(call.span, OperatorKind.TOP, source, functor, over, gives=Domain.EDGE)
        return dataclasses.replace(typed, label=call.label, limit=limit)

    def _expected(self, functor: syntax.Expression, kind: OperatorKind) -> Domain:
        """What an untyped set holds, as the functor of `filter` and `compute` may show."""
        tells = kind in (OperatorKind.FILTER, OperatorKind.COMPUTE)
        domain = functor_domain(functor, self.environment) if tells else None
        return domain or Domain.VERTEX

    # ------------------------------------------------------------ swap, fill and number

    def _data(self, value: syntax.Expression, kinds: tuple[SymbolKind, ...], what: str) -> syntax.Name | None:
        fix = "one element is assigned: `a[v] = …;`" if isinstance(value, syntax.Index) and what == "fill" else None
        if isinstance(value, syntax.Name):
            symbol = self.expressions.resolve(value.name, value.span)
            if symbol is None:
                return None
            if symbol.kind in kinds:
                if not symbol.mutable:
                    what = "an input" if symbol.is_input else "a parameter of the procedure"
                    message = f"`{symbol.name}` cannot be written: it is {what}"
                    self.environment.report("E0214", message, value.span)
                    return None
                return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)
            if symbol.kind is SymbolKind.SCALAR:
                fix = f"assign to the scalar: `{symbol.name} = …;`"
        self.environment.report(
            "E0405" if what == "swap" else "E0402", f"`{what}` takes the name of an array", value.span, fix=fix
        )
        return None

    def swap(self, call: syntax.Call) -> syntax.Call | None:
        """`swap(a, b)`."""
        arguments = self.arguments(call)
        if arguments is None:
            return None
        kinds = (SymbolKind.ARRAY, SymbolKind.SCALAR)
        first, second = (self._data(arguments[name], kinds, "swap") for name in ("a", "b"))
        if first is None or second is None or first.symbol is None or second.symbol is None:
            return None
        one, two = first.symbol, second.symbol
        labels = (Label(one.span, _described(one)), Label(two.span, _described(two)))
        if (one.kind, one.domain, one.type) != (two.kind, two.domain, two.type):
            message = f"`{one.name}` and `{two.name}` have different types or kinds"
            self.environment.report("E0405", message, call.span, labels=labels)
            return None
        if not same_expression(one.count, two.count):
            message = f"`{one.name}` and `{two.name}` have different numbers of values per element"
            fix = "write the same expression for both: `a[n]`, `b[n]`"
            self.environment.report("E0405", message, call.span, labels=labels, fix=fix)
            return None
        return _with_values(call, first, second)

    def fill(self, call: syntax.Call) -> syntax.Call | None:
        """`fill(a, x)`."""
        arguments = self.arguments(call)
        array = self._data(arguments["a"], (SymbolKind.ARRAY,), "fill") if arguments is not None else None
        if arguments is None or array is None or array.type is None:
            return None
        value = self.expressions.value(arguments["x"], array.type, f"`{array.name}`")
        return _with_values(call, array, value) if value.type is not None else None

    def is_numbering(self, call: syntax.Call) -> bool:
        """Whether a call is the built-in `number`, and not a function that the program declares."""
        return call.function == "number" and self.environment.find("number") is None

    def number(self, call: syntax.Call, array: Symbol) -> syntax.Numbering | None:
        """`array = number(f)`."""
        environment = self.environment
        arguments = self.arguments(call, f"{array.name} = number(f);")
        if arguments is None:
            return None
        if array.is_input:
            environment.report("E0214", f"`{array.name}` cannot be written: it is an input", call.span)
            return None
        own, value = array.domain or Domain.VERTEX, arguments["f"]
        domain = self.sets.domain_of(value, own)
        if domain is not own:
            message = f"this is a set of {domain.plural}, and `{array.name}` is over {own.plural}"
            environment.report("E0416", message, value.span, fix=f"declare an array over {domain.plural}")
            return None
        source = self.members(value, own, "the input of `number`")
        if array.type is not None and not array.type.is_integer:
            message = f"`number` gives integers, and `{array.name}` is {array.type.name}"
            environment.report("E0205", message, call.span, fix=f"declare `{array.name} : int64`")
            return None
        return None if source is None else syntax.Numbering(call.span, source, own)


def _with_values(call: syntax.Call, *values: syntax.Expression) -> syntax.Call:
    """A call with its typed arguments."""
    arguments = zip(call.arguments, values, strict=True)
    typed = tuple(dataclasses.replace(argument, value=value) for argument, value in arguments)
    return dataclasses.replace(call, arguments=typed, symbol=built_in(call.function))


def _described(symbol: Symbol) -> str:
    type_ = symbol.type.name if symbol.type is not None else ""
    return f"{symbol.domain.value if symbol.domain else 'scalar'} {type_}"
