// piece: intersect_warps
//
// The common out-neighbors of both ends of every member. A member is an edge, or the vertex that stands for a pair;
// `ends` maps it to its two ends, and below "edge" means either. Each warp takes up to 32 members. It walks the shorter
// list of each, searches the longer list for each neighbor, and shares all walks evenly among its lanes. A walk of
// LONG_WALK positions or more is cut into chunks, which `intersect_hubs` spreads over all warps; if there is no room
// for more chunks, the warp walks the rest itself.
//
// Calls `visit(common, x, e, at, place)` with whole warps. Where `common` holds, x is a common neighbor of the edge e,
// reported once, and `at` and `place` are its first positions in both lists. `e` is only set `with_edges`. Returns the
// total length of both lists of the members assigned to this thread.
template <bool with_edges, class Members, class Ends, class Visit>
__device__ __forceinline__ uint64 intersect_warps(enactor& run, const graph_slice& g, const Members& members,
                                                  const Ends& ends, Visit visit) {
    const out_lists lists{g};
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 width = members_per_warp(size);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    uint32 unpolled = 0;
    uint64 base = warp_index() * width;
    walk_ends next = ends_at(members, ends, base, width);
    for (; base < size; base += warps * width) {
        const walk_ends own_ends = next;
        next = ends_at(members, ends, base + warps * width, width);  // its loads overlap with the walks
        const edge member = own_ends.member;
        common_walk walk = {0, 0, 0, 0};
        if (own_ends.destination != NO_VERTEX) { walk = walk_between(g, ends, own_ends.source, own_ends.destination); }
        visited += uint64(walk.last - walk.first) + uint64(walk.high - walk.low);
        const bool is_long = walk.last - walk.first >= LONG_WALK;
        const edge rest = defer_walk(run, g, is_long, member, walk);
        for (uint32 rows = __ballot_sync(FULL_WARP, is_long && rest < walk.last); rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const edge e = __shfl_sync(FULL_WARP, member, row);
            intersect_part(g, ends, e, __shfl_sync(FULL_WARP, rest, row), __shfl_sync(FULL_WARP, walk.last, row), visit);
        }
        const uint32 own = is_long ? 0 : uint32(walk.last - walk.first);
        const uint32 inclusive = warp_inclusive_sum(own);
        const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
        unpolled += 32 + total;
        if (unpolled >= POLLED_ITEMS) {
            if (warp_stop_requested(run)) { break; }
            unpolled = 0;
        }
        const edge shift = walk.first - edge(inclusive - own);  // from the number of an item to its position, modulo 2^bits
        row_owners owners(own, inclusive);
        for (uint32 start = 0; start < total; start += 32 * SEARCHES) {
            vertex x[SEARCHES];
            edge e[SEARCHES], at[SEARCHES], low[SEARCHES], high[SEARCHES];
#pragma unroll
            for (uint32 k = 0; k < SEARCHES; ++k) {
                const uint32 item = start + 32 * k + lane;
                const bool active = item < total;
                const uint32 owner = owners.in_row(start + 32 * k);
                low[k] = __shfl_sync(FULL_WARP, walk.low, owner);
                high[k] = __shfl_sync(FULL_WARP, walk.high, owner);
                e[k] = with_edges ? edge(__shfl_sync(FULL_WARP, member, owner)) : edge(0);
                at[k] = edge(__shfl_sync(FULL_WARP, shift, owner)) + edge(item);
                x[k] = active ? lists.neighbor(at[k]) : vertex(0);
                const edge first = SIMPLE_LISTS ? at[k] : edge(__shfl_sync(FULL_WARP, walk.first, owner));
                if (!active || !is_new_in_list(lists, first, at[k], x[k])) { low[k] = high[k]; }
            }
            places_in_lists(lists, low, high, x);
#pragma unroll
            for (uint32 k = 0; k < SEARCHES; ++k) { visit(low[k] < high[k], x[k], e[k], at[k], low[k]); }
        }
    }
    return visited;
}

