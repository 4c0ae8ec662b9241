// piece: push_warps
// Visits the edges of every member: each warp takes up to 32 members and shares their edges evenly among its lanes.
// Calls `visit(active, near, far, e)` with whole warps. Returns how many edges the members assigned to this thread
// have. Lists of HUB_DEGREE edges or more are cut into chunks, which `push_chunks` spreads over all warps.
template <class Warps = all_warps, class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_warps(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    const uint64 size = members.size(), warps = own_warps<Warps>(members);
    const uint32 width = members_per_warp(size * Warps::operators);
    const uint32 lane = lane_index();
    const uint64 end = own_last<Warps>(members);
    uint64 visited = 0;
    for (uint64 base = own_base<Warps>(members, width); base < end; base += warps * width) {
        const bool has_member = lane < width && base + lane < end;
        const vertex near = has_member ? members[base + lane] : vertex(0);
        const edge first = has_member ? lists.first(near) : edge(0);
        const edge degree = has_member ? lists.last(near) - first : edge(0);
        visited += has_member ? lists.degree(near) : edge(0);
        const bool hub = degree >= HUB_DEGREE;
        defer_list(run, hub, near, first, first + degree);
        const uint32 own = hub ? 0 : uint32(degree);
        const bool alone = width == 1;  // no lane waits for others to know whose edge it has
        const uint32 inclusive = alone ? __shfl_sync(FULL_WARP, own, 0) : warp_inclusive_sum(own);
        const uint32 total = alone ? inclusive : __shfl_sync(FULL_WARP, inclusive, 31);
        for (uint32 start = 0; start < total; start += 32) {
            const uint32 item = start + lane;
            const bool active = item < total;
            const uint32 owner = alone ? 0 : owner_of(inclusive, active ? item : total - 1);
            const uint32 before = alone ? 0 : __shfl_sync(FULL_WARP, inclusive - own, owner);
            const edge at = __shfl_sync(FULL_WARP, first, owner) + (item - before);
            visit(active, vertex(__shfl_sync(FULL_WARP, near, owner)), active ? lists.neighbor(at) : vertex(0), at);
        }
    }
    return visited;
}

// piece: goes_by_lanes SECTOR_VALUES
// Whether each lane of a warp should walk its own list of `own` edges, from `first` on, where others share all edges
// evenly: lists of one length keep all lanes busy either way. Then what counts is memory: in the first row of edges, how
// many far ends are beside that of the lane before. Vertices with consecutive ids often have far ends with consecutive
// ids, as in grids and hypercubes; the ends of one list are consecutive in cliques.
constexpr uint32 SECTOR_VALUES = 8;  // of 32 bits
template <class Lists>
__device__ __forceinline__ bool goes_by_lanes(const Lists& lists, edge first, uint32 own) {
    const uint32 usual = __shfl_sync(FULL_WARP, own, 0);
    if (!__all_sync(FULL_WARP, own == usual && own > 1)) { return false; }
    const uint32 lane = lane_index();
    const vertex by_lane = lists.neighbor(first);
    const vertex by_edge = lists.neighbor(__shfl_sync(FULL_WARP, first, lane / own) + lane % own);
    const auto beside = [&](vertex far) {
        const vertex before = __shfl_up_sync(FULL_WARP, far, 1);
        return __popc(__ballot_sync(FULL_WARP, far != before && far / SECTOR_VALUES == before / SECTOR_VALUES));
    };
    return beside(by_lane) > 2 * beside(by_edge);
}

// piece: visit_row_pairs row_edge
// Visits the lists of a warp's members; a lane has `own` edges of `near`, from `first` on. Each lane loads two edges
// before it visits them, so that the loads overlap. Calls `visit(active, near, far, e)` with whole warps.
struct row_edge {
    bool active;
    vertex near, far;
    edge at;
};
template <class Lists, class Visit>
__device__ __forceinline__ void visit_row_pairs(const Lists& lists, vertex near, edge first, uint32 own, Visit visit) {
    const uint32 lane = lane_index();
    const uint32 inclusive = warp_inclusive_sum(own);
    const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
    const auto edge_of_item = [&](uint32 item) {
        const bool active = item < total;
        const uint32 owner = owner_of(inclusive, active ? item : total - 1);
        const uint32 before = __shfl_sync(FULL_WARP, inclusive - own, owner);
        const edge at = __shfl_sync(FULL_WARP, first, owner) + (item - before);
        return row_edge{active, vertex(__shfl_sync(FULL_WARP, near, owner)), active ? lists.neighbor(at) : vertex(0), at};
    };
    for (uint32 start = 0; start < total; start += 64) {
        const bool two = start + 32 < total;
        const row_edge one = edge_of_item(start + lane), other = two ? edge_of_item(start + 32 + lane) : row_edge();
        visit(one.active, one.near, one.far, one.at);
        if (two) { visit(other.active, other.near, other.far, other.at); }
    }
}

