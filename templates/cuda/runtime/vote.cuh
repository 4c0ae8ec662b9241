// piece: vote_warps
// For every member the best key of its ballots. A warp takes 32 members, and counts the votes of one after the other:
// those of up to 32 edges in registers, those of more in a table; the longest lists are left to `vote_hubs`.
// `vote(near, place, key, weight)` says whether the edge at this place of the lists of `near` votes, and for what;
// `choice(near, key, total)` is the candidate that the votes for a key make; `elect(near, voted, key)` takes the result.
template <class Key, class Total, class Members, class Degree, class Vote, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_warps(enactor& run, const Members& members, Degree degree, Vote vote, Table table,
                                           Choice choice, Elect elect) {
    const uint64 size = members.size();
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = warp_index() * 32; base < size && !asked_to_stop(run); base += grid_warps() * 32) {
        const bool taken = base + lane < size;
        const vertex own = taken ? members[base + lane] : vertex(0);
        const edge length = taken ? degree(own) : edge(0);
        visited += length;
        const bool hub = length >= HUB_DEGREE;
        defer_list(run, hub, own, 0, hub ? 1 : 0);
        for (uint32 rows = __ballot_sync(FULL_WARP, taken && !hub); rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const vertex near = vertex(__shfl_sync(FULL_WARP, own, row));
            const edge places = edge(__shfl_sync(FULL_WARP, length, row));
            const auto best = places <= 32 ? vote_in_registers<Key, Total>(near, places, vote, choice)
                                           : vote_in_table<Key, Total>(near, places, lane, 32, vote, table(near), choice, warp_pause());
            const auto winner = warp_best(best);
            if (lane == 0) { elect(near, winner.voted, winner.key); }
        }
    }
    count_visited(run, visited);
}

// piece: vote_hubs
// The members that `vote_warps` left, a block each.
template <class Key, class Total, class Degree, class Vote, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_hubs(enactor& run, int64 largest_degree, Degree degree, Vote vote, Table table,
                                          Choice choice, Elect elect) {
    if (2 * largest_degree < int64(HUB_DEGREE)) { return; }
    const uint64 hubs = synchronize_and_read(run, &run.counters()->hubs);
    for (uint64 i = blockIdx.x; i < hubs; i += gridDim.x) {
        const vertex near = run.slice.hubs[i].vertex_id;
        const auto best = vote_in_table<Key, Total>(near, degree(near), threadIdx.x, BLOCK_THREADS, vote, table(near), choice,
                                                    block_pause());
        const auto winner = block_best(run.shared, warp_best(best));
        if (threadIdx.x == 0) { elect(near, winner.voted, winner.key); }
    }
}

// piece: vote_in_registers
// The votes of up to 32 edges, a lane each; the first lane of each key has a candidate.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_registers(vertex near, edge places, Vote vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    const uint32 lane = lane_index();
    Key key = Key();
    Total weight = Total(), total = Total();
    const bool votes = lane < places && vote(near, edge(lane), key, weight);
    bool counted = false, first = false;
    for (uint32 rows = __ballot_sync(FULL_WARP, votes); rows != 0; rows &= rows - 1) {
        const uint32 row = __ffs(rows) - 1;
        const Key other = Key(__shfl_sync(FULL_WARP, key, row));
        const Total brought = Total(__shfl_sync(FULL_WARP, weight, row));
        if (votes && other == key) {
            total = counted ? sum(total, brought) : brought;
            first |= !counted && row == lane;
            counted = true;
        }
    }
    decltype(choice(near, Key(), Total())) best = {};
    if (first) { best = choice(near, key, total); }
    __syncwarp(FULL_WARP);
    return best;
}

