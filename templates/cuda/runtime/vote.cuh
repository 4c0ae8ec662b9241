// piece: vote_warps
// For every member the best key of its ballots. A warp takes 32 members, or fewer where these are few: a thread counts
// the votes of a few edges, eight lanes those of up to 8 and the warp those of up to 32 in registers, a lane an edge,
// the warp those of more in a table, list after list; the longest lists are left to `vote_hubs`. `ballots(near)(place,
// key, weight)` says whether the edge at this place of the lists of `near` votes, and for what; `choice(near, key,
// total)` is the candidate that the votes for a key make; `elect(near, voted, key)` takes the result.
template <class Key, class Total, class Members, class Degree, class Ballots, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_warps(enactor& run, const Members& members, Degree degree, Ballots ballots, Table table,
                                           Choice choice, Elect elect, hub_chunk* parts) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_a_warp(size);
    uint64 visited = 0;
    __syncthreads();  // the tables lie where others of the block may still have something
    for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
        const bool taken = lane < width && base + lane < size;
        const vertex own = taken ? members[base + lane] : vertex(0);
        const edge length = taken ? degree(own) : edge(0);
        visited += length;
        const bool hub = length >= HUB_DEGREE, divided = hub && uint64(length) > block_keys<Key, Total>();
        if (__any_sync(FULL_WARP, hub)) {
            defer_list(run, hub && !divided, own, 0, 1);
            defer_in_parts(run, divided, own, length, parts, part_edges(size));
        }
        const uint32 places = hub ? 0 : uint32(length);
        if (taken && !hub && places <= VOTED_ALONE) {
            const auto best = vote_alone<Key, Total>(own, places, ballots(own), choice);
            elect(own, best.voted, best.key);
        }
        __syncwarp(FULL_WARP);
        const bool longer = places > VOTED_ALONE, tabled = longer && places > VOTED_BY_LANES;
        vote_in_groups<8, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places <= 8), own, places, ballots,
                                      choice, elect);
        vote_in_groups<32, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places > 8), own, places, ballots,
                                       choice, elect);
        uint32 rows = __ballot_sync(FULL_WARP, tabled);
        if (rows != 0 && asked_to_stop(run)) { break; }
        for (; rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const vertex near = vertex(__shfl_sync(FULL_WARP, own, row));
            const edge edges = edge(__shfl_sync(FULL_WARP, places, row));
            const auto room = vote_room<Key, Total>(run.shared, threadIdx.x / 32, BLOCK_THREADS / 32);
            const auto winner = best_of<32>(vote_in_table(near, edges, lane, 32, ballots(near), room, table(near), choice, warp_pause()));
            if (lane == 0) { elect(near, winner.voted, winner.key); }
        }
    }
    count_visited(run, visited);
}

// piece: vote_hubs
// What `vote_warps` left of so many members: a block each, or in parts, of which blocks take as many as others.
// barriers: 4 if there are long lists, publishes chunks
template <class Key, class Total, class Degree, class Ballots, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_hubs(enactor& run, int64 largest_degree, uint64 members, Degree degree, Ballots ballots,
                                          Table table, Choice choice, Elect elect, hub_chunk* parts) {
    if (2 * largest_degree < int64(HUB_DEGREE)) { return; }
    const operator_counters* const counters = run.counters();
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->hubs, &counters->accepted);
    const uint64 lists = run.shared.found, divided = run.shared.found_second;
    if (divided > 0) {
        empty_parts(parts, divided, degree, table);
        synchronize(run);
        count_parts<Key, Total>(run.shared, parts, divided, ballots, table);
    }
    vote_blocks<Key, Total>(run, lists, degree, ballots, choice, elect);
    if (divided > 0) {
        synchronize(run);
        best_of_parts(run.shared, parts, divided, degree, table, choice);
        synchronize(run);
        elect_of_parts(parts, divided, degree, table, choice, elect, part_edges(members));
    }
}

// piece: vote_blocks
// The lists whose keys have room in what a block has of its own, a block each. Whoever is ready takes the next one:
// some are many times as long as others.
template <class Key, class Total, class Degree, class Ballots, class Choice, class Elect>
__device__ __forceinline__ void vote_blocks(enactor& run, uint64 lists, Degree degree, Ballots ballots, Choice choice,
                                            Elect elect) {
    const hub_chunk* const hubs = run.slice.hubs;
    uint64* const taken = &run.counters()->edges;
    const auto list = [&](uint64 i) { return i < lists ? hubs[i].vertex_id : vertex(0); };
    const auto places_of = [&](uint64 i, vertex near) { return i < lists ? degree(near) : edge(0); };
    // What the next lists need is on its way while the votes of one are counted.
    uint64 i = blockIdx.x, second = i + gridDim.x, third = second + gridDim.x;
    vertex near = list(i), next = list(second);
    edge places = places_of(i, near);
    while (i < lists) {
        const uint64 fourth = threadIdx.x == 0 ? 3 * gridDim.x + atomicAdd(taken, 1ull) : 0;
        const vertex after = list(third);
        const edge next_places = places_of(second, next);
        const auto room = vote_room<Key, Total>(run.shared, 0, 1);
        const auto best = vote_in_room(near, places, ballots(near), room, choice);
        if (threadIdx.x == 0) { run.shared.winners.next = fourth; }
        const auto winner = block_best(run.shared, best_of<32>(best));
        if (threadIdx.x == 0) { elect(near, winner.voted, winner.key); }
        near = next;
        places = next_places;
        next = after;
        i = second;
        second = third;
        third = run.shared.winners.next;
    }
}

// piece: block_keys
// How many keys have room in what a block has of its own.
template <class Key, class Total>
__device__ __forceinline__ constexpr uint64 block_keys() { return table_places<Key, Total>(VOTE_WORDS) / 4 * 3; }
