"""Pass `vertex_order`: whether a run may renumber the vertices by degree, and the memory that this needs.

A program whose results do not depend on ids (`gdsl.uniqueness.layout` proves this) may run on a graph whose vertices
are numbered by decreasing degree; vertices of equal degree keep their order. Most edges lead to hubs, so their values
are then adjacent and share cache lines, and hubs come first in every list, where a pull that stops early finds them.
The generated code is the same. The host passes it another graph, which is built once and kept with the input graph, and
translates at the border: params and inputs before the run, results after it, within the time of the run. Only programs
that turn ids into numbers need other code, which looks up the input ids; it is compiled for the first such graph.

Renumbering gains nothing on graphs whose degrees are similar, or on small graphs, which fit in the cache. So `auto`
depends on the graph: what the cache saves along its edges must be more than results in another order cost. It is not
worth it if only the host can build parts of the graph, for reductions that may profit from other neighbors first, or if
ids must be looked up for every edge, or if every edge adds to the value at its far end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection

from gdsl.extents import EDGES, VERTICES, Extent, Fixed, Sum, Times
from gdsl.ir import nodes as ir
from gdsl.ir.ids import NAME as GIVEN_IDS
from gdsl.ir.ids import looked_up_in_walks, looks_up, with_given_ids
from gdsl.ir.nodes import Array, Element, ElementTarget, Param, Program, Scalar
from gdsl.ir.traversal import walk
from gdsl.operations import ADDITIVE, Domain, Layout
from gdsl.passes.writers import far_roles
from gdsl.plan import block_cache
from gdsl.plan.buffer_nodes import GRAPH, LAYOUT, PROBLEM, Allocator, Buffer, Cleared, Role
from gdsl.plan.facts import Facts
from gdsl.plan.graph_class import LARGE
from gdsl.plan.nodes import Plan, Renumbering
from gdsl.plan.occupancy import searches
from gdsl.plan.walking import sweeps
from gdsl.types import Type

LEAST_EDGES = 1 << 22
"""Graphs of fewer edges fit into a GPU's cache."""
READS = 0.25
"""A value that is put in another order costs as much as so many reads of edges' ends that are in a cache instead.
Measured on power laws, a web graph and the classes of `bench`: a search, which moves three values of each vertex, gains
from 0.8 reads saved for each of them on, and loses with 0.2 and fewer."""
READS_KEPT = 2.5
"""Blocks that keep the first values in their own memory have two thirds of the warps that reductions have otherwise. It
is worth it from so many reads saved for each vertex: PageRank and HITS gain 6 to 33 percent with 2.8 to 9.7 (R-MAT and
power laws of 8 to 61 edges a vertex), and lose 4 or gain 2 with 2.5, and lose 5 to 12 with 1.3 to 1.8, and more on
stars (H200). It does not see whether values fit into L2: R-MAT of 17 million vertices, whose values do not, gains 39
with 1.7; `alternatives` has runs try the other numbering."""
LEAST_VERTICES = LARGE
"""Searches gain nothing on as few vertices, whose values are in L2 in any order: their passes are short, and
wait for the warps that have the hubs of neighboring ids. BFS on R-MAT and Barabasi's graphs of a million vertices takes
1.4 to 1.7 times as long by degree; on R-MAT of two million vertices .87, of four .78 (H200)."""
WORTH = f"there are {LEAST_EDGES:,} edges and more, and reads along them gain more than results in another order cost"

