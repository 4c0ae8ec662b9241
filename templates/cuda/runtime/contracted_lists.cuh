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

// piece: contracted_lists
// Edges between labels in lists, one for each source, in any order: the source and the destination of the edge at each
// place, and where each list ends.
struct contracted_lists {
    const vertex* sources;
    const edge* destinations;
    const edge* ends;
    uint64 num_labels;

    __device__ __forceinline__ edge first(uint64 source) const { return source > 0 ? ends[source - 1] : edge(0); }
    __device__ __forceinline__ edge length(uint64 source) const { return ends[source] - first(source); }
    // In a short list each edge is compared with all others.
    __device__ __forceinline__ bool is_short(uint64 source) const { return length(source) <= BLOCK_THREADS / 2; }
    __device__ __forceinline__ uint64 ranges() const { return (num_labels + range_bits::SIZE - 1) / range_bits::SIZE; }
};

// piece: longer_lists
// The sources of lists that a block orders: those that fit in its memory, and from the end those that do not.
struct longer_lists {
    const edge* sources;
    uint64 fitting, others, room;
    __device__ __forceinline__ uint64 other(uint64 i) const { return sources[room - 1 - i]; }
};

// piece: edge_buckets
// The edges of a list in shared memory, in buckets of destinations from small to large.
struct edge_buckets {
    static constexpr uint32 COUNT = COMBINED_WORDS < 8 ? 1 : COMBINED_WORDS / 8, ROOM = COMBINED_WORDS - (COUNT + 1) / 2;
    uint64* slots;  // a destination, and the edge's place in the list in the lowest 16 bits
    uint32* ends;
    uint64 num_labels;

    __device__ __forceinline__ edge_buckets(block_storage& shared, uint64 num_labels)
        : slots(shared.combined), ends(reinterpret_cast<uint32*>(shared.combined + ROOM)), num_labels(num_labels) {}
    __device__ __forceinline__ uint32 bucket(uint64 destination) const { return uint32(destination * COUNT / num_labels); }
    __device__ __forceinline__ uint32 first(uint32 bucket) const { return bucket > 0 ? ends[bucket - 1] : 0; }
    // Fills in the edges of a list for which `counts`. All threads must call it.
    template <class Counts>
    __device__ __forceinline__ void fill(block_storage& shared, const contracted_lists& lists, uint64 source, Counts counts) const {
        const edge start = lists.first(source), last = lists.ends[source];
        __syncthreads();  // until nobody uses what was there
        for (uint32 b = threadIdx.x; b < COUNT; b += BLOCK_THREADS) { ends[b] = 0; }
        __syncthreads();
        for (edge i = start + threadIdx.x; i < last; i += BLOCK_THREADS) {
            if (counts(i)) { atomicAdd(&ends[bucket(lists.destinations[i])], 1u); }
        }
        __syncthreads();
        uint32 before = 0;
        for (uint32 base = 0; base < COUNT; base += BLOCK_THREADS) {
            const uint32 own = base + threadIdx.x, size = own < COUNT ? ends[own] : 0;
            const uint32 up_to = before + uint32(block_running_sum(shared, size));
            if (own < COUNT) { ends[own] = up_to - size; }
            for (uint32 warp = 0; warp < BLOCK_THREADS / 32; ++warp) { before += uint32(shared.partials[warp]); }
        }
        __syncthreads();
        for (edge i = start + threadIdx.x; i < last; i += BLOCK_THREADS) {
            const uint64 destination = lists.destinations[i];
            if (counts(i)) { slots[atomicAdd(&ends[bucket(destination)], 1u)] = destination << 16 | (i - start); }
        }
        __syncthreads();
    }
};

