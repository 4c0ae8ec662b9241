// piece: reduce_and_collect
// Reduces the lists of a warp's members, and tells the whole warp of the results: `finish(whole, near, reduced)` with
// `whole` for a lane that has the complete result of its member. Of lists that are left to `reduce_hubs`, `begin` stores
// the identity.
template <uint32 side_by_side, class T, class Members, class Lists, class Value, class Combine, class Begin, class Finish>
__device__ __forceinline__ void reduce_and_collect(enactor& run, const Members& members, const Lists& lists, T identity,
                                                   Combine combine, Value value, Begin begin, Finish finish) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_per_warp(size), alone = longest_alone(lists.g);
    const uint32 chunk = 4 * size <= grid_warps() ? HUB_CHUNK : REDUCED_CHUNK;
    const uint64 share = fair_share(lists.g, size);
    uint64 visited = 0;
    for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
        const bool has_member = lane < width && base + lane < size;
        const vertex near = has_member ? members[base + lane] : vertex(0);
        const edge first = has_member ? lists.first(near) : edge(0);
        const edge degree = has_member ? lists.last(near) - first : edge(0);
        visited += degree;
        bool hub = degree >= REDUCED_HUB;
        if (share != ~uint64(0) && __any_sync(FULL_WARP, !hub && degree >= HUB_DEGREE)) {
            const uint32 walked = warp_sum(hub ? 0 : uint32(degree));
            hub = degree >= (width < 32 || walked > share ? HUB_DEGREE : REDUCED_HUB);
        }
        if (hub) { begin(near); }
        defer_list(run, hub, near, first, first + degree, chunk);
        const uint32 own = hub ? 0 : uint32(degree);
        T reduced;
        if (width < 32) {
            few_lists few{near, first, own, warp_inclusive_sum(own)};
            few.find(lists, 0);
            reduced = reduce_few(lists, few, identity, combine, value);
        } else {
            const edge by_thread = edge(own <= alone ? own : 0);
            reduced = reduce_list<side_by_side, 1>(lists, near, first, by_thread, identity, combine, value);
            const uint32 by_eight = __ballot_sync(FULL_WARP, own > alone && own <= GROUPED_LIST);
            reduced = reduce_in_groups<side_by_side, 8>(by_eight, lists, near, first, own, identity, combine, value, reduced);
            const uint32 by_warp = __ballot_sync(FULL_WARP, own > alone && own > GROUPED_LIST);
            reduced = reduce_in_groups<side_by_side, 32>(by_warp, lists, near, first, own, identity, combine, value, reduced);
        }
        __syncwarp(FULL_WARP);
        finish(has_member && !hub, near, reduced);
    }
    count_visited(run, visited);
}

// piece: each_hub_together
// Lists of at least REDUCED_HUB edges, which all threads have walked, by whole warps: `finish(active, near)`.
// barriers: 1 if there are long lists
template <class Finish>
__device__ __forceinline__ void each_hub_together(enactor& run, int64 largest_degree, Finish finish) {
    if (largest_degree < int64(REDUCED_HUB)) { return; }
    synchronize(run);
    const uint64 chunks = load_relaxed(&run.counters()->hubs);
    for (uint64 base = warp_index() * 32; base < chunks; base += grid_warps() * 32) {
        const uint64 chunk = base + lane_index();
        const vertex near = chunk < chunks ? run.slice.hubs[chunk].vertex_id : vertex(0);
        finish(chunk < chunks && (chunk == 0 || run.slice.hubs[chunk - 1].vertex_id != near), near);
    }
}
