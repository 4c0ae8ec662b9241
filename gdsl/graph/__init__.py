"""Graphs: the CSR that backends read, and everything that makes, reads, describes and writes one."""

from gdsl.graph.description import GraphInfo, describe, unused_ids
from gdsl.graph.generators import looks_like_generator
from gdsl.graph.graph import Graph
from gdsl.graph.opening import as_graph, generate, grid, open_graph, rmat, uniform
from gdsl.graph.transformations import GraphOptions
from gdsl.graph.writing import write

__all__ = [
    "Graph",
    "GraphInfo",
    "GraphOptions",
    "as_graph",
    "describe",
    "generate",
    "grid",
    "looks_like_generator",
    "open_graph",
    "rmat",
    "uniform",
    "unused_ids",
    "write",
]