// piece: intersect_hubs
// Walks the chunks that `intersect_warps` deferred, one warp per chunk. Such a chunk has its first position, and the
// edge in the field `last`.
// barriers: 1 if there are long lists, publishes chunks
template <class Ends, class Visit>
__device__ __forceinline__ void intersect_hubs(enactor& run, const graph_slice& g, const Ends& ends, Visit visit) {
    if (g.largest_degree < int64(LONG_WALK)) { return; }
    const uint64 chunks = min(synchronize_and_read(run, &run.counters()->hubs), hub_room(g));
    for (uint64 chunk = warp_index(); chunk < chunks && !warp_stop_requested(run); chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        const edge e = part.last, last = walk_of(g, ends, e).last;
        intersect_part(g, ends, e, part.first, min(edge(part.first + HUB_CHUNK), last), visit);
    }
}

// piece: intersect_tables
// As `intersect_warps`, for the edges for which `is_tabled` holds. A block takes as many edges as it has threads, which
// have few sources with such long lists. It builds a hash table in shared memory from the list of each source in turn,
// and looks up the lists of the destinations in it.
template <bool with_places, class Members, class Visit>
__device__ __forceinline__ uint64 intersect_tables(enactor& run, const graph_slice& g, const Members& members, Visit visit) {
    if (g.largest_degree < int64(TABLE_LEAST)) { return 0; }
    const out_lists lists{g};
    neighbor_table& table = run.shared.table;
    uint64 visited = 0;
    for (uint64 base = uint64(block_index()) * BLOCK_THREADS; base < members.size(); base += grid_threads()) {
        if (threadIdx.x == 0) { table.runs = 0; }
        if (__syncthreads_or(warp_stop_requested(run))) { break; }
        const bool begins = begins_table(g, members, base);
        if (begins) { table.starts[atomicAdd(&table.runs, 1u)] = threadIdx.x; }
        const uint32 runs = __syncthreads_count(begins);
        for (uint32 i = 0; i < runs; ++i) {
            const uint64 start = base + table.starts[i];
            const vertex u = g.edge_sources[members[start]];
            const edge first = lists.first(u), last = lists.last(u);
            const uint64 end = min(uint64(last), min(base + BLOCK_THREADS, members.size()));
            visited += intersect_table<with_places>(g, members, table, start, end, first, last, visit);
            __syncthreads();
        }
    }
    return visited;
}

// piece: begins_table
// Whether this thread's edge is the first edge of its source, among those from `base` on, and its source has a table.
template <class Members>
__device__ __forceinline__ bool begins_table(const graph_slice& g, const Members& members, uint64 base) {
    const uint64 at = base + threadIdx.x;
    if (at >= members.size()) { return false; }
    const vertex u = g.edge_sources[members[at]];
    const out_lists lists{g};
    return has_table(lists.degree(u)) && (threadIdx.x == 0 || g.edge_sources[members[at - 1]] != u);
}

