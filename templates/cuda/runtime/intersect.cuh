// piece: intersect_warps
// The common out-neighbours of both ends of every member, which is an edge, or the vertex that a pair is known by: so
// `ends` says, and below "an edge" is either. A warp takes up to 32 members; of each the
// shorter list is walked, and each of its vertices looked for in the longer one. All these walks are shared evenly among
// the lanes. A walk of LONG_WALK places or more is cut into chunks, which all warps take side by side in
// `intersect_hubs`; what these have no room for, the warp walks itself.
// `visit(common, x, e, at, found)` is called by whole warps; x is a common neighbour of the edge e where `common` holds,
// once for each, and stands at these places of both lists first. What e is says it only `with_edges`.
// Returns how many edges the two lists of the members that this thread took have.
template <bool with_edges, class Members, class Ends, class Visit>
__device__ __forceinline__ uint64 intersect_warps(enactor& run, const graph_slice& g, const Members& members,
                                                  const Ends& ends, Visit visit) {
    const out_lists lists{g};
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 width = members_a_warp(size);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = warp_index() * width; base < size && !asked_to_stop(run); base += warps * width) {
        const bool taken = lane < width && base + lane < size;
        common_walk walk = {0, 0, 0, 0};
        const edge member = taken ? edge(members[base + lane]) : edge(0);
        if (taken) { walk = walk_of(g, ends, member); }
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
        for (uint32 start = 0; start < total; start += 32 * LOOKS) {
            vertex x[LOOKS];
            edge e[LOOKS], at[LOOKS], low[LOOKS], high[LOOKS];
#pragma unroll
            for (uint32 k = 0; k < LOOKS; ++k) {
                const uint32 item = start + 32 * k + lane;
                const bool active = item < total;
                const uint32 owner = owner_of(inclusive, active ? item : total - 1);
                const uint32 before = __shfl_sync(FULL_WARP, inclusive - own, owner);
                const edge first = __shfl_sync(FULL_WARP, walk.first, owner);
                low[k] = __shfl_sync(FULL_WARP, walk.low, owner);
                high[k] = __shfl_sync(FULL_WARP, walk.high, owner);
                e[k] = with_edges ? edge(__shfl_sync(FULL_WARP, member, owner)) : edge(0);
                at[k] = first + (item - before);
                x[k] = active ? lists.neighbor(at[k]) : vertex(0);
                if (!active || !is_new_in_list(lists, first, at[k], x[k])) { low[k] = high[k]; }
            }
            places_in_lists(lists, low, high, x);
#pragma unroll
            for (uint32 k = 0; k < LOOKS; ++k) { visit(low[k] < high[k], x[k], e[k], at[k], low[k]); }
        }
    }
    return visited;
}

// piece: intersect_hubs
// The chunks that `intersect_warps` left, a warp each: of each the first place, and in place of the last one the edge.
template <class Ends, class Visit>
__device__ __forceinline__ void intersect_hubs(enactor& run, const graph_slice& g, const Ends& ends, Visit visit) {
    if (g.largest_degree < int64(LONG_WALK)) { return; }
    synchronize(run);
    const uint64 chunks = minimum(load_relaxed(&run.counters()->hubs), hub_room(g));
    for (uint64 chunk = warp_index(); chunk < chunks && !asked_to_stop(run); chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        const edge e = part.last, last = walk_of(g, ends, e).last;
        intersect_part(g, ends, e, part.first, minimum(edge(part.first + HUB_CHUNK), last), visit);
    }
}

// piece: intersect_part
// The places `first` to `last` of the walk for an edge, by one warp.
template <class Ends, class Visit>
__device__ __forceinline__ void intersect_part(const graph_slice& g, const Ends& ends, edge e, edge first, edge last,
                                               Visit visit) {
    const out_lists lists{g};
    const common_walk walk = walk_of(g, ends, e);
    for (edge start = first; start < last; start += 32 * LOOKS) {
        vertex x[LOOKS];
        edge at[LOOKS], low[LOOKS], high[LOOKS];
#pragma unroll
        for (uint32 k = 0; k < LOOKS; ++k) {
            at[k] = start + 32 * k + lane_index();
            const bool active = at[k] < last;
            x[k] = active ? lists.neighbor(at[k]) : vertex(0);
            high[k] = walk.high;
            low[k] = active && is_new_in_list(lists, walk.first, at[k], x[k]) ? walk.low : walk.high;
        }
        places_in_lists(lists, low, high, x);
#pragma unroll
        for (uint32 k = 0; k < LOOKS; ++k) { visit(low[k] < high[k], x[k], e, at[k], low[k]); }
    }
}

