"""Names and elements as values, and as targets of writes."""

from __future__ import annotations

import dataclasses
import re

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place, built_in, poison, refuse_now
from gdsl.frontend.check.fixed_size_arrays import Mistake, value_place
from gdsl.frontend.check.foreign_names import report_foreign_name
from gdsl.frontend.check.other_reductions import (
    array_in_schedule,
    elements_in_schedule,
    names_set,
)
from gdsl.frontend.check.scalars_before import element_before
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import (
    CONTEXTUAL_FUNCTIONS,
    FOREIGN_NAMES,
    FUNCTIONS,
    GRAPH_FUNCTIONS,
    SCHEDULE_FUNCTIONS,
    TYPES,
    VALUES,
    closest,
)
from gdsl.operations import Domain
from gdsl.source import NOWHERE, Span
from gdsl.types import Type

_IN_RANGE = (
    SymbolKind.VERTEX,
    SymbolKind.SOURCE,
    SymbolKind.DESTINATION,
    SymbolKind.EDGE,
    SymbolKind.NEAR,
    SymbolKind.FAR,
    SymbolKind.COMMON,
    SymbolKind.SOURCE_EDGE,
    SymbolKind.DESTINATION_EDGE,
    SymbolKind.LIST_VARIABLE,
)
SETS = (SymbolKind.FRONTIER, SymbolKind.BUCKETS)
"""What is true as a condition while it is not empty."""
_ITERATION_PLACES = (Place.APPLY, Place.CONDITION, Place.VALUE, Place.SCHEDULE)
_INITIAL_PLACES = (Place.INITIAL, Place.WHERE)


def needs_check(index: syntax.Expression) -> bool:
    """Whether an index was computed: not the functor's own vertex, edge or ends, a place of a list that a loop iterates
    over, `id`, or a vertex param."""
    if not isinstance(index, syntax.Name) or index.symbol is None:
        return True
    symbol = index.symbol
    if symbol.kind is SymbolKind.PARAM:
        return symbol.type is not Type.VERTEX
    return symbol.kind not in _IN_RANGE and symbol.name != "id"


