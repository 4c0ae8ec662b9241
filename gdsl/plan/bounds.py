"""Decides which worklists ask a bound before they look at a value (cuda).

In a dense pass of a monotone loop most edges come too late: the value at their far end is as good as theirs already. To
find that out each looks at this value, a sector of L2 an edge, which is what such passes wait for. On graphs of hubs
half of the edges end in some ten thousand vertices. Of these each block keeps a bound in its own memory: the last
value that one of its threads has seen or made of theirs. An edge whose value is no better than the bound is done with;
any other one looks, as before, and leaves a better bound.

That is sound as nothing but the one advance of the loop changes the array, and it makes its elements better only
(`gdsl.uniqueness.order`): whatever was seen of an element since the loop began, it is as good as that by now, and what
is no better than that comes too late for it. Bounds are rounded to the worse side, and forgotten when a loop begins. Of
two threads that leave one at a time either may stay, since both are bounds.

No numbers by degree are needed: a vertex has the place that the last bits of its id say, and of the vertices of a place
the one of most edges has it; what is left of its id stands beside the bound, in one word. On the lists of a directed
graph these are the edges that leave it, which is a guess. The memory is what a launch lends, where a block has a
multiprocessor for itself, and where the graph makes up for it. Nothing but speed hangs on how much that is.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.ir.nodes import Advance, Operator, Program
from gdsl.ir.traversal import walk
from gdsl.operations import Over
from gdsl.plan.nodes import Operation, Plan, Skips, Step
from gdsl.plan.target import Target
from gdsl.plan.walking import steps_in, sweeps_of
from gdsl.types import Type

BLOCK = 1024
"""Threads, where a multiprocessor has one block."""
LEAST_EDGES = 1 << 22
"""Of fewer edges all values lie in the cache."""
SKEW = 64
"""A vertex of so many times the mean's edges is what is looked for."""
_WORD = 4
"""Bytes of a bound with what is left of an id."""


def may_ask(step: Advance, skips: Skips, program: Program, target: Target) -> bool:
    """Whether an advance that passes over members may ask bounds of the far ends of out-edges. Of whole numbers a word
    has no room for the last digits, in which they differ; and other operators have their own size of blocks."""
    if not target.fused or target.teams or program.tuning.block is not None or program.graphs:
        return False
    alone = [node.site for node in walk(program.schedule) if isinstance(node, Operator)] == [step.site]
    return alone and step.over is Over.OUT_EDGES and skips.type is Type.FLOAT32


def asked_in(steps: Iterable[Step]) -> bool:
    """Whether anything in these steps asks any."""
    found = (sweep for step in steps_in(tuple(steps)) if isinstance(step, Operation) for sweep in sweeps_of(step))
    return any(each.early is not None and each.early.bounds is not None for sweep in found for each in sweep.walks)


def lent(plan: Plan, most: int, num_vertices: int, num_edges: int, largest_degree: int) -> int:
    """How many of the `most` bytes that a block may be lent it is lent for bounds: a word a place, or nothing."""
    needed = _WORD << plan.sizes.bound_bits
    worth = num_edges >= LEAST_EDGES and largest_degree * num_vertices >= SKEW * num_edges
    return needed if worth and needed <= most else 0
