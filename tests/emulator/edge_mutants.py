"""Deliberate mistakes where sets of edges are made and used; see `mutants`."""

from __future__ import annotations

from .mutants import GENERATED, SPREAD, Mutant

_EDGES = "runtime/edge_frontier.cuh"

BOTH_ENDS = (
    SPREAD.replace("frontier f = { source };", "edge frontier e;")
    .replace("f = advance(f, any_edge);", "e = advance(vertices, any_edge, to=edges, over=all_edges);")
    .replace("size(f)", "size(e)")
)
"""Every edge comes up from both of its ends, again and again."""
FORWARD = (
    SPREAD.replace("frontier f = { source };", "edge frontier e = advance({ source }, any_edge, to=edges);")
    .replace("f = advance(f, any_edge);", "e = advance(e, any_edge, to=edges);")
    .replace("size(f)", "size(e)")
)
BACKWARD = FORWARD.replace("to=edges", "to=edges, over=in_edges")

EDGE_MUTANTS = (
    Mutant(
        "edges are not marked",
        _EDGES,
        "(load_relaxed(word) & bit) == 0 && (atomicOr_grid(word, bit) & bit) == 0",
        "(atomicOr_grid(word, bit) | bit) != 0",
        BOTH_ENDS,
        "bounds result",
    ),
    Mutant(
        "marks of edges stay",
        _EDGES,
        "store_relaxed(&marks[result.queue[i] / 32], 0u);",
        "",
        BOTH_ENDS,
        "result",
    ),
    Mutant(
        "edges that wait in a warp are lost",
        _EDGES,
        "if (amount == STAGED) { staged[lane] = rest; }",
        "",
        FORWARD,
        "result bounds",
    ),
    Mutant(
        "a far end for every edge",
        _EDGES,
        "active && mark(marks, far)",
        "active",
        FORWARD,
        "bounds result",
    ),
    Mutant(
        "places of in-edges for their ids",
        GENERATED,
        "accepted ? in_lists{d.graph}.id(at) : NO_EDGE",
        "at",
        BACKWARD,
        "result",
    ),
    Mutant(
        "no barrier after edges",
        _EDGES,
        "synchronize_and_read(run, &run.counters()->accepted)",
        "load_relaxed(&run.counters()->accepted)",
        FORWARD,
        "race result stale bounds",
    ),
    Mutant(
        "no barrier after a copy of edges",
        _EDGES,
        "    result.size = other.size;\n    synchronize(run);",
        "    result.size = other.size;",
        FORWARD.replace("reached += size(e);", "edge frontier kept = e; e = filter(kept, any_edge);"),
        "race result bounds",
    ),
)
