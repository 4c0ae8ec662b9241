// piece: vote_warps
// For every member the best key of its ballots. A warp takes 32 members, or fewer where these are few: a thread counts
// the votes of a few edges, eight lanes those of up to 8 and the warp those of up to 32 in registers, a lane an edge, the
// warp those of more in a table, list after list; the longest lists are left to `vote_hubs`, in chunks.
// `vote(near, place, key, weight)` says whether the edge at this place of the lists of `near` votes, and for what;
// `choice(near, key, total)` is the candidate that the votes for a key make; `elect(near, voted, key)` takes the result.
template <class Key, class Total, class Members, class Degree, class Vote, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_warps(enactor& run, const Members& members, Degree degree, Vote vote, Table table,
                                           Choice choice, Elect elect) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_a_warp(size);
    uint64 visited = 0;
    __syncthreads();  // the tables lie where others of the block may still have something
    for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
        const bool taken = lane < width && base + lane < size;
        const vertex own = taken ? members[base + lane] : vertex(0);
        const edge length = taken ? degree(own) : edge(0);
        visited += length;
        const bool hub = length >= HUB_DEGREE;
        defer_list(run, hub, own, 0, length);
        const uint32 places = hub ? 0 : uint32(length);
        if (taken && !hub && places <= VOTED_ALONE) {
            const auto best = vote_alone<Key, Total>(own, places, vote, choice);
            elect(own, best.voted, best.key);
        }
        __syncwarp(FULL_WARP);
        const bool longer = places > VOTED_ALONE, tabled = longer && places > VOTED_BY_LANES;
        vote_in_groups<8, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places <= 8), own, places, vote, choice,
                                      elect);
        vote_in_groups<32, Key, Total>(__ballot_sync(FULL_WARP, longer && !tabled && places > 8), own, places, vote, choice,
                                       elect);
        uint32 rows = __ballot_sync(FULL_WARP, tabled);
        if (rows != 0 && asked_to_stop(run)) { break; }
        for (; rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const vertex near = vertex(__shfl_sync(FULL_WARP, own, row));
            const edge edges = edge(__shfl_sync(FULL_WARP, places, row));
            const auto room = vote_room<Key, Total>(run.shared);
            const auto winner = best_of<32>(vote_in_table(near, edges, vote, room, table(near), choice));
            if (lane == 0) { elect(near, winner.voted, winner.key); }
        }
    }
    count_visited(run, visited);
}

// piece: vote_hubs
// The members that `vote_warps` left, a warp a chunk of a list and of its table: however long a list is, all warps have
// as much to do. What waits for memory waits side by side, and nothing but the grid's barriers waits for others.
template <class Key, class Total, class Degree, class Vote, class Table, class Choice, class Elect>
__device__ __forceinline__ void vote_hubs(enactor& run, int64 largest_degree, Degree degree, Vote vote, Table table,
                                          Choice choice, Elect elect) {
    if (2 * largest_degree < int64(HUB_DEGREE)) { return; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    if (chunks == 0) { return; }
    const uint32 lane = lane_index();
    // The places of a chunk: two for each edge, and the list's last chunk has the one more that there is.
    const auto part_of = [&](const hub_chunk& chunk) {
        const auto whole = table(chunk.vertex_id);
        const uint64 first = 2 * uint64(chunk.first), last = chunk.last == degree(chunk.vertex_id) ? whole.size : 2 * uint64(chunk.last);
        return vote_table<Key, Total>{whole.keys + first, whole.totals + first, last - first};
    };
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) { empty_votes(part_of(run.slice.hubs[i])); }
    synchronize(run);
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) {
        const hub_chunk chunk = run.slice.hubs[i];
        const auto whole = table(chunk.vertex_id);
        count_votes<Key, Total>(chunk.vertex_id, chunk.first, chunk.last, vote,
                                [&](Key key, Total weight) { count_vote<false>(whole, key, weight, whole.size); });
    }
    synchronize(run);
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) {
        const hub_chunk chunk = run.slice.hubs[i];
        const uint64 first = 2 * uint64(chunk.first);
        decltype(choice(chunk.vertex_id, Key(), Total())) best = {};
        uint64 found = 0;
        best_in_table(chunk.vertex_id, part_of(chunk), first, choice, best, found);
        const auto winner = best_of<32>(best);
        __syncwarp(FULL_WARP);
        // Of the chunk nobody but this warp reads the end, and from here on it is the place of the winner.
        if (winner.voted ? best.voted && best.key == winner.key : lane == 0) {
            run.slice.hubs[i].last = winner.voted ? edge(found) : NO_EDGE;
        }
    }
    synchronize(run);
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) {
        if (run.slice.hubs[i].first != 0) { continue; }
        const vertex near = run.slice.hubs[i].vertex_id;
        const auto whole = table(near);
        const uint64 count = (uint64(degree(near)) + HUB_CHUNK - 1) / HUB_CHUNK;
        decltype(choice(near, Key(), Total())) best = {};
        for (uint64 k = lane; k < count; k += 32) {
            const edge place = run.slice.hubs[i + k].last;
            if (place == NO_EDGE) { continue; }
            const auto candidate = choice(near, place == 0 ? Key(-1) : whole.keys[place], whole.totals[place]);
            if (beats(candidate, best)) { best = candidate; }
        }
        __syncwarp(FULL_WARP);
        const auto winner = best_of<32>(best);
        if (lane == 0) { elect(near, winner.voted, winner.key); }
    }
}

