// piece: vote_in_table
// Counts the votes of any number of edges by the lanes of a warp in a table in memory. A free slot has NO_KEY; votes for
// that key itself use the first slot, where 0 means none. Each lane returns the best candidate of its part.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_table(vertex near, edge places, const Vote& vote, const vote_table<Key, Total>& table,
                                              Choice choice) -> decltype(choice(near, Key(), Total())) {
    const uint32 lane = lane_index();
    empty_votes(table, lane, table.size, 32);
    __syncwarp(FULL_WARP);
    for (uint64 place = lane; place < places; place += 32) {
        Key key = Key();
        Total weight = Total();
        if (vote(edge(place), key, weight)) { count_vote(table, key, weight); }
    }
    __syncwarp(FULL_WARP);
    decltype(choice(near, Key(), Total())) best = {};
    best_in_table(near, table, lane, table.size, 32, choice, best);
    __syncwarp(FULL_WARP);
    return best;
}

// piece: vote_in_room
// The same in shared memory, for lists whose keys fit, by `count` threads, of which this is number `at`; `pause`
// synchronizes them. The thread whose vote is the first for a key looks at its total and frees its slot, so that `room`
// is empty again once the threads have been synchronized. Each thread has at most `rows` edges.
template <uint32 rows, class Key, class Total, class Vote, class Choice, class Pause>
__device__ __forceinline__ auto vote_in_room(vertex near, edge places, uint32 at, uint32 count, const Vote& vote,
                                             const vote_table<Key, Total>& room, Choice choice, Pause pause)
    -> decltype(choice(near, Key(), Total())) {
    slots_of_thread<rows> own = {};
    for (uint64 place = at; place < places; place += count) {
        Key key = Key();
        Total weight = Total();
        bool is_new = false;
        uint32 slot = 0;
        if (vote(edge(place), key, weight)) { slot = count_in_room(room, key, weight, ~0u, is_new); }
        if (is_new) { own.push(slot); }
    }
    pause();
    decltype(choice(near, Key(), Total())) best = {};
    while (own.any()) {
        const uint32 slot = own.pop();
        const Key key = slot == 0 ? Key(-1) : load_in_block(&room.keys[slot]);
        const auto candidate = choice(near, key, load_in_block(&room.totals[slot]));
        if (beats(candidate, best)) { best = candidate; }
        store_in_block(&room.keys[slot], Key(-1));
        store_in_block(&room.totals[slot], Total(0));
    }
    return best;
}

// piece: slots_of_thread
// Up to `most` slots of a table in shared memory, 16 bits each, plus 1.
template <uint32 most>
struct slots_of_thread {
    static constexpr uint32 WORDS = (most + 3) / 4;
    uint64 words[WORDS];

    __device__ __forceinline__ bool any() const { return words[0] != 0; }
    __device__ __forceinline__ void push(uint32 slot) {
#pragma unroll
        for (uint32 k = WORDS - 1; k > 0; --k) { words[k] = words[k] << 16 | words[k - 1] >> 48; }
        words[0] = words[0] << 16 | (slot + 1);
    }
    __device__ __forceinline__ uint32 pop() {
        const uint32 slot = uint32(words[0] & 0xffff) - 1;
#pragma unroll
        for (uint32 k = 0; k < WORDS; ++k) { words[k] = words[k] >> 16 | (k + 1 < WORDS ? words[k + 1] << 48 : 0); }
        return slot;
    }
};

// piece: count_votes
// Counts the votes at the places `at`, `at + step`, … before `last`, in `room`, or in `table` if no slot in `room` is
// found after some probes. Slots are never freed meanwhile, so all votes for a key are in the same table.
template <class Key, class Total, class Vote>
__device__ __forceinline__ void count_votes(uint64 at, uint64 last, uint32 step, const Vote& vote,
                                            const vote_table<Key, Total>& room, const vote_table<Key, Total>& table) {
    for (uint64 place = at; place < last; place += step) {
        Key key = Key();
        Total weight = Total();
        bool is_new = false;
        if (!vote(edge(place), key, weight)) { continue; }
        if (count_in_room(room, key, weight, SHARED_TRIES, is_new) == room.size) { count_vote(table, key, weight); }
    }
}

// piece: SHARED_TRIES
constexpr uint32 SHARED_TRIES = 8;

// piece: vote_table
// Slots for keys and totals. The first slot is reserved for the key that marks free slots.
template <class Key, class Total>
struct vote_table {
    Key* keys;
    Total* totals;
    uint64 size;
};

// piece: table_places
// How many slots fit in `words` words.
template <class Key, class Total>
__device__ __forceinline__ constexpr uint32 table_places(uint32 words) {
    return words * 4 / (sizeof(Key) + sizeof(Total)) * 2;
}

