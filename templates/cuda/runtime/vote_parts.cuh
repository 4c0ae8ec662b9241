// piece: vote_parts
// The storage for parts of lists, after that for all possible long lists.
__device__ __forceinline__ hub_chunk* vote_parts(enactor& run, int64 num_edges) {
    return run.slice.hubs + 2 * uint64(num_edges) / HUB_DEGREE;
}

// piece: part_edges
// The edges in each part of a list. Parts are smaller if few members vote, so that all blocks have work.
__device__ __forceinline__ uint32 part_edges(uint64 members) { return members <= block_count() ? VOTE_PART_OF_FEW : VOTE_PART; }

// piece: defer_in_parts
// Defers a lane's list in parts of `edges` edges. The whole warp must call it.
__device__ __forceinline__ void defer_in_parts(enactor& run, bool defer, vertex v, edge places, hub_chunk* parts, uint32 edges) {
    const uint32 deferring = __ballot_sync(FULL_WARP, defer);
    if (deferring == 0) { return; }
    note_chunks(&run.counters()->accepted, parts, deferring, v, 0, places, edges);
}

// piece: table_part
// The slots of a list's table that belong to a part of its edges: two per edge, and one more after the last.
struct table_part {
    uint64 first, last;
};
__device__ __forceinline__ table_part places_of_part(const hub_chunk& part, uint64 places, uint64 size) {
    return {min(2 * uint64(part.first), size), uint64(part.last) == places ? size : min(2 * uint64(part.last), size)};
}

// piece: empty_parts
// Empties the tables of lists that are counted in parts, with equal numbers of slots for all blocks.
template <class Degree, class Table>
__device__ __forceinline__ void empty_parts(const hub_chunk* parts, uint64 count, Degree degree, Table table) {
    for (uint64 i = block_index(); i < count; i += block_count()) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        const table_part places = places_of_part(part, degree(part.vertex_id), own.size);
        empty_votes(own, places.first + threadIdx.x, places.last, BLOCK_THREADS);
    }
}

// piece: count_parts
// Adds up the votes of each part in shared memory, then in the list's table.
template <class Key, class Total, class Ballots, class Table>
__device__ __forceinline__ void count_parts(block_storage& shared, const hub_chunk* parts, uint64 count, Ballots ballots,
                                            Table table) {
    for (uint64 i = block_index(); i < count; i += block_count()) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        auto room = vote_room<Key, Total>(shared, 0, 1);
        room.size = min(room.size, 2 * uint64(part.last - part.first) + 1);
        empty_votes(room, threadIdx.x, room.size, BLOCK_THREADS);
        __syncthreads();
        count_votes(part.first + threadIdx.x, part.last, BLOCK_THREADS, ballots(part.vertex_id), room, own);
        __syncthreads();
        for (uint64 at = threadIdx.x; at < room.size; at += BLOCK_THREADS) {
            const Key key = load_relaxed(&room.keys[at]);
            if (key == Key(-1)) { continue; }
            count_vote(own, at == 0 ? Key(-1) : key, load_relaxed(&room.totals[at]));
        }
        __syncthreads();  // before the table in shared memory is reused
    }
}

// piece: NO_PLACE
constexpr edge NO_PLACE = edge(-1);

// piece: best_of_parts
// Stores in `last` the slot of the best candidate in a part of the list's table.
template <class Degree, class Table, class Choice>
__device__ __forceinline__ void best_of_parts(block_storage& shared, hub_chunk* parts, uint64 count, Degree degree, Table table,
                                              Choice choice) {
    for (uint64 i = block_index(); i < count; i += block_count()) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        const table_part places = places_of_part(part, degree(part.vertex_id), own.size);
        decltype(choice(part.vertex_id, own.keys[0], own.totals[0])) best = {};
        const uint64 at = best_in_table(part.vertex_id, own, places.first + threadIdx.x, places.last, BLOCK_THREADS, choice, best);
        const auto winner = block_best(shared, best_of<32>(best));
        // Each key has one slot.
        const bool own_one = winner.voted ? best.voted && best.key == winner.key : threadIdx.x == 0;
        if (own_one) { parts[i].last = winner.voted ? edge(at) : NO_PLACE; }
        __syncthreads();  // other threads may still read the winners
    }
}

// piece: elect_of_parts
// Elects the best candidate of a list's parts, which are adjacent, with one warp per list.
template <class Degree, class Table, class Choice, class Elect>
__device__ __forceinline__ void elect_of_parts(const hub_chunk* parts, uint64 count, Degree degree, Table table, Choice choice,
                                               Elect elect, uint32 edges) {
    for (uint64 i = warp_index(); i < count; i += grid_warps()) {
        if (parts[i].first != 0) { continue; }
        const vertex near = parts[i].vertex_id;
        const auto own = table(near);
        const uint64 last = i + (uint64(degree(near)) + edges - 1) / edges;
        decltype(choice(near, own.keys[0], own.totals[0])) best = {};
        for (uint64 part = i + lane_index(); part < last; part += 32) {
            const edge place = parts[part].last;
            if (place != NO_PLACE) { best_in_table(near, own, place, uint64(place) + 1, 1, choice, best); }
        }
        __syncwarp(FULL_WARP);
        const auto winner = best_of<32>(best);
        if (lane_index() == 0) { elect(near, winner.voted, winner.key); }
    }
}
