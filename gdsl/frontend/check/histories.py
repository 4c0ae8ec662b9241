"""Histories: `history h;`, `h.push(f);`, and loops over what was pushed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.bucket_values import misplaced_pop
from gdsl.frontend.check.environment import Environment, Place
from gdsl.frontend.check.foreign_names import functor_for_loop, report_foreign_loop
from gdsl.frontend.check.kept_methods import instead
from gdsl.frontend.check.methods import is_foreign_member
from gdsl.frontend.check.operator_parts import Operators
from gdsl.frontend.check.owners import belongs, graph_of
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import closest
from gdsl.operations import Domain
from gdsl.source import Span

_ORDERS = {"backward": True, "forward": False}
_SHAPE = "write `for f in backward(h) { … }`, or `forward(h)`"

Block = Callable[[Iterable[syntax.Statement]], tuple[syntax.Statement, ...]]


class HistoryChecker:
    """Types what a schedule does with histories; None in an answer means that a mistake was reported."""

    def __init__(self, environment: Environment, operators: Operators) -> None:
        self.environment = environment
        self.operators = operators
        self._walked: dict[str, Span] = {}
        """By unique name the histories that the loops around go through, each with what they say there."""
        self._given: set[str] = set()
        """The frontiers of such loops, by unique name."""

    def declaration(self, statement: syntax.HistoryDeclaration) -> syntax.Statement:
        """`history h;`."""
        graph = graph_of(self.environment, Domain.VERTEX)
        made = Symbol(SymbolKind.HISTORY, statement.name, statement.name_span, graph=graph)
        symbol = self.environment.declare(made)
        return dataclasses.replace(statement, symbol=symbol)

    # ------------------------------------------------------------ methods

    def method(self, call: syntax.Method) -> syntax.Statement | None:
        """`h.push(f);`."""
        history = self._history(call.owner, call.span)
        if history is None:
            return None
        environment, shape = self.environment, f"write `{history.name}.push(f);`"
        if call.name != "push":
            message = f"a history has no `.{call.name}(…)`"
            environment.report("E0418", message, call.name_span, fix=shape)
            return None
        keyword = next((argument for argument in call.arguments if argument.keyword is not None), None)
        if keyword is not None or len(call.arguments) != 1:
            given = (
                f"takes no argument `{keyword.keyword}=`" if keyword else f"takes one set, not {len(call.arguments)}"
            )
            environment.report("E0402", f"`push` {given}", keyword.span if keyword else call.span, fix=shape)
            return None
        if history.unique in self._walked:
            labels = (Label(self._walked[history.unique], "by this loop"),)
            fix = "push to a history of its own, or behind the loop"
            message = f"`{history.name}` is being gone through, and nothing can be pushed to it"
            environment.report("E0418", message, call.span, fix=fix, labels=labels)
            return None
        (argument,) = call.arguments
        value = self.operators.members(argument.value, Domain.VERTEX, f"a level of `{history.name}`")
        if value is None:
            return None
        made = dataclasses.replace(call, arguments=(dataclasses.replace(argument, value=value),), symbol=history)
        return syntax.ExpressionStatement(call.span, made)

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
        return symbol if belongs(symbol, owner.span, environment) else None

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
            environment.report("E0418", message, others[0].span, fix=_SHAPE)
        outer = self._walked.get(history.unique)
        self._walked[history.unique] = statement.value.span
        with environment.loop():
            kind, domain = SymbolKind.FRONTIER, Domain.VERTEX
            symbol = environment.declare(
                Symbol(kind, name.name, name.span, domain=domain, graph=graph_of(environment, domain))
            )
            self._given.add(symbol.unique)
            body = block(statement.body)
        del self._walked[history.unique]
        if outer is not None:
            self._walked[history.unique] = outer
        if others:
            return None
        return syntax.LevelLoop(
            statement.span, name.name, name.span, statement.value, body, symbol, history, backward=order[0]
        )

    def gives(self, frontier: Symbol) -> bool:
        """Whether a frontier has its members from a loop over a history."""
        return frontier.unique in self._given

    def _order(self, over: syntax.Expression) -> tuple[bool, syntax.Expression] | None:
        environment = self.environment
        if isinstance(over, syntax.Name):
            known = self._is_history(over.name)
            message = f"in which order the loop goes through `{over.name}` is not said"
            fix = f"write `backward({over.name})` or `forward({over.name})`"
            if not known:
                message = "the schedule has no `for` but over the levels of a history"
                fix = functor_for_loop(over, environment) or _SHAPE
            environment.report("E0418" if known else "E0221", message, over.span, fix=fix)
            return None
        if isinstance(over, syntax.Call) and over.function == "neighbors":
            fix = "walk lists in a functor, or all of them by `advance`"
            environment.report("E0221", "the schedule has no loops over lists", over.span, fix=fix)
            return None
        if not isinstance(over, syntax.Call) or over.function not in _ORDERS:
            message = "the schedule has no `for` but over the levels of a history"
            near = closest(over.function, _ORDERS) if isinstance(over, syntax.Call) else None
            environment.report("E0221", message, over.span, fix=f"did you mean `{near}(…)`?" if near else _SHAPE)
            return None
        plain = len(over.arguments) == 1 and over.arguments[0].keyword is None and over.label is None
        if not plain:
            message = f"`{over.function}` takes one history"
            environment.report("E0402", message, over.span, fix=f"write `{over.function}(h)`")
            return None
        return _ORDERS[over.function], over.arguments[0].value


def misplaced(call: syntax.Method, environment: Environment) -> None:
    """Report a method that stands as a value."""
    owner = environment.find(call.owner.name) if isinstance(call.owner, syntax.Name) else None
    if owner is not None and owner.kind is SymbolKind.MISTAKEN:
        return
    if owner is not None and owner.kind is SymbolKind.BUCKETS and environment.place is Place.SCHEDULE:
        misplaced_pop(call, owner, environment)
        return
    if (owner is None or owner.kind is not SymbolKind.HISTORY) and is_foreign_member(call.span, environment):
        return
    message, fix = "methods belong to the schedule: `h.push(f);`", None
    if owner is not None and owner.kind is SymbolKind.HISTORY:
        given = ", ".join(environment.words(argument.span) for argument in call.arguments)
        message = f"`{owner.name}.{call.name}(…)` gives no value"
        fix = instead(owner, call.name, given) or f"a history has `{owner.name}.push(f);`, and `size({owner.name})`"
    environment.report("E0418", message, call.span, fix=fix)
