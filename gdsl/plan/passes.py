"""The passes of the plan, in order; nothing but the lists.

`lower` builds the plainest correct plan. Every pass after it takes a plan and returns a better one, and those that
`may_be_left_out` can be: `gdslc compile PROGRAM --emit plan --without fusion` shows the plan without one of them,
`--after fusion` the plan as it is when that pass has run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gdsl.ir.nodes import Program
from gdsl.plan import (
    bit_parallel,
    block_cache,
    buffers,
    cpu_threads,
    deduplication,
    direction,
    distribution,
    far_values,
    followers,
    frontier_form,
    fusion,
    gathering,
    hoisted_graphs,
    in_place,
    initial_values,
    label_copies,
    lane_loops,
    launches,
    list_bounds,
    load_balance,
    local_rounds,
    merges,
    mirrors,
    narrow_arrays,
    needless_tests,
    occupancy,
    own_members,
    own_queues,
    prefetch,
    proposals,
    renumbering,
    replicas,
    sending,
    small_frontiers,
    solo_rounds,
    storage,
    synchronization,
    teams,
    work_order,
    write_modes,
)
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Plan
from gdsl.plan.target import Target

PROGRAM_PASSES: tuple[tuple[str, Callable[[Program, Target], Program]], ...] = (
    ("followers", followers.run),
    ("direction", sending.run),
    ("direction", gathering.run),
    ("far_values", far_values.run),
    ("distribution", own_members.run),
)
"""Two passes, and the parts of two others, that are written in operators, and so run before `lower`."""
LOWER = "lower"
"""The name of what comes before all passes."""


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass. `run`: from plan to plan, with the facts that passes share. `may_be_left_out`: whether the plan is
    complete and correct without it."""

    name: str
    run: Callable[[Plan, Facts], Plan]
    may_be_left_out: bool = True


PLAN_PASSES: tuple[Pass, ...] = (
    Pass("narrow_arrays", narrow_arrays.run),
    Pass("initial_values", initial_values.run),
    Pass("hoist_graphs", hoisted_graphs.run),
    Pass("direction", direction.run),
    Pass("work_order", work_order.run),
    Pass("list_bounds", list_bounds.run),
    Pass("deduplication", deduplication.run),
    Pass("needless_tests", needless_tests.run),
    Pass("load_balance", load_balance.run),
    Pass("frontier_form", frontier_form.run),
    Pass("write_modes", write_modes.run),
    Pass("cpu_threads", cpu_threads.run),
    Pass("lane_loops", lane_loops.run),
    Pass("in_place", in_place.run),
    Pass("fusion", fusion.run),
    Pass("complement_tests", frontier_form.with_complement_tests),
    Pass("storage", storage.run),
    Pass("launches", launches.run, may_be_left_out=False),
    Pass("distribution", distribution.run, may_be_left_out=False),
    Pass("synchronization", synchronization.run),
    Pass("prefetch", prefetch.run),
    Pass("block_cache", block_cache.run),
    Pass("local_rounds", local_rounds.run),
    Pass("small_frontiers", small_frontiers.run),
    Pass("mirrors", mirrors.run),
    Pass("merges", merges.run),
    Pass("proposals", proposals.run),
    Pass("label_copies", label_copies.run),
    Pass("replicas", replicas.run),
    Pass("own_queues", own_queues.run),
    Pass("solo_rounds", solo_rounds.run),
    Pass("occupancy", occupancy.run),
    Pass("allocate", buffers.run, may_be_left_out=False),
    Pass("vertex_order", renumbering.run),
    Pass("bit_parallel", bit_parallel.run),
    Pass("batch", teams.run, may_be_left_out=False),
)
OPTIONAL = ("followers", "far_values", *(each.name for each in PLAN_PASSES if each.may_be_left_out))
"""The names of the passes that can be left out."""
