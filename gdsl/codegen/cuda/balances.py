"""The runtime's functions that share the edges of the members out, and what comes between two calls."""

from __future__ import annotations

from gdsl.operations import Balance
from gdsl.plan.sweep_nodes import Warps

REDUCES = {
    Balance.THREAD: "reduce_threads",
    Balance.WARP: "reduce_each_warp",
    Balance.BLOCK: "reduce_blocks",
    Balance.MERGE: "reduce_merge",
    Balance.BINS: "reduce_bins",
    Balance.EDGES: "reduce_by_edges",
    Balance.AUTO: "reduce_warps",
}
WARPS = {Warps.ALL: (), Warps.FIRST: ("first_warps",), Warps.LAST: ("last_warps",)}
"""What says so where not all warps take a few members."""
WAIT = "synchronize(run);"
