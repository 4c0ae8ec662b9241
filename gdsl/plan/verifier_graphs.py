"""What must hold of the graphs that are kept with the given one: every run would make the same, and all of it is there.

What is skipped must be nothing that a later step can see: a filter of all edges, whose set only becomes the graph, and
whose functor reads the structure of the given graph alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.ir.nodes import Operator
from gdsl.ir.verifier import expecting
from gdsl.operations import Balance, Domain
from gdsl.plan import buffers
from gdsl.plan.buffer_nodes import GRAPH, Cleared, Role
from gdsl.plan.hoisted_graphs import hoists_graphs, key_of, may_number_edges
from gdsl.plan.nodes import Barrier, MakeGraph, MakeOnce, On, Operation, Plan, Step, Sweep
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.walking import blocks_of, hoisted_graphs, steps_in, sweeps


def verify_hoisted_graphs(plan: Plan) -> None:
    """Raise `VerificationError` where a graph is kept that is not the same in each run, or has no room."""
    expect = expecting(f"plan of {plan.program.name}")
    made_once = [step for step in steps_in(plan.schedule) if isinstance(step, MakeOnce)]
    expect(not made_once or hoists_graphs(plan.target), "several make one graph that is kept")
    expect(len(list(_in_given_graph(plan.schedule))) == len(made_once), "a graph is kept that is made of another one")
    numbers: dict[int, str] = {}
    for step in made_once:
        expect(numbers.setdefault(step.number, step.key) == step.key, "two graphs are kept in one place")
        first, *others = (each for each in step.body if not isinstance(each, Barrier))
        last = others[-1] if others else None
        fits = isinstance(first, Operation) and isinstance(last, MakeGraph) and len(others) == 1 and not first.fused
        expect(fits, "more is skipped than what makes a graph")
        if isinstance(first, Operation) and isinstance(last, MakeGraph):
            select: Operator = first.step
            expect(last.hoisted == step.number, "a graph is made in the place of another one")
            collect = first.does.collect if isinstance(first.does, Sweep) else None
            marked = collect is not None and collect.form is Form.MARKS
            expect(last.marked == marked == plan.target.grid, "edges that come in another form than a graph is made of")
            expect(key_of(select, last.step, plan.program) == step.key, "a graph is kept that depends on the run")
    expect(sorted(numbers) == list(range(len(numbers))), "places of graphs that are kept")
    made = [step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph)]
    collects = [sweep.collect for sweep in sweeps(plan) if sweep.collect is not None]
    marks = sum(collect.form is Form.MARKS for collect in collects)
    expect(marks == sum(step.marked for step in made), "marks of which no graph is made")
    with_number = [step for step in made if step.hoisted is not None]
    expect(len(with_number) == len(made_once), "a graph is kept that every run makes again")
    numbered = [step for step in made if step.numbers_edges]
    may = may_number_edges(made, plan.program) and numbered == with_number
    expect(not numbered or may, "edges have other ids that somebody can see")
    if not plan.target.allocates_itself:
        _verify_room(plan)


def _in_given_graph(steps: tuple[Step, ...]) -> Iterator[MakeOnce]:
    for step in steps:
        if isinstance(step, MakeOnce):
            yield step
        elif not isinstance(step, On):
            for block in blocks_of(step):
                yield from _in_given_graph(block)


def _asks_for_sources(sweep: Sweep) -> bool:
    """Whether a sweep comes from an edge to its source, not from a vertex to its edges."""
    lists = sweep.intersection
    by_edges = sweep.members.domain is Domain.EDGE or (bool(sweep.walks) and sweep.balance is Balance.EDGES)
    return by_edges or (lists is not None and lists.edge_ids)


def _verify_room(plan: Plan) -> None:
    """Each kept graph has the arrays that the given one is read by."""
    by_name = {buffer.name: buffer for buffer in plan.buffers if buffer.role is Role.HOISTED_GRAPH}
    parts = {buffer.name for buffer in plan.buffers if buffer.group == GRAPH}
    count = len(hoisted_graphs(plan))
    numbers = any(isinstance(step, MakeGraph) and step.numbers_edges for step in steps_in(plan.schedule))
    wanted = {buffers.HOISTED, "hoisted_offsets", "hoisted_neighbors"}
    wanted |= {"hoisted_in_offsets", "hoisted_in_sources"} if "in_offsets" in parts else set()
    if not numbers:
        wanted.add("hoisted_edge_ids")
    elif any(_asks_for_sources(sweep) for sweep in buffers.on_graphs(plan)):
        wanted.add("hoisted_sources")
    wanted |= {"hoisted_in_edges"} if "in_offsets" in parts and not numbers else set()
    wanted |= {"hoisted_reverse"} if "reverse_edges" in parts and not numbers else set()
    fits = set(by_name) == (wanted if count else set()) and all(each.copies == count for each in by_name.values())
    fits = fits and (not count or by_name[buffers.HOISTED].cleared is Cleared.ZERO)
    expecting(f"plan of {plan.program.name}")(fits, "no room for graphs that are kept")
