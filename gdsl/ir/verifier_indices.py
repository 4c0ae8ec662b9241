"""What must hold of an index that is not checked: it was never computed, or it is a vertex in any case.

For a computed one this looks for a reason why it might be none, from the index back to what its locals and arrays are
given. What is met again on the way is not looked at twice: whatever is wrong with it is found where it was met first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import Builtin, Outcome, ReduceOperation
from gdsl.types import Type

_NOT_COMPUTED = (nodes.Parameter, nodes.ListVariable, nodes.ParamValue, nodes.OwnId, nodes.Literal)
_CHOICES = (Builtin.MIN, Builtin.MAX)
_Functor = nodes.VertexFunctor | nodes.EdgeFunctor


class IndexVerifier:
    """Answers for the functors of one program."""

    def __init__(self, program: nodes.Program) -> None:
        self.arrays = {array.name: array for array in program.arrays}
        self.graphs = program.graphs
        self.schedule = program.schedule
        self.functors = program.functors

    def unfounded(self, functor: _Functor) -> Iterable[nodes.Node]:
        """The nodes of a functor whose index is not checked and may be out of range."""
        for node in walk(functor):
            if isinstance(node, (nodes.Element, nodes.ElementTarget)):
                index, free = node.index, not node.checked
            elif isinstance(node, nodes.Slot):
                index, free = node.element, not node.checked
            elif isinstance(node, (nodes.DegreeOf, nodes.ForNeighbors)):
                index, free = node.vertex, not node.checked
            else:
                continue
            computed = not isinstance(index, (*_NOT_COMPUTED, nodes.Slot))
            if free and computed and self._may_be_none(functor, [index]):
                yield node

    def _may_be_none(self, functor: _Functor, waiting: list[nodes.Expression]) -> bool:
        """Whether one of these values, given to locals of `functor` or as they are, may be no vertex."""
        if self.graphs:
            return True
        places: list[tuple[_Functor, nodes.Expression]] = [(functor, value) for value in waiting]
        met: set[tuple[str, str]] = set()
        while places:
            inside, value = places.pop()
            if value.type is not Type.VERTEX:
                return True
            if isinstance(value, (nodes.Parameter, nodes.ListVariable)):
                continue
            if isinstance(value, nodes.Select):
                places += [(inside, value.yes), (inside, value.no)]
            elif isinstance(value, nodes.BuiltinCall) and value.function in _CHOICES:
                places += [(inside, argument) for argument in value.arguments]
            elif isinstance(value, nodes.Local):
                if (inside.name, value.name) not in met:
                    met.add((inside.name, value.name))
                    assigned = _assigned_values(inside, value.name)
                    if not assigned:
                        return True
                    places += [(inside, each) for each in assigned]
            elif (array := _array_of(value)) is not None:
                if ("", array) not in met:
                    met.add(("", array))
                    written = self._written(array)
                    if written is None:
                        return True
                    places += written
            else:
                return True
        return False

    def _written(self, name: str) -> list[tuple[_Functor, nodes.Expression]] | None:
        """What functors write into an array that begins with ids, where it matters; None where more is done to it."""
        array = self.arrays.get(name)
        if array is None or array.is_input or array.count is not None or not isinstance(array.initial, nodes.OwnId):
            return None
        for step in walk(self.schedule):
            read = isinstance(step, nodes.DefineFrontier)  # whose operator, a functor, reads an element
            if name in [getattr(step, field) for field in step.__dataclass_fields__ if not (read and field == "shown")]:
                return None
        values: list[tuple[_Functor, nodes.Expression]] = []
        for functor in self.functors:
            for node in walk(functor):
                target = getattr(node, "target", None)
                if not isinstance(target, nodes.ElementTarget) or target.array != name:
                    continue
                if isinstance(node, nodes.Update) and node.operation is ReduceOperation.MIN:
                    continue
                if isinstance(node, nodes.CompareAndSwap):
                    values.append((functor, node.new))
                elif isinstance(node, nodes.Store) or _takes_the_larger(node):
                    values.append((functor, node.value))
                else:
                    return None
        return values


def _takes_the_larger(node: nodes.Node) -> TypeGuard[nodes.Update]:
    return isinstance(node, nodes.Update) and node.operation is ReduceOperation.MAX


def _assigned_values(functor: _Functor, local: str) -> list[nodes.Expression]:
    statements = [node for node in walk(functor) if isinstance(node, (nodes.Let, nodes.Assign))]
    return [node.value for node in statements if node.name == local]


def _array_of(value: nodes.Expression) -> str | None:
    """The array of which this is an element, now or before an update."""
    if isinstance(value, nodes.Element):
        return value.array
    if isinstance(value, nodes.UpdateValue) and value.outcome is Outcome.FETCH:
        target = value.update.target
        return target.array if isinstance(target, nodes.ElementTarget) else None
    return None
