"""From a plan to C++ text."""

from __future__ import annotations

import dataclasses

from gdsl.codegen.cpu.template_helpers import CppHelpers
from gdsl.codegen.generated import CppText, data_buffers, exchanges_of, graph_parts, hoisted_keys, snapshots_of
from gdsl.codegen.library import DIRECT_EDGE_IDS, INDIRECT_EDGE_IDS, WORKERS, Library, Piece, struct_text, words_of
from gdsl.codegen.lines import comment_lines, number_lines, title_line
from gdsl.codegen.names import UNDEFINED
from gdsl.codegen.templates import render
from gdsl.extents import TRACE_CAPACITY
from gdsl.plan import structs_cpu
from gdsl.plan.buffer_nodes import Allocator, Struct
from gdsl.plan.hoisted_scalars import hoisted_scalars
from gdsl.plan.nodes import Launch, Plan
from gdsl.plan.walking import counts_in_tables, hoisted_graphs, leaves_edges_out
from gdsl.plan.work_order import orders
from gdsl.types import Type, Widths
from gdsl.version import __version__

LIBRARY = Library(
    "cpu",
    (
        "small_integers",
        "platform",
        "arithmetic",
        "random",
        "memory",
        "plain",
        "pairs",
        "fixed_size_arrays",
        "graph",
        "lists",
        "frontier",
        "run",
        "prefetch",
        "loops",
        "advance",
        "reduce",
        "vote",
        "intersect",
        "sets",
        "edge_frontier",
        "edge_sets",
        "histories",
        "buckets",
        "numbers",
        "near_far",
        "observed_threads",
        "instances",
    ),
    ".hpp",
    "inline",
)


GRAPH_BUILDING_LIBRARY = dataclasses.replace(
    LIBRARY, files=(*LIBRARY.files, INDIRECT_EDGE_IDS, "memory_pool", "made_graphs", "hoisted_graphs", "contraction")
)
"""The same for programs that build graphs."""
CONTRACTED_LIBRARY = dataclasses.replace(GRAPH_BUILDING_LIBRARY, files=(*GRAPH_BUILDING_LIBRARY.files, DIRECT_EDGE_IDS))
"""The same for those whose graphs have all edges."""
_OF_WORKERS = {
    each: dataclasses.replace(each, files=(*each.files, WORKERS))
    for each in (LIBRARY, GRAPH_BUILDING_LIBRARY, CONTRACTED_LIBRARY)
}
"""All three for programs of several workers."""


def generate(plan: Plan, widths: Widths, *, linkage: str = 'extern "C"') -> CppText:
    """The C++ of `plan` for ids of these widths. `linkage` is ``static`` where the caller follows in the same file."""
    helpers = CppHelpers(plan, widths)
    (launch,) = plan.schedule
    assert isinstance(launch, Launch)
    initial, *steps = launch.steps
    context = {
        "plan": plan,
        "cpp": helpers,
        "widths": widths,
        "buffers": data_buffers(plan),
        "hoisted": len(hoisted_graphs(plan)),
        "temporaries": [
            each for each in plan.buffers if each.allocator is Allocator.PROGRAM and isinstance(each.element, Type)
        ],
    }
    host = struct_text("cpu", structs_cpu.with_host_graph() if plan.graphs else structs_cpu.HOST_SLICE, widths)
    part = "program" if plan.bits is None else "instances"
    body = _render(part, context, initial=initial, steps=tuple(steps), linkage=linkage, host_slice=host)
    data = _render("data", context)
    front = _render(
        "front",
        context,
        head=_head(plan, widths),
        undefined=UNDEFINED,
        counts_votes=counts_in_tables(plan),
        has_orders=bool(orders(plan)),
        trace_capacity=TRACE_CAPACITY,
    )
    runtime = _runtime(plan, widths, body, data)
    text = "\n".join([front, "\n\n".join(piece.text for piece in runtime), "", body])
    helpers.names.settle(
        words_of(runtime, front, body),
        functions="\n".join(helpers.functions()),
        schedule=body.rpartition("void run_schedule(")[2],
        structs="\n".join([data, _render("totals", context)]),
    )
    text = number_lines(helpers.names.spell(text), f"{plan.program.name}.cpp")
    parts = graph_parts(plan)
    facts = (
        exchanges_of(plan),
        snapshots_of(plan),
        plan.distribution,
        hoisted_keys(plan, parts),
        hoisted_scalars(plan.program),
    )
    shared_params = plan.bits.shared_params if plan.bits is not None else ()
    return CppText(text, helpers.checks, data_buffers(plan), parts, *facts, shared_params)


def _render(part: str, context: dict[str, object], **more: object) -> str:
    return render("cpu", "program.cpp.j2", part=part, **context, **more)


def _runtime(plan: Plan, widths: Widths, body: str, data: str) -> tuple[Piece, ...]:
    """What the program uses of the runtime, which comes before it."""
    building = GRAPH_BUILDING_LIBRARY if leaves_edges_out(plan) else CONTRACTED_LIBRARY
    library = building if plan.graphs else LIBRARY
    of_graph = structs_cpu.HOST_GRAPH if plan.graphs else structs_cpu.GRAPH_SLICE
    control: tuple[Struct, ...] = (structs_cpu.CONTROL,)
    if plan.target.workers:
        library = _OF_WORKERS[library]
        control = (structs_cpu.WORKERS_CONTROL, structs_cpu.EXCHANGE_CALL)
    if plan.bits is not None:
        control = (*control, structs_cpu.HOST_SLICE)
    shared = (
        of_graph,
        structs_cpu.TRACE_RECORD,
        *control,
        *((structs_cpu.HOISTED_GRAPH,) if hoisted_graphs(plan) else ()),
    )
    generated = {"data_slice": data, **{each.name: struct_text("cpu", each, widths) for each in shared}}
    return library.link(body, generated)


def _head(plan: Plan, widths: Widths) -> tuple[str, ...]:
    program = plan.program
    doc = comment_lines(program.doc)
    title = f"{program.name}: {doc[0]}" if doc else program.name
    title_of_file = f"Generated by gdsl {__version__} from {program.source_name} as C++17 with OpenMP"
    bounds = "" if program.tuning.bounds else ", indices unchecked"
    return (*comment_lines(title), *doc[1:], title_line(f"{title_of_file}; {widths}{bounds}."))
