// piece: push_each_warp
// Visits the edges of every member, one warp per member. Calls `visit(active, near, far, e)` with whole warps. Returns
// how many edges the members assigned to this thread have.
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_each_warp(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    const uint64 size = members.size();
    uint64 visited = 0;
    for (uint64 i = warp_index(); i < size; i += grid_warps()) {
        const vertex near = members[i];
        const edge last = lists.last(near);
        visited += lane_index() == 0 ? lists.degree(near) : edge(0);
        for (edge start = lists.first(near); start < last; start += 32) {
            const edge at = start + lane_index();
            const bool active = at < last;
            visit(active, near, active ? lists.neighbor(at) : vertex(0), at);
        }
    }
    return visited;
}

// piece: push_each_block
// Visits the edges of every member, one block per member.
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_each_block(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    const uint64 size = members.size();
    uint64 visited = 0;
    for (uint64 i = block_index(); i < size; i += block_count()) {
        const vertex near = members[i];
        const edge last = lists.last(near);
        visited += threadIdx.x == 0 ? lists.degree(near) : edge(0);
        for (edge start = lists.first(near); start < last; start += BLOCK_THREADS) {
            const edge at = start + threadIdx.x;
            const bool active = at < last;
            visit(active, near, active ? lists.neighbor(at) : vertex(0), at);
        }
    }
    return visited;
}

// piece: block_running_sum
// The inclusive prefix sum over the block's threads. All threads must call it.
__device__ __forceinline__ uint64 block_running_sum(block_storage& shared, uint64 value) {
    for (uint32 step = 1; step < 32; step *= 2) {
        const uint64 below = __shfl_up_sync(FULL_WARP, value, step);
        if (lane_index() >= step) { value += below; }
    }
    __syncthreads();
    if (lane_index() == 31) { shared.partials[threadIdx.x / 32] = value; }
    __syncthreads();
    for (uint32 warp = 0; warp < threadIdx.x / 32; ++warp) { value += shared.partials[warp]; }
    return value;
}

// piece: running_sum
// The prefix sum of the members' degrees, in two levels: within tiles of as many members as a block has threads, and
// over the tiles.
struct running_sum {
    static constexpr bool IN_ORDER = false;
    const uint64* sums;
    const uint64* tiles;
    uint64 size, total;

    // The number of edges of the members up to and including `i`.
    __device__ __forceinline__ uint64 end(uint64 i) const { return tiles[i / BLOCK_THREADS] + sums[i]; }
    // The edge `item`, which is one of the list of `near`, the member `i`.
    template <class Lists>
    __device__ __forceinline__ edge at(const Lists& lists, uint64 i, vertex near, uint64 item) const {
        return lists.first(near) + edge(item - (i > 0 ? end(i - 1) : 0));
    }
};

// piece: list_ends
// The same where the members are all vertices: their lists follow each other, so that offsets are sums.
template <class Lists>
struct list_ends {
    static constexpr bool IN_ORDER = true;
    const Lists& lists;
    uint64 size, total;

    __device__ __forceinline__ list_ends(const Lists& lists, uint64 size)
        : lists(lists), size(size), total(size > 0 ? uint64(lists.last(vertex(size - 1))) : 0) {}
    __device__ __forceinline__ uint64 end(uint64 i) const { return lists.last(vertex(i)); }
    __device__ __forceinline__ edge at(const Lists&, uint64, vertex, uint64 item) const { return edge(item); }
};

