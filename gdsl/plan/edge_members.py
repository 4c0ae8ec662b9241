"""Decides which sets of named edges ask whether the graph around has these edges.

An edge of a subgraph keeps its id, so that an id below the bound may be that of an edge that was left out. Of a
contraction's edges the bound alone says it.
"""

from __future__ import annotations

from gdsl.ir.nodes import DefineFrontier, Program, Subgraph
from gdsl.ir.traversal import walk
from gdsl.operations import Domain


def may_be_left_out(step: DefineFrontier, program: Program) -> bool:
    """Whether a member may be the id of an edge that the graph around does not have."""
    if step.domain is not Domain.EDGE or not step.members:
        return False
    return any(isinstance(node, Subgraph) for node in walk(program.schedule))
