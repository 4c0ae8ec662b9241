"""Decides how many blocks a multiprocessor is given, which is known once the graph is.

Every block waits for every other at each barrier, which takes the longer the more there are: 0.95 microseconds with one
a multiprocessor of an H200, 1.75 with four. Many are worth it where steps wait for memory. A search on a graph of few
edges a vertex and no long lists (roads, meshes) is a long row of small frontiers, which few blocks walk as fast.
"""

from __future__ import annotations

from gdsl.ir.nodes import Advance, Compute, NeighborReduce, Operator, Program
from gdsl.ir.traversal import walk
from gdsl.plan.nodes import Loop, Operation, Plan, Step
from gdsl.plan.walking import steps_in

MANY = 4
FEW = 1
EDGES_A_VERTEX = 6
LONG_LIST = 512
"""A graph with fewer, and no longer list, is taken for one on which searches are narrow."""


def only_sweeps(program: Program) -> bool:
    """Whether all that the schedule runs goes over all vertices or edges, reductions over neighbours among it.

    Such steps wait for memory alone, the less the more threads there are, so that registers are left for four blocks of
    512 threads a multiprocessor, even where a few are spilled for that. Results do not depend on it.
    """
    steps = [node for node in walk(program.schedule) if isinstance(node, Operator)]
    sweeping = all(isinstance(step, (Compute, NeighborReduce)) and step.frontier.everything for step in steps)
    return sweeping and any(isinstance(step, NeighborReduce) for step in steps)


def blocks_a_multiprocessor(plan: Plan, num_vertices: int, num_edges: int, largest_degree: int) -> int:
    """At most so many; one kernel for the whole schedule is what waits for itself."""
    narrow = is_narrow(num_vertices, num_edges, largest_degree)
    return FEW if narrow and plan.target.fused and _searches(plan) else MANY


def is_narrow(num_vertices: int, num_edges: int, largest_degree: int) -> bool:
    """Whether searches on a graph go through many small frontiers."""
    return num_edges < EDGES_A_VERTEX * num_vertices and largest_degree < LONG_LIST


def _searches(plan: Plan) -> bool:
    """Whether a loop goes from frontier to frontier along edges."""
    return any(_advances(step.body) for step in steps_in(plan.schedule) if isinstance(step, Loop))


def _advances(steps: tuple[Step, ...]) -> bool:
    advances = (step.step for step in steps_in(steps) if isinstance(step, Operation))
    return any(isinstance(step, Advance) and step.result is not None for step in advances)
