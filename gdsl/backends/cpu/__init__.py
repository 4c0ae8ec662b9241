"""The cpu backend: C++ with OpenMP, made by the compiler that the machine has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.backends.interface import Backend

if TYPE_CHECKING:
    from gdsl.ir.nodes import Program
    from gdsl.plan.nodes import Plan
    from gdsl.types import Widths


def create_backend() -> Backend:
    """The cpu backend."""
    from gdsl.backends.cpu.compiled import CpuBackend

    return CpuBackend()


def plan_of(program: Program, *, after: str | None = None) -> Plan:
    """The kernel plan of `program` (as lowered), verified. `after`: what it is when the pass of that name has run."""
    from gdsl.backends.cpu.compiled import plan_of

    return plan_of(program, after=after)


def source_text(program: Program, ids: int | Widths) -> str:
    """The C++ of `program` (as lowered), for graphs whose ids fit in so many bits."""
    from gdsl.codegen.cpu.generate import generate
    from gdsl.types import Widths

    widths = Widths.both(ids) if isinstance(ids, int) else ids
    return generate(plan_of(program), widths).text
