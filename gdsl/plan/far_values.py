"""The pass `far_values`: what a reduction computes of the far end alone is computed once for each vertex, and so is
what an intersection computes of the common neighbor alone. It is written in operators, before `lower`.

`rank[src] / out_degree(src)` over in-edges has the same value on each edge of `src`. A sweep over the vertices right
before the reduction stores it in an array of its own, from which the edges then read: one value at random for several,
and no division for each edge. `1 / log(out_degree(x))` for each common neighbor `x` is a logarithm for each triangle
otherwise. The value is the same, bit for bit.

It is done where the operator goes through everything, so that the sweep costs little beside it, and for expressions
that read several values or have an operation that takes long. Where a reduction has conditions that speak of the far
end alone, perhaps few edges need the value, and the neighbors may send (`sending`). Values are computed for vertices
for which the program itself would not, so they may neither stop the run nor call a function that might never end:
`_is_known` says which expressions are safe. Nor may the functor change what the expression reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from gdsl.ir import nodes as ir
from gdsl.ir.slots import same
from gdsl.ir.traversal import walk, with_blocks, written_in
from gdsl.operations import BinaryOperation, Builtin, Domain
from gdsl.passes.writers import far_roles
from gdsl.plan import variants
from gdsl.plan.sending import at_vertex, names_in
from gdsl.plan.target import Target

_LONG = frozenset({BinaryOperation.DIVIDE, BinaryOperation.INTEGER_DIVIDE, BinaryOperation.MODULO})
_SHORT = frozenset({Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.POPCOUNT, Builtin.CTZ})
_SAME = (ir.Literal, ir.ParamValue, ir.Iteration, ir.Count, ir.FrontierSize)
"""What has one value during an operator."""
_PURE = (ir.Unary, ir.Binary, ir.Chain, ir.Select, ir.Convert, ir.BuiltinCall)
"""Operations that may be done of any vertex."""
_COMMON = frozenset({ir.Role.COMMON})


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` where such values are computed beforehand; the same object if there are none. In a program that makes
    graphs an array of vertices may belong to any of them. Instances that run together have no reductions. Workers hold
    arrays that the program declares, and exchange what they have of these."""
    if target.workers or target.instances or program.graphs:
        return program
    functors = {functor.name: functor for functor in program.edge_functors}
    found = {
        step.site: values
        for step in walk(program.schedule)
        if isinstance(step, _Step) and step.functor is not None and (values := _values(step, functors[step.functor]))
    }
    return _Writer(program, found).program() if found else program


_Step = ir.NeighborReduce | ir.Intersect


def _values(step: _Step, functor: ir.EdgeFunctor) -> tuple[ir.Expression, ...]:
    """The largest expressions of the functor that are worth a sweep over the vertices."""
    if not step.frontier.everything:
        return ()
    if isinstance(step, ir.NeighborReduce):
        far = far_roles(step.over)
        few = any(variants.speaks_only_of(conjunct, far) for conjunct in functor.condition)
        return () if few or functor.value is None else tuple(_worthwhile(functor.value, far))
    changed = written_in(functor.body)
    return tuple(
        value
        for value in _worthwhile((functor.condition, functor.body), _COMMON)
        if step.partners is None and not any(_read_by(node) in changed for node in walk(value))
    )


def _read_by(node: ir.Node) -> str | None:
    """The array or scalar that a node reads."""
    return node.array if isinstance(node, ir.Element) else node.name if isinstance(node, ir.ScalarValue) else None


def _worthwhile(part: Any, far: frozenset[ir.Role]) -> Iterator[ir.Expression]:
    if isinstance(part, ir.Expression) and part.type.is_numeric and _of_far_end(part, far) and _is_expensive(part):
        yield part
    elif isinstance(part, ir.Node | tuple):
        for each in part if isinstance(part, tuple) else [getattr(part, name) for name in part.__match_args__]:
            yield from _worthwhile(each, far)


def _of_far_end(value: ir.Expression, far: frozenset[ir.Role]) -> bool:
    """Whether `value` is decided by the far end of the edge alone."""
    return all(_is_known(node, far) for node in walk(value))


