"""What a run would allocate, by the buffers of its plan. The host's side of a GPU allocates the same sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gdsl.backends.interface import Need
from gdsl.backends.pairs import bytes_of_parts
from gdsl.codegen.structs import element_dtype
from gdsl.extents import EDGES, VERTICES, Fixed, Parts, Size, Sizes, Sum, sizes_in
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.operations import Domain
from gdsl.plan.buffer_nodes import GRAPH, LAYOUT, PROBLEM, RUN, Allocator, Buffer, Cleared, Role
from gdsl.plan.buffers import hoisted_arrays
from gdsl.plan.nodes import Plan, Renumbering
from gdsl.plan.printer import elements_of
from gdsl.plan.renumbering import LISTS
from gdsl.types import Type, Widths

_SAME = {"neighbors": "columns"}
"""Parts of the caller's graph that are equal to another one: its edges are in the order of their ids."""
_SAME_BOTH_WAYS = {**_SAME, "in_offsets": "offsets", "in_sources": "columns", "reverse_edges": "in_edges"}
"""The same for a graph that has every edge in both directions."""
_KEY = 8
"""Bytes of an edge's ends, or of a vertex and its degree, while they are sorted."""
_HOST_PARTS = {"offsets": 64, "columns": 32}
"""The parts of every graph, and the usual widths of ids in them."""


def shared_part(name: str, directed: bool) -> str:
    """The part of the caller's graph with the same values as the part `name`: often itself."""
    return (_SAME if directed else _SAME_BOTH_WAYS).get(name, name)


def bytes_of(buffer: Buffer, widths: Widths, sizes: Sizes) -> int:
    """The bytes of one copy of `buffer`."""
    return element_dtype(buffer.element, widths).itemsize * buffer.extent.value(sizes)


def on_a_device(
    plan: Plan,
    widths: Widths,
    sizes: Sizes,
    directed: bool,
    inputs: Mapping[str, Any],
    own: Collection[str] = (),
) -> tuple[Need, ...]:
    """What a first run on a graph takes of a GPU's memory. `inputs` are the caller's arrays, and those in `own` the
    graph's."""
    parts: dict[str, str] = {}

    def there(buffer: Buffer) -> str:
        if buffer.group == GRAPH:
            first = parts.setdefault(shared_part(buffer.name, directed), buffer.name)
            return "" if first == buffer.name else f"{GRAPH}.{first}"
        lies_there = hasattr(inputs.get(buffer.name), "__cuda_array_interface__")
        return (
            "the caller's own"
            if buffer.allocator is Allocator.CALLER and buffer.group == PROBLEM and lies_there
            else ""
        )

    def is_list(buffer: Buffer) -> bool:
        return _has_edges(buffer, GRAPH) or (buffer.name in own and _has_edges(buffer, PROBLEM))

    needs = (_need(buffer, widths, sizes, there(buffer), is_list(buffer)) for buffer in plan.buffers)
    whole = {f"{PROBLEM}.{each.array}" for each in plan.replicas}
    needs = (replace(each, is_first=each.what == Role.RESULT.value and each.name in whole) for each in needs)
    return *needs, *_parts_of_pairs(plan, widths, sizes)


def _parts_of_pairs(plan: Plan, widths: Widths, sizes: Sizes) -> Iterator[Need]:
    """What the parts of results that are pairs take, which are arrays of their own when a run is over."""
    for buffer in plan.buffers:
        kind = buffer.element
        if buffer.role is Role.RESULT and isinstance(kind, Type) and kind.is_pair:
            nbytes = bytes_of_parts(kind, widths, buffer.extent.value(sizes))
            yield Need(f"{buffer.group}.{buffer.name}.parts", buffer.role.value, "both parts", nbytes)


def _has_edges(buffer: Buffer, group: str) -> bool:
    return buffer.allocator is Allocator.CALLER and buffer.group == group and Size.EDGES in sizes_in(buffer.extent)


