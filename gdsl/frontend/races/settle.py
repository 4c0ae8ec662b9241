"""Loops that run reductions which read their own array until nothing changes.

Inside such a loop the values depend on the order (a read sees some of the pass's changes or all), but where it ends
does not: with `x[j] min= g(x[i])` and `g` monotone, every order comes down to the same greatest fixed point, provided
that the loop ends only when no reduction would change anything. Two shapes show that:

- a worklist, `while (f) { f = advance(f, relax); }`, where a changed far end is always accepted, the reduction is at
  `[far]` and reads its array at `[near]` only;
- sweeps, `while (s) { s = false; advance(vertices, relax, to=none); }`, where every change sets `s` (or, with a
  frontier in place of `s`, accepts its far end), over all vertices or edges.

What the reductions read besides must not be written in the loop. Integer arithmetic that wraps is no argument here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gdsl.frontend import syntax
from gdsl.frontend.races.calls import Calls, Guard, Write, WriteKind
from gdsl.frontend.races.flow import Site, frontier_key
from gdsl.frontend.races.monotone import Monotone
from gdsl.frontend.races.terms import Apply, Constant, Element, ScalarRead, Term, Uniform, Unknown
from gdsl.frontend.races.values import is_data
from gdsl.frontend.syntax import OperatorKind, SymbolKind
from gdsl.operations import Outcome, ReduceOperation
from gdsl.source import Span

_MONOTONE = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)


@dataclass(frozen=True, slots=True)
class Pass:
    """One operator of a loop's body that stands directly in it, and the frontier that it is assigned to."""

    site: Site
    result: str | None


class Loop:
    """A `while` whose condition is a frontier or a bool scalar, looked at for what it settles."""

    def __init__(self, loop: syntax.While, sites: Mapping[Span, Site], nonnegative: frozenset[str]) -> None:
        self.loop = loop
        self.sites = sites
        self.nonnegative = nonnegative
        self.flag = _flag(loop.condition)
        self.passes = [found for statement in loop.body for found in self.passes_of(statement)]
        self.written = written_in(loop.body, sites)

    def settled(self) -> dict[str, set[str]]:
        """The arrays whose values after the loop depend on no order, each with the names that it is made from."""
        if self.flag is None:
            return {}
        found: dict[str, set[str]] = {}
        reads = [read for step in self.passes for read in step.site.calls.reads]
        for name in sorted({read.name for read in reads if isinstance(read.term, Element)}):
            steps = [step for step in self.passes if step.site.calls.written(name)]
            inside_only = sum(len(step.site.calls.written(name)) for step in steps) == self.written.get(name, 0)
            if inside_only and steps and self._settles(name, steps):
                found[name] = set().union(*(self.inputs(name, step) for step in steps)) | {name}
        return found

    def passes_of(self, statement: syntax.Statement) -> Iterator[Pass]:
        """The operator that a statement of the body is, if it is one."""
        value = getattr(statement, "value", None)
        if isinstance(value, syntax.OperatorCall) and value.span in self.sites:
            target = getattr(statement, "target", None)
            frontier = isinstance(target, syntax.Name) and target.symbol is not None
            named = frontier and target.symbol.kind is SymbolKind.FRONTIER  # type: ignore[union-attr]
            yield Pass(self.sites[value.span], frontier_key(target) if named else None)  # type: ignore[arg-type]

    def _settles(self, name: str, steps: list[Pass]) -> bool:
        operations = {write.operation for step in steps for write in step.site.calls.written(name)}
        if len(operations) != 1 or next(iter(operations)) not in _MONOTONE:
            return False
        if not all(self.is_fixed(name, step) and self._is_monotone(name, step.site.calls) for step in steps):
            return False
        return self._is_worklist(name, steps) or self._are_sweeps(name, steps)

    # ------------------------------------------------------------ what the reductions are made from

    def inputs(self, name: str, step: Pass) -> set[str]:
        """Everything else that the step reads and that its input frontier is."""
        found: set[str] = set()
        for term in _deciding(step.site.calls, name):
            for part in step.site.calls.origins(term):
                if isinstance(part, Element):
                    found.add(part.array)
                elif isinstance(part, ScalarRead):
                    found.add(part.name)
        source = step.site.calls.call.input
        if isinstance(source, syntax.Name) and source.symbol is not None and source.symbol.kind is SymbolKind.FRONTIER:
            found.add(frontier_key(source))
        return found - {name}

    def is_fixed(self, name: str, step: Pass) -> bool:
        """Whether nothing that the step reads, but `name` itself, changes while the loop runs."""
        calls = step.site.calls
        terms = [part for term in _deciding(calls, name) for part in calls.origins(term)]
        if any(isinstance(part, Uniform) and part.name == "iteration" for part in terms):
            return False
        if any(isinstance(part, Unknown) and calls.write_of(part) is not None for part in terms):
            return False
        frontier = frontier_key(calls.call.input) if isinstance(calls.call.input, syntax.Name) else ""
        return not any(other in self.written for other in self.inputs(name, step) - {frontier})

    def _is_monotone(self, name: str, calls: Calls) -> bool:
        of_sets = calls.written(name)[0].operation in (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)
        rules = Monotone(name, self.nonnegative, of_sets)
        for write in calls.written(name):
            indices = [write.index, *(guard.term for guard in write.guards)]
            if any(rules.reads(part) for index in indices for part in calls.origins(index)):
                return False
            if not rules.holds(write.value):
                return False
        return not any(rules.reads(part) for conjunct in calls.conjuncts for part in calls.origins(conjunct))

    # ------------------------------------------------------------ the two shapes

    def _is_worklist(self, name: str, steps: list[Pass]) -> bool:
        if len(steps) != 1 or self.written.get(steps[0].result or "") != 1 or steps[0].result != self.flag:
            return False
        calls = steps[0].site.calls
        writes = calls.written(name)
        source = calls.call.input
        if calls.call.kind is not OperatorKind.ADVANCE or len(writes) != 1 or not isinstance(source, syntax.Name):
            return False
        if frontier_key(source) != self.flag or writes[0].index != calls.far:
            return False
        near_only = all(read.index == calls.near for read in calls.reads if read.name == name)
        return near_only and self._accepts_change(calls, writes[0]) and self._accepts_steadily(calls, writes[0], name)

    def _accepts_change(self, calls: Calls, write: Write) -> bool:
        return calls.accept is not None and _implied(calls.accept, write)

    def _accepts_steadily(self, calls: Calls, write: Write, name: str) -> bool:
        """Whether `accept` is made from nothing else that the order decides or the loop changes."""
        assert calls.accept is not None
        for part in calls.origins(calls.accept):
            if isinstance(part, Unknown) and part != write.result and calls.write_of(part) is not None:
                return False
            read = part.array if isinstance(part, Element) else part.name if isinstance(part, ScalarRead) else None
            if read is not None and (read == name or read in self.written):
                return False
            if isinstance(part, Uniform) and part.name == "iteration":
                return False
        return True

    def _are_sweeps(self, name: str, steps: list[Pass]) -> bool:
        resets = self.resets()
        for step in steps:
            calls = step.site.calls
            source = calls.call.input
            if not (isinstance(source, syntax.Name) and source.name in ("vertices", "edges")):
                return False
            for write in calls.written(name):
                by_frontier = step.result == self.flag and len(steps) == 1 and self.written.get(self.flag or "") == 1
                accepted = by_frontier and write.index == calls.far and self._accepts_change(calls, write)
                if not accepted and not (resets and self.sets_flag(calls, write)):
                    return False
        return True

    def resets(self) -> bool:
        """Whether the loop's body begins by setting its scalar to false, and only operators set it again."""
        first = self.loop.body[0] if self.loop.body else None
        if not isinstance(first, syntax.Assign) or not isinstance(first.target, syntax.Name):
            return False
        is_flag = first.target.name == self.flag and isinstance(first.value, syntax.Boolean) and not first.value.value
        by_operators = sum(len(step.site.calls.written(self.flag or "")) for step in self.passes)
        return is_flag and self.written.get(self.flag or "") == 1 + by_operators

    def sets_flag(self, calls: Calls, write: Write) -> bool:
        """Whether the flag becomes true whenever `write` changes something."""
        if write.outcome is not Outcome.CHANGED or write.result is None:
            return False
        for setter in calls.written(self.flag or ""):
            guards = set(write.guards)
            sets = setter.kind in (WriteKind.STORE, WriteKind.ANY) and setter.value == Constant(setter.type, True)
            if setter.kind is WriteKind.REDUCE and setter.operation is ReduceOperation.BIT_OR:
                sets = _implied(setter.value, write)
            elif sets:
                guards.add(Guard(write.result, True))
            if sets and set(setter.guards) <= guards:
                return True
        return False


