"""The one printer of what functors and functions do, for C++ and for CUDA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdsl.codegen.expressions import REDUCTIONS, ExpressionPrinter
from gdsl.codegen.lines import Lines
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Scope
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Domain, ForestWord, Outcome, ReduceOperation
from gdsl.types import Type

_OPERATORS = {ReduceOperation.ADD: "+=", ReduceOperation.SUBTRACT: "-=", ReduceOperation.MULTIPLY: "*="}
_SHORT_LOOP = 1024


class StatementPrinter:
    """Prints statements into `lines`.

    `accumulated` scalars are reduced into members of `totals`; `stopped` is the statement that leaves the function when
    the run is stopped. Where all `accept`s are the last thing that happens they are printed as `return`s; otherwise
    they set `accepted`. What is written `several_ways` may go up and down within one call. `looks_at_totals`: a minimum
    or maximum of floats is not written to `totals` where that changes nothing; of integers the compiler makes vectors.
    """

    def __init__(
        self,
        expressions: ExpressionPrinter,
        lines: Lines,
        accumulated: frozenset[str] = frozenset(),
        stopped: str = "return;",
        accepts_return: bool = False,
        several_ways: frozenset[str] = frozenset(),
        looks_at_totals: bool = False,
    ) -> None:
        self.expressions = expressions
        self.lines = lines
        self.accumulated = accumulated
        self.stopped = stopped
        self.accepts_return = accepts_return
        self.several_ways = several_ways
        self.looks_at_totals = looks_at_totals
        self.stop_requested = "stop_requested"

    def block(self, body: tuple[ir.Statement, ...]) -> None:
        """Print `body` at the present depth."""
        for statement in body:
            _PRINTERS[type(statement)](self, statement)

    # Locals

    def _let(self, node: ir.Let) -> None:
        constant = "" if node.mutable else "const "
        name = self.expressions.names.local(node.name)
        self._add(node, f"{constant}{type_name(node.type)} {name} = {self._print(node.value)};")

    def _assign(self, node: ir.Assign) -> None:
        self._add(node, f"{self.expressions.names.local(node.name)} = {self._print(node.value)};")

    # Writes

    def _store(self, node: ir.Store) -> None:
        value = self.expressions.stored(node.target, self._print(node.value))
        if self.expressions.is_plain(node.target):
            self._add(node, f"{self._lvalue(node.target)} = {value};")
        elif node.target.data in self.expressions.kept:
            kept = self.expressions.kept[node.target.data]
            self._add(node, f"{kept} = {value};")
            self._add(node, f"store_shared({self.expressions.address(node.target)}, {kept});")
        else:
            self._add(node, f"store_shared({self.expressions.address(node.target)}, {value});")

    def _update(self, node: ir.Update) -> None:
        value, suffix = self.expressions.print(node.value), REDUCTIONS[node.operation]
        target = node.target
        if target.data in self.expressions.everywhere:
            self._add(node, f"{self.expressions.update_everywhere(node).text};")
            return
        if target.data in self.expressions.kept:
            self._add(node, f"{self.expressions.update_kept(node, Outcome.CHANGED).text};")
            return
        is_total = isinstance(target, ir.ScalarTarget) and target.scalar in self.accumulated
        floats = self.looks_at_totals and is_total and target.type.is_float
        looks = _meets_others(node) or (floats and _is_extreme(node))
        if not is_total and not self.expressions.is_plain(target):
            name = "changed" if self._may_look_earlier(node) else "reduce"
            self._add(node, f"{name}_{suffix}({self.expressions.address(target)}, {value});")
        elif _has_operator(node.operation, target.type):
            self._add(node, f"{self._lvalue(target)} {_OPERATORS[node.operation]} {value};")
        else:
            address = f"&{self._lvalue(target)}" if is_total else self.expressions.address(target)
            self._add(node, f"{'plain_changed' if looks else 'plain'}_{suffix}({address}, {value});")

    def _may_look_earlier(self, node: ir.Update) -> bool:
        """Whether the value read before an exchange may be outdated: it is not used otherwise, and until the next
        barrier the element changes in one direction only."""
        is_monotone = node.operation in (ReduceOperation.MIN, ReduceOperation.MAX)
        return is_monotone and node.target.data not in self.several_ways

    def _lvalue(self, target: ir.Target) -> str:
        if isinstance(target, ir.ElementTarget):
            return self.expressions.element(target.array, target.index, target.checked, target.domain)
        if target.scalar in self.accumulated:
            return f"totals.{self.expressions.names.member(target.scalar)}"
        return self.expressions.scalar(target.scalar)

    def _evaluate(self, node: ir.Evaluate) -> None:
        self._add(node, f"{self._print(node.value)};")

    # Control

    def _accept(self, node: ir.Accept) -> None:
        start = "return" if self.accepts_return else "accepted ="
        self._add(node, f"{start} {self._print(node.value)};")

    def _branch(self, node: ir.Branch) -> None:
        self.lines.open(f"if ({self._print(node.condition)}) {{", node.span)
        self.block(node.then)
        if node.otherwise:
            self.lines.depth -= 1
            self.lines.open("} else {")
            self.block(node.otherwise)
        self.lines.close()

    def _for_range(self, node: ir.ForRange) -> None:
        name, kind = self.expressions.names.local(node.name), type_name(node.type)
        last, declared = self._print(node.last), ""
        if not isinstance(node.last, ir.Literal):
            end = self.expressions.names.derived(Scope.LOCAL, f"{node.name}_end", "range")
            last, declared = end, f", {end} = {last}"
        head = f"for ({kind} {name} = {self._print(node.first)}{declared}; {name} < {last}; ++{name}) {{"
        self.lines.open(head, node.span)
        self._loop_body(node.body, _is_short(node))

    def _for_neighbors(self, node: ir.ForNeighbors) -> None:
        names = self.expressions.names
        at = names.derived(Scope.LOCAL, f"{node.name}_edge", "list") if node.edge is None else names.local(node.edge)
        vertex = self.expressions.index("neighbors", node.vertex, node.checked, Domain.VERTEX)
        self.lines.open(f"for (const edge {at} : out_edges(d.graph, {vertex})) {{", node.span)
        if any(isinstance(part, ir.ListVariable) and part.name == node.name for part in walk(node.body)):
            self.lines.add(f"const vertex {names.local(node.name)} = destination_of(d.graph, {at});")
        self._loop_body(node.body, False)

    def _loop(self, node: ir.Loop) -> None:
        self.lines.open(f"while ({self._print(node.condition)}) {{", node.span)
        self._loop_body(node.body, _is_join(node))

    def _loop_body(self, body: tuple[ir.Statement, ...], short: bool) -> None:
        if not short:
            self.lines.add(f"if ({self.stop_requested}(d, polls)) {{ {self.stopped} }}")
        self.block(body)
        self.lines.close()

    def _break(self, node: ir.Break) -> None:
        self._add(node, "break;")

    def _return(self, node: ir.Return) -> None:
        self._add(node, f"return {self._print(node.value)};")

    def _add(self, node: ir.Statement, text: str) -> None:
        self.lines.add(text, node.span)

    def _print(self, expression: ir.Expression) -> str:
        return self.expressions.print(expression)


def polls(body: tuple[ir.Statement, ...]) -> bool:
    """Whether `body` has a loop that checks whether the run is stopped."""
    return any(
        isinstance(node, ir.ForNeighbors)
        or (isinstance(node, ir.ForRange) and not _is_short(node))
        or (isinstance(node, ir.Loop) and not _is_join(node))
        for node in walk(body)
    )


def accepts_last(body: tuple[ir.Statement, ...]) -> bool:
    """Whether every `accept` in `body` is the last thing that happens on its way, so that it can be a `return`."""
    if not body:
        return True
    if contains(body[:-1], ir.Accept):
        return False
    last = body[-1]
    if isinstance(last, ir.Branch):
        return accepts_last(last.then) and accepts_last(last.otherwise)
    return isinstance(last, ir.Accept) or not contains(last, ir.Accept)


def always_accepts(body: tuple[ir.Statement, ...]) -> bool:
    """Whether every way through `body` ends with an `accept`, given `accepts_last(body)`."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ir.Branch):
        return always_accepts(last.then) and always_accepts(last.otherwise)
    return isinstance(last, ir.Accept)


