"""Pass `block_cache`: values that each block caches in shared memory. Hints only.

`first_values`: the values of the first vertices, from which lists are reduced. `hub_bounds`: bounds of the values of
hubs, at which worklists look before they look at the values.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.ir.worklists import changed_in, fixed_order
from gdsl.operations import Balance, Domain, Layout, NeighborOperation, Order, Over
from gdsl.plan.facts import Facts
from gdsl.plan.hints import BlockCache, HubBounds, ReadAhead
from gdsl.plan.narrow_arrays import narrow_in
from gdsl.plan.nodes import Operation, Plan, Skips, Step, Sweep
from gdsl.plan.target import Sizes, Target
from gdsl.plan.walking import map_sweeps, steps_in, sweeps_of
from gdsl.types import Type


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with what blocks cache."""
    array = keeps_first(plan.program, plan.target)
    if not array and not plan.graph.hubs:
        return plan

    def changed(operation: Operation, sweep: Sweep) -> Sweep:
        step, skips = operation.step, sweep.skips
        if sweep.segment is not None:
            return sweep.with_hints(BlockCache(array[step.site])) if step.site in array else sweep
        if skips is None or not isinstance(step, ir.Advance) or not _may_bound(plan, step, skips):
            return sweep
        hints = (sweep.hint(ReadAhead, walk.over) for walk in sweep.walks)
        looks = (each for each in hints if each is not None and each.seen is not None)
        return sweep.with_hints(*(HubBounds(skips.operation, over=each.over) for each in looks))

    return map_sweeps(plan, changed)


# Decides of which array a block keeps the first values in its own memory where lists are reduced (cuda).
#
# Where vertices are numbered by falling degree, most edges lead to the first of them: on graphs of hubs more than
# half to some ten thousand. What is gathered along edges then comes from a table that every block fills before it
# begins: not from the multiprocessor's cache, through which the lists stream, nor from L2, whose sectors are what
# such sweeps wait for (PageRank on rmat22: 0.57 ms an iteration for 0.74). The table has the memory that a
# multiprocessor has for dynamic shared memory, so that there is one block on each, as large as blocks are.
#
# So it is for programs that do nothing but go over all vertices and reduce lists, on ids by degree for certain:
# `renumbering` makes those a kernel of their own. The number of values that fit affects only speed.

BLOCK = 1024
"""Threads, where a multiprocessor has one block."""
_FAR = {Over.IN_EDGES: ir.Role.SOURCE, Over.OUT_EDGES: ir.Role.DESTINATION}
_LEAVING = (NeighborOperation.SOME, NeighborOperation.EVERY)
_WORDS = (32, 64)


def keeps_first(program: ir.Program, target: Target) -> dict[int, str]:
    """By the site of a reduction the array of which blocks cache the first values."""
    return could_keep(program, target) if program.tuning.layout is Layout.BY_DEGREE else {}


def could_keep(program: ir.Program, target: Target) -> dict[int, str]:
    """By the site of a reduction the array of which blocks would cache the first values if ids were by degree."""
    tuning = program.tuning
    if not (target.grid and target.fused) or target.teams or tuning.block is not None or not _only_reduces(program):
        return {}
    loops = [node for node in walk(program.schedule) if isinstance(node, (ir.While, ir.Repeat))]
    sizes = {}
    for step in (node for loop in loops for node in walk(loop.body) if isinstance(node, ir.NeighborReduce)):
        array = _gathered(step, program)
        if array is not None and tuning.sites[step.site].balance is Balance.AUTO:
            sizes[step.site] = array
    return sizes


def _only_reduces(program: ir.Program) -> bool:
    """Whether all operators go over all vertices, and make no set."""
    if program.frontiers or program.graphs:
        return False
    operators = [node for node in walk(program.schedule) if isinstance(node, ir.Operator)]
    return all(isinstance(each, (ir.Compute, ir.NeighborReduce)) and each.frontier.everything for each in operators)


def _gathered(step: ir.NeighborReduce, program: ir.Program) -> str | None:
    """The one array whose value at the far end is all that is asked of it, if it is a word."""
    functor = program.edge_functor(step.functor)
    names = {node.array for node in gathers(functor, step.over)}
    if len(names) != 1 or functor.condition or step.operation in _LEAVING:
        return None
    array = next(each for each in program.arrays if each.name in names)
    single = array.count is None and not array.type.is_pair and array.name not in dict(narrow_in(program))
    return array.name if single and not array.type.is_id and array.type.bits in _WORDS else None


def gathers(functor: ir.EdgeFunctor, over: Over) -> list[ir.Element]:
    """Where `functor` reads something of the vertex at the far end of an edge."""
    far = _FAR.get(over)
    elements = (node for node in walk(functor) if isinstance(node, ir.Element) and node.domain is Domain.VERTEX)
    return [each for each in elements if ir.is_parameter(each.index, far) and not each.now]


