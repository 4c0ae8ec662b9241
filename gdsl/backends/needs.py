"""What a run would allocate, by the buffers of its plan. The host's side of a GPU allocates by the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gdsl.backends.interface import Need
from gdsl.codegen.structs import element_dtype
from gdsl.extents import EDGES, VERTICES, Fixed, Parts, Sizes, Sum
from gdsl.operations import Domain
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import elements_of
from gdsl.plan.storage import GRAPH, PROBLEM, RUN, Buffer, Cleared, Made, Role
from gdsl.types import Type, Widths

_SAME = {"neighbors": "columns"}
"""Parts of the caller's graph that are another one: there its edges lie in the order of their ids."""
_SAME_BOTH_WAYS = {**_SAME, "in_offsets": "offsets", "in_sources": "columns", "reverse_edges": "in_edges"}
"""Those of a graph that has every edge both ways."""
_HOST_PARTS = {"offsets": 64, "columns": 32}
"""What every graph holds, and how wide ids are there (those of vertices as a rule)."""


def shared_part(name: str, directed: bool) -> str:
    """The part of the caller's graph that has what the part `name` has: often itself."""
    return (_SAME if directed else _SAME_BOTH_WAYS).get(name, name)


def bytes_of(buffer: Buffer, widths: Widths, sizes: Sizes) -> int:
    """Of one of the copies of `buffer`."""
    return element_dtype(buffer.element, widths).itemsize * buffer.extent.value(sizes)


def on_a_device(
    plan: Plan, widths: Widths, sizes: Sizes, directed: bool, inputs: Mapping[str, Any]
) -> tuple[Need, ...]:
    """What a first run on a graph takes of a GPU's memory. `inputs` are the caller's arrays."""
    parts: dict[str, str] = {}

    def there(buffer: Buffer) -> str:
        if buffer.group == GRAPH:
            first = parts.setdefault(shared_part(buffer.name, directed), buffer.name)
            return "" if first == buffer.name else f"{GRAPH}.{first}"
        lies_there = hasattr(inputs.get(buffer.name), "__cuda_array_interface__")
        return "the caller's own" if buffer.made is Made.CALLER and buffer.group == PROBLEM and lies_there else ""

    return tuple(_need(buffer, widths, sizes, there(buffer)) for buffer in plan.buffers)


def on_the_host(plan: Plan, widths: Widths, sizes: Sizes, directed: bool) -> tuple[Need, ...]:
    """What a first run on a graph takes of the machine's memory, beside the graph and the caller's arrays."""

    def there(buffer: Buffer) -> str:
        if buffer.made is not Made.CALLER or not isinstance(buffer.element, Type):
            return ""
        if buffer.group == PROBLEM:
            return "the caller's own"
        bits = _HOST_PARTS.get(shared_part(buffer.name, directed))
        return "the graph's own" if bits == widths.of(buffer.element) else ""

    return tuple(_need(buffer, widths, sizes, there(buffer)) for buffer in (*plan.buffers, *_own_frontiers(plan)))


def _own_frontiers(plan: Plan) -> Iterator[Buffer]:
    """Those that generated code allocates by itself: of each a queue and a bitmap."""
    kinds = {Domain.VERTEX: ("", Type.VERTEX, VERTICES), Domain.EDGE: ("edge_", Type.EDGE, EDGES)}
    for domain, (prefix, kind, extent) in kinds.items():
        slots, made = plan.slots(domain), Made.PROGRAM
        if slots and plan.target.allocates_itself:
            more = Sum((extent, Fixed(1)))
            yield Buffer(f"{prefix}queues", kind, more, Role.QUEUE, made, Cleared.WRITTEN, RUN, slots)
            words = Sum((Parts(extent, 64), Fixed(1)))
            yield Buffer(f"{prefix}bitmaps", Type.UINT64, words, Role.BITMAP, made, Cleared.ZERO, RUN, slots)


def _need(buffer: Buffer, widths: Widths, sizes: Sizes, there: str) -> Need:
    nbytes = 0 if there else max(buffer.copies, 1) * bytes_of(buffer, widths, sizes)
    return Need(f"{buffer.group}.{buffer.name}", buffer.role.value, elements_of(buffer), nbytes, there)
