"""W01 and W02: loops that wait for what nothing in them does."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from gdsl.diagnostics import Diagnostic, Label
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.source import Source, Span

_DROPPED_ON_PURPOSE = re.compile(r"\bto\s*=\s*none\b")


def steady_loops(program: nodes.Program, source: Source) -> Iterator[Diagnostic]:
    """The warnings about all loops, of the schedule and of functors and functions."""
    listed: tuple[nodes.VertexFunctor | nodes.EdgeFunctor, ...] = (*program.vertex_functors, *program.edge_functors)
    functors = {functor.name: frozenset(_targets(functor.body)) for functor in listed}
    for node in walk(program.schedule):
        if isinstance(node, nodes.While):
            found = _of_schedule(node, functors, source)
            if found is not None:
                yield found
    for node in walk((*listed, *program.functions)):
        if isinstance(node, nodes.Loop) and _is_steady(node):
            yield _steady(node.condition.span, source)


def _of_schedule(loop: nodes.While, functors: dict[str, frozenset[str]], source: Source) -> Diagnostic | None:
    """The warning about one loop; `functors` says what each of them writes."""
    condition = tuple(walk(loop.condition))
    if any(isinstance(node, nodes.Iteration) for node in condition) or _is_false(loop.condition):
        return None
    frontiers = [n.frontier for n in condition if isinstance(n, nodes.FrontierNotEmpty | nodes.FrontierSize)]
    scalars = [node.name for node in condition if isinstance(node, nodes.ScalarValue)]
    if {*frontiers, *scalars} & _changed(loop.body, functors):
        return None
    for step in walk(loop.body):
        if frontiers and isinstance(step, nodes.Advance) and step.result is None and step.to is Domain.VERTEX:
            words = source.excerpt(step.span)
            if not _DROPPED_ON_PURPOSE.search(source.text_between(step.span)):
                return _thrown_away(loop, step.span, frontiers[0], words or "advance(…)")
    return _steady(loop.condition.span, source)


def _changed(body: Iterable[nodes.Step], functors: dict[str, frozenset[str]]) -> frozenset[str]:
    """All that a step may write, by name: every name that a step itself has, and what functors write."""
    found: set[str] = set()
    for node in walk(tuple(body)):
        if isinstance(node, nodes.Step):
            values = (getattr(node, field.name) for field in dataclasses.fields(node))
            names = {value for value in values if isinstance(value, str)}
            found |= names
            for name in names & functors.keys():
                found |= functors[name]
        elif isinstance(node, nodes.ElementTarget):
            found.add(node.array)
        elif isinstance(node, nodes.ScalarTarget):
            found.add(node.scalar)
    return frozenset(found)


def _targets(body: object) -> set[str]:
    found = set()
    for node in walk(body):
        if isinstance(node, nodes.ElementTarget):
            found.add(node.array)
        elif isinstance(node, nodes.ScalarTarget):
            found.add(node.scalar)
    return found


def _is_steady(loop: nodes.Loop) -> bool:
    """Whether a loop of a functor has nothing that may end it: what it asks for is not changed, and nothing leaves."""
    condition, body = tuple(walk(loop.condition)), tuple(walk(loop.body))
    effects = (nodes.UpdateValue, nodes.CompareAndSwap)
    if any(isinstance(node, effects) or getattr(node, "now", False) for node in condition):
        return False
    if _is_false(loop.condition) or any(isinstance(node, nodes.Break | nodes.Return) for node in body):
        return False
    asked = {node.name for node in condition if isinstance(node, nodes.Local | nodes.ScalarValue | nodes.ListVariable)}
    asked |= {node.array for node in condition if isinstance(node, nodes.Element)}
    changed = {node.name for node in body if isinstance(node, nodes.Assign)} | _targets(loop.body)
    return not asked & changed


def _is_false(condition: nodes.Expression) -> bool:
    return isinstance(condition, nodes.Literal) and condition.value is False


def _thrown_away(loop: nodes.While, span: Span, frontier: str, words: str) -> Diagnostic:
    message = f"the set that `advance` gives is thrown away, and the loop waits for `{frontier}` to become empty"
    labels = (Label(loop.condition.span, "nothing in the loop changes it"),)
    return Diagnostic("W01", message, span, labels, fix=f"write `{frontier} = {words};`")


def _steady(span: Span, source: Source) -> Diagnostic:
    words = source.excerpt(span) or "the condition"
    message = f"nothing in the loop can change `{words}`: it runs not once, or until it is stopped"
    if words == "true":
        message = "nothing ends this loop but `--timeout` or `--max-iterations`"
    fix = "change in the loop what it asks for, or count the rounds: `repeat (n) { … }` in the schedule"
    return Diagnostic("W02", message, span, fix=fix)
