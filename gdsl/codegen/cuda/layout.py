"""The structs that the host fills for a generated program: one description for their text and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from gdsl.codegen.structs import element_dtype, struct_dtype, type_text
from gdsl.ir.nodes import Array, Literal, ParamValue
from gdsl.operations import Domain
from gdsl.plan import buffers, structs
from gdsl.plan.buffer_nodes import RUN, Field, Pointer, Role, Struct
from gdsl.plan.gpu_copies import copies_of
from gdsl.plan.nodes import Plan
from gdsl.plan.walking import sweeps
from gdsl.plan.work_order import most_visits
from gdsl.types import Type, Widths

_I64, _U64 = Type.INT64, Type.UINT64

_OF_GRAPHS = (
    ("offsets", Type.EDGE),
    ("edge_ids", Type.EDGE),
    ("neighbors", Type.VERTEX),
    ("sources", Type.VERTEX),
    ("in_offsets", Type.EDGE),
    ("in_sources", Type.VERTEX),
    ("in_edges", Type.EDGE),
    ("reverse", Type.EDGE),
)
_COLUMNS = ("columns", Type.VERTEX)
"""The arrays of graphs that the schedule makes; the last is of contractions alone. Those that a program has no use for
are null."""
_MADE = "of graphs that the schedule made, as in graph_slice, and so are the next"
_HOISTED = "the same of graphs that are kept with the given one"


def graph_slice(plan: Plan) -> Struct:
    """The graph as kernels see it."""
    return structs.LISTED_GRAPH_SLICE if plan.graphs else structs.GRAPH_SLICE


@dataclass(frozen=True, slots=True)
class Layout:
    """`data_slice`, which every kernel gets: its parts. The fields of the last are called as the program calls its
    params, arrays and scalars, and the plan its temporaries."""

    graph: Struct
    run: Struct
    problem: Struct

    def dtype(self, widths: Widths) -> numpy.dtype[numpy.void]:
        """This layout as an aligned NumPy dtype with the fields `graph`, `run` and, where there is any, `problem`."""
        parts = [("graph", struct_dtype(self.graph, widths)), ("run", struct_dtype(self.run, widths))]
        if self.problem.fields:
            parts.append(("problem", struct_dtype(self.problem, widths)))
        return numpy.dtype(parts, align=True)


def layout_of(plan: Plan, widths: Widths) -> Layout:
    """The layout of a plan's data."""
    program = plan.program
    staging = [(buffer.name, buffer.element) for buffer in plan.buffers if buffer.role is Role.TEMPORARY]
    fields = [
        Field(name, Pointer(type_text(kind)), f"{_staged_array(plan, name)} before it is stored")
        for name, kind in staging
    ]
    tables = [(buffer.name, buffer.element) for buffer in plan.buffers if buffer.role is Role.TABLES]
    fields += [Field(name, Pointer(type_text(kind)), "votes of long lists") for name, kind in tables]
    narrow = dict(plan.narrow)
    fields += [
        Field(array.name, Pointer(type_text(narrow.get(array.name, array.type))), _array_comment(array))
        for array in program.arrays
    ]
    fields += [Field(scalar.name, Pointer(type_text(scalar.type)), "one value") for scalar in program.scalars]
    params = sorted(program.params, key=lambda param: -element_dtype(param.type, widths).itemsize)
    fields += [Field(param.name, param.type) for param in params]
    return Layout(graph_slice(plan), run_slice(plan), Struct("data_slice", tuple(fields)))


MOST_VISITS = Field("most_visits", _U64, "edges that the first loop may visit before the run is stopped; 0: all")


