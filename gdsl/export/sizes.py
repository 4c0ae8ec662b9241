"""Lengths of buffers as C++."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.extents import EDGES, VERTICES, Extent, Fixed, Parts, Sum, Times, Values


def size_text(extent: Extent, counts: Mapping[str, str]) -> str:
    """The number of elements that `extent` is, in `long long`; `counts` are the texts of params that it speaks of."""
    if isinstance(extent, Fixed):
        return f"{extent.number}ll"
    if extent == VERTICES:
        return "lists.num_vertices"
    if extent == EDGES:
        return "lists.num_edges"
    if isinstance(extent, Sum):
        return "(" + " + ".join(size_text(term, counts) for term in extent.terms) + ")"
    if isinstance(extent, Times):
        return f"{extent.factor} * {size_text(extent.of, counts)}"
    if isinstance(extent, Values):
        return f"(long long)({counts[extent.count]}) * {size_text(extent.of, counts)}"
    assert isinstance(extent, Parts)
    more = f" + {extent.part - 1}" if extent.started else ""
    return f"(({size_text(extent.of, counts)}{more}) / {extent.part})"
