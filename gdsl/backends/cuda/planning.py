"""From a program to its kernel plan and CUDA text; the compiler is imported when it is first needed."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.graph.graph import Graph
    from gdsl.ir.nodes import Program
    from gdsl.plan.fusion import Pair
    from gdsl.plan.graph_class import GraphClass
    from gdsl.plan.nodes import Plan
    from gdsl.plan.target import Sizes
    from gdsl.types import Widths


def plan_of(
    program: Program,
    sizes: Sizes | None = None,
    *,
    verify: bool = True,
    teams: bool = False,
    several_gpus: bool = False,
    lanes: bool = False,
    workers: bool = False,
    instances: int = 0,
    graph: GraphClass | None = None,
    after: str | None = None,
) -> Plan:
    """The kernel plan of `program` (annotated, before `gdsl.passes`). `verify` is False where it was verified before.
    `teams`: the form that teams of blocks run. `several_gpus`: the form of a fused program that several GPUs run
    together; with `lanes` each of them writes a lane of the trace. `workers`: the form that workers with a GPU each run
    together. `instances`: the form that teams of blocks run for so many words of values at a time; without `bits` the
    program has none. `graph`: the graphs that it is built for, by default any. `after`: the plan after the pass of that
    name, not verified."""
    from gdsl.operations import Balance
    from gdsl.passes import ir_passes
    from gdsl.plan import load_balance, target, work_order
    from gdsl.plan.build import build
    from gdsl.plan.graph_class import GENERAL

    graph = GENERAL if graph is None else graph
    ordered = work_order.is_ordered(program, graph)
    program = ir_passes.apply(program, ir_passes.GPU, verify=verify)
    balanced = any(knobs.balance is not Balance.AUTO for knobs in program.tuning.sites)
    balanced |= graph.host_lists and load_balance.reads_whole_lines(program)
    on = target.cuda(program.tuning.fuse, balanced, ordered)
    if workers:
        return build(program, target.CUDA_WORKERS, sizes, verify=verify, after=after)
    if instances:
        on = target.in_instances(target.CUDA_FUSED, instances)
        return build(program, on, sizes, verify=verify, graph=graph, after=after)
    if several_gpus:
        on = target.on_several_gpus(on, lanes)
    return build(program, target.in_teams(on) if teams else on, sizes, graph=graph, verify=verify, after=after)


def require_fused(program: Program) -> None:
    """Raise E0923 if the program has no form for several GPUs."""
    if program.tuning.fuse:
        return
    from gdsl.diagnostics import GdslError

    raise GdslError.single(
        "E0923",
        f"{program.name} has a kernel for each step (schedule.fuse=off), and each of several GPUs runs one kernel",
        fix="leave out --fuse off and schedule.fuse=off, or run on one GPU",
    )


def require_no_graphs(program: Program) -> None:
    """Raise E0811 if the program has no form for workers with a GPU each: it makes graphs."""
    if not program.graphs:
        return
    from gdsl.diagnostics import GdslError
    from gdsl.ir.nodes import GraphStep
    from gdsl.ir.traversal import all_steps

    steps = (step for step in all_steps(program.schedule) if isinstance(step, GraphStep))
    first = next(steps, None)
    raise GdslError.single(
        "E0811",
        f"{program.name} makes a graph here, which workers with GPUs cannot do",
        program.span if first is None else first.span,
        fix="leave out --backend cuda (from Python backend='cuda'): workers with the cpu backend can",
    )


def class_on(program: Program, graph: Graph, largest_degree: int | None = None, room: int | None = None) -> GraphClass:
    """The class of `graph`, as far as it matters to `program`, on a large GPU, or one with this `room` for a block.
    `largest_degree`: of the graph, where it is known."""
    from gdsl.backends.cuda.degree_order import ends_at_hubs
    from gdsl.backends.cuda.memory import largest_degree_of
    from gdsl.plan import heuristics

    largest = largest_degree_of(graph) if largest_degree is None else largest_degree
    counts = graph.num_vertices, graph.num_edges, largest
    room = heuristics.ALL if room is None else room
    return heuristics.class_for(program, *counts, room, partial(ends_at_hubs, graph))


def neighbors_of(program: Program) -> tuple[Pair, ...]:
    """Pairs of consecutive operators of `program` (annotated, before `gdsl.passes`), and whether they share a sweep."""
    from gdsl.passes import ir_passes
    from gdsl.plan import target
    from gdsl.plan.build import neighbors

    return neighbors(ir_passes.apply(program), target.cuda(program.tuning.fuse))


def source_text(program: Program, ids: int | Widths, graph: GraphClass | None = None) -> str:
    """The CUDA C++ of `program` for ids of these widths and graphs of this class, by default any."""
    from gdsl.codegen.cuda.generate import generate
    from gdsl.types import Widths

    widths = Widths.both(ids)
    return generate(plan_of(program, graph=graph), widths).text


_LEAST_FOR_WIDE_PAIRS = 90
"""The compute capability, times ten, with a compare-and-swap of 128 bits."""


def check_wide_pairs(plan: Plan, widths: Widths, architecture: str) -> None:
    """Raise E0908 if the plan needs a compare-and-swap that `architecture` (such as ``sm_80``) does not have."""
    from gdsl.diagnostics import GdslError
    from gdsl.plan.buffers import exchanged_pairs

    number = re.search(r"\d+", architecture)
    if number is None or int(number[0]) >= _LEAST_FOR_WIDE_PAIRS:
        return
    for data in exchanged_pairs(plan, widths):
        message = f"{architecture} cannot update the pairs of `{data.name}`, {data.type.name}, which take 128 bits each"
        fix = (
            "make both parts 32 bits wide (of a type parameter by -t, such as -t weight_type=int32), or run it on the "
            "cpu backend or on a GPU of compute capability 9.0 or above"
        )
        raise GdslError.single("E0908", message, data.span, fix=fix)
