"""Decides which pushes walk the lists a thread a member where the graph has short ones alone (cuda).

A warp shares the edges of its members out, so that no thread waits for a long list of another one. Where all lists
of a graph are short (`Sizes.short_list`; roads, meshes) there is nothing to share, and labels that are hooked by
edges side by side are read before any of these has changed them: many are hooked in vain, at the same roots. A
thread that goes through its own list sees with each edge what the former one has done: strong components on a road
network take a quarter less time. Few members are shared out all the same, and so is what changes elements of the
edge's own ends alone, which gains nothing by it (an independent set lost 2 percent).

What collects or reads ahead has the text of its visit once; two of them would be twice as much to keep.
"""

from __future__ import annotations

from gdsl.ir.nodes import Program
from gdsl.operations import Balance
from gdsl.plan.sweep_nodes import Sweep
from gdsl.plan.variants import combines_at_data


def walks_short_lists_alone(sweep: Sweep, program: Program) -> bool:
    """Whether a push on a grid asks for the longest list of the graph."""
    pushes = bool(sweep.walks) and sweep.selection is None and sweep.segment is None and sweep.vote is None
    shares = sweep.balance is Balance.AUTO and sweep.order is None and sweep.skips is None
    if not pushes or not shares or sweep.collect is not None:
        return False
    functors = {functor.name: functor for functor in program.edge_functors}
    once = all(walk.by_one is None and walk.early is None for walk in sweep.walks)
    return once and all(combines_at_data(functors[walk.variant.functor], walk.variant) for walk in sweep.walks)
