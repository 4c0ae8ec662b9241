"""The runtime's functions that share the edges of the members out."""

from __future__ import annotations

from gdsl.operations import Balance

PUSHES = {
    Balance.THREAD: "push_threads",
    Balance.WARP: "push_each_warp",
    Balance.BLOCK: "push_blocks",
    Balance.MERGE: "push_merge",
    Balance.BINS: "push_bins",
    Balance.EDGES: "push_edges",
    Balance.AUTO: "push_warps",
}
REDUCES = {
    Balance.THREAD: "reduce_threads",
    Balance.WARP: "reduce_each_warp",
    Balance.BLOCK: "reduce_blocks",
    Balance.MERGE: "reduce_merge",
    Balance.BINS: "reduce_bins",
    Balance.EDGES: "reduce_by_edges",
    Balance.AUTO: "reduce_warps",
}