_MOST_VERTICES = 1 << 31
"""Both ends of an edge are one word while they are sorted."""
MADE_ON_DEVICE = ("offsets", "columns", "in_offsets", "in_sources", "edge_sources", "edge_ids", "neighbors")
"""The parts of a graph that are made without the host."""
LISTS = ("offsets", "columns", "in_offsets", "in_sources")
"""Those that every numbering makes; of a graph that has each edge both ways the last two are the first two."""
_ENDS = ("columns", "in_sources")


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the order of its vertices."""
    return dataclasses.replace(plan, layout=renumbering_of(plan))


def renumbering_of(plan: Plan) -> Renumbering | None:
    """How `plan` may run on other ids; None where it runs on those that are given."""
    program, asked = plan.program, plan.program.tuning.layout
    if not program.any_ids or not plan.target.grid or asked is Layout.AS_GIVEN:
        return None
    parts = [buffer for buffer in plan.buffers if buffer.group == GRAPH]
    names = [part.name for part in parts]
    worth = any(name in _ENDS for name in names) and all(name in MADE_ON_DEVICE for name in names)
    worth = worth and not _leaves_lists(plan)
    if asked is Layout.AUTO and not worth:
        return None
    asks = looks_up(program)
    if asked is Layout.AUTO and asks and looked_up_in_walks(with_given_ids(program)):
        return None
    outside = [array for array in program.arrays if not array.is_local and array.name != GIVEN_IDS]
    border = [array for array in outside if array.domain is Domain.VERTEX]
    of_edges = [array.name for array in outside if array.domain is Domain.EDGE]
    if asked is Layout.AUTO and (_updates_by_values(program, of_edges) or _sums_on_every_edge(program)):
        return None
    scalars = [scalar for scalar in program.scalars if not scalar.is_local]
    data: tuple[Param | Array | Scalar, ...] = (*program.params, *border, *scalars)
    ids = [each.name for each in data if each.type is Type.VERTEX]
    arrays = [array.name for array in border]
    others = (part for part in parts if part.name not in LISTS)
    held = (*_names(), *_lists(), *(_in_layout(part, part.role) for part in others))
    edges = (_buffer("edges", Type.EDGE, EDGES, Role.NAMES_OF_EDGES),) if of_edges else ()
    buffers = (*held, *edges, *_sorted(), *_other_order(plan, [*arrays, *of_edges]))
    keeps = asked is Layout.AUTO and bool(block_cache.could_keep(program, plan.target))
    kinds = asked is Layout.BY_DEGREE, asks, keeps, searches(program)
    return Renumbering(*kinds, tuple(ids), tuple(arrays), tuple(of_edges), buffers)


def can_be_put(layout: Renumbering, own: Collection[str]) -> bool:
    """Whether a run can use other ids, if the inputs `own` are the graph's. Those are put in the other order
    once a graph; a caller's array of edges would be moved in each call, which takes longer than most runs gain."""
    return layout.always or all(name in own for name in layout.of_edges)


def can_be_in_host(plan: Plan, layout: Renumbering) -> bool:
    """Whether a run on other ids may have its edge lists in the memory of the host: all parts of the graph that it
    reads can be created a piece at a time, it has no arrays of edges to reorder, and needs no kernel of its own."""
    parts = (buffer.name for buffer in plan.buffers if buffer.group == GRAPH)
    return not layout.apart and not layout.of_edges and all(name in MADE_ON_DEVICE for name in parts)


def _updates_by_values(program: Program, of_edges: list[str]) -> bool:
    """Whether a functor that reads one of these inputs of edges also writes: what it adds to values of hubs, or makes
    the least of, meets in few lines of the cache then, and that costs more than it gains (shortest paths on rmat22: 3.4
    ms for 3.2)."""
    for functor in program.edge_functors:
        nodes = list(walk(functor))
        reads = any(isinstance(node, Element) and node.array in of_edges for node in nodes)
        if reads and any(isinstance(node, ElementTarget) for node in nodes):
            return True
    return False


def _sums_on_every_edge(program: Program) -> bool:
    """Whether an operator adds to values at far ends or of common neighbors, whatever these have: sums of hubs meet in
    few lines of the cache then, one after the other. On rmat20 PageRank by pushes took 35.4 ms for 22.5, clustering
    coefficients 71.5 for 27.8. Where a condition asks about the far end, most edges to hubs add nothing; and a
    reduction sends only where few edges do."""
    functors = {functor.name: functor for functor in program.edge_functors}
    for step in walk(program.schedule):
        if not isinstance(step, ir.Advance | ir.Intersect) or step.functor is None:
            continue
        if isinstance(step, ir.Advance) and step.sends:
            continue
        functor = functors[step.functor]
        far = far_roles(step.over) if isinstance(step, ir.Advance) else _OF_TRIANGLES
        if not any(_speaks_of(far, each) for each in functor.condition) and any(
            isinstance(node, ir.Update) and node.operation in ADDITIVE and _is_vertex_of(far, node.target)
            for node in walk(functor.body)
        ):
            return True
    return False


