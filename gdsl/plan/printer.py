"""A plan as text (`gdslc compile --emit plan`): what will happen on the device, before any CUDA is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gdsl.ir.nodes import (
    CheckPairs,
    CheckWidth,
    ChooseBound,
    Contract,
    NumberMembers,
    PushLevel,
    StoreElement,
    Subgraph,
    TakeLevel,
)
from gdsl.ir.printer import print_expression, print_target
from gdsl.operations import Domain, ReduceOperation, SetOperation
from gdsl.plan import heuristics, renumbering
from gdsl.plan.graph_class import FACTS, GENERAL
from gdsl.plan.hints import SourceTables
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Combine,
    Copy,
    Define,
    EnterGraph,
    Everyone,
    FarEnds,
    Fill,
    Form,
    Frontier,
    HandBack,
    Initial,
    Initialize,
    Keep,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    NearFar,
    On,
    OnSets,
    Operation,
    Plan,
    Renumbering,
    Step,
    Swap,
    Teams,
    Turn,
)
from gdsl.plan.printer_sweeps import print_barrier, print_operation
from gdsl.plan.storage import Buffer, Field, Pointer, Struct
from gdsl.plan.walking import counts_in_tables, sweeps
from gdsl.types import Type


def print_plan(plan: Plan, *, classes: bool = True) -> str:
    """The whole plan as text that ends with a line end; equal plans give equal text. `classes`: with the class of
    graphs that it is for, and those for which there is another one."""
    target = plan.target
    form = "one launch" if target.fused else "a launch for each step"
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
        lines += ["", f"graphs: {', '.join(plan.graphs)}; room for {plan.graph_rooms} at a time"]
    if plan.layout is not None:
        lines += ["", *_layout(plan.layout)]
    if plan.teams is not None:
        lines += ["", *_teams(plan.teams)]
    if plan.swapped:
        lines += ["", f"change places: {', '.join(plan.swapped)}"]
    if plan.turning:
        lines += ["", f"turn: {', '.join(_initial(each) for each in plan.turning)}"]
    lines += ["", "schedule:", *_steps(plan.schedule, plan)]
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
    """Where buffers lie in a launch for many values."""
    places = {
        "a row a value": teams.rows,
        "in the record of a value": teams.records,
        "a team's, zeros again after each value": teams.zeros,
        "a team's": teams.rooms,
    }
    told = [f"    {place}: {', '.join(map('.'.join, names))}" for place, names in places.items() if names]
    moved = [f"    {print_barrier(teams.barrier)}"] if teams.barrier is not None else []
    return ["teams of blocks, each with one value after the other:", *told, *moved]


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
    made = f"allocated by {buffer.made.value}"
    return (
        f"{buffer.group}.{buffer.name}",
        elements_of(buffer),
        buffer.role.value,
        made,
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
    domain = "vertices" if frontier.domain is Domain.VERTEX else "edges"
    counts = f", counts their {frontier.counts.value}" if frontier.counts is not None else ""
    return f"{frontier.name}: {domain}, slot {frontier.slot}{shared}{counts}"


# ---------------------------------------------------------------- schedule


def _steps(steps: tuple[Step, ...], plan: Plan) -> list[str]:
    return ["    " + line for step in steps for line in _step(step, plan)]


def _step(step: Step, plan: Plan) -> list[str]:
    show = print_expression
    match step:
        case Operation():
            return print_operation(step, plan)
        case Initialize():
            initial = (*step.vertex_arrays, *step.edge_arrays, *step.scalars)
            line = f"initialize: {', '.join(_initial(each) for each in initial) or 'nothing'}"
            return [line, *([print_barrier(step.barrier)] if step.barrier is not None else [])]
        case Barrier():
            return [print_barrier(step)]
        case Leader():
            return [_leader(step)]
        case Turn() | Keep() | Everyone() | HandBack():
            return [_turn(step)]
        case Fill():
            return [f"fill: {step.step.array} with {show(step.step.value)}"]
        case Swap():
            return [f"swap: {step.step.first}, {step.step.second}"]
        case Define() | Copy() | FarEnds():
            return [_define(step) if isinstance(step, Define) else _taken(step)]
        case OnSets():
            return [on_sets(step)]
        case Combine():
            return _combine(step)
        case MakeGraph() | EnterGraph() | On():
            return _graph(step, plan)
        case Loop():
            word = "repeat" if step.counted else "while"
            outermost = ", counted as iterations" if step.outermost else ""
            order = f"{_order(step.order)}, " if step.order is not None else ""
            head = f"{word} {show(step.condition)}:  # {order}loop {step.number}{outermost}"
            return [head, *_ask(step.ask, plan), *_steps(step.body, plan)]
        case Branch():
            otherwise = ["else:", *_steps(step.otherwise, plan)] if step.otherwise else []
            return [f"if {show(step.condition)}:", *_ask(step.ask, plan), *_steps(step.then, plan), *otherwise]
        case Launch():
            return _launch(step, plan)
    raise AssertionError(f"printer: {type(step).__name__}")


def _order(order: NearFar) -> str:
    first = "smallest" if order.operation is ReduceOperation.MIN else "largest"
    return f"from near to far, the {first} {order.array} first"


def _leader(step: Leader) -> str:
    stored = print_target(step.step.target) if isinstance(step.step, StoreElement) else step.step.scalar
    return f"leader: {stored} = {print_expression(step.step.value)}"


def _turn(step: Turn | Keep | Everyone | HandBack) -> str:
    if isinstance(step, HandBack):
        return f"leader: {', '.join((*step.turned, *step.kept))} where the host looks for them"
    if isinstance(step, Keep):
        return f"keep: {', '.join(step.scalars)}, each thread its own"
    word = "turn" if isinstance(step, Turn) else "everyone"
    return f"{word}: {step.step.scalar} = {print_expression(step.step.value)}"


def _initial(each: Initial) -> str:
    return f"{each.name} = {print_expression(each.value) if each.value is not None else 'nothing'}"


def _define(step: Define) -> str:
    members = ", ".join(print_expression(member) for member in step.step.members)
    everything = "all vertices" if step.step.domain is Domain.VERTEX else "all edges"
    looked_for = ", each looked for in its list" if step.asks_lists else ""
    return f"define: {step.step.name} = {everything if step.step.everything else f'{{{members}}}'}{looked_for}"


def _taken(step: Copy | FarEnds) -> str:
    if isinstance(step, Copy):
        return f"copy: {step.step.name} = {step.step.other}"
    return f"far ends: {step.step.name} = {step.step.end.value}s of {step.step.other}"


def _graph(made: MakeGraph | EnterGraph | On, plan: Plan) -> list[str]:
    if isinstance(made, EnterGraph):
        return [f"enter: {made.graph}, at depth {made.depth}"]
    if isinstance(made, On):
        enter = [f"    entered by the host: {_head(made.enter)}"] if made.enter is not None else []
        return [f"on {made.graph}:  # depth {made.depth}", *enter, *_steps(made.body, plan)]
    step = made.step
    if isinstance(step, Subgraph):
        return [f"graph: {step.name} = subgraph of {step.edges}"]
    if isinstance(step, Contract):
        weights = f", {step.weights.operation.value} of {step.weights.array}" if step.weights is not None else ""
        return [f"graph: {step.name} = contraction by {step.label}{weights}"]
    return [f"graph: {step.name} = the graph around"]


def _combine(step: Combine) -> list[str]:
    node, asked = step.step, step.asked.frontier
    walked = step.walked.frontier or ("all vertices" if step.walked.domain is Domain.VERTEX else "all edges")
    word = "in" if node.operation is SetOperation.INTERSECTION else "not in"
    mapped, marked = step.asked.form is Form.BITMAP, step.marks
    form = "its bitmap or by marks" if mapped and marked else "its bitmap" if mapped else "marks"
    whole = f", and all of {asked}" if node.operation is SetOperation.UNION else ""
    first = node.first.frontier or walked
    lines = [f"combine: {node.name} = {first} {node.operation.value} {node.second.frontier}  # {node.span.words}"]
    if step.test is not None:
        return [
            *lines,
            f"    as a queue: those of {walked} that do not pass {step.test.functor}, by which {asked} was made",
        ]
    lines.append(f"    as a queue: those of {walked} that are {word} {asked}, by {form}{whole}")
    lines += ["    in one sweep where both are few and have no bitmap, each marked as it comes"] if step.few else []
    lines += [f"    grows in place where {walked} has a bitmap that is worth it"] if step.grows else []
    lines += ["    without queues to walk: word by word, as a bitmap"] if step.words else []
    return [*lines, *(["    wait until the marks are taken out"] if step.waits else [])]


def _ask(ask: Launch | None, plan: Plan) -> list[str]:
    return ["    asked by the host: " + _head(ask)] if ask is not None else []


def _head(launch: Launch) -> str:
    words = [f"reads {', '.join(launch.reads)}"] if launch.reads else []
    words += [f"hands on {', '.join(launch.writes)}"] if launch.writes else []
    words += [f"switches of sites {', '.join(map(str, launch.directions))}"] if launch.directions else []
    asked = f" answers {print_expression(launch.answer)}" if launch.answer is not None else ""
    return f"launch {launch.name}{asked}{', ' + ', '.join(words) if words else ''}  # {launch.comment}"


def _launch(launch: Launch, plan: Plan) -> list[str]:
    return [_head(launch), *_steps(launch.steps, plan)]


# The steps between sets and data as text.


def on_sets(step: OnSets) -> str:
    """One line."""
    node = step.step
    match node:
        case PushLevel():
            history = node.history
            waits = "" if step.waits else ", no barrier after it"
            return f"push: the queue of {node.frontier} into {history.members}, its end into {history.ends}{waits}"
        case TakeLevel():
            order = "the last first" if node.backward else "the first first"
            form = "as a queue" if step.waits else "in place"
            return f"take: {node.name} = a level of {node.history.members} {form}, {order}"
        case CheckWidth():
            return f"check: {node.width} is above 0"
        case ChooseBound():
            return f"bound: {node.bound} from {node.nearest} and {node.farthest}, by the size of {node.waiting}"
        case CheckPairs():
            return f"check: {node.more} is 0"
        case NumberMembers(members=members):
            if members.everything:
                return f"number: {node.array} = the ids of all"
            form = "bitmap" if members.domain is Domain.VERTEX else "marks"
            return f"number: {node.array} = the places of {members.frontier}, by sums over its {form}"
    raise AssertionError(f"printer: {type(node).__name__}")
