"""Decides whether a program is so long that its operators call what they share, where short ones have copies (cuda).

The whole schedule is one kernel, and the compiler takes time for every copy of a barrier, of a line in the trace, of a
conversion between queues and bitmaps. In a short program copies are worth it: a search on a road has thousands of
levels, each no more than a few barriers, and a call keeps registers from all around it (`k_core` on a power-law graph
loses 4 percent). A long one has dozens of each, more registers in use than there are, and work between them. Such
programs also say reductions by lanes as loops.

How long is said by the steps of the plan, barriers and changes of places among them, which is what is copied. Nothing
but time hangs on this: both forms do the same.
"""

from __future__ import annotations

from gdsl.plan.nodes import Plan
from gdsl.plan.walking import steps_in

LONG = 40
"""Steps from which on a program is long: of the samples those have them that took the compiler seconds."""


def is_long(plan: Plan) -> bool:
    """Whether the one kernel of `plan` is long; in the unfused form each operator has its own."""
    return plan.target.fused and sum(1 for _ in steps_in(plan.schedule)) >= LONG
