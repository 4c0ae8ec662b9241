"""What `gdslc explain distribution` says of a program that several workers run: what each of them holds, and what they
send each other after which step."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir.nodes import Array
from gdsl.operations import Domain
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.exchange_nodes import Distribution, Exchange, Exchanged, Held, How, Placement, Reach
from gdsl.plan.nodes import FarEnds, MakeGraph, OnSets, Operation, Plan, Step
from gdsl.plan.walking import blocks_in
from gdsl.types import Type, Widths

_EDGE_PARTS = frozenset({"in_edges", "reverse_edges"})


def explain(plan: Plan, widths: Widths) -> list[str]:
    """Lines for people, for graphs whose ids have these widths."""
    assert plan.distribution is not None
    return ["each worker holds:", *_held(plan, plan.distribution, widths), "", *_exchanges(plan, widths)]


# What is held


def _held(plan: Plan, distribution: Distribution, widths: Widths) -> list[str]:
    placements = {each.name: each for each in distribution.arrays}
    rows = [_array(array, placements[array.name], widths) for array in plan.program.arrays]
    parts = {buffer.name: buffer for buffer in plan.buffers if buffer.role is Role.GRAPH}
    rows += [_part(each, widths) for each in distribution.graph if each.name in parts]
    longest = max((len(name) for name, _ in rows), default=0)
    return [f"    {name.ljust(longest)}  {text}" for name, text in rows]


def _array(array: Array, placement: Placement, widths: Widths) -> tuple[str, str]:
    of = "vertex" if array.domain is Domain.VERTEX else "edge"
    size = _bytes(array.type, widths)
    each = "" if array.count is None else " for each of its values"
    if placement.held is Held.OWN:
        elements = "vertices" if array.domain is Domain.VERTEX else "edges"
        return array.name, f"in parts: {size} for each of its own {elements}{each}"
    why = f", since {placement.reason}" if placement.reason else ""
    return array.name, f"mirrored: {size} for each {of} of the graph{each}{why}"


def _part(placement: Placement, widths: Widths) -> tuple[str, str]:
    if placement.name in ("offsets", "in_offsets"):
        return placement.name, "mirrored: 8 bytes for each vertex of the graph"
    size = f"{(widths.edge if placement.name in _EDGE_PARTS else widths.vertex) // 8} bytes"
    if placement.held is Held.OWN:
        return placement.name, f"in parts: {size} for each edge in the lists of its own vertices"
    if placement.held is Held.FAR:
        return placement.name, f"in parts: {size} for each edge in the lists of its own vertices and of their neighbors"
    line = placement.reason.startswith("line")
    why = f"{placement.reason} reads lists of any vertex" if line else placement.reason
    return placement.name, f"whole: {size} for each edge of the graph, since {why}"


# What is sent


def _exchanges(plan: Plan, widths: Widths) -> Iterator[str]:
    any_exchange = False
    for block in blocks_in(plan.schedule):
        for place, step in enumerate(block):
            after = block[place + 1] if place + 1 < len(block) else None
            lines = list(_after(plan, step, after, widths))
            any_exchange = any_exchange or bool(lines)
            yield from lines
    if plan.distribution is not None and plan.distribution.walked:
        yield "when the run has ended:"
        yield "    the numbers of edges walked, for the trace: 8 bytes for each run of an operator that sends nothing"
    elif not any_exchange:
        yield "workers send each other nothing"


def _after(plan: Plan, step: Step, after: Step | None, widths: Widths) -> Iterator[str]:
    turns = step.turns if isinstance(step, Operation) else None
    if isinstance(step, Operation) and turns is not None:
        yield f"{_where(step)} is run by one worker after the other: {turns.reason} ({turns.line})"
        yield from (f"    each sends {_sent(plan, each, widths)}" for each in turns.exchange.data)
    if not isinstance(after, Exchange) or not isinstance(step, (Operation, FarEnds, OnSets, MakeGraph)):
        return
    if turns is None:
        yield f"after {_where(step)}:"
    yield from (f"    {_sent(plan, each, widths)}" for each in after.data)
    if after.frontier is not None:
        domain = next(each.domain for each in plan.frontiers if each.name == after.frontier)
        size = _bytes(domain.id_type, widths)
        yield f"    the members of {after.frontier}: {size} for each that a worker found"


def _where(step: Operation | FarEnds | OnSets | MakeGraph) -> str:
    line = step.step.span.words
    return f"{step.step.word} @{step.step.label} ({line})" if isinstance(step, Operation) else f"the step in {line}"


def _sent(plan: Plan, each: Exchanged, widths: Widths) -> str:
    data = {array.name: array.type for array in plan.program.arrays}
    data |= {scalar.name: scalar.type for scalar in plan.program.scalars}
    size = _bytes(data[each.name], widths)
    if each.scalar:
        by = {How.ADOPT: "taken from one worker"}.get(each.how) or f"combined by {_operation(each)}"
        return f"{each.name}: {by}, {size}"
    if each.how is How.PUBLISH and each.reach is Reach.OWN:
        return f"{each.name}: published by its owners, {size} for each own element, or with an id for each changed one"
    if each.how is How.MERGE:
        return f"{each.name}: merged by {_operation(each)}, {size} and an id for each changed element"
    return f"{each.name}: published, {size} and an id for each changed element"


def _operation(each: Exchanged) -> str:
    return f"`{each.operation.value}`" if each.operation is not None else "any value"


def _bytes(kind: Type, widths: Widths) -> str:
    count = max(widths.of(kind) // 8, 1)
    return "1 byte" if count == 1 else f"{count} bytes"
