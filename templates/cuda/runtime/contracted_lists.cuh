// piece: place_in_list
// The place of each active lane's element among those of list `own`, whose lengths are counted in `lengths`. The whole
// warp must call it.
__device__ __forceinline__ edge place_in_list(edge* lengths, bool active, uint64 own) {
    __syncwarp(FULL_WARP);
    const uint32 alike = __match_any_sync(FULL_WARP, own) & __ballot_sync(FULL_WARP, active);
    const uint32 rank = __popc(alike & ((1u << lane_index()) - 1));
    edge before = active && rank == 0 ? edge(reduce_add(&lengths[own], edge(__popc(alike)))) : edge(0);
    __syncwarp(FULL_WARP);
    before = edge(__shfl_sync(FULL_WARP, before, active ? __ffs(alike) - 1 : lane_index()));
    return before + edge(rank);
}

// piece: contracted_lists
// Edges between labels in lists, one for each source, in any order: the source and the destination of the edge at each
// place, and where each list ends.
struct contracted_lists {
    const vertex* sources;
    const edge* destinations;
    const edge* ends;
    uint64 ranges;

    __device__ __forceinline__ edge first(uint64 source) const { return source > 0 ? ends[source - 1] : edge(0); }
    // Whether a block orders the list, by bits for all possible destinations, a range at a time. In a short list each
    // edge is compared with all others.
    __device__ __forceinline__ bool is_long(uint64 source) const {
        const uint64 length = ends[source] - first(source);
        return length * length > ORDERED_BY_ONE * ORDERED_BY_ONE * ranges;
    }
};

// piece: ORDERED_BY_ONE
// So long a list takes a block as long to order by bits of one range as threads to compare its edges.
constexpr uint64 ORDERED_BY_ONE = BLOCK_THREADS / 8;

// piece: range_bits
// A bit for each destination of a range, in shared memory; eight words of bits are followed by the number of bits before.
struct range_bits {
    static constexpr uint32 GROUP = 8, GROUPS = 2 * COMBINED_WORDS / (GROUP + 1), SIZE = 32 * GROUP * GROUPS;
    uint32* words;

    __device__ __forceinline__ explicit range_bits(block_storage& shared) : words(reinterpret_cast<uint32*>(shared.combined)) {}
    __device__ __forceinline__ uint32* word_of(uint32 at) const { return words + at / (32 * GROUP) * (GROUP + 1) + at / 32 % GROUP; }
    __device__ __forceinline__ void clear() const {
        __syncthreads();  // until nobody uses what was there
        for (uint32 i = threadIdx.x; i < GROUPS * (GROUP + 1); i += BLOCK_THREADS) { words[i] = 0; }
        __syncthreads();
    }
    // Whether the bit was not set before.
    __device__ __forceinline__ bool set(uint32 at) const { return (atomicOr(word_of(at), 1u << at % 32) >> at % 32 & 1) == 0; }
    // All threads must call it.
    __device__ __forceinline__ void add_up(block_storage& shared) const {
        uint32 before = 0;
        for (uint32 base = 0; base < GROUPS; base += BLOCK_THREADS) {
            uint32* const own = words + (base + threadIdx.x) * (GROUP + 1);
            const bool active = base + threadIdx.x < GROUPS;
            uint32 bits = 0;
            for (uint32 k = 0; active && k < GROUP; ++k) { bits += __popc(own[k]); }
            const uint32 up_to = before + uint32(block_running_sum(shared, bits));
            if (active) { own[GROUP] = up_to - bits; }
            for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { before += uint32(shared.partials[warp]); }
        }
        __syncthreads();
    }
    // How many bits are set before this one, once they are added up.
    __device__ __forceinline__ uint32 rank(uint32 at) const {
        const uint32* const group = words + at / (32 * GROUP) * (GROUP + 1);
        const uint32 word = at / 32 % GROUP;
        uint32 before = group[GROUP] + __popc(group[word] & ((1u << at % 32) - 1));
        for (uint32 k = 0; k < word; ++k) { before += __popc(group[k]); }
        return before;
    }
};

// piece: mark_first_edges
// Marks one edge of each pair of ends: of those in short lists by comparing, of those in the `count` long ones by bits.
template <class Mark>
__device__ __forceinline__ void mark_first_edges(enactor& run, const contracted_lists& lists, uint64 size, const edge* long_lists,
                                                 uint64 count, Mark mark) {
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const uint64 source = uint64(lists.sources[i]);
        if (lists.is_long(source)) { continue; }
        const edge own = lists.destinations[i];
        edge other = lists.first(source);
        while (lists.destinations[other] != own) { other += 1; }
        mark(i, other == edge(i));
    }
    const range_bits bits(run.shared);
    for (uint64 item = block_index(); item < count * lists.ranges; item += block_count()) {
        const uint64 source = long_lists[item / lists.ranges], low = item % lists.ranges * range_bits::SIZE;
        bits.clear();
        for (uint64 i = lists.first(source) + threadIdx.x; i < lists.ends[source]; i += BLOCK_THREADS) {
            const uint64 at = uint64(lists.destinations[i]) - low;
            if (at < range_bits::SIZE) { mark(i, bits.set(uint32(at))); }
        }
    }
}

// piece: rank_edges
// Numbers the pairs of ends in the order of their sources, then of their destinations: `number(i, n)` receives that of
// each edge. `marked` has the sums of the marks.
template <class Number>
__device__ __forceinline__ void rank_edges(enactor& run, const contracted_lists& lists, uint64 size, const edge* long_lists,
                                             uint64 count, const edge* marked, Number number) {
    const auto before = [&](uint64 i) { return i > 0 ? marked[i - 1] : edge(0); };
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const uint64 source = uint64(lists.sources[i]);
        if (lists.is_long(source)) { continue; }
        const edge own = lists.destinations[i], first = lists.first(source);
        edge sum = before(first), result = sum;
        for (edge other = first; other < lists.ends[source]; ++other) {
            const edge up_to = marked[other];
            if (lists.destinations[other] < own) { result += up_to - sum; }
            sum = up_to;
        }
        number(i, result);
    }
    const range_bits bits(run.shared);
    for (uint64 item = block_index(); item < count * lists.ranges; item += block_count()) {
        const uint64 source = long_lists[item / lists.ranges], low = item % lists.ranges * range_bits::SIZE;
        const edge first = lists.first(source), last = lists.ends[source];
        bits.clear();
        uint64 smaller = 0;
        for (uint64 i = first + threadIdx.x; i < last; i += BLOCK_THREADS) {
            const uint64 own = lists.destinations[i];
            if (own < low) { smaller += marked[i] - before(i); }
            if (own - low < range_bits::SIZE) { bits.set(uint32(own - low)); }
        }
        const uint64 base = before(first) + block_sum(run.shared, smaller);
        bits.add_up(run.shared);
        for (uint64 i = first + threadIdx.x; i < last; i += BLOCK_THREADS) {
            const uint64 at = uint64(lists.destinations[i]) - low;
            if (at < range_bits::SIZE) { number(i, edge(base + bits.rank(uint32(at)))); }
        }
    }
}
