"""What must hold of scalars that are kept with the graph: with each row of steps in place of the branch around it, and
the first values as they were, the program is the one before the pass.

A row reads nothing of a run, so it gives the same scalars in each, and nothing else reads them before, or changes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, blocks_of, walk, with_blocks
from gdsl.ir.verifier import expecting
from gdsl.plan.functor_facts import called_functions
from gdsl.plan.hoisted_scalars import hoisted_scalars
from gdsl.plan.known_scalars import HoistedScalars
from gdsl.records import equal_apart_from

_STRUCTURAL = (
    *(ir.Literal, ir.NoneId, ir.Parameter, ir.Local, ir.ScalarValue, ir.OwnId, ir.Place, ir.Count, ir.LargestDegree),
    *(ir.DegreeOf, ir.GraphRead, ir.Unary, ir.Binary, ir.Chain, ir.Select, ir.Convert, ir.BuiltinCall),
    *(ir.FunctionCall, ir.MakePair, ir.PairPart),
)
"""The expressions that have the same value in every run, where scalars have."""


def verify_hoisted_scalars(before: ir.Program, after: ir.Program) -> None:
    """Raise `VerificationError` unless `after` does what `before` does."""
    _HoistedScalars(before, after).verify()


class _HoistedScalars:
    def __init__(self, before: ir.Program, after: ir.Program) -> None:
        self.before, self.after, self.accesses = before, after, Accesses(before)
        self.expect = expecting(f"hoisted scalars of {before.name}")
        self.groups = {each.there: each for each in hoisted_scalars(after)}

    def verify(self) -> None:
        before, after, groups = self.before, self.after, self.groups.values()
        self.expect(equal_apart_from(before, after, ("params", "scalars", "schedule")), "another program")
        params = {name for each in groups for name in (each.there, *(scalar.param for scalar in each.scalars))}
        added = after.params[len(before.params) :]
        self.expect(after.params[: len(before.params)] == before.params, "other params")
        self.expect({each.name for each in added} == params and len(added) == len(params), "params that nothing reads")
        self._initial_values({scalar.scalar: scalar.param for each in groups for scalar in each.scalars})
        self.expect(tuple(self._steps(after.schedule)) == before.schedule, "other steps")

    def _initial_values(self, params: dict[str, str]) -> None:
        """Each kept scalar begins with a param, whose default is how it began; others begin as they did."""
        before, after = self.before.scalars, self.after.scalars
        defaults = {each.name: each.default for each in self.after.params}
        for old, new in zip(before, after, strict=False):
            kept = params.get(old.name)
            first = new.initial
            named = isinstance(first, ir.ParamValue) and first.name == kept
            self.expect(old.name == new.name and (named if kept else first == old.initial), f"{old.name} begins anew")
            self.expect(kept is None or (old.is_local and not old.is_input), f"{old.name} is not the schedule's own")
            self.expect(kept is None or defaults[kept] == old.initial, f"{old.name} begins with another value")
        found = [each.name for each in after[len(before) :]]
        self.expect(found == [each.found for each in self.groups.values()], "other scalars")

    def _steps(self, steps: tuple[ir.Step, ...]) -> Iterator[ir.Step]:
        """`steps` with each row in the place of its branch."""
        for place, step in enumerate(steps):
            group = self._group(step)
            if group is None:
                inside = blocks_of(step) if not isinstance(step, ir.If) else ()
                groups = [self._group(each) for block in inside for each in all_steps(block)]
                self.expect(not any(groups), "a row that runs more than once, or on another graph")
                yield with_blocks(step, lambda block: tuple(self._steps(block)))
            elif isinstance(step, ir.If):
                *row, last = step.then
                says = isinstance(last, ir.StoreScalar) and last.scalar == group.found and not step.otherwise
                self.expect(says, "a row whose end nobody knows")
                self._row(tuple(row), steps[place + 1 :], group)
                yield from row

    def _group(self, step: ir.Step) -> HoistedScalars | None:
        there = step.condition.operand if isinstance(step, ir.If) and isinstance(step.condition, ir.Unary) else None
        return self.groups.get(there.name) if isinstance(there, ir.ParamValue) else None

    def _row(self, row: tuple[ir.Step, ...], later: tuple[ir.Step, ...], group: HoistedScalars) -> None:
        """A row computes its scalars of the graph, and those after it only read them."""
        names, known = {each.scalar for each in group.scalars}, set[str]()
        for step in row:
            written = self.accesses.names_of_step(step)[1]
            every = isinstance(step, ir.StoreScalar) or (isinstance(step, ir.Compute) and step.frontier.everything)
            self.expect(every and written <= names, "a row that does something else")
            code = list(self._code(step))
            expressions = [node for node in code if isinstance(node, ir.Expression)]
            self.expect(all(isinstance(node, _STRUCTURAL) for node in expressions), "a row that reads what a run has")
            read = {node.name for node in expressions if isinstance(node, ir.ScalarValue)}
            self.expect(read <= known, "a row that reads another scalar")
            self.expect(isinstance(step, ir.StoreScalar) or not read & written, "a row that depends on its order")
            updates = [node for node in code if isinstance(node, ir.Update) and node.value.type.is_float]
            self.expect(
                not any(each.operation.value in ("+=", "-=", "*=") for each in updates), "a row that is rounded"
            )
            known |= written
        self.expect(known == names, "scalars that a row does not find")
        behind, own = set(map(id, all_steps(later))), set(map(id, row))
        for step in all_steps(self.after.schedule):
            reads, writes = self.accesses.names_of_step(step)
            touched = writes if id(step) in behind else reads | writes if id(step) not in own else frozenset[str]()
            self.expect(not names & touched, "a kept scalar is read before it is known, or changed")

    def _code(self, step: ir.Step) -> Iterator[object]:
        if isinstance(step, ir.Compute):
            functor = self.accesses.functor(step)
            for part in (functor, *called_functions(functor, self.before)):
                yield from walk(part)
        elif isinstance(step, ir.StoreScalar):
            yield from walk(step.value)