# Decides which worklists look at a bound in the block's own memory before they look at a value (cuda).
#
# In a dense pass of a monotone loop most edges come too late: the value at their far end is as good as theirs
# already. To find that out each looks at this value, a sector of L2 an edge, which is what such passes wait for. On
# graphs of hubs nearly half of the edges end in some ten thousand vertices. Of these each block keeps a bound in its
# own memory. An edge that offers nothing better than the bound is done with; any other one looks at the value itself,
# and leaves as the bound what it finds or offers, whichever is better. Where a pass has many members all bounds are
# read again when it begins.
#
# That is sound as nothing but the one advance of the loop changes the array, and it makes its elements better only
# (`gdsl.uniqueness.order`). A bound is a value that the element had since the loop began, or one that was offered:
# who offers it stores it in this pass, unless it has found a value there that is as good. So by the next barrier each
# element is as good as its bounds, and is in the next worklist if it was changed; who offers no more need do nothing.
# A bound may be worse than the value, never better: it is rounded to the worse side, and computed again when a loop
# begins. Of two threads that leave one at a time either may stay. No element is ever NaN
# (`gdsl.uniqueness.monotone`), and NaN, where it is offered, is no better than anything.
#
# No numbers by degree are needed: a vertex has the place that the last bits of its id say, and of the vertices of a
# place the one of most edges has it; the first bits of its id are stored with the bound, in one word. On the lists of a
# directed graph these are the edges that leave it, which is a guess.
#
# The memory is dynamic shared memory, where a block has a multiprocessor to itself. An edge that had to test whether
# there is any would lose what it gains, so launches of a plan for graphs of hubs always have it.

BOUNDS_BLOCK = 1024
"""Threads, where a multiprocessor has one block."""
MOST_BITS = 12
"""Of an id, beside a bound of which 20 bits are left."""
DECLARED = 48 << 10
"""Bytes of static shared memory that a kernel may have, too."""
_WORD = 4
"""Bytes of a bound and what is left of an id."""


def _may_bound(plan: Plan, step: ir.Advance, skips: Skips) -> bool:
    """Whether an advance that skips members may use bounds for the far ends of its edges."""
    if not plan.graph.hubs or not plan.target.fused or plan.target.teams:
        return False
    return step.over is Over.OUT_EDGES and skips.type is Type.FLOAT32 and could_bound(plan.program)


def could_bound(program: ir.Program) -> bool:
    """Whether a program has any on graphs of hubs: where it is nothing but one monotone loop over out-edges. Of whole
    numbers a word has no room for the last digits, in which they differ; others have their own size of blocks."""
    tuning = program.tuning
    if not tuning.fuse or tuning.block is not None or tuning.order is Order.NEAR_FAR or program.graphs:
        return False
    operators = [node for node in walk(program.schedule) if isinstance(node, ir.Operator)]
    if len(operators) != 1 or tuning.sites[operators[0].site].balance is not Balance.AUTO:
        return False
    loops = [node for node in walk(program.schedule) if isinstance(node, ir.While) and operators[0] in node.body]
    return any(_is_suitable(loop, program) for loop in loops)


def _is_suitable(loop: ir.While, program: ir.Program) -> bool:
    (step,) = (node for node in walk(loop.body) if isinstance(node, ir.Operator))
    if not loop.monotone or fixed_order(loop, program) is not None:
        return False
    if not isinstance(step, ir.Advance) or step.over is not Over.OUT_EDGES:
        return False
    changed = changed_in(loop, program).array
    return program.array(changed).type is Type.FLOAT32


def has_bounds(steps: Iterable[Step]) -> bool:
    """Whether anything in these steps uses bounds."""
    candidates = (sweep for step in steps_in(tuple(steps)) if isinstance(step, Operation) for sweep in sweeps_of(step))
    return any(isinstance(hint, HubBounds) for sweep in candidates for hint in sweep.hints)


def bounds_bytes(plan: Plan) -> int:
    """Bytes of dynamic shared memory for bounds per block, without which the plan's kernels must not run; 0: none."""
    return bytes_of(plan.sizes) if has_bounds(plan.schedule) else 0


def bytes_of(sizes: Sizes) -> int:
    """The bytes of the bounds: a word a place."""
    return _WORD << sizes.bound_bits


def has_room(sizes: Sizes, room: int, num_vertices: int) -> bool:
    """Whether the bounds fit into the `room` of a block, in bytes, and the ids of so many vertices into a word."""
    return room >= bytes_of(sizes) + DECLARED and num_vertices <= 1 << (sizes.bound_bits + MOST_BITS)
