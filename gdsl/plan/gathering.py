"""Advances that gather: the part of the pass `direction` that is written in operators, before `lower`.

`advance(f, (src, dst, e) => { residual[dst] += share[src]; })` adds to the far end of every edge of the frontier, with
an atomic, and what is added at a vertex of many edges waits in line. Where most edges are the frontier's, each vertex
had better add up what its own edges bring: that reads as much, writes once for each vertex, and nothing waits. Which
advances may do either says `gdsl.ir.gathering`; the knob `direction` of these is `auto`.

Before each such advance the run decides. A push changes a value for each of the f edges of the frontier, a gather reads
one for each edge of the graph and a few for each vertex, and waits more often. Changes of one value follow one another:
of the edges to the vertex of largest degree D there are f D / E among those of the frontier, if these are like all. The
frontier's edges are counted if there may be enough of them.

What the members have to give is put into an array of its own beforehand, in which all other vertices have the value
that changes nothing, so that edges need not ask whose they are. Where it depends on the edge or the far end, members
are marked instead. The result, if there is one, are the vertices that have an edge of a member for which the conditions
hold; a vertex looks for one until it has found it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.gathering import combined, gathered_by, may_gather
from gdsl.ir.traversal import walk, with_blocks
from gdsl.operations import BinaryOperation, Direction, Domain, NeighborOperation, ReduceOperation
from gdsl.passes.writers import far_roles
from gdsl.plan import variants
from gdsl.plan.sending import at_vertex, from_other_end, names_in
from gdsl.plan.target import Target
from gdsl.types import Type

_CHANGE = 1.2
"""How many values of edges a gather reads while a push changes one, all at different places (H200: 8 to 9 ns for a
thousand reads, 10 to 12 for as many atomics)."""
_CHANGE_AND_COLLECT = 2.5
"""The same of a push that also collects the far ends, each once."""
_IN_LINE = 160
"""How many values are read while a value is changed that all threads change, one after the other: .74 ns for one
alone (80 reads), 3.3 ns where ten such values have one line of the cache (360; H200). Of 80, 160 and 320 this chose
the slower way least often, in 143 rows of `docs/lab/journal.md`. Nothing corrects it at run time."""
_OF_A_VERTEX = 2
"""What a gather reads of each vertex, its list's ends and what comes of it."""
_OF_A_VERTEX_COLLECTED = 1
"""The same where a push would collect, which also costs something for each vertex."""


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` where each advance that may gather decides between both ways; the same object if none may. Workers
    push: what is gathered would be exchanged, in arrays of its own that all of them have. So do instances that run
    together, which have no reductions."""
    sites = {
        step.site: step
        for step in walk(program.schedule)
        if isinstance(step, ir.Advance)
        and program.tuning.sites[step.site].direction is Direction.AUTO
        and may_gather(step, program)
    }
    if not sites:
        return program
    return _Writer(program, frozenset(sites), target).program()


class _Writer:
    """Writes both ways of the advances at `sites`, or, for workers and instances, that they push."""

    def __init__(self, program: ir.Program, sites: frozenset[int], target: Target) -> None:
        from gdsl.ir.lowering.hidden import Hidden

        self.before, self.target, self.gathering = program, target, sites
        self.arrays: dict[tuple[str, Type], str] = {}
        self.sites = list(program.tuning.sites)
        for site in sites:
            self.sites[site] = dataclasses.replace(self.sites[site], direction=Direction.PUSH)
        self.hidden = Hidden(" ".join(names_in(program)), self.sites)

    def program(self) -> ir.Program:
        """The whole program."""
        pushes = self.target.workers or self.target.instances
        schedule = self.before.schedule if pushes else self._block(self.before.schedule)
        return dataclasses.replace(self.hidden.added_to(self.before), schedule=schedule)

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        return tuple(written for step in steps for written in self._written(step))

    def _written(self, step: ir.Step) -> Iterator[ir.Step]:
        if isinstance(step, ir.Advance) and step.site in self.gathering:
            yield from _TwoWays(step, self.before.edge_functor(step.functor), self).steps()
        else:
            yield with_blocks(step, self._block)

    def array(self, stem: str, type_: Type, step: ir.Advance) -> str:
        """An array of which nothing is needed later. Advances run one after the other, so they have the same ones."""
        if (stem, type_) not in self.arrays:
            self.arrays[stem, type_] = self.hidden.array(f"{step.label}_{stem}", Domain.VERTEX, type_, step.span)
        return self.arrays[stem, type_]


class _TwoWays:
    """The steps of one advance."""

    def __init__(self, step: ir.Advance, functor: ir.EdgeFunctor, writer: _Writer) -> None:
        from gdsl.ir.lowering.hidden import Code, own_id

        self.writer, self.target_of_plan, hidden = writer, writer.target, writer.hidden
        update = combined(functor)
        assert update is not None and isinstance(update.target, ir.ElementTarget)
        self.step, self.functor, self.update, self.target, self.hidden = step, functor, update, update.target, hidden
        self.span, self.code, self.vertex = step.span, Code(step.span), own_id(Domain.VERTEX, step.span)
        self.lists = step.over.reversed
        self.members = far_roles(self.lists)
        self.gathers = hidden.scalar(f"{step.label}_gathers", Type.BOOL, self.span)
        everything = step.frontier.everything
        condition = [from_other_end(each) for each in functor.condition]
        self.of_members = [each for each in condition if not everything and variants.speaks_only_of(each, self.members)]
        self.rest = [each for each in condition if each not in self.of_members]
        self.value = from_other_end(self.code.convert(update.target.type, update.value))
        prepared = not everything and variants.speaks_only_of(self.value, self.members)
        marked = not everything and (step.result is not None or not prepared or bool(self.rest))
        self.given = self._array("given", self.target.type) if prepared else None
        self.marks = self._array("from", Type.BOOL) if marked else None

    def _array(self, stem: str, type_: Type) -> str:
        return self.writer.array(stem, type_, self.step)

    def steps(self) -> Iterator[ir.Step]:
        """All of them; the advance itself is the last one."""
        yield ir.StoreScalar(self.span, self.gathers.scalar, self.code.literal(Type.BOOL, False))
        if self.step.frontier.everything:
            yield self._decide(self._float(self._count(Domain.EDGE)))
        else:
            counted = self.hidden.scalar(f"{self.step.label}_edges", Type.INT64, self.span)
            length = ir.DegreeOf(self.span, Type.INT32, self.step.over.degrees[0], self.vertex, False)
            adds = ir.Update(self.span, counted, ReduceOperation.ADD, self.code.convert(Type.INT64, length))
            counts = self.hidden.functor(f"{self.step.label}_count", Domain.VERTEX, self.span, (), (adds,))
            asks = (
                ir.StoreScalar(self.span, counted.scalar, self.code.literal(Type.INT64, 0)),
                self.hidden.compute(self.span, self.step.frontier, counts),
                self._decide(self._float(self.code.scalar(counted.scalar, Type.INT64))),
            )
            yield ir.If(self.span, self._may_be_many(), asks, ())
        yield ir.If(self.span, self.code.scalar(self.gathers.scalar, Type.BOOL), tuple(self._gather()), (self.step,))

    def _count(self, domain: Domain) -> ir.Expression:
        return ir.Count(self.span, Type.INT64, domain)

    def _float(self, value: ir.Expression) -> ir.Expression:
        return self.code.convert(Type.FLOAT64, value)

    def _times(self, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return self.code.binary(BinaryOperation.MULTIPLY, left, right)

    def _may_be_many(self) -> ir.Expression:
        """Whether the members may have so many edges that a gather takes less time: by the mean, more than there are
        vertices; and enough, if all are theirs, or each has as many as any vertex has."""
        code, size = self.code, ir.FrontierSize(self.span, Type.INT64, self.step.frontier.frontier or "")
        vertices, edges, members = map(self._float, (self._count(Domain.VERTEX), self._count(Domain.EDGE), size))
        of_members, most = self._times(members, edges), self._times(vertices, vertices)
        wide = code.both(code.binary(BinaryOperation.GREATER, of_members, most), self._is_less_work(edges))
        if not self.target_of_plan.grid:
            return wide
        return code.both(wide, self._is_less_work(self._times(members, self._largest())))

    def _decide(self, pushed: ir.Expression) -> ir.Step:
        """Decides for a gather where it takes less time than a push along so many edges."""
        return ir.StoreScalar(self.span, self.gathers.scalar, self._is_less_work(pushed))

    def _is_less_work(self, pushed: ir.Expression) -> ir.Expression:
        """f (c + l D / E) > E + r V + w: whether a gather takes less time than a push along f edges, if D is known."""
        code, add, times = self.code, BinaryOperation.ADD, self._times
        vertices, edges = (self._float(self._count(domain)) for domain in (Domain.VERTEX, Domain.EDGE))
        collects = self.step.result is not None
        change: ir.Expression = self._number(_CHANGE_AND_COLLECT if collects else _CHANGE)
        of_vertices = times(self._number(_OF_A_VERTEX_COLLECTED if collects else _OF_A_VERTEX), vertices)
        waits = self._number(self.target_of_plan.sizes.gather_waits)
        reads = code.binary(add, code.binary(add, edges, of_vertices), waits)
        if self.target_of_plan.grid:
            share = code.binary(BinaryOperation.DIVIDE, times(self._number(_IN_LINE), self._largest()), edges)
            change = code.binary(add, change, share)
        return code.binary(BinaryOperation.GREATER, times(pushed, change), reads)

    def _largest(self) -> ir.Expression:
        """The largest degree, which the CPU does not know, where changes of hubs meet less often."""
        return self._float(ir.LargestDegree(self.span, Type.INT64))

    def _number(self, value: float) -> ir.Literal:
        return self.code.literal(Type.FLOAT64, float(value))

    def _gather(self) -> Iterator[ir.Step]:
        from gdsl.ir.lowering.reductions import identity

        span, code, hidden, step = self.span, self.code, self.hidden, self.step
        type_, operation = self.target.type, gathered_by(self.update)
        neutral = identity(operation.as_update, type_, span)
        everything = ir.Elements(span, Domain.VERTEX, None)
        if self.given is not None:
            yield ir.Fill(span, self.given, Domain.VERTEX, type_, neutral)
        if self.marks is not None:
            yield ir.Fill(span, self.marks, Domain.VERTEX, Type.BOOL, code.literal(Type.BOOL, False))
        prepares: list[ir.Statement] = []
        if self.given is not None:
            prepares.append(code.store(self.given, self.vertex, at_vertex(self.value, self.members, self.vertex)))
        if self.marks is not None:
            prepares.append(code.store(self.marks, self.vertex, code.literal(Type.BOOL, True)))
        if prepares:
            condition = [at_vertex(each, self.members, self.vertex) for each in self.of_members]
            gives = hidden.functor(f"{step.label}_give", Domain.VERTEX, span, condition, prepares)
            yield hidden.compute(span, step.frontier, gives)
        far = ir.Parameter(span, Type.VERTEX, ir.Role.FAR, "far")
        asks = [code.element(self.marks, Type.BOOL, far)] if self.marks is not None else []
        arrived = self._array("arrived", type_)
        if self.given is not None:
            gathers = self._functor("gather", self.rest, code.element(self.given, type_, far))
        else:
            gathers = self._functor("gather", [*asks, *self.rest], self.value)
        yield self._reduce(gathers, operation, arrived, type_)
        element = code.element(arrived, type_, self.vertex)
        target = code.target(self.target.array, type_, self.vertex)
        takes = hidden.functor(
            f"{step.label}_take", Domain.VERTEX, span, (), (ir.Update(span, target, self.update.operation, element),)
        )
        yield hidden.compute(span, everything, takes)
        if step.result is not None:
            yield from self._reached([*asks, *self.rest], step.result)

    def _reached(self, conditions: list[ir.Expression], result: str) -> Iterator[ir.Step]:
        """The vertices with an edge for which these hold."""
        span, code, hidden = self.span, self.code, self.hidden
        if conditions:
            some = self._functor("reach", conditions, code.literal(Type.BOOL, True))
            reached = self._array("reached", Type.BOOL)
            yield self._reduce(some, NeighborOperation.SOME, reached, Type.BOOL)
            holds: ir.Expression = code.element(reached, Type.BOOL, self.vertex)
        else:
            length = ir.DegreeOf(span, Type.INT32, self.lists.degrees[0], self.vertex, False)
            holds = code.binary(BinaryOperation.GREATER, length, code.literal(Type.INT32, 0))
        keeps = hidden.functor(f"{self.step.label}_keep", Domain.VERTEX, span, (holds,), ())
        everything = ir.Elements(span, Domain.VERTEX, None)
        yield ir.Filter(span, hidden.site(span, "filter"), keeps, everything, keeps, result)

    def _reduce(self, functor: str, operation: NeighborOperation, array: str, type_: Type) -> ir.Step:
        everything = ir.Elements(self.span, Domain.VERTEX, None)
        site = self.hidden.site(self.span, "neighbor_reduce")
        return ir.NeighborReduce(
            self.span, site, functor, everything, functor, None, operation, self.lists, array, type_, None
        )

    def _functor(self, stem: str, condition: list[ir.Expression], value: ir.Expression) -> str:
        """That of a reduction, in which near is far."""
        name = self.hidden.name(f"{self.step.label}_{stem}")
        self.hidden.edge_functors.append(
            dataclasses.replace(self.functor, name=name, condition=tuple(condition), body=(), value=value)
        )
        return name
