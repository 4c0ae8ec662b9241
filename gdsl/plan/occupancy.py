"""Pass `occupancy`: threads of a block, and what follows for what blocks and warps hold."""

from __future__ import annotations

import dataclasses

from gdsl.plan import block_cache, grids
from gdsl.plan.facts import Facts
from gdsl.plan.grids import is_long
from gdsl.plan.hints import BlockCache, NextLevel
from gdsl.plan.nodes import Plan
from gdsl.plan.target import Sizes
from gdsl.plan.walking import sweeps
from gdsl.plan.work_order import orders, sizes_of


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with its sizes (those that the caller set, if any), and what the compiler must know of its size."""
    sizes = sizes_of(facts.sizes or _sizes(plan), orders(plan))
    if not plan.target.grid:
        return dataclasses.replace(plan, sizes=sizes)
    plan = dataclasses.replace(plan, sizes=sizes, outlined=is_long(plan))
    plan = dataclasses.replace(plan, resident_threads=grids.resident_threads(plan))
    return dataclasses.replace(plan, waiting_thread=_waiting_thread(plan))


def _waiting_thread(plan: Plan) -> int:
    """The first thread leads the run in any case, so that it waits for other blocks best, unless the other warps have
    something to do during a barrier. Then it is one of the last warp, the last to get members: the warp that waits
    prefetches nothing (betweenness on a road network takes 9 percent more if that is the first one)."""
    prefetches = any(sweep.hint(NextLevel) is not None for sweep in sweeps(plan))
    return plan.sizes.block_threads - 32 if prefetches or orders(plan) else 0


def _sizes(plan: Plan) -> Sizes:
    block = plan.program.tuning.block if plan.target.grid else None
    block = grids.NARROW_BLOCK if block is None and grids.has_small_blocks(plan) else block
    is_cached = any(sweep.hint(BlockCache) is not None for sweep in sweeps(plan))
    block = block_cache.BLOCK if is_cached else block
    block = block_cache.BOUNDS_BLOCK if block_cache.has_bounds(plan.schedule) else block
    sizes = plan.target.sizes
    if block is None:
        return sizes
    if block <= sizes.block_threads:
        return dataclasses.replace(sizes, block_threads=block)
    # More warps share what a block has for all.
    staged = max(32, sizes.staged * sizes.block_threads // block)
    digits, slots, votes = max(1, sizes.radix_bits - 2), sizes.table_slots // 2, sizes.vote_words // 2
    wider = dataclasses.replace(sizes, block_threads=block, staged=staged, radix_bits=digits)
    return dataclasses.replace(wider, table_slots=slots, vote_words=votes)
