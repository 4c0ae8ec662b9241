"""Decides how many blocks a multiprocessor is given, which is known once the graph is.

Every block waits for every other at each barrier, which takes the longer the more there are: 0.95 microseconds with one
a multiprocessor of an H200, 1.75 with four. Many are worth it where steps wait for memory. A search on a graph of few
edges a vertex and no long lists (roads, meshes) is a long row of small frontiers, which few blocks walk as fast.
"""

from __future__ import annotations

from gdsl.ir.nodes import Advance
from gdsl.plan.nodes import Loop, Operation, Plan, Step, Sweep
from gdsl.plan.walking import steps_in, sweeps_of

SEARCHING = 1024
"""Threads of a multiprocessor that a kernel with sets of vertices or edges leaves registers for."""
STREAMED = 1536
"""Threads of a multiprocessor that wait for memory side by side, where that is all that they do."""
MANY = 4
FEW = 1
EDGES_A_VERTEX = 6
LONG_LIST = 512
"""A graph with fewer, and no longer list, is taken for one on which searches are narrow."""


def blocks_a_multiprocessor(plan: Plan, num_vertices: int, num_edges: int, largest_degree: int) -> int:
    """At most so many; one kernel for the whole schedule is what waits for itself."""
    narrow = is_narrow(num_vertices, num_edges, largest_degree)
    return FEW if narrow and plan.target.fused and _searches(plan) else MANY


def resident_threads(plan: Plan) -> int | None:
    """How many threads of one multiprocessor the kernels leave registers for; None: as the compiler sees fit.

    What only goes over values and reduces lists, again and again, waits for memory, and keeps little meanwhile but
    where data lie, of which some may be spilled.

    Kernels with sets the compiler, left to itself, gives 64 registers a thread, or 40, and spills some for a block more
    that is of little use to them; a small change of the text decides which. Told that two blocks of 512 threads shall
    fit, it takes the 64 that this leaves and spills less, or nothing. Nothing but speed hangs on any of this: how many
    blocks really fit is asked of the driver."""
    own = plan.target.resident_threads
    if own is not None or not plan.target.fused:
        return own
    if plan.graphs:
        return SEARCHING if plan.frontiers else None
    loops = [step for step in steps_in(plan.schedule) if isinstance(step, Loop)]
    again = [sweep for loop in loops for step in steps_in(loop.body) for sweep in _sweeps(step)]
    reduces = any(sweep.segment is not None for sweep in again)
    if reduces and all(map(_streams, again)):
        return STREAMED
    return SEARCHING if plan.frontiers else None


def _sweeps(step: Step) -> tuple[Sweep, ...]:
    return sweeps_of(step) if isinstance(step, Operation) else ()


def _streams(sweep: Sweep) -> bool:
    """Whether a sweep keeps nothing but values: no set, no votes, no table."""
    return sweep.collect is None and (sweep.segment is not None or sweep.own is not None)


def is_narrow(num_vertices: int, num_edges: int, largest_degree: int) -> bool:
    """Whether searches on a graph go through many small frontiers."""
    return num_edges < EDGES_A_VERTEX * num_vertices and largest_degree < LONG_LIST


def _searches(plan: Plan) -> bool:
    """Whether a loop goes from frontier to frontier along edges."""
    return any(_advances(step.body) for step in steps_in(plan.schedule) if isinstance(step, Loop))


def _advances(steps: tuple[Step, ...]) -> bool:
    advances = (step.step for step in steps_in(steps) if isinstance(step, Operation))
    return any(isinstance(step, Advance) and step.result is not None for step in advances)