// piece: vote_alone
// The best candidate of up to VOTED_ALONE edges, by one thread.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_alone(vertex near, uint32 places, Vote vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    Key key[VOTED_ALONE];
    Total total[VOTED_ALONE];
    bool votes[VOTED_ALONE];
#pragma unroll
    for (uint32 k = 0; k < VOTED_ALONE; ++k) { votes[k] = k < places && vote(near, edge(k), key[k], total[k]); }
#pragma unroll
    for (uint32 k = 1; k < VOTED_ALONE; ++k) {
#pragma unroll
        for (uint32 first = 0; first < k; ++first) {
            if (!votes[k] || !votes[first] || key[k] != key[first]) { continue; }
            total[first] = sum(total[first], total[k]);
            votes[k] = false;
        }
    }
    decltype(choice(near, Key(), Total())) best = {};
#pragma unroll
    for (uint32 k = 0; k < VOTED_ALONE; ++k) {
        if (!votes[k]) { continue; }
        const auto candidate = choice(near, key[k], total[k]);
        if (beats(candidate, best)) { best = candidate; }
    }
    return best;
}

// piece: vote_in_groups
// The lists of the lanes in `waiting`, each by `lanes` lanes side by side, which have an edge at most; as many at a time
// as a warp has room for. The whole warp calls.
template <uint32 lanes, class Key, class Total, class Vote, class Choice, class Elect>
__device__ __forceinline__ void vote_in_groups(uint32 waiting, vertex near, uint32 places, Vote vote, Choice choice, Elect elect) {
    const uint32 lane = lane_index(), group = lane / lanes, rank = lane % lanes;
    while (waiting != 0) {
        uint32 own = waiting;
#pragma unroll
        for (uint32 i = 0; i < 32 / lanes; ++i) {
            if (i < group) { own &= own - 1; }
            waiting &= waiting - 1;
        }
        const uint32 owner = own != 0 ? __ffs(own) - 1 : lane;
        const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        const uint32 length = __shfl_sync(FULL_WARP, places, owner);
        const bool active = own != 0 && rank < length;
        const auto winner = best_of<lanes>(vote_in_registers<lanes, Key, Total>(owned, active, rank, vote, choice));
        if (own != 0 && rank == 0) { elect(owned, winner.voted, winner.key); }
        __syncwarp(FULL_WARP);
    }
}

