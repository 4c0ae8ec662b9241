"""Graphs: the CSR that backends read, and everything that makes, reads, describes and writes one."""

from gdsl.graph.graph import Graph

__all__ = ["Graph"]
