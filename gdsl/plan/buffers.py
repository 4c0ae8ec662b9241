"""Decides every array of a run: what it holds, how long it is, who allocates it, what it holds at first."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator

from gdsl.extents import EDGES, TRACE_CAPACITY, VERTICES, Extent, Fixed, Parts, Sum, Times
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Role as IrRole
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Degree, Domain, Over
from gdsl.plan import block_cache, functor_facts, gpu_copies, scalar_copies, structs, votes
from gdsl.plan.buffer_nodes import GRAPH, PROBLEM, Allocator, Buffer, Cleared, Role, Struct, of_array, of_run, of_scalar
from gdsl.plan.deduplication import repeated_of, room_of
from gdsl.plan.facts import Facts
from gdsl.plan.hints import FewAsList
from gdsl.plan.nodes import Dedup, FarEnds, Form, Initialize, Loop, MakeGraph, Mode, On, Operation, Plan, Sweep
from gdsl.plan.small_frontiers import push_in
from gdsl.plan.solo_rounds import solo_loops
from gdsl.plan.walking import (
    combinations,
    cuts_lists,
    deepest_on,
    numbered_domains,
    steps_in,
    sweeps,
    sweeps_of,
    variants_of,
)
from gdsl.plan.work_order import key_type, most_visits, orders
from gdsl.types import Type, Widths

GRAPH_SCRATCH, SUBGRAPH_SCRATCH = 4, 2
"""Arrays that sorting and adding up take while a graph is made: two each, from one to the other and back. A subgraph
takes no sorting."""
HOISTED = "hoisted_graphs"
"""The buffers with what is known of each graph that is kept."""
_OF_MADE_GRAPHS = {
    "offsets": "offsets",
    "edge_ids": "reverse_edges",
    "neighbors": "columns",
    "columns": "columns",
    "sources": "edge_sources",
    "in_offsets": "in_offsets",
    "in_sources": "in_sources",
    "in_edges": "in_edges",
    "reverse": "reverse_edges",
}
"""The arrays of a graph that is made, each with the part of the given graph that is like it."""
_BACK_OF_MADE = ("in_offsets", "in_sources", "in_edges")
MOST_GPUS = 64
"""Kernels that run together on several GPUs, at most."""
OWN_QUEUE_HEAD = 8
"""Words before the members of a queue that a GPU has of its own, of which the first one counts them."""
NUMBERED_AT_ONCE = 1024
"""Ids whose members are counted together before they are numbered: a word for each lane of a warp."""

_OFFSETS = Sum((VERTICES, Fixed(1)))
_OF_DOMAIN: dict[Domain, tuple[str, Type, Extent]] = {
    Domain.VERTEX: ("", Type.VERTEX, VERTICES),
    Domain.EDGE: ("edge_", Type.EDGE, EDGES),
}
"""How the buffers of a domain's frontiers are called, what their queues hold, and how long they are."""
ENDS = {IrRole.SOURCE: "edge_sources", IrRole.DESTINATION: "columns"}
"""The part of a graph that has this end of each edge."""
_PARTS: dict[str, tuple[Type, Extent]] = {
    "offsets": (Type.EDGE, _OFFSETS),
    "columns": (Type.VERTEX, EDGES),
    "in_offsets": (Type.EDGE, _OFFSETS),
    "in_sources": (Type.VERTEX, EDGES),
    "in_edges": (Type.EDGE, EDGES),
    "edge_sources": (Type.VERTEX, EDGES),
    "reverse_edges": (Type.EDGE, EDGES),
}
"""The parts of a graph, in the order of `graph_slice`."""
_LISTS = {Over.OUT_EDGES: ("offsets", "columns"), Over.IN_EDGES: ("in_offsets", "in_sources")}
_DEGREES = {Over.OUT_EDGES: ("offsets",), Over.IN_EDGES: ("in_offsets",), Over.ALL_EDGES: ("offsets", "in_offsets")}


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with every buffer that it needs."""
    return fill(plan)


def fill(plan: Plan) -> Plan:
    """`plan` with its buffers, and with what its launches hand on."""
    if not plan.target.fused:
        slots = (plan.slots(Domain.VERTEX), plan.slots(Domain.EDGE))
        around = deepest_on(plan.schedule)
        saved = structs.saved_state(*slots, len(plan.switches), len(plan.graphs), around)
        plan = dataclasses.replace(plan, saved=saved)
    buffers = (*_graph(plan), *_problem(plan), *_temporaries(plan), *_tables(plan))
    if not plan.target.allocates_itself:
        buffers = (*buffers, *_run(plan), *_frontiers(plan), *_made_graphs(plan, buffers))
    return dataclasses.replace(plan, buffers=buffers)


# The graph


def _graph(plan: Plan) -> Iterator[Buffer]:
    needed = set(_parts_read(plan))
    needed |= _parts_of_graphs(plan, needed)
    for name, (element, extent) in _PARTS.items():
        if name in needed:
            yield Buffer(name, element, extent, Role.GRAPH, Allocator.CALLER, Cleared.GIVEN, GRAPH)
    if plan.graphs and not plan.target.allocates_itself:
        yield Buffer("edge_ids", Type.EDGE, EDGES, Role.GRAPH, Allocator.CALLER, Cleared.GIVEN, GRAPH)
        yield Buffer("neighbors", Type.VERTEX, EDGES, Role.GRAPH, Allocator.CALLER, Cleared.GIVEN, GRAPH)


def _parts_read(plan: Plan) -> Iterator[str]:
    for node in walk(code_of(plan.program)):
        if isinstance(node, ir.DegreeOf):
            yield "offsets" if node.degree is Degree.OUT else "in_offsets"
        elif isinstance(node, ir.Place):
            yield "offsets"
        yield from functor_facts.parts_read(node)
    for sweep in sweeps(plan):
        yield from _parts_of(sweep, plan.target.grid)
    for step in steps_in(plan.schedule):
        if isinstance(step, FarEnds):
            yield ENDS[step.step.end]
    for frontier in plan.frontiers:
        if frontier.counts is not None:
            yield from _DEGREES[frontier.counts]


def _parts_of_graphs(plan: Plan, needed: set[str]) -> frozenset[str]:
    """What graphs are made of, and what is made with them."""
    if not plan.graphs:
        return frozenset()
    back = {"in_offsets", "in_sources", "in_edges"} if needed & {"in_offsets", "in_sources", "in_edges"} else set()
    return frozenset({"offsets", "columns", "edge_sources", *back})


def code_of(program: ir.Program) -> tuple[object, ...]:
    """What a backend runs of a program: not `where`, which is tested before."""
    initial = tuple(each.initial for each in program.data if each.initial is not None)
    functors = (program.vertex_functors, program.edge_functors, program.vote_functors)
    return (program.functions, *functors, program.schedule, initial)


def _parts_of(sweep: Sweep, grid: bool) -> Iterator[str]:
    if sweep.members.domain is Domain.EDGE:  # of all edges a grid takes one by one, others the list of each source
        alone = grid or sweep.members.frontier is not None
        yield from ("columns", "edge_sources" if alone else "offsets")
    if sweep.intersection is not None:
        if grid and sweep.intersection.edge_ids:
            yield "edge_sources"
        yield from (*_LISTS[sweep.intersection.source], *_LISTS[sweep.intersection.destination])
    if sweep.walks and sweep.balance is Balance.EDGES:
        yield from ("columns", "edge_sources")
        return
    for each in sweep.walks:
        yield from _LISTS[each.lists]
        if each.lists is Over.IN_EDGES and each.edge_ids:
            yield "in_edges"


# The problem data


def _problem(plan: Plan) -> Iterator[Buffer]:
    first = next(step for step in steps_in(plan.schedule) if isinstance(step, Initialize))
    begun = {each.name for each in (*first.vertex_arrays, *first.edge_arrays)}
    narrow = dict(plan.narrow)
    for array in plan.program.arrays:
        buffer = of_array(array)
        buffer = dataclasses.replace(buffer, element=narrow.get(array.name, array.type))
        lacks = buffer.cleared is Cleared.INITIAL and array.name not in begun
        yield dataclasses.replace(buffer, cleared=Cleared.WRITTEN) if lacks else buffer
    for scalar in plan.program.scalars:
        rotates = any(each.name == scalar.name for each in plan.rotations)
        yield of_scalar(scalar, scalar_copies.PLACES * scalar_copies.stride(scalar.type) if rotates else 1)


def _temporaries(plan: Plan) -> Iterator[Buffer]:
    arrays = {array.name: array for array in plan.program.arrays}
    results = (sweep.segment or sweep.vote for sweep in sweeps(plan))
    staging = {each.staging: arrays[each.array] for each in results if each is not None and each.staging is not None}
    allocator = Allocator.PROGRAM if plan.target.allocates_itself else Allocator.HOST
    for name, array in staging.items():
        yield Buffer(name, array.type, array.extent, Role.TEMPORARY, allocator, Cleared.WRITTEN, PROBLEM)


def _tables(plan: Plan) -> Iterator[Buffer]:
    """Tables of one type are shared by all operators, which run one after the other."""
    tables: dict[str, tuple[Type, Sweep]] = {}
    for sweep in sweeps(plan):
        vote = sweep.vote
        if vote is not None and vote.tables is not None:
            for name, kind in ((vote.tables.keys, vote.key), (vote.tables.totals, vote.total)):
                former = tables.get(name)
                if former is None or len(former[1].walks) < len(sweep.walks):
                    tables[name] = kind, sweep
    for name, (kind, sweep) in tables.items():
        yield Buffer(name, kind, votes.places(sweep), Role.TABLES, Allocator.HOST, Cleared.WRITTEN, PROBLEM)


# What the run itself works with


def _run(plan: Plan) -> Iterator[Buffer]:
    yield of_run("control", _control(plan), Fixed(1), Role.CONTROL, cleared=Cleared.ZERO)
    yield of_run("trace", structs.TRACE_RECORD, Fixed(TRACE_CAPACITY), Role.TRACE)
    if plan.target.lanes:
        yield of_run("lanes", structs.LANE_RECORD, Fixed(TRACE_CAPACITY + 1), Role.LANES)
    if plan.target.instances or any(cuts_lists(sweep) for sweep in sweeps(plan)):
        yield of_run("hubs", structs.HUB_CHUNK, _chunks(plan), Role.HUBS)
    count = gpu_copies.copies_of(plan)
    if count:
        of_copy = Sum((Fixed(OWN_QUEUE_HEAD), VERTICES)) if plan.own_queues else VERTICES
        yield of_run("mirrors", Type.UINT64, of_copy, Role.MIRROR, count)
    if gpu_copies.shares_copies(plan):
        yield of_run("addresses", Type.UINT64, Fixed(MOST_GPUS), Role.ADDRESSES, count)
    if numbered_domains(plan):
        longest = Sum(tuple(_OF_DOMAIN[domain][2] for domain in numbered_domains(plan)))
        yield of_run("places", Type.UINT64, Parts(longest, NUMBERED_AT_ONCE), Role.PLACES)
    keys, room = key_type(plan), room_of(plan)
    if keys is not None and orders(plan):
        yield of_run("keys", keys, room, Role.KEYS, 2)
    if any(sweep.hint(FewAsList) for sweep in sweeps(plan)):
        yield of_run("listed", small_frontier_member(plan), Fixed(plan.sizes.listed_places), Role.LISTED, 2)
    if keys is not None and any(sweep.skips is not None for sweep in sweeps(plan)):
        yield of_run("visited", keys, VERTICES, Role.VISITED)
    if block_cache.has_bounds(plan.schedule):
        yield of_run("bounded", Type.VERTEX, Fixed(1 << plan.sizes.bound_bits), Role.BOUNDED)
    if any(sweep.sums_degrees for sweep in sweeps(plan)):
        yield of_run("sums", Type.UINT64, room, Role.SHARES)
        yield of_run("tiles", Type.UINT64, Sum((Parts(room, plan.sizes.block_threads), Fixed(1))), Role.SHARES)
    if any(sweep.balance is Balance.BINS for sweep in sweeps(plan)):
        yield of_run("bins", Type.VERTEX, Times(2, room), Role.SHARES, 3)
    if plan.saved is not None:
        yield of_run("saved", plan.saved, Fixed(1), Role.SAVED, cleared=Cleared.ZERO)
    if plan.target.fused and plan.swapped:
        yield of_run("outputs", Type.UINT64, Fixed(len(plan.swapped)), Role.OUTPUTS)


def _control(plan: Plan) -> Struct:
    """The counters and words of the run's control block."""
    counted = [structs.LATE] if repeated_of(plan) else []
    counted += [structs.BINS] if any(sweep.balance is Balance.BINS for sweep in sweeps(plan)) else []
    counted += [structs.SPILLED, structs.SEEN, structs.NEAREST] if orders(plan) else []
    counted += [structs.KEPT] if any(sweep.rounds is not None for sweep in sweeps(plan)) else []
    words = list(structs.VISITS) if most_visits(plan) is not None else []
    words += [structs.DONE] if plan.target.instances else []
    words += [*structs.SOLO, structs.resume_state(_most_resume_words(plan))] if any(solo_loops(plan)) else []
    return structs.control(*counted, words=tuple(words))


