"""The pass `know_vertices`: an index that is a vertex in any case is not checked.

Labels, representatives and the like are arrays of vertices in which every vertex begins with its own id. If all that is
written into such an array is a vertex that exists, too, so is every element, in any order of calls. That holds for

- a functor's own vertex, the ends of its edge and the neighbors of a loop over a list;
- an element of such an array, read or returned by `fetch`;
- one of two of these, the smaller or the larger one, and a local that is given nothing else.

A `min=` keeps what exists, whatever its operand: `none` orders after every vertex. All this is assumed first, and taken
back where something else is written, until nothing is left to take back. An array that a step of the schedule names is
none of these, unless it reads an element, nor is any of a program that makes graphs, whose vertices may be fewer.

The check of an index costs a comparison and a branch, and what it would report needs registers: in a union-find, where
each step is two reads and a comparison, about a tenth of the time on a CPU. It may also stop the run, which keeps
conditions in the order of the text (`gdsl.plan.functor_facts.may_stop`). Components without checks take up to an eighth
longer on a GPU, so the cpu backend alone runs this.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import rewrite, walk
from gdsl.ir.worklists import names_in
from gdsl.operations import Builtin, Domain, Outcome, ReduceOperation
from gdsl.types import Type


def know_vertices(program: ir.Program) -> ir.Program:
    """`program` without the checks of indices that are vertices in any case."""
    if program.graphs or not any(getattr(node, "checked", False) for node in walk(program.functors)):
        return program
    known = _Known(program)
    if not known.arrays and not any(known.locals.values()):
        return program
    return dataclasses.replace(
        program,
        vertex_functors=tuple(known.unchecked(functor) for functor in program.vertex_functors),
        edge_functors=tuple(known.unchecked(functor) for functor in program.edge_functors),
    )


class _Known:
    """`arrays` that hold vertices that exist, and by functor the `locals` that do."""

    def __init__(self, program: ir.Program) -> None:
        named, functors = names_in(rewrite(program.schedule, _without_read)), program.functors
        self.arrays = {array.name for array in program.arrays if _begins_so(array) and array.name not in named}
        assigned = {functor.name: list(_assigned_vertices(functor)) for functor in functors}
        written = [(functor.name, node) for functor in functors for node in walk(functor) if isinstance(node, _WRITES)]
        self.locals = {name: {local for local, _ in values} for name, values in assigned.items()}
        size = -1
        while size != self._size():
            size = self._size()
            for name, node in written:
                if isinstance(node.target, ir.ElementTarget) and not self._keeps(node, name):
                    self.arrays.discard(node.target.array)
            for name, values in assigned.items():
                self.locals[name] -= {local for local, value in values if not self._exists(value, name)}

    def _size(self) -> int:
        return len(self.arrays) + sum(map(len, self.locals.values()))

    def unchecked(self, functor: Any) -> Any:
        """`functor` without checks of what exists."""

        def change(node: Any) -> Any:
            index = _checked_index(node)
            known = index is not None and index.type is Type.VERTEX and self._exists(index, functor.name)
            return dataclasses.replace(node, checked=False) if known else node

        return rewrite(functor, change)

    def _keeps(self, node: ir.Store | ir.Update | ir.CompareAndSwap, functor: str) -> bool:
        """Whether an element that exists does so after this write."""
        if isinstance(node, ir.Update) and node.operation is ReduceOperation.MIN:
            return True
        if isinstance(node, ir.Update) and node.operation is not ReduceOperation.MAX:
            return False
        return self._exists(node.new if isinstance(node, ir.CompareAndSwap) else node.value, functor)

    def _exists(self, value: ir.Expression, functor: str) -> bool:
        match value:
            case ir.Parameter():
                return not value.role.is_edge
            case ir.ListVariable():
                return value.type is Type.VERTEX
            case ir.Local():
                return value.name in self.locals[functor]
            case ir.Element():
                return value.array in self.arrays
            case ir.UpdateValue():
                target = value.update.target
                fetched = value.outcome is Outcome.FETCH and isinstance(target, ir.ElementTarget)
                return fetched and target.data in self.arrays
            case ir.Select():
                return self._exists(value.yes, functor) and self._exists(value.no, functor)
            case ir.BuiltinCall() if value.function in (Builtin.MIN, Builtin.MAX):
                return all(self._exists(argument, functor) for argument in value.arguments)
        return False


def _without_read(node: ir.Node) -> ir.Node:
    """A set of a vertex without the array of which it is made to read an element."""
    return dataclasses.replace(node, shown=None) if isinstance(node, ir.DefineFrontier) and node.shown else node


_WRITES = (ir.Store, ir.Update, ir.CompareAndSwap)


def _begins_so(array: ir.Array) -> bool:
    of_vertices = array.domain is Domain.VERTEX and array.type is Type.VERTEX and array.count is None
    return of_vertices and isinstance(array.initial, ir.OwnId) and not array.is_input


def _assigned_vertices(functor: ir.Functor) -> Iterator[tuple[str, ir.Expression]]:
    """What the locals of a functor that are vertices are given, once for each time."""
    kinds = {node.name: node.type for node in walk(functor) if isinstance(node, ir.Let)}
    for node in walk(functor):
        if isinstance(node, (ir.Let, ir.Assign)) and kinds.get(node.name) is Type.VERTEX:
            yield node.name, node.value


def _checked_index(node: ir.Node) -> ir.Expression | None:
    """The vertex or edge by which a node says where to look, if that is checked."""
    if not getattr(node, "checked", False):
        return None
    match node:
        case ir.Element() | ir.ElementTarget():
            return None if isinstance(node.index, ir.Slot) else node.index
        case ir.Slot():
            return node.element
        case ir.DegreeOf() | ir.ForNeighbors():
            return node.vertex
        case ir.GraphRead():
            return node.arguments[0]
    return None
