"""From a program to its kernel plan and C++ text; the compiler is imported when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.ir.nodes import Program
    from gdsl.plan.nodes import Plan
    from gdsl.plan.target import Sizes
    from gdsl.types import Widths


def plan_of(
    program: Program,
    sizes: Sizes | None = None,
    *,
    verify: bool = True,
    after: str | None = None,
    workers: bool = False,
    instances: bool = False,
) -> Plan:
    """The kernel plan of `program` (annotated, before `gdsl.passes`). `verify` is False where it was verified before.
    `after`: the plan when the pass of that name has run, unverified. `workers`: for several workers. `instances`: for
    many values of the params that run together."""
    from gdsl.passes import ir_passes
    from gdsl.plan import target
    from gdsl.plan.build import build

    of = target.CPU_WORKERS if workers else target.CPU_INSTANCES if instances else target.CPU
    passed = ir_passes.apply(program, ir_passes.CPU, verify=verify)
    return build(passed, of, sizes, verify=verify, after=after)


def source_text(program: Program, ids: int | Widths) -> str:
    """The C++ of `program` (annotated, before `gdsl.passes`), for graphs whose ids have these widths."""
    from gdsl.codegen.cpu.generate import generate
    from gdsl.types import Widths

    return generate(plan_of(program), Widths.both(ids)).text