def _flag(condition: syntax.Expression) -> str | None:
    if not isinstance(condition, syntax.Name) or condition.symbol is None:
        return None
    return frontier_key(condition) if condition.symbol.kind is SymbolKind.FRONTIER else condition.name


def _deciding(calls: Calls, name: str) -> Iterator[Term]:
    """The terms that decide what a step does to `name`."""
    yield from calls.conjuncts
    for write in calls.written(name):
        yield write.index
        yield write.value
        yield from (guard.term for guard in write.guards)


def _implied(term: Term, write: Write) -> bool:
    """Whether a bool term is true whenever `write` has happened and changed something."""
    if term == Constant(term.type, True) or (write.result is not None and term == write.result):
        return write.outcome is Outcome.CHANGED or isinstance(term, Constant)
    if isinstance(term, Apply) and term.operation == "||":
        return any(_implied(part, write) for part in term.arguments)
    if isinstance(term, Apply) and term.operation == "?:":
        condition, yes, no = term.arguments
        if Guard(condition, True) in write.guards:
            return _implied(yes, write)
        if Guard(condition, False) in write.guards:
            return _implied(no, write)
        return _implied(yes, write) and _implied(no, write)
    return False


def written_in(statements: tuple[syntax.Statement, ...], sites: Mapping[Span, Site]) -> dict[str, int]:
    """How often each name is written in a part of the schedule: by operators, and by its own statements."""
    counts: dict[str, int] = {}
    for statement in statements:
        for node in syntax.walk(statement):
            names: list[str] = []
            if isinstance(node, syntax.OperatorCall):
                names = [write.name for write in sites[node.span].calls.writes]
            elif isinstance(node, syntax.Assign | syntax.Update):
                names = [node.target.name if isinstance(node.target, syntax.Name) else node.target.array]
                if not is_data(node.target) and isinstance(node.target, syntax.Name):
                    names = [frontier_key(node.target)]
            elif isinstance(node, syntax.Call) and node.function in ("swap", "fill"):
                values = [argument.value for argument in node.arguments]
                names = [value.name for value in values if isinstance(value, syntax.Name)]
            for name in names:
                counts[name] = counts.get(name, 0) + 1
    return counts
