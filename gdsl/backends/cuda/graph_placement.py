"""Which form of a graph a run with little memory gets: all on the device, or with edge lists in the host's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gdsl.backends import needs, placement
from gdsl.backends.cuda.memory import sizes_of
from gdsl.backends.interface import Bindings, Need
from gdsl.backends.placement import Decision, Placement
from gdsl.graph.graph import Graph
from gdsl.memory_use import MemoryUse, Place
from gdsl.plan.nodes import Plan
from gdsl.plan.renumbering import can_be_in_host, can_be_put, is_worth
from gdsl.plan.storage import GRAPH, Made
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.graph_cache import GraphCache
    from gdsl.backends.cuda.host_graph import HostGraph
    from gdsl.backends.cuda.memory import GraphOnDevice


def graph_within(
    graphs: GraphCache,
    device: CudaDevice,
    plan: Plan,
    graph: Graph,
    widths: Widths,
    bindings: Bindings,
    memory: MemoryUse | None,
) -> GraphOnDevice:
    """`graph` for a run of `plan` that may use `memory`; None: everything did not fit on the device. Raises E0914 for a
    limit that is too small."""
    choice = _choose(graphs, device, plan, graph, widths, bindings, memory)
    decision, limit = choice.decision, None if memory is None else memory.limit
    if limit is not None and placement.allocated_bytes(decision.needs) > limit:
        raise placement.too_small(decision.needs, limit)
    is_renumbered = choice.is_renumbered
    if decision.placement is None:
        original = graphs.graph(graph, widths, device)
        return graphs.by_degree(original, graph, device) if is_renumbered else original
    line, current = placement.line_of(decision.needs, memory), graphs.in_host(graph, widths, device)
    if current is None or not _is_usable(current, decision, decision.placement, is_renumbered, choice.room, memory):
        budget = sum(need.nbytes for need in decision.needs if needs.comes_later(need)) if is_renumbered else None
        current = graphs.place_in_host(graph, widths, device, decision.placement, budget)
    current.memory_line = line
    for buffer in plan.buffers:  # before the run allocates its memory: until then there is room for renumbering
        if buffer.made is Made.CALLER and buffer.group == GRAPH and isinstance(buffer.element, Type):
            current.part(buffer.name, buffer.element)
    return current


def is_in_host(
    graphs: GraphCache,
    device: CudaDevice,
    plan: Plan,
    graph: Graph,
    widths: Widths,
    bindings: Bindings,
    memory: MemoryUse | None,
) -> bool:
    """Whether that is a graph with edge lists in the memory of the host."""
    return _choose(graphs, device, plan, graph, widths, bindings, memory).decision.placement is not None


class _Choice(NamedTuple):
    """The decision, whether it is for renumbered vertices, and how many bytes of the device's memory there are."""

    decision: Decision
    is_renumbered: bool
    room: int


def _choose(
    graphs: GraphCache,
    device: CudaDevice,
    plan: Plan,
    graph: Graph,
    widths: Widths,
    bindings: Bindings,
    memory: MemoryUse | None,
) -> _Choice:
    largest_degree = graphs.graph(graph, widths, device).largest_degree
    current = graphs.in_host(graph, widths, device)
    candidates, in_host = _candidates(plan, graph, widths, bindings, largest_degree)
    if current is not None and current.numbering is None:
        in_host = in_host[-1:]  # on which every program runs: the graph is not renumbered again and again
    limit = None if memory is None else memory.limit
    room = limit
    if room is None:
        room = device.memory()[0] + (current.device_bytes() if current is not None else 0)
    on_device = () if memory is None else candidates
    decision = placement.decide(on_device, in_host, room, memory, device.page_bytes())
    count = len(on_device)
    last = len(candidates) - 1 if decision.placement is None else count + len(in_host) - 1
    return _Choice(decision, decision.candidate < last, room)


def _candidates(
    plan: Plan, graph: Graph, widths: Widths, bindings: Bindings, largest_degree: int
) -> tuple[list[tuple[Need, ...]], list[tuple[Need, ...]]]:
    """What a run takes on renumbered vertices, if it may use them, and on the graph's ids: with all on the device, and
    with edge lists in the memory of the host."""
    layout, more = plan.layout, (widths, sizes_of(graph, bindings), graph.directed, bindings.inputs)
    own = needs.on_a_device(plan, *more, bindings.own)
    on_device, in_host = [own], [own]
    if layout is None or layout.apart or not can_be_put(layout, bindings.own):
        return on_device, in_host
    if is_worth(layout, graph.num_vertices, graph.num_edges, largest_degree):
        on_device.insert(0, needs.on_other_ids(plan, layout, *more))
        if can_be_in_host(plan, layout):
            in_host.insert(0, needs.on_other_ids_in_host(plan, layout, *more, largest_degree))
    return on_device, in_host


def _is_usable(
    current: HostGraph,
    decision: Decision,
    chosen: Placement,
    is_renumbered: bool,
    room: int,
    memory: MemoryUse | None,
) -> bool:
    """Whether a run can use the graph as it is in the memory of the host, within `room` bytes of the device's."""
    if (current.numbering is not None) != is_renumbered:
        return False
    if memory is not None and memory.place is Place.HOST:
        return not current.placement.resident
    needs_there = [placement.placed(need, current.placement) for need in decision.needs]
    names = {need.name.partition(".")[2] for need in decision.needs if need.is_list}
    taken = placement.allocated_bytes(needs_there) + current.resident_besides(names)
    gained = chosen.resident * current.placement.whole > 2 * current.placement.resident * chosen.whole
    return taken <= room and not gained