// piece: vote_in_registers
// The votes of edges that `lanes` lanes have, one each; the first lane of each key adds up and has a candidate.
template <uint32 lanes, class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_registers(vertex near, bool active, uint32 rank, Vote vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    const uint32 lane = lane_index(), group = (~0u >> (32 - lanes)) << (lane - rank);
    Key key = Key();
    Total total = Total();
    const bool votes = active && vote(near, edge(rank), key, total);
    const Total weight = total;
    __syncwarp(FULL_WARP);
    typedef typename word_of_size<sizeof(Key)>::type word;
    const uint32 alike = __match_any_sync(FULL_WARP, word(key)) & __ballot_sync(FULL_WARP, votes) & group;
    const bool first = votes && uint32(__ffs(alike)) == lane + 1;
    for (uint32 others = first ? alike & (alike - 1) : 0; __any_sync(FULL_WARP, others != 0); others &= others - 1) {
        const Total brought = shuffle(weight, others != 0 ? __ffs(others) - 1 : lane);
        if (others != 0) { total = sum(total, brought); }
    }
    decltype(choice(near, Key(), Total())) best = {};
    if (first) { best = choice(near, key, total); }
    __syncwarp(FULL_WARP);
    return best;
}

// piece: vote_in_table
// The votes of any number of edges, by a warp; each lane has the best candidate of its part of the tables.
//
// A list that may have too many keys for `room` takes `table`, which has two places for each edge, for those that find
// no place in `room` after some looks. No place becomes empty again, so all votes for a key end in the same table.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_table(vertex near, edge places, Vote vote, vote_table<Key, Total> room,
                                              const vote_table<Key, Total>& table, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    const bool fits = uint64(places) < room.size / 4 * 3;
    if (fits) { room.size = minimum(room.size, 2 * uint64(places) + 1); }
    empty_votes(room);
    if (!fits) { empty_votes(table); }
    __syncwarp(FULL_WARP);
    const uint64 tries = fits ? room.size : SHARED_TRIES;
    count_votes<Key, Total>(near, 0, places, vote, [&](Key key, Total weight) {
        if (!count_vote<true>(room, key, weight, tries)) { count_vote<false>(table, key, weight, table.size); }
    });
    __syncwarp(FULL_WARP);
    decltype(choice(near, Key(), Total())) best = {};
    uint64 found = 0;
    best_in_table(near, room, 0, choice, best, found);
    if (!fits) { best_in_table(near, table, 0, choice, best, found); }
    __syncwarp(FULL_WARP);
    return best;
}

// piece: count_votes
// `count` for each vote of the edges from `first` to `last` of a list, by a warp.
template <class Key, class Total, class Vote, class Count>
__device__ __forceinline__ void count_votes(vertex near, edge first, edge last, Vote vote, Count count) {
    for (uint64 next = uint64(first) + lane_index(); next < uint64(last); next += 32 * VOTES_AT_ONCE) {
        Key key[VOTES_AT_ONCE];
        Total weight[VOTES_AT_ONCE];
        bool votes[VOTES_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < VOTES_AT_ONCE; ++k) {
            const uint64 place = next + k * 32;
            votes[k] = place < uint64(last) && vote(near, edge(place), key[k], weight[k]);
        }
#pragma unroll
        for (uint32 k = 0; k < VOTES_AT_ONCE; ++k) {
            if (votes[k]) { count(key[k], weight[k]); }
        }
    }
}

// piece: VOTES_AT_ONCE
// Edges that a lane looks at side by side.
constexpr uint32 VOTES_AT_ONCE = 4;

// piece: PLACES_AT_ONCE
// Places of a table that a lane looks at side by side.
constexpr uint32 PLACES_AT_ONCE = 2;

// piece: SHARED_TRIES
constexpr uint32 SHARED_TRIES = 8;

// piece: vote_table
// Places for keys and their totals; the first is that of the key that marks empty places.
template <class Key, class Total>
struct vote_table {
    Key* keys;
    Total* totals;
    uint64 size;
};

// piece: vote_room
// What a warp has of its block's own memory for votes.
template <class Key, class Total>
__device__ __forceinline__ vote_table<Key, Total> vote_room(block_storage& shared) {
    constexpr uint32 words = VOTE_WORDS * 32 / BLOCK_THREADS, size = words * 4 / (sizeof(Key) + sizeof(Total)) * 2;
    uint64* const own = shared.votes + threadIdx.x / 32 * words;
    return {reinterpret_cast<Key*>(own), reinterpret_cast<Total*>(reinterpret_cast<Key*>(own) + size), size};
}

