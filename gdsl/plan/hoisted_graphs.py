"""Pass `hoist_graphs`: graphs that are made of nothing but the given graph's structure are kept with it.

Many programs begin with a subgraph that no param, input or scalar decides: to count triangles, say, each edge is
directed to its end of larger degree. Such a graph is the same in every run, and making it takes longer than what it is
made for. So it is a layout of the given graph, like the order of its vertices: the first run makes it (`MakeOnce`), in
arrays that the host keeps for as long as the given graph, and later runs, of any program that makes a graph by the same
test, find it there. When a GPU's memory is short the host drops it, and the next run makes it again.

On a GPU the filter does not collect such edges: making the graph wants to know of each edge whether it is in, so a warp
leaves a word of marks for 32 edges in a row.

In the lists of a subgraph edges keep their ids, by which their ends are found. Where the program reads neither the id
nor the place of an edge, and all its graphs are kept, their edges are numbered by their places instead, and nothing is
looked up by an id.

What is hoisted is the subgraph of a filter of all edges, in the given graph, whose functor only reads ids, degrees
and lists. One persistent kernel does so on one GPU, or those of several GPUs together, each of which has a copy of the
graph from the next run on; teams of blocks would all make the same graph at the same time. On a CPU one process does;
of several workers each has only a part of the graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_functor
from gdsl.ir.traversal import all_steps, contains, walk
from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import called_functions
from gdsl.plan.nodes import MakeGraph, MakeOnce, On, Operation, Plan
from gdsl.plan.target import Target
from gdsl.plan.walking import map_blocks, steps_in, with_blocks
from gdsl.types import Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the graphs that are kept, and without room for them in each run."""
    if not hoists_graphs(plan.target):
        return plan
    hoisting = _Hoisting(facts, marks=plan.target.grid)
    schedule = hoisting.steps(plan.schedule)
    made = [step for step in steps_in(schedule) if isinstance(step, MakeGraph)]
    slots = plan.graph_slots if any(step.hoisted is None for step in made) else 0
    if made and may_number_edges(made, facts.program):
        schedule = map_blocks(schedule, _numbering)
    return dataclasses.replace(plan, schedule=schedule, graph_slots=slots)


def hoists_graphs(target: Target) -> bool:
    """Whether a step of this kind makes graphs there."""
    return target.fused and not (target.teams or target.workers)


def _numbering(block: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
    return tuple(
        dataclasses.replace(step, numbers_edges=True)
        if isinstance(step, MakeGraph) and step.hoisted is not None
        else step
        for step in block
    )


def may_number_edges(made: Iterable[MakeGraph], program: ir.Program) -> bool:
    """Whether the ids of the edges of the graphs that are `made` cannot be seen: all subgraphs are kept, and nothing
    but what selects their edges has anything to do with edges one by one."""
    subgraphs = [step for step in made if isinstance(step.step, ir.Subgraph)]
    selected = {step.step.edges for step in subgraphs if isinstance(step.step, ir.Subgraph)}
    if not subgraphs or any(step.hoisted is None for step in subgraphs):
        return False
    if any(each.domain is Domain.EDGE and each.name not in selected for each in program.frontiers):
        return False
    if any(array.domain is Domain.EDGE for array in program.arrays):
        return False
    data: tuple[ir.Param | ir.Array | ir.Scalar, ...] = (*program.params, *program.arrays, *program.scalars)
    operators = [step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)]
    others = {step.functor for step in operators if not (isinstance(step, ir.Filter) and step.result in selected)}
    functors = [each for each in program.edge_functors if each.name in others]
    if contains(tuple(functors), ir.Place):  # of an edge of an in-list, which is looked up by its id
        return False
    code = (functors, program.vertex_functors, program.vote_functors, program.functions, program.schedule)
    typed = (getattr(node, "type", None) for part in code for node in walk(tuple(part)))
    return not any(_has_edges(kind) for kind in (*(each.type for each in data), *typed))


def _has_edges(kind: object) -> bool:
    return kind is Type.EDGE or (isinstance(kind, Type) and kind.is_pair and any(map(_has_edges, kind.parts)))


class _Hoisting:
    """Numbers the graphs that are kept in the order of the text; those of one key are one graph."""

    def __init__(self, facts: Facts, marks: bool) -> None:
        self.facts = facts
        self.marks = marks
        self._numbers: dict[str, int] = {}

    def steps(self, steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        """A block with the given graph around, and those in it. What is `on` another graph stays as it is."""
        hoisted: list[nodes.Step] = []
        for step in steps:
            if not isinstance(step, On):
                step = with_blocks(step, self.steps)
            former = hoisted[-1] if hoisted else None
            key = self._key(former, step)
            if key is not None and isinstance(former, Operation) and isinstance(step, MakeGraph):
                number = self._numbers.setdefault(key, len(self._numbers))
                select = _marking(former) if self.marks else former
                make = dataclasses.replace(step, hoisted=number, marked=self.marks)
                hoisted[-1] = MakeOnce(number, key, (select, make))
            else:
                hoisted.append(step)
        return tuple(hoisted)

    def _key(self, former: nodes.Step | None, step: nodes.Step) -> str | None:
        if not isinstance(former, Operation) or not isinstance(step, MakeGraph):
            return None
        return key_of(former.step, step.step, self.facts.program)


def _marking(select: Operation) -> Operation:
    """The filter, whose warps each note a word of marks for 32 edges in a row."""
    sweep = select.does
    assert isinstance(sweep, nodes.Sweep) and sweep.collect is not None
    return dataclasses.replace(
        select, does=dataclasses.replace(sweep, collect=dataclasses.replace(sweep.collect, form=nodes.Form.MARKS))
    )


def key_of(select: ir.Operator, make: ir.Step, program: ir.Program) -> str | None:
    """The text that decides the graph which `make` makes of what `select` finds; None where that is not a graph of the
    given graph's structure alone, or where what is found is used for anything else."""
    if not isinstance(select, ir.Filter) or not isinstance(make, ir.Subgraph) or make.edges != select.result:
        return None
    if not select.frontier.everything or select.functor_domain is not Domain.EDGE:
        return None
    uses = [frontiers_of(step) for step in all_steps(program.schedule)]
    written = sum(use.written.count(select.result) for use in uses)
    if written != 1 or sum(use.read.count(select.result) for use in uses) != 1:
        return None
    (functor,) = (each for each in program.edge_functors if each.name == select.functor)
    code: tuple[ir.EdgeFunctor | ir.Function, ...] = (functor, *called_functions(functor, program))
    if any(not _is_structural(part) for part in code):
        return None
    return "\n".join(print_functor(part) for part in code)


_OF_A_RUN = (ir.Element, ir.ScalarValue, ir.ElementTarget, ir.ScalarTarget, ir.ParamValue, ir.Iteration)
"""What may be different in another run on the same graph."""


def _is_structural(part: object) -> bool:
    """Whether a functor or a function reads nothing of a run, and writes nothing."""
    return not contains(part, *_OF_A_RUN)
