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
        Field("edge_bound", _I64, "the exclusive upper bound of the ids of edges"),
        Field("room", _I64, "where the lists are stored; below 0: by the host"),
        Field("ends_room", _I64, "where the ends of edges are stored"),
    ),
)
"""The same in programs that make graphs: edges need not be stored in the order of their ids, and `columns` is indexed
by id."""


HOISTED_GRAPH = Struct(
    "hoisted_graph",
    (
        Field("ready", _U64, "1 once its arrays are written"),
        Field("num_edges", _I64),
        Field("largest_degree", _I64, "of any vertex, in either direction"),
    ),
    "What is known about a graph that is kept with the given one. The host clears it when it allocates the arrays.",
)

LATE = Field("late", _U64, "members of the result that were added after its queue had run out of room for duplicates")
SPILLED = Field("spilled", _U64, "1 if a near member found no room")
SEEN = Field("seen", _U64, "1 if there are far members, 2 if some of them have become near")
NEAREST = Field("nearest", _U64, "the largest rank of the far members")
BINS = Field("bins", _U64, "members sorted by degree, those of each bin", count=3)


VISITS = (
    Field("visits", _U64, "edges that the first loop has visited"),
    Field("stopped_after", _U64, "nanoseconds from the start of the kernel until these reached their limit"),
)
"""Of a run that may be stopped and begun again in another order."""


SOLO = (
    Field("solo_arrived", _U64, "blocks of the first GPU that reached a barrier while that was alone"),
    Field("solo_traced", _U64, "records of the trace when it was alone last"),
)


def resume_state(words: int) -> Field:
    """What the first GPU tells the others when they take part again."""
    return Field("resume_state", _U64, "what the others resume with after passes of the first GPU alone", count=words)


DONE = Field("done", _U64, "1 once instances that run together have their results")


def control(*more: Field, words: tuple[Field, ...] = ()) -> Struct:
    """The control block, with these `words`, and with `more` counters for each operator than every program needs."""
    counters = Struct(
        "operator_counters",
        (
            Field("accepted", _U64, "members of the result"),
            Field("edges", _U64, "edges of those members, if a later operator needs them"),
            Field("hubs", _U64, "chunks of lists that are too long for one warp"),
            Field("visited", _U64, "edges of the members that the operator ran on"),
            *more,
        ),
        "Counters that the threads of one operator share. They rotate: an operator adds to its own, the earlier ones "
        "may\n"
        "still be read, and the one after the next is cleared, so one barrier for every two operators is enough.",
    )
    return Struct(
        "control_block",
        (
            Field("arrived", _U64, "blocks that reached a barrier, never reset; the upper bits request a stop"),
            Field("barriers", _U64, "passed by the kernels before this one (unfused form)"),
            Field("failure", _U64, "1 + the check that failed first"),
            Field("failed_value", _I64, "the index that it found"),
            Field("failed_length", _I64, "the number of elements"),
            Field("exhausted", _U64, "1 + the loop that reached its limit of passes"),
            Field("iterations", _U64, "finished passes of the outermost loops"),
            Field("trace_length", _U64, "operators that ran, traced or not"),
            Field("answer", _I64, "the value of a condition or a count that the host requested"),
            Field("cycles", _U64, "of the first thread in all kernels, which took"),
            Field("nanoseconds", _U64),
            *words,
            Field("counters", counters, count=8),
        ),
        "One for each run, in device memory, cleared by the host.",
    )


KEPT = Field("kept", _U64, "members that blocks found in the operator and went on with")

TRACE_RECORD = Struct(
    "trace_record",
    (
        Field("site", _I32),
        Field("iteration", _I32),
        Field("size", _U64),
        Field("edges", _U64),
        Field("pulled", _I32),
        Field("took", _U32, "ticks since it began; `before` and `waited` are in ticks, too"),
        Field("before", _U32, "since the previous record"),
        Field("waited", _U32, "of both, spent at barriers"),
    ),
    "One execution of one operator, timed by the first thread.",
)

LANE_RECORD = Struct(
    "lane_record",
    (
        Field("members", _U64, "that the GPU took, as far as that is counted"),
        Field("took", _U64, "cycles since the operator began; `before` and `waited` are in cycles, too"),
        Field("before", _U64, "since the previous record"),
        Field("waited", _U64, "of both, spent at barriers"),
    ),
    "One execution of one operator on one of several GPUs, timed by the waiting thread of its first block. The first\n"
    "record of a lane has the number of the others, and the cycles and nanoseconds of the kernel.",
)


def small_frontier_member(key: Type) -> Struct:
    """A member of a small frontier, in plans whose ordered worklists have ranks of this type."""
    fields = (
        Field("id", _VERTEX),
        Field("first", _EDGE, "of its list"),
        Field("degree", _U32, "of the same"),
        Field("key", key, "the rank of the value that it was reached with, in an ordered worklist"),
    )
    return Struct("small_frontier_member", fields, "A member of a small frontier, with its list.", aligned=16)


HUB_CHUNK = Struct(
    "hub_chunk",
    (Field("vertex_id", _VERTEX), Field("first", _EDGE), Field("last", _EDGE)),
    "A part of one long list of edges, for one warp.",
)

FRONTIER = Struct(
    "frontier",
    (
        Field("queue", Pointer("vertex"), "the members, in no order"),
        Field("bitmap", Pointer("uint32"), "one bit for each vertex"),
        Field("size", _U64, "members"),
        Field("edges", _U64, "edges of the members, if a later operator needs them"),
        Field("queued", _BOOL),
        Field("mapped", _BOOL),
        Field("room", Pointer("vertex"), "its own storage for a queue, even while the members are stored elsewhere"),
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
    (Field("unvisited", _U64, "edges that no frontier has covered yet"), Field("pull", _BOOL)),
    "What an automatic direction carries from one pass to the next.",
)


def saved_state(frontiers: int, edge_frontiers: int, switches: int, graphs: int, around: int) -> Struct:
    """What each launch of the unfused form passes to the next."""
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
        "What each kernel of the unfused form passes to the next.",
    )
