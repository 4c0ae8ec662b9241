"""The pass `read_elements`: elements that the schedule reads are read by the schedule. It is written in operators,
before `lower`.

    giant = component[hub];

Lowering puts the element into a scalar by an operator on a set of this one vertex, which every backend can run: the
element may be another worker's, or have a bit for each of many runs. Where an array is in one memory, a store in the
scalar says the same. It needs no set, and where each thread has a copy of the scalar (`scalar_copies`) no barrier but
the one after the array's last change.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, rewrite, walk, with_blocks
from gdsl.operations import Domain
from gdsl.plan.target import Target


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` with such stores; the same object if there are none."""
    if not target.fused or not target.one_memory or target.teams:
        return program
    if not any(isinstance(step, ir.DefineFrontier) and step.shown for step in all_steps(program.schedule)):
        return program
    schedule = _Writer(program).block(program.schedule)
    uses = [frontiers_of(step) for step in all_steps(schedule)]
    left = {name for use in uses for name in (*use.read, *use.written)}
    gone = {each.name for each in program.frontiers if each.name not in left} & set(_sets_of_one(program))
    frontiers = tuple(each for each in program.frontiers if each.name not in gone)
    return dataclasses.replace(program, schedule=schedule, frontiers=frontiers)


def _sets_of_one(program: ir.Program) -> Iterator[str]:
    """The sets that lowering has made for elements of vertices, once for each time that an operator reads one."""
    for step in all_steps(program.schedule):
        if isinstance(step, ir.DefineFrontier) and step.shown and step.domain is Domain.VERTEX:
            yield step.name


class _Writer:
    def __init__(self, program: ir.Program) -> None:
        self.program, self.accesses = program, Accesses(program)
        self.stored: set[str] = set()
        """The scalars of elements."""
        self.values = [node.name for node in walk(program) if isinstance(node, ir.ScalarValue)]
        read = [name for step in all_steps(program.schedule) for name in frontiers_of(step).read]
        sets = list(_sets_of_one(program))
        self.sets = {name for name in sets if read.count(name) == sets.count(name)}

    def block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        """`steps` with a store for each set of one vertex and the operator on it."""
        written: list[ir.Step] = []
        for step in steps:
            former = written[-1] if written else None
            store = self._store(former, step)
            if store is not None:
                written[-1] = store
            elif isinstance(former, ir.StoreScalar) and (joined := self._joined(former, step)) is not None:
                written[-1] = joined
            else:
                written.append(with_blocks(step, self.block))
        return tuple(written)

    def _joined(self, store: ir.StoreScalar, step: ir.Step) -> ir.StoreScalar | None:
        """A store in another scalar with the element in place of the scalar that nothing else reads."""
        if store.scalar not in self.stored or self.values.count(store.scalar) != 1:
            return None
        if not isinstance(step, ir.StoreScalar) or not _reads(step.value, store.scalar):
            return None

        def change(node: ir.Node) -> ir.Node:
            return store.value if isinstance(node, ir.ScalarValue) and node.name == store.scalar else node

        return dataclasses.replace(step, value=rewrite(step.value, change))

    def _store(self, define: ir.Step | None, step: ir.Step) -> ir.StoreScalar | None:
        """The store in place of both; None where they do something else."""
        if not isinstance(define, ir.DefineFrontier) or not isinstance(step, ir.Compute):
            return None
        if define.name not in self.sets or step.frontier.frontier != define.name:
            return None
        functor = self.accesses.functor(step)
        (index,), (store,) = define.members, functor.body
        assert isinstance(store, ir.Store) and isinstance(store.target, ir.ScalarTarget)
        may_miss = not isinstance(index, ir.ParamValue) or bool(self.program.graphs)

        def change(node: ir.Node) -> ir.Node:
            if ir.is_parameter(node, ir.Role.VERTEX) or isinstance(node, ir.OwnId):
                return index
            if isinstance(node, (ir.Element, ir.Slot)):
                of = node.index if isinstance(node, ir.Element) else node.element
                return dataclasses.replace(node, checked=node.checked or (may_miss and of is index))
            return node

        self.stored.add(store.target.scalar)
        return ir.StoreScalar(define.span, store.target.scalar, rewrite(store.value, change))


def _reads(value: ir.Expression, scalar: str) -> bool:
    return any(isinstance(node, ir.ScalarValue) and node.name == scalar for node in walk(value))
