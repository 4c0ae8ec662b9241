"""A limit of the work that the rules do: each operator is looked at with all that its functor does."""

from __future__ import annotations

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.source import Source

MOST_NODES = 400_000
"""Nodes of all functors, each as often as operators run it: some 50,000 statements, which take several seconds."""


def check_size(program: nodes.Program, source: Source) -> None:
    """Raise GdslError (E0244) where operators run functors that are too long for their number."""
    listed: tuple[nodes.VertexFunctor | nodes.EdgeFunctor | nodes.VoteFunctor, ...]
    listed = (*program.vertex_functors, *program.edge_functors, *program.vote_functors)
    sizes = {functor.name: sum(1 for _ in walk(functor)) for functor in listed}
    total = 0
    for node in walk(program.schedule):
        if isinstance(node, nodes.Operator) and node.functor is not None:
            total += sizes.get(node.functor, 0)
            if total > MOST_NODES:
                limit = f"{MOST_NODES:,} names, numbers and operations"
                message = f"the functors of all operators up to this one have more than {limit}"
                note = "a functor counts as often as operators run it"
                fix = "call them in a loop, or do less in each functor"
                raise GdslError.single("E0244", message, node.span, source, notes=(note,), fix=fix)