_RESUMED_ALWAYS, _OF_FRONTIER, _OF_DIRECTION, _OF_SCALAR, _OF_ORDER, _OF_LISTED = 4, 7, 2, 2, 20, 4
"""Words of the state that other GPUs resume with; a scalar may be a pair."""


def _most_resume_words(plan: Plan) -> int:
    """Of any loop."""
    return max(_resume_words(loop) for loop in solo_loops(plan))


def _resume_words(loop: Loop) -> int:
    solo = loop.solo
    assert solo is not None
    words = _RESUMED_ALWAYS + (len(solo.frontiers) + 1) * _OF_FRONTIER + len(solo.directions) * _OF_DIRECTION
    words += (len(solo.private) + len(solo.rotating)) * _OF_SCALAR
    return words + (_OF_ORDER if loop.order is not None else 0) + (_OF_LISTED if push_in(loop) is not None else 0)


def _chunks(plan: Plan) -> Extent:
    """Room for every chunk of every long list, in both directions: a list has at most one chunk that is not full. Votes
    have the lists themselves before the chunks of some."""
    full, started = Parts(EDGES, plan.sizes.hub_chunk, False), Parts(EDGES, plan.sizes.hub_degree, False)
    lists = (started,) if any(sweep.vote is not None for sweep in sweeps(plan)) else ()
    return Times(2, Sum((full, started, *lists, Fixed(2))))


