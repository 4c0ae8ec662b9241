"""Checks that the sizes of a target's parts fit each other."""

from __future__ import annotations

from gdsl.ir.verifier import VerificationError
from gdsl.plan.nodes import Plan


def verify_sizes(plan: Plan) -> None:
    """Raise `VerificationError` where there is no room for what a size says, or one is not positive."""

    def expect(holds: bool, what: str) -> None:
        if not holds:
            raise VerificationError(f"plan of {plan.program.name}: {what}")

    sizes = plan.sizes
    numbers = (
        sizes.block_threads,
        sizes.hub_degree,
        sizes.hub_chunk,
        sizes.pull_prefix,
        sizes.pulled_at_once,
        sizes.words_at_once,
        sizes.long_walk,
        sizes.near_set,
        sizes.round_edges,
        sizes.wide_round,
        sizes.thin_round,
        sizes.table_least,
        sizes.radix_bits,
        sizes.voted_alone,
        sizes.bound_bits - 2,
        sizes.parted_members,
        sizes.listed_places,
        sizes.listed_edges,
        (1 << 24) - sizes.listed_places,
    )
    expect(sizes.table_slots.bit_count() == 1, "a table whose places are no power of two")
    least = min(sizes.short_list, sizes.small_work, sizes.own_votes)
    expect(min(numbers) > 0 and least >= 0, "a size is not positive")
    if plan.target.grid:
        fits = sizes.reduced_hub >= sizes.hub_degree and sizes.reduced_chunk >= sizes.hub_chunk
        expect(fits, "no room for the chunks of lists that are reduced")
        half = sizes.hub_degree // 2
        fits = half > 0 and 1 / half - 2 / sizes.hub_degree <= 1 / sizes.hub_chunk
        expect(fits, "no room for the chunks of lists half as long")
        part = min(sizes.vote_part, sizes.vote_part_of_few)
        expect(part >= sizes.hub_chunk, "no room for the parts of lists that vote")
        expect(0 < sizes.voted_by_lanes <= 32, "no lane for an edge that votes")
        expect(sizes.vote_words * 32 >= 4 * sizes.block_threads, "no room for the votes of a warp")
