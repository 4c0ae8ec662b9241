// piece: stretch_of_block
// The elements, of `count`, that this block takes where `blocks` of them share them in stretches of whole tiles: none
// where there are fewer tiles than blocks.
struct stretch {
    uint64 first, last;
};
__device__ __forceinline__ stretch stretch_of_block(uint64 count, uint64 blocks) {
    const uint64 tiles = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
    const uint64 length = (tiles + blocks - 1) / blocks * BLOCK_THREADS;
    const uint64 first = minimum(blockIdx.x * length, count);
    return stretch{first, minimum(first + length, count)};
}

// piece: block_sum
// The sum of the values of all threads of the block, for each of them. Everybody takes part.
__device__ __forceinline__ uint64 block_sum(block_storage& shared, uint64 value) {
    value = warp_sum(value);
    __syncthreads();
    if (lane_index() == 0) { shared.partials[threadIdx.x / 32] = value; }
    __syncthreads();
    uint64 sum = 0;
    for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { sum += shared.partials[warp]; }
    return sum;
}

// piece: running_sums
// `values` become at each place the sum of all up to it; in `totals` there is room for as many. Each block adds up a
// stretch, and then begins with what the stretches before it have. It begins and ends with a barrier.
// Called and not copied, as all that is done with whole arrays on the way to a graph.
// barriers: 3
__device__ __noinline__ const edge* running_sums(enactor& run, edge* values, edge* totals, uint64 count) {
    synchronize(run);
    const stretch own = stretch_of_block(count, gridDim.x);
    uint64 sum = 0;
    for (uint64 i = own.first + threadIdx.x; i < own.last; i += BLOCK_THREADS) { sum += values[i]; }
    sum = block_sum(run.shared, sum);
    if (threadIdx.x == 0 && own.first < own.last) { totals[blockIdx.x] = edge(sum); }
    synchronize(run);
    uint64 before = 0;
    if (own.first < own.last) {
        for (uint64 block = threadIdx.x; block < blockIdx.x; block += BLOCK_THREADS) { before += totals[block]; }
    }
    before = block_sum(run.shared, before);
    for (uint64 tile = own.first; tile < own.last; tile += BLOCK_THREADS) {
        const uint64 i = tile + threadIdx.x;
        const uint64 up_to = before + block_running_sum(run.shared, i < own.last ? values[i] : edge(0));
        if (i < own.last) { values[i] = edge(up_to); }
        for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { before += run.shared.partials[warp]; }
    }
    synchronize(run);
    return values;
}

// piece: RADIX
constexpr uint32 RADIX = 1u << RADIX_BITS;

// piece: digit_counts
// While ids are sorted by a digit: where the next id of each digit goes, how many of each the tile has, and of each
// warp how many the warps before it have.
struct digit_counts {
    edge next[RADIX];
    uint32 of_tile[RADIX];
    uint32 of_warp[BLOCK_THREADS / 32][RADIX];
};

// piece: SORTED_AT_ONCE
// Ids of a tile that a thread has.
constexpr uint32 SORTED_AT_ONCE = 4;

// piece: sort_item
// An id and the key by which it is sorted.
template <class Key>
struct sort_item {
    edge id;
    Key key;
};

// piece: looked_up_keys
// Ids to be sorted by keys that are looked up by the id in each pass: for few.
template <class Key>
struct looked_up_keys {
    edge* ids;
    edge* aside;
    const Key* const keys;
    typedef sort_item<uint64> item;
    __device__ __forceinline__ uint64 key_at(uint64 i) const { return sorting_key(keys[ids[i]]); }
    __device__ __forceinline__ item load(uint64 i) const { return {ids[i], key_at(i)}; }
    __device__ __forceinline__ void store(uint64 i, const item& moved) const { aside[i] = moved.id; }
    __device__ __forceinline__ void turn() { exchange(ids, aside); }
};

// piece: carried_keys
// Ids to be sorted by keys that go with them, so that each is looked up once.
struct carried_keys {
    edge* ids;
    edge* aside;
    vertex* keys;
    vertex* keys_aside;
    typedef sort_item<vertex> item;
    __device__ __forceinline__ vertex key_at(uint64 i) const { return keys[i]; }
    __device__ __forceinline__ item load(uint64 i) const { return {ids[i], keys[i]}; }
    __device__ __forceinline__ void store(uint64 i, const item& moved) const {
        aside[i] = moved.id;
        keys_aside[i] = moved.key;
    }
    __device__ __forceinline__ void turn() {
        exchange(ids, aside);
        exchange(keys, keys_aside);
    }
};

// piece: sort_ids
// The ids in `a` by their keys of `bits` bits; returns which of `a` and `b` has them.
// barriers: 1 to some
template <class Key>
__device__ __forceinline__ edge* sort_ids(enactor& run, edge* a, edge* b, uint64 count, uint32 bits, const Key* keys) {
    looked_up_keys<Key> ids = {a, b, keys};
    sort_by_digits(run, ids, count, bits);
    return ids.ids;
}

// piece: sort_ids_with_keys
// The same for many, with their keys.
// barriers: 1 to some
template <class Key>
__device__ __forceinline__ void sort_ids_with_keys(enactor& run, carried_keys& ids, uint64 count, uint32 bits, Key key) {
    for (uint64 i = thread_index(); i < count; i += grid_threads()) { ids.keys[i] = key(ids.ids[i]); }
    sort_by_digits(run, ids, count, bits);
}

