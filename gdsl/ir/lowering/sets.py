"""Lowers sets in the schedule: each becomes a frontier, of its own where it has no name, unless it is everything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter

from gdsl.frontend import syntax
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.ir import nodes
from gdsl.ir.lowering.expressions import ExpressionLowering, impossible
from gdsl.ir.lowering.hidden import Hidden
from gdsl.ir.lowering.reductions import ReductionLowering
from gdsl.operations import Domain, SetOperation
from gdsl.source import Span

_RESULTS = {
    OperatorKind.ADVANCE: "advanced",
    OperatorKind.FILTER: "filtered",
    OperatorKind.WHERE: "selected",
    OperatorKind.INTERSECT: "common",
    OperatorKind.TOP: "best",
}
"""Names for the results of operators."""


class SetLowering(ABC):
    """Lowers the sets of one schedule; `frontiers` lists its frontiers in order of appearance."""

    def __init__(self, expressions: ExpressionLowering, hidden: Hidden, taken: set[str]) -> None:
        """`taken` are the names of the program's own frontiers and graphs."""
        self.frontiers: dict[str, nodes.Frontier] = {}
        self.emit = hidden.emit
        self.reductions = ReductionLowering(expressions, hidden, self._new_frontier)
        self.value = self.reductions.value
        self._taken, self._stems = taken, Counter[str]()

    @abstractmethod
    def operator(self, call: syntax.OperatorCall, result: str | None) -> None:
        """Run an operator, whose result becomes the frontier `result`."""

    @abstractmethod
    def pop(self, node: syntax.Popped, result: str) -> None:
        """Take members out of buckets, which become the frontier `result`."""

    def frontier(self, name: str, span: Span, domain: Domain = Domain.VERTEX) -> str:
        """`name`, which is a frontier from here on."""
        self.frontiers.setdefault(name, nodes.Frontier(span, name, domain))
        return name

    def _new_frontier(self, stem: str, span: Span, domain: Domain) -> str:
        return self.frontier(self.temporary(stem), span, domain)

    def temporary(self, stem: str) -> str:
        """A new name for a frontier: `stem` and a number."""
        self._stems[stem] += 1
        while f"{stem}_{self._stems[stem]}" in self._taken:
            self._stems[stem] += 1
        name = f"{stem}_{self._stems[stem]}"
        self._taken.add(name)
        return name

    def define(
        self, name: str, value: syntax.Expression | None, span: Span, domain: Domain, *, named: bool = True
    ) -> None:
        """Let the frontier `name` be `value`; empty without one. `named`: by the program."""
        match value:
            case None:
                self.emit(nodes.DefineFrontier(span, self.frontier(name, span, domain), (), False, domain))
            case syntax.SetLiteral():
                members, shown = tuple(self.value(member) for member in value.members), None if named else ""
                self.emit(nodes.DefineFrontier(span, self.frontier(name, span, domain), members, False, domain, shown))
            case syntax.Name():
                self._assign_set(name, self.elements(value, domain), span)
            case syntax.OperatorCall():
                self.operator(value, name)
            case syntax.Popped():
                self.pop(value, name)
            case syntax.SetChain():
                self._assign_set(name, self._chain(value, name), span)
            case _:
                impossible(value)

    def elements(self, value: syntax.Expression, domain: Domain) -> nodes.Elements:
        """A set of `domain`, as a frontier unless it is everything."""
        match value:
            case syntax.Name() if value.symbol is not None and value.symbol.kind is SymbolKind.FRONTIER:
                return nodes.Elements(value.span, domain, value.symbol.unique)
            case syntax.Name():
                return nodes.Elements(value.span, domain, None)
            case syntax.SetChain():
                return self._chain(value, None)
            case syntax.SetLiteral() | syntax.OperatorCall() | syntax.Popped():
                return self._unnamed(value, domain, None)
        raise AssertionError("lowering: an operator without input")

    def named(self, value: syntax.Expression, domain: Domain) -> str:
        """A set of `domain` as a frontier, even if it is everything."""
        source = self.elements(value, domain)
        if source.frontier is not None:
            return source.frontier
        name = self.temporary("members")
        self._assign_set(name, source, value.span)
        return name

    def _assign_set(self, name: str, value: nodes.Elements, span: Span) -> None:
        source = self.frontier(name, span, value.domain) if value.frontier != name else name
        if value.frontier is None:
            self.emit(nodes.DefineFrontier(span, source, (), True, value.domain))
        elif value.frontier != name:  # `f = f;` does nothing
            self.emit(nodes.CopyFrontier(span, source, value.frontier))

    def _unnamed(self, value: syntax.Expression, domain: Domain, into: str | None) -> nodes.Elements:
        """An unnamed set becomes `into`, or a new frontier."""
        into = into or self.temporary(stem_of(value))
        self.define(into, value, value.span, domain, named=False)
        return nodes.Elements(value.span, domain, into)

    # ------------------------------------------------------------ set operations

    def _chain(self, chain: syntax.SetChain, name: str | None, between: str | None = None) -> nodes.Elements:
        """Combines operands from left to right, into `name` once no later operand reads it, else into `between`."""
        read = _last_reader(name, chain.links) if name is not None else len(chain.links)
        left = self._operand(chain.first, chain.domain, name if read < 0 else None)
        for place, link in enumerate(chain.links):
            right = self._operand(link.operand, chain.domain, None)
            into = name if read <= place else None
            if into is None:
                into = between = between or self.temporary("combined")
            left = self._combined(into, link, left, right)
        return left

    def _operand(self, value: syntax.Expression, domain: Domain, into: str | None) -> nodes.Elements:
        """An operand of a set operation; an unnamed set becomes `into`, or a new frontier."""
        if isinstance(value, syntax.Name):
            return self.elements(value, domain)
        if isinstance(value, syntax.SetChain):
            return self._chain(value, None, into)
        return self._unnamed(value, domain, into)

    def _combined(
        self, name: str, link: syntax.SetLink, first: nodes.Elements, second: nodes.Elements
    ) -> nodes.Elements:
        """The result of one operation: `name`, or an operand where nothing needs to be done."""
        span, operation, domain = link.span, link.operation, first.domain
        same, united = first.frontier == second.frontier, operation is SetOperation.UNION
        if operation is SetOperation.DIFFERENCE:
            if second.everything or same:
                self.emit(nodes.DefineFrontier(span, self.frontier(name, span, domain), (), False, domain))
                return nodes.Elements(span, domain, name)
        elif first.everything or second.everything or same:
            return first if first.everything is united else second
        self.emit(nodes.CombineFrontiers(span, self.frontier(name, span, domain), operation, first, second))
        return nodes.Elements(span, domain, name)


def stem_of(value: syntax.Expression) -> str:
    """The stem of the name of an unnamed set."""
    if isinstance(value, syntax.Popped):
        return "popped"
    return _RESULTS[value.kind] if isinstance(value, syntax.OperatorCall) else "members"


def _last_reader(name: str, links: tuple[syntax.SetLink, ...]) -> int:
    """The position of the last operand that reads the frontier `name`, or -1."""
    for place in reversed(range(len(links))):
        readers = (node for node in syntax.walk(links[place].operand) if isinstance(node, syntax.Name))
        if any(node.symbol is not None and node.symbol.unique == name for node in readers):
            return place
    return -1