class NameChecker:
    """Resolves names; the base of the expression checker."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.wrapping = False
        """Whether the expression is inside `wrap(…)`."""

    def infer(
        self, expression: syntax.Expression, hint: Type | None = None, *, effects: bool = False
    ) -> syntax.Expression:
        """See `ExpressionChecker.infer`."""
        raise NotImplementedError

    def value(
        self, expression: syntax.Expression, target: Type, what: str, *, effects: bool = False
    ) -> syntax.Expression:
        """See `ExpressionChecker.value`."""
        raise NotImplementedError

    def resolve(self, name: str, span: Span) -> Symbol | None:
        """The symbol that `name` means here; reports an undeclared name and returns None."""
        symbol = self.environment.find(name)
        if symbol is not None:
            if symbol.kind is SymbolKind.MISTAKEN:
                return None
            return symbol
        if name in VALUES:
            return self._language_value(name, span)
        if name == "part" and self.environment.count is not None:
            return built_in("part", Type.INT32)
        if name:
            self.undeclared(name, span, self.environment.visible_names() | VALUES)
        return None

    def undeclared(self, name: str, span: Span, candidates: set[str] | frozenset[str]) -> None:
        """Report a name that nothing declares."""
        if name in FUNCTIONS | CONTEXTUAL_FUNCTIONS | GRAPH_FUNCTIONS | SCHEDULE_FUNCTIONS | TYPES.keys():
            message = f"`{name}` is a function, not a value"
            self.environment.report("E0204", message, span, fix=f"write `{name}(…)`")
            return
        near = FOREIGN_NAMES.get(name) or closest(name, candidates)
        if report_foreign_name(name, span, self.environment):
            return
        fix = f"did you mean `{near}`?" if near else self._declaration(name, span)
        if fix is None and self.environment.place is Place.INITIAL:
            fix = "the element's own id is `id`"
        self.environment.report("E0201", f"`{name}` is not declared", span, fix=fix)

    def _declaration(self, name: str, span: Span) -> str | None:
        """How to declare a local that a functor assigns to without having it; what follows may use it."""
        if self.environment.place not in (Place.APPLY, Place.FUNCTION):
            return None
        line = self.environment.source.line(span.line)
        before, behind = line[: span.column - 1].rstrip(), line[span.end_column - 1 :]
        value = re.match(r"\s*=(?!=)\s*([^;]+);", behind)
        if value is None or (before and before[-1] not in ";{}"):
            return None
        self.environment.declare(Symbol(SymbolKind.MISTAKEN, name, span))
        return f"write `var {name} = {value[1].strip()};` for a new name"

    def _language_value(self, name: str, span: Span) -> Symbol | None:
        environment = self.environment
        place = environment.place
        wrong: str | None = None
        if name == "id":
            if place not in _INITIAL_PLACES or environment.domain is None:
                wrong = "`id` is only available in the initial value or the `where` of an array"
            else:
                return built_in("id", environment.domain.id_type)
        elif name in ("place", "near", "far"):
            if not (place.in_functor and environment.domain is Domain.EDGE):
                wrong = f"`{name}` is only available in edge functors"
        elif name == "iteration":
            if place not in _ITERATION_PLACES:
                wrong = "`iteration` is only available in functors and in the schedule"
        elif name in ("num_vertices", "num_edges"):
            if place in (Place.FUNCTION, Place.DEFAULT, Place.IDENTITY, Place.EXTENT):
                wrong = f"{place.value} cannot access the graph"
        else:
            wrong = f"`{name}` is only available as the input of an operator, in the schedule"
        if wrong is None:
            return built_in(name)
        number = {"vertices": "num_vertices", "edges": "num_edges"}.get(name)
        counts = number is not None and (place.in_functor or place is Place.SCHEDULE)
        environment.report("E0215", wrong, span, fix=f"write `{number}` for how many there are" if counts else None)
        return None

    def name(self, expression: syntax.Name, hint: Type | None) -> syntax.Expression:
        """A name as a value."""
        environment, span = self.environment, expression.span
        symbol = self.resolve(expression.name, span)
        if symbol is None or not self._may_read(symbol, span):
            return poison(span)
        if symbol.kind is SymbolKind.ARRAY and symbol == environment.own:
            return self._own_element(symbol, span)
        if symbol.kind is SymbolKind.FRONTIER and symbol == environment.own:
            return self._own_id(span)
        in_schedule = environment.place is Place.SCHEDULE
        if symbol.kind in SETS and hint is Type.BOOL and in_schedule:
            refuse_now(expression, environment)
            return dataclasses.replace(expression, symbol=symbol, type=Type.BOOL)
        words = {
            SymbolKind.ARRAY: ("an array", _array_fix(symbol, environment, hint)),
            SymbolKind.FUNCTOR: ("a functor", None),
            SymbolKind.FUNCTION: ("a function", f"call it: `{symbol.name}(…)`"),
            SymbolKind.TYPE: ("a type", f"write `{symbol.name}(…)` for a cast"),
            SymbolKind.GRAPH: ("a graph", f"`on {symbol.name} {{ … }}` runs statements on it"),
            SymbolKind.PROCEDURE: ("a procedure", f"call it as a statement: `{symbol.name}(…);`"),
            SymbolKind.HISTORY: ("a history", f"write `size({symbol.name})` for the number of its levels"),
            SymbolKind.BUCKETS: ("a set of buckets", f"write `size({symbol.name})` for the number of its members"),
            SymbolKind.FRONTIER: ("a frontier", _frontier_fix(symbol, in_schedule)),
        }
        if symbol.kind in words:
            what, fix = words[symbol.kind]
            environment.report("E0204", f"`{symbol.name}` is {what}, not a value", span, fix=fix)
            return poison(span)
        if symbol.type is None:
            return poison(span)
        if not (symbol.kind is SymbolKind.SCALAR and environment.place.in_functor):
            refuse_now(expression, environment)
        return dataclasses.replace(expression, name=symbol.name, symbol=symbol, type=symbol.type)

    def _own_element(self, symbol: Symbol, span: Span) -> syntax.Expression:
        part = own_part(symbol, span)
        return syntax.Index(span, symbol.name, span, self._own_id(span), symbol=symbol, type=symbol.type, place=part)

    def _own_id(self, span: Span) -> syntax.Name:
        assert self.environment.domain is not None
        kind = self.environment.domain.id_type
        return syntax.Name(span, "id", symbol=built_in("id", kind), type=kind)

    def _may_read(self, symbol: Symbol, span: Span) -> bool:
        """Whether the place sees the symbol: functions, defaults, initial values and `where` see little."""
        data = (SymbolKind.PARAM, SymbolKind.SCALAR, SymbolKind.ARRAY)
        place = self.environment.place
        if symbol.kind not in data or symbol == self.environment.own:
            return True
        if place is Place.FUNCTION:
            fix = f"pass `{symbol.name}` to the function as an argument"
            self.environment.report(
                "E0215", f"a function sees only its own parameters, not `{symbol.name}`", span, fix=fix
            )
            return False
        allowed = {
            Place.DEFAULT: False,
            Place.IDENTITY: False,
            Place.EXTENT: symbol.kind is SymbolKind.PARAM,
            Place.WHERE: symbol.kind is SymbolKind.PARAM,
            Place.INITIAL: symbol.kind is SymbolKind.PARAM or symbol.is_input,
        }
        if allowed.get(place, True):
            return True
        sees = {
            Place.DEFAULT: "literals",
            Place.IDENTITY: "literals",
            Place.EXTENT: "params and literals",
            Place.WHERE: "its own values, params and literals",
            Place.INITIAL: "`id`, params, inputs, counts and degrees",
        }[place]
        message = f"{place.value} uses {sees}, not `{symbol.name}`"
        beginning: str | None = None
        if place is Place.INITIAL and symbol.kind in (SymbolKind.ARRAY, SymbolKind.SCALAR):
            beginning = "store it at the beginning of the schedule, " + (
                "`compute(vertices, v => { … });`" if symbol.kind is SymbolKind.ARRAY else "by a statement"
            )
        self.environment.report("E0222", message, span, fix=beginning)
        return False

    def element(self, expression: syntax.Index) -> syntax.Expression:
        """`array[index]` as a value."""
        environment = self.environment
        over, array = expression.index, environment.find(expression.array)
        is_array = array is not None and array.kind is SymbolKind.ARRAY
        if array is not None and is_array and environment.place is Place.SCHEDULE and names_set(over, environment):
            fix = elements_in_schedule(environment.words(over.span), expression.array, array)
            environment.report(
                "E0408", "the schedule reads the element of one vertex or edge", expression.span, fix=fix
            )
            return poison(expression.span)
        typed = self._indexed(expression)
        if typed is None or typed.symbol is None or not self._may_read(typed.symbol, expression.span):
            return poison(expression.span)
        if environment.place is Place.SCHEDULE:
            return typed if self._is_read_before(typed) else poison(expression.span)
        if environment.place in _INITIAL_PLACES and typed.checked:
            fix = f"write `{expression.array}[id]`"
            environment.report(
                "E0222",
                f"{environment.place.value} reads elements only at `id` or at a vertex param",
                expression.span,
                fix=fix,
            )
            return poison(expression.span)
        return typed

    def _is_read_before(self, element: syntax.Index) -> bool:
        """Whether the schedule may read an element, which it does before the rest of the statement."""
        environment, index, span = self.environment, element.index, element.span
        words = environment.words(index.span)
        refuse_now(element, environment)
        if index.type is not None and not index.type.is_id:
            kind = (
                element.symbol.domain.id_type if element.symbol is not None and element.symbol.domain else Type.VERTEX
            )
            message = f"the schedule reads elements at {_one(kind)}, and this is {index.type.name}"
            environment.report("E0213", message, index.span, fix=f"write `{element.array}[{kind.name}({words})]`")
            return False
        if environment.skipped and needs_check(index):
            message = "this element is read before the rest of the expression says whether it is needed"
            fix, suggestions = element_before(element, environment)
            environment.report("E0408", message, span, fix=fix, suggestions=suggestions)
            return False
        return True

    def _indexed(self, expression: syntax.Index) -> syntax.Index | None:
        environment = self.environment
        symbol = self.resolve(expression.array, expression.array_span)
        if symbol is None or symbol.kind is not SymbolKind.ARRAY or symbol.domain is None:
            if symbol is not None:
                message = f"`{expression.array}` is not an array"
                labels = (Label(symbol.span, "declared here"),) if symbol.span != NOWHERE else ()
                environment.report(
                    "E0204", message, expression.array_span, labels=labels, fix=_instead_of_element(symbol)
                )
            for index in (expression.index, expression.place):
                if index is not None:
                    self.infer(index, None)
            return None
        wanted = symbol.domain.id_type
        index = self.infer(expression.index, wanted)
        if index.type is None:
            return None
        if index.type is not wanted and not index.type.is_integer:
            message = f"`{expression.array}` is over {symbol.domain.plural}, and this index is {index.type.name}"
            environment.report("E0213", message, index.span, fix=f"use {_one(wanted)} as the index")
            return None
        try:
            place = value_place(symbol, self.infer, expression, environment)
        except Mistake:
            return None
        checked = needs_check(index)
        typed = dataclasses.replace(expression, array=symbol.name, index=index, symbol=symbol, type=symbol.type)
        return dataclasses.replace(typed, checked=checked, place=place)

    def target(self, expression: syntax.Name | syntax.Index) -> syntax.Name | syntax.Index | None:
        """A place that is written: an element, a scalar, or a `var`; None after a mistake."""
        if isinstance(expression, syntax.Index):
            indexed = self._indexed(expression)
            return indexed if indexed is not None and self._may_write(indexed.symbol, expression.span) else None
        symbol = self.resolve(expression.name, expression.span)
        if symbol is None:
            return None
        if symbol.kind is SymbolKind.ARRAY:
            fix = f"select an element: `{symbol.name}[v]{'[i]' * (symbol.count is not None)} = …`"
            self.environment.report("E0204", f"`{symbol.name}` is an array", expression.span, fix=fix)
            return None
        if not self._may_write(symbol, expression.span):
            return None
        return dataclasses.replace(expression, name=symbol.name, symbol=symbol, type=symbol.type)

    def _may_write(self, symbol: Symbol | None, span: Span) -> bool:
        if symbol is None or symbol.mutable:
            return symbol is not None
        what = "an input" if symbol.is_input else symbol.kind.with_article
        if symbol.kind is SymbolKind.SCALAR and not symbol.is_input:
            what = "a parameter of the procedure"
        fixes = {SymbolKind.LOCAL: f"declare it by `var {symbol.name} = …;`"}
        if symbol.is_input or symbol.kind is SymbolKind.PARAM:
            fixes[symbol.kind] = "copy it into another array or scalar, by its initial value"
        labels = (Label(symbol.span, "declared here"),) if symbol.span != NOWHERE else ()
        message = (
            f"`{symbol.name}` cannot be written: it is {what if symbol.kind is not SymbolKind.LOCAL else 'a `let`'}"
        )
        self.environment.report("E0214", message, span, fix=fixes.get(symbol.kind), labels=labels)
        return False


def _array_fix(symbol: Symbol, environment: Environment, hint: Type | None) -> str:
    if environment.place is Place.SCHEDULE:
        return array_in_schedule(symbol.name, symbol, environment, hint)
    return f"select an element: `{symbol.name}[v]{'[i]' * (symbol.count is not None)}`"


def _frontier_fix(symbol: Symbol, in_schedule: bool) -> str:
    if in_schedule:
        return f"write `size({symbol.name})` for its number of elements"
    return "functors cannot access frontiers: mark its members in an array by `compute`"


def _one(type_: Type) -> str:
    return f"an {type_.name}" if type_.name[0] in "aeiou" else f"a {type_.name}"


def own_part(symbol: Symbol, span: Span) -> syntax.Expression | None:
    """`part`, where the array of the `where` has several values per element."""
    if symbol.count is None:
        return None
    return syntax.Name(span, "part", symbol=built_in("part"), type=Type.INT32)


def _instead_of_element(symbol: Symbol) -> str | None:
    """What is meant by an index after the name of something that is no array."""
    if symbol.kind is SymbolKind.FRONTIER:
        return "mark its members in an array, `vertex member : bool;`, and read `member[v]`"
    if symbol.kind is SymbolKind.HISTORY:
        return f"`for g in backward({symbol.name}) {{ … }}` goes through its sets"
    if symbol.kind in (SymbolKind.SCALAR, SymbolKind.PARAM):
        return f"write `{symbol.name}`, which has one value, or declare an array, `vertex {symbol.name} : …;`"
    return None
