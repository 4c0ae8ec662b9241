// piece: nth_edge
// The edge at a place of a list.
__device__ __forceinline__ edge nth_edge(const edge_range& list, edge place) { return list.first + place; }

// piece: has_long_list
// Whether a vertex has a list for a whole warp.
__device__ __forceinline__ bool has_long_list(const graph_slice& g, vertex v) {
    const out_lists lists{g};
    return lists.last(v) - lists.first(v) >= HUB_DEGREE;
}

// piece: next_lane
// Takes the lowest of some lanes.
__device__ __forceinline__ uint32 next_lane(uint32& lanes) {
    const uint32 lane = __ffs(lanes) - 1;
    lanes &= lanes - 1;
    return lane;
}

// piece: each_edge_by_lanes
// A loop over a list by a whole warp, some `rows` of 32 edges at a time, one edge of each row for each lane. `own`
// evaluates the `Values` that do not depend on the edges before it, and returns whether anything else is done for it. For
// each of those edges, in the order of the list, all lanes then call `next`, with the lane that has it. Last, its lane
// calls `after`. Lanes beyond the end have the last edge, which is not `within` then: `own` alone is called. Returns false
// if the run is stopped.
template <class Values, uint32 rows, class Own, class Next, class After>
__device__ __forceinline__ bool each_edge_by_lanes(const data_slice& d, uint32& polls, const edge_range& list, Own own,
                                                   Next next, After after) {
    const edge size = edge(list.last - list.first);
    for (edge base = 0; base < size; base += rows * 32) {
        if (stop_requested_by_warp(d, polls)) { return false; }
        edge at[rows];
        bool counts[rows];
        Values values[rows] = {};
        side_by_side<rows>([&](uint32 row) {
            const edge place = base + row * 32 + lane_index();
            at[row] = nth_edge(list, min(place, edge(size - 1)));
            counts[row] = own(at[row], place < size, values[row]) && place < size;
        });
        side_by_side<rows>([&](uint32 row) {
            uint32 left = __ballot_sync(FULL_WARP, counts[row]);
            for (uint32 many = __popc(left); many >= 8; many -= 8) {
                side_by_side<8>([&](uint32) { next(next_lane(left), values[row]); });
            }
            while (left != 0) { next(next_lane(left), values[row]); }
        });
        side_by_side<rows>([&](uint32 row) {
            if (counts[row]) { after(at[row], values[row]); }
        });
    }
    return true;
}

// piece: each_long_list
// Calls `visit` with a whole warp for every member with a long list. Warps take members in turns: those that lie side by
// side often have lists alike.
template <class Members, class Visit>
__device__ __forceinline__ void each_long_list(const Members& members, const graph_slice& g, Visit visit) {
    if (g.largest_degree < int64(HUB_DEGREE)) { return; }
    const uint64 size = members.size(), warps = grid_warps();
    __syncwarp(FULL_WARP);
    for (uint64 base = warp_index(); base < size; base += 32 * warps) {
        const uint64 at = base + lane_index() * warps;
        const vertex v = at < size ? members[at] : vertex(0);
        uint32 waiting = __ballot_sync(FULL_WARP, at < size && has_long_list(g, v));
        while (waiting != 0) { visit(vertex(shuffle(v, next_lane(waiting)))); }
    }
}