// piece: sort_by_digits
// Ids by their keys of `bits` bits, those of one key in the order that they have; a digit after the other, the last one
// first, each from one place to the other. It begins with a barrier, and ends with one where there is anything to move.
// (Knuth, The Art of Computer Programming, volume 3, 5.2.5; the blocks count their digits, then each moves its ids.)
// barriers: 1 to some
template <class Ids>
__device__ __noinline__ void sort_by_digits(enactor& run, Ids& ids, uint64 count, uint32 bits) {
    edge *const totals = run.slice.graph_scratch[2], *const starts = run.slice.graph_scratch[3];
    const uint64 blocks = minimum(uint64(gridDim.x), (count + RADIX - 1) / RADIX);
    synchronize(run);
    for (uint32 shift = 0; shift < bits && count > 0; shift += RADIX_BITS) {
        count_digits(run, ids, count, blocks, starts, shift);
        running_sums(run, starts, totals, blocks * RADIX);
        move_by_digit(run, ids, count, blocks, starts, shift);
        ids.turn();
    }
}

// piece: count_digits
// How many ids of each digit each block has: first all blocks' of the first digit.
template <class Ids>
__device__ __forceinline__ void count_digits(enactor& run, const Ids& ids, uint64 count, uint64 blocks, edge* counts,
                                             uint32 shift) {
    digit_counts& digits = run.shared.digits;
    if (blockIdx.x >= blocks) { return; }
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) { digits.of_tile[d] = 0; }
    __syncthreads();
    const stretch own = stretch_of_block(count, blocks);
    for (uint64 tile = own.first + threadIdx.x; tile < own.last; tile += BLOCK_THREADS * SORTED_AT_ONCE) {
        uint32 digit[SORTED_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            const uint64 i = tile + k * BLOCK_THREADS;
            digit[k] = i < own.last ? uint32(ids.key_at(i) >> shift) % RADIX : RADIX;
        }
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            if (digit[k] < RADIX) { atomicAdd(&digits.of_tile[digit[k]], 1u); }
        }
    }
    __syncthreads();
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) { counts[d * blocks + blockIdx.x] = edge(digits.of_tile[d]); }
}

// piece: move_by_digit
// The ids to the other place, where those of a block's digit begin behind those that `sums` has before them. A warp has
// its part of a tile in SORTED_AT_ONCE rows.
// barriers: 1
template <class Ids>
__device__ __forceinline__ void move_by_digit(enactor& run, const Ids& ids, uint64 count, uint64 blocks, const edge* sums,
                                              uint32 shift) {
    digit_counts& digits = run.shared.digits;
    const stretch own = blockIdx.x < blocks ? stretch_of_block(count, blocks) : stretch{0, 0};
    const uint32 begin = threadIdx.x / 32 * 32 * SORTED_AT_ONCE + lane_index();
    uint32* const of_warp = digits.of_warp[threadIdx.x / 32];
    for (uint64 tile = own.first; tile < own.last; tile += BLOCK_THREADS * SORTED_AT_ONCE) {
        typename Ids::item items[SORTED_AT_ONCE];
        uint32 digit[SORTED_AT_ONCE], rank[SORTED_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            const uint64 i = tile + begin + k * 32;
            digit[k] = RADIX;
            if (i >= own.last) { continue; }
            items[k] = ids.load(i);
            digit[k] = uint32(items[k].key >> shift) % RADIX;
        }
        begin_tile(digits, tile == own.first, blocks, sums);
        __syncthreads();
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) { rank[k] = rank_in_warp(of_warp, digit[k]); }
        __syncthreads();
        add_up_tile(digits);
        __syncthreads();
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            if (digit[k] < RADIX) { ids.store(digits.next[digit[k]] + of_warp[digit[k]] + rank[k], items[k]); }
        }
        __syncthreads();
    }
    synchronize(run);
}

// piece: rank_in_warp
// How many of its digit the warp had before this lane's, and counts them all; RADIX is no digit. The whole warp calls.
__device__ __forceinline__ uint32 rank_in_warp(uint32* of_warp, uint32 digit) {
    const uint32 alike = __match_any_sync(FULL_WARP, digit), rank = __popc(alike & ((1u << lane_index()) - 1));
    const uint32 before = digit < RADIX ? of_warp[digit] : 0;
    __syncwarp(FULL_WARP);
    if (digit < RADIX && rank == 0) { of_warp[digit] = before + __popc(alike); }
    __syncwarp(FULL_WARP);
    return before + rank;
}

// piece: begin_tile
// Behind the tile before, or at the beginning.
__device__ __forceinline__ void begin_tile(digit_counts& digits, bool first, uint64 blocks, const edge* sums) {
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) {
        const uint64 place = d * blocks + blockIdx.x;
        digits.next[d] = !first ? edge(digits.next[d] + digits.of_tile[d]) : place > 0 ? sums[place - 1] : edge(0);
        for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { digits.of_warp[warp][d] = 0; }
    }
}

// piece: add_up_tile
// How many of each digit all warps have together, and those before each.
__device__ __forceinline__ void add_up_tile(digit_counts& digits) {
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) {
        uint32 sum = 0;
        for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) {
            const uint32 own = digits.of_warp[warp][d];
            digits.of_warp[warp][d] = sum;
            sum += own;
        }
        digits.of_tile[d] = sum;
    }
}

// piece: sorting_key
// Integers as numbers without a sign, in the same order.
template <class T>
__device__ __forceinline__ uint64 sorting_key(T value) {
    const bool has_sign = T(-1) < T(0);
    return (uint64(value) ^ (has_sign ? 1ull << (8 * sizeof(T) - 1) : 0)) & (~0ull >> (64 - 8 * sizeof(T)));
}

// piece: bits_below
// How many bits the numbers below `count` have.
__device__ __forceinline__ uint32 bits_below(uint64 count) {
    uint32 bits = 0;
    while (bits < 64 && count > (1ull << bits)) { bits += 1; }
    return bits;
}
