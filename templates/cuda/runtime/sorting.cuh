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
__device__ __forceinline__ const edge* running_sums(enactor& run, edge* values, edge* totals, uint64 count) {
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
// While ids are sorted by a digit: where the next id of each digit goes, how many of each the tile has, and of each warp
// how many the warps before it have.
struct digit_counts {
    edge next[RADIX];
    uint32 of_tile[RADIX];
    uint32 of_warp[BLOCK_THREADS / 32][RADIX];
};

// piece: sort_ids
// The ids in `a` by their keys of `bits` bits, those of one key in the order that they have; a digit after the other, the
// last one first, each from one of `a` and `b` to the other. Returns the one that has them.
// (Knuth, The Art of Computer Programming, volume 3, 5.2.5; the blocks count their digits, then each moves its ids.)
template <class Key>
__device__ __forceinline__ edge* sort_ids(enactor& run, edge* a, edge* b, uint64 count, uint32 bits, Key key) {
    edge *const totals = run.slice.graph_scratch[2], *const starts = run.slice.graph_scratch[3];
    const uint64 blocks = minimum(uint64(gridDim.x), (count + RADIX - 1) / RADIX);
    synchronize(run);
    for (uint32 shift = 0; shift < bits && count > 0; shift += RADIX_BITS) {
        const auto digit = [&](edge id) { return uint32(key(id) >> shift) % RADIX; };
        count_digits(run, a, count, blocks, starts, digit);
        running_sums(run, starts, totals, blocks * RADIX);
        move_by_digit(run, a, b, count, blocks, starts, digit);
        exchange(a, b);
    }
    return a;
}

// piece: count_digits
// How many ids of each digit each block has: first all blocks' of the first digit.
template <class Digit>
__device__ __forceinline__ void count_digits(enactor& run, const edge* ids, uint64 count, uint64 blocks, edge* counts,
                                             Digit digit) {
    digit_counts& digits = run.shared.digits;
    if (blockIdx.x >= blocks) { return; }
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) { digits.of_tile[d] = 0; }
    __syncthreads();
    const stretch own = stretch_of_block(count, blocks);
    for (uint64 i = own.first + threadIdx.x; i < own.last; i += BLOCK_THREADS) { atomicAdd(&digits.of_tile[digit(ids[i])], 1u); }
    __syncthreads();
    for (uint32 d = threadIdx.x; d < RADIX; d += BLOCK_THREADS) { counts[d * blocks + blockIdx.x] = edge(digits.of_tile[d]); }
}

// piece: move_by_digit
// The ids from `a` to `b`, where those of a block's digit begin behind those that `sums` has before them.
template <class Digit>
__device__ __forceinline__ void move_by_digit(enactor& run, const edge* a, edge* b, uint64 count, uint64 blocks,
                                              const edge* sums, Digit digit) {
    digit_counts& digits = run.shared.digits;
    const stretch own = blockIdx.x < blocks ? stretch_of_block(count, blocks) : stretch{0, 0};
    uint32* const of_warp = digits.of_warp[threadIdx.x / 32];
    for (uint64 tile = own.first; tile < own.last; tile += BLOCK_THREADS) {
        begin_tile(digits, tile == own.first, blocks, sums);
        __syncthreads();
        const bool active = tile + threadIdx.x < own.last;
        const edge id = active ? a[tile + threadIdx.x] : edge(0);
        const uint32 own_digit = active ? digit(id) : RADIX;
        const uint32 alike = __match_any_sync(FULL_WARP, own_digit);
        const uint32 rank = __popc(alike & ((1u << lane_index()) - 1));
        if (active && rank == 0) { of_warp[own_digit] = __popc(alike); }
        __syncthreads();
        add_up_tile(digits);
        __syncthreads();
        if (active) { b[digits.next[own_digit] + of_warp[own_digit] + rank] = id; }
        __syncthreads();
    }
    synchronize(run);
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