// piece: common_walk walk_of
// The walk for one edge: the places `first` to `last` of the shorter list; `low` to `high` is the longer one.
struct common_walk {
    edge first, last, low, high;
};
template <class Ends>
__device__ __forceinline__ common_walk walk_of(const graph_slice& g, const Ends& ends, edge e) {
    const out_lists lists{g};
    const vertex u = ends.source(e), w = ends.destination(e);
    if (w == NO_VERTEX) { return common_walk{0, 0, 0, 0}; }
    const edge u_first = lists.first(u), u_last = lists.last(u), w_first = lists.first(w), w_last = lists.last(w);
    if (u_last - u_first <= w_last - w_first) { return common_walk{u_first, u_last, w_first, w_last}; }
    return common_walk{w_first, w_last, u_first, u_last};
}

// piece: edge_ends
// The ends of an edge.
struct edge_ends {
    const graph_slice& g;
    __device__ __forceinline__ vertex source(edge e) const { return __ldg(&g.edge_sources[e]); }
    __device__ __forceinline__ vertex destination(edge e) const { return __ldg(&g.columns[e]); }
};

// piece: pair_ends
// A vertex and its partner, which is NO_VERTEX where it has none.
struct pair_ends {
    const vertex* partners;
    __device__ __forceinline__ vertex source(edge u) const { return vertex(u); }
    __device__ __forceinline__ vertex destination(edge u) const { return partners[u]; }
};

// piece: is_new_in_list
// Whether the neighbour `x` at place `at` is the first of its equals in the list that begins at `first`: parallel edges
// stand side by side.
__device__ __forceinline__ bool is_new_in_list(const out_lists& lists, edge first, edge at, vertex x) {
    return at == first || lists.neighbor(at - 1) != x;
}

// piece: LOOKS places_in_lists
// The first places of each `x` among the neighbours at the places `low` to `high`, which ascend, are left in `low`; that is
// `high` where it is not there. LOOKS searches go side by side, so that none waits for another's loads.
constexpr uint32 LOOKS = 6;
__device__ __forceinline__ void places_in_lists(const out_lists& lists, edge (&low)[LOOKS], const edge (&high)[LOOKS],
                                                const vertex (&x)[LOOKS]) {
    edge left[LOOKS];
    edge most = 0;
#pragma unroll
    for (uint32 k = 0; k < LOOKS; ++k) {
        left[k] = high[k] - low[k];
        most = maximum(most, left[k]);
    }
    while (most > 0) {
        most = 0;
        vertex middle[LOOKS];
#pragma unroll
        for (uint32 k = 0; k < LOOKS; ++k) { middle[k] = left[k] > 0 ? lists.neighbor(low[k] + left[k] / 2) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < LOOKS; ++k) {
            const edge half = left[k] / 2;
            const bool below = left[k] > 0 && middle[k] < x[k];
            low[k] += below ? half + 1 : 0;
            left[k] = below ? left[k] - half - 1 : half;
            most = maximum(most, left[k]);
        }
    }
#pragma unroll
    for (uint32 k = 0; k < LOOKS; ++k) {
        if (low[k] < high[k] && lists.neighbor(low[k]) != x[k]) { low[k] = high[k]; }
    }
}

// piece: hub_room
// How many chunks there is room for.
__device__ __forceinline__ uint64 hub_room(const graph_slice& g) {
    return 2 * (uint64(g.num_edges) / HUB_CHUNK + uint64(g.num_edges) / HUB_DEGREE + 2);
}

// piece: defer_walk
// Leaves a lane's long walk for later, in chunks of HUB_CHUNK places, as far as there is room. Returns where the rest
// begins. The whole warp calls.
__device__ __forceinline__ edge defer_walk(enactor& run, const graph_slice& g, bool defer, edge e, const common_walk& walk) {
    if (!__any_sync(FULL_WARP, defer)) { return walk.first; }
    const uint32 chunks = defer ? uint32((walk.last - walk.first + HUB_CHUNK - 1) / HUB_CHUNK) : 0;
    const uint32 inclusive = warp_inclusive_sum(chunks);
    uint64 at = 0;
    if (lane_index() == 31) { at = atomicAdd(&run.counters()->hubs, uint64(inclusive)); }
    at = __shfl_sync(FULL_WARP, at, 31) + (inclusive - chunks);
    edge rest = walk.first;
    for (const uint64 end = minimum(at + chunks, hub_room(g)); at < end; ++at) {
        const edge start = rest;
        rest = minimum(edge(start + HUB_CHUNK), walk.last);
        run.slice.hubs[at] = hub_chunk{vertex(0), start, e};
    }
    return rest;
}

// piece: check_pairs
// Stops the run where one of two sets has members more than the other.
__device__ __forceinline__ void check_pairs(enactor& run, const data_slice& d, int64 more, uint32 check) {
    if (leader() && more != 0) { checked_index(d, more, 0, check); }
    synchronize(run);
}