// piece: vote_in_table
// The votes of any number of edges, by the threads `at` of `count` that pause together; each has the best candidate of
// its part of the table. NO_KEY stands in a place that nobody took; its own votes have the first place, where 0 says so.
template <class Key, class Total, class Vote, class Choice, class Pause>
__device__ __forceinline__ auto vote_in_table(vertex near, edge places, uint32 at, uint32 count, Vote vote,
                                              const vote_table<Key, Total>& table, Choice choice, Pause pause)
    -> decltype(choice(near, Key(), Total())) {
    const Key NO_KEY = Key(-1);
    for (uint64 i = at; i < table.size; i += count) {
        store_relaxed(&table.keys[i], NO_KEY);
        store_relaxed(&table.totals[i], Total(0));
    }
    pause();
    for (uint64 place = at; place < uint64(places); place += count) {
        Key key = Key();
        Total weight = Total();
        if (vote(near, edge(place), key, weight)) { count_vote(table, key, weight, NO_KEY); }
    }
    pause();
    decltype(choice(near, Key(), Total())) best = {};
    for (uint64 i = at; i < table.size; i += count) {
        const Key found = load_relaxed(&table.keys[i]);
        if (found == NO_KEY) { continue; }
        const auto candidate = choice(near, i == 0 ? NO_KEY : found, load_relaxed(&table.totals[i]));
        if (beats(candidate, best)) { best = candidate; }
    }
    pause();
    return best;
}

// piece: vote_table
// Places for keys and their totals; the first is that of the key that marks empty places.
template <class Key, class Total>
struct vote_table {
    Key* keys;
    Total* totals;
    uint64 size;
};

// piece: count_vote
// Adds to the total of a key, in the first place from its own on that has this key or none.
template <class Key, class Total>
__device__ __forceinline__ void count_vote(const vote_table<Key, Total>& table, Key key, Total weight, Key no_key) {
    uint64 place = 0;
    if (key == no_key) {
        store_relaxed(&table.keys[0], Key(0));
    } else {
        const uint64 places = table.size - 1;
        uint64 hash = uint64(key) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
        place = 1 + hash % places;
        while (true) {
            const Key found = load_relaxed(&table.keys[place]);
            if (found == key) { break; }
            if (found == no_key && exchange_word(&table.keys[place], no_key, key)) { break; }
            if (found != no_key || load_relaxed(&table.keys[place]) != key) {
                place = place < places ? place + 1 : 1;
                continue;
            }
            break;
        }
    }
    reduce_add(&table.totals[place], weight);
}

// piece: warp_best
// The best candidate of a warp, in all lanes.
template <class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> warp_best(candidate<Key, Score> own) {
    for (uint32 step = 16; step > 0; step /= 2) {
        candidate<Key, Score> other;
        other.key = Key(__shfl_xor_sync(FULL_WARP, own.key, step));
        other.score = Score(__shfl_xor_sync(FULL_WARP, own.score, step));
        other.voted = __shfl_xor_sync(FULL_WARP, uint32(own.voted), step) != 0;
        other.kept = __shfl_xor_sync(FULL_WARP, uint32(own.kept), step) != 0;
        if (beats(other, own)) { own = other; }
    }
    return own;
}

// piece: block_best
// The best of the candidates of a block's warps, in all threads.
template <class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> block_best(block_storage& shared, const candidate<Key, Score>& own) {
    candidate<Key, Score> best;
    best.key = of_warps(shared, own.key);
    best.score = of_warps(shared, own.score);
    const uint32 marks = of_warps(shared, uint32(own.voted) | uint32(own.kept) << 1);
    best.voted = (marks & 1) != 0;
    best.kept = (marks & 2) != 0;
    return warp_best(best);
}

// piece: of_warps
// The value of a block's warp number i in the lanes i of all warps; lanes without such a warp have that of another.
template <class T>
__device__ __forceinline__ T of_warps(block_storage& shared, T value) {
    __syncthreads();
    if (lane_index() == 0) { shared.partials[threadIdx.x / 32] = bits_of<uint64>(padded<T>{value}); }
    __syncthreads();
    return bits_of<padded<T>>(shared.partials[lane_index() % (blockDim.x / 32)]).value;
}

// piece: warp_pause
// All lanes of a warp wait for each other.
struct warp_pause {
    __device__ __forceinline__ void operator()() const { __syncwarp(FULL_WARP); }
};

// piece: block_pause
// All threads of a block wait for each other.
struct block_pause {
    __device__ __forceinline__ void operator()() const { __syncthreads(); }
};
