"""The CUDA text that numbers the vertices of a graph anew, and puts values from one order into the other.

It is the same for all programs: one text for each width of ids. Every thread goes through all elements in steps as wide
as the grid, so that any grid is right.
"""

from __future__ import annotations

from gdsl.types import Type, Widths

WORDS = (8, 4, 1)
"""Bytes of what `put_…` moves at a time, the widest first."""

_UNSIGNED = {8: "unsigned char", 32: "unsigned int", 64: "unsigned long long"}

_TEXT = """
typedef {vertex} vertex;
typedef {edge} edge;
typedef unsigned long long word;

#define THREAD (blockIdx.x * (long long)blockDim.x + threadIdx.x)
#define THREADS (gridDim.x * (long long)blockDim.x)
#define PLACES 8  // that a thread goes through together

// Those of many edges come first, those of as many as they were before.
extern "C" __global__ void keys_of_vertices(
    const edge* offsets, const edge* in_offsets, word* keys, long long vertices
) {{
    for (long long v = THREAD; v < vertices; v += THREADS) {{
        word degree = offsets[v + 1] - offsets[v];
        if (in_offsets) degree += in_offsets[v + 1] - in_offsets[v];
        keys[v] = (0xFFFFFFFFull - (degree < 0xFFFFFFFFull ? degree : 0xFFFFFFFFull)) << 32 | (word)v;
    }}
}}

// Which vertex of the given graph is the new i, and what is the new id of each.
extern "C" __global__ void name_vertices(const word* keys, vertex* order, vertex* rank, long long vertices) {{
    for (long long i = THREAD; i < vertices; i += THREADS) {{
        const vertex given = (vertex)(keys[i] & 0xFFFFFFFFull);
        order[i] = given;
        rank[given] = (vertex)i;
    }}
}}

// The two ends of each edge in their new names, a warp a list; `backward`: the far end first.
extern "C" __global__ void keys_of_edges(
    const edge* offsets, const vertex* columns, const vertex* rank, word* keys, long long vertices, long long backward
) {{
    const int lane = threadIdx.x % 32;
    for (long long v = THREAD / 32; v < vertices; v += THREADS / 32) {{
        const word own = rank[v];
        for (word e = (word)offsets[v] + lane; e < (word)offsets[v + 1]; e += 32) {{
            const word other = rank[columns[e]];
            keys[e] = backward ? other << 32 | own : own << 32 | other;
        }}
    }}
}}

// The lists of all vertices, from the sorted keys of their edges.
extern "C" __global__ void lists_of_keys(
    const word* keys, edge* offsets, vertex* columns, long long vertices, long long edges
) {{
    for (long long e = THREAD; e < edges; e += THREADS) columns[e] = (vertex)(keys[e] & 0xFFFFFFFFull);
    for (long long v = THREAD; v <= vertices; v += THREADS) {{
        long long first = 0, behind = edges;
        while (first < behind) {{
            const long long middle = (first + behind) / 2;
            if (keys[middle] >> 32 < (word)v) first = middle + 1;
            else behind = middle;
        }}
        offsets[v] = (edge)first;
    }}
}}

extern "C" __global__ void count_up(edge* ids, long long edges) {{
    for (long long e = THREAD; e < edges; e += THREADS) ids[e] = (edge)e;
}}

extern "C" __global__ void sources_of_lists(const edge* offsets, vertex* sources, long long vertices) {{
    const int lane = threadIdx.x % 32;
    for (long long v = THREAD / 32; v < vertices; v += THREADS / 32) {{
        for (word e = (word)offsets[v] + lane; e < (word)offsets[v + 1]; e += 32) sources[e] = (vertex)v;
    }}
}}

// Which of `values[first]` to `values[behind - 1]`, which ascend, is the first that is not below one.
template <class T>
__device__ word first_from(const T* values, word first, word behind, word value) {{
    while (first < behind) {{
        const word middle = first + (behind - first) / 2;
        if ((word)values[middle] < value) first = middle + 1;
        else behind = middle;
    }}
    return first;
}}

// Which of the given edges is the one at each place of the new lists: of parallel ones as many stand before it there as
// here. A warp a list.
extern "C" __global__ void places_of_edges(
    const edge* given_offsets, const vertex* given_columns, const edge* offsets, const vertex* columns,
    const vertex* order, edge* given, long long vertices
) {{
    const int lane = threadIdx.x % 32;
    for (long long v = THREAD / 32; v < vertices; v += THREADS / 32) {{
        const word first = given_offsets[order[v]], behind = given_offsets[order[v] + 1];
        for (word e = (word)offsets[v] + lane; e < (word)offsets[v + 1]; e += 32) {{
            const word before = e - first_from(columns, offsets[v], e, columns[e]);
            given[e] = (edge)(first_from(given_columns, first, behind, order[columns[e]]) + before);
        }}
    }}
}}

// `each` words of every vertex or edge: those of `places[v]` become those of v, in each of the rows, `step` words
// apart, as `named` gives them. A block has consecutive places, which it reads once for many rows: consecutive vertices
// of equal degree lie side by side in the other order, so that few sectors of a row come from L2 to a multiprocessor.
// What is made is not kept in L2, where the rows and names are.
template <class T, class Place, class Named>
__device__ void put_rows(
    const T* __restrict__ from, T* __restrict__ made, const Place* __restrict__ places, long long count, long long each,
    long long rows, long long step, Named named
) {{
    if (each != 1) {{
        for (long long row = 0; row < rows; ++row) {{
            for (long long i = THREAD; i < count * each; i += THREADS) {{
                made[row * step + i] = named(from[row * step + (long long)places[i / each] * each + i % each]);
            }}
        }}
        return;
    }}
    const long long tile = (long long)blockDim.x * PLACES, tiles = (count + tile - 1) / tile;
    long long side_by_side = tiles > 0 ? gridDim.x / tiles : 0;  // as many rows as there are blocks for
    side_by_side = side_by_side < 1 ? 1 : side_by_side < rows ? side_by_side : rows;
    for (long long part = blockIdx.x; part < tiles * side_by_side; part += gridDim.x) {{
        const long long first = part % tiles * tile + threadIdx.x;
        Place place[PLACES];
        #pragma unroll
        for (int k = 0; k < PLACES; ++k) {{
            const long long v = first + k * (long long)blockDim.x;
            place[k] = v < count ? places[v] : Place(0);
        }}
        for (long long row = part / tiles; row < rows; row += side_by_side) {{
            T value[PLACES];
            #pragma unroll
            for (int k = 0; k < PLACES; ++k) value[k] = from[row * step + place[k]];
            #pragma unroll
            for (int k = 0; k < PLACES; ++k) value[k] = named(value[k]);
            #pragma unroll
            for (int k = 0; k < PLACES; ++k) {{
                const long long v = first + k * (long long)blockDim.x;
                if (v < count) __stcs(made + row * step + v, value[k]);
            }}
        }}
    }}
}}

{puts}
// Ids get their names of the other order; what is none stays what it is.
extern "C" __global__ void put_ids(
    const vertex* values, const word* values_at, vertex* made, const vertex* places, const vertex* names,
    long long vertices, long long each, long long rows, long long step
) {{
    const vertex* from = values_at ? reinterpret_cast<const vertex*>(*values_at) : values;
    if (!from) return;
    put_rows(from, made, places, vertices, each, rows, step, [=](vertex id) {{
        return (word)id < (word)vertices ? names[id] : ~vertex(0);
    }});
}}
"""
_PUT = """
// They lie at `values`, or, where the host does not know that, at the address that `values_at` holds: none, where the
// run was stopped.
extern "C" __global__ void {name}(
    const {type}* values, const word* values_at, {type}* made, const {of}* places, long long count, long long each,
    long long rows, long long step
) {{
    const {type}* from = values_at ? reinterpret_cast<const {type}*>(*values_at) : values;
    if (!from) return;
    put_rows(from, made, places, count, each, rows, step, []({type} value) {{ return value; }});
}}
"""


def put_name(size: int, of: Type) -> str:
    """The kernel that puts words of so many bytes of every vertex, or edge, in another order."""
    return f"put_{size}" if of is Type.VERTEX else f"put_edges_{size}"


def text_for(widths: Widths) -> str:
    """The text for ids of these widths."""
    vertex, edge = (_UNSIGNED[widths.of(kind)] for kind in (Type.VERTEX, Type.EDGE))
    puts = "".join(
        _PUT.format(name=put_name(size, of), type=_UNSIGNED[8 * size], of=of.name)
        for of in (Type.VERTEX, Type.EDGE)
        for size in WORDS
    )
    return _TEXT.format(vertex=vertex, edge=edge, puts=puts)