def _is_known(node: ir.Node, far: frozenset[ir.Role]) -> bool:
    """Whether a node of an expression is decided by the far end, and may be evaluated for any vertex."""
    match node:
        case ir.Parameter():
            return node.role in far
        case ir.Element():
            return isinstance(node.index, ir.Parameter) and node.domain is Domain.VERTEX and not node.now
        case ir.DegreeOf():
            return isinstance(node.vertex, ir.Parameter)
        case ir.ScalarValue():
            return not node.now
    return isinstance(node, (*_SAME, *_PURE))


def _is_expensive(value: ir.Expression) -> bool:
    """Whether it reads several values, or one and takes long."""
    read: set[object] = set()
    takes_long = False
    for node in walk(value):
        if isinstance(node, ir.Element):
            read.add(node.array)
        elif isinstance(node, ir.DegreeOf):
            read.add(node.degree)
        elif isinstance(node, ir.Binary):
            takes_long |= node.operation in _LONG
        elif isinstance(node, ir.Chain):
            takes_long |= any(operation in _LONG for operation, _ in node.links)
        elif isinstance(node, ir.BuiltinCall):
            takes_long |= node.function not in _SHORT
    return len(read) > 1 or (bool(read) and takes_long)


class _Writer:
    """Writes a sweep before each reduction of `found`, the values by site."""

    def __init__(self, program: ir.Program, found: dict[int, tuple[ir.Expression, ...]]) -> None:
        from gdsl.ir.lowering.hidden import Hidden

        self.before, self.found = program, found
        self.sites = list(program.tuning.sites)
        self.hidden = Hidden(" ".join(names_in(program)), self.sites)

    def program(self) -> ir.Program:
        """The whole program."""
        schedule = self._block(self.before.schedule)
        return dataclasses.replace(self.hidden.added_to(self.before), schedule=schedule)

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        return tuple(written for step in steps for written in self._written(step))

    def _written(self, step: ir.Step) -> Iterator[ir.Step]:
        if isinstance(step, _Step) and step.site in self.found:
            yield from self._beforehand(step)
        else:
            yield with_blocks(step, self._block)

    def _beforehand(self, step: _Step) -> Iterator[ir.Step]:
        """The sweep that computes the values, and the operator that reads them."""
        from gdsl.ir.lowering.hidden import Code, own_id

        hidden, span, code = self.hidden, step.span, Code(step.span)
        far = far_roles(step.over) if isinstance(step, ir.NeighborReduce) else _COMMON
        assert step.functor is not None
        vertex, functor = own_id(Domain.VERTEX, span), self.before.edge_functor(step.functor)
        arrays: dict[int, ir.Element] = {}
        stored: list[tuple[ir.Expression, str]] = []
        for value in self.found[step.site]:
            of_vertex = at_vertex(value, far, vertex)
            array = next((name for other, name in stored if _are_equal(of_vertex, other)), None)
            if array is None:
                array = hidden.array(f"{step.label}_far", Domain.VERTEX, value.type, span)
                stored.append((of_vertex, array))
            end = next(node for node in walk(value) if isinstance(node, ir.Parameter))
            arrays[id(value)] = code.element(array, value.type, end)
        stores = [code.store(array, vertex, of_vertex) for of_vertex, array in stored]
        computes = hidden.functor(f"{step.label}_ahead", Domain.VERTEX, span, (), stores)
        yield hidden.compute(span, ir.Elements(span, Domain.VERTEX, None), computes)
        name = hidden.name(f"{step.label}_read")
        hidden.edge_functors.append(dataclasses.replace(_replaced(functor, arrays), name=name))
        yield dataclasses.replace(step, functor=name)


def _are_equal(one: ir.Expression, other: ir.Expression) -> bool:
    """Whether both have the same value, bit for bit: 0.0 equals -0.0 elsewhere."""
    literals = [[repr(node.value) for node in walk(each) if isinstance(node, ir.Literal)] for each in (one, other)]
    return same(one, other) and literals[0] == literals[1]


def _replaced(value: Any, by: dict[int, ir.Element]) -> Any:
    """A part of a functor with an element for each of the expressions with these identities."""
    if id(value) in by:
        return by[id(value)]
    if isinstance(value, tuple):
        return tuple(_replaced(each, by) for each in value)
    if not isinstance(value, ir.Node):
        return value
    names = [name for name in value.__match_args__ if name != "span"]
    return dataclasses.replace(value, **{name: _replaced(getattr(value, name), by) for name in names})