def _frontiers(plan: Plan) -> Iterator[Buffer]:
    if plan.target.instances:  # the words of their members are buffers of `bit_parallel`
        return
    marked = marked_domains(plan)
    for domain, (prefix, kind, extent) in _OF_DOMAIN.items():
        slots = plan.slots(domain)
        bits = Parts(extent, 32)
        if slots:
            room = room_of(plan) if domain is Domain.VERTEX else bits if only_marks(plan) else extent
            yield of_run(f"{prefix}queues", kind, room, Role.QUEUE, slots)
        if slots and domain is Domain.VERTEX and needs_bitmaps(plan):
            yield of_run("bitmaps", Type.UINT32, bits, Role.BITMAP, slots)
        if domain in marked:
            yield of_run(f"{prefix}marks", Type.UINT32, bits, Role.MARKS, 2, Cleared.ZERO)


def _made_graphs(plan: Plan, others: tuple[Buffer, ...]) -> Iterator[Buffer]:
    """The arrays of all graphs in memory at one time besides the input graph, and what building them needs."""
    made = [step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph)]
    if not plan.graphs:
        return
    role, contracts = Role.MADE_GRAPH, [step.step for step in made if isinstance(step.step, ir.Contract)]
    parts = {buffer.name for buffer in others if buffer.group == GRAPH}
    back = (*_BACK_OF_MADE * ("in_offsets" in parts), *("reverse",) * ("reverse_edges" in parts))
    lists = {"offsets", "edge_ids", *back}
    run_makes = any(isinstance(step.step, ir.Subgraph) and step.hoisted is None for step in made)
    in_run = {*lists, *("neighbors",) * run_makes, *("columns", "sources") * bool(contracts)}
    if plan.graph_slots:
        yield from _of_graphs("made", in_run, role, plan.graph_slots)
    hoisted = tuple(hoisted_arrays(plan, parts))
    if hoisted:
        yield from hoisted
        copies = hoisted[0].copies
        yield of_run(HOISTED, structs.HOISTED_GRAPH, Fixed(1), Role.HOISTED_GRAPH, copies, Cleared.ZERO)
    either = Sum((VERTICES, EDGES, Fixed(2 << plan.sizes.radix_bits)))  # sorting counts the digits of so many ids
    words = Sum((Parts(EDGES, 32), Parts(EDGES, 32)))  # of bits of the places in lists, and a count of each
    if any(not isinstance(step.step, ir.SameGraph) for step in made):
        room, count = (either, GRAPH_SCRATCH) if contracts else (words, SUBGRAPH_SCRATCH)
        yield of_run("graph_scratch", Type.EDGE, room, role, count)
    if any(step.weights is not None for step in contracts):
        yield of_run("graph_sums", Type.UINT64, EDGES, role)


