// piece: vote_warps
// Finds the best key of every member's ballots. Each warp takes up to 32 members. Up to VOTED_ALONE edges are counted
// by one thread. Up to 8, 16 and 32 edges are counted by as many lanes, one edge per lane, in registers.
// For more edges the warp counts in a table, one list after another. The longest lists are deferred to `vote_hubs`.
// `ballots(near)(place, key, weight)` returns whether the edge at this place in the lists of `near` votes, and sets its
// key and weight; `choice(near, key, total)` makes a candidate of the votes for a key; `elect(near, voted, key)`
// receives the result. Lists have `more` places than edges.
template <class Key, class Total, uint32 more, class Members, class Degree, class Ballots, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_warps(enactor& run, const Members& members, Degree degree, Ballots ballots, Table table,
                                           Choice choice, Elect elect, hub_chunk* parts) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_per_warp(size);
    uint64 visited = 0;
    const auto room = vote_room<Key, Total>(run.shared, threadIdx.x / 32, BLOCK_THREADS / 32);
    __syncthreads();  // the tables share memory with data that other threads may still use
    empty_votes(room, lane, room.size, 32);
    __syncwarp(FULL_WARP);
    for (uint64 base = turn_base(size, width); base < size; base += grid_warps() * width) {
        const bool has_member = lane < width && base + lane < size;
        const vertex own = has_member ? members[base + lane] : vertex(0);
        const edge length = has_member ? degree(own) : edge(0);
        visited += length;
        const bool hub = length >= HUB_DEGREE, divided = hub && uint64(length) + more > block_keys<Key, Total>();
        if (__any_sync(FULL_WARP, hub)) {
            defer_list(run, hub && !divided, own, 0, 1);
            defer_in_parts(run, divided, own, length + more, parts, part_edges(size));
        }
        const uint32 places = hub || !has_member ? 0 : uint32(length) + more;
        if (has_member && !hub && places <= VOTED_ALONE + more) {
            const auto best = vote_alone<VOTED_ALONE + more, Key, Total>(own, places, ballots(own), choice);
            elect(own, best.voted, best.key);
        }
        __syncwarp(FULL_WARP);
        const bool longer = places > VOTED_ALONE + more, tabled = longer && places > VOTED_BY_LANES;
        vote_in_groups<8, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places <= 8), own, places, ballots,
                                      choice, elect);
        vote_in_groups<16, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places > 8 && places <= 16), own, places,
                                       ballots, choice, elect);
        vote_in_groups<32, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places > 16), own, places, ballots,
                                       choice, elect);
        uint32 rows = __ballot_sync(FULL_WARP, tabled);
        if (rows != 0 && warp_stop_requested(run)) { break; }
        for (; rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const vertex near = vertex(__shfl_sync(FULL_WARP, own, row));
            const edge edges = edge(__shfl_sync(FULL_WARP, places, row));
            const bool fits = uint64(edges) < room.size;
            const auto winner = best_of<32>(
                fits ? vote_in_room<(HUB_DEGREE + more + 30) / 32>(near, edges, lane, 32, ballots(near), room, choice, warp_pause())
                     : vote_in_table(near, edges, ballots(near), table(near), choice));
            if (lane == 0) { elect(near, winner.voted, winner.key); }
            __syncwarp(FULL_WARP);  // the room is empty again
        }
    }
    count_visited(run, visited);
}

// piece: vote_hubs
// Counts the lists that `vote_warps` deferred, one block per list, or in parts that are spread evenly over the blocks.
// barriers: 4 if there are long lists, publishes chunks
template <class Key, class Total, class Degree, class Ballots, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_hubs(enactor& run, int64 largest_degree, uint64 members, Degree degree, Ballots ballots,
                                          Table table, Choice choice, Elect elect, hub_chunk* parts) {
    if (2 * largest_degree < int64(HUB_DEGREE)) { return; }
    const operator_counters* const counters = run.counters();
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->hubs, &counters->accepted);
    const uint64 lists = run.shared.value, divided = run.shared.second_value;
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
// Counts the lists whose keys fit in a block's shared memory, one block per list. Lists differ greatly in length, so
// each block takes the next list when it is ready.
template <class Key, class Total, class Degree, class Ballots, class Choice, class Elect>
__device__ __forceinline__ void vote_blocks(enactor& run, uint64 lists, Degree degree, Ballots ballots, Choice choice,
                                            Elect elect) {
    const hub_chunk* const hubs = run.slice.hubs;
    uint64* const next_list = &run.counters()->edges;
    const auto list = [&](uint64 i) { return i < lists ? hubs[i].vertex_id : vertex(0); };
    const auto places_of = [&](uint64 i, vertex near) { return i < lists ? degree(near) : edge(0); };
    // Loads for the next lists overlap with counting the votes of this one.
    uint64 i = block_index(), second = i + block_count(), third = second + block_count();
    vertex near = list(i), next = list(second);
    edge places = places_of(i, near);
    constexpr uint32 rows = (block_keys<Key, Total>() + BLOCK_THREADS - 1) / BLOCK_THREADS;
    const auto room = vote_room<Key, Total>(run.shared, 0, 1);
    if (i < lists) {
        __syncthreads();  // until nobody uses what other tables had there
        empty_votes(room, threadIdx.x, room.size, BLOCK_THREADS);
        __syncthreads();
    }
    while (i < lists) {
        const uint64 fourth = threadIdx.x == 0 ? 3 * block_count() + atomicAdd_grid(next_list, 1ull) : 0;
        const vertex after = list(third);
        const edge next_places = places_of(second, next);
        const auto best = vote_in_room<rows>(near, places, threadIdx.x, BLOCK_THREADS, ballots(near), room, choice, block_pause());
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
// How many keys fit in a block's shared memory.
template <class Key, class Total>
__device__ __forceinline__ constexpr uint64 block_keys() { return table_places<Key, Total>(VOTE_WORDS) / 4 * 3; }
