"""Decides which thread of a block waits for all other blocks at a barrier, and keeps the trace (cuda).

The first one leads the run in any case, so that one thread does all of this best: on a power law a search takes 3
percent more where that is spread over two warps. It is a thread of the last warp, which is the last to get members,
where the block has something to do meanwhile: levels of a history are looked at ahead, and the first thread of a block
moves the bound of a worklist from near to far, which takes 2 percent less on a road then.
"""

from __future__ import annotations

from gdsl.plan.nodes import Loop, Plan
from gdsl.plan.walking import steps_in, sweeps


def waiting_thread(plan: Plan) -> int:
    """Its number in the block."""
    orders = any(isinstance(step, Loop) and step.order is not None for step in steps_in(plan.schedule))
    looks = any(sweep.segment is not None and sweep.segment.upcoming is not None for sweep in sweeps(plan))
    return plan.sizes.block_threads - 32 if orders or looks else 0
