"""Follows the levels of all names through the schedule, loops to a fixed point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gdsl.frontend import syntax
from gdsl.frontend.races.calls import Calls, WriteKind
from gdsl.frontend.races.closing import Closing, ConditionUse
from gdsl.frontend.races.collect import flattened
from gdsl.frontend.races.levels import Level, State, decided, of_operation, worst
from gdsl.frontend.races.terms import Constant, Element, ScalarRead, inside
from gdsl.frontend.races.unique import OperatorLevels
from gdsl.frontend.races.values import largest_value
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.operations import NeighborOperation, UnaryOperation
from gdsl.source import Span
from gdsl.types import ScalarType


@dataclass(frozen=True, slots=True)
class Site:
    """An operator call and what the rules found out about it."""

    calls: Calls
    uses: Mapping[str, ConditionUse]
    closings: list[Closing]


def constant(node: syntax.Expression | None) -> Constant | None:
    """A literal as a term; None for anything else."""
    if isinstance(node, syntax.Number | syntax.Boolean):
        return Constant(node.type, node.value)
    if isinstance(node, syntax.NoneLiteral):
        return Constant(node.type, None)
    if isinstance(node, syntax.Infinity):
        return Constant(node.type, largest_value(node.type))
    if isinstance(node, syntax.Unary) and node.operation is UnaryOperation.NEGATE:
        operand = constant(node.operand)
        if operand is not None and operand.value is not None:
            return Constant(node.type, -operand.value)
    if isinstance(node, syntax.Convert):
        operand = constant(node.operand)
        if operand is not None and operand.value is not None and node.type is not None and node.type.is_float:
            return Constant(node.type, float(operand.value))
    return None


def initial_constants(program: syntax.Program) -> dict[str, Constant]:
    """The constant that each array and scalar holds at first, where it is one."""
    found: dict[str, Constant] = {}
    for declaration in program.declarations:
        kind = declaration.type
        value = constant(declaration.initial)
        if declaration.initial is None and not declaration.is_input and kind is not None:
            value = Constant(kind, _default(kind))
        if value is not None and declaration.kind is not syntax.DeclarationKind.PARAM:
            found[declaration.name] = value
    return found


def nonnegative_inputs(program: syntax.Program) -> frozenset[str]:
    """The inputs whose `where` says that no element is negative."""
    return frozenset(
        declaration.name
        for declaration in program.declarations
        if any(_says_nonnegative(part, declaration.name) for part in flattened(declaration.where))
    )


def _says_nonnegative(condition: syntax.Expression, name: str) -> bool:
    if not isinstance(condition, syntax.Binary) or condition.operation.value not in (">", ">="):
        return False
    limit = constant(condition.right)
    left = condition.left
    reads = isinstance(left, syntax.Name | syntax.Index) and left.symbol is not None and left.symbol.name == name
    return reads and limit is not None and limit.value is not None and limit.value >= 0


def _default(kind: ScalarType) -> bool | int | float | None:
    if kind.is_id:
        return None
    if kind is ScalarType.BOOL:
        return False
    return 0.0 if kind.is_float else 0


def compressed_key(name: str) -> str:
    """The key for whether all labels of a label array are roots: SAME if they are for certain."""
    return f"{name} (compressed)"


def frontier_key(name: syntax.Name | syntax.FrontierDeclaration) -> str:
    """The key of a frontier in the state; no array or scalar has it."""
    return f"{(name.symbol.unique or name.name) if name.symbol else name.name} (frontier)"


class Flow:
    """Runs the schedule on levels. `settles` says which arrays a loop settles, and what their values come from."""

    def __init__(
        self,
        sites: Mapping[Span, Site],
        initials: Mapping[str, Constant],
        settles: Callable[[syntax.While, State], Mapping[str, set[str]]] | None = None,
    ) -> None:
        self.sites = sites
        self.initials = initials
        self.state = State()
        self._settles = settles
        self._run = Level.SAME
        """Whether this place of the schedule is reached equally often in all runs."""

    def block(self, statements: tuple[syntax.Statement, ...]) -> None:
        """Run statements one after the other."""
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: syntax.Statement) -> None:
        if isinstance(statement, syntax.FrontierDeclaration):
            level = self._frontier(statement.value) if statement.value is not None else Level.SAME
            self._assign(frontier_key(statement), level)
        elif isinstance(statement, syntax.Assign):
            self._assignment(statement)
        elif isinstance(statement, syntax.Update):
            name = statement.target.symbol.name if statement.target.symbol else ""
            level = self._level(statement.value)
            self._assign(name, max(level, self.state.value(name)))
        elif isinstance(statement, syntax.ExpressionStatement):
            self._call(statement.value)
        elif isinstance(statement, syntax.If):
            self._if(statement)
        elif isinstance(statement, syntax.While):
            self._while(statement)
        elif isinstance(statement, syntax.Repeat):
            self._loop(statement.count, statement.body, once=True)

    def _assign(self, name: str, level: Level, is_constant: bool = False) -> None:
        level = max(level, self._run)
        self.state.set(name, level, self._run if is_constant else None)

    def _assignment(self, statement: syntax.Assign) -> None:
        target, value = statement.target, statement.value
        symbol = target.symbol
        assert symbol is not None
        if symbol.kind is SymbolKind.FRONTIER and isinstance(target, syntax.Name):
            self._assign(frontier_key(target), self._frontier(value))
        elif isinstance(value, syntax.OperatorCall):
            self._neighbor_reduce(symbol.name, value)
        elif isinstance(target, syntax.Index):
            level = max(self._level(value), decided(self._level(target.index)), self._run)
            mark = max(decided(self._level(target.index)), self._run) if constant(value) else decided(level)
            self.state.raise_to(symbol.name, level, mark)
        else:
            self._assign(symbol.name, self._level(value))

    def _call(self, value: syntax.Expression) -> None:
        if isinstance(value, syntax.OperatorCall):
            self._operator(value)
        elif isinstance(value, syntax.Call) and value.function == "fill":
            array, filler = (argument.value for argument in value.arguments)
            if isinstance(array, syntax.Name):
                self._assign(array.name, self._level(filler), constant(filler) is not None)
        elif isinstance(value, syntax.Call) and value.function == "swap":
            self._swap(*(argument.value for argument in value.arguments))

    def _swap(self, first: syntax.Expression, second: syntax.Expression) -> None:
        if not (isinstance(first, syntax.Name) and isinstance(second, syntax.Name)):
            return
        one, other = self.state.value(first.name), self.state.value(second.name)
        marks = self.state.mark(first.name), self.state.mark(second.name)
        if self.initials.get(first.name) != self.initials.get(second.name):
            marks = (decided(one), decided(other))
        self.state.set(first.name, max(other, self._run), max(marks[1], self._run))
        self.state.set(second.name, max(one, self._run), max(marks[0], self._run))

    # ------------------------------------------------------------ operators

    def _frontier(self, value: syntax.Expression | None) -> Level:
        """The level of a set's members."""
        if isinstance(value, syntax.OperatorCall):
            return self._operator(value)
        if isinstance(value, syntax.SetLiteral):
            return decided(worst(self._level(member) for member in value.members))
        if isinstance(value, syntax.Name) and value.symbol is not None and value.symbol.kind is SymbolKind.FRONTIER:
            return self.state.value(frontier_key(value))
        return Level.SAME

    def _operator(self, call: syntax.OperatorCall) -> Level:
        """Run an operator; the level of the frontier that it gives."""
        site = self.sites[call.span]
        run = max(self._frontier(call.input), self._run)
        inner = OperatorLevels(site.calls, site.uses, site.closings, self.state, run, self.initials)
        result = inner.accepted() if call.gives_frontier else Level.SAME
        replaced = self._replaced(site, inner)
        inner.apply()
        for name in site.calls.written_names():
            self.state.set(compressed_key(name), Level.DIFFERS)
        for name, level in replaced.items():
            self.state.set(name, level)
        return result

    def _replaced(self, site: Site, inner: OperatorLevels) -> dict[str, Level]:
        """The arrays of which every element gets a new value, with its level."""
        calls = site.calls
        everything = isinstance(calls.call.input, syntax.Name) and calls.call.input.name == "vertices"
        if not everything or calls.call.kind is not OperatorKind.COMPUTE or calls.conjuncts or inner.run:
            return {}
        replaced = {}
        for name in calls.written_names():
            writes = calls.written(name)
            whole = len(writes) == 1 and writes[0].kind is WriteKind.STORE and not writes[0].guards
            if whole and calls.single_writer(name) and not self._own_writes_read(calls, writes[0].value):
                replaced[name] = inner.level(writes[0].value)
        return replaced

    def _own_writes_read(self, calls: Calls, term: object) -> bool:
        return any(isinstance(part, Element | ScalarRead) and part.read for part in inside(term))  # type: ignore[arg-type]

    def _neighbor_reduce(self, array: str, call: syntax.OperatorCall) -> None:
        site = self.sites[call.span]
        run = max(self._frontier(call.input), self._run)
        inner = OperatorLevels(site.calls, site.uses, site.closings, self.state, run, self.initials)
        level = max(inner.run, inner.level(site.calls.value) if site.calls.value is not None else Level.SAME)
        sums = call.operation in (NeighborOperation.SUM, NeighborOperation.PRODUCT)
        kind = site.calls.functor.result
        if sums and kind is not None and kind.is_float:
            level = max(level, Level.ROUNDED)
        everything = isinstance(call.input, syntax.Name) and call.input.name == "vertices"
        self._assign(array, level if everything else max(level, self.state.value(array)))

    # ------------------------------------------------------------ expressions and control flow

    def _level(self, node: syntax.Expression) -> Level:
        """The level of an expression of the schedule."""
        if isinstance(node, syntax.Name):
            kind = node.symbol.kind if node.symbol is not None else None
            if kind is SymbolKind.FRONTIER:
                return self.state.value(frontier_key(node))
            return self.state.value(node.name) if kind is SymbolKind.SCALAR else Level.SAME
        if isinstance(node, syntax.Chain):
            highest = worst([self._level(node.first), *(self._level(link.operand) for link in node.links)])
            return worst([of_operation(link.operation.value, node.type, [highest]) for link in node.links])
        levels = [self._level(part) for part in syntax.children(node) if isinstance(part, syntax.Expression)]
        if isinstance(node, syntax.Call):
            levels = [self._level(argument.value) for argument in node.arguments]
            return of_operation(node.function, node.type, levels)
        if isinstance(node, syntax.Unary | syntax.Binary):
            return of_operation(node.operation.value, node.type, levels)
        return of_operation("?:" if isinstance(node, syntax.Conditional) else "", node.type, levels or [Level.SAME])

    def _if(self, statement: syntax.If) -> None:
        outer = self._run
        self._run = max(outer, decided(self._level(statement.condition)))
        before = self.state.copy()
        self.block(statement.then)
        after = self.state
        self.state = before
        self.block(statement.otherwise)
        self.state.join(after)
        self._run = outer

    def _while(self, statement: syntax.While) -> None:
        made_from = self._settles(statement, self.state) if self._settles is not None else {}
        settled = {name: worst(map(self.state.value, origins)) for name, origins in made_from.items()}
        self._loop(statement.condition, statement.body)
        condition = statement.condition
        if isinstance(condition, syntax.Name) and condition.symbol is not None:
            # The loop ends when the frontier is empty or the scalar false, in every run.
            is_frontier = condition.symbol.kind is SymbolKind.FRONTIER
            settled[frontier_key(condition) if is_frontier else condition.name] = Level.SAME
        for name, level in settled.items():
            is_fact = name.endswith(compressed_key(""))  # what holds after the loop holds in every run
            self.state.set(name, level if is_fact else max(level, self._run))

    def _loop(self, condition: syntax.Expression, body: tuple[syntax.Statement, ...], once: bool = False) -> None:
        outer = self._run
        passes = decided(self._level(condition))
        while True:
            self._run = max(outer, passes)
            before = self.state.copy()
            self.block(body)
            self.state.join(before)
            again = passes if once else max(passes, decided(self._level(condition)))
            if again is passes and self.state == before:
                break
            passes = again
        self._run = outer