def run_slice(plan: Plan) -> Struct:
    """What the enactor uses besides the problem data. Frontiers have a place for their bitmaps even where none is
    ever filled, so that there is one struct for all."""
    slots, edge_slots = plan.slots(Domain.VERTEX), plan.slots(Domain.EDGE)
    made = {buffer.name: buffer.copies for buffer in plan.buffers if buffer.group == RUN}
    optional = (
        ("hubs", Field("hubs", Pointer("hub_chunk"), "chunks of long lists")),
        ("mirrors", Field("mirrors", Pointer("uint64"), "this GPU's copies of arrays", copies_of(plan))),
        (
            "addresses",
            Field("addresses", Pointer("uint64"), "by number: where each GPU has that copy", copies_of(plan)),
        ),
        ("places", Field("places", Pointer("uint64"), "members before those that are numbered together")),
        ("sums", Field("sums", Pointer("uint64"), "of degrees, up to each member of a tile")),
        ("tiles", Field("tiles", Pointer("uint64"), "sums of degrees before each tile of a block's members")),
        ("bins", Field("bins", Pointer("vertex"), "members sorted by degree", 3)),
        ("saved", Field("saved", Pointer("saved_state"), "between the kernels of the unfused form")),
        ("outputs", Field("outputs", Pointer("uint64"), "where what was swapped lies at the end")),
        ("queues", Field("queues", Pointer("vertex"), "of each frontier: num_vertices", slots)),
        ("queues", Field("bitmaps", Pointer("uint32"), "of each frontier: one bit for each vertex", slots)),
        ("keys", Field("keys", Pointer("key_word"), "ranks of entries that are worked off, and of those found", 2)),
        (
            "listed",
            Field("listed", Pointer("small_frontier_member"), "of a set of few, and of what is found from there", 2),
        ),
        ("visited", Field("visited", Pointer("key_word"), "of each vertex: the rank of what it was visited with")),
        ("bounded", Field("bounded", Pointer("vertex"), "by place: the vertex that has a bound there")),
        ("marks", Field("marks", Pointer("uint32"), "one bit for each vertex, twice", 2)),
        (
            "graph_scratch",
            Field("graph_scratch", Pointer("edge"), "while a graph is made", made.get("graph_scratch", 0)),
        ),
        *_of_graphs("made", (*_OF_GRAPHS, _COLUMNS), "made_offsets", _MADE, made),
        (
            buffers.HOISTED,
            Field(buffers.HOISTED, Pointer("hoisted_graph"), "which the next are of", made.get(buffers.HOISTED, 0)),
        ),
        *_of_graphs("hoisted", _OF_GRAPHS, buffers.HOISTED, _HOISTED, made),
        ("graph_sums", Field("graph_sums", Pointer("uint64"), "the weights of the edges of a contraction")),
        ("edge_queues", Field("edge_queues", Pointer("edge"), "of each edge frontier: num_edges", edge_slots)),
        ("edge_marks", Field("edge_marks", Pointer("uint32"), "a bit an edge, twice", 2)),
        *(
            (name, Field(name, Pointer("uint64"), comment, made.get(name, 0)))
            for name, comment in (
                ("instance_sets", "words of each vertex: in which instances it is a member"),
                ("instance_tests", "the same for each test that holds of it"),
                ("instance_sizes", "of each set: members in each instance"),
                ("instance_counts", "what a team counts together"),
            )
        ),
    )
    return Struct(
        "run_slice",
        (
            Field("control", Pointer("control_block")),
            Field("host_stop", Pointer("const uint32"), "in the host's memory: not 0 asks for a stop"),
            Field("trace", Pointer("trace_record")),
            Field("trace_capacity", _U64),
            *((Field("lanes", Pointer("lane_record"), "this GPU's lane of the trace"),) if "lanes" in made else ()),
            Field("max_iterations", _I64, "passes that one loop may have"),
            *((MOST_VISITS,) if most_visits(plan) is not None else ()),
            *(field for name, field in optional if name in made),
        ),
    )


def _of_graphs(
    word: str, arrays: tuple[tuple[str, Type], ...], where: str, comment: str, made: dict[str, int]
) -> Iterator[tuple[str, Field]]:
    """The arrays of graphs of one kind, which there are where there is the buffer `where`."""
    for name, kind in arrays:
        yield where, Field(f"{word}_{name}", Pointer(kind.name), comment, made.get(where, 0))
        comment = ""


def _staged_array(plan: Plan, temporary: str) -> str:
    results = [sweep.segment or sweep.vote for sweep in sweeps(plan)]
    return next(each.array for each in results if each is not None and each.staging == temporary)


def _array_comment(array: Array) -> str:
    elements = array.domain.count_name
    if isinstance(array.count, Literal):
        return f"{elements} * {array.count.value}"
    return f"{elements} * {array.count.name}" if isinstance(array.count, ParamValue) else elements


# Structs for many values, which teams of blocks run


def value_struct(plan: Plan, widths: Widths) -> Struct:
    """The params of one value."""
    params = sorted(plan.program.params, key=lambda param: -element_dtype(param.type, widths).itemsize)
    fields = tuple(Field(param.name, param.type) for param in params)
    return Struct("value_params", fields, "The params of one of the values.")


def batch_struct(plan: Plan) -> Struct:
    """All values, and the addresses of what each value and each team has for itself."""
    assert plan.teams is not None
    return Struct(
        "batch_slice",
        (
            Field("count", Type.UINT64, "values"),
            Field("next", Pointer("uint64"), "the first that no team has taken"),
            Field("values", Pointer("const value_params")),
            Field("record", Type.UINT64, "bytes from the record of a value to that of the next"),
            Field("zeros", Type.UINT64, "bytes from what a team has to what the next one has"),
            Field("room", Type.UINT64, "the same of what needs no zeros"),
            Field("rows", Type.UINT64, "of each array of rows: bytes of a row", max(len(plan.teams.rows), 1)),
        ),
        "What teams run for.",
    )


def batch_dtypes(plan: Plan, widths: Widths) -> tuple[numpy.dtype[numpy.void], numpy.dtype[numpy.void]]:
    """Those of a value's params and of the batch."""
    return struct_dtype(value_struct(plan, widths), widths), struct_dtype(batch_struct(plan), widths)