// piece: vote_room
// One of `parts` equal parts of the block's shared memory for votes.
template <class Key, class Total>
__device__ __forceinline__ vote_table<Key, Total> vote_room(block_storage& shared, uint32 part, uint32 parts) {
    const uint32 words = VOTE_WORDS / parts, size = table_places<Key, Total>(words);
    uint64* const own = shared.votes + part * words;
    return {reinterpret_cast<Key*>(own), reinterpret_cast<Total*>(reinterpret_cast<Key*>(own) + size), size};
}

// piece: empty_votes
// Empties the slots `at`, `at + step`, … before `last`.
template <class Key, class Total>
__device__ __forceinline__ void empty_votes(const vote_table<Key, Total>& table, uint64 at, uint64 last, uint32 step) {
    for (uint64 i = at; i < last; i += step) {
        store_relaxed(&table.keys[i], Key(-1));
        store_relaxed(&table.totals[i], Total(0));
    }
}

// piece: best_in_table
// Updates `best` with the candidates in the slots `at`, `at + step`, … before `last`. Returns the slot of the new best
// candidate.
template <class Key, class Total, class Choice, class Best>
__device__ __forceinline__ uint64 best_in_table(vertex near, const vote_table<Key, Total>& table, uint64 at, uint64 last,
                                                uint32 step, Choice choice, Best& best) {
    uint64 place = 0;
#pragma unroll 1
    for (uint64 i = at; i < last; i += step) {
        const Key stored = load_relaxed(&table.keys[i]);
        if (stored == Key(-1)) { continue; }
        const auto candidate = choice(near, i == 0 ? Key(-1) : stored, load_relaxed(&table.totals[i]));
        if (!beats(candidate, best)) { continue; }
        best = candidate;
        place = i;
    }
    return place;
}

// piece: first_slot
// The slot from which a key is looked for, of those behind the first.
template <class Key>
__device__ __forceinline__ uint64 first_slot(Key key, uint64 size) {
    if constexpr (sizeof(Key) == 4) { return 1 + (uint64(uint32(key) * 0x9e3779b9u) * (size - 1) >> 32); }
    return 1 + ((uint64(key) * 0x9e3779b97f4a7c15ull >> 32) * (size - 1) >> 32);
}

// piece: count_vote
// Adds a vote to the total of its key, in the first slot from its hash on that has this key or is free.
template <class Key, class Total>
__device__ __forceinline__ void count_vote(const vote_table<Key, Total>& table, Key key, Total weight) {
    const Key NO_KEY = Key(-1);
    uint64 slot = 0;
    if (key == NO_KEY) {
        store_relaxed(&table.keys[0], Key(0));
    } else {
        slot = first_slot(key, table.size);
        while (true) {
            const Key stored = load_relaxed(&table.keys[slot]);
            if (stored == key) { break; }
            if (stored == NO_KEY && exchange_word(&table.keys[slot], NO_KEY, key)) { break; }
            if (stored == NO_KEY && load_relaxed(&table.keys[slot]) == key) { break; }
            slot = slot + 1 < table.size ? slot + 1 : 1;
        }
    }
    reduce_add(&table.totals[slot], weight);
}

// piece: count_in_room
// The same in shared memory: returns the slot, and whether the vote is the first for its key; the size of the table, and
// adds nothing, if the first `tries` slots have other keys.
template <class Key, class Total>
__device__ __forceinline__ uint32 count_in_room(const vote_table<Key, Total>& room, Key key, Total weight, uint32 tries,
                                                bool& is_new) {
    const Key NO_KEY = Key(-1);
    const uint32 size = uint32(room.size);
    uint32 slot = 0;
    if (key == NO_KEY) {
        is_new = swap_in_block(&room.keys[0], NO_KEY, Key(0)) == NO_KEY;
    } else {
        slot = uint32(first_slot(key, size));
        for (uint32 tried = 0; true; ++tried) {
            if (tried == tries) { return size; }
            Key stored = load_in_block(&room.keys[slot]);
            if (stored == NO_KEY) {
                stored = swap_in_block(&room.keys[slot], NO_KEY, key);
                is_new = stored == NO_KEY;
            }
            if (is_new || stored == key) { break; }
            slot = slot + 1 < size ? slot + 1 : 1;
        }
    }
    add_in_block(&room.totals[slot], weight);
    return slot;
}

// piece: add_in_block
// Adds in shared memory, where a 64-bit atomic addition is a compare-and-swap loop. 32-bit additions are single
// instructions, so the two halves are added one by one, with the carry.
template <class T>
__device__ __forceinline__ void add_in_block(T* x, T value) { reduce_add(x, value); }
__device__ __forceinline__ void add_in_block(int64* x, int64 value) {
    uint32* const halves = reinterpret_cast<uint32*>(x);
    const uint32 low = uint32(value), before = add_word_in_block(&halves[0], low);
    const uint32 high = uint32(uint64(value) >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) { add_word_in_block(&halves[1], high); }
}
