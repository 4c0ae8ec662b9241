"""What each operator becomes on a GPU, in sentences, and what it moves: read off the kernel plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gdsl.explanation.facts import direction_of, other_way, own_call, ways_of
from gdsl.explanation.model import Moved, OperatorFact
from gdsl.explanation.traffic import Item, traffic_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.operations import Balance
from gdsl.plan.followers import filters_of_followers
from gdsl.plan.hoisted_scalars import hoisted_sites
from gdsl.plan.nodes import Choice, Dedup, Form, Loop, MakeOnce, Operation, Plan, Sweep
from gdsl.plan.printer_sweeps import print_compare
from gdsl.plan.sending import written_for
from gdsl.plan.walking import numbering, operations, steps_in
from gdsl.types import Widths

_BALANCES = {
    Balance.THREAD: "a thread for each member",
    Balance.WARP: "a warp for each member",
    Balance.BLOCK: "a block shares the edges of as many members as it has threads",
    Balance.MERGE: "every thread has the same number of edges",
    Balance.BINS: "members are sorted by degree: a thread, a warp or a block for each",
    Balance.EDGES: "a thread for each edge of the graph",
}
_AFTER_SENDING, _BEFOREHAND = "after sending", "beforehand"
_TWO_WAYS = {
    "send": (
        "the members gather from their neighbors, or the few neighbors that have something send it, chosen each time"
    ),
    "gather": (
        "the members push along their edges, or, where most edges are theirs, every vertex gathers from its neighbors,"
        " chosen each time"
    ),
}
_AHEAD = "what it computes of a neighbor alone is computed beforehand, once for each vertex"
_DEDUPS = {
    Dedup.CLAIM: "each member enters the result once, by its compare-and-swap",
    Dedup.TICKET: "each member enters the result once, by the value that its `fetch` gives to one call alone",
    Dedup.MARK: "each member enters the result once, by a mark",
    Dedup.LATE: "members may enter the result twice while there is room",
    Dedup.RANK: "each change enters the worklist with its value",
}


def operator_facts(
    program: ir.Program, plan: Plan, widths: Widths, near_far: frozenset[int]
) -> tuple[OperatorFact, ...]:
    """The operators of `program`, in the order of the text, as they are in its plan. `near_far`: the sites in loops
    that may run from near to far."""
    parts: dict[int, list[Operation]] = {}
    owners = written_for(program, plan.program)
    for each in operations(plan):
        if each.step.site in owners:
            parts.setdefault(owners[each.step.site], []).append(each)
    operators = {step.site: step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)}
    own = [each for each in operations(plan) if each.step.site not in owners]
    facts = {
        each.step.site: _fact(
            each,
            operators.get(each.step.site, each.step),
            parts.get(each.step.site, []),
            plan,
            widths,
            each.step.site in near_far,
        )
        for each in own
    }
    for site, hosts in filters_of_followers(program, plan.target).items():
        facts[site] = _follows(operators[site], facts.get(site), [operators[host] for host in hosts])
        for host in hosts:
            also = f"its sweep also runs @{operators[site].label}, for the members of its result"
            facts[host] = replace(facts[host], becomes=(*facts[host].becomes, also))
    places = {**{each.step.site: each.step for each in own}, **operators}
    return tuple(facts[site] for site in sorted(facts, key=lambda site: places[site].span.order))


def _follows(step: ir.Operator, fact: OperatorFact | None, hosts: Sequence[ir.Operator]) -> OperatorFact:
    """What becomes of an operator that runs in the sweeps of the filters `hosts`; `fact`: as it begins a loop."""
    names = " and of ".join(f"@{host.label} ({host.span.words})" for host in hosts)
    if fact is None:
        call = f"compute({step.frontier.words}, {step.functor})"
        return OperatorFact(step.span.words, step.label, call, (f"runs in the sweep of {names}",), ())
    later = f"runs before its loop, and for each next pass in the sweep of {names}"
    return replace(fact, becomes=(*fact.becomes, later))


def _fact(
    operation: Operation,
    own: ir.Operator,
    parts: Sequence[Operation],
    plan: Plan,
    widths: Widths,
    from_near_to_far: bool,
) -> OperatorFact:
    """The operator `own` of the program, and the `parts` that the plan adds to it where the neighbors of a reduction
    may send, members of an advance may be gathered from, or values of a neighbor are computed beforehand."""
    hosts = {each.step.site: host for host in operations(plan) for each in host.fused}
    step = operation.step
    becomes = list(_becomes(operation, hosts.get(step.site), plan))
    costs = [moved for name, sweep in _forms(operation) for moved in _moved(name, sweep, plan, widths)]
    if from_near_to_far and not any("near to far" in sentence for sentence in becomes):
        becomes.append("work order: from near to far on graphs with few edges per vertex")
    way = _BEFOREHAND
    if any(other_way(each.step, step) for each in parts):
        one, way = ways_of(step)
        becomes = [_TWO_WAYS[way], *(f"{one}: {sentence.removeprefix(f'{one}: ')}" for sentence in becomes)]
        costs = [replace(each, direction=one) for each in costs]
    elif parts:
        becomes.insert(0, _AHEAD)
    for part in parts:
        words = f"{way}, @{part.step.label}" if part.step.label != step.label else _AFTER_SENDING
        ways = [sentence for sentence in _becomes(part, hosts.get(part.step.site), plan) if sentence not in becomes]
        becomes += [f"{words}: {sentence}" for sentence in ways]
        moved = [each for name, sweep in _forms(part) for each in _moved(name, sweep, plan, widths)]
        costs += [replace(each, direction=words) for each in moved if each not in costs]
    return OperatorFact(
        step.span.words, step.label, own_call(operation, own), tuple(dict.fromkeys(becomes)), tuple(costs)
    )


def _forms(operation: Operation) -> list[tuple[str, Sweep]]:
    does = operation.does
    sweeps = (does.no, does.yes) if isinstance(does, Choice) else (does,)
    return [(direction_of(sweep), sweep) for sweep in sweeps]


def _becomes(operation: Operation, host: Operation | None, plan: Plan) -> Iterator[str]:
    does = operation.does
    if any(isinstance(step, MakeOnce) and operation in step.body for step in steps_in(plan.schedule)):
        yield "in the first run on a graph alone, which keeps what is made of the result"
    if operation.step.site in hoisted_sites(plan.program):
        yield "in the first run on a graph alone, which keeps what it finds"
    if isinstance(does, Choice):
        enter = " and ".join(map(print_compare, does.test.enter))
        stay = " and ".join(map(print_compare, does.test.stay))
        yield f"push or pull, chosen in each pass: pull where {enter}; push again unless {stay}"
    for direction, sweep in _forms(operation):
        before = f"{direction}: " if direction else ""
        yield from (before + sentence for sentence in _of_sweep(direction, sweep, plan))
    yield from _order(operation, plan)
    if host is not None:
        yield f"fused: runs in the sweep of @{host.step.label} ({host.step.span.words})"
    if operation.fused:
        yield f"fused: its sweep also runs {', '.join(f'@{each.step.label}' for each in operation.fused)}"
    if operation in numbering(plan):
        yield "in place: what is read of a neighbor may be of this pass or an earlier one (two sweeps on several GPUs)"
    if host is None and plan.target.fused:
        yield "a barrier of all threads follows" if operation.waits else "no barrier follows"


def _of_sweep(direction: str, sweep: Sweep, plan: Plan) -> Iterator[str]:
    domain = sweep.members.domain.value
    members = f"all {'vertices' if domain == 'vertex' else 'edges'}"
    if sweep.members.frontier is not None:
        members = f"the members of {sweep.members.frontier}, {_form(sweep.members.form)}"
    if direction == "pull":
        stops = (
            " and stops at the first that it needs" if sweep.selection is not None and sweep.selection.closes else ""
        )
        yield f"each vertex that is still to reach looks for members of {sweep.members.frontier} in its list{stops}"
    elif sweep.intersection is not None:
        yield f"walks the lists of both ends of {members} side by side"
    elif sweep.walks:
        lists = " and ".join(each.lists.value.replace("_", "-") for each in sweep.walks)
        yield f"walks the {lists} of {members}"
    else:
        yield f"one call for each of {members}"
    if sweep.lanes:
        yield f"a list of {plan.sizes.hub_degree} edges or more is a warp's, which reads 32 edges or more at a time"
    if sweep.walks:
        yield from _balance(sweep, plan)
    if sweep.segment is not None:
        yield "one result for each member, reduced without atomics where one thread or warp has the list"
        if sweep.segment.stops_at is not None:
            yield "a list is left as soon as its result is certain"
        if sweep.segment.staging is not None:
            yield "results are kept aside until all are computed, since the operator reads what it stores"
    if sweep.collect is not None:
        yield f"collects {sweep.collect.frontier} {_form(sweep.collect.form)}"
        if sweep.collect.dedup in _DEDUPS:
            yield _DEDUPS[sweep.collect.dedup]


def _form(form: Form | None) -> str:
    return f"as a {form.value}" if form is not None else ""


def _balance(sweep: Sweep, plan: Plan) -> Iterator[str]:
    if sweep.balance in _BALANCES:
        yield f"load balance: {_BALANCES[sweep.balance]}"
        return
    threads = (
        "a thread for each vertex" if sweep.selection is not None else "threads share the lists of their neighbors"
    )
    cut = any(each.shared is not None for each in sweep.walks)
    least, chunk = plan.sizes.hub_degree, plan.sizes.hub_chunk
    if sweep.segment is not None:
        least, chunk = plan.sizes.reduced_hub, plan.sizes.reduced_chunk
    yield f"load balance: {threads}" + (f"; lists of {least} edges and more in chunks of {chunk}" if cut else "")


def _order(operation: Operation, plan: Plan) -> Iterator[str]:
    for _, sweep in _forms(operation):
        if sweep.order is not None:
            yield f"work order: from near to far by {sweep.order.array}"
        if sweep.skips is not None:
            yield f"work order: passes over members that were visited with the {sweep.skips.array} that they have"
        if sweep.rounds is not None:
            yield "rounds: while members are few, each block works off those that it accepts, without a barrier"
    for step in steps_in(plan.schedule):
        if isinstance(step, Loop) and step.order is not None and operation in step.body:
            yield f"work order: the loop runs from near to far by {step.order.array}"


def _moved(direction: str, sweep: Sweep, plan: Plan, widths: Widths) -> Iterator[Moved]:
    for traffic in traffic_of(sweep, plan, widths):
        yield Moved(direction, traffic.per, traffic.total(False), traffic.total(True), tuple(map(_part, traffic.items)))


def _part(item: Item) -> str:
    words = ["written" if item.is_write else "read", "in order" if item.in_order else "at random"]
    return f"{item.what}: {item.bytes} B {' '.join(words)}"