def on_other_ids(
    plan: Plan, layout: Renumbering, widths: Widths, sizes: Sizes, directed: bool, inputs: Mapping[str, Any]
) -> tuple[Need, ...]:
    """What a first run on renumbered vertices (`gdsl.backends.cuda.numbering`) takes of a GPU's memory.

    Memory that is only needed for renumbering is free again before the run itself allocates anything. So it only counts
    as far as the run needs less: the total is the most that is allocated at any time.
    """
    run_needs = {need.name: need for need in on_a_device(plan, widths, sizes, directed, inputs)}
    for name, need in run_needs.items():
        group, _, part = name.partition(".")
        if group == GRAPH:
            run_needs[name] = replace(need, nbytes=0, there=f"{LAYOUT}.{shared_part(part, directed)}")
        elif name == f"{PROBLEM}.{GIVEN_IDS}":
            run_needs[name] = replace(need, nbytes=0, there=f"{LAYOUT}.order")
    layout_needs = [_held(buffer, widths, sizes, directed) for buffer in layout.buffers]
    first = sum(need.nbytes for need, buffer in zip(layout_needs, layout.buffers, strict=True) if _comes_first(buffer))
    later = sum(need.nbytes for need in (*run_needs.values(), *layout_needs)) - first
    missing = max(_while_numbering(layout, widths, sizes, directed) - later, 0)
    layout_needs = [replace(need, nbytes=missing) if need.what == Role.SORTED.value else need for need in layout_needs]
    return *run_needs.values(), *layout_needs


def on_other_ids_in_host(
    plan: Plan,
    layout: Renumbering,
    widths: Widths,
    sizes: Sizes,
    directed: bool,
    inputs: Mapping[str, Any],
    largest_degree: int,
) -> tuple[Need, ...]:
    """As `on_other_ids`, for a graph whose edge lists are in the memory of the host, which are renumbered a piece at a
    time."""
    run_needs = on_a_device(plan, widths, sizes, directed, inputs)
    own = {f"{PROBLEM}.{GIVEN_IDS}": f"{LAYOUT}.order"}
    run_needs = tuple(replace(need, nbytes=0, there=own[need.name]) if need.name in own else need for need in run_needs)
    cached_roles = (Role.GRAPH, Role.SORTED, Role.NAMES_OF_EDGES)
    layout_needs = [_need(each, widths, sizes, "") for each in layout.buffers if each.role not in cached_roles]
    needs = *run_needs, *layout_needs
    offsets = (sizes[Size.VERTICES] + 1) * widths.edge // 8 * (2 if directed else 1)
    pieces = max(sizes[Size.VERTICES], largest_degree, min(sizes[Size.EDGES], LEAST_PIECE))
    missing = max(offsets + 2 * _KEY * pieces + SORT_SPACE - sum(need.nbytes for need in needs if comes_later(need)), 0)
    sorted_keys = next(each for each in layout.buffers if each.role is Role.SORTED)
    keys = Need(f"{LAYOUT}.{sorted_keys.name}", Role.SORTED.value, f"uint64 * {2 * pieces}", missing)
    return *needs, keys


SORT_SPACE = 1 << 16
"""Bytes that a sort on the device needs for its counts, besides the same amount again."""
LEAST_PIECE = 1 << 20
"""Edges that are sorted at a time, or more, when edge lists in the memory of the host are renumbered."""


def comes_later(need: Need) -> bool:
    """Whether it is only allocated when vertices have their new ids."""
    return need.what not in (Role.GRAPH.value, Role.NAMES.value)


def _held(buffer: Buffer, widths: Widths, sizes: Sizes, directed: bool) -> Need:
    """The memory of a buffer of the renumbering's plan."""
    shared = shared_part(buffer.name, directed) if buffer.role is Role.GRAPH else buffer.name
    return _need(buffer, widths, sizes, "" if shared == buffer.name else f"{LAYOUT}.{shared}")


