"""The pass `followers`: computations on what a filter has just found run in its sweep. It is written in operators,
before `lower`.

    rest = filter(rest, v => degree[v] > largest);
    compute(rest, v => { least min= degree[v]; });

In two sweeps, all wait for the result of the filter, and then read it. Instead the filter's functor does for each
member that it accepts what the computation would: a *follower* of the filter. It still comes after the filter's own
call for this member, but in no order with those for the others, so everything that both use and one of them writes must
be an element of the member itself. The follower must also be short: in a sweep of their own the members that are
accepted have all threads for themselves.

A follower at the top of a loop over what the loop's last filter finds runs in that filter for the next pass:

    while (rest) { least = 9; compute(rest, c); …; rest = filter(rest, f); }

    least = 9; compute(rest, c); while (rest) { …; least = 9; rest = filter(rest, f then c); }

Between the end of a pass and the beginning of the next one nothing happens but that the loop asks whether there are
members. If there are none, the computation calls nothing. What is assigned with it has been assigned once too often, so
it must not be used anywhere but in the loop, which must assign it before it reads it when it runs again: no counters
of passes. Nor may such an assignment stop the run. Assignments between a filter and its follower move before both or
behind both.

On a CPU a filter that does nothing else tests without a branch (`cpu_threads`), and what it finds is often in the
cache. There a follower must read what the filter has read, so that its values come from memory once.

A trace has no records of followers: they are a part of the filter. Instances that run together have sets of their own
form, and workers exchange what each operator writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from gdsl.effects.access import Accesses, Who, frontiers_of
from gdsl.frontend.vocabulary import unused_name
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, blocks_of, contains, rewrite, walk, with_blocks
from gdsl.operations import GraphQuery
from gdsl.plan.functor_facts import may_stop, member_names, own_arrays
from gdsl.plan.sending import names_in
from gdsl.plan.target import Target
from gdsl.types import Type

MOST_FOLLOWERS = 8
"""Each new one is compared with all of them, and all are code of one loop."""
_LOOPS = (ir.ForRange, ir.ForNeighbors, ir.Loop)


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` with followers in the functors of their filters; the same object if there are none."""
    filters = any(isinstance(step, ir.Filter) for step in all_steps(program.schedule))
    return _Writer(program, target).program() if filters and not target.instances else program


def filters_of_followers(program: ir.Program, target: Target) -> dict[int, tuple[int, ...]]:
    """By the site of each follower of `program` in its plans: the sites of its filters, one or, where a loop has it for
    the next pass, perhaps two."""
    if target.instances or "followers" in {*program.tuning.without, *target.without}:
        return {}
    writer = _Writer(program, target)
    writer.program()
    sites = {each.site for group in writer.following.values() for each in group}
    by_filter = writer.following.items()
    return {site: tuple(at for at, group in by_filter if any(each.site == site for each in group)) for site in sites}


