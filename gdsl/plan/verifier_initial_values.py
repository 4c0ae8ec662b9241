"""What must hold of an array over edges that has no initial value: along every way through the schedule, a call that
reads an element of it has stored that element, or has it from a set whose members all have theirs stored.

Sets are followed from step to step. A loop begins with the sets that are stored both before it and after its body.
"""

from __future__ import annotations

from gdsl.effects.access import frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import blocks_of, walk
from gdsl.operations import Domain, SetOperation

_Sets = frozenset[str]


def needs_no_value(program: ir.Program, array: str) -> bool:
    """Whether nothing reads an initial value of `array`."""
    known = {each.name: each for each in program.arrays}.get(array)
    if known is None or known.domain is not Domain.EDGE or known.is_input or not known.is_local or program.graphs:
        return False
    way = _Way(program, array)
    way.follow(program.schedule, frozenset(each.name for each in program.frontiers if each.domain is Domain.EDGE))
    return way.right


class _Way:
    """One way through a schedule. `right`: whether all reads so far were of what had been stored."""

    def __init__(self, program: ir.Program, array: str) -> None:
        self.array = array
        functors: tuple[ir.VertexFunctor | ir.EdgeFunctor, ...] = (*program.vertex_functors, *program.edge_functors)
        self.functors = {each.name: each for each in functors}
        self.right = True

    def follow(self, steps: tuple[ir.Step, ...], stored: _Sets) -> _Sets:
        """The sets that are stored after the steps, if `stored` are before them. No set has members at first."""
        for step in steps:
            blocks = blocks_of(step)
            if isinstance(step, ir.If):
                self._test(_apart(step), stored, None)
                stored = self.follow(step.then, stored) & self.follow(step.otherwise, stored)
            elif blocks:
                self._test(_apart(step), stored, None)
                before: _Sets | None = None
                while before != stored:
                    before, stored = stored, stored & self.follow(blocks[0], stored)
            else:
                stored = self._after(step, stored)
        return stored

    def _after(self, step: ir.Step, stored: _Sets) -> _Sets:
        functor = self.functors.get(getattr(step, "functor", None) or "")
        plain = isinstance(step, ir.Advance | ir.Filter | ir.Compute)
        if not plain or functor is None:
            self._test((step, *(each for name, each in self.functors.items() if _mentions(step, name))), stored, None)
        stores = plain and functor is not None and self._stores(functor)
        has = stored
        if isinstance(step, ir.Filter | ir.Compute) and functor is not None:
            self._test((functor,), stored, step.frontier.frontier if not stores else "")
        elif isinstance(step, ir.Advance) and functor is not None:
            self._test((functor,), stored, "" if stores else None)
        for name in frontiers_of(step).written:
            has = has | {name} if stores or self._keeps(step, stored) else has - {name}
        return has

    def _keeps(self, step: ir.Step, stored: _Sets) -> bool:
        """Whether all members of the set that a step defines were members of stored ones."""
        if isinstance(step, ir.Filter):
            return step.frontier.frontier in stored
        if isinstance(step, ir.CopyFrontier):
            return step.other in stored
        if isinstance(step, ir.DefineFrontier):
            return not step.everything and len(step.members) == 0
        if isinstance(step, ir.CombineFrontiers):
            first, second = step.first.frontier in stored, step.second.frontier in stored
            if step.operation is SetOperation.UNION:
                return first and second
            return first or (second and step.operation is SetOperation.INTERSECTION)
        return False

    def _test(self, parts: tuple[object, ...], stored: _Sets, members: str | None) -> None:
        """Note whether `parts` may read the array: not at all (`members` None), of the set `members`, or ("") since
        the call stores it first."""
        found = [node for node in walk(parts) if _mentions(node, self.array)]
        own = all(isinstance(each, ir.Element | ir.ElementTarget) and _own(each.index) for each in found)
        allowed = members is not None and own and (members == "" or members in stored)
        self.right = self.right and (not found or allowed)

    def _stores(self, functor: ir.VertexFunctor | ir.EdgeFunctor) -> bool:
        """Whether the first statement that has the array stores the call's element, whatever else holds."""
        having = [each for each in (*functor.condition, *functor.body) if self._is_in(each)]
        if not having or not isinstance(having[0], ir.Store):
            return False
        target = having[0].target
        return isinstance(target, ir.ElementTarget) and _own(target.index) and not self._is_in(having[0].value)

    def _is_in(self, part: object) -> bool:
        return any(_mentions(node, self.array) for node in walk(part))


def _apart(step: ir.Step) -> tuple[object, ...]:
    """What a step has beside its blocks."""
    if isinstance(step, ir.If | ir.While):
        return (step.condition,)
    return (step.count,) if isinstance(step, ir.Repeat) else (step,)


def _own(index: ir.Expression) -> bool:
    return ir.is_parameter(index, ir.Role.EDGE)


def _mentions(node: ir.Node, name: str) -> bool:
    return any(getattr(node, field) == name for field in node.__dataclass_fields__)