// piece: owner_from
// The first member, from `low` on, whose edges end after `item`: it is near, as warps take consecutive edges.
template <class Items>
__device__ __forceinline__ uint64 owner_from(const Items& items, uint64 item, uint64 low) {
    uint64 high = low;
    for (uint64 step = 1; high < items.size - 1 && items.end(high) <= item; step *= 2) {
        low = high + 1;
        high = min(high + step, items.size - 1);
    }
    while (low < high) {
        const uint64 middle = low + (high - low) / 2;
        if (items.end(middle) <= item) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: sum_degrees
// Computes the prefix sum. Calls `begin(near)` for every member.
// barriers: 2
template <class Members, class Lists, class Begin>
__device__ __forceinline__ running_sum sum_degrees(enactor& run, const Members& members, const Lists& lists, Begin begin) {
    uint64* const sums = run.slice.sums;
    uint64* const tiles = run.slice.tiles;
    const uint64 size = members.size(), count = (size + BLOCK_THREADS - 1) / BLOCK_THREADS;
    for (uint64 tile = block_index(); tile < count; tile += block_count()) {
        const uint64 i = tile * BLOCK_THREADS + threadIdx.x;
        const bool has_member = i < size;
        const vertex near = has_member ? members[i] : vertex(0);
        const uint64 sum = block_running_sum(run.shared, has_member ? uint64(lists.last(near) - lists.first(near)) : 0);
        if (has_member) {
            begin(near);
            sums[i] = sum;
        }
        if (threadIdx.x == BLOCK_THREADS - 1) { tiles[tile] = sum; }
    }
    synchronize(run);
    if (block_index() == 0) {
        uint64 before = 0;
        for (uint64 base = 0; base < count; base += BLOCK_THREADS) {
            const uint64 tile = base + threadIdx.x;
            const uint64 own = tile < count ? tiles[tile] : 0;
            const uint64 sum = before + block_running_sum(run.shared, own);
            if (tile < count) { tiles[tile] = sum - own; }
            __syncthreads();
            if (threadIdx.x == BLOCK_THREADS - 1) { run.shared.partials[0] = sum; }
            __syncthreads();
            before = run.shared.partials[0];
        }
        if (threadIdx.x == 0) { tiles[count] = before; }
    }
    synchronize(run);
    return running_sum{sums, tiles, size, tiles[count]};
}

// piece: each_share
// Calls `visit(active, near, far, e)` for every edge. Every thread gets the same number of edges, and each warp a
// contiguous range of them.
template <class Items, class Members, class Lists, class Visit>
__device__ __forceinline__ void each_share(const Items& items, const Members& members, const Lists& lists, Visit visit) {
    const uint64 rows = (items.total + 31) / 32, warps = grid_warps();
    const uint64 first = warp_index() * (rows / warps) + min(warp_index(), rows % warps);
    const uint64 last = first + rows / warps + (warp_index() < rows % warps ? 1 : 0);
    uint64 low = 0;
    for (uint64 row = first; row < last; ++row) {
        const uint64 item = row * 32 + lane_index();
        const bool active = item < items.total;
        const uint64 owner = active ? owner_from(items, item, low) : 0;
        const vertex near = active ? members[owner] : vertex(0);
        const edge at = active ? items.at(lists, owner, near, item) : edge(0);
        visit(active, near, active ? lists.neighbor(at) : vertex(0), at);
        low = __shfl_sync(FULL_WARP, owner, 0);
    }
}

// piece: first_owner
// The member from `low` to `high` of which `item` is an edge, found by a whole warp: each lane looks at another part of
// what is left.
template <class Items>
__device__ __forceinline__ uint64 first_owner(const Items& items, uint64 item, uint64 low, uint64 high) {
    while (low < high) {
        const uint64 part = (high - low) / 32 + 1;
        const uint64 last = min(low + part * (lane_index() + 1) - 1, high);
        low += part * (__ffs(__ballot_sync(FULL_WARP, items.end(last) > item)) - 1);
        high = min(low + part - 1, high);
    }
    return low;
}

// piece: each_tile
// Calls `visit(active, near, far, e)` for every edge, with ROWS rows of 32 edges at a time, whose far ends are requested
// before the first of them is used. Warps take tiles of consecutive rows, each warp from all parts of the lists, and
// begin in different parts: so some warps read what is in the memory of the host at any time, while others read what is
// on the GPU. A tile has LENGTH rows, or fewer where there is less than one for each warp.
template <uint32 ROWS, uint32 LENGTH, class Items, class Members, class Lists, class Visit>
__device__ __forceinline__ void each_tile(const Items& items, const Members& members, const Lists& lists, Visit visit) {
    const uint64 rows = (items.total + 31) / 32, warps = grid_warps();
    const uint64 length = ROWS * min(uint64(LENGTH / ROWS), rows / (warps * ROWS) + 1);
    const uint64 tiles = (rows + length - 1) / length, turns = (tiles + warps - 1) / warps;
    uint64 turn = warp_index() * turns / warps;
    for (uint64 taken = 0; taken < turns; ++taken, turn = turn + 1 < turns ? turn + 1 : 0) {
        const uint64 first = (turn * warps + warp_index()) * length, last = min(first + length, rows);
        if (first >= rows) { continue; }
        uint64 low = first_owner(items, first * 32, 0, items.size - 1);
        for (uint64 row = first; row < last; row += ROWS) {
            bool active[ROWS];
            vertex near[ROWS], far[ROWS];
            edge at[ROWS];
            const auto request = [&](uint32 k) { far[k] = active[k] ? lists.neighbor(at[k]) : vertex(0); };
            side_by_side<ROWS>([&](uint32 k) {
                const uint64 item = (row + k) * 32 + lane_index();
                active[k] = item < items.total;
                at[k] = edge(item);
                if (Items::IN_ORDER) { request(k); }
            });
            side_by_side<ROWS>([&](uint32 k) {
                const uint64 item = (row + k) * 32 + lane_index();
                const uint64 owner = active[k] ? owner_from(items, item, low) : low;
                near[k] = active[k] ? members[owner] : vertex(0);
                at[k] = active[k] ? items.at(lists, owner, near[k], item) : edge(0);
                if (!Items::IN_ORDER) { request(k); }
                low = __shfl_sync(FULL_WARP, owner, 31);
            });
            visit(active, near, far, at);
        }
    }
}

// piece: push_merge
// Visits the edges of every member, with equal numbers of edges for all threads (merge path).
// barriers: 2
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_merge(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    uint64 visited = 0;
    const running_sum items = sum_degrees(run, members, lists, [&](vertex near) { visited += lists.degree(near); });
    each_share(items, members, lists, visit);
    return visited;
}

// piece: push_lines
// The same for all vertices.
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_lines(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    const list_ends<Lists> items(lists, members.size());
    each_share(items, members, lists, visit);
    return thread_index() == 0 ? items.total : 0;
}

// piece: bin_sizes
// The number of members in each bin.
struct bin_sizes {
    uint64 of_threads, of_warps, of_blocks;
};

// piece: current_bin_sizes
__device__ __forceinline__ bin_sizes current_bin_sizes(enactor& run) {
    const uint64* const bins = run.counters()->bins;
    return bin_sizes{load_relaxed(&bins[0]), load_relaxed(&bins[1]), load_relaxed(&bins[2])};
}

// piece: sort_into_bins
// Sorts the members into three bins by degree: for threads, for warps, and for blocks.
// barriers: 1
template <class Members, class Lists>
__device__ __forceinline__ void sort_into_bins(enactor& run, const Members& members, const Lists& lists) {
    each_vertex_by_warps(members, [&](bool active, vertex v) {
        const edge degree = active ? lists.last(v) - lists.first(v) : edge(0);
        const uint32 own = degree <= SHORT_LIST ? 0 : degree < HUB_DEGREE ? 1 : 2;
        for (uint32 bin = 0; bin < 3; ++bin) {
            const uint32 votes = __ballot_sync(FULL_WARP, active && own == bin);
            if (votes == 0) { continue; }
            uint64 at = lane_index() == 0 ? atomicAdd_grid(&run.counters()->bins[bin], uint64(__popc(votes))) : 0;
            at = __shfl_sync(FULL_WARP, at, 0) + __popc(votes & ((1u << lane_index()) - 1));
            if (votes >> lane_index() & 1) { run.slice.bins[bin][at] = v; }
        }
    });
    synchronize(run);
}

// piece: binned
// The members of one bin, from index `begin` on.
struct binned {
    const vertex* bin;
    uint64 begin, end;
    __device__ __forceinline__ uint64 size() const { return end - begin; }
    __device__ __forceinline__ vertex operator[](uint64 i) const { return bin[begin + i]; }
};

// piece: push_bins
// Visits the edges of every member with a block, a warp or a thread, depending on its degree. `begin`: the sizes of the
// bins before this operator.
// barriers: 1
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_bins(enactor& run, const Members& members, const Lists& lists, Visit visit,
                                            const bin_sizes begin = bin_sizes()) {
    sort_into_bins(run, members, lists);
    const bin_sizes end = current_bin_sizes(run);
    const auto bins = run.slice.bins;
    uint64 visited = push_each_block(run, binned{bins[2], begin.of_blocks, end.of_blocks}, lists, visit);
    visited += push_each_warp(run, binned{bins[1], begin.of_warps, end.of_warps}, lists, visit);
    return visited + push_threads(run, binned{bins[0], begin.of_threads, end.of_threads}, lists, visit);
}

// piece: out_table
// All edges by id, as out-edges.
struct out_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge e) const { return __ldg(&g.edge_sources[e]); }
    __device__ __forceinline__ vertex neighbor(edge e) const { return __ldg(&g.columns[e]); }
};

// piece: in_table
// All edges by id, as in-edges.
struct in_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge e) const { return __ldg(&g.columns[e]); }
    __device__ __forceinline__ vertex neighbor(edge e) const { return __ldg(&g.edge_sources[e]); }
};

// piece: push_edges
// Visits the edges of every member: each thread takes edges of the graph and tests whether their near ends are members.
template <class Members, class Table, class Visit>
__device__ __forceinline__ uint64 push_edges(enactor& run, const Members& members, const Table& table, Visit visit) {
    const uint64 count = table.g.num_edges;
    uint64 visited = 0;
    for (uint64 base = warp_index() * 32; base < count; base += grid_warps() * 32) {
        const bool has_member = base + lane_index() < count;
        const edge at = edge(base + lane_index());
        const vertex near = has_member ? table.near(at) : vertex(0);
        const bool active = has_member && members.contains(near);
        visited += active ? 1 : 0;
        visit(active, near, active ? table.neighbor(at) : vertex(0), at);
    }
    return visited;
}
