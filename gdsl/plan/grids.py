"""Decides how many blocks a multiprocessor is given, which is known once the graph is.

Every block waits for every other at each barrier, which takes the longer the more there are: 0.95 microseconds with one
a multiprocessor of an H200, 1.75 with four. Many are worth it where steps wait for memory. A search on a graph of few
edges a vertex and no long lists (roads, meshes) is a long row of small frontiers, which few blocks walk as fast.
"""

from __future__ import annotations

from gdsl.ir.nodes import Advance, Program, Repeat, While
from gdsl.ir.traversal import walk
from gdsl.plan.nodes import Plan

MANY = 4
FEW = 1
EDGES_A_VERTEX = 6
LONG_LIST = 512
"""A graph with fewer, and no longer list, is taken for one on which searches are narrow."""


def blocks_a_multiprocessor(plan: Plan, num_vertices: int, num_edges: int, largest_degree: int) -> int:
    """At most so many; one kernel for the whole schedule is what waits for itself."""
    narrow = is_narrow(num_vertices, num_edges, largest_degree)
    return FEW if narrow and plan.target.fused and searches(plan.program) else MANY


def is_narrow(num_vertices: int, num_edges: int, largest_degree: int) -> bool:
    """Whether searches on a graph go through many small frontiers."""
    return num_edges < EDGES_A_VERTEX * num_vertices and largest_degree < LONG_LIST


def searches(program: Program) -> bool:
    """Whether a loop goes from frontier to frontier along edges."""
    loops = (node for node in walk(program.schedule) if isinstance(node, (While, Repeat)))
    return any(isinstance(node, Advance) and node.result is not None for loop in loops for node in walk(loop.body))