def hoisted_arrays(plan: Plan, parts: Collection[str]) -> Iterator[Buffer]:
    """The arrays of the graphs that are kept with the given one, of which the program reads these `parts`. A GPU finds
    also the sources of edges by their ids, where something that runs on the graph reads them."""
    made = [step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph) and step.hoisted is not None]
    if not made:
        return
    numbered = any(step.numbers_edges for step in made)
    names = {"offsets", "neighbors", *("in_offsets", "in_sources") * ("in_offsets" in parts)}
    if not numbered:
        names |= {"edge_ids", *("in_edges",) * ("in_offsets" in parts), *("reverse",) * ("reverse_edges" in parts)}
    elif not plan.target.allocates_itself and any("edge_sources" in _parts_of(each, True) for each in on_graphs(plan)):
        names.add("sources")
    yield from _of_graphs("hoisted", names, Role.HOISTED_GRAPH, len({step.hoisted for step in made}))


def on_graphs(plan: Plan) -> Iterator[Sweep]:
    """The sweeps that run on graphs which the schedule makes. Nothing else there reads edges that are numbered anew."""
    for on in steps_in(plan.schedule):
        if isinstance(on, On):
            for step in steps_in(on.body):
                yield from sweeps_of(step) if isinstance(step, Operation) else ()


