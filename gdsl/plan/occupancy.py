"""Pass `occupancy`: threads of a block, what blocks and warps hold, and how many blocks a multiprocessor is given.

The number of blocks is decided once the graph is known. At each barrier every block waits for every other, which takes
longer with more blocks: 0.95 microseconds with one block for each multiprocessor of an H200, 1.75 with four. Many
blocks pay off if steps wait for memory. A search on a graph with few edges for each vertex and no long lists (roads,
meshes) is a long sequence of small frontiers, for which few blocks are as fast, unless a run shows that they are large
(`backends.cuda.observed_blocks`). If the first frontier is all vertices, frontiers are large at first, and these take
most of the time: on a road network, Louvain takes ten percent less with two blocks for each multiprocessor than with
one, and k_core five percent less.
"""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.ir import statement_nodes as statements
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Balance, BinaryOperation
from gdsl.plan import block_cache
from gdsl.plan.facts import Facts
from gdsl.plan.graph_class import LARGE, is_narrow
from gdsl.plan.hints import BlockCache, FewAsList, NextLevel
from gdsl.plan.nodes import Loop, Operation, Plan, Step, Sweep
from gdsl.plan.read_ahead import MOST_NODES, nodes_in
from gdsl.plan.target import INSTANCES, MOST_WORDS, Sizes
from gdsl.plan.walking import steps_in, sweeps, sweeps_of
from gdsl.plan.work_order import orders, sizes_of

