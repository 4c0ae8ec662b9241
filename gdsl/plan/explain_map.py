"""Whether many values of a program's params run together, in words."""

from __future__ import annotations

from gdsl.ir.nodes import Program
from gdsl.plan.bit_parallel import find
from gdsl.plan.build import build
from gdsl.plan.facts import Facts
from gdsl.plan.target import CPU_INSTANCES, INSTANCES
from gdsl.uniqueness.order import Obstacle


def explain(program: Program) -> str:
    """A line for a program that the passes of the IR have changed."""
    plan = build(program, CPU_INSTANCES, after="direction")
    found = find(plan, Facts(program, CPU_INSTANCES))
    if isinstance(found, Obstacle):
        return f"map: one value at a time: {found.why} ({found.span.words})"
    bits, _ = found
    shared = " and ".join(f"`{name}`" for name in bits.shared_params)
    where = f", if {shared} {'is' if len(bits.shared_params) == 1 else 'are'} the same for all" if shared else ""
    return f"map: {INSTANCES} values at once on a CPU{where}"
