// piece: vote_warps
// For every member the best key of its ballots. A warp takes 32 members, or fewer where these are few: a thread counts
// the votes of a few edges, eight lanes those of up to 8 and the warp those of up to 32 in registers, a lane an edge, the
// warp those of more in a table, list after list; the longest lists are left to `vote_hubs`.
// `ballots(near)(place, key, weight)` says whether the edge at this place of the lists of `near` votes, and for what;
// `choice(near, key, total)` is the candidate that the votes for a key make; `elect(near, voted, key)` takes the result.
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
// The lists whose keys have room in what a block has of its own, a block each. Whoever is ready takes the next one: some
// are many times as long as others.
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

// piece: vote_parts
// Where the parts of lists stand, behind all long lists that there may be.
__device__ __forceinline__ hub_chunk* vote_parts(enactor& run, int64 num_edges) {
    return run.slice.hubs + 2 * uint64(num_edges) / HUB_DEGREE;
}

// piece: part_edges
// How many edges a part of a list has where so many members vote: of few the parts are smaller, so that all blocks have some.
__device__ __forceinline__ uint32 part_edges(uint64 members) { return members <= gridDim.x ? VOTE_PART_OF_FEW : VOTE_PART; }

// piece: defer_in_parts
// Leaves a lane's list for later, in parts of so many edges. The whole warp calls.
__device__ __forceinline__ void defer_in_parts(enactor& run, bool defer, vertex v, edge places, hub_chunk* parts, uint32 edges) {
    const uint32 deferring = __ballot_sync(FULL_WARP, defer);
    if (deferring == 0) { return; }
    note_chunks(&run.counters()->accepted, parts, deferring, v, 0, places, edges);
}

// piece: table_part
// The places of a list's table that go with a part of its edges: two for each edge, and one more behind the last.
struct table_part {
    uint64 first, last;
};
__device__ __forceinline__ table_part places_of_part(const hub_chunk& part, uint64 degree) {
    return {2 * uint64(part.first), 2 * uint64(part.last) + (uint64(part.last) == degree ? 1 : 0)};
}

// piece: empty_parts
// Empties the tables of lists in parts, each block as many places as others.
template <class Degree, class Table>
__device__ __forceinline__ void empty_parts(const hub_chunk* parts, uint64 count, Degree degree, Table table) {
    for (uint64 i = blockIdx.x; i < count; i += gridDim.x) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        const table_part places = places_of_part(part, degree(part.vertex_id));
        empty_votes(own, places.first + threadIdx.x, places.last, BLOCK_THREADS);
    }
}

// piece: count_parts
// Each part's votes are added up in what the block has of its own, then in the list's table.
template <class Key, class Total, class Ballots, class Table>
__device__ __forceinline__ void count_parts(block_storage& shared, const hub_chunk* parts, uint64 count, Ballots ballots,
                                            Table table) {
    for (uint64 i = blockIdx.x; i < count; i += gridDim.x) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        auto room = vote_room<Key, Total>(shared, 0, 1);
        room.size = minimum(room.size, 2 * uint64(part.last - part.first) + 1);
        empty_votes(room, threadIdx.x, room.size, BLOCK_THREADS);
        __syncthreads();
        count_votes(part.first + threadIdx.x, part.last, BLOCK_THREADS, ballots(part.vertex_id), room, SHARED_TRIES, own);
        __syncthreads();
        for (uint64 at = threadIdx.x; at < room.size; at += BLOCK_THREADS) {
            const Key found = load_relaxed(&room.keys[at]);
            if (found == Key(-1)) { continue; }
            count_vote<false>(own, at == 0 ? Key(-1) : found, load_relaxed(&room.totals[at]), own.size);
        }
        __syncthreads();  // the room is used again
    }
}

// piece: NO_PLACE
constexpr edge NO_PLACE = edge(-1);

