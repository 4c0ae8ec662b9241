"""The structs that the cpu backend's host shares with the library that it calls."""

from __future__ import annotations

import dataclasses

from gdsl.plan.buffer_nodes import Field, Pointer, Struct
from gdsl.types import Type

_I32, _U32, _I64 = Type.INT32, Type.UINT32, Type.INT64

GRAPH_SLICE = Struct(
    "graph_slice",
    (
        Field("num_vertices", _I64),
        Field("num_edges", _I64),
        Field("offsets", Pointer("const int64"), "out-edges: num_vertices + 1"),
        Field("columns", Pointer("const vertex"), "their destinations: num_edges, ascending for each vertex"),
        Field("in_offsets", Pointer("const int64"), "in-edges: num_vertices + 1"),
        Field("in_sources", Pointer("const vertex"), "their sources: num_edges"),
        Field("in_edges", Pointer("const edge"), "their edge ids: num_edges"),
        Field("edge_sources", Pointer("const vertex"), "of each edge id: num_edges"),
        Field("reverse_edges", Pointer("const edge"), "of each edge id the edge that leads back, or none: num_edges"),
    ),
    "The graph in compressed rows: the edges of vertex v are offsets[v] to offsets[v + 1]. Pointers to what the\n"
    "program does not use are null.",
)

TRACE_RECORD = Struct(
    "trace_record",
    (
        Field("site", _I32),
        Field("iteration", _I32),
        Field("size", _I64),
        Field("edges", _I64),
        Field("pulled", _I64),
        Field("took", _I64, "ticks from where it began"),
        Field("before", _I64, "ticks since the record before this one"),
    ),
)

CONTROL = Struct(
    "control_block",
    (
        Field("host_stop", _U32, "set by the host: leave soon"),
        Field("halted", _U32, "set by the run: a check failed"),
        Field("failure", _I64, "1 + the check that failed first"),
        Field("failed_value", _I64, "the index that it found"),
        Field("failed_length", _I64, "how many elements there were"),
        Field("exhausted", _I64, "1 + the loop that has had all the passes it may have"),
        Field("max_iterations", _I64),
        Field("iterations", _I64, "finished passes of the outermost loops"),
        Field("nanoseconds", _I64),
        Field("ticks", _I64, "in the same time"),
        Field("trace", Pointer("trace_record"), "the first operators; the host gives it back to gdsl_release"),
        Field("trace_length", _I64, "operators that ran, traced or not"),
        Field("trace_capacity", _I64, "records for which there is room now"),
    ),
    "What a run and its host tell each other; zeroed by the host.",
)

WORKERS_CONTROL = dataclasses.replace(
    CONTROL,
    fields=(
        *CONTROL.fields,
        Field("rank", _I64, "which worker this is"),
        Field("workers", _I64, "and of how many"),
        Field("first_vertex", _I64, "its own vertices: those from here"),
        Field("last_vertex", _I64, "to before this one"),
        Field("first_edge", _I64, "its own edges, which leave these"),
        Field("last_edge", _I64),
        Field("exchange", Pointer("void"), "the host's function that exchanges data"),
        Field("checkpoints", _I64, "1: the host is called after each pass of an outermost loop"),
        Field("resume_loop", _I64, "1 + the loop in which the run goes on; 0: it begins anew"),
        Field("resume_pass", _I64, "how many passes it has had"),
        Field("resume_passes", _I64, "and, where they are counted, how many it is to have"),
    ),
)
"""`CONTROL` of several workers. Programs of one worker have the first fields of it."""

EXCHANGE_CALL = Struct(
    "exchange_call",
    (
        Field("number", _I64, "of the exchange in the plan, the loop, or the set"),
        Field("moment", _I64, "0: before the step, whose values are noted, 1: after it; others: of a checkpoint"),
        Field("turn", _I64, "the worker whose values all take, where workers take turns; passes of the loop"),
        Field("data", Pointer("void* const"), "the arrays and scalars, in the order of the plan"),
        Field("queue", Pointer("void"), "the members of the set that is united; null without one"),
        Field("size", _I64, "how many there are; the host stores how many there are in all"),
    ),
    "One call of the host by a worker.",
)

HOISTED_GRAPH = Struct(
    "hoisted_graph",
    (
        Field("state", _I64, "0: nothing is there, 1: a run stores what it has made, 2: all of it is there"),
        Field("num_edges", _I64),
        Field("offsets", Pointer("int64")),
        Field("neighbors", Pointer("vertex")),
        Field("edge_ids", Pointer("edge"), "null where edges are numbered by their places"),
        Field("in_offsets", Pointer("int64")),
        Field("in_sources", Pointer("vertex")),
        Field("in_edges", Pointer("edge")),
        Field("reverse", Pointer("edge")),
    ),
    "A graph that was made of the given one's structure alone, and stays with it. Pointers to what the\n"
    "program does not use are null.",
)
"""The host frees the arrays by `free` of the C library."""

HOST_SLICE = Struct(
    "host_slice",
    (
        Field("graph", GRAPH_SLICE),
        Field("control", Pointer("control_block")),
        Field("params", Pointer("void* const")),
        Field("data", Pointer("void*")),
    ),
    "Where the host keeps everything: a slot for each param, and one for each array and scalar.",
)


HOST_GRAPH = dataclasses.replace(GRAPH_SLICE, name="host_graph")
"""`GRAPH_SLICE` under the name that it has in programs that make graphs, whose own slices have more."""


def with_host_graph() -> Struct:
    """`HOST_SLICE` for such programs; it is laid out alike."""
    graph, *others = HOST_SLICE.fields
    return dataclasses.replace(HOST_SLICE, fields=(dataclasses.replace(graph, type=HOST_GRAPH), *others))