_OF_TRIANGLES = frozenset({ir.Role.SOURCE, ir.Role.DESTINATION, ir.Role.COMMON})


def _speaks_of(roles: Collection[ir.Role], condition: ir.Expression) -> bool:
    return any(isinstance(node, Element) and ir.is_parameter(node.index, *roles) for node in walk(condition))


def _is_vertex_of(roles: Collection[ir.Role], target: ir.Target) -> bool:
    if not isinstance(target, ElementTarget) or target.domain is not Domain.VERTEX:
        return False
    return ir.is_parameter(target.index, *roles)


def looking_up(program: Program) -> Program:
    """What runs in the place of a `program` that must look up the given ids, or keep the first values, on other ids
    alone."""
    tuning = dataclasses.replace(program.tuning, layout=Layout.BY_DEGREE)
    made = dataclasses.replace(program, tuning=tuning)
    return with_given_ids(made) if looks_up(program) else made


def _leaves_lists(plan: Plan) -> bool:
    """Whether a reduction leaves lists early. With hubs in front that may be much later than in the order of the lists
    as given: it was in the one program of this kind that was measured, which looks for small degrees."""
    return any(sweep.segment is not None and sweep.segment.stops_at is not None for sweep in sweeps(plan))


def is_worth(layout: Renumbering, num_vertices: int, num_edges: int, saved: Callable[[], float]) -> bool:
    """Whether a run on a graph is one on other ids. `saved`: how many reads of edges' ends they save for each vertex
    (`gdsl.backends.cuda.degree_order`), which takes time to find out."""
    if not 0 < num_vertices < _MOST_VERTICES:
        return False
    if layout.always:
        return True
    if layout.searches and num_vertices <= LEAST_VERTICES:
        return False
    least = max(READS * max(_moves(layout), 1), READS_KEPT if layout.keeps else 0.0)
    return num_edges >= LEAST_EDGES and saved() >= least


def _moves(layout: Renumbering) -> int:
    """How many values of each vertex are put in another order, by a read at random each: of ids also what they are."""
    return sum(2 if name in layout.ids else 1 for name in layout.arrays)


def _names() -> tuple[Buffer, ...]:
    """By new id the given one, and by given id the new one."""
    return tuple(_buffer(name, Type.VERTEX, VERTICES, Role.NAMES) for name in ("order", "rank"))


def _lists() -> tuple[Buffer, ...]:
    """The lists of the graph, which are allocated whether the program reads them or not."""
    kinds, extents = (Type.EDGE, Type.VERTEX) * 2, (Sum((VERTICES, Fixed(1))), EDGES) * 2
    return tuple(_buffer(*each, Role.GRAPH) for each in zip(LISTS, kinds, extents, strict=True))


def _sorted() -> tuple[Buffer, ...]:
    """The edges while they are sorted, from one array to the other and back."""
    return (_buffer("keys", Type.UINT64, Times(2, EDGES), Role.SORTED),)


def _other_order(plan: Plan, arrays: list[str]) -> tuple[Buffer, ...]:
    """Copies of the arrays that the caller sees, in the other order."""
    own = (buffer for buffer in plan.buffers if buffer.group == PROBLEM)
    return tuple(_in_layout(buffer, buffer.role) for buffer in own if buffer.name in arrays)


def _in_layout(like: Buffer, role: Role) -> Buffer:
    assert isinstance(like.element, Type)
    return _buffer(like.name, like.element, like.extent, role)


def _buffer(name: str, element: Type, extent: Extent, role: Role) -> Buffer:
    return Buffer(name, element, extent, role, Allocator.HOST, Cleared.WRITTEN, LAYOUT)
