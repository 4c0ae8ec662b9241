"""Pass `needless_tests`: an assignment that changes nothing needs no test before it.

Where a functor tests `a[v] != x` and does nothing but assign x there, a call whose test fails would store what the
element has anyway. Then a push on a GPU stores without a look: a call waits for what it looks at, and for no store.

This is for elements of 8 or 16 bits alone (bools, and what `narrow_arrays` has found). Of wider ones the cache has a
part, and a store beyond it reads and writes a sector, which is more than a look. And it is for graphs without long
lists: where many edges lead to one vertex, all but the first would store for nothing, and those that meet in a sector
wait for each other. A pull asks in any case, as it ends at the first edge; on graphs of short lists such an advance
always pushes (`direction`).
"""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.operations import BinaryOperation, UnaryOperation
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.narrow_arrays import narrow_in
from gdsl.plan.nodes import Operation, Plan, Sweep, Variant
from gdsl.plan.walking import map_sweeps
from gdsl.types import Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` without the tests of pushes that only spare an equal assignment."""
    target = plan.target
    if not (plan.graph.bounded and target.grid and target.one_memory):
        return plan
    small = small_arrays(plan.program, plan.narrow)

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        if not isinstance(operation.step, ir.Advance) or sweep.selection is not None or sweep.collect is not None:
            return sweep
        needless = needless_test(facts.edge_functor(operation.step), small)
        if needless is None:
            return sweep

        def stores(variant: Variant) -> Variant:
            if variant.claim is not None:
                return variant
            return dataclasses.replace(variant, tests=tuple(each for each in variant.tests if each != needless))

        walks = (
            dataclasses.replace(
                each,
                variant=stores(each.variant),
                shared=stores(each.shared) if each.shared is not None else None,
            )
            for each in sweep.walks
        )
        return dataclasses.replace(sweep, walks=tuple(walks))

    return map_sweeps(plan, changed)


def could_leave_out(program: ir.Program) -> bool:
    """Whether there is a push in `program` that the pass changes on graphs without long lists."""
    small = small_arrays(program, narrow_in(program))
    steps = (step for step in all_steps(program.schedule) if isinstance(step, ir.Advance) and step.result is None)
    return any(needless_test(program.edge_functor(step.functor), small) is not None for step in steps)


def small_arrays(program: ir.Program, narrow: tuple[tuple[str, Type], ...]) -> frozenset[str]:
    """The arrays whose elements are stored in 8 or 16 bits, where these are `narrow`."""
    return frozenset({name for name, _ in narrow} | {each.name for each in program.arrays if each.type is Type.BOOL})


def needless_test(functor: ir.EdgeFunctor, small: frozenset[str]) -> int | None:
    """The conjunct that says that the only statement, an assignment of a constant, changes its small element."""
    if len(functor.body) != 1 or not isinstance(functor.body[0], ir.Store):
        return None
    target, value = functor.body[0].target, functor.body[0].value
    if not isinstance(target, ir.ElementTarget) or not isinstance(value, ir.Literal) or value.type.holds_float:
        return None
    if target.array not in small:
        return None
    for number, conjunct in enumerate(functor.condition):
        tested = _excluded(conjunct)
        if tested is None or may_stop(functor.condition[number + 1 :]):
            continue
        element, former = tested
        here, there = element.index, target.index
        own = isinstance(here, ir.Parameter) and isinstance(there, ir.Parameter) and here.role is there.role
        if own and element.array == target.array and former == value.value:
            return number
    return None


def _excluded(conjunct: ir.Expression) -> tuple[ir.Element, object] | None:
    """(a[v], x) of a conjunct `a[v] != x`, `!a[v]` (x is true) or `a[v]` (x is false); None for any other."""
    if isinstance(conjunct, ir.Element):
        return conjunct, False
    if isinstance(conjunct, ir.Unary) and conjunct.operation is UnaryOperation.NOT:
        return (conjunct.operand, True) if isinstance(conjunct.operand, ir.Element) else None
    if isinstance(conjunct, ir.Binary) and conjunct.operation is BinaryOperation.NOT_EQUAL:
        for element, other in ((conjunct.left, conjunct.right), (conjunct.right, conjunct.left)):
            if isinstance(element, ir.Element) and isinstance(other, ir.Literal):
                return element, other.value
    return None
