"""W07: the largest id of an empty list is 0, an id, and the program compares it with `none`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, Edit, Label, Suggestion
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import NeighborOperation
from gdsl.source import Source, Span

_EMPTY = re.compile(r"\bempty\s*=")


def largest_of_nothing(program: nodes.Program, source: Source) -> Iterator[Diagnostic]:
    """The warnings about each `neighbor_reduce` by `max` of ids without `empty=`, whose result is tested for `none`."""
    for step in walk(program.schedule):
        if not isinstance(step, nodes.NeighborReduce) or step.operation is not NeighborOperation.MAX:
            continue
        call = source.excerpt(step.span)
        if not step.array_type.is_id or _EMPTY.search(source.text_between(step.span)):
            continue
        test = next(_tests(program, step.array), None)
        if test is not None:
            kind = step.array_type.name
            message = f"where no edge counts, the largest {kind} is {kind} 0, never `none`"
            labels = (Label(test, "always as if there were one"),)
            fix = f"write `{with_empty(call)}`" if call.endswith(")") else "give `empty=none`"
            edits = (Edit(step.span, with_empty(call)),)
            found = (Suggestion(fix, edits),) if call.endswith(")") else ()
            yield Diagnostic("W07", message, step.span, labels, fix=fix, suggestions=found)


def with_empty(call: str) -> str:
    """The text of a call with `empty=none` behind its last argument."""
    return f"{call[:-1].rstrip()}, empty=none)"


def _tests(program: nodes.Program, array: str) -> Iterator[Span]:
    """The comparisons of an element of `array` with `none`, also by the name of a `let`."""
    for part in (*program.vertex_functors, *program.edge_functors, *program.vote_functors, program.schedule):
        named = {
            node.name
            for node in walk(part)
            if isinstance(node, nodes.Let | nodes.Assign) and _is_element(node.value, array)
        }
        for node in walk(part):
            if isinstance(node, nodes.Binary) and node.operation.is_comparison:
                sides = (node.left, node.right)
                of_array = (
                    _is_element(each, array) or (isinstance(each, nodes.Local) and each.name in named) for each in sides
                )
                if any(isinstance(each, nodes.NoneId) for each in sides) and any(of_array):
                    yield node.span


def _is_element(node: nodes.Expression, array: str) -> bool:
    return isinstance(node, nodes.Element) and node.array == array
