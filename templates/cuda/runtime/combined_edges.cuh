// piece: combined_edges
// Edges between labels, of which some may have both ends in common: `ids` lists them, and their ends are indexed by
// these ids.
struct combined_edges {
    edge* ids;
    vertex* sources;
    vertex* destinations;
};

// piece: grouped_members
// The vertices that have edges, ordered by label, and where in the sequence of all their edges the list of each ends.
struct grouped_members {
    const edge* members;
    const edge* ends;
    uint64 size, total;

    __device__ __forceinline__ vertex operator[](uint64 i) const { return vertex(members[i]); }
    __device__ __forceinline__ uint64 end(uint64 i) const { return ends[i]; }
    template <class Lists>
    __device__ __forceinline__ edge at(const Lists& lists, uint64 i, vertex near, uint64 item) const {
        return lists.first(near) + edge(item - (i > 0 ? ends[i - 1] : edge(0)));
    }
};

// piece: group_by_label
// A counting sort of the vertices that have edges; those with the same label are in any order.
// barriers: 8
template <class Label>
__device__ __forceinline__ grouped_members group_by_label(enactor& run, const graph_slice& g, const Label* label,
                                                          uint64 num_labels) {
    edge *const members = run.slice.graph_scratch[0], *const ends = run.slice.graph_scratch[1];
    edge *const starts = run.slice.graph_scratch[2], *const totals = run.slice.graph_scratch[3];
    const out_lists lists{g};
    for (uint64 i = thread_index(); i < num_labels; i += grid_threads()) { starts[i] = 0; }
    synchronize(run);
    edge* const ranks = ends;
    for (uint64 base = warp_index() * 32; base < uint64(g.num_vertices); base += grid_warps() * 32) {
        const uint64 v = base + lane_index();
        const bool active = v < uint64(g.num_vertices) && lists.degree(vertex(v)) > 0;
        const edge rank = place_in_list(starts, active, active ? uint64(label[v]) : 0);
        if (active) { ranks[v] = rank; }
    }
    running_sums(run, starts, totals, num_labels);
    for (uint64 v = thread_index(); v < uint64(g.num_vertices); v += grid_threads()) {
        if (lists.degree(vertex(v)) == 0) { continue; }
        members[(label[v] > Label(0) ? starts[uint64(label[v]) - 1] : edge(0)) + ranks[v]] = edge(v);
    }
    const uint64 size = num_labels > 0 ? uint64(starts[num_labels - 1]) : 0;
    synchronize(run);
    for (uint64 i = thread_index(); i < size; i += grid_threads()) { ends[i] = lists.degree(vertex(members[i])); }
    running_sums(run, ends, totals, size);
    return grouped_members{members, ends, size, size > 0 ? uint64(ends[size - 1]) : 0};
}

// piece: COMBINED_ROWS
// The edges that one thread looks at side by side.
constexpr uint32 COMBINED_ROWS = 4;

// piece: COMBINED_TRIES
// The slots in which a key is looked for.
constexpr uint32 COMBINED_TRIES = 8;

// piece: NO_ENDS
// Marks a free slot: both ends are numbers of fewer than 32 bits.
constexpr uint64 NO_ENDS = ~0ull;

// piece: combining_state
// What the threads of a block know together while they combine edges.
struct combining_state {
    uint32 filled;   // slots
    uint32 written;  // edges
    uint64 owner;    // the member that has the last edge of a tile
    uint64 source;   // its label
};

// piece: ends_table
// Slots for the ends of edges, with their weights.
template <class Weight>
struct ends_table {
    uint64* keys;
    Weight* weights;
    uint32 size;
};

// piece: combining_room
// The block's shared memory as such a table.
template <class Weight>
__device__ __forceinline__ ends_table<Weight> combining_room(block_storage& shared) {
    const uint32 size = COMBINED_WORDS * 8 / (8 + sizeof(Weight));
    return {shared.combined, reinterpret_cast<Weight*>(shared.combined + size), size};
}

