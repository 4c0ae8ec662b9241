"""Buckets and histories: `buckets b(A, width) = set;`, `history h;`, their methods and the loops over them."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.arguments import bind
from gdsl.frontend.check.environment import Environment, check_same_graph, graph_of, refuse_fixed_size
from gdsl.frontend.check.foreign_names import functor_for_loop, report_foreign_loop
from gdsl.frontend.check.members import is_foreign_member, pop_set
from gdsl.frontend.check.operands import Block, OperandChecker
from gdsl.frontend.signatures import SIGNATURES
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type

_DECLARATION = "write `buckets b(A, width) = { source };`"


def buckets_declaration(statement: syntax.BucketsDeclaration, operators: OperandChecker) -> syntax.Statement | None:
    """`buckets b(A, width) = set;`; None after a mistake."""
    environment = operators.environment
    arguments = bind(statement.arguments, SIGNATURES["buckets"], environment, statement.span)
    array = _array(arguments["a"], operators) if arguments is not None else None
    automatic = arguments is not None and _is_auto(arguments["width"], environment)
    width = None
    if arguments is not None and not automatic:
        width = _width(arguments["width"], array, statement.name, operators)
    value = statement.value
    if value is not None:
        value = operators.members(value, Domain.VERTEX, f"what `{statement.name}` begins with")
    graph = graph_of(environment, Domain.VERTEX)
    declared = Symbol(SymbolKind.BUCKETS, statement.name, statement.name_span, graph=graph, automatic=automatic)
    symbol = environment.declare(declared)
    if array is None or (width is None and not automatic) or (statement.value is not None and value is None):
        return None
    return dataclasses.replace(statement, arguments=(), array=array, width=width, value=value, symbol=symbol)


def _array(value: syntax.Expression, operators: OperandChecker) -> syntax.Name | None:
    environment = operators.environment
    if not isinstance(value, syntax.Name):
        environment.report("E0419", "buckets take the name of an array", value.span, fix=_DECLARATION)
        return None
    symbol = operators.expressions.resolve(value.name, value.span)
    if symbol is None:
        return None
    if refuse_fixed_size(symbol, "`buckets`", operators.environment, value.span):
        return None
    fits = symbol.kind is SymbolKind.ARRAY and symbol.domain is Domain.VERTEX
    if not fits or symbol.type is None or not symbol.type.is_numeric:
        if fits and symbol.type is None:
            return None
        what = symbol.kind.with_article
        if symbol.kind is SymbolKind.ARRAY:
            over = symbol.domain or Domain.VERTEX
            what = f"an array of {symbol.type.name if symbol.type is not None else '?'} over {over.plural}"
        labels = (Label(symbol.span, "declared here"),)
        message = f"buckets take an array of numbers over vertices, and `{symbol.name}` is {what}"
        environment.report("E0419", message, value.span, labels=labels)
        return None
    return dataclasses.replace(value, name=symbol.name, symbol=symbol, type=symbol.type)


def _is_auto(value: syntax.Expression, environment: Environment) -> bool:
    return isinstance(value, syntax.Name) and value.name == "auto" and environment.find("auto") is None


def _width(
    value: syntax.Expression, array: syntax.Name | None, name: str, operators: OperandChecker
) -> syntax.Expression | None:
    environment = operators.environment
    kind = array.type if array is not None and array.type is not None else Type.FLOAT64
    typed = operators.expressions.value(value, kind, f"the width of `{name}`")
    if typed.type is None:
        return None
    number = typed
    negative = isinstance(number, syntax.Unary) and isinstance(number.operand, syntax.Number)
    if negative or (isinstance(number, syntax.Number) and not number.value > 0):
        message = f"the width of `{name}` is not above 0"
        environment.report("E0419", message, value.span, fix="give each level a width above 0, such as 1")
        return None
    return typed


# ---------------------------------------------------------------- what is done with them


def buckets_statement(call: syntax.Method, symbol: Symbol, operators: OperandChecker) -> syntax.Statement | None:
    """`b.push(f);`, or `b.pop();` where the set is not used."""
    if call.name != "push":
        taken = pop_set(call, symbol, operators.environment)
        return None if taken is None else syntax.ExpressionStatement(call.span, taken)
    if not _binds_push(call, symbol, operators) or not check_same_graph(symbol, call.span, operators.environment):
        return None
    return _typed_push(call, symbol, operators, f"what is pushed to `{symbol.name}`")


def _binds_push(call: syntax.Method, symbol: Symbol, operators: OperandChecker) -> bool:
    """Whether `push` has the one argument that it takes."""
    form = f"{symbol.name}.push(f);"
    return bind(call.arguments, SIGNATURES["push"], operators.environment, call.span, form) is not None


def _typed_push(
    call: syntax.Method, symbol: Symbol, operators: OperandChecker, target: str
) -> syntax.ExpressionStatement | None:
    """The typed `symbol.push(f);`."""
    (argument,) = call.arguments
    value = operators.members(argument.value, Domain.VERTEX, target)
    if value is None:
        return None
    typed = dataclasses.replace(call, arguments=(dataclasses.replace(argument, value=value),), symbol=symbol)
    return syntax.ExpressionStatement(call.span, typed)


_ORDERS = {"backward": True, "forward": False}
_LOOP = "write `for f in backward(h) { … }`, or `forward(h)`"


class HistoryChecker:
    """Types what a schedule does with histories; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, operators: OperandChecker) -> None:
        self.environment = environment
        self.operators = operators
        self._histories_in_loops: dict[str, Span] = {}
        """By unique name the histories that enclosing loops iterate over, each with its place in the loop."""
        self._level_frontiers: set[str] = set()
        """The frontiers of such loops, by unique name."""

    def declaration(self, statement: syntax.HistoryDeclaration) -> syntax.Statement:
        """`history h;`."""
        graph = graph_of(self.environment, Domain.VERTEX)
        symbol = Symbol(SymbolKind.HISTORY, statement.name, statement.name_span, graph=graph)
        symbol = self.environment.declare(symbol)
        return dataclasses.replace(statement, symbol=symbol)

    # ------------------------------------------------------------ methods

    def method(self, call: syntax.Method) -> syntax.Statement | None:
        """`h.push(f);`."""
        history = self._history(call.owner, call.span)
        if history is None:
            return None
        environment = self.environment
        if call.name != "push":
            message = f"a history has no `.{call.name}(…)`"
            environment.report("E0418", message, call.name_span, fix=f"write `{history.name}.push(f);`")
            return None
        if not _binds_push(call, history, self.operators):
            return None
        if history.unique in self._histories_in_loops:
            labels = (Label(self._histories_in_loops[history.unique], "by this loop"),)
            fix = "push to another history, or after the loop"
            message = f"`{history.name}` cannot be pushed to inside a loop over it"
            environment.report("E0418", message, call.span, fix=fix, labels=labels)
            return None
        return _typed_push(call, history, self.operators, f"a level of `{history.name}`")

    def _history(self, owner: syntax.Expression, whole: Span) -> Symbol | None:
        environment = self.environment
        if not isinstance(owner, syntax.Name):
            environment.report("E0418", "only a history has methods, by its name", whole, fix="write `h.push(f);`")
            return None
        symbol = environment.find(owner.name)
        if (symbol is None or symbol.kind is not SymbolKind.HISTORY) and is_foreign_member(whole, environment):
            return None
        if symbol is None:
            names = {name for name in environment.visible_names() if self._is_history(name)}
            near = closest(owner.name, names)
            fix = f"did you mean `{near}`?" if near else f"declare it before: `history {owner.name};`"
            environment.report("E0201", f"`{owner.name}` is not declared", owner.span, fix=fix)
            return None
        if symbol.kind is SymbolKind.MISTAKEN:
            return None
        if symbol.kind is not SymbolKind.HISTORY:
            labels = (Label(symbol.span, "declared here"),)
            message = f"`{symbol.name}` is {symbol.kind.with_article}, not a history"
            environment.report("E0418", message, owner.span, labels=labels)
            return None
        return symbol if check_same_graph(symbol, owner.span, environment) else None

    def _is_history(self, name: str) -> bool:
        symbol = self.environment.find(name)
        return symbol is not None and symbol.kind is SymbolKind.HISTORY

    # ------------------------------------------------------------ loops

    def loop(self, statement: syntax.ForIn, block: Block) -> syntax.Statement | None:
        """`for f in backward(h) { … }`; `block` types the body."""
        environment = self.environment
        order = None if report_foreign_loop(statement, environment) else self._order(statement.value)
        history = self._history(order[1], statement.value.span) if order is not None else None
        if order is None or history is None:
            with environment.loop():
                for each in statement.names:
                    environment.declare(Symbol(SymbolKind.MISTAKEN, each.name, each.span))
                block(statement.body)
            return None
        name, *others = statement.names
        if others:
            message = "a loop over a history has one variable, the frontier of each level"
            environment.report("E0418", message, others[0].span, fix=_LOOP)
        outer = self._histories_in_loops.get(history.unique)
        self._histories_in_loops[history.unique] = statement.value.span
        with environment.loop():
            kind, domain = SymbolKind.FRONTIER, Domain.VERTEX
            symbol = environment.declare(
                Symbol(kind, name.name, name.span, domain=domain, graph=graph_of(environment, domain))
            )
            self._level_frontiers.add(symbol.unique)
            body = block(statement.body)
        del self._histories_in_loops[history.unique]
        if outer is not None:
            self._histories_in_loops[history.unique] = outer
        if others:
            return None
        return syntax.LevelLoop(
            statement.span, name.name, name.span, statement.value, body, symbol, history, backward=order[0]
        )

    def gives(self, frontier: Symbol) -> bool:
        """Whether a frontier has its members from a loop over a history."""
        return frontier.unique in self._level_frontiers

    def _order(self, over: syntax.Expression) -> tuple[bool, syntax.Expression] | None:
        environment = self.environment
        if isinstance(over, syntax.Name):
            is_history = self._is_history(over.name)
            message = f"the order of the loop over `{over.name}` is missing"
            fix = f"write `backward({over.name})` or `forward({over.name})`"
            if not is_history:
                message = "the schedule has `for` only over the levels of a history"
                fix = functor_for_loop(over, environment) or _LOOP
                symbol = environment.find(over.name)
                if symbol is not None and symbol.kind is SymbolKind.BUCKETS:
                    fix = f"write `while ({over.name}) {{ … }}`, with `frontier f = {over.name}.pop();` in it"
            environment.report("E0418" if is_history else "E0221", message, over.span, fix=fix)
            return None
        if isinstance(over, syntax.Call) and over.function == "neighbors":
            fix = "walk lists in a functor, or all of them by `advance`"
            environment.report("E0221", "the schedule has no loops over lists", over.span, fix=fix)
            return None
        if not isinstance(over, syntax.Call) or over.function not in _ORDERS:
            message = "the schedule has `for` only over the levels of a history"
            near = closest(over.function, _ORDERS) if isinstance(over, syntax.Call) else None
            environment.report("E0221", message, over.span, fix=f"did you mean `{near}(…)`?" if near else _LOOP)
            return None
        arguments = self.operators.arguments(over, f"{over.function}(h)")
        return (_ORDERS[over.function], arguments["h"]) if arguments is not None else None
