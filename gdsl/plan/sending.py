"""Reductions that send: the part of the pass `direction` that is written in operators, before `lower`.

A `neighbor_reduce` gathers: each member walks its list, although perhaps few of its neighbors have anything to give.
Where the functor has conditions that speak of the far end alone, such as `cond depth[src] == iteration`, the vertices
for which they hold can send instead: each walks its own list, the other way round, and combines its value with what has
arrived at the other end, which is what an advance does. Both visit the same edges, in another order. So whatever may be
combined in any order may be sent: integers, least and largest values, and sums of floats, whose rounding is open in any
case. Operations of the program's own are always gathered.

Before each reduction the run decides. Unless the members' lists have more edges than there are vertices, going by the
mean, they are walked. Otherwise one pass over the vertices finds the senders, and the edges of both directions are
compared; sending touches all vertices once more. What is sent arrives in an array of its own, from which each member
takes its result, since others receive something, too.

What may stop the run must not be asked of other vertices than those that the program asks, and a function might never
end for them; so functors with either gather. In-edges are walked instead of out-edges only if something else in the
program walks them as well, or if the graph is symmetric: making these lists takes longer than a reduction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.gathering import walked_lists
from gdsl.ir.traversal import all_steps, contains, rewrite, walk, with_blocks
from gdsl.operations import BinaryOperation, Direction, Domain, Over, ReduceOperation
from gdsl.passes.writers import far_roles
from gdsl.plan import variants
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.target import Target
from gdsl.source import Span
from gdsl.types import Type

_OTHER = {ir.Role.NEAR: ir.Role.FAR, ir.Role.FAR: ir.Role.NEAR}


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` where each reduction that may send decides between both ways; the same object if there is none. Workers
    gather: what is sent would be merged, in an array of its own that all of them have. Instances that run together have
    no reductions."""
    if target.workers or target.instances:
        return program
    functors = {functor.name: functor for functor in program.edge_functors}
    walked = walked_lists(program)
    sending = {
        step.site: functors[step.functor]
        for step in walk(program.schedule)
        if isinstance(step, ir.NeighborReduce) and may_send(step, functors[step.functor], program, walked)
    }
    return _Writer(program, sending).program() if sending else program


def written_for(before: ir.Program, after: ir.Program) -> dict[int, int]:
    """By the site of each operator that `after`, the program with senders, has in addition: the site of the operator of
    `before` that it does a part of. Both have the same place in the text, and a part comes before what it belongs
    to."""
    own = {step.site: step for step in all_steps(before.schedule) if isinstance(step, ir.Operator)}
    by_place = {step.span: site for site, step in own.items()}
    parts: dict[int, int] = {}
    waiting: dict[Span, list[int]] = {}
    for step in all_steps(after.schedule):
        if isinstance(step, ir.Operator) and step.site in own:
            parts.update(dict.fromkeys(waiting.pop(step.span, ()), step.site))
        elif isinstance(step, ir.Operator):
            waiting.setdefault(step.span, []).append(step.site)
    for span, sites in waiting.items():
        parts.update({site: by_place[span] for site in sites if span in by_place})
    return parts


def may_send(step: ir.NeighborReduce, functor: ir.EdgeFunctor, program: ir.Program, walked: frozenset[Over]) -> bool:
    """Whether the neighbors may send, and there may be few of them; `walked`: the lists that the program walks."""
    asks = variants.uses_edge_id(functor) and step.over is not Over.IN_EDGES  # in-edges have no ids of their own
    calls = contains(functor, ir.FunctionCall, ir.GraphRead)
    has_lists = step.over.reversed in walked or program.requires.symmetric
    if step.operation is None or program.graphs or asks or calls or may_stop(functor) or not has_lists:
        return False
    return bool(variants.selection_variant(functor, step.over).tests)