def _is_join(node: ir.Loop) -> bool:
    """Whether a loop joins two sets: it ends where they meet, after few steps mostly, so that it checks for no stop."""
    return node.forest is not None and node.forest.word is ForestWord.JOIN


def _is_short(node: ir.ForRange) -> bool:
    """Whether a range is constant and short, so that its loop needs no check for a stop."""
    if not isinstance(node.first, ir.Literal) or not isinstance(node.last, ir.Literal):
        return False
    nested = contains(node.body, ir.Loop, ir.ForNeighbors, ir.ForRange)
    return not nested and node.last.value - node.first.value <= _SHORT_LOOP


_PRINTERS: dict[type[ir.Statement], Callable[[StatementPrinter, Any], None]] = {
    ir.Let: StatementPrinter._let,
    ir.Assign: StatementPrinter._assign,
    ir.Store: StatementPrinter._store,
    ir.Update: StatementPrinter._update,
    ir.Evaluate: StatementPrinter._evaluate,
    ir.Accept: StatementPrinter._accept,
    ir.Branch: StatementPrinter._branch,
    ir.ForNeighbors: StatementPrinter._for_neighbors,
    ir.ForRange: StatementPrinter._for_range,
    ir.Loop: StatementPrinter._loop,
    ir.Break: StatementPrinter._break,
    ir.Return: StatementPrinter._return,
}


def _meets_others(node: ir.Update) -> bool:
    """Whether calls lower or raise elements whose indices are data: many calls meet at few elements, such as the roots
    of trees of labels, and each waits for the write before it. So the update is printed as if the program used whether
    it changes the element: needless writes are left out, and an outdated value from a cache is enough to find them."""
    gathered = isinstance(node.target, ir.ElementTarget) and any(
        isinstance(each, ir.Element) for each in walk(node.target)
    )
    return gathered and _is_extreme(node)


def _is_extreme(node: ir.Update) -> bool:
    return node.operation in (ReduceOperation.MIN, ReduceOperation.MAX) and not node.target.type.is_pair


def _has_operator(operation: ReduceOperation, kind: Type) -> bool:
    """Whether C++'s own operator does it: signed numbers would not wrap, and for products see `is_wide_product`."""
    if operation is ReduceOperation.MULTIPLY:
        return kind.is_float
    return operation in _OPERATORS and not kind.is_signed
