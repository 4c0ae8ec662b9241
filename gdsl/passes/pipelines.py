"""The passes that a program goes through on its way to each backend; nothing but the lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdsl.ir.nodes import Program
from gdsl.ir.verifier import verify
from gdsl.passes import barriers, claims, directions, measures, place_limits, selection, shared_reads

Pass = Callable[[Program], Program]

COMMON: tuple[Pass, ...] = (
    directions.run,
    measures.run,
    selection.run,
    claims.run,
    shared_reads.run,
    place_limits.run,
)
CPU: tuple[Pass, ...] = COMMON
CUDA_FUSED: tuple[Pass, ...] = (*COMMON, barriers.run)
CUDA_UNFUSED: tuple[Pass, ...] = COMMON


def apply(program: Program, passes: Sequence[Pass]) -> Program:
    """`program` after `passes`, verified after each."""
    for each in passes:
        before, program = program, each(program)
        verify(program, after=each.__module__, before=before)
    return program
