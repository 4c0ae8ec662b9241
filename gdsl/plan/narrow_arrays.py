"""Pass `narrow_arrays`: arrays of small numbers are stored in 8 or 16 bits.

A sector of memory that is read at random, and the cache, hold four times as many such elements. Where the ranges of
values (`gdsl.uniqueness.data`) show that an array of integers never has a value that 8 or 16 bits do not hold, it is
stored so; values are widened where they are read, so that arithmetic is the same.

Only functors and the schedule may use such an array: it is local, has one value for each element, and no other node of
the plan names it. Only plain assignments write it: a byte can be stored on its own, but there are no atomic
instructions on bytes, and one on the word around it would make calls wait for each other that have nothing in common.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.plan import hints
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Initial, Plan, Write
from gdsl.types import IN_MEMORY_ALONE, Type

_READ_OR_STORED = (ir.Element, ir.ElementTarget, ir.Fill, ir.Closing, ir.Array)
"""The nodes of the IR that may name a narrow array; of the targets those of assignments alone."""
_WITHOUT_TYPE = (Write, Initial, hints.PrefetchRows)
"""The same of the plan, which do not depend on how wide it is."""


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with the arrays that are stored in fewer bits."""
    target = plan.target
    if not target.fused or target.workers or target.several_gpus or target.instances:
        return plan
    small = {array.name: kind for array in plan.program.arrays if (kind := narrow_type(array)) is not None}
    if not small:
        return plan
    others = {*plan.swapped, *_named_otherwise(plan)}
    narrow = tuple((name, kind) for name, kind in small.items() if name not in others)
    return dataclasses.replace(plan, narrow=narrow)


def narrow_type(array: ir.Array) -> Type | None:
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


def _named_otherwise(plan: Plan) -> Iterator[str]:
    """What anything names that is not known to do without the type of an array: its updates, and other nodes."""
    waiting: list[object] = [plan.schedule, plan.replicas, plan.layout, plan.distribution, plan.program]
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
        elif dataclasses.is_dataclass(part) and not isinstance(part, _WITHOUT_TYPE):
            waiting += _values(part)


def _values(part: object) -> list[object]:
    values = (getattr(part, field.name) for field in dataclasses.fields(part))  # type: ignore[arg-type]
    return [value for value in values if not isinstance(value, Type)]
