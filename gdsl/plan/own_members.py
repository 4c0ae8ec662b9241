"""Members that are a worker's own, written in operators, before `lower`: for workers that have a GPU each.

A worker runs the whole schedule, and of each operator the calls for the members whose lists it has (`distribution`).
A CPU worker picks them as it walks. On a grid they are a set of their own: each operator, and each step that follows
edges to their far ends, is given the worker's own part of its set, which is found right before it. All own vertices are
found once, before the schedule, by their ids, and all own edges as those that leave them. So generated text needs no
other form for workers. Of vertices the own part of a set is what a test of ids leaves of it, of edges what it has in
common with all own edges: a filter would read their ends, which other workers have.

What is a worker's own is a range of ids, which it passes as params that no program can declare. Own parts of sets are
named by nothing else: conditions, set operations and histories are about whole sets, which all workers have alike.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk, with_blocks
from gdsl.operations import BinaryOperation, Domain, Over, SetOperation
from gdsl.plan.sending import names_in
from gdsl.plan.target import Target
from gdsl.source import Span
from gdsl.types import Type

FIRST, LAST = "first own vertex", "last own vertex"
"""The params with the range of ids, the second after the last one. Not names that a program can declare."""


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` with every operator on the worker's own members, where workers have grids. It makes no graphs."""
    if not (target.workers and target.grid):
        return program
    assert not program.graphs
    return _Writer(program).program()


def own_sets(program: ir.Program) -> frozenset[str]:
    """The frontiers of `program` that have a worker's own members alone, as `run` has found them."""
    tests = {each.name for each in program.vertex_functors if is_own_test(each)}
    leaving = {each.name for each in program.edge_functors if is_own_test(each)}
    found: set[str] = set()
    for step in all_steps(program.schedule):
        if isinstance(step, ir.Filter) and step.functor in tests:
            found.add(step.result)
        elif isinstance(step, ir.Advance) and step.frontier.frontier in found and step.functor in leaving:
            found |= {step.result} if step.result is not None else set()
        elif isinstance(step, ir.CombineFrontiers) and step.second.frontier in found:
            found.add(step.name)
    return frozenset(found)


def is_own_test(functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
    """Whether this functor tells a worker's own vertices, or the edges that leave them, from others, and does nothing
    else."""
    params = [node.name for node in walk(functor.condition) if isinstance(node, ir.ParamValue)]
    return not functor.body and params == [FIRST, LAST]


class _Writer:
    """Writes one program."""

    def __init__(self, program: ir.Program) -> None:
        from gdsl.ir.lowering.hidden import Hidden, own_id

        self.before = program
        self.sites = list(program.tuning.sites)
        self.hidden = Hidden(" ".join(names_in(program)), self.sites)
        self.frontiers: list[ir.Frontier] = []
        self.everything: dict[Domain, str] = {}
        """The sets of all own vertices and of all own edges."""
        self.test = self._own_test(Domain.VERTEX, own_id(Domain.VERTEX, program.span), program.span)

    def program(self) -> ir.Program:
        """The whole program."""
        before = self.before
        schedule = self._block(before.schedule)
        first = tuple(self._find_everything(before.span))
        params = tuple(ir.Param(before.span, name, Type.INT64, None) for name in (FIRST, LAST))
        return dataclasses.replace(
            self.hidden.added_to(before),
            params=(*before.params, *params),
            frontiers=(*before.frontiers, *self.frontiers),
            schedule=(*first, *schedule),
        )

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        return tuple(each for step in steps for each in self._step(step))

    def _step(self, step: ir.Step) -> tuple[ir.Step, ...]:
        if isinstance(step, ir.Operator):
            before, own = self._own_part(step.span, step.frontier.domain, step.frontier.frontier)
            return *before, dataclasses.replace(step, frontier=dataclasses.replace(step.frontier, frontier=own))
        if isinstance(step, ir.FarEnds):
            before, own = self._own_part(step.span, Domain.EDGE, step.other)
            return *before, dataclasses.replace(step, other=own)
        return (with_blocks(step, self._block),)

    def _own_part(self, span: Span, domain: Domain, of: str | None) -> tuple[tuple[ir.Step, ...], str]:
        """The steps that find the own part of a set (None: of everything), and what it is called."""
        if of is None:
            return (), self._all_own(domain)
        name = self._frontier(f"own_{of}", domain, span)
        if domain is Domain.VERTEX:
            return (self._filter(span, of, name),), name
        sets = (ir.Elements(span, domain, each) for each in (of, self._all_own(domain)))
        return (ir.CombineFrontiers(span, name, SetOperation.INTERSECTION, *sets),), name

    def _all_own(self, domain: Domain) -> str:
        """The set of all own vertices, or of all own edges."""
        if domain not in self.everything:
            stem = "own_vertices" if domain is Domain.VERTEX else "own_edges"
            self.everything[domain] = self._frontier(stem, domain, self.before.span)
        return self.everything[domain]

    def _find_everything(self, span: Span) -> Iterator[ir.Step]:
        """The steps before the schedule."""
        if not self.everything:
            return
        vertices = self._all_own(Domain.VERTEX)
        yield self._filter(span, None, vertices)
        if Domain.EDGE in self.everything:
            source = ir.Parameter(span, Type.VERTEX, ir.Role.SOURCE, "src")
            functor, site = self._own_test(Domain.EDGE, source, span), self.hidden.site(span, "advance")
            members, edges = ir.Elements(span, Domain.VERTEX, vertices), self.everything[Domain.EDGE]
            yield ir.Advance(span, site, functor, members, functor, edges, Over.OUT_EDGES, None, Domain.EDGE)

    def _frontier(self, stem: str, domain: Domain, span: Span) -> str:
        name = self.hidden.name(stem)
        self.frontiers.append(ir.Frontier(span, name, domain))
        return name

    def _filter(self, span: Span, of: str | None, name: str) -> ir.Filter:
        site = self.hidden.site(span, "filter")
        return ir.Filter(span, site, self.test, ir.Elements(span, Domain.VERTEX, of), self.test, name)

    def _own_test(self, domain: Domain, vertex: ir.Expression, span: Span) -> str:
        """The functor that tells own vertices, or edges that leave them, from others."""
        from gdsl.ir.lowering.hidden import Code

        code = Code(span)
        number = code.convert(Type.INT64, vertex)
        first, last = (ir.ParamValue(span, Type.INT64, name) for name in (FIRST, LAST))
        condition = (
            code.binary(BinaryOperation.GREATER_EQUAL, number, first),
            code.binary(BinaryOperation.LESS, number, last),
        )
        stem = "is_own_vertex" if domain is Domain.VERTEX else "leaves_own_vertex"
        return self.hidden.functor(stem, domain, span, condition, ())