// piece: intersect_table
// Intersects the edges from `start` to `end`, all of one source, whose list is at `first` to `last`.
template <bool with_places, class Members, class Visit>
__device__ __forceinline__ uint64 intersect_table(const graph_slice& g, const Members& members, neighbor_table& table,
                                                  uint64 start, uint64 end, edge first, edge last, Visit visit) {
    const out_lists lists{g};
    const uint64 place = start + threadIdx.x / 32 + uint64(lane_index()) * (BLOCK_THREADS / 32);
    const edge member = place < end ? edge(members[place]) : edge(0);
    const vertex w = place < end ? g.columns[member] : vertex(0);
    const edge own_first = place < end ? lists.first(w) : edge(0), own_last = place < end ? lists.last(w) : edge(0);
    fill_table(table, lists, first, last);
    const bool tabled = place < end && is_tabled(last - first, own_last - own_first);
    for (uint32 rows = __ballot_sync(FULL_WARP, tabled); rows != 0; rows &= rows - 1) {
        const uint32 row = __ffs(rows) - 1;
        const edge e = __shfl_sync(FULL_WARP, member, row);
        const edge walk = __shfl_sync(FULL_WARP, own_first, row), walk_last = __shfl_sync(FULL_WARP, own_last, row);
        for (edge begin = walk; begin < walk_last; begin += 32 * TABLE_READS) {
            vertex x[TABLE_READS];
#pragma unroll
            for (uint32 k = 0; k < TABLE_READS; ++k) {
                const edge at = begin + 32 * k + lane_index();
                x[k] = at < walk_last ? lists.neighbor(at) : NO_VERTEX;
            }
#pragma unroll
            for (uint32 k = 0; k < TABLE_READS; ++k) {
                const edge at = begin + 32 * k + lane_index();
                const bool common = x[k] != NO_VERTEX && table.has(x[k]) && is_new_in_list(lists, walk, at, x[k]);
                visit(common, x[k], e, at, common && with_places ? first_place(lists, first, last, x[k]) : last);
            }
        }
    }
    return tabled ? uint64(own_last - own_first) + uint64(last - first) : 0;
}

// piece: neighbor_table
// A hash table of the neighbors of one vertex, with linear probing and up to TABLE_SPREAD slots per neighbor. Also
// records where the edges of sources with tables begin among the block's edges.
struct neighbor_table {
    vertex slots[TABLE_SLOTS];
    uint32 starts[BLOCK_THREADS / TABLE_LEAST + 2];
    uint32 runs, mask;

    __device__ __forceinline__ static uint32 place(vertex x) { return (uint32(x) * 0x9e3779b1u) >> 15; }

    __device__ __forceinline__ bool has(vertex x) const {
        uint32 slot = place(x) & mask;
        vertex stored = slots[slot];
        while (stored != x && stored != NO_VERTEX) {
            slot = (slot + 1) & mask;
            stored = slots[slot];
        }
        return stored == x;
    }
};

// piece: fill_table
// Builds the table from the neighbors at `first` to `last`. The whole block must call it.
__device__ __forceinline__ void fill_table(neighbor_table& table, const out_lists& lists, edge first, edge last) {
    uint32 size = 4;
    while (size < TABLE_SLOTS && size < TABLE_SPREAD * uint32(last - first)) { size *= 2; }
    if (threadIdx.x == 0) { table.mask = size - 1; }
    for (uint32 i = threadIdx.x; i < size; i += BLOCK_THREADS) { table.slots[i] = NO_VERTEX; }
    __syncthreads();
    for (edge at = first + threadIdx.x; at < last; at += BLOCK_THREADS) {
        const vertex x = lists.neighbor(at);
        for (uint32 slot = neighbor_table::place(x) & (size - 1);;) {
            const vertex former = load_relaxed(&table.slots[slot]);
            if (former == x || (former == NO_VERTEX && exchange_word(&table.slots[slot], NO_VERTEX, x))) { break; }
            if (former != NO_VERTEX) { slot = (slot + 1) & (size - 1); }
        }
    }
    __syncthreads();
}

// piece: has_table is_tabled
// Whether a list becomes a table, and whether an edge uses its source's table. It does not if its destination's list is
// so long that searching it is cheaper.
__device__ __forceinline__ bool has_table(edge degree) { return degree >= TABLE_LEAST && 2 * uint64(degree) <= TABLE_SLOTS; }
__device__ __forceinline__ bool is_tabled(edge degree, edge other) {
    return has_table(degree) && uint64(other) <= TABLE_REACH * uint64(degree);
}

// piece: TABLE_READS TABLE_REACH TABLE_SPREAD
constexpr uint32 TABLE_SPREAD = 8;  // slots per neighbor, if there is room
constexpr uint32 TABLE_READS = 8;  // loads per lane that overlap
constexpr uint64 TABLE_REACH = 4;  // a list that is looked up may be so many times as long as the table's

