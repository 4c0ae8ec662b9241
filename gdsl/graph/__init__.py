"""Graphs: the CSR that backends read, and everything that makes, reads, describes and writes one.

- The graph: `graph` is the class, `content` what it holds and answers, `csr` and `lazy_csr` the lists themselves.
- Making one: `opening` takes whatever names or is a graph; an `edge_list` comes from a reader, from `generators`, or
  from another library (`library_graphs`, `sparse_matrices`, `tables`); `transformations` change it, `ordering` sorts
  it.
- Files: `reading` finds the format (`guessed_formats`, `no_graph`) and its reader, one file for each format. Lists
  of edges have the most forms: `edge_list_files` begins with `edge_list_head` and reads rows by `plain_lists` or
  `worded_lists`. Numbers are read by C++ where that pays (`native_text`), all else, and whatever it refuses, by the
  exact reader (`columns`), which knows what is wrong with a line.
- Changes: `changes` and `update_arguments` check them, `updates` keeps a delta beside the CSR, `update_records`
  remembers them for results that go on.
- Workers: `partitioned` reads a graph by parts, `group` lets those that read agree, `shares` is what each of them
  holds.
"""

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
