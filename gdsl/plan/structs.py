"""The structs that the cuda backend's host shares with its kernels, or must know the size of."""

from __future__ import annotations

import dataclasses

from gdsl.plan.buffer_nodes import Field, Pointer, Struct
from gdsl.types import Type

_I32, _I64, _U32, _U64 = Type.INT32, Type.INT64, Type.UINT32, Type.UINT64
_BOOL, _VERTEX, _EDGE = Type.BOOL, Type.VERTEX, Type.EDGE

GRAPH_SLICE = Struct(
    "graph_slice",
    (
        Field("num_vertices", _I64),
        Field("num_edges", _I64),
        Field("largest_degree", _I64, "of any vertex, in either direction"),
        Field("offsets", Pointer("const edge"), "out-edges: num_vertices + 1"),
        Field("columns", Pointer("const vertex"), "their destinations: num_edges, ascending for each vertex"),
        Field("in_offsets", Pointer("const edge"), "in-edges: num_vertices + 1"),
        Field("in_sources", Pointer("const vertex"), "their sources: num_edges"),
        Field("in_edges", Pointer("const edge"), "their edge ids: num_edges"),
        Field("edge_sources", Pointer("const vertex"), "of each edge id: num_edges"),
        Field("reverse_edges", Pointer("const edge"), "of each edge id the edge that leads back, or none: num_edges"),
    ),
)
"""The graph in compressed rows: the edges of v are offsets[v] to offsets[v + 1]."""

LISTED_GRAPH_SLICE = dataclasses.replace(
    GRAPH_SLICE,
    fields=(
        *GRAPH_SLICE.fields,
        Field("edge_ids", Pointer("const edge"), "the edge at each place of the lists: num_edges"),
        Field("neighbors", Pointer("const vertex"), "the destination at each place of the lists: num_edges"),
        Field("edge_bound", _I64, "what the ids of edges lie below"),
        Field("room", _I64, "where the lists are stored; less than 0: by the host"),
        Field("ends_room", _I64, "where the ends of edges are stored"),
    ),
)
"""The same in programs that make graphs: edges need not lie in the order of their ids, and `columns` goes by id."""


KEPT_GRAPH = Struct(
    "kept_graph",
    (
        Field("ready", _U64, "1 once its arrays are written"),
        Field("num_edges", _I64),
        Field("largest_degree", _I64, "of any vertex, in either direction"),
    ),
    "What is known of a graph that stays with the given one. The host clears it when it makes room for the arrays.",
)

LATE = Field("late", _U64, "members of the result that came when its queue had no room for duplicates any more")
SPILLED = Field("spilled", _U64, "1 where something near found no room")
SEEN = Field("seen", _U64, "1 where members are still far, 2 where some have come near")
NEAREST = Field("nearest", _U64, "the largest rank of those that are far")
BINS = Field("bins", _U64, "members sorted by degree, those of each bin", count=3)


VISITS = (
    Field("visits", _U64, "edges that the first loop has visited"),
    Field("stopped_after", _U64, "nanoseconds from the start of the kernel until these were too many"),
)
"""Of a run that may be stopped to begin again in another order."""


def control(*more: Field, words: tuple[Field, ...] = ()) -> Struct:
    """The control block, whose counters of operators have `more` than all need, and which has these `words`, too."""
    counters = Struct(
        "operator_counters",
        (
            Field("accepted", _U64, "members of the result"),
            Field("edges", _U64, "edges of those members, where a later operator asks for them"),
            Field("hubs", _U64, "chunks of the lists too long for one warp"),
            Field("visited", _U64, "edges of the members that the operator ran on"),
            *more,
        ),
        "What the threads of one operator count together. They rotate: an operator adds to its own, "
        "those before it may\n"
        "still be read, and the one after the next is cleared, so that a barrier in two operators is enough.",
    )
    return Struct(
        "control_block",
        (
            Field("arrived", _U64, "blocks that came to a barrier, counted for ever; above: what asks for a stop"),
            Field("barriers", _U64, "passed by the kernels before this one (unfused form)"),
            Field("failure", _U64, "1 + the check that failed first"),
            Field("failed_value", _I64, "the index that it found"),
            Field("failed_length", _I64, "how many elements there were"),
            Field("exhausted", _U64, "1 + the loop that has had all the passes it may have"),
            Field("iterations", _U64, "finished passes of the outermost loops"),
            Field("trace_length", _U64, "operators that ran, traced or not"),
            Field("answer", _I64, "of a condition or a count that the host asked for"),
            Field("cycles", _U64, "of the first thread in all kernels, which lasted"),
            Field("nanoseconds", _U64),
            *words,
            Field("counters", counters, count=8),
        ),
        "One a run, in device memory, zeroed by the host.",
    )


TRACE_RECORD = Struct(
    "trace_record",
    (
        Field("site", _I32),
        Field("iteration", _I32),
        Field("size", _U64),
        Field("edges", _U64),
        Field("pulled", _I32),
        Field("took", _U32, "ticks from where it began, as all down to `waited`"),
        Field("before", _U32, "since the record before this one"),
        Field("waited", _U32, "of both at barriers"),
    ),
    "One execution of one operator, timed by the first thread.",
)


def small_frontier_member(key: Type) -> Struct:
    """A member of a set of few, in plans whose worklists with an order have ranks of this type."""
    fields = (
        Field("id", _VERTEX),
        Field("first", _EDGE, "of its list"),
        Field("degree", _U32, "of the same"),
        Field("key", key, "the rank of what it was found with, in a worklist with an order"),
    )
    return Struct("small_frontier_member", fields, "A member of a set of few, with its list.", aligned=16)


HUB_CHUNK = Struct(
    "hub_chunk",
    (Field("vertex_id", _VERTEX), Field("first", _EDGE), Field("last", _EDGE)),
    "A part of one long list of edges, for one warp.",
)

FRONTIER = Struct(
    "frontier",
    (
        Field("queue", Pointer("vertex"), "the members, in no order"),
        Field("bitmap", Pointer("uint32"), "a bit a vertex"),
        Field("size", _U64, "members"),
        Field("edges", _U64, "edges of the members, where a later operator asks for them"),
        Field("queued", _BOOL),
        Field("mapped", _BOOL),
        Field("room", Pointer("vertex"), "its own storage for a queue, also while the members lie elsewhere"),
    ),
    "A set of vertices, as a queue or as a bitmap or both; every thread has the same values.",
)

EDGE_FRONTIER = Struct(
    "edge_frontier",
    (Field("queue", Pointer("edge"), "the members, in no order"), Field("size", _U64, "members")),
    "A set of edges; every thread has the same values.",
)

DIRECTION_STATE = Struct(
    "direction_state",
    (Field("unvisited", _U64, "edges that no frontier has had yet"), Field("pull", _BOOL)),
    "What an auto direction remembers from one pass to the next.",
)


def saved_state(frontiers: int, edge_frontiers: int, switches: int, graphs: int, around: int) -> Struct:
    """What the launches of the unfused form hand on from one to the next."""
    return Struct(
        "saved_state",
        (
            Field("operators", _U64),
            *((Field("frontiers", FRONTIER, count=frontiers),) if frontiers else ()),
            *((Field("edge_frontiers", EDGE_FRONTIER, count=edge_frontiers),) if edge_frontiers else ()),
            *((Field("directions", DIRECTION_STATE, count=switches),) if switches else ()),
            *((Field("graphs", LISTED_GRAPH_SLICE, count=graphs),) if graphs else ()),
            *((Field("around", LISTED_GRAPH_SLICE, count=around),) if around else ()),
        ),
        "What the kernels of the unfused form hand on.",
    )