def _comes_first(buffer: Buffer) -> bool:
    """Whether it is allocated, or was freed again, before the run allocates anything."""
    return buffer.role in (Role.NAMES, Role.SORTED) or (buffer.role is Role.GRAPH and buffer.name in LISTS)


def _while_numbering(layout: Renumbering, widths: Widths, sizes: Sizes, directed: bool) -> int:
    """The most bytes that are allocated in addition to names and lists while these are created: the caller's lists, and
    the vertices or the edges while they are sorted, in two copies."""
    parts = {buffer.name: bytes_of(buffer, widths, sizes) for buffer in layout.buffers if buffer.role is Role.GRAPH}
    out = parts["offsets"] + parts["columns"]
    back = parts["in_offsets"] + parts["in_sources"] if directed else 0
    original = out + (parts["in_offsets"] if directed else 0)
    keys, of_vertices = _KEY * sizes[Size.EDGES], _KEY * sizes[Size.VERTICES]
    return original + max(2 * of_vertices - out - back, 2 * keys - (back or out), keys)


def on_the_host(plan: Plan, widths: Widths, sizes: Sizes, directed: bool) -> tuple[Need, ...]:
    """What a first run on a graph takes of the machine's memory, in addition to the graph and the caller's arrays."""

    def there(buffer: Buffer) -> str:
        if buffer.allocator is not Allocator.CALLER or not isinstance(buffer.element, Type):
            return ""
        if buffer.group == PROBLEM:
            return "the caller's own"
        bits = _HOST_PARTS.get(shared_part(buffer.name, directed))
        return "the graph's own" if bits == widths.of(buffer.element) else ""

    kept = hoisted_arrays(plan, {buffer.name for buffer in plan.buffers if buffer.group == GRAPH})
    buffers = (*plan.buffers, *_own_frontiers(plan), *map(_with_wide_offsets, kept))
    needs = (_need(buffer, widths, sizes, there(buffer)) for buffer in buffers)
    return *needs, *_parts_of_pairs(plan, widths, sizes)


def _with_wide_offsets(buffer: Buffer) -> Buffer:
    """An array of a kept graph, whose offsets have 64 bits on the host whatever ids have."""
    return replace(buffer, element=Type.INT64) if buffer.name.endswith("offsets") else buffer


def _own_frontiers(plan: Plan) -> Iterator[Buffer]:
    """The frontiers that generated code allocates: a queue and a bitmap for each."""
    kinds = {Domain.VERTEX: ("", Type.VERTEX, VERTICES), Domain.EDGE: ("edge_", Type.EDGE, EDGES)}
    for domain, (prefix, kind, extent) in kinds.items():
        slots, layout_needs = plan.slots(domain), Allocator.PROGRAM
        if slots and plan.target.allocates_itself:
            more = Sum((extent, Fixed(1)))
            yield Buffer(f"{prefix}queues", kind, more, Role.QUEUE, layout_needs, Cleared.WRITTEN, RUN, slots)
            words = Sum((Parts(extent, 64), Fixed(1)))
            yield Buffer(f"{prefix}bitmaps", Type.UINT64, words, Role.BITMAP, layout_needs, Cleared.ZERO, RUN, slots)


def _need(buffer: Buffer, widths: Widths, sizes: Sizes, there: str, is_list: bool = False) -> Need:
    nbytes = 0 if there else max(buffer.copies, 1) * bytes_of(buffer, widths, sizes)
    constant = buffer.allocator is Allocator.CALLER or buffer.role in (Role.GRAPH, Role.NAMES)
    name = f"{buffer.group}.{buffer.name}"
    kind = {"is_list": is_list, "is_constant": constant, "is_own": buffer.role is Role.MIRROR}
    return Need(name, buffer.role.value, elements_of(buffer), nbytes, there, **kind)