class _Writer:
    """Writes one program."""

    def __init__(self, program: ir.Program, target: Target) -> None:
        self.before, self.target, self.accesses = program, target, Accesses(program)
        self.taken = set(names_in(program))
        self.following: dict[int, list[ir.Compute]] = {}
        """By the site of each filter that has any: its followers."""

    def program(self) -> ir.Program:
        """The whole program."""
        before, schedule = self.before, self._block(self.before.schedule)
        if not self.following:
            return before
        functors: list[ir.Functor] = []

        def joined(step: ir.Node) -> ir.Node:
            if not isinstance(step, ir.Filter) or step.site not in self.following:
                return step
            group = self.following[step.site]
            name = unused_name("_".join([step.label, *(each.label for each in group)]), self.taken)
            self.taken.add(name)
            functors.append(
                with_followers(
                    self.accesses.functor(step), [self.accesses.functor(each) for each in group], name, self.taken
                )
            )
            return dataclasses.replace(step, functor=name)

        schedule = rewrite(schedule, joined)
        of_vertices = (each for each in functors if isinstance(each, ir.VertexFunctor))
        of_edges = (each for each in functors if isinstance(each, ir.EdgeFunctor))
        return dataclasses.replace(
            before,
            vertex_functors=(*before.vertex_functors, *of_vertices),
            edge_functors=(*before.edge_functors, *of_edges),
            schedule=schedule,
        )

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        """A block with those that follow a filter in it, or in a loop around it, in its sweep."""
        written: list[ir.Step] = []
        for original in steps:
            step = with_blocks(original, self._block)
            while isinstance(step, ir.While) and (turned := self._turned(step, original)) is not None:
                head, step = turned
                written += head
            written.append(step)
        return self._straight(tuple(written))

    def _straight(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        """A block without the computations that directly follow their filter."""
        place = 0
        while place < len(steps):
            step, placed = steps[place], None
            if isinstance(step, ir.Filter):
                between = _stores(steps[place + 1 :])
                behind = steps[place + 1 + len(between) :]
                placed = self._placed(step, between, behind[0]) if behind else None
            if placed is not None:
                steps = (*steps[:place], *placed, *behind[1:])
            else:
                place += 1
        return steps

    def _turned(self, loop: ir.While, original: ir.Step) -> tuple[tuple[ir.Step, ...], ir.While] | None:
        """What a loop begins with, to run before it, and the loop in which the last filter of a pass does the same for
        the next one; None where it does not. `original`: as the program has the loop."""
        assert isinstance(original, ir.While)
        condition, body = loop.condition, loop.body
        head = _stores(body)
        first = body[len(head)] if len(head) < len(body) else None
        if not isinstance(condition, ir.FrontierNotEmpty) or loop.monotone or not isinstance(first, ir.Compute):
            return None
        if not any(first is each for block in blocks_of(original) for each in block):  # an inner loop begins with it
            return None
        rest = body[len(head) + 1 :]
        tail = _stores(rest[::-1])[::-1]
        filters = rest[len(rest) - len(tail) - 1] if len(tail) < len(rest) else None
        if not isinstance(filters, ir.Filter) or filters.result != condition.frontier:
            return None
        counts = any(
            isinstance(node, ir.Iteration) for part in (head, self.accesses.functor(first)) for node in walk(part)
        )
        if counts or may_stop(head) or any(self._is_used_outside(store.scalar, loop) for store in head):
            return None
        if any(self._is_carried(store.scalar, original) for store in head):
            return None
        placed = self._placed(filters, (*tail, *head), first)
        if placed is None:
            return None
        body = (*rest[: len(rest) - len(tail) - 1], *placed)
        return (*head, first), dataclasses.replace(loop, body=body)

    def _is_carried(self, scalar: str, loop: ir.While) -> bool:
        """Whether the loop, which assigns the scalar before its filter, asks before for what it was."""
        for step in loop.body:
            store = step if isinstance(step, ir.StoreScalar) else None
            read = (
                self.accesses.of_step(step) if store is None else self.accesses.of_expression(store.value, Who.LEADER)
            )
            if any(each.name == scalar for each in read):
                return True
            if store is not None and store.scalar == scalar:
                return False
        return True

    def _is_used_outside(self, scalar: str, loop: ir.While) -> bool:
        """Whether anything but this loop's body sees the scalar."""
        data = next(each for each in self.before.scalars if each.name == scalar)
        if not data.is_local:
            return True
        schedule = all_steps(self.before.schedule)
        own = next(each for each in schedule if isinstance(each, ir.While) and each.loop == loop.loop)
        inside = {id(step) for step in all_steps(own.body)}
        names = (self.accesses.names_of_step(step) for step in schedule if id(step) not in inside)
        return any(scalar in read or scalar in written for read, written in names)

    def _placed(
        self, filters: ir.Filter, between: Sequence[ir.StoreScalar], step: ir.Step
    ) -> tuple[ir.Step, ...] | None:
        """The filter with `step` as a follower, and the assignments between them before or behind it; None: `step` is
        no follower."""
        if not isinstance(step, ir.Compute) or step.frontier.frontier != filters.result:
            return None
        group = self.following.get(filters.site, [])
        if len(group) == MOST_FOLLOWERS or not self._may_follow(self.accesses.functor(step)):
            return None
        if not (self.target.grid or group or self._reads_the_same(filters, step)):
            return None
        sweep = (filters, *group)
        if not all(self._are_apart(each, step) for each in sweep):
            return None
        early = not any(self._meet(store, each) for store in between for each in sweep)
        late = not any(self._meet(store, step) for store in between)
        if not early and not late:
            return None
        self.following.setdefault(filters.site, []).append(step)
        return (*between, filters) if early else (filters, *between)

    def _may_follow(self, functor: ir.Functor) -> bool:
        """Whether a call takes the same few steps for any member, at least one, and does not say whom it accepts."""
        never: tuple[type[ir.Node], ...] = (*_LOOPS, ir.Accept)
        if not functor.body:
            return False
        functions = {each.name: each for each in self.before.functions}
        pending, known = list(walk((functor.condition, functor.body))), set[str]()
        while pending:
            node = pending.pop()
            if isinstance(node, never) or (isinstance(node, ir.GraphRead) and node.query is GraphQuery.HAS_EDGE):
                return False
            if isinstance(node, ir.FunctionCall) and node.function not in known:
                known.add(node.function)
                pending += walk(functions[node.function].body)
        return True

    def _reads_the_same(self, filters: ir.Filter, step: ir.Compute) -> bool:
        """Whether the follower reads an array that the filter reads, too, or the filter has more to do than to test."""
        functors = self.accesses.functor(filters), self.accesses.functor(step)
        read = [{node.array for node in walk(each) if isinstance(node, ir.Element)} for each in functors]
        return bool(functors[0].body) or not read[0].isdisjoint(read[1])

    def _are_apart(self, first: ir.Operator, second: ir.Operator) -> bool:
        """Whether no call of either sees what the other one writes, but for elements of its own member."""
        own = (own_arrays(self.accesses.functor(each), self.before) for each in (first, second))
        alone = frozenset.intersection(*own)
        return alone.issuperset(_meeting(self.accesses, first, second))

    def _meet(self, store: ir.StoreScalar, operator: ir.Operator) -> bool:
        """Whether the order of the two matters."""
        sets = {*frontiers_of(store).read} & {*frontiers_of(operator).written}
        return bool(sets or _meeting(self.accesses, store, operator))


def with_followers(own: ir.Functor, others: Sequence[ir.Functor], name: str, taken: set[str]) -> ir.Functor:
    """A filter's functor that also does what its followers do, for the members that it accepts; `taken`: names that no
    local may have."""
    used = {*taken, *member_names(own), *_locals(own)}
    calls: list[ir.Statement] = []
    for other in others:
        renamed = dict(zip(member_names(other), member_names(own), strict=True))
        for local in _locals(other):
            renamed[local] = unused_name(local, used)
            used.add(renamed[local])
        condition, body = _with_names((other.condition, other.body), renamed)
        calls += _under(condition, body)
    body = own.body
    if contains(body, ir.Accept):
        stays = unused_name("stays", used)
        yes: ir.Expression = ir.Literal(own.span, Type.BOOL, True)
        stayed: ir.Expression = ir.Local(own.span, Type.BOOL, stays)

        def noted(node: ir.Node) -> ir.Node:
            return ir.Assign(node.span, stays, node.value) if isinstance(node, ir.Accept) else node

        begin = ir.Let(own.span, stays, Type.BOOL, yes, True)
        called = ir.Branch(own.span, stayed, tuple(calls), ())
        body = (begin, *rewrite(body, noted), ir.Accept(own.span, stayed), called)
    else:
        body = (*body, *calls)
    return dataclasses.replace(own, name=name, body=body)


def _under(condition: tuple[ir.Expression, ...], body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    """`body`, run only if all of `condition` hold, which are asked one after the other."""
    for each in reversed(condition):
        body = (ir.Branch(each.span, each, body, ()),)
    return body


def _locals(functor: ir.Functor) -> tuple[str, ...]:
    """The locals of a functor without loops over lists, in the order of the text."""
    return tuple(node.name for node in walk(functor.body) if isinstance(node, ir.Let | ir.ForRange))


_Code = tuple[tuple[ir.Expression, ...], tuple[ir.Statement, ...]]


def _with_names(code: _Code, names: dict[str, str]) -> _Code:
    def change(node: ir.Node) -> ir.Node:
        named = isinstance(node, ir.Parameter | ir.Local | ir.Let | ir.Assign)
        if named and node.name in names:  # type: ignore[attr-defined]
            return dataclasses.replace(node, name=names[node.name])  # type: ignore[attr-defined,call-arg]
        return node

    return rewrite(code, change)


def _stores(steps: Sequence[ir.Step]) -> tuple[ir.StoreScalar, ...]:
    """The assignments to scalars that a row of steps begins with."""
    return tuple(_taken(steps))


def _taken(steps: Sequence[ir.Step]) -> Iterator[ir.StoreScalar]:
    for step in steps:
        if not isinstance(step, ir.StoreScalar):
            return
        yield step


def _meeting(accesses: Accesses, first: ir.Step, second: ir.Step) -> set[str]:
    """The data that both use and one of them writes."""
    uses = accesses.with_swaps(first), accesses.with_swaps(second)
    names = [{each.name for each in use} for use in uses]
    written = [{each.name for each in use if each.writes} for use in uses]
    return written[0] & names[1] | written[1] & names[0]