STREAMED = 1536
"""Threads of a multiprocessor that wait for memory side by side, where that is all that they do."""
SEARCHING = 1024
"""Those that a kernel with sets of vertices or edges leaves registers for."""
LISTING = 512
"""Those that a kernel with lists of few members leaves registers for, which has one small block most of the time: at a
barrier what is spilled is thrown out of the multiprocessor's cache."""
NARROW_BLOCK = 256
"""Threads of a block of searches on deep graphs: few enough to wait for each other, and with registers to spare."""
COUNTING_BLOCK = 1024
"""Threads of a block of intersections that keep nothing but totals: twice as many share the table of a long list, which
has the room of both blocks of half the size. Triangles take 3 to 14 percent less time on eleven classes of graphs,
a tenth on a complete one, whose lists have tables only so, and within 2 percent the same on the largest power laws
(H200). Those that add to elements take up to twice as long: they wait for each other there, the more they are."""
MOST_BLOCKS, FEWEST_BLOCKS = 4, 1
"""Blocks of a multiprocessor, where as many fit: the second for searches on graphs of few edges a vertex and no long
lists, where more of them only wait for each other (a search on a grid takes three fourths of the time, H200)."""
SHORT = 256
"""Passes of a loop."""
_IN_BLOCKS = (Balance.BLOCK, Balance.MERGE, Balance.BINS)
"""What blocks hold members for."""


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with its sizes (those that the caller set, if any), and what the compiler must know of its size."""
    sizes = sizes_of(facts.sizes or _sizes(plan), orders(plan))
    if not plan.target.grid:
        return dataclasses.replace(plan, sizes=sizes)
    plan = dataclasses.replace(plan, sizes=sizes, outlined=is_long(plan))
    plan = dataclasses.replace(plan, resident_threads=resident_threads(plan))
    return dataclasses.replace(plan, waiting_thread=_waiting_thread(plan))


def _waiting_thread(plan: Plan) -> int:
    """The first thread leads the run in any case, so that it waits for other blocks best, unless the other warps have
    something to do during a barrier. Then it is one of the last warp, the last to get members: the warp that waits
    prefetches nothing (betweenness on a road network takes 9 percent more if that is the first one)."""
    prefetches = any(sweep.hint(NextLevel) is not None for sweep in sweeps(plan))
    return plan.sizes.block_threads - 32 if prefetches or orders(plan) else 0


def _sizes(plan: Plan) -> Sizes:
    block = plan.program.tuning.block if plan.target.grid else None
    block = NARROW_BLOCK if block is None and has_small_blocks(plan) else block
    counts = block is None and _only_counts_common(plan)
    block = COUNTING_BLOCK if counts else block
    is_cached = any(sweep.hint(BlockCache) is not None for sweep in sweeps(plan))
    block = block_cache.BLOCK if is_cached else block
    block = block_cache.BOUNDS_BLOCK if block_cache.has_bounds(plan.schedule) else block
    sizes = plan.target.sizes
    if plan.target.several_gpus and not _holds_tables(plan):
        sizes = dataclasses.replace(sizes, staged=2 * sizes.staged)
    if block is None:
        return sizes
    if block <= sizes.block_threads:
        return dataclasses.replace(sizes, block_threads=block)
    # More warps share what a block has for all.
    staged = max(32, sizes.staged * sizes.block_threads // block)
    digits, votes = max(1, sizes.radix_bits - 2), sizes.vote_words // 2
    slots = sizes.table_slots * 2 if counts else sizes.table_slots // 2
    wider = dataclasses.replace(sizes, block_threads=block, staged=staged, radix_bits=digits)
    return dataclasses.replace(wider, table_slots=slots, vote_words=votes, combined_words=sizes.combined_words // 2)


def _only_counts_common(plan: Plan) -> bool:
    """Whether the program intersects lists for totals alone, and has no loop. Graphs that it makes for that are kept
    with the given one."""
    program, nodes = plan.program, list(walk(plan.program.schedule))
    steps = [node for node in nodes if isinstance(node, ir.Intersect)]
    functors = [program.functor(step.functor) for step in steps if step.functor is not None]
    stores = any(isinstance(node, ir.ElementTarget) for functor in functors for node in walk(functor))
    plain = not stores and all(step.result is None for step in steps)
    return (
        bool(steps)
        and plain
        and plan.target.fused
        and not any(isinstance(node, ir.While | ir.Repeat) for node in nodes)
    )


def _holds_tables(plan: Plan) -> bool:
    """Whether blocks hold more than what their warps have found. Where they do not, those of several GPUs gather twice
    as much before they append it: one GPU has the counter, and another one waits in line for each addition four times
    as long. (BFS on rmat26 takes 6 percent less; one GPU gains nothing by it, and its cache is smaller then.)"""
    tables = any(
        sweep.vote is not None or sweep.intersection is not None or sweep.balance in _IN_BLOCKS
        for sweep in sweeps(plan)
    )
    return tables or bool(plan.graphs or orders(plan))


def blocks_a_multiprocessor(plan: Plan, num_vertices: int, num_edges: int, largest_degree: int) -> int:
    """At most so many; one kernel for the whole schedule is what waits for itself."""
    narrow = is_narrow(num_vertices, num_edges, largest_degree)
    if not narrow or not plan.target.fused or not searches(plan.program):
        return MOST_BLOCKS
    return MOST_BLOCKS if num_vertices >= LARGE and begins_with_all(plan.program) else FEWEST_BLOCKS


def keeps_values(plan: Plan) -> bool:
    """Whether blocks need memory for the first values of an array."""
    return any(sweep.hint(BlockCache) is not None for sweep in sweeps(plan))


def resident_threads(plan: Plan) -> int | None:
    """How many threads of one multiprocessor the kernels leave registers for; None: as the compiler sees fit.

    What only goes over values and reduces lists, again and again, waits for memory, and keeps little meanwhile but
    where data are, of which some may be spilled; a long program keeps more. What makes sets, too, keeps as little
    where it neither searches nor has tables, each value is a word and no functor is long or climbs.

    Left to itself, the compiler guesses from how many registers it would like. Kernels that search it gives 64, or 40,
    and spills some for a block more that is of little use to them; a small change of the text decides which. Told that
    two blocks of 512 threads shall fit, it takes the 64 that this leaves and spills less, or nothing. Blocks of a
    chosen size may have a multiprocessor for themselves, and so may those for deep graphs. A long program says that two
    of these shall fit: with more it spills, and one is too few where frontiers turn out to be large. Nothing but speed
    depends on this: the driver says how many blocks really fit.
    """
    if any(sweep.hint(FewAsList) for sweep in sweeps(plan)):
        return LISTING
    own = plan.target.resident_threads
    if own is not None:
        return own
    if _only_streams(plan) or _keeps_little(plan):
        return STREAMED
    if has_small_blocks(plan):
        return 2 * plan.sizes.block_threads if is_long(plan) else None
    if plan.program.tuning.block is not None:
        return None
    return SEARCHING if plan.frontiers else None


def has_small_blocks(plan: Plan) -> bool:
    """Whether blocks are few threads, as on deep graphs, unless the program has another size."""
    return plan.graph.deep and plan.target.fused and searches(plan.program)


def _only_streams(plan: Plan) -> bool:
    if not plan.target.fused or plan.graphs or is_long(plan):
        return False
    loops = [step for step in steps_in(plan.schedule) if isinstance(step, Loop)]
    again = [sweep for loop in loops for step in steps_in(loop.body) for sweep in _sweeps(step)]
    return any(sweep.segment is not None for sweep in again) and all(map(_streams, again))


def _keeps_little(plan: Plan) -> bool:
    """Whether a kernel that makes sets gets by with the registers of three blocks of 512 threads. Wide values take two
    each; searches, tables and long functors keep many. An independent set takes 10 percent less time, but it takes 14
    percent more where a long functor draws colors."""
    program, tuning = plan.program, plan.program.tuning
    if not plan.target.fused or plan.target.teams or not plan.frontiers or plan.graphs or tuning.block is not None:
        return False
    tables = contains(program.schedule, ir.Intersect, ir.NeighborVote)
    if tables or is_long(plan) or searches(program):
        return False
    functions = {function.name: function.body for function in program.functions}
    short = all(nodes_in(functor, functions) <= MOST_NODES for functor in program.functors)
    climbs = _climbs(program) and not plan.graph.short_lists
    return short and not climbs and all(map(_is_word, program.arrays))


def _climbs(program: ir.Program) -> bool:
    """Whether calls along edges go from value to value, which others change meanwhile: the more of them run side by
    side, the longer are the ways that they find. Where lists are short, few calls meet, and more of them wait for
    memory side by side: components take 4 to 20 percent less time on graphs of short lists, and 6 to 11 percent more on
    random edges and power laws."""
    nodes = (node for functor in program.edge_functors for node in walk(functor))
    return any(isinstance(node, (statements.ForRange, statements.Loop)) for node in nodes)


def _is_word(array: ir.Array) -> bool:
    """Whether an element is one value of 32 bits at most, with ids of as many."""
    return array.count is None and (array.type.is_id or (array.type.bits or 64) <= 32)


def _sweeps(step: Step) -> tuple[Sweep, ...]:
    return sweeps_of(step) if isinstance(step, Operation) else ()


def _streams(sweep: Sweep) -> bool:
    """Whether a sweep keeps nothing but values: no set, no votes, no table."""
    return sweep.collect is None and (sweep.segment is not None or sweep.own is not None)


def searches(program: ir.Program) -> bool:
    """Whether a loop goes from frontier to frontier along edges, for as long as there are any: one of few passes is no
    long row of them."""
    loops = (node for node in walk(program.schedule) if isinstance(node, (ir.While, ir.Repeat)))
    return any(
        isinstance(node, ir.Advance) and node.result is not None
        for loop in loops
        if not (isinstance(loop, ir.While) and _is_short(loop.condition))
        for node in walk(loop.body)
    )


def _is_short(condition: ir.Expression) -> bool:
    """Whether a loop has a few passes at most, as its condition says."""
    if not isinstance(condition, ir.Binary):
        return False
    if condition.operation is BinaryOperation.AND:
        return _is_short(condition.left) or _is_short(condition.right)
    limit = condition.right
    if condition.operation is not BinaryOperation.LESS or not isinstance(limit, ir.Literal):
        return False
    return isinstance(condition.left, ir.Iteration) and int(limit.value) <= SHORT


def begins_with_all(program: ir.Program) -> bool:
    """Whether a frontier that is walked is, or comes of, all vertices; or whether a loop around searches also asks all
    vertices, or reduces along their edges, which needs as many threads."""
    steps = list(walk(program.schedule))
    made_of: dict[str, set[str | None]] = {}
    for node in steps:
        if isinstance(node, ir.DefineFrontier) and node.everything:
            made_of.setdefault(node.name, set()).add(None)
        elif isinstance(node, (ir.Advance, ir.Filter)) and node.result is not None:
            made_of.setdefault(node.result, set()).add(node.frontier.frontier or "")
        elif isinstance(node, ir.CopyFrontier):
            made_of.setdefault(node.name, set()).add(node.other)
        elif isinstance(node, ir.CombineFrontiers):
            made_of.setdefault(node.name, set()).update((node.first.frontier, node.second.frontier))
    walked = [node.frontier.frontier for node in steps if isinstance(node, ir.Advance) and node.result is not None]
    reduced = [node.frontier.frontier for node in steps if isinstance(node, ir.NeighborReduce)]
    walked += [name for name in reduced if name is not None]  # a sweep over all vertices goes from no set to the next
    loops = (node for node in steps if isinstance(node, ir.Repeat | ir.While))
    return None in _reached(made_of, walked) or any(map(_asks_all, loops))


def _asks_all(loop: ir.Repeat | ir.While) -> bool:
    """Whether a pass of `loop` searches and also reduces along the edges of all vertices, or whether each pass filters
    all vertices."""
    steps = list(walk(loop.body))
    reduces = any(isinstance(node, ir.NeighborReduce) and node.frontier.everything for node in steps)
    filters = any(isinstance(step, ir.Filter) and step.frontier.everything for step in loop.body)
    return (reduces and any(map(_is_search, steps))) or (filters and any(map(_is_search, loop.body)))


def _is_search(node: object) -> bool:
    return isinstance(node, ir.Advance) and node.result is not None


def _reached(made_of: dict[str, set[str | None]], names: list[str | None]) -> set[str | None]:
    """`names`, and all that these are made of."""
    reached: set[str | None] = set()
    while names:
        name = names.pop()
        if name not in reached:
            reached.add(name)
            names += made_of.get(name, ()) if name is not None else ()
    return reached


# Decides whether a program is so long that its operators call what they share, where short ones have copies (cuda).
#
# The whole schedule is one kernel, and the compiler takes time for every copy of a barrier, of a line in the trace,
# of a conversion between queues and bitmaps. In a short program copies are worth it: a search on a road has thousands
# of levels, each no more than a few barriers, and a call keeps registers from all around it (`k_core` on a power-law
# graph loses 4 percent). A long one has dozens of each, more registers in use than there are, and work between them.
# Such programs also say reductions by lanes as loops.
#
# How long is said by the steps of the plan, barriers and changes of places among them, which is what is copied.
# This affects only time: both forms do the same.

LONG = 40
"""Steps from which on a program is long: of the samples those have them that took the compiler seconds."""


def is_long(plan: Plan) -> bool:
    """Whether the one kernel of `plan` is long; in the unfused form each operator has its own."""
    return plan.target.fused and sum(1 for _ in steps_in(plan.schedule)) >= LONG


# Decides how many blocks run for one value where a launch runs for many.
#
# Alone a block waits for no other at its barriers, so that as many values as there are blocks side by side are
# quickest done by a block each. Of fewer values each has more blocks, as far as the graph is work for them. On large
# graphs whose searches are wide it is all the same for the time (H200, rmat20: 37 ms for 1,024 searches by a block
# each, 34 by four each), and fewer teams take less memory.

WORK = 1 << 15
"""Vertices and edges that keep a block busy."""
LARGE_FOR_TEAMS, LEAST_BLOCKS = 1 << 24, 4
"""From so many vertices and edges on a wide graph is large, and a team has so many blocks."""


def blocks_a_team(values: int, blocks: int, elements: int, narrow: bool) -> int:
    """Of `blocks` side by side, for so many values on a graph of so many vertices and edges; `narrow`: whether searches
    on it go through small frontiers."""
    least = LEAST_BLOCKS if elements >= LARGE_FOR_TEAMS and not narrow else 1
    return max(least, min(blocks // max(values, 1), elements // WORK), 1)


# Decides how many values share the visits of edges.
#
# A vertex's words are in one sector of memory, which is read whole: the more of them there are, the less often a launch
# visits each edge. But all values of a group run in the same blocks, and a small graph is work for few. So there are as
# many words as leave all blocks busy.

LEAST_TOGETHER = 32
"""Values from which on half of the bits of a word are in use."""
WORTH_COMPILING = 1 << 30
"""Values times vertices and edges from which on a launch takes a millisecond; compiling another form takes a second."""
TEAMS = 8
"""Teams at most that share the blocks on a graph that is work for all of them: steps of one wait for memory while
another's wait at a barrier."""


def words_of_instances(values: int, elements: int, blocks: int) -> int:
    """In how many words of a vertex so many values have a bit each, on a graph of so many vertices and edges, by
    `blocks` side by side: no more than there are values for, and no more than memory hands over at a time. 0: each
    value has a run of its own."""
    if values < LEAST_TOGETHER or values * elements < WORTH_COMPILING:
        return 0
    each = max(elements // WORK, 1)
    words = min(1 << (-(-values // INSTANCES) - 1).bit_length(), MOST_WORDS)
    while words > 1 and _groups(values, words) * each < blocks:
        words //= 2
    return words


def teams_of_groups(groups: int) -> int:
    """How many teams share all blocks: as many as leave at most a tenth of them without a group in the last round."""
    return max(each for each in range(1, TEAMS + 1) if 10 * (-groups // each * -each) <= 11 * groups)


def _groups(values: int, words: int) -> int:
    return -(-values // (INSTANCES * words))


def side_by_side(plan: Plan, multiprocessors: int) -> int:
    """The blocks that run side by side, given the compiler's limit on registers."""
    return multiprocessors * max((plan.resident_threads or SEARCHING) // plan.sizes.block_threads, 1)
