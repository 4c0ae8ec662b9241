"""Decides for how many threads of a multiprocessor a kernel leaves registers, of which that has 65,536.

Left to itself, the compiler guesses from how many registers it would like. Kernels that search it gives 64, or 40, and
spills some for a block more that is of little use to them; a small change of the text decides which. Told that two
blocks of 512 threads shall fit, it takes the 64 that this leaves and spills less, or nothing. Sweeps over all vertices
or edges alone are small kernels that wait for memory: there it guesses well, and a block more is worth more.

Nothing but speed hangs on this: how many blocks really fit is asked of the driver (`Device.resident_blocks`).
"""

from __future__ import annotations

from gdsl.plan.nodes import Plan

SEARCHING = 1024
"""Threads that a kernel with sets of vertices or edges leaves registers for."""


def resident_threads(plan: Plan) -> int | None:
    """How many, as far as whole blocks fit; None: as the compiler sees fit."""
    if plan.target.resident_threads is not None:
        return plan.target.resident_threads
    return SEARCHING if plan.frontiers else None
