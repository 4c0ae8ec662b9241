"""Pass `narrow_arrays`: arrays of small numbers are stored in 8 or 16 bits.

A sector of memory that is read at random, and the cache, hold four times as many such elements. Where the ranges of
values (`gdsl.uniqueness.data`) show that an array of integers never has a value that 8 or 16 bits do not hold, it is
stored so; values are widened where they are read, so that arithmetic is the same.

Only functors and the schedule may use such an array: it is local, has one value for each element, and no other node of
the program names it. Only plain assignments write it: a byte can be stored on its own, but there are no atomic
instructions on bytes, and one on the word around it would make calls wait for each other that have nothing in common.
So what a push may claim (`deduplication`) is not narrow.

It is the first pass, as others ask how wide an array is: `direction`, `needless_tests` and `block_cache`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.plan.deduplication import claim_of
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Plan
from gdsl.types import IN_MEMORY_ALONE, Type

_READ_OR_STORED = (ir.Element, ir.ElementTarget, ir.Fill, ir.Closing, ir.Array)
"""The nodes that may name a narrow array; of the targets those of assignments alone."""


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the arrays that are stored in fewer bits."""
    target = plan.target
    if not target.fused or target.workers or target.several_gpus or target.instances:
        return plan
    return dataclasses.replace(plan, narrow=narrow_in(plan.program))


def narrow_in(program: ir.Program) -> tuple[tuple[str, Type], ...]:
    """The arrays of `program` that may be stored in fewer bits than their values have, and as what; none where the
    program leaves this pass out."""
    if "narrow_arrays" in program.tuning.without:
        return ()
    small = {array.name: kind for array in program.arrays if (kind := _narrow_type(array)) is not None}
    others = {*_named_otherwise(program), *_claimed(program)} if small else set[str]()
    return tuple((name, kind) for name, kind in small.items() if name not in others)


def _narrow_type(array: ir.Array) -> Type | None:
    """The narrowest type that holds all values of an array that nobody else sees."""
    if not array.is_local or array.is_input or not array.type.is_integer or array.count is not None:
        return None
    if array.values is None:
        return None
    least, most = array.values
    return next((kind for kind in IN_MEMORY_ALONE if _holds(kind, least, most)), None)


def _holds(kind: Type, least: int, most: int) -> bool:
    assert kind.bits is not None
    lowest = -(1 << (kind.bits - 1)) if kind.is_signed else 0
    return lowest <= least and most < lowest + (1 << kind.bits)


def _claimed(program: ir.Program) -> Iterator[str]:
    """What a push may claim."""
    for step in all_steps(program.schedule):
        if isinstance(step, ir.Advance):
            claim = claim_of(program.edge_functor(step.functor), step.over, step.closing)
            if claim is not None:
                yield claim.array


def _named_otherwise(program: ir.Program) -> Iterator[str]:
    """What anything names that is not known to do without the type of an array: its updates, and other nodes."""
    waiting: list[object] = [program]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += part
        elif isinstance(part, ir.Update | ir.CompareAndSwap):
            yield part.target.data
            waiting += _values(part)
        elif isinstance(part, str):
            yield part
        elif isinstance(part, _READ_OR_STORED):
            waiting += (value for value in _values(part) if not isinstance(value, str))
        elif dataclasses.is_dataclass(part):
            waiting += _values(part)


def _values(part: object) -> list[object]:
    values = (getattr(part, field.name) for field in dataclasses.fields(part))  # type: ignore[arg-type]
    return [value for value in values if not isinstance(value, Type)]
