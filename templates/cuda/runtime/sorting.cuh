// piece: stretch_of_block
// This block's part of `count` elements, if `blocks` blocks share them in whole tiles. It is empty if there are fewer
// tiles than blocks.
struct stretch {
    uint64 first, last;
};
__device__ __forceinline__ stretch stretch_of_block(uint64 count, uint64 blocks) {
    const uint64 tiles = (count + BLOCK_THREADS - 1) / BLOCK_THREADS;
    const uint64 length = (tiles + blocks - 1) / blocks * BLOCK_THREADS;
    const uint64 first = min(block_index() * length, count);
    return stretch{first, min(first + length, count)};
}

// piece: block_sum
// The sum of the values of all threads of the block, returned to each. All threads must call it.
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
// Replaces `values` by their inclusive prefix sum; `totals` is scratch memory of the same length. Each block adds up
// its part, then adds the total of the parts before it. Not inlined, like everything that processes whole arrays while
// a graph is built.
// barriers: 3
__device__ __noinline__ const edge* running_sums(enactor& run, edge* values, edge* totals, uint64 count) {
    synchronize(run);
    const stretch own = stretch_of_block(count, block_count());
    uint64 sum = 0;
    for (uint64 i = own.first + threadIdx.x; i < own.last; i += BLOCK_THREADS) { sum += values[i]; }
    sum = block_sum(run.shared, sum);
    if (threadIdx.x == 0 && own.first < own.last) { totals[block_index()] = edge(sum); }
    synchronize(run);
    uint64 before = 0;
    if (own.first < own.last) {
        for (uint64 block = threadIdx.x; block < block_index(); block += BLOCK_THREADS) { before += totals[block]; }
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

// piece: small_count
// The number of ids of one digit in a tile.
typedef unsigned short small_count;

// piece: digit_counts
// The state of one pass of the radix sort: where the next id of each digit goes, and the number of ids of each digit in the
// tile; for each warp the number in the warps before it.
struct digit_counts {
    edge next[RADIX];
    uint32 of_tile[RADIX];
    small_count of_warp[BLOCK_THREADS / 32][RADIX];
};

// piece: SORTED_AT_ONCE
// The ids of a tile that one thread moves, if a tile has at most 16 KB.
constexpr uint32 SORTED_AT_ONCE = BLOCK_THREADS * sizeof(edge) <= 2048 ? 8 : 16384 / (BLOCK_THREADS * sizeof(edge));

// piece: sort_item
// An id with its sort key.
template <class Key>
struct sort_item {
    edge id;
    Key key;
};

// piece: looked_up_keys
// Ids whose keys are looked up again in each pass. For few ids.
template <class Key>
struct looked_up_keys {
    edge* ids;
    edge* other_ids;
    const Key* const keys;
    typedef sort_item<uint64> item;
    __device__ __forceinline__ uint64 key_at(uint64 i) const { return sorting_key(keys[ids[i]]); }
    __device__ __forceinline__ item load(uint64 i) const { return {ids[i], key_at(i)}; }
    __device__ __forceinline__ void store(uint64 i, const item& moved) const { other_ids[i] = moved.id; }
    __device__ __forceinline__ void swap_buffers() { exchange(ids, other_ids); }
};

// piece: sort_ids
// Sorts the ids in `a` by keys of `bits` bits. Returns `a` or `b`, whichever holds the result.
// barriers: 1 to some
template <class Key>
__device__ __forceinline__ edge* sort_ids(enactor& run, edge* a, edge* b, uint64 count, uint32 bits, const Key* keys) {
    looked_up_keys<Key> ids = {a, b, keys};
    sort_by_digits(run, ids, count, bits);
    return ids.ids;
}

// piece: sort_by_digits
// A stable radix sort of ids by keys of `bits` bits, from the lowest digit to the highest. (Knuth, The Art of Computer
// Programming, volume 3, 5.2.5.) In each pass the blocks count their digits, then move their ids to the other buffer.
// All passes have digits of about the same number of bits.
// barriers: 1 to some
template <class Ids>
__device__ __noinline__ void sort_by_digits(enactor& run, Ids& ids, uint64 count, uint32 bits) {
    const uint64 blocks = min(uint64(block_count()), count / (2 * RADIX) + 1);
    edge *const starts = run.slice.graph_scratch[3], *const totals = starts + blocks * RADIX;
    const uint32 passes = (bits + RADIX_BITS - 1) / RADIX_BITS, width = passes > 0 ? (bits + passes - 1) / passes : 0;
    synchronize(run);
    for (uint32 shift = 0; shift < bits && count > 0; shift += width) {
        const digit_of digit = {shift, 1u << width};
        count_digits(run, ids, count, blocks, starts, digit);
        running_sums(run, starts, totals, blocks * digit.radix);
        move_by_digit(run, ids, count, blocks, starts, digit);
        ids.swap_buffers();
    }
}

// piece: digit_of
// A digit of a key, below `radix`.
struct digit_of {
    uint32 shift, radix;
    template <class Key>
    __device__ __forceinline__ uint32 operator()(Key key) const { return uint32(uint64(key) >> shift) & (radix - 1); }
};

// piece: count_digits
// Counts the ids of each digit in each block. The result has the counts of all blocks for the first digit, then for the
// next one, and so on.
template <class Ids>
__device__ __forceinline__ void count_digits(enactor& run, const Ids& ids, uint64 count, uint64 blocks, edge* counts,
                                             const digit_of& digit) {
    digit_counts& digits = run.shared.digits;
    if (block_index() >= blocks) { return; }
    for (uint32 d = threadIdx.x; d < digit.radix; d += BLOCK_THREADS) { digits.of_tile[d] = 0; }
    __syncthreads();
    const stretch own = stretch_of_block(count, blocks);
    for (uint64 tile = own.first + threadIdx.x; tile < own.last; tile += BLOCK_THREADS * SORTED_AT_ONCE) {
        uint32 own_digit[SORTED_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            const uint64 i = tile + k * BLOCK_THREADS;
            own_digit[k] = i < own.last ? digit(ids.key_at(i)) : RADIX;
        }
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            if (own_digit[k] < RADIX) { atomicAdd(&digits.of_tile[own_digit[k]], 1u); }
        }
    }
    __syncthreads();
    for (uint32 d = threadIdx.x; d < digit.radix; d += BLOCK_THREADS) {
        counts[d * blocks + block_index()] = edge(digits.of_tile[d]);
    }
}

// piece: move_by_digit
// Moves the ids to the other buffer, to the positions that the prefix sums in `sums` assign to each block and digit.
// Each warp has SORTED_AT_ONCE rows of a tile.
// barriers: 1
template <class Ids>
__device__ __forceinline__ void move_by_digit(enactor& run, const Ids& ids, uint64 count, uint64 blocks, const edge* sums,
                                              const digit_of& digit) {
    digit_counts& digits = run.shared.digits;
    const stretch own = block_index() < blocks ? stretch_of_block(count, blocks) : stretch{0, 0};
    const uint32 begin = threadIdx.x / 32 * 32 * SORTED_AT_ONCE + lane_index();
    small_count* const of_warp = digits.of_warp[threadIdx.x / 32];
    for (uint64 tile = own.first; tile < own.last; tile += BLOCK_THREADS * SORTED_AT_ONCE) {
        typename Ids::item items[SORTED_AT_ONCE];
        uint32 rank[SORTED_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            const uint64 i = tile + begin + k * 32;
            if (i < own.last) { items[k] = ids.load(i); }
        }
        begin_tile(digits, tile == own.first, blocks, sums, digit.radix);
        __syncthreads();
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            const bool active = tile + begin + k * 32 < own.last;
            rank[k] = rank_in_warp(of_warp, active ? digit(items[k].key) : RADIX);
        }
        __syncthreads();
        add_up_tile(digits, digit.radix);
        __syncthreads();
#pragma unroll
        for (uint32 k = 0; k < SORTED_AT_ONCE; ++k) {
            if (tile + begin + k * 32 >= own.last) { continue; }
            const uint32 d = digit(items[k].key);
            ids.store(digits.next[d] + of_warp[d] + rank[k], items[k]);
        }
        __syncthreads();
    }
    synchronize(run);
}

