"""The barriers inside functions of the CUDA runtime that operators call.

Each function of the runtime that waits has a comment of one line with its contract, `// barriers: 2`, followed by
`if <condition>` where it may wait less often and by `, publishes <counters>`. The functions here are those of which the
plan says more: their barrier is a phase of its own. `tests/plan/test_contracts.py` compares this table, the comments
and the code.
"""

from __future__ import annotations

from gdsl.ir.nodes import CheckPairs, CheckWidth, ChooseBound, NumberMembers, TakeLevel
from gdsl.plan.nodes import Combine, Copy, Define, FarEnds, MakeGraph
from gdsl.plan.phase_nodes import Barrier, Counter, Part, When, Within
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Contract:
    """A barrier in the function that does the phase `part`, before its work or (`after`) after it. The functions of
    the runtime that may do so are called `functions`."""

    part: Part | None
    """None: what completes a result."""
    after: bool
    when: When
    publishes: tuple[Counter, ...]
    functions: tuple[str, ...]

    def admits(self, barrier: Barrier) -> bool:
        """Whether a phase is that barrier."""
        return (barrier.when, barrier.publishes) == (self.when, self.publishes)


CONTRACTS = {
    Within.VISITS: Contract(Part.VISITS, True, When.FIRST_PASS, (), ("forget_visits", "begin_bounded")),
    Within.EMPTIED: Contract(Part.EMPTIED, True, When.ALWAYS, (), ("clear_bitmap",)),
    Within.CHUNKS: Contract(
        Part.CHUNKS,
        False,
        When.LONG_LISTS,
        (Counter.CHUNKS,),
        (
            "push_hubs",
            "push_hubs_side_by_side",
            "push_unvisited_hubs",
            "push_unvisited_hubs_side_by_side",
            "pull_hubs",
            "reduce_hubs",
            "reduce_hubs_until",
            "vote_hubs",
            "intersect_hubs",
        ),
    ),
    Within.CHUNK_OWNERS: Contract(Part.CHUNK_OWNERS, False, When.LONG_LISTS, (), ("each_hub", "each_hub_together")),
    Within.COPIED: Contract(Part.COPIED, True, When.FIRST_PASS, (), ("begin_merging",)),
    Within.PROPOSED: Contract(Part.PROPOSED, True, When.MANY_EDGES, (), ("begin_proposals",)),
    Within.RESULT: Contract(
        None,
        False,
        When.ALWAYS,
        (Counter.ACCEPTED,),
        ("end_queue", "end_late_queue", "end_bitmap", "end_edges", "end_entries"),
    ),
    Within.CHUNKS_OR_RESULT: Contract(
        None,
        False,
        When.ALWAYS,
        (Counter.CHUNKS, Counter.ACCEPTED),
        ("is_queue_ended", "is_bitmap_ended", "are_entries_ended"),
    ),
    Within.RESULT_OF_CHUNKS: Contract(None, False, When.LONG_LISTS, (Counter.ACCEPTED,), ()),  # the same once more
}
ENDING: dict[type, tuple[str, ...]] = {
    Define: ("define_frontier", "define_everything", "define_edges", "define_all_edges"),
    Copy: ("copy_frontier", "copy_and_count", "copy_edges"),
    Combine: (
        *("unite_sets", "intersect_sets", "subtract_sets", "grow_set", "grow_any_set", "collect_rest"),
        *("unite_queues", "intersect_queues", "subtract_queue"),
        *("unite_edges", "intersect_edges", "subtract_edges"),
    ),
    FarEnds: ("collect_far_ends",),
    MakeGraph: ("make_subgraph", "make_hoisted_graph", "make_contraction"),
}
"""The steps that end with a barrier of their own, by functions that always wait."""
ENDING_SET_STEPS: dict[type, tuple[str, ...]] = {
    TakeLevel: ("copy_level",),
    CheckWidth: ("check_width",),
    ChooseBound: ("choose_bound",),
    CheckPairs: ("check_pairs",),
    NumberMembers: ("number_vertices", "number_edges", "number_everything"),
}
"""The same of steps between sets and data; a level is copied only where its edges are counted."""