// piece: count_visited
__device__ __forceinline__ void count_visited(enactor& run, uint64 visited) {
    visited = warp_sum(visited);
    if (visited > 0 && lane_index() == 0) { atomicAdd_grid(&run.counters()->visited, visited); }
}

// piece: write_chunks
// Writes the lanes' long lists as chunks of `chunk_edges` edges: `chunks` of each list, from index `at` on. The whole
// warp must call it.
__device__ __forceinline__ void write_chunks(hub_chunk* room, uint64 at, uint32 chunks, uint32 deferring, vertex v, edge first,
                                             edge last, uint32 chunk_edges) {
#pragma unroll 1
    for (; deferring != 0; deferring &= deferring - 1) {
        const uint32 owner = __ffs(deferring) - 1;
        const uint32 count = __shfl_sync(FULL_WARP, chunks, owner);
        const vertex owned = vertex(__shfl_sync(FULL_WARP, v, owner));
        const edge begin = edge(__shfl_sync(FULL_WARP, first, owner)), end = edge(__shfl_sync(FULL_WARP, last, owner));
        hub_chunk* const hubs = room + __shfl_sync(FULL_WARP, at, owner);
#pragma unroll 1
        for (uint32 chunk = lane_index(); chunk < count; chunk += 32) {
            const edge start = begin + edge(chunk) * chunk_edges;
            hubs[chunk] = hub_chunk{owned, start, min(edge(start + chunk_edges), end)};
        }
        __syncwarp(FULL_WARP);
    }
}

// piece: note_chunks
// Appends the lanes' long lists to the `counter` chunks so far, in chunks of `chunk_edges` edges. The whole warp must
// call it.
__device__ OUTLINED void note_chunks(uint64* counter, hub_chunk* chunks_from, uint32 deferring, vertex v, edge first, edge last,
                                         uint32 chunk_edges) {
    const bool defer = (deferring >> lane_index() & 1) != 0;
    const uint32 chunks = defer ? uint32((last - first + chunk_edges - 1) / chunk_edges) : 0;
    const uint32 inclusive = warp_inclusive_sum(chunks);
    uint64 at = 0;
    if (lane_index() == 31) { at = atomicAdd_grid(counter, uint64(inclusive)); }
    at = __shfl_sync(FULL_WARP, at, 31) + (inclusive - chunks);
    write_chunks(chunks_from, at, chunks, deferring, v, first, last, chunk_edges);
}

// piece: defer_list
// Defers a lane's long list, in chunks of `chunk_edges` edges. A list may have thousands of chunks, so the whole warp
// writes them and must call this.
__device__ __forceinline__ void defer_list(enactor& run, bool defer, vertex v, edge first, edge last,
                                           uint32 chunk_edges = HUB_CHUNK) {
    const uint32 deferring = __ballot_sync(FULL_WARP, defer);
    if (deferring == 0) { return; }
    note_chunks(&run.counters()->hubs, run.slice.hubs, deferring, v, first, last, chunk_edges);
}

// piece: push_chunks
// Visits the chunks of the lists that were deferred, from index `begin` on, one warp per chunk.
template <class Lists, class Visit>
__device__ __forceinline__ void push_chunks(enactor& run, uint64 begin, uint64 chunks, const Lists& lists, Visit visit) {
    for (uint64 chunk = begin + warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        for (edge start = part.first; start < part.last; start += 32) {
            const edge at = start + lane_index();
            const bool active = at < part.last;
            visit(active, part.vertex_id, active ? lists.neighbor(at) : vertex(0), at);
        }
    }
}