// piece: best_of_parts
// The place in its list's table where the best candidate of a part of this stands is left in `last`.
template <class Degree, class Table, class Choice>
__device__ __forceinline__ void best_of_parts(block_storage& shared, hub_chunk* parts, uint64 count, Degree degree, Table table,
                                              Choice choice) {
    for (uint64 i = blockIdx.x; i < count; i += gridDim.x) {
        const hub_chunk part = parts[i];
        const auto own = table(part.vertex_id);
        const table_part places = places_of_part(part, degree(part.vertex_id));
        decltype(choice(part.vertex_id, own.keys[0], own.totals[0])) best = {};
        const uint64 at = best_in_table(part.vertex_id, own, places.first + threadIdx.x, places.last, BLOCK_THREADS, choice, best);
        const auto winner = block_best(shared, best_of<32>(best));
        // A key stands in one place.
        const bool own_one = winner.voted ? best.voted && best.key == winner.key : threadIdx.x == 0;
        if (own_one) { parts[i].last = winner.voted ? edge(at) : NO_PLACE; }
        __syncthreads();  // the winners may still be read
    }
}

// piece: elect_of_parts
// Elects the best of the candidates of a list's parts, which stand side by side; a warp takes a list.
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

// piece: vote_alone
// The best candidate of up to VOTED_ALONE edges, by one thread.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_alone(vertex near, uint32 places, const Vote& vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    Key key[VOTED_ALONE];
    Total total[VOTED_ALONE];
    bool votes[VOTED_ALONE];
#pragma unroll
    for (uint32 k = 0; k < VOTED_ALONE; ++k) { votes[k] = k < places && vote(edge(k), key[k], total[k]); }
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
template <uint32 lanes, class Key, class Total, class Ballots, class Choice, class Elect>
__device__ __forceinline__ void vote_in_groups(uint32 waiting, vertex near, uint32 places, Ballots ballots, Choice choice,
                                               Elect elect) {
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
        const auto winner = best_of<lanes>(vote_in_registers<lanes, Key, Total>(owned, active, rank, ballots(owned), choice));
        if (own != 0 && rank == 0) { elect(owned, winner.voted, winner.key); }
        __syncwarp(FULL_WARP);
    }
}

// piece: vote_in_registers
// The votes of edges that `lanes` lanes have, one each; the first lane of each key adds up and has a candidate.
template <uint32 lanes, class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_registers(vertex near, bool active, uint32 rank, const Vote& vote, Choice choice)
    -> decltype(choice(near, Key(), Total())) {
    const uint32 lane = lane_index(), group = (~0u >> (32 - lanes)) << (lane - rank);
    Key key = Key();
    Total total = Total();
    const bool votes = active && vote(edge(rank), key, total);
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
// The votes of any number of edges, by the threads `at` of `count` that pause together; each has the best candidate of
// its part of the tables. NO_KEY stands in a place that nobody took; its own votes have the first place, where 0 says so.
//
// A list that may have too many keys for `room` takes `table`, which has two places for each edge, for those that find
// no place in `room` after some looks. No place becomes empty again, so all votes for a key end in the same table.
template <class Key, class Total, class Vote, class Choice, class Pause>
__device__ __forceinline__ auto vote_in_table(vertex near, edge places, uint32 at, uint32 count, const Vote& vote,
                                              vote_table<Key, Total> room, const vote_table<Key, Total>& table,
                                              Choice choice, Pause pause) -> decltype(choice(near, Key(), Total())) {
    const bool fits = uint64(places) <= room.size / 4 * 3;
    if (fits) { room.size = minimum(room.size, 2 * uint64(places) + 1); }
    empty_votes(room, at, room.size, count);
    if (!fits) { empty_votes(table, at, table.size, count); }
    pause();
    count_votes(edge(at), places, count, vote, room, fits ? uint32(room.size) : SHARED_TRIES, table);
    pause();
    decltype(choice(near, Key(), Total())) best = {};
    best_in_table(near, room, at, room.size, count, choice, best);
    if (!fits) { best_in_table(near, table, at, table.size, count, choice, best); }
    pause();
    return best;
}

// piece: vote_in_room
// The same by a block, of a list whose keys have room in what it has of its own.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_room(vertex near, edge places, const Vote& vote, vote_table<Key, Total> room,
                                             Choice choice) -> decltype(choice(near, Key(), Total())) {
    room.size = minimum(room.size, 2 * uint64(places) + 1);
    empty_votes(room, threadIdx.x, room.size, BLOCK_THREADS);
    __syncthreads();
    count_votes(edge(threadIdx.x), places, BLOCK_THREADS, vote, room, uint32(room.size), room);
    __syncthreads();
    decltype(choice(near, Key(), Total())) best = {};
    best_in_table(near, room, threadIdx.x, room.size, BLOCK_THREADS, choice, best);
    return best;
}

