"""Calls in expressions: built-in functions, casts, the program's own functions, and the forms with an effect."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import bind
from gdsl.frontend.check.conversions import (
    common_type,
    converted,
    has_float,
    may_cast,
    shifts_a_literal,
    takes_its_place,
    typed_number,
)
from gdsl.frontend.check.environment import Environment, Place, built_in, poison, refuse_now
from gdsl.frontend.check.foreign_names import report_foreign_call
from gdsl.frontend.check.functions import call_of, function_of
from gdsl.frontend.check.label_fixes import hides_a_word, report_misplaced
from gdsl.frontend.check.names import SETS, NameChecker
from gdsl.frontend.check.reductions import ReductionChecker, is_reduction, is_set, named_set
from gdsl.frontend.signatures import COMMON_TYPE, SIGNATURES, Kind
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import (
    ARRAY_REDUCTIONS,
    CONTEXTUAL_FORMS,
    CONTEXTUAL_FUNCTIONS,
    FOREIGN_NAMES,
    FUNCTIONS,
    GRAPH_FUNCTIONS,
    LABEL_WORDS,
    SCHEDULE_FUNCTIONS,
    TYPES,
    closest,
)
from gdsl.operations import EXTREMES, Domain, Outcome, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type

_SIZED = (*SETS, SymbolKind.HISTORY)
_ARITHMETIC = (ReduceOperation.ADD, ReduceOperation.SUBTRACT, ReduceOperation.MULTIPLY)


class CallChecker(NameChecker):
    """Types of calls."""

    def call(self, expression: syntax.Call, hint: Type | None) -> syntax.Expression:
        """Any call that is used as a value."""
        name, span, environment = expression.function, expression.function_span, self.environment
        symbol = environment.find(name)
        if name == "intersect":
            self._intersect(span)
            return poison(expression.span)
        if not self.plain_arguments(expression):
            return poison(expression.span)
        if name in TYPES:
            return self._cast(expression, TYPES[name])
        if symbol is not None and symbol.kind is SymbolKind.TYPE and symbol.type is not None:
            return self._cast(expression, symbol.type)
        signature = function_of(name, symbol)
        if signature is not None:
            return call_of(self, expression, signature)
        if is_reduction(expression, environment):
            return ReductionChecker(self).reduction(expression)
        if name == "size" and environment.place is Place.SCHEDULE:
            return self._size(expression)
        if name in FUNCTIONS:
            return self._built_in(expression, hint)
        if symbol is not None and symbol.kind is SymbolKind.FUNCTION:
            return self._own_function(expression)
        if symbol is not None and symbol.kind is SymbolKind.MISTAKEN:
            return poison(expression.span)
        if symbol is None and name in CONTEXTUAL_FUNCTIONS:
            return self._contextual(expression, hint)
        advice = self._size_of_a_list(expression) or _where_it_stands(name, symbol)
        if advice is not None:
            environment.report("E0404", f"`{name}` is not allowed here", span, fix=advice)
        elif symbol is not None:
            no_value = symbol.kind is SymbolKind.PROCEDURE
            what = (
                "a procedure, which gives no value" if no_value else f"{symbol.kind.with_article} and cannot be called"
            )
            environment.report("E0204", f"`{name}` is {what}", span, fix=self._instead_of_call(expression, symbol))
        elif not report_foreign_call(expression, environment):
            self._unknown(expression)
        return poison(expression.span)

    def _contextual(self, expression: syntax.Call, hint: Type | None) -> syntax.Expression:
        """A call of what a program may call otherwise."""
        if expression.function in LABEL_WORDS:
            report_misplaced(expression, self.environment)
            return poison(expression.span)
        return self.wrap(expression, hint) if expression.function == "wrap" else self._built_in(expression, hint)

    def _size_of_a_list(self, call: syntax.Call) -> str | None:
        listed = call.arguments[0].value if call.function == "size" and len(call.arguments) == 1 else None
        if not isinstance(listed, syntax.Call) or listed.function != "neighbors" or len(listed.arguments) != 1:
            return None
        return f"write `out_degree({self.environment.words(listed.arguments[0].span)})`"

    def _unknown(self, expression: syntax.Call) -> None:
        name, environment = expression.function, self.environment
        kinds = [SymbolKind.FUNCTION, *([SymbolKind.PROCEDURE] if environment.place is Place.SCHEDULE else [])]
        functions = {n for n, s in environment.globals.items() if s.kind in kinds}
        names = FUNCTIONS | GRAPH_FUNCTIONS | CONTEXTUAL_FUNCTIONS
        casts = {cast for cast in TYPES if cast[0] == name[0].lower()}  # `print` does not mean `int64`
        names |= functions | casts | environment.types.keys()
        names |= ARRAY_REDUCTIONS | SCHEDULE_FUNCTIONS if environment.place is Place.SCHEDULE else frozenset()
        near = FOREIGN_NAMES.get(name) or closest(name, names)
        fix = f"did you mean `{near}`?" if near else None
        environment.report("E0201", f"there is no function `{name}`", expression.function_span, fix=fix)

    def _instead_of_call(self, call: syntax.Call, symbol: Symbol) -> str | None:
        """How what was called is used."""
        words = ", ".join(self.environment.words(argument.span) for argument in call.arguments)
        hidden = ARRAY_REDUCTIONS if self.environment.place is Place.SCHEDULE else frozenset[str]()
        if symbol.name in hidden | CONTEXTUAL_FUNCTIONS:
            return f"rename the {symbol.kind.value}, which hides the function `{symbol.name}`"
        if symbol.kind is SymbolKind.PROCEDURE:
            return f"call it as a statement of the schedule: `{symbol.name}({words});`"
        if symbol.kind is SymbolKind.ARRAY:
            return f"write `{symbol.name}[{words}]`"
        if symbol.kind is SymbolKind.FUNCTOR and self.environment.place is Place.SCHEDULE:
            functor = self.environment.functors.get(symbol.name)
            operator = "advance" if functor is None or functor.domain is Domain.EDGE else "compute"
            return f"an operator calls it: `{operator}({words or 'vertices'}, {symbol.name})`"
        if symbol.kind is SymbolKind.FUNCTOR:
            return "operators of the schedule call it; write a `function` for what others call"
        return None

    def _intersect(self, span: Span) -> None:
        """Report a total inside a larger expression, or outside the schedule."""
        environment = self.environment
        if environment.place is not Place.SCHEDULE:
            message = f"`intersect` belongs to the schedule, not to {environment.place.value}"
            environment.report("E0404", message, span)
            return
        message = "`intersect` gives its total to an int64 scalar, and this is part of something else"
        fix = "store it in a scalar first, `s = intersect(…);`, and use `s` here"
        environment.report("E0404", message, span, fix=fix)

    def wrap(self, expression: syntax.Call, hint: Type | None) -> syntax.Expression:
        """See `ExpressionChecker.wrap`."""
        raise NotImplementedError

    def plain_arguments(self, expression: syntax.Call) -> bool:
        """Whether a call has no label and no named argument; reports a mistake if it has."""
        if expression.label is not None:
            environment, message = self.environment, "only operators of the schedule have labels"
            environment.report("E0404", message, expression.span, fix=f"leave out `@{expression.label}`")
            return False
        for argument in expression.arguments:
            if argument.keyword is not None:
                message = f"`{expression.function}` takes no argument `{argument.keyword}=`"
                self.environment.report("E0211", message, argument.span)
                return False
        return True

    def count_arguments(self, expression: syntax.Call, wanted: int) -> bool:
        """Whether a call has so many arguments; reports a mistake if not."""
        count = len(expression.arguments)
        if count == wanted:
            return True
        arguments = f"{wanted} argument" + ("s" if wanted != 1 else "")
        fix = hides_a_word(expression.function)
        if (expression.function, count) == ("edge", 2):
            first, second = (self.environment.words(argument.span) for argument in expression.arguments)
            walks = f"`for w, e in neighbors({first}) {{ … }}` goes through the edges"
            fix = f"`has_edge({first}, {second})` asks whether there is one, and {walks}"
        message = f"`{expression.function}` takes {arguments}, not {count}"
        self.environment.report("E0211", message, expression.span, fix=fix)
        return False

    def _size(self, expression: syntax.Call) -> syntax.Expression:
        if not self.plain_arguments(expression) or not self.count_arguments(expression, 1):
            return poison(expression.span)
        operand = expression.arguments[0].value
        if isinstance(operand, syntax.Name):
            symbol = self.environment.find(operand.name)
            if operand.name in ("vertices", "edges"):
                symbol = built_in(operand.name)
            if symbol is not None and (symbol.kind in _SIZED or operand.name in ("vertices", "edges")):
                refuse_now(operand, self.environment)
                name = dataclasses.replace(operand, symbol=symbol)
                argument = dataclasses.replace(expression.arguments[0], value=name)
                return dataclasses.replace(expression, arguments=(argument,), symbol=built_in("size"), type=Type.INT64)
            if symbol is None:
                self.undeclared(operand.name, operand.span, self.environment.visible_names())
                return poison(expression.span)
            if symbol.kind is SymbolKind.MISTAKEN:
                return poison(expression.span)
        message = "`size` takes a frontier variable, a history or buckets"
        named = is_set(operand, self.environment)
        fix = named_set(operand, self.environment) if named else "give the set a name: `frontier f = …;`"
        graph = self.environment.symbol_of(operand)
        if graph is not None and graph.kind is SymbolKind.GRAPH:
            fix = f"in `on {graph.name} {{ … }}` these are `num_vertices` and `num_edges`"
        self.environment.report("E0403", message, operand.span, fix=fix)
        return poison(expression.span)

    def _cast(self, expression: syntax.Call, target: Type) -> syntax.Expression:
        if not self.count_arguments(expression, 1):
            return poison(expression.span)
        operand = expression.arguments[0].value
        if target.is_id and not isinstance(operand, syntax.NoneLiteral):
            typed = self.infer(operand)  # invalid ids become `none`, so a number keeps its own type
        elif isinstance(operand, syntax.Number):
            trial = typed_number(operand, target, Environment())
            typed = trial if trial.type is target else self.infer(operand)
        else:
            takes = takes_its_place(operand) and target is not Type.BOOL
            whole = has_float(operand) and not target.is_float  # a fraction makes floats of all the literals around it
            typed = self.infer(operand, target if takes and not whole else None)
        if typed.type is None:
            return poison(expression.span)
        if not may_cast(typed.type, target):
            message = f"{typed.type.name} cannot be cast to {target.name}"
            through = target.is_id or typed.type.is_id
            words = self.environment.words(operand.span)
            fix = (
                f"go through an integer: `{target.name}(int64({words}))`"
                if through and not typed.type.is_pair
                else None
            )
            fix = f"take a part of it: `{target.name}({words}.0)`" if typed.type.is_pair else fix
            self.environment.report("E0212", message, expression.span, fix=fix)
            return poison(expression.span)
        if typed.type is target:
            return typed
        return syntax.Convert(expression.span, typed, type=target)

    def _built_in(self, expression: syntax.Call, hint: Type | None) -> syntax.Expression:
        name = expression.function
        signature = SIGNATURES[name]
        if bind(expression.arguments, signature, self.environment, expression.span) is None:
            return poison(expression.span)
        keeps_type = signature.gives == COMMON_TYPE
        fraction = hint if keeps_type else Type.FLOAT64
        values = self._agreed_arguments([argument.value for argument in expression.arguments], hint, fraction)
        type_ = values[0].type if values else None
        if values is None or type_ is None:
            return poison(expression.span)
        if not keeps_type and type_.is_integer:
            type_ = Type.FLOAT64
            values = [converted(value, type_) for value in values]
        of_values = signature.parameters[0].kind is Kind.VALUE and (type_.is_id or type_.is_pair)
        if not (type_.is_numeric or of_values):
            message = f"`{name}` is not defined on {type_.name}"
            self.environment.report("E0206", message, expression.span)
            return poison(expression.span)
        arguments = tuple(
            dataclasses.replace(argument, value=value)
            for argument, value in zip(expression.arguments, values, strict=True)
        )
        return dataclasses.replace(expression, arguments=arguments, symbol=built_in(name), type=type_)

    def _agreed_arguments(
        self, arguments: list[syntax.Expression], hint: Type | None, fraction: Type | None
    ) -> list[syntax.Expression] | None:
        """The arguments in one common type, literals in that of the others; fractions among integers in `fraction`."""
        typed = {i: self.infer(argument, hint) for i, argument in enumerate(arguments) if not takes_its_place(argument)}
        place = next((value.type for value in typed.values()), hint)
        typed |= {i: self.infer(argument, place) for i, argument in enumerate(arguments) if shifts_a_literal(argument)}
        types = [value.type for value in typed.values()]
        if any(type_ is None for type_ in types):
            return None
        other = types[0] if types else hint
        for i, argument in enumerate(arguments):
            if i not in typed:
                whole = other is not None and other.is_integer
                typed[i] = self.infer(argument, fraction if whole and has_float(argument) else other)
        values = [typed[i] for i in range(len(arguments))]
        type_ = values[0].type
        for value in values[1:]:
            if type_ is None or value.type is None:
                return None
            common = common_type(type_, value.type)
            if common is None:
                message = f"arguments of two types: {type_.name} and {value.type.name}"
                self.environment.report("E0205", message, value.span, fix="cast one of them")
                return None
            type_ = common
        return None if type_ is None else [converted(value, type_) for value in values]

    def _own_function(self, expression: syntax.Call) -> syntax.Expression:
        function = self.environment.functions[expression.function]
        symbol = self.environment.globals[expression.function]
        if not self.count_arguments(expression, len(function.parameters)):
            return poison(expression.span)
        values = []
        for argument, parameter in zip(expression.arguments, function.parameters, strict=True):
            if parameter.type is None:
                return poison(expression.span)
            what = f"the parameter `{parameter.name}` of `{function.name}`"
            values.append(dataclasses.replace(argument, value=self.value(argument.value, parameter.type, what)))
        if any(argument.value.type is None for argument in values) or function.result is None:
            return poison(expression.span)
        return dataclasses.replace(expression, arguments=tuple(values), symbol=symbol, type=function.result)

    # ------------------------------------------------------------ effects

    def update(self, update: syntax.Update, *, effects: bool = False) -> syntax.Update | None:
        """A typed `x op= y`; None after a mistake. `effects`: whether y may have some."""
        target = self.target(update.target)
        if target is None or target.type is None:
            self.infer(update.value, effects=effects)
            return None
        type_, operation = target.type, update.operation
        if operation in EXTREMES:
            fits = type_.is_numeric or type_.is_id or type_.is_pair
        elif operation in _ARITHMETIC:
            fits = type_.is_numeric
        else:
            fits = type_.is_integer or type_ is Type.BOOL
        if not fits:
            code = "E0209" if type_.is_id else "E0206"
            fix = "pairs have `min=` and `max=`" if type_.is_pair else None
            self.environment.report(code, f"`{operation.value}` is not defined on {type_.name}", update.span, fix=fix)
            return None
        name = target.name
        value = self.value(update.value, type_, f"`{name}`", effects=effects)
        return None if value.type is None else dataclasses.replace(update, target=target, value=value)

    def _effect(self, what: str, span: Span, effects: bool) -> bool:
        environment = self.environment
        if environment.place is not Place.APPLY:
            fix = "write it in an `apply`"
            environment.report(
                "E0217", f"`{what}` changes data, and {environment.place.value} only reads", span, fix=fix
            )
            return False
        if not effects:
            fix = f"give it a name first: `let before = {self.environment.words(span)};`"
            environment.report("E0216", f"`{what}` inside a larger expression", span, fix=fix)
        return effects

    def _shared_target(self, target: syntax.Name | syntax.Index, what: str) -> bool:
        if isinstance(target, syntax.Name) and target.symbol is not None and target.symbol.kind is SymbolKind.LOCAL:
            message = f"`{what}` is for elements and scalars, not for a `var`"
            self.environment.report("E0216", message, target.span)
            return False
        return True

    def update_value(self, expression: syntax.UpdateValue, effects: bool) -> syntax.Expression:
        """`changed(x op= y)`, `fetch(x op= y)`."""
        word = expression.outcome.value
        if not self._effect(word, expression.span, effects):
            return poison(expression.span)
        update = self.update(expression.update)
        if update is None or not self._shared_target(update.target, word):
            return poison(expression.span)
        type_ = Type.BOOL if expression.outcome is Outcome.CHANGED else update.target.type
        return dataclasses.replace(expression, update=update, type=type_)

    def compare_and_swap(self, expression: syntax.CompareAndSwap, effects: bool) -> syntax.Expression:
        """`cas(target, old, new)`."""
        if not self._effect("cas", expression.span, effects):
            return poison(expression.span)
        target = self.target(expression.target)
        if target is None or target.type is None or not self._shared_target(target, "cas"):
            return poison(expression.span)
        old = self.value(expression.old, target.type, "the value that `cas` expects")
        new = self.value(expression.new, target.type, "the value that `cas` stores")
        if old.type is None or new.type is None:
            return poison(expression.span)
        return dataclasses.replace(expression, target=target, old=old, new=new, type=Type.BOOL)


def _where_it_stands(name: str, symbol: syntax.Symbol | None) -> str | None:
    """Where a word of the schedule belongs; None of any other."""
    if symbol is None and name in CONTEXTUAL_FORMS:
        return f"write `{CONTEXTUAL_FORMS[name]}`, in the schedule"
    if name in ("subgraph", "contract"):
        return f"the schedule builds graphs: `graph h = {name}(…);`"
    if name == "size":
        return "the schedule knows sizes of sets: declare `scalar n : int64;` in `problem`, write `n = size(f);` before"
    if name in SCHEDULE_FUNCTIONS:
        return "operators are statements of the schedule, or the value of a frontier: `frontier h = …;`"
    return None
