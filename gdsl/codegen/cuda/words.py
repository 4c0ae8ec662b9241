"""What operators call lists, and numbers that the device counts."""

from __future__ import annotations

from gdsl.operations import Over
from gdsl.plan.nodes import EdgeCount, Measure

EDGE = "vertex near, vertex far, edge at"
"""The parameters of a visit of an edge: `at` is its place in the lists that are walked. A vertex has ``vertex v``."""
LISTS = {Over.OUT_EDGES: "out_lists{d.graph}", Over.IN_EDGES: "in_lists{d.graph}"}
COUNTED: dict[Over | None, str] = {
    None: "uncounted()",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_lists{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}
LISTED = "listed"
"""What the list of a loop's worklist is called, where that has few members."""
MEASURES = {
    Measure.SIZE: "input.size",
    Measure.EDGES: "input.edges",
    Measure.UNVISITED: "direction.unvisited",
    Measure.VERTICES: "uint64(d.graph.num_vertices)",
}
EDGES = {
    EdgeCount.NONE: "0",
    EdgeCount.ALL: "uint64(d.graph.num_edges)",
    EdgeCount.BOTH_LISTS: "2 * uint64(d.graph.num_edges)",
    EdgeCount.CARRIED: "input.edges",
    EdgeCount.MEMBERS: "size",
    EdgeCount.WALKED: "load_relaxed(&run.counters()->visited)",
}
