"""The runtime library of the generated CUDA."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from gdsl.codegen.library import (
    BOTH_SIDES,
    DIRECT_EDGE_IDS,
    GPU_LANES,
    INDIRECT_EDGE_IDS,
    SEVERAL_GPUS,
    SOLO_ROUNDS,
    TEAMS,
    Library,
    Piece,
)

FILES = (
    "small_integers",
    "platform",
    "arithmetic",
    "random",
    "memory",
    "plain",
    "pairs",
    "fixed_size_arrays",
    "enactor",
    "barriers",
    "stops",
    "progress",
    "places",
    "warp",
    "edges",
    "lists",
    "frontier",
    "edge_frontier",
    "edge_sets",
    "loops",
    "lane_loops",
    "sets",
    "results",
    "push",
    "local_rounds",
    "mirrors",
    "merges",
    "proposals",
    "labels",
    "replicas",
    "own_queues",
    "pull",
    "reduce",
    "vote",
    "vote_parts",
    "vote_registers",
    "vote_tables",
    "vote_winners",
    "balance",
    "balanced_reductions",
    "intersect",
    "histories",
    "buckets",
    "ranks",
    "near_far",
    "small_frontiers",
    "revisits",
    "hub_bounds",
    "numbers",
    "instances",
    "instance_advances",
)
PLATFORM = "small_integers", "platform"
_OF_ONE, _OF_SEVERAL = "one_gpu.words", "several_gpus.words"
"""The runtime is written for a grid: all blocks of a run. On one GPU these are the blocks of one launch, and CUDA's
device scope reaches them; on several GPUs they are numbered over all launches, and only system scope does."""
LIBRARY = Library("cuda", FILES, ".cuh", "__device__ __forceinline__", _OF_ONE)


_BUILDING = ("sorting", "made_graphs", "contracted_lists", "combined_edges", "contraction")
GRAPH_BUILDING_LIBRARY = dataclasses.replace(LIBRARY, files=(*FILES, INDIRECT_EDGE_IDS, *_BUILDING))
"""The same for programs that make graphs."""


CONTRACTED_LIBRARY = dataclasses.replace(GRAPH_BUILDING_LIBRARY, files=(*GRAPH_BUILDING_LIBRARY.files, DIRECT_EDGE_IDS))
"""The same where none of them leaves out edges of another."""


TEAMS_LIBRARY = dataclasses.replace(LIBRARY, files=(*FILES, *TEAMS))
"""The same for programs that teams of blocks run."""


def on_several_gpus(library: Library) -> Library:
    """`library` for a text that runs on several GPUs at the same time."""
    return dataclasses.replace(library, files=(*library.files, SEVERAL_GPUS), words=_OF_SEVERAL)


def with_solo_rounds(library: Library) -> Library:
    """`library` for several GPUs of which the first runs small passes of some loops alone."""
    return dataclasses.replace(library, files=(*library.files, SOLO_ROUNDS))


def with_lanes(library: Library) -> Library:
    """`library`, of which each of several GPUs writes a lane of the trace."""
    return dataclasses.replace(library, files=(*library.files, GPU_LANES))


def on_both_sides(library: Library) -> Library:
    """`library` for a text that is compiled for the host as well as for the device."""
    return dataclasses.replace(library, files=(*library.files, BOTH_SIDES))


def pieces() -> tuple[Piece, ...]:
    """Every piece of the library, in the order of `FILES`."""
    return LIBRARY.pieces


def link(text: str, generated: Mapping[str, str], library: Library = LIBRARY) -> tuple[list[str], list[str]]:
    """What `text` needs, as `Library.link` finds it: (the pieces of the platform, all others)."""
    linked = library.link(text, generated)
    platform = [piece.text for piece in linked if piece.file in PLATFORM]
    return platform, [piece.text for piece in linked if piece.file not in PLATFORM]
