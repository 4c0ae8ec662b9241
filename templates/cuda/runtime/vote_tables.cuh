// piece: vote_in_table
// The votes of any number of edges, by the threads `at` of `count` that pause together; each has the best candidate of
// its part of the tables. A free place has NO_KEY; votes for that key itself are in the first place, where 0 means
// none.
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
// The same by a block, for a list whose keys fit in shared memory.
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
// The block's shared memory for votes, split into `parts`, of which one is returned.
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
// Adds to the total of a key, in the first place from its own on that has this key or none; false if there is none
// among the first `tries`. `own`: the table is in shared memory.
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
// Adds in shared memory. There an atomic sum of 64 bits is a loop in which only one of the threads that add to a word
// succeeds; of 32 bits there is an instruction, so the halves are added one by one, with what the lower carries.
template <class T>
__device__ __forceinline__ void add_in_block(T* x, T value) { reduce_add(x, value); }
__device__ __forceinline__ void add_in_block(int64* x, int64 value) {
    uint32* const halves = reinterpret_cast<uint32*>(x);
    const uint32 low = uint32(value), before = atomicAdd(&halves[0], low);
    const uint32 high = uint32(uint64(value) >> 32) + (before + low < before ? 1 : 0);
    if (high != 0) { atomicAdd(&halves[1], high); }
}
