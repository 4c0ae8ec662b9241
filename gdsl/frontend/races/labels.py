"""Label arrays: pointers that only ever go down, hooked to each other and compressed.

An array `x` that holds vertices, begins as `id` and is written by `x[…] min= …` alone has `x[v] <= v` throughout: it is
a forest. Where index and operand are ends of the edge or labels of labels, every label also stays within the vertices
that its owner is linked to. What single passes leave depends on the order, but two kinds of loops do not:

- compression of any such array, `while (s) { s = false; compute(vertices, jump); }`, where `jump` does
  `x[v] min= x[x[v]]` and sets `s` on every change: a label only ever moves to an ancestor, so that it ends when every
  label is a root, namely that of the tree the vertex was in;
- hooking, `while (s) { s = false; advance(f, hook); <compression> }`, where `hook` lowers the label of either end's
  root to the label of the other and sets `s` on every change. It only ever hooks roots, since it sees compressed
  labels, so no link is lost; it ends when the ends of every edge have one label, which is then the smallest vertex
  among all that the edges and the former labels link.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.frontend import syntax
from gdsl.frontend.races.calls import Calls, Write
from gdsl.frontend.races.flow import Site, compressed_key
from gdsl.frontend.races.levels import Level, State
from gdsl.frontend.races.settle import Loop, Pass, written_in
from gdsl.frontend.races.terms import Element, End, Term
from gdsl.frontend.races.values import is_data
from gdsl.frontend.syntax import DeclarationKind, OperatorKind, SymbolKind
from gdsl.operations import ReduceOperation
from gdsl.source import Span
from gdsl.types import ScalarType


@dataclass(frozen=True, slots=True)
class Labels:
    """The arrays of a program that hold labels: those that only fall, and among them those that follow links."""

    falling: frozenset[str]
    linked: frozenset[str]


def label_arrays(program: syntax.Program, sites: Mapping[Span, Site]) -> Labels:
    """The arrays that are written as labels throughout the program."""
    falling = {
        declaration.name
        for declaration in program.declarations
        if declaration.kind is DeclarationKind.VERTEX_ARRAY
        and declaration.type is ScalarType.VERTEX
        and isinstance(declaration.initial, syntax.Name)
        and declaration.initial.name == "id"
    }
    for statement in program.schedule:
        for node in syntax.walk(statement):
            if isinstance(node, syntax.Assign | syntax.Update) and is_data(node.target) and node.target.symbol:
                falling.discard(node.target.symbol.name)
            elif isinstance(node, syntax.Call):
                falling -= {part.value.name for part in node.arguments if isinstance(part.value, syntax.Name)}
    writes = [write for site in sites.values() for write in site.calls.writes]
    falling -= {write.name for write in writes if write.operation is not ReduceOperation.MIN}
    astray = {
        write.name for write in writes if None in (chain(write.name, write.index), chain(write.name, write.value))
    }
    return Labels(frozenset(falling), frozenset(falling - astray))


def chain(array: str, term: Term) -> tuple[Term, int] | None:
    """The end from which a term follows labels, and how many times; None for any other term."""
    if isinstance(term, Element) and term.array == array:
        inner = chain(array, term.index)
        return None if inner is None else (inner[0], inner[1] + 1)
    if isinstance(term, End) and term.role is not SymbolKind.EDGE:
        return term, 0
    return None


class LabelLoop:
    """One `while` of the schedule, seen as a loop over labels."""

    def __init__(self, loop: Loop, sites: Mapping[Span, Site], nonnegative: frozenset[str]) -> None:
        self.loop = loop
        self.sites = sites
        self.nonnegative = nonnegative

    def compresses(self, name: str) -> bool:
        """Whether the loop runs until every label in `name` is a root."""
        steps = [step for step in self.loop.passes if step.site.calls.written(name)]
        if len(steps) != 1 or self.loop.written.get(name) != 1 or not self.loop.resets():
            return False
        calls = steps[0].site.calls
        write = calls.written(name)[0]
        index, value = chain(name, write.index), chain(name, write.value)
        if not _on_all_vertices(calls) or write.guards or calls.conjuncts or index is None or value is None:
            return False
        if value[0] != calls.far or value[1] < 2:
            return False
        return index == (calls.far, 0) and self.loop.sets_flag(calls, write)

    def hooks(self, name: str, state: State) -> set[str] | None:
        """What the labels after the loop are made from, where no order decides them; None where one may."""
        kinds: list[str] = []
        origins = {name}
        for statement in self.loop.loop.body:
            inner = Loop(statement, self.sites, self.nonnegative) if isinstance(statement, syntax.While) else None
            if inner is not None and LabelLoop(inner, self.sites, self.nonnegative).compresses(name):
                kinds.append("compression")
                continue
            steps = [step for step in self.loop.passes_of(statement) if step.site.calls.written(name)]
            if steps and self._is_hook(name, steps[0]):
                kinds.append("hook")
                origins |= self.loop.inputs(name, steps[0])
            elif written_in((statement,), self.sites).get(name):
                return None
        whole = "hook" in kinds and self.loop.resets()
        starts_compressed = state.value(compressed_key(name)) is Level.SAME
        for place, kind in enumerate(kinds):
            seen = kinds[place - 1] == "compression" and (place > 0 or starts_compressed)
            whole = whole and (kind == "compression" or seen)
        return origins if whole else None

    def _is_hook(self, name: str, step: Pass) -> bool:
        calls = step.site.calls
        writes = calls.written(name)
        if not self.loop.is_fixed(name, step) or not all(self.loop.sets_flag(calls, write) for write in writes):
            return False
        links = [_link(name, write) for write in writes]
        return all(link is not None and (link[1], link[0], link[2]) in links for link in links)


def settled_labels(loop: LabelLoop, labels: Labels, state: State) -> dict[str, set[str]]:
    """The label arrays that a loop settles, with what they are made from, and those that it leaves compressed."""
    found: dict[str, set[str]] = {}
    for name in sorted(labels.falling):
        if loop.compresses(name):
            found[name] = {name}
            found[compressed_key(name)] = set()
        elif name in labels.linked:
            origins = loop.hooks(name, state)
            if origins is not None:
                found[name] = origins
    return found


def _link(name: str, write: Write) -> tuple[Term, Term, object] | None:
    """The ends that a hook links, from the one whose root is hooked to the other, and the guards around it."""
    index, value = chain(name, write.index), chain(name, write.value)
    if index is None or value is None or index[1] == 0 or value[1] == 0 or index[0] == value[0]:
        return None
    return index[0], value[0], write.guards


def _on_all_vertices(calls: Calls) -> bool:
    source = calls.call.input
    return calls.call.kind is OperatorKind.COMPUTE and isinstance(source, syntax.Name) and source.name == "vertices"