// piece: push_hubs
// The same once all chunks are known. Returns the number of chunks so far.
// barriers: 1 if there are long lists, publishes chunks
template <class Lists, class Visit>
__device__ __forceinline__ uint64 push_hubs(enactor& run, int64 largest_degree, const Lists& lists, uint64 begin, Visit visit) {
    if (largest_degree < int64(HUB_DEGREE)) { return 0; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    push_chunks(run, begin, chunks, lists, visit);
    return chunks;
}

// piece: push_warps_side_by_side
// Visits the edges of every member: each warp takes up to 32 members and shares their edges evenly among its lanes,
// `several` edges per lane at a time: `load` reads `Values` for all of them, then `visit` is called for each. Lanes
// beyond the end repeat the last edge. Returns how many edges the members assigned to this thread have. Lists of
// HUB_DEGREE edges or more are cut into chunks, which `push_chunks_side_by_side` spreads over all warps.
template <uint32 several, class Values, class Warps = all_warps, class Members, class Lists, class Load, class Visit>
__device__ __forceinline__ uint64 push_warps_side_by_side(enactor& run, const Members& members, const Lists& lists,
                                                          Load load, Visit visit) {
    const uint64 size = members.size(), warps = own_warps<Warps>(members);
    const uint32 width = members_per_warp(size * Warps::operators);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = own_base<Warps>(members, width); base < own_last<Warps>(members); base += warps * width) {
        const bool has_member = lane < width && base + lane < own_last<Warps>(members);
        const vertex member = has_member ? members[base + lane] : vertex(0);
        const edge first = has_member ? lists.first(member) : edge(0);
        const edge degree = has_member ? lists.last(member) - first : edge(0);
        visited += has_member ? lists.degree(member) : edge(0);
        const bool hub = degree >= HUB_DEGREE;
        defer_list(run, hub, member, first, first + degree);
        const uint32 own = hub ? 0 : uint32(degree);
        const uint32 inclusive = warp_inclusive_sum(own);
        const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
        for (uint32 start = 0; start < total; start += several * 32) {
            vertex near[several], far[several];
            edge at[several];
            Values values[several];
            side_by_side<several>([&](uint32 k) {
                const uint32 item = min(start + k * 32 + lane, total - 1);
                values[k].active = start + k * 32 + lane < total;
                const uint32 owner = owner_of(inclusive, item);
                const uint32 before = __shfl_sync(FULL_WARP, inclusive - own, owner);
                at[k] = __shfl_sync(FULL_WARP, first, owner) + (item - before);
                near[k] = vertex(__shfl_sync(FULL_WARP, member, owner));
            });
            side_by_side<several>([&](uint32 k) { far[k] = lists.neighbor(at[k]); });
            load(near, far, at, values);
            side_by_side<several>([&](uint32 k) { visit(values[k].active, near[k], far[k], at[k], values[k]); });
        }
    }
    return visited;
}

// piece: push_chunks_side_by_side
// Visits the chunks of the lists that were deferred, from index `begin` on, one warp per chunk, `several` edges per
// lane at a time.
template <uint32 several, class Values, class Lists, class Load, class Visit>
__device__ __forceinline__ void push_chunks_side_by_side(enactor& run, uint64 begin, uint64 chunks, const Lists& lists,
                                                         Load load, Visit visit) {
    for (uint64 chunk = begin + warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        for (edge start = part.first; start < part.last; start += several * 32) {
            vertex near[several], far[several];
            edge at[several];
            Values values[several];
            side_by_side<several>([&](uint32 k) {
                const edge place = start + k * 32 + lane_index();
                values[k].active = place < part.last;
                at[k] = min(place, edge(part.last - 1));
                near[k] = part.vertex_id;
            });
            side_by_side<several>([&](uint32 k) { far[k] = lists.neighbor(at[k]); });
            load(near, far, at, values);
            side_by_side<several>([&](uint32 k) { visit(values[k].active, near[k], far[k], at[k], values[k]); });
        }
    }
}

