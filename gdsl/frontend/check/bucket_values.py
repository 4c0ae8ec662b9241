"""Buckets in expressions: `b.level`, and what is said of a method that stands as a value."""

from __future__ import annotations

import dataclasses

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, Place, poison
from gdsl.frontend.check.kept_methods import instead
from gdsl.frontend.check.methods import is_foreign_member
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import VALUES
from gdsl.types import Type


def buckets_of(owner: syntax.Expression, environment: Environment) -> Symbol | None:
    """The buckets that an expression names; None where it names none."""
    symbol = environment.find(owner.name) if isinstance(owner, syntax.Name) else None
    return symbol if symbol is not None and symbol.kind is SymbolKind.BUCKETS else None


def member(expression: syntax.Member, environment: Environment) -> syntax.Expression:
    """`b.level` as a value."""
    symbol = buckets_of(expression.owner, environment)
    known = environment.find(expression.owner.name) if isinstance(expression.owner, syntax.Name) else None
    if symbol is None and is_foreign_member(expression.span, environment):
        return poison(expression.span)
    if symbol is None and expression.name == "level" and known is not None and known.kind is not SymbolKind.MISTAKEN:
        labels = (Label(known.span, "declared here"),)
        message = f"`{known.name}` is {known.kind.with_article}, and only buckets have a `.level`"
        environment.report("E0419", message, expression.span, labels=labels)
        return poison(expression.span)
    if symbol is None:
        _no_member(expression, known, environment)
        return poison(expression.span)
    if expression.name != "level" or environment.place is not Place.SCHEDULE:
        message, fix = f"buckets have no `.{expression.name}`", f"write `{symbol.name}.level`"
        if expression.name in ("pop", "push"):
            fix = f"write `{symbol.name}.{expression.name}({'f' if expression.name == 'push' else ''})`"
        if environment.place is not Place.SCHEDULE:
            message = f"`{symbol.name}` belongs to the schedule, not to {environment.place.value}"
            fix = "copy the level into a scalar first"
        environment.report("E0419", message, expression.span, fix=fix)
        return poison(expression.span)
    if symbol.automatic:
        message = f"`{symbol.name}` has no levels to ask for: its width finds itself"
        labels = (Label(symbol.span, "`auto` here"),)
        fix = f"give `{symbol.name}` a width of its own, such as 1"
        environment.report("E0419", message, expression.span, labels=labels, fix=fix)
        return poison(expression.span)
    return dataclasses.replace(expression, symbol=symbol, type=Type.INT64)


def _no_member(expression: syntax.Member, owner: Symbol | None, environment: Environment) -> None:
    """Report a member of what has none; `owner` is what stands before the dot, where that is a declared name."""
    if owner is not None and owner.kind is SymbolKind.MISTAKEN:
        return
    name = expression.owner.name if isinstance(expression.owner, syntax.Name) else ""
    if owner is None and name and name not in VALUES:
        environment.report("E0201", f"`{name}` is not declared", expression.owner.span)
        return
    what = owner.kind.with_article if owner is not None else "a value"
    fix = "the parts of a pair are `p.0` and `p.1`, and buckets alone have a `.level`"
    environment.report("E0112", f"{what} has no `.{expression.name}`", expression.span, fix=fix)


def misplaced_pop(call: syntax.Method, symbol: Symbol, environment: Environment) -> None:
    """Report a method of buckets that stands as a value."""
    message, fix = f"`{symbol.name}.{call.name}(…)` gives no value", instead(symbol, call.name, "")
    if call.name == "pop":
        message, fix = "this is a set, not a value", f"give it a name: `frontier f = {symbol.name}.pop();`"
    environment.report("E0419", message, call.span, fix=fix)