// piece: slot_of_ends
// The slot that has the key, or a free one that gets it, which `is_new` says. The size of the table if there is none
// near its hash.
template <class Weight>
__device__ __forceinline__ uint32 slot_of_ends(const ends_table<Weight>& table, uint64 key, bool& is_new) {
    uint32 slot = uint32((key * 0x9e3779b97f4a7c15ull >> 32) * table.size >> 32);
    for (uint32 tried = 0; tried < COMBINED_TRIES; ++tried) {
        uint64 stored = load_in_block(&table.keys[slot]);
        if (stored == NO_ENDS) {
            stored = swap_in_block(&table.keys[slot], NO_ENDS, key);
            is_new = stored == NO_ENDS;
        }
        if (is_new || stored == key) { return slot; }
        slot = slot + 1 < table.size ? slot + 1 : 0;
    }
    return table.size;
}

// piece: list_edge
// Each active lane of the warp lists an edge, behind those that the block has listed.
__device__ __forceinline__ void list_edge(combining_state& state, const combined_edges& result, uint64 first, bool active,
                                          uint64 source, uint64 destination, edge& at) {
    const uint32 lanes = __ballot_sync(FULL_WARP, active);
    if (lanes == 0) { return; }
    uint32 place = lane_index() == 0 ? atomicAdd(&state.written, uint32(__popc(lanes))) : 0;
    place = __shfl_sync(FULL_WARP, place, 0) + __popc(lanes & ((1u << lane_index()) - 1));
    at = edge(first + place);
    if (active) {
        result.sources[at] = vertex(source);
        result.destinations[at] = vertex(destination);
    }
}

// piece: list_table
// Lists the edges of the table, and empties it. All threads must call it.
template <class Sums>
__device__ __forceinline__ void list_table(combining_state& state, const combined_edges& result, uint64 first, uint32 bits,
                                           const ends_table<typename Sums::type>& table, const Sums& sums) {
    for (uint32 base = 0; base < table.size; base += BLOCK_THREADS) {
        const uint32 slot = base + threadIdx.x;
        const uint64 key = slot < table.size ? load_relaxed(&table.keys[slot]) : NO_ENDS;
        edge at = 0;
        list_edge(state, result, first, key != NO_ENDS, key >> bits, key & ((1ull << bits) - 1), at);
        if (key == NO_ENDS) { continue; }
        sums.store(at, load_relaxed(&table.weights[slot]));
        store_relaxed(&table.keys[slot], NO_ENDS);
        store_relaxed(&table.weights[slot], sums.identity());
    }
    if (threadIdx.x == 0) { state.filled = 0; }
    __syncthreads();
}

