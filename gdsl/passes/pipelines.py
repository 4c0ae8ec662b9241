"""The passes that a program goes through on its way to a plan; nothing but the list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdsl.ir.nodes import Program
from gdsl.ir.verifier import verify
from gdsl.passes import buckets, shared_reads

Pass = Callable[[Program], Program]

ALL: tuple[Pass, ...] = (buckets.run, shared_reads.run)


def apply(program: Program, passes: Sequence[Pass] = ALL, *, again: bool = False) -> Program:
    """`program` after `passes`, verified after each, unless it is put `again` through what was verified then."""
    for each in passes:
        before, program = program, each(program)
        if not again:
            verify(program, after=each.__module__, before=before)
    return program