// piece: count_votes
// Counts those of the places `at` and every `step` further, before `last`, in `room`, or in `table` where they find no
// place there after some tries.
template <class Key, class Total, class Vote>
__device__ __forceinline__ void count_votes(uint64 at, uint64 last, uint32 step, const Vote& vote,
                                            const vote_table<Key, Total>& room, uint32 tries,
                                            const vote_table<Key, Total>& table) {
    for (uint64 place = at; place < last; place += step) {
        Key key = Key();
        Total weight = Total();
        if (!vote(edge(place), key, weight)) { continue; }
        if (!count_vote<true>(room, key, weight, tries)) { count_vote<false>(table, key, weight, table.size); }
    }
}

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

// piece: table_places
// How many places have room in so many words.
template <class Key, class Total>
__device__ __forceinline__ constexpr uint32 table_places(uint32 words) {
    return words * 4 / (sizeof(Key) + sizeof(Total)) * 2;
}

// piece: vote_room
// What the block has of its own for votes, in `parts` of which the one is asked for.
template <class Key, class Total>
__device__ __forceinline__ vote_table<Key, Total> vote_room(block_storage& shared, uint32 part, uint32 parts) {
    const uint32 words = VOTE_WORDS / parts, size = table_places<Key, Total>(words);
    uint64* const own = shared.votes + part * words;
    return {reinterpret_cast<Key*>(own), reinterpret_cast<Total*>(reinterpret_cast<Key*>(own) + size), size};
}

// piece: empty_votes
// Empties the places `at` and every `step` further, before `last`.
template <class Key, class Total>
__device__ __forceinline__ void empty_votes(const vote_table<Key, Total>& table, uint64 at, uint64 last, uint32 step) {
    for (uint64 i = at; i < last; i += step) {
        store_relaxed(&table.keys[i], Key(-1));
        store_relaxed(&table.totals[i], Total(0));
    }
}

// piece: best_in_table
// Makes `best` the best candidate of itself and the places `at` and every `step` further, before `last`; returns the
// place of the best of these.
template <class Key, class Total, class Choice, class Best>
__device__ __forceinline__ uint64 best_in_table(vertex near, const vote_table<Key, Total>& table, uint64 at, uint64 last,
                                                uint32 step, Choice choice, Best& best) {
    uint64 place = 0;
#pragma unroll 1
    for (uint64 i = at; i < last; i += step) {
        const Key found = load_relaxed(&table.keys[i]);
        if (found == Key(-1)) { continue; }
        const auto candidate = choice(near, i == 0 ? Key(-1) : found, load_relaxed(&table.totals[i]));
        if (!beats(candidate, best)) { continue; }
        best = candidate;
        place = i;
    }
    return place;
}

// piece: count_vote
// Adds to the total of a key, in the first place from its own on that has this key or none; false if there is none among
// the first `tries`. `own`: the table lies in the block's own memory.
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
#pragma unroll UNROLLED
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

// piece: block_winners
// The candidates of a block's warps, in parts, and which list the block takes as the third from here.
struct block_winners {
    uint64 next;
    uint64 keys[32], scores[32];
    uint32 marks[32];
};

// piece: block_best
// The best of the candidates of a block's warps, in all threads. Between two calls all wait for each other.
template <class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> block_best(block_storage& shared, const candidate<Key, Score>& own) {
    block_winners& winners = shared.winners;
    if (lane_index() == 0) {
        winners.keys[threadIdx.x / 32] = bits_of<uint64>(padded<Key>{own.key});
        winners.scores[threadIdx.x / 32] = bits_of<uint64>(padded<Score>{own.score});
        winners.marks[threadIdx.x / 32] = uint32(own.voted) | uint32(own.kept) << 1;
    }
    __syncthreads();
    const uint32 warp = lane_index() % (BLOCK_THREADS / 32), marks = winners.marks[warp];
    candidate<Key, Score> best;
    best.key = bits_of<padded<Key>>(winners.keys[warp]).value;
    best.score = bits_of<padded<Score>>(winners.scores[warp]).value;
    best.voted = (marks & 1) != 0;
    best.kept = (marks & 2) != 0;
    return best_of<32>(best);
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
