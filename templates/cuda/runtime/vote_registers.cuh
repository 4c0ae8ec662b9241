// piece: vote_alone
// The best candidate of up to `most` places, by one thread.
template <uint32 most, class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_alone(vertex near, uint32 places, const Vote& vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    Key key[most];
    Total total[most];
    bool votes[most];
#pragma unroll
    for (uint32 k = 0; k < most; ++k) { votes[k] = k < places && vote(edge(k), key[k], total[k]); }
#pragma unroll
    for (uint32 k = 1; k < most; ++k) {
#pragma unroll
        for (uint32 first = 0; first < k; ++first) {
            if (!votes[k] || !votes[first] || key[k] != key[first]) { continue; }
            total[first] = sum(total[first], total[k]);
            votes[k] = false;
        }
    }
    decltype(choice(near, Key(), Total())) best = {};
#pragma unroll
    for (uint32 k = 0; k < most; ++k) {
        if (!votes[k]) { continue; }
        const auto candidate = choice(near, key[k], total[k]);
        if (beats(candidate, best)) { best = candidate; }
    }
    return best;
}

// piece: vote_in_groups
// Counts the lists of the lanes in `waiting`, each by a group of `lanes` adjacent lanes with at most one edge per lane.
// A warp counts as many lists at a time as it has groups. The whole warp must call it.
template <uint32 lanes, class Key, class Total, class Ballots, class Choice, class Elect>
__device__ __forceinline__ void vote_in_groups(uint32 waiting, vertex near, uint32 places, Ballots ballots, Choice choice,
                                               Elect elect) {
    const uint32 lane = lane_index(), group = lane / lanes, rank = lane % lanes;
    while (waiting != 0) {
        uint32 own = waiting;
        waiting = next_in_groups<lanes>(own, group);
        const uint32 owner = own != 0 ? __ffs(own) - 1 : lane;
        const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        const uint32 length = __shfl_sync(FULL_WARP, places, owner);
        const bool active = own != 0 && rank < length;
        const auto winner = best_of<lanes>(vote_in_registers<lanes, Key, Total>(owned, active, rank, ballots(owned), choice));
        if (own != 0 && rank == 0) { elect(owned, winner.voted, winner.key); }
        __syncwarp(FULL_WARP);
    }
}

// piece: vote_in_registers
// Counts the votes of `lanes` edges, one per lane. The first lane with a key adds up its votes and returns its
// candidate.
template <uint32 lanes, class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_registers(vertex near, bool active, uint32 rank, const Vote& vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    const uint32 lane = lane_index(), group = (~0u >> (32 - lanes)) << (lane - rank);
    Key key = Key();
    Total total = Total();
    const bool votes = active && vote(edge(rank), key, total);
    __syncwarp(FULL_WARP);
    typedef typename word_of_size<sizeof(Key)>::type word;
    const uint32 alike = __match_any_sync(FULL_WARP, word(key)) & __ballot_sync(FULL_WARP, votes) & group;
    const bool first = votes && uint32(__ffs(alike)) == lane + 1;
    // Each lane adds the votes up to the next lane with its key, then up to the one after that, and so on in twice the steps.
    const uint32 above = votes ? alike & ~((2u << lane) - 1) : 0;
    uint32 next = above != 0 ? __ffs(above) - 1 : 32;
    while (__any_sync(FULL_WARP, next < 32)) {
        const Total brought = shuffle(total, next & 31);
        const uint32 further = __shfl_sync(FULL_WARP, next, next & 31);
        if (next < 32) {
            total = sum(total, brought);
            next = further;
        }
    }
    decltype(choice(near, Key(), Total())) best = {};
    if (first) { best = choice(near, key, total); }
    __syncwarp(FULL_WARP);
    return best;
}
