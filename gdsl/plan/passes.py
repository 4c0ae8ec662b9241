"""The passes of the plan, in order; nothing but the lists.

`lower` builds the plainest correct plan. Every pass after it takes a plan and returns a better one. Most can be left
out (`gdsl.knobs.OPTIONAL_PASSES`; the command line needs the names without the passes): `gdslc compile PROGRAM --emit
plan --without fusion` shows the plan without one of them, `--after fusion` the plan as it is when that pass has run.
"""

from __future__ import annotations

from collections.abc import Callable

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
    hoisted_scalars,
    in_place,
    initial_values,
    label_copies,
    lane_loops,
    late_chunks,
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
    read_elements,
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
    ("hoist_scalars", hoisted_scalars.run),
    ("read_elements", read_elements.run),
    ("followers", followers.run),
    ("direction", sending.run),
    ("direction", gathering.run),
    ("far_values", far_values.run),
    ("distribution", own_members.run),
)
"""Four passes, and the parts of two others, that are written in operators, and so run before `lower`."""
LOWER = "lower"
"""The name of what comes before all passes."""


PLAN_PASSES: tuple[tuple[str, Callable[[Plan, Facts], Plan]], ...] = (
    ("narrow_arrays", narrow_arrays.run),
    ("initial_values", initial_values.run),
    ("hoist_graphs", hoisted_graphs.run),
    ("direction", direction.run),
    ("work_order", work_order.run),
    ("list_bounds", list_bounds.run),
    ("deduplication", deduplication.run),
    ("needless_tests", needless_tests.run),
    ("load_balance", load_balance.run),
    ("frontier_form", frontier_form.run),
    ("write_modes", write_modes.run),
    ("cpu_threads", cpu_threads.run),
    ("lane_loops", lane_loops.run),
    ("in_place", in_place.run),
    ("fusion", fusion.run),
    ("complement_tests", frontier_form.with_complement_tests),
    ("storage", storage.run),
    ("launches", launches.run),
    ("distribution", distribution.run),
    ("synchronization", synchronization.run),
    ("prefetch", prefetch.run),
    ("block_cache", block_cache.run),
    ("local_rounds", local_rounds.run),
    ("small_frontiers", small_frontiers.run),
    ("mirrors", mirrors.run),
    ("merges", merges.run),
    ("proposals", proposals.run),
    ("label_copies", label_copies.run),
    ("replicas", replicas.run),
    ("own_queues", own_queues.run),
    ("solo_rounds", solo_rounds.run),
    ("late_chunks", late_chunks.run),
    ("occupancy", occupancy.run),
    ("allocate", buffers.run),
    ("vertex_order", renumbering.run),
    ("bit_parallel", bit_parallel.run),
    ("batch", teams.run),
)
"""The others: each takes a plan and the facts that passes share, and returns a better plan."""
