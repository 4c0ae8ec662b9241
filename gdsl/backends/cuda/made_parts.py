"""Parts of a graph that a GPU makes of its lists: of 2^31 edges the host would take minutes, and as much memory again.

Of an undirected graph each edge has one that leads back, and its in-lists are its out-lists. So the edge at a place of
the in-list of v, whose source is u, is the one that leads back from the edge at the same place of the out-list, v to u:
it is in the list of u, behind as many of its parallel ones as that has before it. A thread takes an edge.
"""

from __future__ import annotations

import numpy

from gdsl.backends.cuda.protocol import Buffer, Device
from gdsl.types import Widths

_HEAD = """
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef uint{vertex} vertex;
typedef uint{edge} edge;

// The first of the places `low` to `high` whose value is not below `value`.
template <class T>
__device__ uint64 first_from(const T* values, uint64 low, uint64 high, uint64 value) {{
    while (low < high) {{
        const uint64 middle = low + (high - low) / 2;
        if (uint64(values[middle]) < value) {{ low = middle + 1; }} else {{ high = middle; }}
    }}
    return low;
}}

// The vertex in whose list an edge stands.
__device__ uint64 source_of(const edge* offsets, uint64 num_vertices, uint64 at) {{
    return first_from(offsets, 0, num_vertices + 1, at + 1) - 1;
}}
"""
_KERNEL = """
extern "C" __global__ void {name}(
    const edge* offsets, const vertex* columns, {kind}* found, const uint64 num_vertices, const uint64 num_edges
) {{
    const uint64 threads = uint64(gridDim.x) * blockDim.x;
    for (uint64 at = uint64(blockIdx.x) * blockDim.x + threadIdx.x; at < num_edges; at += threads) {{
        {body}
    }}
}}
"""
_SOURCES = "found[at] = vertex(source_of(offsets, num_vertices, at));"
_OPPOSITES = """const uint64 v = source_of(offsets, num_vertices, at), u = uint64(columns[at]);
        const uint64 before = at - first_from(columns, uint64(offsets[v]), at, u);
        found[at] = edge(first_from(columns, uint64(offsets[u]), uint64(offsets[u + 1]), v) + before);"""
_BODIES = {"edge_sources": ("vertex", _SOURCES), "in_edges": ("edge", _OPPOSITES)}


def can_be_made(name: str, directed: bool) -> bool:
    """Whether there is a way to make the part `name` of such a graph here."""
    return name == "edge_sources" or (name == "in_edges" and not directed)


def made(device: Device, name: str, lists: tuple[Buffer, Buffer], counts: tuple[int, int], widths: Widths) -> Buffer:
    """That part of a graph of `counts` vertices and edges; `lists` are offsets and columns. Raises E0912."""
    kind, body = _BODIES[name]
    found = device.allocate(counts[1] * (widths.vertex if kind == "vertex" else widths.edge) // 8)
    head = _HEAD.format(vertex=widths.vertex, edge=widths.edge)
    text = head + _KERNEL.format(name=name, kind=kind, body=body)
    pointers = (numpy.uint64(buffer.pointer) for buffer in (*lists, found))
    device.compute(text, name, counts[1], (*pointers, *map(numpy.uint64, counts)))
    return found