// piece: first_place
// The first position of x, which must be present, among the neighbors at `low` to `high`.
__device__ __forceinline__ edge first_place(const out_lists& lists, edge low, edge high, vertex x) {
    while (low < high) {
        const edge middle = low + (high - low) / 2;
        if (lists.neighbor(middle) < x) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: untabled_ends
// The ends of an edge. Edges that use a table are not walked here.
struct untabled_ends : edge_ends {
    __device__ __forceinline__ bool walks(edge degree, edge other) const { return !is_tabled(degree, other); }
};

// piece: walk_ends ends_at
// A member and its two ends; NO_VERTEX if this lane has no member, or its member has no partner.
struct walk_ends {
    edge member;
    vertex source, destination;
};
template <class Members, class Ends>
__device__ __forceinline__ walk_ends ends_at(const Members& members, const Ends& ends, uint64 base, uint32 width) {
    const uint64 at = base + lane_index();
    if (lane_index() >= width || at >= members.size()) { return walk_ends{0, NO_VERTEX, NO_VERTEX}; }
    const edge member = edge(members[at]);
    return walk_ends{member, ends.source(member), ends.destination(member)};
}

// piece: POLLED_ITEMS
constexpr uint32 POLLED_ITEMS = 4096;  // that a warp looks up before it asks whether to stop

// piece: intersect_part
// One warp walks the positions `first` to `last` for one edge.
template <class Ends, class Visit>
__device__ __forceinline__ void intersect_part(const graph_slice& g, const Ends& ends, edge e, edge first, edge last,
                                               Visit visit) {
    const out_lists lists{g};
    const common_walk walk = walk_of(g, ends, e);
    for (edge start = first; start < last; start += 32 * SEARCHES) {
        vertex x[SEARCHES];
        edge at[SEARCHES], low[SEARCHES], high[SEARCHES];
#pragma unroll
        for (uint32 k = 0; k < SEARCHES; ++k) {
            at[k] = start + 32 * k + lane_index();
            const bool active = at[k] < last;
            x[k] = active ? lists.neighbor(at[k]) : vertex(0);
            high[k] = walk.high;
            low[k] = active && is_new_in_list(lists, walk.first, at[k], x[k]) ? walk.low : walk.high;
        }
        places_in_lists(lists, low, high, x);
#pragma unroll
        for (uint32 k = 0; k < SEARCHES; ++k) { visit(low[k] < high[k], x[k], e, at[k], low[k]); }
    }
}

// piece: common_walk walk_between walk_of
// The walk for one edge: `first` to `last` is the shorter list, `low` to `high` the longer one. Empty if `ends` says that
// others walk it.
struct common_walk {
    edge first, last, low, high;
};
template <class Ends>
__device__ __forceinline__ common_walk walk_between(const graph_slice& g, const Ends& ends, vertex u, vertex w) {
    const out_lists lists{g};
    const edge u_first = lists.first(u), u_last = lists.last(u), w_first = lists.first(w), w_last = lists.last(w);
    if (!ends.walks(u_last - u_first, w_last - w_first)) { return common_walk{0, 0, 0, 0}; }
    if (u_last - u_first <= w_last - w_first) { return common_walk{u_first, u_last, w_first, w_last}; }
    return common_walk{w_first, w_last, u_first, u_last};
}
template <class Ends>
__device__ __forceinline__ common_walk walk_of(const graph_slice& g, const Ends& ends, edge e) {
    return walk_between(g, ends, ends.source(e), ends.destination(e));
}

// piece: edge_ends
// The ends of an edge.
struct edge_ends {
    const graph_slice& g;
    __device__ __forceinline__ vertex source(edge e) const { return __ldg(&g.edge_sources[e]); }
    __device__ __forceinline__ vertex destination(edge e) const { return __ldg(&g.columns[e]); }
    __device__ __forceinline__ bool walks(edge, edge) const { return true; }
};

// piece: pair_ends
// A vertex and its partner; NO_VERTEX if it has none.
struct pair_ends {
    const vertex* partners;
    __device__ __forceinline__ vertex source(edge u) const { return vertex(u); }
    __device__ __forceinline__ vertex destination(edge u) const { return partners[u]; }
    __device__ __forceinline__ bool walks(edge, edge) const { return true; }
};

// piece: is_new_in_list
// Whether the neighbor `x` at `at` is the first of its parallel edges in the list that begins at `first`. Parallel
// edges are adjacent; a simple graph has none.
__device__ __forceinline__ bool is_new_in_list(const out_lists& lists, edge first, edge at, vertex x) {
    return SIMPLE_LISTS || at == first || lists.neighbor(at - 1) != x;
}

// piece: SEARCHES places_in_lists
// Binary searches for each `x` in the ascending neighbors at `low` to `high`. Leaves its first position in `low`, or
// `high` if it is absent. SEARCHES searches are interleaved, so that their loads overlap.
constexpr uint32 SEARCHES = 3;
__device__ __forceinline__ void places_in_lists(const out_lists& lists, edge (&low)[SEARCHES], const edge (&high)[SEARCHES],
                                                const vertex (&x)[SEARCHES]) {
    edge left[SEARCHES];
    edge most = 0;
    uint32 found = 0;  // a bit for each search that has met its x, as one that ends there has
#pragma unroll
    for (uint32 k = 0; k < SEARCHES; ++k) {
        left[k] = high[k] - low[k];
        most = max(most, left[k]);
    }
    while (most > 0) {
        most = 0;
        vertex middle[SEARCHES];
#pragma unroll
        for (uint32 k = 0; k < SEARCHES; ++k) { middle[k] = left[k] > 0 ? lists.neighbor(low[k] + left[k] / 2) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < SEARCHES; ++k) {
            const edge half = left[k] / 2;
            found |= left[k] > 0 && middle[k] == x[k] ? 1u << k : 0u;
            const bool below = left[k] > 0 && middle[k] < x[k];
            low[k] += below ? half + 1 : 0;
            left[k] = below ? left[k] - half - 1 : half;
            most = max(most, left[k]);
        }
    }
#pragma unroll
    for (uint32 k = 0; k < SEARCHES; ++k) {
        if ((found >> k & 1) == 0) { low[k] = high[k]; }
    }
}

// piece: hub_room
// The capacity for chunks.
__device__ __forceinline__ uint64 hub_room(const graph_slice& g) {
    return 2 * (uint64(g.num_edges) / HUB_CHUNK + uint64(g.num_edges) / HUB_DEGREE + 2);
}

// piece: defer_walk
// Defers a lane's long walk, in chunks of HUB_CHUNK positions, as far as there is room. Returns where the rest begins.
// The whole warp must call it.
__device__ __forceinline__ edge defer_walk(enactor& run, const graph_slice& g, bool defer, edge e, const common_walk& walk) {
    if (!__any_sync(FULL_WARP, defer)) { return walk.first; }
    const uint32 chunks = defer ? uint32((walk.last - walk.first + HUB_CHUNK - 1) / HUB_CHUNK) : 0;
    const uint32 inclusive = warp_inclusive_sum(chunks);
    uint64 at = 0;
    if (lane_index() == 31) { at = atomicAdd_grid(&run.counters()->hubs, uint64(inclusive)); }
    at = __shfl_sync(FULL_WARP, at, 31) + (inclusive - chunks);
    edge rest = walk.first;
    for (const uint64 end = min(at + chunks, hub_room(g)); at < end; ++at) {
        const edge start = rest;
        rest = min(edge(start + HUB_CHUNK), walk.last);
        run.slice.hubs[at] = hub_chunk{vertex(0), start, e};
    }
    return rest;
}

// piece: check_pairs
// Stops the run if two sets differ in size.
// barriers: 1
__device__ __forceinline__ void check_pairs(enactor& run, const data_slice& d, int64 more, uint32 check) {
    if (leader() && more != 0) { checked_index(d, more, 0, check); }
    synchronize(run);
}