class _Writer:
    """Writes both ways of the reductions `sending`, by site."""

    def __init__(self, program: ir.Program, sending: dict[int, ir.EdgeFunctor]) -> None:
        from gdsl.ir.lowering.hidden import Hidden

        self.before, self.sending = program, sending
        self.sites = list(program.tuning.sites)
        self.hidden = Hidden(" ".join(names_in(program)), self.sites)
        self.frontiers: list[ir.Frontier] = []

    def program(self) -> ir.Program:
        """The whole program."""
        schedule = self._block(self.before.schedule)
        frontiers = (*self.before.frontiers, *self.frontiers)
        return dataclasses.replace(self.hidden.added_to(self.before), frontiers=frontiers, schedule=schedule)

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        written: list[ir.Step] = []
        rest = iter(range(len(steps)))
        for place in rest:
            step = steps[place]
            if isinstance(step, ir.NeighborReduce) and step.site in self.sending:
                following = steps[place + 1 : place + 2]
                follows = following if following and _shares_sweep(step, following[0]) else ()
                written += _TwoWays(step, self.sending[step.site], self).steps(follows)
                if follows:
                    next(rest)
            else:
                written.append(with_blocks(step, self._block))
        return tuple(written)

    def frontier(self, stem: str, step: ir.Step) -> str:
        """A new set of vertices."""
        name = self.hidden.name(stem)
        self.frontiers.append(ir.Frontier(step.span, name, Domain.VERTEX))
        return name

    def again(self, step: ir.Step) -> ir.Step:
        """A copy of an operator for another place."""
        assert isinstance(step, ir.Operator)
        self.sites.append(self.sites[step.site])
        return dataclasses.replace(step, site=len(self.sites) - 1)


class _TwoWays:
    """The steps of one reduction."""

    def __init__(self, step: ir.NeighborReduce, functor: ir.EdgeFunctor, writer: _Writer) -> None:
        from gdsl.ir.lowering.hidden import Code, own_id

        self.step, self.functor, self.writer, self.hidden = step, functor, writer, writer.hidden
        self.span, self.code, self.vertex = step.span, Code(step.span), own_id(Domain.VERTEX, step.span)
        names = ("sends", Type.BOOL), ("gathered", Type.INT64), ("sent", Type.INT64)
        self.sends, self.gathered, self.sent = (self.hidden.scalar(f"{step.label}_{n}", t, step.span) for n, t in names)
        self.senders = writer.frontier(f"{step.label}_senders", step)
        tests = variants.selection_variant(functor, step.over).tests
        self.of_senders = [functor.condition[i] for i in tests]
        self.rest = [each for i, each in enumerate(functor.condition) if i not in tests]
        direct = step.frontier.everything and not any(
            isinstance(node, ir.Element) and node.array == step.array for node in walk(functor)
        )
        stem = f"{step.array}_sent"
        self.arrives = step.array if direct else self.hidden.array(stem, Domain.VERTEX, step.array_type, self.span)

    def steps(self, follows: tuple[ir.Step, ...]) -> Iterator[ir.Step]:
        """All of them; `follows`: what shares the sweep of the reduction where it gathers."""
        yield ir.StoreScalar(self.span, self.sends.scalar, self.code.literal(Type.BOOL, False))
        yield ir.If(self.span, self._is_wide(), tuple(self._compare()), ())
        sent = (*self._send(), *map(self.writer.again, follows))
        yield ir.If(self.span, self.code.scalar(self.sends.scalar, Type.BOOL), sent, (self.step, *follows))

    def _is_wide(self) -> ir.Expression:
        """Whether the members' lists have more edges than there are vertices, if their mean length is that of all."""
        span, code, frontier = self.span, self.code, self.step.frontier.frontier
        vertices, edges = (self._float(ir.Count(span, Type.INT64, domain)) for domain in (Domain.VERTEX, Domain.EDGE))
        size = vertices if frontier is None else self._float(ir.FrontierSize(span, Type.INT64, frontier))
        of_members, most = (
            code.binary(BinaryOperation.MULTIPLY, *each) for each in ((size, edges), (vertices, vertices))
        )
        return code.binary(BinaryOperation.GREATER, of_members, most)

    def _float(self, value: ir.Expression) -> ir.Expression:
        return self.code.convert(Type.FLOAT64, value)

    def _compare(self) -> Iterator[ir.Step]:
        """Finds the senders, and whether they have so few edges that they send."""
        span, code, step = self.span, self.code, self.step
        zero, everything = code.literal(Type.INT64, 0), step.frontier.everything
        yield ir.StoreScalar(span, self.sent.scalar, zero)
        yield ir.StoreScalar(span, self.gathered.scalar, self._all_edges() if everything else zero)
        if not everything:
            counts = self.hidden.functor(
                f"{step.label}_count", Domain.VERTEX, span, (), (self._add(self.gathered, step.over),)
            )
            yield self.hidden.compute(span, step.frontier, counts)
        far = far_roles(step.over)
        condition = [at_vertex(each, far, self.vertex) for each in self.of_senders]
        finds = self.hidden.functor(
            f"{step.label}_sender", Domain.VERTEX, span, condition, (self._add(self.sent, step.over.reversed),)
        )
        site = self.hidden.site(span, "filter")
        yield ir.Filter(span, site, finds, ir.Elements(span, Domain.VERTEX, None), finds, self.senders)
        sent, gathered = (code.scalar(each.scalar, Type.INT64) for each in (self.sent, self.gathered))
        cost = code.binary(BinaryOperation.ADD, sent, ir.Count(span, Type.INT64, Domain.VERTEX))
        yield ir.StoreScalar(span, self.sends.scalar, code.binary(BinaryOperation.LESS, cost, gathered))

    def _all_edges(self) -> ir.Expression:
        edges = ir.Count(self.span, Type.INT64, Domain.EDGE)
        both = self.step.over is Over.ALL_EDGES
        return self.code.binary(BinaryOperation.ADD, edges, edges) if both else edges

    def _add(self, total: ir.ScalarTarget, over: Over) -> ir.Statement:
        """Adds the length of a vertex's list to a scalar."""
        degrees = [
            self.code.convert(Type.INT64, ir.DegreeOf(self.span, Type.INT32, degree, self.vertex, False))
            for degree in over.degrees
        ]
        length = degrees[0] if len(degrees) == 1 else self.code.binary(BinaryOperation.ADD, *degrees)
        return ir.Update(self.span, total, ReduceOperation.ADD, length)

    def _send(self) -> Iterator[ir.Step]:
        """The senders combine their values with what has arrived at the other ends."""
        from gdsl.ir.lowering.reductions import identity

        span, step, hidden = self.span, self.step, self.hidden
        assert step.operation is not None
        operation, type_ = step.operation.as_update, step.array_type
        yield ir.Fill(span, self.arrives, Domain.VERTEX, type_, identity(operation, type_, span))
        site = hidden.site(span, "advance")
        self.writer.sites[site] = dataclasses.replace(self.writer.sites[site], direction=Direction.PUSH)
        functor, senders = self._sending_functor(), ir.Elements(span, Domain.VERTEX, self.senders)
        yield ir.Advance(span, site, functor, senders, functor, None, step.over.reversed, None, sends=True)
        if self.arrives != step.array:
            value = self.code.element(self.arrives, type_, self.vertex)
            take = self.code.store(step.array, self.vertex, value)
            takes = hidden.functor(f"{step.label}_take", Domain.VERTEX, span, (), (take,))
            yield hidden.compute(span, step.frontier, takes)

    def _sending_functor(self) -> str:
        """That of the advance, in which near is far."""
        step, functor = self.step, self.functor
        assert step.operation is not None and functor.value is not None
        end = ir.Parameter(self.span, Type.VERTEX, ir.Role.FAR, "far")
        value = self.code.convert(step.array_type, from_other_end(functor.value))
        target = self.code.target(self.arrives, step.array_type, end)
        name = self.hidden.name(f"{step.label}_send")
        self.hidden.edge_functors.append(
            dataclasses.replace(
                functor,
                name=name,
                condition=tuple(map(from_other_end, self.rest)),
                body=(ir.Update(self.span, target, step.operation.as_update, value),),
                value=None,
            )
        )
        return name


