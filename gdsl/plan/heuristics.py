"""Chooses the class of graphs for which a program's plan is built (cuda): the facts that make a difference to it.

- A worklist in any order is processed from near to far on narrow graphs, with buckets on bounded ones, and on other
  graphs after a run has visited edges too often (`work_order`), without lists of few members if it did so in wide
  passes. Forests are such others: where one way leads to each
  vertex, no order has less to do. From near to far, blocks have one size.
- Monotone loops keep bounds of hubs in each block's shared memory on graphs of hubs, if the GPU has enough, and if
  enough edges lead to hubs (`block_cache`).
- Searches use blocks of NARROW_BLOCK threads on deep graphs. Their frontiers are small, so every level is a chain of
  dependent memory accesses; besides these, warps wait only for each other. With fewer warps there is less contention
  for counters and barriers, and each thread may have more registers. Large frontiers need more warps to hide the
  latency of memory, so programs whose first frontier is all vertices (k_core, louvain) do not depend on this fact.
- Reductions share equal numbers of edges if edge lists are in host memory (`load_balance`).
- Sweeps over all vertices prefetch for the next ones on large graphs of short lists (`prefetch`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from gdsl.ir.nodes import Program
from gdsl.ir.worklists import worklist_loops
from gdsl.operations import Order
from gdsl.plan import block_cache, load_balance, needless_tests, prefetch, work_order
from gdsl.plan.block_cache import BOUNDS_BLOCK
from gdsl.plan.graph_class import FACTS, GENERAL, GraphClass, class_of, is_forest, measure
from gdsl.plan.occupancy import NARROW_BLOCK, begins_with_all, searches
from gdsl.plan.target import CUDA_FUSED

_DECIDING = ("revisited", "bounded", "narrow", "hubs", "deep")
"""What decides the order, the bounds or the blocks, the first that holds."""
HUB_ENDS = 0.33
"""Part of all edges that must lead to vertices with a bound: each of these spares a look at a value, while blocks are
larger, and fewer, for the bounds."""
ALL = 1 << 30
"""Bytes of a multiprocessor's own memory, where a program is to be as large as it may be."""


def depends_on_graph(program: Program) -> bool:
    """Whether there is a class of graphs for which the plan differs. `program` as in `class_for`."""
    return bool(effects_of_graph(program))


def effects_of_graph(program: Program) -> dict[str, str]:
    """By fact about a graph, how the plan differs where it holds."""
    ordered, over_buckets = work_order.has_choice(program), bool(worklist_loops(program))
    effects = {
        "revisited": ("from near to far", work_order.observed_loop(program) is not None),
        "wide-passes": ("without lists of few members", work_order.observed_loop(program) is not None),
        "bounded": _effect_of_bounds(program, ordered and over_buckets),
        "narrow": ("from near to far", ordered and not over_buckets),
        "deep": (f"{NARROW_BLOCK} threads per block", not ordered and _depends_on_depth(program)),
        "short-lists": _effect_of_short_lists(program),
        "hubs": (f"{BOUNDS_BLOCK} threads per block, which keep bounds of values", block_cache.could_bound(program)),
    }
    return {fact: effect for fact, (effect, holds) in effects.items() if holds}


def _effect_of_bounds(program: Program, orders: bool) -> tuple[str, bool]:
    stores = needless_tests.could_leave_out(program)
    return "from near to far" if orders else "whose pushes have no needless tests", orders or stores


def _effect_of_short_lists(program: Program) -> tuple[str, bool]:
    prefetches, pushes = prefetch.could_prefetch_rows(program), needless_tests.could_leave_out(program)
    words = ["prefetches what the next vertices need"] * prefetches + ["pushes where others may pull"] * pushes
    return f"which {' and '.join(words)}", prefetches or pushes


def _depends_on_depth(program: Program) -> bool:
    """Whether searches of `program` have smaller blocks, and what goes with them, on deep graphs."""
    tuning = program.tuning
    return tuning.fuse and tuning.order is not Order.NEAR_FAR and searches(program) and not begins_with_all(program)


def in_host(program: Program, graph: GraphClass) -> GraphClass:
    """The class `graph` for runs with edge lists in the memory of the host, if that matters to `program`."""
    return dataclasses.replace(graph, host_lists=load_balance.reads_whole_lines(program))


def class_for(
    program: Program,
    num_vertices: int,
    num_edges: int,
    largest_degree: int,
    room: int = ALL,
    at_hubs: Callable[[int], float] = lambda places: 1.0,
) -> GraphClass:
    """The class of a graph with so many vertices and stored edges, as far as it matters to `program` (annotated, before
    `gdsl.passes`). `room`: bytes of a multiprocessor's own memory that a block may have; `at_hubs`: the part of all
    edges that lead to vertices with a bound, if there are so many places for bounds, which takes time to find out."""
    if not depends_on_graph(program):
        return GENERAL
    measured = measure(num_vertices, num_edges, largest_degree)
    if is_forest(num_vertices, num_edges) and work_order.has_choice(program):
        measured = dataclasses.replace(measured, narrow=False, deep=False)
    if not block_cache.has_room(CUDA_FUSED.sizes, room, num_vertices):
        measured = dataclasses.replace(measured, hubs=False)
    found = relevant(program, measured)
    if found.hubs and at_hubs(1 << CUDA_FUSED.sizes.bound_bits) < HUB_ENDS:
        found = relevant(program, dataclasses.replace(measured, hubs=False))
    return found


def relevant(program: Program, graph: GraphClass) -> GraphClass:
    """The facts of a class of graphs that make a difference to `program`: of those that decide the order, the bounds or
    the blocks, one at most."""
    effects, holding = effects_of_graph(program), {fact for fact in FACTS if graph.has(fact)}
    beside = {"short-lists", "wide-passes"} | ({"bounded"} if effects.get("bounded") != "from near to far" else set())
    deciding = [fact for fact in _DECIDING if fact in effects and fact in holding and fact not in beside][:1]
    facts = class_of([*deciding, *(beside & effects.keys() & holding)])
    return in_host(program, facts) if graph.host_lists else facts
