"""Statements of functors and functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import (
    common_type,
    converted,
    is_literal,
    shifts_a_literal,
    takes_its_place,
)
from gdsl.frontend.check.environment import Environment, Place
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.forests import with_labels
from gdsl.frontend.check.functions import declare_names, neighbors_of
from gdsl.frontend.check.param_sets import VERTEX_SET
from gdsl.frontend.check.updates import as_assignment, effects_first, short_assign, unused_fix
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import FOREIGN_TYPES, SCHEDULE_FUNCTIONS, TYPES, closest
from gdsl.types import TYPE_CLASSES, Type


def resolve_type(name: syntax.TypeName, environment: Environment) -> Type | None:
    """The type of this name; reports a mistake if there is none."""
    if name.parts:
        return _pair_type(name, environment)
    if name.name in environment.types:
        return environment.types[name.name]
    resolved = TYPES.get(name.name)
    if name.name == VERTEX_SET:
        message = f"only a param is a `{VERTEX_SET}`"
        fix = "a parameter of a procedure that is a set is `f: frontier`"
        environment.report("E0225", message, name.span, fix=fix)
    elif resolved is None and name.name not in environment.broken.names:
        names = (*TYPES, *environment.types)
        near = FOREIGN_TYPES.get(name.name) or closest(name.name, names)
        fix = f"did you mean `{near}`?" if near else f"the types are {', '.join(names)}"
        if name.span.file and not near:
            fix = f"types are those of the program that imports this: declare `type {name.name} = …;` there"
        if name.name in TYPE_CLASSES:
            fix = f"`{name.name}` is a class of types, of which the caller chooses one: declare "
            fix += f"`type t : {name.name} = {TYPE_CLASSES[name.name][-2].name};`, and write `t`"
        environment.report("E0225", f"there is no type `{name.name}`", name.span, fix=fix)
    return resolved


def _pair_type(name: syntax.TypeName, environment: Environment) -> Type | None:
    nested = next((part for part in name.parts if part.parts), None)
    if nested is not None:
        fix = "store the third value in another array or local"
        environment.report("E0225", "a pair holds two simple values, not another pair", nested.span, fix=fix)
        return None
    first, second = (resolve_type(part, environment) for part in name.parts)
    return Type.pair(first, second) if first is not None and second is not None else None


class StatementChecker:
    """Types of the statements of one functor's `apply` or of one function."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.expressions = ExpressionChecker(environment)

    def block(self, statements: Iterable[syntax.Statement]) -> tuple[syntax.Statement, ...]:
        """The typed statements of a block; those with a mistake are left out."""
        return tuple(typed for statement in statements for typed in self._expanded(statement))

    def _expanded(self, statement: syntax.Statement) -> tuple[syntax.Statement, ...]:
        """The typed statements that one statement expands to."""
        self.environment.statement = statement
        with_roots = self._with_labels(statement)
        if with_roots is not None:
            return with_roots
        if isinstance(statement, syntax.Update):
            return self._update(statement)
        if isinstance(statement, syntax.ShortAssign):
            return self._short_assign(statement)
        typed = self.statement(statement)
        return () if typed is None else (typed,)

    def _with_labels(self, statement: syntax.Statement) -> tuple[syntax.Statement, ...] | None:
        """What `join` and `root` in a statement expand to; None if it has neither."""
        expanded = with_labels(statement, self.expressions)
        if not expanded or isinstance(expanded[-1], syntax.While):
            return expanded
        *before, last = expanded
        typed = self._expanded(last)
        if before:
            value = getattr(last, "value", None)
            assert isinstance(value, syntax.Name)
            del self.environment.scopes[-1][value.name]  # no text can mean it, and no message should name it
        return *before, *typed

    def statement(self, statement: syntax.Statement) -> syntax.Statement | None:
        """The typed statement; None after a mistake."""
        match statement:
            case syntax.Let():
                return self._let(statement)
            case syntax.Assign():
                return self._assign(statement)
            case syntax.ExpressionStatement():
                return self._expression(statement)
            case syntax.Accept():
                return self._accept(statement)
            case syntax.Return():
                return self._return(statement)
            case syntax.Break():
                if self.environment.loops == 0:
                    self.environment.report("E0220", "`break` outside a loop", statement.span)
                return statement
            case syntax.If() | syntax.While() | syntax.For() | syntax.ForIn():
                return self._nested(statement)
        self._foreign(statement)
        return None

    def _foreign(self, statement: syntax.Statement) -> None:
        environment = self.environment
        words = {syntax.Repeat: "repeat", syntax.On: "on", syntax.GraphDeclaration: "graph"}
        words |= {syntax.HistoryDeclaration: "history", syntax.BucketsDeclaration: "buckets"}
        word = words.get(type(statement), "frontier")
        message = f"`{word}` belongs to the schedule, not to {environment.place.value}"
        joins = "write it there; what joins the next set is what a functor accepts, `accept true;`"
        fix = joins if word == "frontier" else None
        environment.report("E0221", message, statement.span, fix=fix)

    def _nested(self, statement: syntax.If | syntax.While | syntax.For | syntax.ForIn) -> syntax.Statement | None:
        environment = self.environment
        effects = environment.place is Place.APPLY
        if isinstance(statement, syntax.For):
            return self._for(statement)
        if isinstance(statement, syntax.ForIn):
            return self._for_in(statement)
        condition = self.expressions.condition(statement.condition, effects=effects)
        if isinstance(statement, syntax.While):
            with environment.loop():
                return dataclasses.replace(statement, condition=condition, body=self.block(statement.body))
        with environment.block():
            then = self.block(statement.then)
        with environment.block():
            otherwise = self.block(statement.otherwise)
        return dataclasses.replace(statement, condition=condition, then=then, otherwise=otherwise)

    def _for(self, statement: syntax.For) -> syntax.Statement:
        environment = self.environment
        first, last, type_ = self._range(statement)
        with environment.loop():
            kind = SymbolKind.LOOP_VARIABLE
            symbol = environment.declare(Symbol(kind, statement.name, statement.name_span, type_))
            body = self.block(statement.body)
        return dataclasses.replace(statement, first=first, last=last, body=body, type=type_, symbol=symbol)

    def _for_in(self, statement: syntax.ForIn) -> syntax.Statement | None:
        value = neighbors_of(self.expressions, statement)
        with self.environment.loop():
            if value is None:
                for name in statement.names:
                    self.environment.declare(Symbol(SymbolKind.MISTAKEN, name.name, name.span))
                self.block(statement.body)
                return None
            symbols = declare_names(statement, self.environment)
            body = self.block(statement.body)
        return dataclasses.replace(statement, value=value, body=body, symbols=symbols)

    def _range(self, statement: syntax.For) -> tuple[syntax.Expression, syntax.Expression, Type | None]:
        infer = self.expressions.infer
        shifted = shifts_a_literal(statement.first), shifts_a_literal(statement.last)
        of_last = shifted[0] and not takes_its_place(statement.last)
        if of_last or (is_literal(statement.first) and not is_literal(statement.last)):
            last = infer(statement.last)
            first = infer(statement.first, last.type)
        else:
            first = infer(statement.first)
            takes = is_literal(statement.last) or shifted == (False, True)
            last = infer(statement.last, first.type if takes else None)
        if first.type is None or last.type is None:
            return first, last, None
        for side in (first, last):
            if side.type is None or not side.type.is_integer:
                message = f"a range consists of integers, and this is {side.type.name if side.type else 'not'}"
                self.environment.report("E0205", message, side.span)
                return first, last, None
        type_ = common_type(first.type, last.type)
        if type_ is None:
            message = f"the ends of the range are {first.type.name} and {last.type.name}"
            self.environment.report("E0223", message, last.span, fix="cast one of them")
            return first, last, None
        return converted(first, type_), converted(last, type_), type_

    def _let(self, statement: syntax.Let) -> syntax.Statement | None:
        environment = self.environment
        declared = resolve_type(statement.declared, environment) if statement.declared is not None else None
        effects = environment.place is Place.APPLY
        if declared is not None:
            value = self.expressions.value(statement.value, declared, f"`{statement.name}`", effects=effects)
            type_: Type | None = declared
        else:
            value = self.expressions.infer(statement.value, effects=effects)
            type_ = value.type if statement.declared is None else None
        kind = SymbolKind.LOCAL
        symbol = environment.declare(
            Symbol(kind, statement.name, statement.name_span, type_, mutable=statement.mutable)
        )
        return dataclasses.replace(statement, value=value, type=type_, symbol=symbol)

    def _writes_here(self, target: syntax.Name | syntax.Index, statement: syntax.Statement) -> bool:
        """Whether the place may write this; functions write only their own `var`s."""
        if self.environment.place is Place.APPLY:
            return True
        if isinstance(target, syntax.Name) and (target.symbol is None or target.symbol.kind is SymbolKind.LOCAL):
            return True
        self.environment.report(
            "E0217", "a function does not change data", statement.span, fix="write it in an `apply`"
        )
        return False

    def _assign(self, statement: syntax.Assign) -> syntax.Statement | None:
        target = self.expressions.target(statement.target)
        effects = self.environment.place is Place.APPLY
        if target is None or target.type is None:
            self.expressions.infer(statement.value, effects=effects)
            return None
        name = target.name
        value = self.expressions.value(statement.value, target.type, f"`{name}`", effects=effects)
        local = isinstance(target, syntax.Name) and target.symbol is not None and target.symbol.kind is SymbolKind.LOCAL
        if statement.any_winner and local:
            message = "`any=` is for elements and scalars, not for a `var`"
            self.environment.report("E0221", message, statement.span, fix="write `=`")
            return None
        if value.type is None or not self._writes_here(target, statement):
            return None
        return dataclasses.replace(statement, target=target, value=value)

    def _update(self, statement: syntax.Update) -> tuple[syntax.Statement, ...]:
        update = self.expressions.update(statement, effects=self.environment.place is Place.APPLY)
        if update is None or not self._writes_here(update.target, statement):
            return ()
        *before, last = effects_first(update, self.environment)
        target = update.target
        local = isinstance(target, syntax.Name) and target.symbol is not None and target.symbol.kind is SymbolKind.LOCAL
        if local and isinstance(last, syntax.Update) and isinstance(target, syntax.Name):
            last = as_assignment(last, target)
        return (*before, last)

    def _short_assign(self, statement: syntax.ShortAssign) -> tuple[syntax.Statement, ...]:
        target = self.expressions.target(statement.target)
        if target is None or target.type is None:
            self.expressions.infer(statement.value)
            return ()
        typed = short_assign(statement, target, self.expressions)
        return typed if typed and self._writes_here(target, statement) else ()

    def _expression(self, statement: syntax.ExpressionStatement) -> syntax.Statement | None:
        value = statement.value
        if isinstance(value, syntax.Call) and value.function in SCHEDULE_FUNCTIONS - {"size"}:
            message = f"`{value.function}` belongs to the schedule, not to {self.environment.place.value}"
            elsewhere = "write it there, before or after the operator that runs this functor"
            self.environment.report("E0404", message, value.span, fix=elsewhere)
            return None
        typed = self.expressions.infer(value, effects=self.environment.place is Place.APPLY)
        if typed.type is None:
            return None
        if not isinstance(typed, syntax.UpdateValue | syntax.CompareAndSwap):
            fix = unused_fix(self.environment.words(statement.span))
            self.environment.report("E0227", "this value is not used", statement.span, fix=fix)
            return None
        return dataclasses.replace(statement, value=typed)

    def _accept(self, statement: syntax.Accept) -> syntax.Statement | None:
        if self.environment.place is not Place.APPLY:
            self.environment.report("E0221", "`accept` belongs to the `apply` of a functor", statement.span)
            return None
        return dataclasses.replace(statement, value=self.expressions.condition(statement.value, effects=True))

    def _return(self, statement: syntax.Return) -> syntax.Statement | None:
        environment = self.environment
        if environment.place is not Place.FUNCTION:
            fix = "use `if` and `else`; in a `while` or `for`, `break`"
            environment.report("E0221", "`return` belongs to functions", statement.span, fix=fix)
            return None
        if environment.result is None:
            self.expressions.infer(statement.value)
            return None
        value = self.expressions.value(statement.value, environment.result, "the function's result")
        return dataclasses.replace(statement, value=value)


def always_returns(statements: Iterable[syntax.Statement]) -> bool:
    """Whether every way through the statements ends with `return`."""
    for statement in statements:
        if isinstance(statement, syntax.Return):
            return True
        if isinstance(statement, syntax.If) and always_returns(statement.then) and always_returns(statement.otherwise):
            return True
    return False
