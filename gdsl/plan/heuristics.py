"""Decides what the cuda backend's own choices stand for once the graph of a run is known: another program, or this one.

- A worklist in any order is worked off from near to far (`orders`).
- Searches have blocks of NARROW_BLOCK threads. Their frontiers are few vertices, so that every level is a row of memory
  accesses that wait for each other, and what warps wait for beside it is each other: fewer of them come to the same
  counters and barriers, and each thread may have more registers. Where frontiers are large, more warps wait for memory
  at a time: so where what is walked begins with all vertices (k_core, louvain). The other program is made when the
  first such graph comes; on small graphs no search is long enough to make up for that.
- Monotone loops keep bounds of hubs in each block's own memory on graphs of hubs, where the GPU has it (`hub_bounds`).
- Sweeps over all vertices fetch what the next ones ask for on large graphs of short lists alone (`rows_ahead`).
"""

from __future__ import annotations

import dataclasses
from typing import Any

from gdsl.ir.nodes import Program
from gdsl.operations import Order
from gdsl.plan import block_cache, prefetch, work_order
from gdsl.plan.grids import begins_with_all, is_narrow, searches
from gdsl.plan.target import CUDA_FUSED

NARROW_BLOCK = 256
MANY_VERTICES = 1 << 17
ALL = 1 << 30
"""Bytes of a multiprocessor's own memory, where a program is to be as large as it may be."""


def has_choice(program: Program) -> bool:
    """Whether anything is left to the graph."""
    if program.tuning.hub_bounds or program.tuning.rows_ahead:
        return False
    return (
        work_order.has_choice(program)
        or leaves_block(program)
        or leaves_bounds(program)
        or prefetch.could_prefetch_rows(program)
    )


def leaves_bounds(program: Program) -> bool:
    """Whether the graph decides if bounds of hubs are kept."""
    return not program.tuning.hub_bounds and block_cache.could_bound(program)


def leaves_block(program: Program) -> bool:
    """Whether the graph decides how many threads per block there are; from near to far there is one size."""
    tuning = program.tuning
    left = tuning.fuse and tuning.block is None and tuning.order is not Order.NEAR_FAR
    return left and searches(program) and not begins_with_all(program)


def suited(program: Program, counts: tuple[int, int, int], room: int) -> Program:
    """`program` with what is left to the graph as this one has it; the same object where it is right as it is.
    `counts`: vertices, edges, the largest degree. `room`: bytes of a multiprocessor's own memory that a block may have.
    """
    if not has_choice(program):
        return program
    program = _of_its_own(program, counts, room)
    fetches = prefetch.suits_rows(counts[0], counts[2]) and prefetch.could_prefetch_rows(program)
    return _tuned(program, rows_ahead=True) if fetches else program


def _of_its_own(program: Program, counts: tuple[int, int, int], room: int) -> Program:
    """The order, the bounds or the blocks that suit the graph, of which a program has one at most."""
    ordered = work_order.suited(program, *counts) if work_order.has_choice(program) else program
    if ordered is not program:  # which has blocks of its own
        return ordered
    if leaves_bounds(program) and block_cache.suits_bounds(CUDA_FUSED.sizes, room, *counts):
        return _tuned(program, hub_bounds=True)
    narrow = counts[0] >= MANY_VERTICES and is_narrow(*counts)
    return _tuned(program, block=NARROW_BLOCK) if narrow and leaves_block(program) else program


def _tuned(program: Program, **knobs: Any) -> Program:
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, **knobs))