// piece: push_hubs_side_by_side
// The same once all chunks are known. Returns the number of chunks so far.
// barriers: 1 if there are long lists, publishes chunks
template <uint32 several, class Values, class Lists, class Load, class Visit>
__device__ __forceinline__ uint64 push_hubs_side_by_side(enactor& run, int64 largest_degree, const Lists& lists, uint64 begin,
                                                         Load load, Visit visit) {
    if (largest_degree < int64(HUB_DEGREE)) { return 0; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    push_chunks_side_by_side<several, Values>(run, begin, chunks, lists, load, visit);
    return chunks;
}

// piece: push_threads
// Visits the edges of every member, one thread per member.
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_threads(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    const uint64 size = own_end(members), step = own_warps<all_warps>(members) * 32;
    uint64 visited = 0;
    for (uint64 base = own_base<all_warps>(members, 32); base < size; base += step) {
        const bool has_member = base + lane_index() < size;
        const vertex near = has_member ? members[base + lane_index()] : vertex(0);
        const edge last = has_member ? lists.last(near) : edge(0);
        edge at = has_member ? lists.first(near) : edge(0);
        visited += has_member ? lists.degree(near) : edge(0);
        vertex next = at < last ? lists.neighbor(at) : vertex(0);  // loaded one edge ahead
        while (__any_sync(FULL_WARP, at < last)) {
            const bool active = at < last;
            const vertex far = next;
            if (at + 1 < last) { next = lists.neighbor(at + 1); }
            visit(active, near, far, at);
            at += active ? 1 : 0;
        }
    }
    return visited;
}

// piece: push_blocks
// Visits the edges of every member: a block takes as many members as it has threads and shares all their edges among
// them.
template <class Members, class Lists, class Visit>
__device__ __forceinline__ uint64 push_blocks(enactor& run, const Members& members, const Lists& lists, Visit visit) {
    block_tile& tile = run.shared.tile;
    const uint64 size = members.size();
    uint64 visited = 0;
    for (uint64 base = uint64(block_index()) * BLOCK_THREADS; base < size; base += uint64(block_count()) * BLOCK_THREADS) {
        const bool has_member = base + threadIdx.x < size;
        const vertex near = has_member ? members[base + threadIdx.x] : vertex(0);
        const edge first = has_member ? lists.first(near) : edge(0);
        const edge degree = has_member ? lists.last(near) - first : edge(0);
        visited += has_member ? lists.degree(near) : edge(0);
        tile.near[threadIdx.x] = near;
        tile.first[threadIdx.x] = first;
        const edge total = block_inclusive_sum(tile, degree);
        for (edge start = 0; start < total; start += BLOCK_THREADS) {
            const edge item = start + threadIdx.x;
            const bool active = item < total;
            const uint32 owner = active ? tile_owner(tile, item) : 0;
            const edge before = owner > 0 ? tile.inclusive[owner - 1] : edge(0);
            const edge at = tile.first[owner] + (item - before);
            visit(active, tile.near[owner], active ? lists.neighbor(at) : vertex(0), at);
        }
        __syncthreads();
    }
    return visited;
}

// piece: block_tile
// The members of a block, and where the edges of each end in the block's work.
struct block_tile {
    vertex near[BLOCK_THREADS];
    edge first[BLOCK_THREADS];
    edge inclusive[BLOCK_THREADS];
};

// piece: block_inclusive_sum
// Fills `inclusive` with the prefix sum over the block's threads and returns the total.
__device__ __forceinline__ edge block_inclusive_sum(block_tile& tile, edge value) {
    tile.inclusive[threadIdx.x] = value;
    __syncthreads();
    for (uint32 step = 1; step < BLOCK_THREADS; step *= 2) {
        const edge below = threadIdx.x >= step ? tile.inclusive[threadIdx.x - step] : edge(0);
        __syncthreads();
        tile.inclusive[threadIdx.x] += below;
        __syncthreads();
    }
    return tile.inclusive[BLOCK_THREADS - 1];
}

// piece: tile_owner
// The first member whose edges end after `item`.
__device__ __forceinline__ uint32 tile_owner(const block_tile& tile, edge item) {
    uint32 low = 0, high = BLOCK_THREADS - 1;
    while (low < high) {
        const uint32 middle = (low + high) / 2;
        if (tile.inclusive[middle] <= item) { low = middle + 1; } else { high = middle; }
    }
    return low;
}