def _shares_sweep(step: ir.NeighborReduce, following: ir.Step) -> bool:
    """Whether `following` runs on the same members, so that it may share the sweep of the reduction."""
    return isinstance(following, ir.Compute | ir.Filter) and following.frontier.frontier == step.frontier.frontier


def from_other_end(expression: ir.Expression) -> ir.Expression:
    """`expression` as seen from the other end of the edge."""

    def change(node: ir.Node) -> ir.Node:
        if ir.is_parameter(node, *_OTHER):
            return dataclasses.replace(node, role=_OTHER[node.role])
        return node

    return rewrite(expression, change)


def at_vertex(expression: ir.Expression, roles: frozenset[ir.Role], vertex: ir.Parameter) -> ir.Expression:
    """`expression` with `vertex` for the ends of the edge in `roles`."""

    def change(node: ir.Node) -> ir.Node:
        return vertex if ir.is_parameter(node, *roles) else node

    return rewrite(expression, change)


def names_in(program: ir.Program) -> Iterator[str]:
    """All names that the program declares."""
    groups = (program.params, program.arrays, program.scalars, program.functions, program.vertex_functors)
    for group in (*groups, program.edge_functors, program.vote_functors, program.frontiers):
        yield from (each.name for each in group)
    yield from program.graphs
    yield from (step.label for step in walk(program.schedule) if isinstance(step, ir.Operator))
