"""What a run on a GPU allocates, told before it."""

from __future__ import annotations

from functools import partial

from gdsl.backends import needs
from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.memory import largest_degree_of, sizes_of
from gdsl.backends.interface import Bindings, Need
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan import suiting
from gdsl.plan.layouts import can_be_put, is_worth, looking_up
from gdsl.types import Widths


def needs_of(program: Program, widths: Widths, graph: Graph, bindings: Bindings, free: int | None) -> tuple[Need, ...]:
    """By the buffers of the plan that suits the graph on a large GPU, and of its numbering, if there is room in `free`
    bytes."""
    counts = graph.num_vertices, graph.num_edges, largest_degree_of(graph)
    suited = partial(suiting.suited, counts=counts, room=suiting.ALL)
    program = suited(program)
    plan, more = plan_of(program), (widths, sizes_of(graph, bindings), graph.directed, bindings.inputs)
    layout = plan.layout
    if layout is not None and is_worth(layout, *counts) and can_be_put(layout, bindings.own):
        other = plan_of(suited(looking_up(program))) if layout.apart else plan
        assert other.layout is not None
        told = needs.on_other_ids(other, other.layout, *more)
        if layout.always or free is None or sum(need.nbytes for need in told) <= free:
            return told
    return needs.on_a_device(plan, *more)
