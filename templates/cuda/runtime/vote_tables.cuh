// piece: vote_in_table
//
// Counts the votes of any number of edges by `count` threads, of which this is number `at`; `pause` synchronizes them.
// Each thread returns the best candidate of its part of the tables. A free slot has NO_KEY; votes for that key itself
// use the first slot, where 0 means none.
//
// A list with possibly more keys than fit in `room` also uses `table`, with two slots per edge, for keys that have no
// slot in `room` after a few probes. Slots are never freed, so all votes for a key are in the same table.
template <class Key, class Total, class Vote, class Choice, class Pause>
__device__ __forceinline__ auto vote_in_table(vertex near, edge places, uint32 at, uint32 count, const Vote& vote,
                                              vote_table<Key, Total> room, const vote_table<Key, Total>& table,
                                              Choice choice, Pause pause) -> decltype(choice(near, Key(), Total())) {
    const bool fits = uint64(places) <= room.size / 4 * 3;
    if (fits) { room.size = min(room.size, 2 * uint64(places) + 1); }
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
// The same by a block, for a list whose keys fit in shared memory.
template <class Key, class Total, class Vote, class Choice>
__device__ __forceinline__ auto vote_in_room(vertex near, edge places, const Vote& vote, vote_table<Key, Total> room,
                                             Choice choice) -> decltype(choice(near, Key(), Total())) {
    room.size = min(room.size, 2 * uint64(places) + 1);
    empty_votes(room, threadIdx.x, room.size, BLOCK_THREADS);
    __syncthreads();
    count_votes(edge(threadIdx.x), places, BLOCK_THREADS, vote, room, uint32(room.size), room);
    __syncthreads();
    decltype(choice(near, Key(), Total())) best = {};
    best_in_table(near, room, threadIdx.x, room.size, BLOCK_THREADS, choice, best);
    return best;
}

// piece: count_votes
// Counts the votes at the places `at`, `at + step`, … before `last`, in `room`, or in `table` if no slot in `room` is
// found after some probes.
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

// piece: count_vote
// Adds a vote to the total of its key, in the first slot from its hash on that has this key or is free. Returns false
// if the first `tries` slots have other keys. `own`: the table is in shared memory.
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
            const Key stored = load_relaxed(&table.keys[place]);
            if (stored == key) { break; }
            if (stored == NO_KEY && exchange_word(&table.keys[place], NO_KEY, key)) { break; }
            if (stored == NO_KEY && load_relaxed(&table.keys[place]) == key) { break; }
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
// Adds in shared memory, where a 64-bit atomic addition is a compare-and-swap loop. 32-bit additions are single
// instructions, so the two halves are added one by one, with the carry.
template <class T>
__device__ __forceinline__ void add_in_block(T* x, T value) { reduce_add(x, value); }
__device__ __forceinline__ void add_in_block(int64* x, int64 value) {
    uint32* const halves = reinterpret_cast<uint32*>(x);
    const uint32 low = uint32(value), before = atomicAdd(&halves[0], low);
    const uint32 high = uint32(uint64(value) >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) { atomicAdd(&halves[1], high); }
}