// piece: find_longer
// Lists the sources of all lists that are not short in `found`, in any order.
// barriers: 1
__device__ __forceinline__ longer_lists find_longer(enactor& run, const contracted_lists& lists, edge* found) {
    operator_counters* const counters = run.counters();
    for (uint64 v = thread_index(); v < lists.num_labels; v += grid_threads()) {
        const bool fits = lists.length(v) <= edge_buckets::ROOM;
        if (lists.is_short(v)) { continue; }
        const uint64 at = atomicAdd_grid(fits ? &counters->hubs : &counters->edges, 1ull);
        found[fits ? at : lists.num_labels - 1 - at] = edge(v);
    }
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->hubs, &counters->edges);
    return {found, run.shared.value, run.shared.second_value, lists.num_labels};
}

// piece: mark_first_edges
// Marks one edge of each pair of ends.
template <class Mark>
__device__ __forceinline__ void mark_first_edges(enactor& run, const contracted_lists& lists, uint64 size,
                                                 const longer_lists& longer, Mark mark) {
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const uint64 source = uint64(lists.sources[i]);
        if (!lists.is_short(source)) { continue; }
        const edge own = lists.destinations[i];
        edge other = lists.first(source);
        while (lists.destinations[other] != own) { other += 1; }
        mark(i, other == edge(i));
    }
    const edge_buckets buckets(run.shared, lists.num_labels);
    for (uint64 item = block_index(); item < longer.fitting; item += block_count()) {
        const uint64 source = longer.sources[item];
        buckets.fill(run.shared, lists, source, [](edge) { return true; });
        for (uint32 i = threadIdx.x; i < uint32(lists.length(source)); i += BLOCK_THREADS) {
            const uint64 own = buckets.slots[i];
            const uint32 bucket = buckets.bucket(own >> 16);
            bool is_first = true;
            for (uint32 k = buckets.first(bucket); k < buckets.ends[bucket] && is_first; ++k) {
                is_first = buckets.slots[k] >= own || buckets.slots[k] >> 16 != own >> 16;
            }
            mark(lists.first(source) + (own & 0xffff), is_first);
        }
    }
    const range_bits bits(run.shared);
    const uint64 ranges = lists.ranges();
    for (uint64 item = block_index(); item < longer.others * ranges; item += block_count()) {
        const uint64 source = longer.other(item / ranges), low = item % ranges * range_bits::SIZE;
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
__device__ __forceinline__ void rank_edges(enactor& run, const contracted_lists& lists, uint64 size, const longer_lists& longer,
                                           const edge* marked, Number number) {
    const auto before = [&](uint64 i) { return i > 0 ? marked[i - 1] : edge(0); };
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const uint64 source = uint64(lists.sources[i]);
        if (!lists.is_short(source)) { continue; }
        const edge own = lists.destinations[i], first = lists.first(source);
        edge sum = before(first), result = sum;
        for (edge other = first; other < lists.ends[source]; ++other) {
            const edge up_to = marked[other];
            if (lists.destinations[other] < own) { result += up_to - sum; }
            sum = up_to;
        }
        number(i, result);
    }
    const edge_buckets buckets(run.shared, lists.num_labels);
    for (uint64 item = block_index(); item < longer.fitting; item += block_count()) {
        const uint64 source = longer.sources[item];
        const edge first = lists.first(source);
        buckets.fill(run.shared, lists, source, [&](edge i) { return marked[i] != before(i); });
        for (edge i = first + threadIdx.x; i < lists.ends[source]; i += BLOCK_THREADS) {
            const uint64 own = lists.destinations[i];
            const uint32 bucket = buckets.bucket(own), start = buckets.first(bucket);
            uint32 smaller = start;
            for (uint32 k = start; k < buckets.ends[bucket]; ++k) { smaller += buckets.slots[k] >> 16 < own ? 1 : 0; }
            number(i, before(first) + edge(smaller));
        }
    }
    const range_bits bits(run.shared);
    const uint64 ranges = lists.ranges();
    for (uint64 item = block_index(); item < longer.others * ranges; item += block_count()) {
        const uint64 source = longer.other(item / ranges), low = item % ranges * range_bits::SIZE;
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
