"""The cuda backend."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.backends.cuda.executable import CudaBackend
    from gdsl.ir.nodes import Program
    from gdsl.plan.fusion import Pair
    from gdsl.plan.nodes import Plan
    from gdsl.plan.target import Sizes
    from gdsl.types import Widths


@cache
def create_backend() -> CudaBackend:
    """The one cuda backend of the process."""
    from gdsl.backends.cuda.executable import CudaBackend

    return CudaBackend()


def plan_of(
    program: Program,
    sizes: Sizes | None = None,
    *,
    again: bool = False,
    teams: bool = False,
    after: str | None = None,
) -> Plan:
    """The kernel plan of `program` (as lowered), verified, unless that was done when the same was made before; `teams`:
    in the form that teams of blocks run; `after`: what it is when the pass of that name has run, unverified."""
    from gdsl.operations import Balance, Order
    from gdsl.passes import pipelines
    from gdsl.plan import target
    from gdsl.plan.build import build

    program = pipelines.apply(program, again=again)
    balanced = any(knobs.balance is not Balance.AUTO for knobs in program.tuning.sites)
    on = target.cuda(program.tuning.fuse, balanced, program.tuning.order is Order.NEAR_FAR)
    return build(program, target.in_teams(on) if teams else on, sizes, again=again, after=after)


def neighbours_of(program: Program) -> tuple[Pair, ...]:
    """The operators of `program` (as lowered) of which one follows the other, and whether they have one sweep."""
    from gdsl.passes import pipelines
    from gdsl.plan import target
    from gdsl.plan.build import neighbours

    return neighbours(pipelines.apply(program), target.cuda(program.tuning.fuse))


def source_text(program: Program, ids: int | Widths) -> str:
    """The CUDA C++ of `program` for ids of so many bits."""
    from gdsl.codegen.cuda.generate import generate
    from gdsl.types import Widths

    widths = Widths.both(ids) if isinstance(ids, int) else ids
    return generate(plan_of(program), widths).text
