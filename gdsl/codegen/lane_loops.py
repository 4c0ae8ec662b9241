"""Functors that a whole warp runs, whose lanes share loops over neighbors; see `gdsl/plan/lane_loops.py`.

Such a loop is printed as a call of `each_edge_by_lanes` with three functions: what a lane evaluates for an edge of its
own, what all lanes do next for each edge in the order of the list, and what the edge's lane writes after that.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from gdsl.codegen.lines import INDENT, Lines
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Scope
from gdsl.codegen.reductions import combined, identity
from gdsl.codegen.statements import StatementPrinter
from gdsl.codegen.templates import render
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import parts, rewrite, walk
from gdsl.operations import Domain
from gdsl.plan.lane_facts import depends, gathered_in, neighbor_loops
from gdsl.plan.nodes import LaneLoop
from gdsl.types import Type

_WRITES = (ir.Store, ir.Update)
_FREE = (ir.Literal, ir.NoneId, ir.ParamValue, ir.Count, ir.Parameter, ir.Iteration, ir.Local, ir.Convert, ir.Unary)
"""What all lanes evaluate for themselves, alike, where no part of it is of the edge."""


class LanePrinter(StatementPrinter):
    """Prints a body as `statements` would, for a whole warp whose lanes share its loops as `lanes` say."""

    def __init__(self, statements: StatementPrinter, functor: ir.VertexFunctor, lanes: tuple[LaneLoop, ...]) -> None:
        vars(self).update(vars(statements))
        self.stop_requested = "stop_requested_by_warp"
        self.lanes = list(zip(neighbor_loops(functor), lanes, strict=True))
        named = (ir.Let, ir.Local, ir.ListVariable)
        self.locals = {node.name for node in walk(functor.body) if isinstance(node, named)}
        self.shared = 0

    def block(self, body: tuple[ir.Statement, ...]) -> None:
        """Print `body`: one lane writes, and loops are shared."""
        place = 0
        while place < len(body):
            end = place
            while end < len(body) and isinstance(body[end], _WRITES):
                end += 1
            if end > place:
                self.lines.open("if (lane_index() == 0) {")
                super().block(body[place:end])
                self.lines.close()
                place = end
                continue
            statement = body[place]
            shared = next((shared for loop, shared in self.lanes if loop is statement), None)
            if shared is not None:
                assert isinstance(statement, ir.ForNeighbors)
                self.shared += 1
                _SharedLoop(self, statement, shared, self.shared).print()
            else:
                super().block((statement,))
            place += 1


class _SharedLoop:
    """One loop: the three functions grow side by side."""

    def __init__(self, printer: LanePrinter, loop: ir.ForNeighbors, shared: LaneLoop, number: int) -> None:
        self.printer, self.carried, self.rows = printer, shared.carried, shared.rows
        gathered = gathered_in(loop)
        self.gathered = {name: reduction for name, reduction in gathered.items() if name not in self.carried}
        """What each lane gathers a part of."""
        self.parts = {name: _unused(f"{name}_of_lane", printer.locals) for name in self.gathered}
        self.loop = loop = _renamed(loop, self.parts)
        self.type = "edge_values" if number == 1 else f"edge_values_{number}"
        self.members: dict[str, list[str]] = {}
        """By type the names of what a lane keeps for its edge."""
        self.known: dict[str, str] = {}
        """By constant of the loop's body the name of the value that it is."""
        self.needed: list[tuple[str, str]] = []
        """Type and name of what all lanes need of it next."""
        depth = printer.lines.depth + 2
        self.own, self.next, self.after = (Lines(depth=depth) for _ in range(3))
        lets = [node for node in walk(loop.body) if isinstance(node, ir.Let)]
        self.inside = {node.name for node in lets}
        self.changing = {node.name for node in lets if node.mutable}

    def print(self) -> None:
        printer, loop = self.printer, self.loop
        names, lines = printer.expressions.names, printer.lines
        at = names.local(loop.edge) if loop.edge else names.derived(Scope.LOCAL, f"{loop.name}_edge", "list")
        if any(isinstance(part, ir.ListVariable) and part.name == loop.name for part in walk(loop.body)):
            self.own.add(f"const vertex {names.local(loop.name)} = destination_of(d.graph, {at});")
        if self.parts:
            self.own.lines.insert(0, (INDENT * self.own.depth + "if (!within) { return false; }", None))
        self._spine(loop.body)
        vertex = printer.expressions.index("neighbors", loop.vertex, loop.checked, Domain.VERTEX)
        members = "".join(f" {kind} {', '.join(each)};" for kind, each in self.members.items())
        members += " " if members else ""
        for name, reduction in self.gathered.items():
            begins = identity(reduction.identity, reduction.type)
            own, whole = names.local(self.parts[name]), names.local(name)
            lines.add(f"{type_name(reduction.type)} {own} = lane_index() == 0 ? {whole} : {begins};")
        needed = Lines(depth=lines.depth + 2)
        for kind, name in self.needed:
            needed.add(f"const {kind} {name} = shuffle(own.{name}, lane);")
        needed.lines += self.next.lines
        bodies = {"own": self.own, "next": needed, "after": self.after}
        bodies = {name: body for name, body in bodies.items() if body.lines}
        text = render(
            "cuda",
            "lane_loop.cu.j2",
            bodies=bodies,
            type=self.type,
            members=members,
            rows=self.rows,
            list=f"out_edges(d.graph, {vertex})",
            edge=at,
            within="bool within" if self.parts else "bool",
            stopped=printer.stopped,
        )
        for line in text.splitlines():
            if line in bodies:
                lines.lines += bodies[line].lines
            else:
                lines.add(line, loop.span if line.startswith("if (") else None)
        for name, reduction in self.gathered.items():
            kind, own = type_name(reduction.type), names.local(self.parts[name])
            combine = f"[]({kind} a, {kind} b) {{ return {kind}({combined(reduction.combine)}); }}"
            lines.add(f"{names.local(name)} = shuffle(warp_reduce({own}, {combine}), 0);")

    # What goes where

    def _spine(self, body: tuple[ir.Statement, ...]) -> None:
        """Statements after which nothing else is done for an edge; where that depends on a branch alone, the branch
        says which edges count."""
        acting = [node for node in body if self._acts(node)]
        last = body[-1] if body else None
        alone = acting == [last] and isinstance(last, ir.Branch) and not last.otherwise
        if alone and isinstance(last, ir.Branch) and not self._follows(last.condition):
            self._block(body[:-1])
            self.own.open(f"if ({self._text(last.condition)}) {{", last.span)
            self._spine(last.then)
            self.own.close()
            self.own.add("return false;")
        else:
            self._block(body)
            self.own.add("return true;")

    def _acts(self, node: ir.Statement) -> bool:
        """Whether a statement does anything beside what a lane evaluates for its edge."""
        return any(
            isinstance(each, _WRITES) or (isinstance(each, (ir.Let, ir.Assign)) and each.name in self.carried)
            for each in walk(node)
        )

    def _follows(self, part: object) -> bool:
        return depends(part, self.carried)

    def _block(self, body: tuple[ir.Statement, ...]) -> None:
        for node in body:
            if not self._acts(node):
                with self._into(self.own), self._alone():
                    StatementPrinter.block(self.printer, (node,))
            elif isinstance(node, ir.Branch):
                self._branch(node)
            elif isinstance(node, _WRITES):
                self._write(node)
            else:
                self._next((node,))

    def _branch(self, node: ir.Branch) -> None:
        if self._follows(node.condition):
            self._next((node,))
            return
        name = self._member("taken", Type.BOOL, needed=True)
        self.own.add(f"own.{name} = {self._text(node.condition)};", node.span)
        texts = (self.own, self.next, self.after)
        begun = [len(text.lines) for text in texts]
        known = dict(self.known)
        for text, test in zip(texts, (f"own.{name}", name, f"own.{name}"), strict=True):
            text.open(f"if ({test}) {{")
        self._block(node.then)
        then = [len(text.lines) > first + 1 for text, first in zip(texts, begun, strict=True)]
        middle = [len(text.lines) for text in texts]
        self.known = dict(known)
        self._block(node.otherwise)
        self.known = known
        for number, text in enumerate(texts):
            _close_branch(text, begun[number], middle[number], then[number])

    def _next(self, body: tuple[ir.Statement, ...]) -> None:
        """Statements that depend on the edges before: all lanes do them, with values of the lane that has the edge."""
        for node in body:
            if isinstance(node, ir.Branch):
                self.next.open(f"if ({self._hoisted(node.condition)}) {{", node.span)
                self._next(node.then)
                if node.otherwise:
                    self.next.depth -= 1
                    self.next.open("} else {")
                    self._next(node.otherwise)
                self.next.close()
            elif isinstance(node, _WRITES):
                self._write_sometimes(node)
            else:
                assert isinstance(node, (ir.Let, ir.Assign))
                name = self.printer.expressions.names.local(node.name)
                kind = f"{type_name(node.type)} " if isinstance(node, ir.Let) else ""
                constant = "const " if isinstance(node, ir.Let) and not node.mutable else ""
                self.next.add(f"{constant}{kind}{name} = {self._hoisted(node.value)};", node.span)

    def _write_sometimes(self, node: ir.Store | ir.Update) -> None:
        """A write inside a branch that depends on the edges before."""
        name = self._member("writes", Type.BOOL)
        self.own.add(f"own.{name} = false;")
        self.next.open("if (lane_index() == lane) {")
        self.next.add(f"own.{name} = true;")
        self.after.open(f"if (own.{name}) {{")
        self._write(node, guarded=True)
        self.next.close()
        self.after.close()

    def _write(self, node: ir.Store | ir.Update, guarded: bool = False) -> None:
        """A write, for which its lane keeps the value and the place until it has followed."""
        kept: dict[ir.Node, str] = {}
        if self._follows(node.value):
            name = self._member("then", node.value.type)
            text = f"own.{name} = {self._hoisted(node.value)};"
            self.next.add(text if guarded else f"if (lane_index() == lane) {{ {text} }}", node.span)
            kept[node.value] = f"own.{name}"
        elif not self._is_free(node.value):
            kept[node.value] = f"own.{self._value(node.value, needed=False)}"
        index = node.target.index if isinstance(node.target, ir.ElementTarget) else None
        is_edge = isinstance(index, ir.ListVariable) and index.name == self.loop.edge
        if index is not None and not is_edge and not self._is_free(index):
            kept[index] = f"own.{self._value(index, needed=False)}"
        with self._into(self.after), self._replacing(kept):
            StatementPrinter.block(self.printer, (node,))

    # Values

    def _hoisted(self, expression: ir.Expression) -> str:
        """`expression`, which follows: its parts that do not are values of the lane that has the edge."""
        places: dict[ir.Node, str] = {}
        self._gather(expression, places)
        with self._replacing(places):
            return self.printer.expressions.print(expression)

    def _gather(self, part: object, places: dict[ir.Node, str]) -> None:
        if isinstance(part, ir.Expression) and not self._follows(part):
            if not self._is_free(part):
                places[part] = self._value(part)
            return
        for each in parts(part):
            self._gather(each, places)

    def _is_free(self, expression: ir.Expression) -> bool:
        nodes = walk(expression)
        local = any(isinstance(node, ir.Local) and node.name in self.inside for node in nodes)
        return all(isinstance(node, _FREE) for node in nodes) and not local

    def _value(self, expression: ir.Expression, needed: bool = True) -> str:
        """The name of a value that a lane evaluates for its edge."""
        constant = isinstance(expression, (ir.Local, ir.ListVariable)) and expression.name not in self.changing
        text = self._text(expression)
        if constant and text in self.known:
            name = self.known[text]
        else:
            name = self._member("value", expression.type)
            self.own.add(f"own.{name} = {text};", expression.span)
        if constant:
            self.known[text] = name
        entry = (type_name(expression.type), name)
        if needed and entry not in self.needed:
            self.needed.append(entry)
        return name

    def _member(self, word: str, kind: Type, needed: bool = False) -> str:
        name = f"{word}_{sum(other.startswith(word) for names in self.members.values() for other in names) + 1}"
        self.members.setdefault(type_name(kind), []).append(name)
        if needed:
            self.needed.append((type_name(kind), name))
        return name

    def _text(self, expression: ir.Expression) -> str:
        return self.printer.expressions.print(expression)

    @contextmanager
    def _into(self, lines: Lines) -> Iterator[None]:
        former, self.printer.lines = self.printer.lines, lines
        try:
            yield
        finally:
            self.printer.lines = former

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Loops of an edge are left by its lane alone."""
        printer = self.printer
        former = printer.stop_requested, printer.stopped
        printer.stop_requested, printer.stopped = "stop_requested", "return false;"
        try:
            yield
        finally:
            printer.stop_requested, printer.stopped = former

    @contextmanager
    def _replacing(self, places: Mapping[ir.Node, str]) -> Iterator[None]:
        expressions = self.printer.expressions
        former, expressions.read_ahead = expressions.read_ahead, places
        try:
            yield
        finally:
            expressions.read_ahead = former


def _close_branch(text: Lines, begun: int, middle: int, has_then: bool) -> None:
    """End a branch that began at line `begun` and whose other side begins at `middle`; what is empty is left out."""
    depth, otherwise = text.depth - 1, text.lines[middle:]
    del text.lines[middle:]
    text.depth = depth
    if not has_then:
        test, _ = text.lines.pop(begun)
        if otherwise:
            text.add(test.strip().replace("if (", "if (!"))
    elif otherwise:
        text.add("} else {")
    text.lines += otherwise
    if has_then or otherwise:
        text.add("}")


def _unused(name: str, used: set[str]) -> str:
    while name in used:
        name += "_"
    used.add(name)
    return name


def _renamed(loop: ir.ForNeighbors, names: Mapping[str, str]) -> ir.ForNeighbors:
    """`loop` with other names of locals."""

    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, (ir.Local, ir.Assign)) and node.name in names:
            return dataclasses.replace(node, name=names[node.name])
        return node

    return rewrite(loop, change) if names else loop