// piece: empty_votes
template <class Key, class Total>
__device__ __forceinline__ void empty_votes(const vote_table<Key, Total>& table) {
    for (uint64 i = lane_index(); i < table.size; i += 32) {
        store_relaxed(&table.keys[i], Key(-1));
        store_relaxed(&table.totals[i], Total(0));
    }
}

// piece: best_in_table
// Makes `best` the best candidate of itself and every 32nd place from this lane's on, and `found` its place; the first
// place of the part that is given is number `first`.
template <class Key, class Total, class Choice, class Best>
__device__ __forceinline__ void best_in_table(vertex near, const vote_table<Key, Total>& part, uint64 first, Choice choice,
                                              Best& best, uint64& found) {
    for (uint64 next = lane_index(); next < part.size; next += 32 * PLACES_AT_ONCE) {
        Key key[PLACES_AT_ONCE];
        Total total[PLACES_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < PLACES_AT_ONCE; ++k) {
            const uint64 i = next + 32 * k;
            key[k] = i < part.size ? load_relaxed(&part.keys[i]) : Key(-1);
            total[k] = i < part.size ? load_relaxed(&part.totals[i]) : Total(0);
        }
#pragma unroll
        for (uint32 k = 0; k < PLACES_AT_ONCE; ++k) {
            if (key[k] == Key(-1)) { continue; }
            const uint64 place = first + next + 32 * k;
            const auto candidate = choice(near, place == 0 ? Key(-1) : key[k], total[k]);
            if (!beats(candidate, best)) { continue; }
            best = candidate;
            found = place;
        }
    }
}

// piece: count_vote
// Adds to the total of a key, in the first place from its own on that has this key or none; false if there is none among
// the first `tries`. `own`: the table is the warp's.
template <bool own, class Key, class Total>
__device__ __forceinline__ bool count_vote(const vote_table<Key, Total>& table, Key key, Total weight, uint64 tries) {
    const Key NO_KEY = Key(-1);
    uint64 place = 0;
    if (key == NO_KEY) {
        store_relaxed(&table.keys[0], Key(0));
    } else {
        const uint64 places = table.size - 1;
        place = 1 + ((uint64(key) * 0x9e3779b97f4a7c15ull >> 32) * places >> 32);
        for (uint64 tried = 0; true; ++tried) {
            if (tried == tries) { return false; }
            const Key found = load_relaxed(&table.keys[place]);
            if (found == key) { break; }
            if (found == NO_KEY && exchange_word(&table.keys[place], NO_KEY, key)) { break; }
            if (found == NO_KEY && load_relaxed(&table.keys[place]) == key) { break; }
            place = place < places ? place + 1 : 1;
        }
    }
    if (own) {
        add_in_block(&table.totals[place], weight);
    } else {
        reduce_add(&table.totals[place], weight);
    }
    return true;
}

// piece: add_in_block
// Adds in a block's own memory. There an atomic sum of 64 bits is a loop in which all but one of those who add to one
// word come in vain; of 32 bits there is an instruction, so the halves are added one by one, with what the lower carries.
template <class T>
__device__ __forceinline__ void add_in_block(T* x, T value) { reduce_add(x, value); }
__device__ __forceinline__ void add_in_block(int64* x, int64 value) {
    uint32* const halves = reinterpret_cast<uint32*>(x);
    const uint32 low = uint32(value), before = atomicAdd(&halves[0], low);
    const uint32 high = uint32(uint64(value) >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) { atomicAdd(&halves[1], high); }
}

// piece: best_of
// The best candidate of `lanes` lanes that stand side by side, in all of them.
template <uint32 lanes, class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> best_of(candidate<Key, Score> own) {
#pragma unroll
    for (uint32 step = lanes / 2; step > 0; step /= 2) {
        candidate<Key, Score> other;
        other.key = Key(__shfl_xor_sync(FULL_WARP, own.key, step));
        other.score = Score(__shfl_xor_sync(FULL_WARP, own.score, step));
        const uint32 marks = __shfl_xor_sync(FULL_WARP, uint32(own.voted) | uint32(own.kept) << 1, step);
        other.voted = (marks & 1) != 0;
        other.kept = (marks & 2) != 0;
        if (beats(other, own)) { own = other; }
    }
    return own;
}