def _of_graphs(word: str, names: set[str], role: Role, copies: int) -> Iterator[Buffer]:
    """These arrays of graphs that are made, each `copies` times."""
    for name, like in _OF_MADE_GRAPHS.items():
        element, extent = _PARTS[like]
        if name in names:
            yield of_run(f"{word}_{name}", element, extent, role, copies)


def small_frontier_member(plan: Plan) -> Struct:
    """The struct of a member of a set of few."""
    return structs.small_frontier_member(key_type(plan) or Type.UINT32)


def control_block(plan: Plan) -> Struct:
    """The struct of the run's control block."""
    (struct,) = (buffer.element for buffer in plan.buffers if buffer.role is Role.CONTROL)
    assert isinstance(struct, Struct)
    return struct


def marked_domains(plan: Plan) -> frozenset[Domain]:
    """What is marked against duplicates anywhere."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    domains = {collect.domain for collect in collects if collect.dedup in (Dedup.MARK, Dedup.LATE, Dedup.RANK)}
    ends = any(isinstance(step, FarEnds) for step in steps_in(plan.schedule))
    domains |= {each.asked.domain for each in combinations(plan) if each.marks}
    made = (step.step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph) and not step.marked)
    domains |= {Domain.EDGE for step in made if isinstance(step, ir.Subgraph)}
    domains |= {domain for domain in numbered_domains(plan) if domain is Domain.EDGE}
    return frozenset(domains | {Domain.VERTEX} if ends else domains)


def only_marks(plan: Plan) -> bool:
    """Whether all sets of edges are rows of marks, so that none needs room for a queue."""
    collects = (sweep.collect for sweep in sweeps(plan) if sweep.collect is not None)
    marked = {collect.frontier for collect in collects if collect.form is Form.MARKS}
    return {each.name for each in plan.frontiers if each.domain is Domain.EDGE} <= marked


def needs_bitmaps(plan: Plan) -> bool:
    """Whether any frontier is made or read as a bitmap; then any may come to be one."""
    forms = [sweep.members.form for sweep in sweeps(plan)]
    forms += [sweep.collect.form for sweep in sweeps(plan) if sweep.collect is not None]
    forms += [each.asked.form for each in combinations(plan)]
    pulls = any(sweep.selection is not None and sweep.collect is not None for sweep in sweeps(plan))
    return pulls or Form.BITMAP in forms or Domain.VERTEX in numbered_domains(plan)


# Decides which data needs a compare-and-swap of 128 bits: pairs that do not fit a word, updated by several threads.


def exchanged_pairs(plan: Plan, widths: Widths) -> tuple[ir.Array | ir.Scalar, ...]:
    """The arrays and scalars that it is needed for, in the order of their declarations."""
    wide = [each for each in plan.program.data if each.type.is_pair and widths.of(each.type) > 64]
    if not wide:
        return ()
    updated = {functor.name: _updated(functor.body) for functor in plan.program.functors}
    names = {name for sweep in sweeps(plan) for name in _exchanged(sweep, updated)}
    return tuple(each for each in wide if each.name in names)


def _exchanged(sweep: Sweep, updated: dict[str, frozenset[str]]) -> Iterator[str]:
    """What a sweep combines with memory that other threads may change."""
    for variant in variants_of(sweep):
        shared = (write.name for write in variant.writes if write.mode is not Mode.PLAIN)
        yield from (name for name in shared if name in updated[variant.functor])
        if variant.claim is not None:
            yield variant.claim.array
    if sweep.segment is not None and any(each.shared is not None for each in sweep.walks):
        yield sweep.segment.array


def _updated(body: object) -> frozenset[str]:
    targets = (node.target for node in walk(body) if isinstance(node, (ir.Update, ir.CompareAndSwap)))
    return frozenset(target.data for target in targets)
