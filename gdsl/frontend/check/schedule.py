"""Statements of the schedule."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.diagnostics import Label
from gdsl.frontend import syntax
from gdsl.frontend.check.buckets_and_histories import HistoryChecker, buckets_declaration, buckets_statement
from gdsl.frontend.check.conversions import as_operand, may_cast, widens
from gdsl.frontend.check.environment import Environment, check_same_graph, graph_of, refuse_fixed_size
from gdsl.frontend.check.expressions import ExpressionChecker
from gdsl.frontend.check.graphs import GraphChecker, is_graph_call
from gdsl.frontend.check.intersect import is_intersect, split_total
from gdsl.frontend.check.members import buckets_of
from gdsl.frontend.check.operators import OperatorChecker
from gdsl.frontend.check.other_reductions import update_in_schedule
from gdsl.frontend.check.procedures import Procedures
from gdsl.frontend.check.reductions import is_reduction, of_each
from gdsl.frontend.check.scalars_before import index_before
from gdsl.frontend.check.set_operations import set_assignment_fix
from gdsl.frontend.check.sets import GIVE_VALUES, OPERATORS
from gdsl.frontend.check.updates import as_assignment, short_assign, unused_fix
from gdsl.frontend.syntax import OperatorKind, Symbol, SymbolKind
from gdsl.frontend.syntax_walking import walk
from gdsl.frontend.vocabulary import (
    ARRAY_REDUCTIONS,
    CONTEXTUAL_FUNCTIONS,
    FUNCTIONS,
    GRAPH_FUNCTIONS,
    SCHEDULE_FUNCTIONS,
    TYPES,
)
from gdsl.operations import Domain, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type

_MAKE_EDGES = (OperatorKind.ADVANCE, OperatorKind.TOP)


def check_block(
    environment: Environment,
    procedures: Procedures,
    labels: OperatorChecker | None,
    statements: Iterable[syntax.Statement],
) -> tuple[syntax.Statement, ...]:
    """The typed statements of a schedule or of a procedure."""
    checker, whole = ScheduleChecker(environment, procedures, labels), tuple(statements)
    checker.graphs.note(whole)
    return checker.block(whole)


_KNOWN = FUNCTIONS | GRAPH_FUNCTIONS | CONTEXTUAL_FUNCTIONS | SCHEDULE_FUNCTIONS | ARRAY_REDUCTIONS | TYPES.keys()


class ScheduleChecker:
    """Types of the schedule."""

    def __init__(self, environment: Environment, procedures: Procedures, labels: OperatorChecker | None = None) -> None:
        """`environment` is that of the statements; `labels` has those that are taken already."""
        self.environment = environment
        self.procedures = procedures
        self.expressions = ExpressionChecker(self.environment)
        self.operators = OperatorChecker(self.environment, self.expressions)
        self.graphs = GraphChecker(self.environment, self.operators)
        self.histories = HistoryChecker(self.environment, self.operators)
        if labels is not None:
            self.operators.labels = labels.labels

    def block(self, statements: Iterable[syntax.Statement]) -> tuple[syntax.Statement, ...]:
        """The typed statements of a block; those with a mistake are left out."""
        typed: list[syntax.Statement] = []
        for statement in statements:
            call = self.procedures.called(statement, self.environment)
            if call is not None:
                typed += self.procedures.expand(call, self.environment, self.operators)
                continue
            split = [self.statement(each) for each in split_total(statement, self.environment)]
            typed += (each for each in split if each is not None)
        return tuple(typed)

    def statement(self, statement: syntax.Statement) -> syntax.Statement | None:
        """The typed statement; None after a mistake."""
        self.environment.statement = statement
        match statement:
            case syntax.FrontierDeclaration():
                return self._frontier(statement)
            case syntax.GraphDeclaration():
                return self.graphs.declaration(statement)
            case syntax.On():
                return self.graphs.on(statement, self.block)
            case syntax.HistoryDeclaration():
                return self.histories.declaration(statement)
            case syntax.BucketsDeclaration():
                return buckets_declaration(statement, self.operators)
            case syntax.ForIn():
                return self.histories.loop(statement, self.block)
            case syntax.Assign():
                return self._assign(statement)
            case syntax.Update():
                return self._update(statement)
            case syntax.ShortAssign():
                return self._short_assign(statement)
            case syntax.ExpressionStatement():
                return self._expression(statement)
            case syntax.While():
                condition = self.expressions.condition(statement.condition)
                with self.environment.loop():
                    return dataclasses.replace(statement, condition=condition, body=self.block(statement.body))
            case syntax.Repeat():
                count = self.expressions.value(statement.count, Type.INT64, "the count of `repeat`")
                with self.environment.loop():
                    return dataclasses.replace(statement, count=count, body=self.block(statement.body))
            case syntax.If():
                return self._if(statement)
        self._foreign(statement)
        return None

    def _foreign(self, statement: syntax.Statement) -> None:
        environment = self.environment
        match statement:
            case syntax.Let():
                fix = "declare a `scalar` in `problem`"
                environment.report("E0221", "the schedule has no `let` and `var`", statement.span, fix=fix)
                if environment.find(statement.name) is None:
                    environment.declare(Symbol(SymbolKind.MISTAKEN, statement.name, statement.name_span))
            case syntax.Break():
                fix = "put the condition into the `while`"
                environment.report("E0220", "the schedule has no `break`", statement.span, fix=fix)
            case syntax.For():
                first, last = (environment.words(side.span) for side in (statement.first, statement.last))
                count = last if first == "0" else f"{as_operand(last)} - {as_operand(first)}"
                fix = f"write `repeat ({count}) {{ … }}`, in which `iteration` counts the rounds"
                environment.report("E0221", "the schedule has no `for` over numbers", statement.span, fix=fix)
            case syntax.Accept():
                environment.report("E0221", "`accept` belongs to the `apply` of a functor", statement.span)
            case syntax.Return():
                fix = "leave it out: all that `problem` declares is a result, but for `local` data, params and inputs"
                environment.report("E0221", "`return` belongs to functions", statement.span, fix=fix)

    def _if(self, statement: syntax.If) -> syntax.Statement:
        condition = self.expressions.condition(statement.condition)
        with self.environment.block():
            then = self.block(statement.then)
        with self.environment.block():
            otherwise = self.block(statement.otherwise)
        return dataclasses.replace(statement, condition=condition, then=then, otherwise=otherwise)

    def _frontier(self, statement: syntax.FrontierDeclaration) -> syntax.Statement | None:
        value = self._set(statement.value, statement.name, statement.domain)
        graph = graph_of(self.environment, statement.domain)
        symbol = Symbol(SymbolKind.FRONTIER, statement.name, statement.name_span, domain=statement.domain, mutable=True)
        symbol = self.environment.declare(dataclasses.replace(symbol, graph=graph))
        if statement.value is not None and value is None:
            return None
        return dataclasses.replace(statement, value=value, symbol=symbol)

    def _set(self, value: syntax.Expression | None, name: str, domain: Domain) -> syntax.Expression | None:
        return self.operators.members(value, domain, f"`{name}`") if value is not None else None

    # ------------------------------------------------------------ assignments

    def _assign(self, statement: syntax.Assign) -> syntax.Statement | None:
        environment, target = self.environment, statement.target
        if statement.any_winner:
            message = "`any=` belongs to functors, where several writers may meet"
            environment.report("E0221", message, statement.span, fix="write `=`")
            return None
        if isinstance(target, syntax.Name):
            symbol = self.expressions.resolve(target.name, target.span)
            if symbol is None:
                return None
            if symbol.kind is SymbolKind.GRAPH:
                return self.graphs.assign(statement, symbol)
            if symbol.kind is SymbolKind.FRONTIER:
                return self._assign_frontier(statement, target, symbol)
            if self._refuse_container_write(symbol, target.span):
                return None
            if symbol.kind is SymbolKind.ARRAY:
                return self._assign_array(statement, target, symbol)
            if isinstance(statement.value, syntax.Call) and is_intersect(statement.value):
                return self._total(statement.span, statement.value, target, adds=False)
        if isinstance(statement.value, syntax.Call) and self._refuse_no_value(statement.value, target.name):
            return None
        return self._assign_value(statement)

    def _assign_frontier(
        self, statement: syntax.Assign, target: syntax.Name, symbol: Symbol
    ) -> syntax.Statement | None:
        if not check_same_graph(symbol, target.span, self.environment):
            return None
        if not symbol.mutable:
            self._read_only(symbol, target.span)
            return None
        value = self._set(statement.value, symbol.name, symbol.domain or Domain.VERTEX)
        target = dataclasses.replace(target, symbol=symbol)
        return None if value is None else dataclasses.replace(statement, target=target, value=value)

    def _refuse_no_value(self, call: syntax.Call, name: str) -> bool:
        """Whether a call gives no single value that `name` could have; reports it."""
        fix: str | None = None
        if is_graph_call(call):
            message, fix = f"`{call.function}` gives a graph", f"write `graph h = {call.function}(…);`"
        elif call.function in OPERATORS:
            message = f"`{call.function}` gives no single value for `{name}`"
            if is_intersect(call):
                fix = "give its total to a scalar first: `s = intersect(…);`"
            elif call.function == OperatorKind.NEIGHBOR_REDUCE.value:
                fix = f"it gives one value to each vertex: `a = neighbor_reduce(…);`, then `{name} = sum(a);`"
        else:
            return False
        self.environment.report("E0415", message, call.span, fix=fix)
        return True

    def _refuse_container_write(self, symbol: Symbol | None, span: Span) -> bool:
        """Whether a name that is written is a history or buckets; reports it."""
        if symbol is None or symbol.kind not in (SymbolKind.HISTORY, SymbolKind.BUCKETS):
            return False
        message = f"`{symbol.name}` cannot be written: it is {symbol.kind.with_article}"
        self.environment.report("E0214", message, span, fix=f"write `{symbol.name}.push(f);`")
        return True

    def _read_only(self, symbol: Symbol, span: Span) -> None:
        why = "the loop gives it its members" if self.histories.gives(symbol) else "it is a param"
        message = f"`{symbol.name}` cannot be written: {why}"
        labels = (Label(symbol.span, "declared here"),)
        fix = f"copy it: `frontier {'g' if symbol.name != 'g' else 'rest'} = {symbol.name};`"
        self.environment.report("E0214", message, span, labels=labels, fix=fix)

    def _total(self, span: Span, call: syntax.Call, target: syntax.Name, *, adds: bool) -> syntax.Statement | None:
        typed = self.operators.intersect.total(call, target, adds=adds)
        return None if typed is None else syntax.ExpressionStatement(span, typed)

    def _assign_array(self, statement: syntax.Assign, target: syntax.Name, symbol: Symbol) -> syntax.Statement | None:
        environment, value = self.environment, statement.value
        called = value.function if isinstance(value, syntax.Call) else None
        if called is not None and refuse_fixed_size(symbol, f"`{called}`", environment, value.span):
            return None
        if isinstance(value, syntax.Call) and self.operators.is_numbering(value):
            numbers = self.operators.number(value, symbol)
            target = dataclasses.replace(target, symbol=symbol, type=symbol.type)
            return None if numbers is None else dataclasses.replace(statement, target=target, value=numbers)
        if not (isinstance(value, syntax.Call) and OPERATORS.get(value.function) in GIVE_VALUES):
            self._report_no_array(value, target, symbol)
            return None
        if symbol.is_input:
            environment.report("E0214", f"`{symbol.name}` cannot be written: it is an input", target.span)
            return None
        votes = value.function == OperatorKind.NEIGHBOR_VOTE.value
        typed = (self.operators.vote if votes else self.operators.reductions).call(value, symbol)
        target = dataclasses.replace(target, name=symbol.name, symbol=symbol, type=symbol.type)
        return None if typed is None else dataclasses.replace(statement, target=target, value=typed)

    def _report_no_array(self, value: syntax.Expression, target: syntax.Name, symbol: Symbol) -> None:
        """Report that `value` does not give a value for each element of the array `symbol`."""
        environment = self.environment
        if isinstance(value, syntax.Call):
            if value.function in OPERATORS or is_graph_call(value):
                message = f"`{value.function}` gives no values for the array `{symbol.name}`"
                environment.report("E0415", message, value.span)
                return
            declared = environment.find(value.function)
            if declared is None and value.function not in _KNOWN:
                self.expressions.infer(value)  # which reports a function that nothing declares
                return
            if declared is not None and declared.kind is SymbolKind.MISTAKEN:
                return  # what it gives is unknown
        fix = f"write `fill({symbol.name}, {environment.words(value.span)});`"
        other = environment.symbol_of(value)
        if other is not None and other.kind is SymbolKind.ARRAY:
            fix = _copy_fix(symbol, other)
        elif (reduction := _over_neighbors(value)) is not None:
            fix = f"write `{symbol.name} = {reduction};`"
        elif (each := of_each(value, environment)) is not None and each.domain is symbol.domain:
            over, index = ("vertices", "v") if each.domain is Domain.VERTEX else ("edges", "e")
            fix = f"write `compute({over}, {each.parameters} => {{ {symbol.name}[{index}] = {each.value}; }});`"
        environment.report("E0204", f"`{symbol.name}` is an array", target.span, fix=fix)

    def _assign_value(self, statement: syntax.Assign) -> syntax.Statement | None:
        target = self.expressions.target(statement.target)
        if target is None or target.type is None:
            self.expressions.infer(statement.value)
            return None
        name = target.name
        indices = (target.index, target.place) if isinstance(target, syntax.Index) else ()
        computed = next((each for each in indices if each is not None and not _simple_index(each)), None)
        if computed is not None:
            message = f"the index of `{name}` is a param, a scalar or a literal here"
            fix, suggestions = index_before(computed, name, self.environment)
            self.environment.report("E0409", message, computed.span, fix=fix, suggestions=suggestions)
            return None
        value = self.expressions.value(statement.value, target.type, f"`{name}`")
        return None if value.type is None else dataclasses.replace(statement, target=target, value=value)

    def _update(self, statement: syntax.Update) -> syntax.Statement | None:
        if self._reads_array(statement, statement.operation.value):
            return None
        symbol = self.expressions.resolve(statement.target.name, statement.target.span)
        if symbol is not None and symbol.kind is SymbolKind.FRONTIER:
            message = f"`{statement.operation.value}` is not defined on frontiers"
            words = as_operand(self.environment.words(statement.value.span))
            self.environment.report("E0206", message, statement.span, fix=set_assignment_fix(statement, words))
            return None
        if self._refuse_container_write(symbol, statement.target.span):
            return None
        target, value = statement.target, statement.value
        adds = symbol is not None and statement.operation is ReduceOperation.ADD
        if adds and isinstance(target, syntax.Name) and isinstance(value, syntax.Call) and is_intersect(value):
            return self._total(statement.span, value, target, adds=True)
        update = self.expressions.update(statement) if symbol is not None else None
        if update is None or not isinstance(update.target, syntax.Name):
            return None
        return as_assignment(update, update.target)

    def _short_assign(self, statement: syntax.ShortAssign) -> syntax.Statement | None:
        sign = f"{statement.operation.value}="
        if self._reads_array(statement, sign):
            return None
        symbol = self.expressions.resolve(statement.target.name, statement.target.span)
        if symbol is not None and symbol.kind is SymbolKind.FRONTIER:
            self.environment.report("E0206", f"`{sign}` is not defined on frontiers", statement.span)
            return None
        target = self.expressions.target(statement.target) if symbol is not None else None
        if target is None:
            return None
        return next(iter(short_assign(statement, target, self.expressions)), None)

    def _reads_array(self, statement: syntax.Update | syntax.ShortAssign, sign: str) -> bool:
        """Whether an update reads an element, or is one of a whole array; reports it."""
        target, environment = statement.target, self.environment
        value, first = environment.words(statement.value.span), ""
        calls = [each for each in walk(statement.value) if isinstance(each, syntax.Call)]
        if any(is_intersect(call) or is_reduction(call, environment) for call in calls):  # which functors do not have
            value, first = "s", f"give it to a scalar, `s = {value};`, and "
        if isinstance(target, syntax.Index):
            typed = self.expressions.target(target)
            if isinstance(typed, syntax.Index) and typed.symbol is not None:
                index = environment.words(target.index.span)
                fix = first + update_in_schedule(typed.symbol, index, sign, value, environment)
                environment.report("E0408", f"`{sign}` on an element reads the array", statement.span, fix=fix)
            return True
        symbol = environment.find(target.name)
        if symbol is None or symbol.kind is not SymbolKind.ARRAY:
            return False
        fix = first + update_in_schedule(symbol, None, sign, value, environment)
        environment.report("E0204", f"`{target.name}` is an array", target.span, fix=fix)
        return True

    # ------------------------------------------------------------ calls

    def _expression(self, statement: syntax.ExpressionStatement) -> syntax.Statement | None:
        value = statement.value
        if isinstance(value, syntax.Method):
            owner = buckets_of(value.owner, self.environment)
            return buckets_statement(value, owner, self.operators) if owner else self.histories.method(value)
        if isinstance(value, syntax.Call):
            if value.function in OPERATORS:
                intersects = is_intersect(value)
                typed = self.operators.intersect.alone(value) if intersects else self.operators.operator(value)
                if typed is not None and typed.kind in _MAKE_EDGES and typed.gives is Domain.EDGE:
                    fix = f"keep them: `edge frontier e = {value.function}(…);`"
                    fix = f"write `to=none`, or {fix}" if typed.kind is OperatorKind.ADVANCE else fix
                    self.environment.report("E0227", "the edges that this gives are not used", statement.span, fix=fix)
                    return None
                return None if typed is None else dataclasses.replace(statement, value=typed)
            if value.function in ("swap", "fill"):
                result = self.operators.swap(value) if value.function == "swap" else self.operators.fill(value)
                return None if result is None else dataclasses.replace(statement, value=result)
        typed_value = self.expressions.infer(value)
        if typed_value.type is not None:
            words = self.environment.words(statement.span)
            self.environment.report("E0227", "this value is not used", statement.span, fix=unused_fix(words))
        return None


def _over_neighbors(value: syntax.Expression) -> str | None:
    """`sum(neighbors(v), a)` as the operator that it means; None for anything else."""
    words = {"any": "some", "all": "every", **{word: word for word in ("sum", "min", "max", "count")}}
    if not isinstance(value, syntax.Call) or value.function not in words:
        return None
    parts = [argument.value for argument in value.arguments]
    lists = [each for each in parts if isinstance(each, syntax.Call) and each.function == "neighbors"]
    arrays = [each.name for each in parts if isinstance(each, syntax.Name)]
    if not lists or len(arrays) != 1:
        return None
    return f"neighbor_reduce(vertices, (src, dst, e) => {arrays[0]}[dst], {words[value.function]})"


def _copy_fix(target: Symbol, other: Symbol) -> str:
    """How the elements of an array get those of another one."""
    if target.domain is not other.domain or target.domain is None:
        return "an element is copied by a functor, `a[v] = b[v];`"
    over, parameters, index = (
        ("edges", "(src, dst, e)", "e") if target.domain is Domain.EDGE else ("vertices", "v", "v")
    )
    value = f"{other.name}[{index}]"
    if target.type is not None and other.type is not None and not widens(other.type, target.type):
        if not may_cast(other.type, target.type):
            return "an element is copied by a functor, `a[v] = b[v];`"
        value = f"{target.type.name}({value})"
    return f"write `compute({over}, {parameters} => {{ {target.name}[{index}] = {value}; }});`"


def _simple_index(index: syntax.Expression) -> bool:
    if isinstance(index, syntax.Convert):
        index = index.operand
    if isinstance(index, syntax.Number | syntax.NoneLiteral):
        return True
    kinds = (SymbolKind.PARAM, SymbolKind.SCALAR)
    return isinstance(index, syntax.Name) and index.symbol is not None and index.symbol.kind in kinds