// piece: rank_in_warp
// The number of ids with this digit that the warp had before this lane's. Also updates the warp's counts. The digit
// RADIX marks an inactive lane. The whole warp must call it.
__device__ __forceinline__ uint32 rank_in_warp(small_count* of_warp, uint32 digit) {
    const uint32 alike = __match_any_sync(FULL_WARP, digit), rank = __popc(alike & ((1u << lane_index()) - 1));
    const uint32 before = digit < RADIX ? of_warp[digit] : 0;
    __syncwarp(FULL_WARP);
    if (digit < RADIX && rank == 0) { of_warp[digit] = small_count(before + __popc(alike)); }
    __syncwarp(FULL_WARP);
    return before + rank;
}

// piece: begin_tile
// Sets the next position of each digit: after the previous tile, or at the beginning of the block's part.
__device__ __forceinline__ void begin_tile(digit_counts& digits, bool first, uint64 blocks, const edge* sums, uint32 radix) {
    for (uint32 d = threadIdx.x; d < radix; d += BLOCK_THREADS) {
        const uint64 place = d * blocks + block_index();
        digits.next[d] = !first ? edge(digits.next[d] + digits.of_tile[d]) : place > 0 ? sums[place - 1] : edge(0);
        for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { digits.of_warp[warp][d] = 0; }
    }
}

// piece: add_up_tile
// Sums the warps' counts of each digit, and replaces them by the number of ids in the warps before.
__device__ __forceinline__ void add_up_tile(digit_counts& digits, uint32 radix) {
    for (uint32 d = threadIdx.x; d < radix; d += BLOCK_THREADS) {
        uint32 sum = 0;
        for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) {
            const uint32 own = digits.of_warp[warp][d];
            digits.of_warp[warp][d] = small_count(sum);
            sum += own;
        }
        digits.of_tile[d] = sum;
    }
}

// piece: sorting_key
// Maps integers to unsigned integers in the same order.
template <class T>
__device__ __forceinline__ uint64 sorting_key(T value) {
    const bool has_sign = T(-1) < T(0);
    return (uint64(value) ^ (has_sign ? 1ull << (8 * sizeof(T) - 1) : 0)) & (~0ull >> (64 - 8 * sizeof(T)));
}

// piece: bits_below
// The number of bits that numbers below `count` need.
__device__ __forceinline__ uint32 bits_below(uint64 count) {
    uint32 bits = 0;
    while (bits < 64 && count > (1ull << bits)) { bits += 1; }
    return bits;
}
