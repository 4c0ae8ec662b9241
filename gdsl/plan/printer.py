"""A plan as text (`gdslc compile --emit plan`): what will happen on the device, before any CUDA is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gdsl.ir.printer import print_expression
from gdsl.operations import Domain
from gdsl.plan import heuristics, renumbering
from gdsl.plan.buffer_nodes import Buffer, Field, Pointer, Role, Struct
from gdsl.plan.graph_class import FACTS, GENERAL
from gdsl.plan.hints import SourceTables
from gdsl.plan.instance_nodes import BitParallel, BitWalk
from gdsl.plan.nodes import Frontier, Plan, Renumbering, Teams
from gdsl.plan.printer_exchanges import print_distribution
from gdsl.plan.printer_steps import print_initial, print_steps
from gdsl.plan.printer_sweeps import print_barrier
from gdsl.plan.target import INSTANCES
from gdsl.plan.walking import counts_in_tables, operations, sweeps
from gdsl.types import Type


def print_plan(plan: Plan, *, classes: bool = True) -> str:
    """The whole plan as text that ends with a line end; equal plans give equal text. `classes`: with the class of
    graphs that it is for, and those for which there is another one."""
    target = plan.target
    form = "one launch" if target.fused else "a launch for each step"
    form += ", several workers" if target.workers else ""
    if target.several_gpus:
        form = "one launch on each of several GPUs, atomic and synchronized for all of them"
        form += ", a lane of the trace for each" if target.lanes else ""
    lines = [f"plan of {plan.program.name} for {target.name}, {form}"]
    if classes:
        lines += [f"graph class: {plan.graph}", *(_other_classes(plan) if plan.graph == GENERAL else ())]
    lines += [f"sizes: {', '.join(_sizes(plan))}"]
    lines += ["", "buffers:", *_table([_buffer(buffer) for buffer in plan.buffers])]
    if plan.frontiers:
        lines += ["", "frontiers:", *_frontiers(plan)]
        lines += _spare(plan)
    if plan.saved is not None:
        lines += ["", "handed on between launches:", *(f"    {_field(field)}" for field in plan.saved.fields)]
    if plan.graphs:
        slots = f"room for {plan.graph_slots} at a time" if plan.graph_slots else "kept with the given one"
        lines += ["", f"graphs: {', '.join(plan.graphs)}; {slots}"]
    if plan.distribution is not None:
        parts = tuple(buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH)
        lines += ["", *print_distribution(plan.distribution, parts)]
    if plan.layout is not None:
        lines += ["", *_layout(plan.layout)]
    if plan.teams is not None:
        lines += ["", *_teams(plan.teams)]
    if plan.bits is not None:
        lines += ["", *_bits(plan, plan.bits)]
    if plan.swapped:
        lines += ["", f"change places: {', '.join(plan.swapped)}"]
    if plan.rotations:
        lines += ["", f"rotating scalars: {', '.join(print_initial(each) for each in plan.rotations)}"]
    if plan.replicas:
        lines += ["", f"each GPU has all of: {', '.join(each.array for each in plan.replicas)}"]
    lines += ["", "schedule:", *print_steps(plan.schedule, plan)]
    return "\n".join(lines) + "\n"


def _other_classes(plan: Plan) -> Iterator[str]:
    """The classes of graphs for which the program has another plan, and what is different there."""
    if plan.target.name != "cuda":
        return
    for fact, effect in heuristics.effects_of_graph(plan.program).items():
        yield f"    {fact} ({FACTS[fact]}): another plan, {effect}"


def _layout(layout: Renumbering) -> list[str]:
    where = "" if layout.always else f" where {renumbering.WORTH}"
    lines = [f"layout: vertices by decreasing degree{where}"]
    why = "which looks up the ids as given" if layout.looks_up else "whose blocks keep the first values"
    lines += [f"    in a kernel of its own, {why}"] if layout.apart else []
    lines += [f"    in the other order: {', '.join(layout.arrays)}"] if layout.arrays else []
    if layout.of_edges:
        own = "" if layout.always else ", where they are the graph's own"
        lines.append(f"    in the order of its edges{own}: {', '.join(layout.of_edges)}")
    lines += [f"    ids from one order to the other: {', '.join(layout.ids)}"] if layout.ids else []
    return [*lines, *_table([_buffer(buffer) for buffer in layout.buffers])]


def _teams(teams: Teams) -> list[str]:
    """Where buffers are stored in a launch for many values."""
    places = {
        "a row a value": teams.rows,
        "in the record of a value": teams.records,
        "a team's, zeros again after each value": teams.zeros,
        "a team's": teams.scratch,
    }
    lines = [f"    {place}: {', '.join(map('.'.join, names))}" for place, names in places.items() if names]
    moved = [f"    {print_barrier(teams.barrier)}"] if teams.barrier is not None else []
    return ["teams of blocks, each with one value after the other:", *lines, *moved]


def _spare(plan: Plan) -> list[str]:
    slots = {domain: plan.slots(domain) for domain in Domain}
    words = {Domain.VERTEX: "", Domain.EDGE: " of edges"}
    return [f"    a spare one{words[domain]}, slot {count - 1}" for domain, count in slots.items() if count]


def _sizes(plan: Plan) -> list[str]:
    sizes = plan.sizes
    if not plan.target.grid:
        tables = f"tables of votes with a place for each vertex up to {sizes.own_votes} vertices"
        return [
            f"one thread up to {sizes.small_work} elements",
            f"lists of {sizes.hub_degree} edges and more in chunks of {sizes.hub_chunk}",
            *([tables] if counts_in_tables(plan) else []),
        ]
    return [
        f"{sizes.block_threads} threads per block",
        f"lists of {sizes.hub_degree} edges and more in chunks of {sizes.hub_chunk}",
        f"a pull tries {sizes.pull_prefix} of them first, {sizes.pulled_at_once} side by side",
        *_reductions(plan),
        *_votes(plan),
        _registers(plan),
        *(["what operators share is called"] if plan.outlined else []),
        *_walks(plan),
    ]


def _reductions(plan: Plan) -> list[str]:
    sizes = plan.sizes
    if not any(sweep.segment is not None for sweep in sweeps(plan)):
        return []
    return [
        f"lists up to {sizes.short_list} reduced by a thread each, up to {sizes.grouped_list} by eight",
        f"from {sizes.reduced_hub} on in chunks of {sizes.reduced_chunk}",
    ]


def _votes(plan: Plan) -> list[str]:
    sizes = plan.sizes
    if not any(sweep.vote is not None for sweep in sweeps(plan)):
        return []
    return [
        f"votes of up to {sizes.voted_alone} edges by a thread each, of up to {sizes.voted_by_lanes} in registers",
        f"of more in {8 * sizes.vote_words} bytes a block, all of them from {sizes.hub_degree} on",
    ]


def _registers(plan: Plan) -> str:
    resident = plan.resident_threads
    wanted = "as the compiler sees fit" if resident is None else f"for {resident} threads side by side"
    return f"registers {wanted}"


def _walks(plan: Plan) -> list[str]:
    if not any(sweep.intersection is not None for sweep in sweeps(plan)):
        return []
    lines = [f"walks of an intersection cut from {plan.sizes.long_walk} places on"]
    if any(sweep.hint(SourceTables) is not None for sweep in sweeps(plan)):
        sizes = plan.sizes
        lines.append(f"lists of {sizes.table_least} neighbors and more as tables of up to {sizes.table_slots} places")
    return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    return [
        "    " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _buffer(buffer: Buffer) -> tuple[str, ...]:
    allocator = f"allocated by {buffer.allocator.value}"
    return (
        f"{buffer.group}.{buffer.name}",
        elements_of(buffer),
        buffer.role.value,
        allocator,
        buffer.cleared.value,
    )


def elements_of(buffer: Buffer) -> str:
    """How many elements of which type a buffer has, such as ``2 of vertex * V``."""
    copies = f"{buffer.copies} of " if buffer.copies else ""
    return f"{copies}{_type(buffer.element)} * {buffer.extent}"


def _type(kind: Type | Struct | Pointer) -> str:
    if isinstance(kind, Pointer):
        return f"{kind.to}*"
    return kind.name


def _field(field: Field) -> str:
    return f"{_type(field.type)} {field.name}" + (f"[{field.count}]" if field.count else "")


def _frontiers(plan: Plan) -> list[str]:
    owners, sharing = plan.owners(), defaultdict[str, list[str]](list)
    for name, owner in owners.items():
        sharing[owner].append(name)
    lines = []
    for frontier in plan.frontiers:
        owner, names = owners[frontier.name], sharing[frontier.name]
        shared = f", shared by {', '.join(names[1:])}" if len(names) > 1 else f", that of {owner}" if not names else ""
        lines.append(f"    {_frontier(frontier, shared)}")
    return lines


def _frontier(frontier: Frontier, shared: str) -> str:
    counts = f", counts their {frontier.counts.value}" if frontier.counts is not None else ""
    return f"{frontier.name}: {frontier.domain.plural}, slot {frontier.slot}{shared}{counts}"


def _bits(plan: Plan, bits: BitParallel) -> list[str]:
    """A line for each test that has a bit, and for each advance."""
    functors = {each.name: each for each in plan.program.vertex_functors}
    lines = [f"up to {INSTANCES * plan.sizes.instance_words} instances together, a bit for each in:"]
    for number, test in enumerate(bits.tests):
        (condition,) = functors[test.functor].condition
        lines.append(f"    test {number}: {print_expression(condition)}")
    by_site = {each.step.site: each for each in operations(plan)}
    lines += [f"    {by_site[each.site].name}: {', '.join(_words(each, bits))}" for each in bits.walks]
    return lines + [f"    the same in all: {', '.join(bits.shared_params)}"] * bool(bits.shared_params)


def _words(walk: BitWalk, bits: BitParallel) -> Iterator[str]:
    yield "members"
    yield from (f"test {number} of the near end" for number in walk.near)
    yield from (f"test {number} of the far end" for number in walk.far)
    if walk.shared.tests:
        yield f"{len(walk.shared.tests)} conjuncts for all"
    if walk.closes is not None:
        yield f"closes test {walk.closes}"
    yield from (f"renews test {each.test} at {each.end.value}" for each in bits.renewed(walk.site))
    if walk.may_pull:
        yield "pushes or pulls"
