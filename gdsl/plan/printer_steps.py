"""The steps of a plan's schedule as text."""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression, print_target
from gdsl.operations import Domain, ReduceOperation, SetOperation
from gdsl.plan import nodes
from gdsl.plan.printer_exchanges import print_exchange
from gdsl.plan.printer_sweeps import print_barrier, print_operation


def print_steps(steps: tuple[nodes.Step, ...], plan: nodes.Plan) -> list[str]:
    """The lines of these steps of `plan`."""
    return ["    " + line for step in steps for line in _step(step, plan)]


def _step(step: nodes.Step, plan: nodes.Plan) -> list[str]:
    show = print_expression
    match step:
        case nodes.Operation():
            return print_operation(step, plan)
        case nodes.Initialize():
            initial = (*step.vertex_arrays, *step.edge_arrays, *step.scalars)
            line = f"initialize: {', '.join(print_initial(each) for each in initial) or 'nothing'}"
            return [line, *([print_barrier(step.barrier)] if step.barrier is not None else [])]
        case nodes.Barrier() | nodes.Exchange() | nodes.Snapshot():
            return [print_barrier(step)] if isinstance(step, nodes.Barrier) else print_exchange(step)
        case nodes.Leader():
            return [_leader(step)]
        case nodes.Rotate() | nodes.Privatize() | nodes.StorePrivate() | nodes.WriteBack():
            return [_copies(step)]
        case nodes.Fill():
            return [f"fill: {step.step.array} with {show(step.step.value)}"]
        case nodes.Swap():
            return [f"swap: {step.step.first}, {step.step.second}"]
        case nodes.Define() | nodes.Copy() | nodes.FarEnds():
            return [_define(step) if isinstance(step, nodes.Define) else _taken(step)]
        case nodes.OnSets():
            return [on_sets(step)]
        case nodes.Combine():
            return _combine(step)
        case nodes.MakeGraph() | nodes.MakeOnce() | nodes.EnterGraph() | nodes.On():
            return _graph(step, plan)
        case nodes.Loop():
            word = "repeat" if step.counted else "while"
            outermost = ", counted as iterations" if step.outermost else ""
            order = f"{_order(step.order)}, " if step.order is not None else ""
            gives_up = f", gives up where {step.gives_up} stays as large" if step.gives_up is not None else ""
            head = f"{word} {show(step.condition)}:  # {order}loop {step.number}{outermost}{gives_up}"
            return [head, *_ask(step.ask), *_solo(step.solo), *print_steps(step.body, plan)]
        case nodes.Branch():
            otherwise = ["else:", *print_steps(step.otherwise, plan)] if step.otherwise else []
            return [f"if {show(step.condition)}:", *_ask(step.ask), *print_steps(step.then, plan), *otherwise]
        case nodes.Launch():
            return [_head(step), *print_steps(step.steps, plan)]
    raise AssertionError(f"printer: {type(step).__name__}")


def _order(order: nodes.NearFar) -> str:
    first = "smallest" if order.operation is ReduceOperation.MIN else "largest"
    return f"from near to far, the {first} {order.array} first"


def _solo(solo: nodes.Solo | None) -> list[str]:
    if solo is None:
        return []
    edges = "" if solo.counted else ", at the mean degree"
    handed = [*solo.frontiers, *(f"the direction of site {site}" for site in solo.directions)]
    handed += [*solo.private, *solo.rotating]
    first = f"where {solo.worklist} has no more edges than a GPU has threads{edges}: the first GPU runs passes alone"
    return [f"    {first}, and hands on {', '.join(handed)}"]


def _leader(step: nodes.Leader) -> str:
    stored = print_target(step.step.target) if isinstance(step.step, ir.StoreElement) else step.step.scalar
    return f"leader: {stored} = {print_expression(step.step.value)}"


def _copies(step: nodes.Rotate | nodes.Privatize | nodes.StorePrivate | nodes.WriteBack) -> str:
    if isinstance(step, nodes.WriteBack):
        return f"leader: write back {', '.join((*step.rotating, *step.private))}"
    if isinstance(step, nodes.Privatize):
        return f"private: {', '.join(step.scalars)}, a copy for each thread"
    word = "rotate" if isinstance(step, nodes.Rotate) else "every thread"
    return f"{word}: {step.step.scalar} = {print_expression(step.step.value)}"


