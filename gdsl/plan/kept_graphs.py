"""Pass `hoist_graphs`: graphs that are made of nothing but the given graph's structure are kept with it.

Many programs begin with a subgraph that no param, input or scalar decides: to count triangles, say, each edge is
directed to its end of larger degree. Such a graph is the same in every run, and making it takes longer than what it is
made for. So it is a layout of the given graph, like the order of its vertices: the first run makes it (`MakeOnce`), in
arrays that the host keeps for as long as the given graph, and later runs, of any program that makes a graph by the same
test, find it there. When memory is short the host drops it, and the next run makes it again.

What is hoisted is the subgraph of a filter of all edges, in the given graph, whose functor only asks for ids, degrees
and lists. One persistent kernel does so on one GPU: teams of blocks would all make the same graph at the same time.
"""

from __future__ import annotations

import dataclasses

from gdsl.effects.access import frontiers_of
from gdsl.ir.nodes import (
    EdgeFunctor,
    Element,
    ElementTarget,
    Filter,
    Function,
    FunctionCall,
    Iteration,
    Operator,
    ParamValue,
    Program,
    ScalarTarget,
    ScalarValue,
    Step,
    Subgraph,
)
from gdsl.ir.printer import print_functor
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Branch, Loop, MakeGraph, MakeOnce, Operation, Plan
from gdsl.plan.walking import steps_in


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the graphs that are kept, and without room for them in each run."""
    target = plan.target
    if not (target.fused and target.grid) or target.teams or target.several_gpus:
        return plan
    hoisting = _Hoisting(facts)
    schedule = hoisting.steps(plan.schedule)
    made = (step for step in steps_in(schedule) if isinstance(step, MakeGraph))
    rooms = plan.graph_rooms if any(step.kept is None for step in made) else 0
    return dataclasses.replace(plan, schedule=schedule, graph_rooms=rooms)


class _Hoisting:
    """Numbers the graphs that are kept in the order of the text; those of one key are one graph."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._numbers: dict[str, int] = {}

    def steps(self, steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        """A block with the given graph around, and those in it. What is `on` another graph stays as it is."""
        found: list[nodes.Step] = []
        for step in steps:
            if isinstance(step, Loop):
                step = dataclasses.replace(step, body=self.steps(step.body))
            elif isinstance(step, Branch):
                then, otherwise = self.steps(step.then), self.steps(step.otherwise)
                step = dataclasses.replace(step, then=then, otherwise=otherwise)
            former = found[-1] if found else None
            key = self._key(former, step)
            if key is not None and isinstance(former, Operation) and isinstance(step, MakeGraph):
                number = self._numbers.setdefault(key, len(self._numbers))
                found[-1] = MakeOnce(number, key, (former, dataclasses.replace(step, kept=number)))
            else:
                found.append(step)
        return tuple(found)

    def _key(self, former: nodes.Step | None, step: nodes.Step) -> str | None:
        if not isinstance(former, Operation) or not isinstance(step, MakeGraph):
            return None
        return key_of(former.step, step.step, self.facts.program)


def key_of(select: Operator, make: Step, program: Program) -> str | None:
    """The text that decides the graph which `make` makes of what `select` finds; None where that is not a graph of the
    given graph's structure alone, or where what is found is used for anything else."""
    if not isinstance(select, Filter) or not isinstance(make, Subgraph) or make.edges != select.result:
        return None
    if not select.frontier.everything or select.functor_domain is not Domain.EDGE:
        return None
    uses = [frontiers_of(step) for step in all_steps(program.schedule)]
    written = sum(use.written.count(select.result) for use in uses)
    if written != 1 or sum(use.read.count(select.result) for use in uses) != 1:
        return None
    (functor,) = (each for each in program.edge_functors if each.name == select.functor)
    code: tuple[EdgeFunctor | Function, ...] = (functor, *_called(functor, program))
    if any(not _is_structural(part) for part in code):
        return None
    return "\n".join(print_functor(part) for part in code)


_OF_A_RUN = (Element, ScalarValue, ElementTarget, ScalarTarget, ParamValue, Iteration)
"""What may be different in another run on the same graph."""


def _is_structural(part: object) -> bool:
    """Whether a functor or a function reads nothing of a run, and writes nothing."""
    return not any(isinstance(node, _OF_A_RUN) for node in walk(part))


def _called(functor: EdgeFunctor, program: Program) -> tuple[Function, ...]:
    """The functions that a functor calls, and those that these call."""
    by_name = {function.name: function for function in program.functions}
    found: dict[str, Function] = {}
    rest: list[EdgeFunctor | Function] = [functor]
    while rest:
        called = {node.function for node in walk(rest.pop()) if isinstance(node, FunctionCall)}
        new = [by_name[name] for name in sorted(called - found.keys())]
        found |= {function.name: function for function in new}
        rest += new
    return tuple(found.values())
