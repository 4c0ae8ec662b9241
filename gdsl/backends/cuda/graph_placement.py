"""Which form of a graph a run with little memory gets: all on the device, or with edge lists in the host's memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gdsl.backends import needs, placement
from gdsl.backends.cuda.degree_order import reads_saved
from gdsl.backends.cuda.memory import sizes_of
from gdsl.backends.interface import Bindings, Need
from gdsl.backends.placement import Decision, Placement
from gdsl.graph.graph import Graph
from gdsl.memory_use import MemoryUse, Place
from gdsl.plan.buffer_nodes import GRAPH, Allocator
from gdsl.plan.nodes import Plan
from gdsl.plan.renumbering import can_be_in_host, can_be_put, is_worth
from gdsl.types import Type, Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.backends.cuda.graph_cache import GraphCache
    from gdsl.backends.cuda.host_graph import HostGraph
    from gdsl.backends.cuda.memory import GraphOnDevice


LARGE = 1 << 24
"""With fewer edges, nothing is lost by trying."""


class Request(NamedTuple):
    """A run of a plan on a graph that may use `memory`; None: not everything fits on the device."""

    graphs: GraphCache
    device: CudaDevice
    plan: Plan
    graph: Graph
    widths: Widths
    bindings: Bindings
    memory: MemoryUse | None

    @property
    def limit(self) -> int | None:
        """The most bytes of the device's memory that the run may use, if it says so."""
        return None if self.memory is None else self.memory.limit

    @property
    def original(self) -> GraphOnDevice:
        """The graph on the device, with its own ids."""
        return self.graphs.graph(self.graph, self.widths, self.device)

    @property
    def in_host(self) -> HostGraph | None:
        """The graph with edge lists in the memory of the host, if a run has used it there."""
        return self.graphs.in_host(self.graph, self.widths, self.device)


def graph_within(request: Request) -> GraphOnDevice:
    """The graph for that run. Raises E0914 for a limit that is too small, and E0912."""
    memory, plan, choice = request.memory, request.plan, _choose(request)
    decision, limit = choice.decision, request.limit
    if limit is not None and placement.allocated_bytes(decision.needs) > limit:
        raise placement.too_small(decision.needs, limit)
    graphs, graph, device = request.graphs, request.graph, request.device
    if decision.placement is None:
        original = request.original
        return graphs.by_degree(original, graph, device) if choice.is_renumbered else original
    current = request.in_host
    if current is None or not _is_usable(current, choice, decision.placement, request):
        later = sum(need.nbytes for need in decision.needs if needs.comes_later(need))
        budget = later if choice.is_renumbered else None
        current = graphs.place_in_host(graph, request.widths, device, decision.placement, budget)
        current.limit = limit
    divided = [placement.placed(need, current.placement) for need in decision.needs]
    current.memory_line = placement.line_of(divided, memory)
    for buffer in plan.buffers:  # before the run allocates its memory: until then there is room for renumbering
        if buffer.allocator is Allocator.CALLER and buffer.group == GRAPH and isinstance(buffer.element, Type):
            current.part(buffer.name, buffer.element)
    return current


def is_in_host(request: Request) -> bool:
    """Whether that is a graph with edge lists in the memory of the host."""
    return _choose(request).decision.placement is not None


def exceeds_device(request: Request) -> bool:
    """Whether a first run on the graph certainly needs more of the device's memory than there is, so that nothing has
    to be uploaded to find that out. False if some of the graph is there already."""
    plan, graph, bindings, device = request.plan, request.graph, request.bindings, request.device
    if graph.num_edges < LARGE or request.original.parts_held() or graph._parts is not None:
        return False
    sizes = sizes_of(graph, bindings)
    required = needs.on_a_device(plan, request.widths, sizes, graph.directed, bindings.inputs, bindings.own)
    needed = sum(need.nbytes for need in required)
    if needed <= device.memory()[0] or not any(need.nbytes for need in required if need.is_list):
        return False
    request.graphs.free_unused(device)
    return needed > device.memory()[0]


class _Choice(NamedTuple):
    """The decision, whether it is for renumbered vertices, and how many bytes of the device's memory there are."""

    decision: Decision
    is_renumbered: bool
    room: int


def _choose(request: Request) -> _Choice:
    memory, current = request.memory, request.in_host
    candidates, in_host = _candidates(request)
    if current is not None and current.numbering is None and current.limit == request.limit:
        in_host = in_host[-1:]  # on which every program runs: the graph is not renumbered again and again
    room = request.limit
    if room is None:
        room = request.device.memory()[0] + (current.device_bytes() if current is not None else 0)
    on_device = [] if memory is None else candidates
    decision = placement.decide(on_device, in_host, room, memory, request.device.page_bytes())
    last = len(candidates) - 1 if decision.placement is None else len(on_device) + len(in_host) - 1
    return _Choice(decision, decision.candidate < last, room)


def _candidates(request: Request) -> tuple[list[tuple[Need, ...]], list[tuple[Need, ...]]]:
    """What a run takes on renumbered vertices, if it may use them, and on the graph's ids: with all on the device, and
    with edge lists in the memory of the host."""
    plan, graph, bindings = request.plan, request.graph, request.bindings
    layout, more = plan.layout, (request.widths, sizes_of(graph, bindings), graph.directed, bindings.inputs)
    own = needs.on_a_device(plan, *more, bindings.own)
    on_device, in_host, largest_degree = [own], [own], request.original.largest_degree
    if layout is None or layout.apart or not can_be_put(layout, bindings.own):
        return on_device, in_host
    if is_worth(layout, graph.num_vertices, graph.num_edges, partial(reads_saved, graph)):
        on_device.insert(0, needs.on_other_ids(plan, layout, *more))
        if can_be_in_host(plan, layout):
            in_host.insert(0, needs.on_other_ids_in_host(plan, layout, *more, largest_degree))
    return on_device, in_host


def _is_usable(current: HostGraph, choice: _Choice, chosen: Placement, request: Request) -> bool:
    """Whether a run can use the graph as it is in the memory of the host. Runs with the same limit share a division,
    though each of their programs alone would have its own; for another limit the lists are divided again, as `dry_run`
    tells."""
    if (current.numbering is not None) != choice.is_renumbered:
        return False
    if request.memory is not None and request.memory.place is Place.HOST:
        return not current.placement.resident
    if current.limit != request.limit:
        return False
    run_needs = choice.decision.needs
    names = {need.name.partition(".")[2] for need in run_needs if need.is_list}
    taken = placement.allocated_bytes([placement.placed(need, current.placement) for need in run_needs])
    gained = chosen.resident * current.placement.whole > 2 * current.placement.resident * chosen.whole
    return taken + current.resident_besides(names) <= choice.room and not gained
