"""What must hold of an array that is stored in fewer bits than its values have: the program, as it is in the plan,
never has a value there that these bits do not hold; nothing but its functors and its schedule has the array; and every
write is a store of a whole element.
"""

from __future__ import annotations

import dataclasses

from gdsl.arithmetic.constants import integer_range
from gdsl.effects.access import Accesses
from gdsl.effects.programs import program_effects
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.ir.verifier import expecting
from gdsl.plan.hints import PrefetchRows, ReadAhead
from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.walking import sweeps, variants_of
from gdsl.types import IN_MEMORY_ALONE
from gdsl.uniqueness.data import Data

_WITH_CODE = (ir.Advance, ir.Filter, ir.Compute, ir.NeighborReduce, ir.NeighborVote, ir.Intersect)
_STORING = (ir.Advance, ir.Filter, ir.Compute, ir.Intersect, ir.StoreElement, ir.Fill)
_OF_SWEEPS = ("segment", "vote", "order", "skips", "rounds", "merge", "labels", "intersection")
"""The parts of a sweep that may have an array beside those of its functors."""


def verify_narrow_arrays(plan: Plan) -> None:
    """Raise `VerificationError` unless the narrow arrays hold what the program stores there."""
    if not plan.narrow:
        return
    expect = expecting(f"plan of {plan.program.name}")
    target, program = plan.target, plan.program
    alone = target.fused and not (target.workers or target.several_gpus or target.instances)
    expect(alone and len(dict(plan.narrow)) == len(plan.narrow), "narrow arrays")
    arrays = {array.name: array for array in program.arrays}
    ranges = Data(program_effects(program)).ranges.data
    for name, kind in plan.narrow:
        array = arrays.get(name)
        own = array is not None and array.is_local and not array.is_input and array.count is None
        expect(own and array is not None and array.type.is_integer, f"{name} is narrow, which others have")
        known = kind in IN_MEMORY_ALONE
        least, most = integer_range(kind) if known else (1, 0)
        values = ranges[name]
        expect(known and least <= values.low and values.high <= most, f"values of {name} that do not fit")
        expect(_is_stored(program, name), f"{name} is narrow, and not just stored")
        held = name in plan.swapped or any(_has(sweep, name) for sweep in sweeps(plan))
        expect(not held, f"{name} is narrow where its type matters")


def _is_stored(program: ir.Program, array: str) -> bool:
    """Whether all steps that have the array evaluate code, and all that write it store elements of it."""
    accesses = Accesses(program)
    for step in all_steps(program.schedule):
        touched = [each for each in accesses.with_swaps(step) if each.name == array]
        controls = isinstance(step, ir.While | ir.Repeat | ir.If | ir.StoreScalar | ir.DefineFrontier)
        if touched and not (controls or isinstance(step, (*_WITH_CODE, *_STORING))):
            return False
        results = (getattr(step, name, None) for name in ("array", "count", "partners", "keep"))
        if not isinstance(step, ir.Fill) and array in results:
            return False
        if any(each.writes for each in touched) and not isinstance(step, _STORING):
            return False
    code = walk((program.functors, program.functions))
    return all(node.target.data != array for node in code if isinstance(node, ir.Update | ir.CompareAndSwap))


def _has(sweep: Sweep, array: str) -> bool:
    """Whether a sweep has the array in a part that knows it by its type."""
    parts: list[object] = [getattr(sweep, name) for name in _OF_SWEEPS]
    parts += [variant.claim for variant in variants_of(sweep)]
    parts += [hint for hint in sweep.hints if not isinstance(hint, PrefetchRows | ReadAhead)]
    parts += list(sweep.mirrors.arrays if sweep.mirrors is not None else ()) + list(sweep.published)
    return any(array == part or array in _words(part) for part in parts)


def _words(part: object) -> list[object]:
    if not dataclasses.is_dataclass(part):
        return []
    values = [getattr(part, field.name) for field in dataclasses.fields(part)]
    return values + [inner for value in values if isinstance(value, tuple) for inner in value]