def print_initial(each: nodes.Initial) -> str:
    """The initial value of an array or scalar."""
    return f"{each.name} = {print_expression(each.value) if each.value is not None else 'nothing'}"


def _define(step: nodes.Define) -> str:
    members = ", ".join(print_expression(member) for member in step.step.members)
    everything = "all vertices" if step.step.domain is Domain.VERTEX else "all edges"
    looked_for = ", each looked for in its list" if step.asks_lists else ""
    return f"define: {step.step.name} = {everything if step.step.everything else f'{{{members}}}'}{looked_for}"


def _taken(step: nodes.Copy | nodes.FarEnds) -> str:
    if isinstance(step, nodes.Copy):
        return f"copy: {step.step.name} = {step.step.other}{', counting its edges' if step.recounts else ''}"
    return f"far ends: {step.step.name} = {step.step.end.value}s of {step.step.other}"


def _graph(made: nodes.MakeGraph | nodes.MakeOnce | nodes.EnterGraph | nodes.On, plan: nodes.Plan) -> list[str]:
    if isinstance(made, nodes.MakeOnce):
        head = f"once a graph:  # kept graph {made.number}, of the structure of the given one"
        return [head, *print_steps(made.body, plan)]
    if isinstance(made, nodes.EnterGraph):
        return [f"enter: {made.graph}, at depth {made.depth}"]
    if isinstance(made, nodes.On):
        enter = [f"    entered by the host: {_head(made.enter)}"] if made.enter is not None else []
        return [f"on {made.graph}:  # depth {made.depth}", *enter, *print_steps(made.body, plan)]
    step = made.step
    if isinstance(step, ir.Subgraph):
        number = f", kept as number {made.hoisted}" if made.hoisted is not None else ""
        number += ", its edges numbered by their places" if made.numbers_edges else ""
        number += ", of marks" if made.marked else ""
        return [f"graph: {step.name} = subgraph of {step.edges}{number}"]
    if isinstance(step, ir.Contract):
        weights = f", {step.weights.operation.value} of {step.weights.array}" if step.weights is not None else ""
        return [f"graph: {step.name} = contraction by {step.label}{weights}"]
    return [f"graph: {step.name} = the graph around"]


def _combine(step: nodes.Combine) -> list[str]:
    node, asked = step.step, step.asked.frontier
    walked = step.walked.frontier or ("all vertices" if step.walked.domain is Domain.VERTEX else "all edges")
    word = "in" if node.operation is SetOperation.INTERSECTION else "not in"
    mapped, marked = step.asked.form is nodes.Form.BITMAP, step.marks
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


def _ask(ask: nodes.Launch | None) -> list[str]:
    return ["    asked by the host: " + _head(ask)] if ask is not None else []


def _head(launch: nodes.Launch) -> str:
    words = [f"reads {', '.join(launch.reads)}"] if launch.reads else []
    words += [f"hands on {', '.join(launch.writes)}"] if launch.writes else []
    words += [f"switches of sites {', '.join(map(str, launch.directions))}"] if launch.directions else []
    asked = f" answers {print_expression(launch.answer)}" if launch.answer is not None else ""
    return f"launch {launch.name}{asked}{', ' + ', '.join(words) if words else ''}  # {launch.comment}"


def on_sets(step: nodes.OnSets) -> str:
    """The line of a step on sets."""
    node = step.step
    match node:
        case ir.PushLevel():
            history = node.history
            waits = "" if step.waits else ", no barrier after it"
            return f"push: the queue of {node.frontier} into {history.members}, its end into {history.ends}{waits}"
        case ir.TakeLevel():
            order = "the last first" if node.backward else "the first first"
            form = "as a queue" if step.waits else "in place"
            return f"take: {node.name} = a level of {node.history.members} {form}, {order}"
        case ir.CheckWidth():
            return f"check: {node.width} is above 0"
        case ir.ChooseBound():
            return f"bound: {node.bound} from {node.nearest} and {node.farthest}, by the size of {node.waiting}"
        case ir.CheckPairs():
            return f"check: {node.more} is 0"
        case ir.NumberMembers(members=members):
            if members.everything:
                return f"number: {node.array} = the ids of all"
            form = "bitmap" if members.domain is Domain.VERTEX else "marks"
            return f"number: {node.array} = the places of {members.frontier}, by sums over its {form}"
    raise AssertionError(f"printer: {type(node).__name__}")
