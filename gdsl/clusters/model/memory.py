"""The memory that a run takes, of each GPU of a host and of each worker, for a graph of any size, which need not be
there: what a dry run says of the buffers of a plan, and for workers the sum over what its `distribution` places."""

from __future__ import annotations

import dataclasses
import math

from gdsl.backends import needs
from gdsl.backends.gpus import spread_over
from gdsl.backends.interface import Need
from gdsl.extents import Size, Sizes
from gdsl.operations import Domain
from gdsl.plan import renumbering
from gdsl.plan.buffer_nodes import Role
from gdsl.plan.exchange_nodes import Held
from gdsl.plan.nodes import Plan
from gdsl.types import Widths

_OFFSETS = ("offsets", "in_offsets")
_LARGEST_32 = (1 << 32) - 2
_BLOCKS, _FOR_EACH_PARAM = 1 << 10, 1


def widths_for(plan: Plan, vertices: int, edges: int) -> Widths:
    """The ids that a graph of this size needs."""
    return Widths.both(plan.program.tuning.ids or (64 if max(vertices, edges) > _LARGEST_32 else 32))


def of_gpu(plan: Plan, vertices: int, edges: int, gpus: int) -> int:
    """The bytes that the first of so many GPUs of a host holds, which has the most, by the plan for several GPUs of an
    undirected graph, whose lists are the same in both directions. One GPU has no copies of arrays."""
    if gpus == 1:
        alone = (each for each in plan.buffers if each.role not in (Role.MIRROR, Role.ADDRESSES))
        return sum(each.nbytes for each in _needs(dataclasses.replace(plan, buffers=tuple(alone)), vertices, edges))
    return spread_over(_needs(plan, vertices, edges), range(gpus), None)[0].needed


def with_lists_in_host(plan: Plan, vertices: int, edges: int) -> tuple[int, int]:
    """The bytes that one GPU holds if no edge list is there, and those of the lists, which the host has."""
    widths, sizes = widths_for(plan, vertices, edges), _sizes(vertices, edges)
    found = needs.on_a_device(plan, widths, sizes, False, {}, [each.name for each in plan.buffers])
    lists = sum(each.nbytes for each in found if each.is_list)
    return sum(each.nbytes for each in found if each.what != Role.MIRROR.value) - lists, lists


def of_worker(plan: Plan, vertices: int, edges: int, workers: int, *, grid: bool = False) -> int:
    """The bytes that each worker holds of the graph and of arrays, by the plan for several workers. `grid`: it has
    copies of what its edges touch alone, if workers are rows and columns that divide the edges. That is not built."""
    assert plan.distribution is not None
    widths = widths_for(plan, vertices, edges)
    of_copies = min(2 / math.sqrt(workers), 1) if grid else 1
    size = 0.0
    for each in plan.program.arrays:
        elements = vertices if each.domain is Domain.VERTEX else edges
        mirrored = plan.distribution.of_array(each.name) is Held.MIRROR
        part = of_copies if mirrored and each.domain is Domain.VERTEX else 1 if mirrored else 1 / workers
        size += elements * max(widths.of(each.type) // 8, 1) * part
    parts = {each.name for each in plan.buffers if each.role is Role.GRAPH}
    for placement in plan.distribution.graph:
        if placement.name in parts:
            is_offsets = placement.name in _OFFSETS
            whole = vertices * 8 if is_offsets else edges * widths.vertex // 8
            held = of_copies if is_offsets else 1 if placement.held is Held.MIRROR else 1 / workers
            size += whole * held
    return int(size)


def _needs(plan: Plan, vertices: int, edges: int) -> tuple[Need, ...]:
    """What a first run allocates, with its renumbering, if reads along edges gain by one."""
    widths, sizes = widths_for(plan, vertices, edges), _sizes(vertices, edges)
    if plan.layout is None or not renumbering.is_worth(plan.layout, vertices, edges, lambda: math.inf):
        return needs.on_a_device(plan, widths, sizes, False, {})
    return needs.on_other_ids(plan, plan.layout, widths, sizes, False, {})


def _sizes(vertices: int, edges: int) -> Sizes:
    return _Sizes({Size.VERTICES: vertices, Size.EDGES: edges, Size.BLOCKS: _BLOCKS})


class _Sizes(dict):  # type: ignore[type-arg]
    """Params that say how many values an element has are not known: one."""

    def __missing__(self, key: object) -> int:
        return _FOR_EACH_PARAM
