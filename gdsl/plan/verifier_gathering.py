"""What must hold of advances that gather: without the gathers, the program is the one before the pass, and each gather
does what its advance does.

So the run decides by scalars of its own; the gather changes the same array by the same operation, with the value and
under the conditions of the advance, along the same edges from the other end, of members alone; and it gives the same
result. What it stores on the way is in arrays that nothing else reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.slots import same
from gdsl.ir.traversal import rewrite, walk, with_blocks
from gdsl.ir.verifier import expecting
from gdsl.operations import BinaryOperation, Degree, Direction, Domain, NeighborOperation, Over, ReduceOperation
from gdsl.records import equal_apart_from
from gdsl.types import Type

_OWN = ("arrays", "scalars", "vertex_functors", "edge_functors", "frontiers", "schedule", "tuning")
_MEMBER = {Over.OUT_EDGES: ir.Role.SOURCE, Over.IN_EDGES: ir.Role.DESTINATION}
"""The end of an edge from which an advance comes."""
_OTHER_END = {ir.Role.SOURCE: ir.Role.DESTINATION, ir.Role.DESTINATION: ir.Role.SOURCE}
_OPEN = (ir.FunctionCall, ir.GraphRead, ir.UpdateValue, ir.CompareAndSwap, ir.Local, ir.Place)
"""What may not end, changes something, or has a value only in the advance."""


def verify_gathering(before: ir.Program, after: ir.Program) -> None:
    """Raise `VerificationError` unless `after` does what `before` does."""
    _Gathering(before, after).verify()


class _Gathering:
    def __init__(self, before: ir.Program, after: ir.Program) -> None:
        self.before, self.after = before, after
        self.expect = expecting(f"gathers of {before.name}")
        self.known = {each.name for each in (*before.params, *before.data)}
        self.vertex_functors = {functor.name: functor for functor in after.vertex_functors}

    def verify(self) -> None:
        before, after = self.before, self.after
        self.expect(equal_apart_from(before, after, _OWN), "another program")
        for part in ("arrays", "scalars", "vertex_functors", "edge_functors", "frontiers"):
            first = getattr(after, part)[: len(getattr(before, part))]
            self.expect(first == getattr(before, part), f"other {part}")
        sites = zip(before.tuning.sites, after.tuning.sites, strict=False)
        pushes = (dataclasses.replace(old, direction=Direction.PUSH) for old in before.tuning.sites)
        same = all(new in (old, push) for (old, new), push in zip(sites, pushes, strict=True))
        self.expect(same, "operators have other knobs")
        self.expect(tuple(self._steps(after.schedule)) == before.schedule, "other steps")

    # Without the gathers

    def _steps(self, steps: tuple[ir.Step, ...]) -> Iterator[ir.Step]:
        """`steps` without the gathers, and without what decides between them and their advances."""
        for step in steps:
            if isinstance(step, ir.If) and self._is_new(step.condition):
                advance = step.otherwise[0] if len(step.otherwise) == 1 else None
                self.expect(isinstance(advance, ir.Advance), "no advance")
                assert isinstance(advance, ir.Advance)
                knobs = self.after.tuning.sites[advance.site]
                self.expect(knobs.direction is Direction.PUSH, "an advance that may also pull")
                self._gather(advance, step.then)
                yield advance
            elif self._decides(step):
                continue
            else:
                yield with_blocks(step, lambda block: tuple(self._steps(block)))

    def _is_new(self, condition: ir.Expression) -> bool:
        return isinstance(condition, ir.ScalarValue) and condition.name not in self.known

    def _decides(self, step: ir.Step) -> bool:
        """Whether a step changes new scalars alone."""
        if isinstance(step, ir.StoreScalar):
            return step.scalar not in self.known
        if isinstance(step, ir.If):
            return bool(step.then) and not step.otherwise and all(map(self._decides, step.then))
        if not isinstance(step, ir.Compute) or step.functor not in self.vertex_functors:
            return False
        updates = self.vertex_functors[step.functor].body
        targets = [each.target for each in updates if isinstance(each, ir.Update)]
        return len(targets) == len(updates) > 0 and all(
            isinstance(each, ir.ScalarTarget) and each.scalar not in self.known for each in targets
        )

    # One gather

    def _gather(self, advance: ir.Advance, steps: tuple[ir.Step, ...]) -> None:
        functor = self.before.edge_functor(advance.functor)
        update = functor.body[0] if len(functor.body) == 1 else None
        self.expect(isinstance(update, ir.Update) and isinstance(update.target, ir.ElementTarget), "not one update")
        assert isinstance(update, ir.Update) and isinstance(update.target, ir.ElementTarget)
        member = _MEMBER[advance.over]
        conditions = [_by_ends(each, member) for each in functor.condition]
        end = _by_ends(update.target.index, member)
        self.expect(ir.is_parameter(end, _OTHER_END[member]), "not a sum at the far end")
        for node in (*walk(conditions), *walk(update.value)):
            hinders = isinstance(node, _OPEN) or getattr(node, "checked", False)
            reads = isinstance(node, ir.Element) and node.array == update.target.array
            self.expect(not hinders and not reads, "what an advance alone may compute")
        writes = _Writes(self, advance, member)
        for step in steps:
            writes.take(step)
        self.expect(writes.given == [(update.target, update.operation)], "something else is changed")
        self.expect(bool(writes.arrived), "nothing is gathered")
        operation, wanted, value = writes.reduced[writes.arrived]
        self.expect(_puts_together(operation, update), "another operation")
        self.expect(same(value, _by_ends(update.value, member)), "another value")
        self.expect(_all_same(wanted, conditions), "other conditions")
        self.expect((writes.result is None) == (advance.result is None), "another result")
        if writes.result is not None:
            self.expect(_all_same(writes.result, conditions), "other conditions of the result")


class _Writes:
    """What the steps of a gather have stored so far."""

    def __init__(self, whole: _Gathering, advance: ir.Advance, member: ir.Role) -> None:
        self.whole, self.advance, self.member, self.expect = whole, advance, member, whole.expect
        self.filled: dict[str, ir.Expression] = {}
        self.stored: dict[str, tuple[list[ir.Expression], ir.Expression]] = {}
        """By array, under which conditions each member has stored what."""
        self.reduced: dict[str, tuple[NeighborOperation, list[ir.Expression], ir.Expression]] = {}
        self.given: list[tuple[ir.Target, ReduceOperation]] = []
        self.arrived = ""
        self.result: list[ir.Expression] | None = None

    def take(self, step: ir.Step) -> None:
        """One step more."""
        self.expect(self.result is None, "a step after the result")
        match step:
            case ir.Fill() if step.domain is Domain.VERTEX:
                self._new(step.array)
                self.stored.pop(step.array, None)
                self.filled[step.array] = step.value
            case ir.Compute() if step.frontier == self.advance.frontier and not step.frontier.everything:
                self._stores(self.whole.vertex_functors[step.functor])
            case ir.Compute() if step.frontier.everything:
                self._updates(self.whole.vertex_functors[step.functor])
            case ir.NeighborReduce() if step.frontier.everything and step.operation is not None and step.own is None:
                self._new(step.array)
                self.expect(step.over is self.advance.over.reversed, "other edges")
                functor = self.whole.after.edge_functor(step.functor)
                assert functor.value is not None
                self.reduced[step.array] = (step.operation, *self._brought(functor, step.operation, step.array_type))
            case ir.Filter() if step.frontier.everything:
                self.expect(step.result == self.advance.result, "another result")
                self._accepts(self.whole.vertex_functors[step.functor or ""])
            case _:
                self.expect(False, "a step that no gather has")

    def _new(self, array: str) -> None:
        self.expect(array not in self.whole.known, "an array of the program is used")

    def _stores(self, functor: ir.VertexFunctor) -> None:
        conditions = [self._of_member(each) for each in functor.condition]
        for store in functor.body:
            self.expect(isinstance(store, ir.Store) and isinstance(store.target, ir.ElementTarget), "no store")
            assert isinstance(store, ir.Store) and isinstance(store.target, ir.ElementTarget)
            self.expect(_is_own(store.target.index) and store.target.array in self.filled, "not of each vertex")
            self.stored[store.target.array] = conditions, self._of_member(store.value)

    def _of_member(self, expression: ir.Expression) -> ir.Expression:
        """`expression` of a vertex, as one of that end of an edge."""
        return rewrite(expression, lambda node: _end(node, self.member) if _is_own(node) else node)

    def _brought(
        self, functor: ir.EdgeFunctor, operation: NeighborOperation, type_: Type
    ) -> tuple[list[ir.Expression], ir.Expression]:
        """Under which conditions of an edge from a member it brings which value: with what members have stored in the
        place of the arrays. All other vertices must have stored nothing that counts."""
        receiver = _OTHER_END[self.member]
        conditions = [_by_ends(each, receiver) for each in functor.condition]
        assert functor.value is not None
        value = _by_ends(functor.value, receiver)
        of_members = self.advance.frontier.everything
        found: list[ir.Expression] = []
        for condition in conditions:
            if (array := self._array_of_member(condition)) is not None:
                of_vertices, mark = self.stored[array]
                are_marks = _is(mark, True) and _is(self.filled[array], False)
                self.expect(are_marks, "marks that others have, too")
                found += of_vertices
                of_members = True
            else:
                found.append(condition)
        if (array := self._array_of_member(value)) is not None:
            from gdsl.ir.lowering.reductions import identity

            of_vertices, value = self.stored[array]
            neutral = identity(operation.as_update, type_, value.span)
            self.expect(same(self.filled[array], neutral), "others give something, too")
            found += [each for each in of_vertices if not any(same(each, other) for other in found)]
            of_members = True
        self.expect(of_members, "edges of others count, too")
        return found, value

    def _array_of_member(self, node: ir.Expression) -> str | None:
        """The array of whose element of the member `node` is the value, if it is one that the gather fills."""
        if not isinstance(node, ir.Element) or node.array not in self.stored:
            return None
        self.expect(ir.is_parameter(node.index, self.member), "of another vertex")
        return node.array

    def _updates(self, functor: ir.VertexFunctor) -> None:
        update = functor.body[0] if len(functor.body) == 1 else None
        self.expect(isinstance(update, ir.Update), "not one update")
        assert isinstance(update, ir.Update)
        target, value = update.target, update.value
        own = isinstance(target, ir.ElementTarget) and _is_own(target.index) and not functor.condition
        self.expect(own and isinstance(value, ir.Element) and _is_own(value.index), "not what has arrived")
        assert isinstance(target, ir.ElementTarget) and isinstance(value, ir.Element)
        self.expect(value.array in self.reduced, "nothing has arrived")
        self.arrived = value.array
        functor_before = self.whole.before.edge_functor(self.advance.functor)
        original = next(node for node in walk(functor_before.body) if isinstance(node, ir.ElementTarget))
        self.expect(equal_apart_from(target, original, ("span", "index")), "another target")
        self.given.append((original, update.operation))

    def _accepts(self, functor: ir.VertexFunctor) -> None:
        self.expect(len(functor.condition) == 1 and not functor.body, "a filter of something else")
        condition = functor.condition[0]
        if isinstance(condition, ir.Element):
            self.expect(_is_own(condition.index) and condition.array in self.reduced, "not what was reached")
            operation, self.result, value = self.reduced[condition.array]
            self.expect(operation is NeighborOperation.SOME and _is(value, True), "not what was reached")
            return
        degree = Degree.IN if self.advance.over is Over.OUT_EDGES else Degree.OUT
        positive = (
            isinstance(condition, ir.Binary)
            and condition.operation is BinaryOperation.GREATER
            and isinstance(condition.left, ir.DegreeOf)
            and condition.left.degree is degree
            and _is(condition.right, 0)
        )
        self.expect(positive and self.advance.frontier.everything, "not what was reached")
        self.result = []


def _by_ends(expression: ir.Expression, near: ir.Role) -> ir.Expression:
    """`expression` with the ends of the edge as source and destination; `near`: which of them is the near one."""
    ends = {ir.Role.NEAR: near, ir.Role.FAR: _OTHER_END[near], ir.Role.SOURCE: ir.Role.SOURCE}
    ends[ir.Role.DESTINATION] = ir.Role.DESTINATION

    def change(node: ir.Node) -> ir.Node:
        return _end(node, ends[node.role]) if ir.is_parameter(node, *ends) else node

    return rewrite(expression, change)


def _end(node: ir.Node, role: ir.Role) -> ir.Node:
    assert isinstance(node, ir.Parameter)
    return dataclasses.replace(node, role=role, name=role.value)


def _is_own(node: ir.Node) -> bool:
    return ir.is_parameter(node, ir.Role.VERTEX)


def _is(node: ir.Expression, value: object) -> bool:
    return isinstance(node, ir.Literal) and node.value == value


def _all_same(some: list[ir.Expression], others: list[ir.Expression]) -> bool:
    return len(some) == len(others) and all(any(same(one, each) for each in others) for one in some)


def _puts_together(operation: NeighborOperation, update: ir.Update) -> bool:
    """Whether all that arrives, put together by `operation`, may be combined at once."""
    wanted = ReduceOperation.ADD if update.operation is ReduceOperation.SUBTRACT else update.operation
    floats = update.target.type.is_float and wanted in (ReduceOperation.MIN, ReduceOperation.MAX)
    return operation.as_update is wanted and operation is not NeighborOperation.COUNT and not floats
