"""What must hold of values computed beforehand: with the stored values in place of their arrays, the program is the one
before the pass.

So a sweep over all vertices directly precedes the operator and stores in arrays that nothing else uses. Its values
neither stop a run, nor run forever, nor change while the operator runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import rewrite, walk, with_blocks, written_in
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.passes.writers import far_roles
from gdsl.plan.functor_facts import may_stop
from gdsl.records import equal_apart_from

_OPEN = (ir.FunctionCall, ir.GraphRead, ir.UpdateValue, ir.CompareAndSwap, ir.Local)
"""What may not end, changes something, or has a value only in the operator."""


def verify_far_values(before: ir.Program, after: ir.Program) -> None:
    """Raise `VerificationError` unless `after` does what `before` does."""
    _FarValues(before, after).verify()


class _FarValues:
    def __init__(self, before: ir.Program, after: ir.Program) -> None:
        self.before, self.after = before, after
        self.expect = expecting(f"far values of {before.name}")
        self.operators = {step.site: step for step in walk(before.schedule) if isinstance(step, ir.Operator)}
        self.sweeps = {functor.name: functor for functor in after.vertex_functors[len(before.vertex_functors) :]}
        self.known = {each.name for each in (*before.params, *before.data)}
        self.arrays: set[str] = set()
        """Those that a sweep has stored in."""

    def verify(self) -> None:
        before, after = self.before, self.after
        own = ("arrays", "vertex_functors", "edge_functors", "schedule", "tuning")
        self.expect(equal_apart_from(before, after, own), "another program")
        for part in own[:3]:
            first = getattr(after, part)[: len(getattr(before, part))]
            self.expect(first == getattr(before, part), f"other {part}")
        sites = before.tuning.sites
        self.expect(after.tuning.sites[: len(sites)] == sites, "operators have other knobs")
        self.expect(tuple(self._steps(after.schedule)) == before.schedule, "other steps")
        added = after.arrays[len(before.arrays) :]
        local = all(each.is_local and each.domain is Domain.VERTEX and each.count is None for each in added)
        self.expect(local and {each.name for each in added} == self.arrays, "arrays that nobody computes")

    def _steps(self, steps: tuple[ir.Step, ...]) -> Iterator[ir.Step]:
        """`steps` without the sweeps, and with the functors as they were."""
        values: dict[str, ir.Expression] = {}
        for step in steps:
            if isinstance(step, ir.Compute) and step.functor in self.sweeps:
                self.expect(not values, "a sweep for no operator")
                values = self._stored(step)
            elif values:
                yield self._original(step, values)
                values = {}
            else:
                yield with_blocks(step, lambda block: tuple(self._steps(block)))
        self.expect(not values, "a sweep for no operator")

    def _stored(self, sweep: ir.Compute) -> dict[str, ir.Expression]:
        """What a sweep stores, by array."""
        functor = self.sweeps[sweep.functor]
        all_vertices = sweep.frontier.everything and sweep.frontier.domain is Domain.VERTEX
        self.expect(all_vertices, "a sweep over something else")
        values: dict[str, ir.Expression] = {}
        for statement in functor.body:
            target = statement.target if isinstance(statement, ir.Store) else None
            own = isinstance(target, ir.ElementTarget) and ir.is_parameter(target.index, ir.Role.VERTEX)
            self.expect(own and not functor.condition, "a value that is not stored for each vertex")
            if isinstance(statement, ir.Store) and isinstance(target, ir.ElementTarget):
                new = target.array not in self.arrays | self.known
                self.expect(new, "an array that is used for something else")
                values[target.array] = statement.value
                self.arrays.add(target.array)
        self.expect(bool(values), "a sweep that computes nothing")
        return values

    def _original(self, step: ir.Step, values: dict[str, ir.Expression]) -> ir.Step:
        """The operator with the functor of the program, which computes the values itself."""
        reads = isinstance(step, ir.NeighborReduce | ir.Intersect) and step.frontier.everything
        self.expect(reads, "a sweep before another step")
        assert isinstance(step, ir.NeighborReduce | ir.Intersect) and step.functor is not None
        wanted = self.operators[step.site]
        assert wanted.functor is not None
        original, own = self.before.edge_functor(wanted.functor), self.after.edge_functor(step.functor)
        changed = written_in(own.body)
        for value in values.values():
            self.expect(not any(_depends_on(node, changed) for node in walk(value)), "a value that changes")
            self.expect(not may_stop(value), "a value that may stop the run")
        far = far_roles(step.over) if isinstance(step, ir.NeighborReduce) else frozenset({ir.Role.COMMON})

        def computed(node: ir.Node) -> ir.Node:
            """A read of such an array as its value at that end, which has one name."""
            if ir.is_parameter(node, *far):
                return dataclasses.replace(node, role=ir.Role.FAR, name="far")
            if isinstance(node, ir.Element) and node.array in values:
                end = node.index
                self.expect(ir.is_parameter(end, ir.Role.FAR), "a value of another vertex")
                return rewrite(values[node.array], lambda part: end if ir.is_parameter(part, ir.Role.VERTEX) else part)
            return node

        restored = dataclasses.replace(rewrite(own, computed), name=original.name)
        same = equal_apart_from(restored, rewrite(original, computed), ("span",))
        self.expect(same, "an operator computes something else")
        return dataclasses.replace(step, functor=original.name)


def _depends_on(node: ir.Node, changed: set[str]) -> bool:
    """Whether a node may have another value while the operator runs, or none outside."""
    if isinstance(node, ir.Element):
        return node.now or node.array in changed or not ir.is_parameter(node.index, ir.Role.VERTEX)
    if isinstance(node, ir.ScalarValue):
        return node.now or node.name in changed
    return isinstance(node, _OPEN)
