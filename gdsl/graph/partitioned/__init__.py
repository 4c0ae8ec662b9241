"""Graphs that several workers read together, each a part of the file; none of them holds the whole graph."""

from gdsl.graph.partitioned.reading import read

__all__ = ["read"]