// piece: combine_stretch
// Lists the edges of one block. It empties its table when that is half full and the sources are others; as long as they
// are the same, the ends that it has are the first that came, which often come again.
template <class Label, class Sums>
__device__ __forceinline__ void combine_stretch(enactor& run, const graph_slice& g, const Label* label, uint32 bits,
                                                const Sums& sums, const combined_edges& result,
                                                const grouped_members& items, const stretch& own) {
    typedef typename Sums::type weight;
    const out_lists lists{g};
    const auto table = combining_room<weight>(run.shared);
    combining_state& state = run.shared.combining;
    const bool fits = bits < 32;
    for (uint32 slot = threadIdx.x; slot < table.size; slot += BLOCK_THREADS) {
        store_relaxed(&table.keys[slot], NO_ENDS);
        store_relaxed(&table.weights[slot], sums.identity());
    }
    if (threadIdx.x == 0) { state.filled = state.written = 0; }
    __syncthreads();
    uint64 low = 0, high = items.size - 1, since = NO_ENDS;
    for (uint64 tile = own.first; tile < own.last; tile += BLOCK_THREADS * COMBINED_ROWS) {
        const uint64 begin = tile + threadIdx.x / 32 * 32 * COMBINED_ROWS;
        const uint64 last = min(tile + BLOCK_THREADS * COMBINED_ROWS, own.last) - 1;
        low = first_owner(items, min(begin, last), low, high);
        uint64 source[COMBINED_ROWS], destination[COMBINED_ROWS];
        weight own_weight[COMBINED_ROWS];
        bool active[COMBINED_ROWS];
        vertex near[COMBINED_ROWS], far[COMBINED_ROWS];
#pragma unroll
        for (uint32 k = 0; k < COMBINED_ROWS; ++k) {
            const uint64 item = begin + k * 32 + lane_index();
            active[k] = item <= last;
            const uint64 owner = active[k] ? owner_from(items, item, low) : low;
            near[k] = items[owner];
            const edge at = active[k] ? items.at(lists, owner, near[k], item) : edge(0);
            far[k] = active[k] ? lists.neighbor(at) : vertex(0);
            own_weight[k] = active[k] ? sums.load(lists.id(at)) : sums.identity();
            low = __shfl_sync(FULL_WARP, owner, 31);
            if (item == last) {
                state.owner = owner;
                state.source = uint64(label[near[k]]);
            }
            __syncwarp(FULL_WARP);
        }
#pragma unroll
        for (uint32 k = 0; k < COMBINED_ROWS; ++k) {
            source[k] = uint64(label[near[k]]);
            destination[k] = uint64(label[far[k]]);
        }
#pragma unroll
        for (uint32 k = 0; k < COMBINED_ROWS; ++k) {
            bool is_new = false;
            const uint32 slot = active[k] && fits ? slot_of_ends(table, source[k] << bits | destination[k], is_new) : table.size;
            if (slot < table.size) { sums.add(&table.weights[slot], own_weight[k]); }
            __syncwarp(FULL_WARP);
            const uint32 added = __popc(__ballot_sync(FULL_WARP, is_new));
            if (lane_index() == 0 && added > 0) { atomicAdd(&state.filled, added); }
            const bool listed = active[k] && slot == table.size;
            edge at = 0;
            list_edge(state, result, own.first, listed, source[k], destination[k], at);
            if (listed) { sums.store(at, own_weight[k]); }
            __syncwarp(FULL_WARP);
        }
        __syncthreads();
        const uint64 now = state.source;
        const bool ends = last + 1 == own.last || (2 * state.filled > table.size && now != since);
        low = state.owner;
        high = min(low + BLOCK_THREADS * COMBINED_ROWS, items.size - 1);
        __syncthreads();
        if (!ends) { continue; }
        list_table(state, result, own.first, bits, table, sums);
        since = now;
    }
}

// piece: combine_edges
// Lists the edges between labels. Edges with the same ends are combined if they meet in a block's table: each block has
// its part of all edges, in the order of their sources' labels. Returns how many edges there are.
// barriers: 10
template <class Label, class Sums>
__device__ __forceinline__ uint64 combine_edges(enactor& run, const graph_slice& g, const Label* label, uint64 num_labels,
                                                const Sums& sums, const combined_edges& result) {
    const grouped_members items = group_by_label(run, g, label, num_labels);
    const stretch own = stretch_of_block(items.total, block_count());
    const uint64 tiles = (items.total + BLOCK_THREADS - 1) / BLOCK_THREADS, length = (tiles + block_count() - 1) / block_count();
    const uint64 blocks = tiles > 0 ? (tiles + length - 1) / length : 0;  // those that have a part
    edge* const counts = run.slice.graph_scratch[2];
    if (own.first < own.last) {
        combine_stretch(run, g, label, bits_below(num_labels), sums, result, items, own);
        if (threadIdx.x == 0) { counts[block_index()] = edge(run.shared.combining.written); }
    }
    synchronize(run);
    uint64 before = 0, all = 0;
    for (uint64 block = threadIdx.x; block < blocks; block += BLOCK_THREADS) {
        all += counts[block];
        before += block < block_index() ? uint64(counts[block]) : 0;
    }
    all = block_sum(run.shared, all);
    before = block_sum(run.shared, before);
    const uint64 listed = own.first < own.last ? uint64(counts[block_index()]) : 0;
    for (uint64 i = threadIdx.x; i < listed; i += BLOCK_THREADS) { result.ids[before + i] = edge(own.first + i); }
    synchronize(run);
    return all;
}
