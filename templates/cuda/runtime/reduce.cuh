// piece: reduce_list
// The reduction of every `stride`-th of the `left` edges from `at` on, `side_by_side` at a time, none of which waits for
// another.
template <uint32 side_by_side, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_list(const Lists& lists, vertex near, edge at, edge left, uint32 stride, T identity,
                                         Combine combine, Value value) {
    const uint32 step = stride * side_by_side;
    T reduced = identity;
    for (; left > 0; left -= minimum(left, edge(step)), at += step) {
        vertex far[side_by_side];
        T part[side_by_side];
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { far[k] = k * stride < left ? lists.neighbor(at + k * stride) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { part[k] = k * stride < left ? value(near, far[k], at + k * stride) : identity; }
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { reduced = combine(reduced, part[k]); }
    }
    return reduced;
}

// piece: without_lowest
// `bits` without the lowest `count` of them.
__device__ __forceinline__ uint32 without_lowest(uint32 bits, uint32 count) {
    for (; count > 0; --count) { bits &= bits - 1; }
    return bits;
}

// piece: reduce_in_groups
// The lists of `lane`s in `waiting`, as many at a time as there are groups of `lanes` lanes in a warp; a lane of those gets
// its list's reduction, any other keeps `reduced`. Returns who still waits. The whole warp calls.
template <uint32 side_by_side, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ uint32 reduce_in_groups(uint32 waiting, uint32 lanes, const Lists& lists, vertex near, edge first,
                                                   uint32 degree, T identity, Combine combine, Value value, T& reduced) {
    const uint32 lane = lane_index(), rank = lane % lanes;
    const uint32 own = without_lowest(waiting, lane / lanes), rest = without_lowest(waiting, 32 / lanes);
    const uint32 owner = own != 0 ? __ffs(own) - 1 : 0;
    const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
    const edge begin = edge(__shfl_sync(FULL_WARP, first, owner));
    const uint32 held = __shfl_sync(FULL_WARP, degree, owner), length = own != 0 ? held : 0;
    T part = reduce_list<side_by_side>(lists, owned, begin + rank, edge(rank < length ? length - rank : 0), lanes, identity,
                                       combine, value);
    __syncwarp(FULL_WARP);
    for (uint32 step = 1; step < lanes && __any_sync(FULL_WARP, length > step); step *= 2) {
        part = combine(part, shuffle_down(part, step));
    }
    // The first lane of a group holds what its list brings.
    const T brought = shuffle(part, __popc(waiting & ((1u << lane) - 1)) * lanes & 31);
    if (((waiting & ~rest) >> lane & 1) != 0) { reduced = brought; }
    return rest;
}

// piece: reduce_warps
// For every member the reduction of `value` over its edges. A warp takes up to 32 members: short lists go a thread each,
// longer ones eight lanes each or the whole warp; the longest are left to `reduce_hubs`. Where members are few, a warp takes
// four or less and gives each the same share of its lanes.
template <uint32 side_by_side, class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_warps(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_a_warp(size);
    const bool few = width <= 4;
    uint64 visited = 0;
    for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
        const bool taken = lane < width && base + lane < size;
        const vertex near = taken ? members[base + lane] : vertex(0);
        const edge first = taken ? lists.first(near) : edge(0);
        const edge degree = taken ? lists.last(near) - first : edge(0);
        visited += degree;
        const bool hub = degree >= REDUCED_HUB;
        defer_list<REDUCED_CHUNK>(run, hub, near, first, first + degree);
        const uint32 own = hub ? 0 : uint32(degree);
        const bool alone = !few && own <= SHORT_LIST;
        T reduced = reduce_list<side_by_side>(lists, near, first, edge(alone ? own : 0), 1, identity, combine, value);
        uint32 in_groups = __ballot_sync(FULL_WARP, own > 0 && !alone && (few || own <= GROUPED_LIST));
        uint32 by_warp = __ballot_sync(FULL_WARP, !few && own > GROUPED_LIST);
        while ((in_groups | by_warp) != 0) {
            const uint32 lanes = few ? 32 / width : in_groups != 0 ? 8 : 32;
            uint32& waiting = in_groups != 0 ? in_groups : by_warp;
            waiting = reduce_in_groups<side_by_side>(waiting, lanes, lists, near, first, own, identity, combine, value, reduced);
        }
        if (taken) { assign(near, reduced); }
    }
    count_visited(run, visited);
}

// piece: reduce_hubs
// The chunks that `reduce_warps` left, from number `begin` on, a warp each; `add` combines a chunk's part with what
// stands there.
template <uint32 side_by_side, class T, class Lists, class Value, class Combine, class Add>
__device__ __forceinline__ void reduce_hubs(enactor& run, int64 largest_degree, const Lists& lists, uint64 begin, T identity,
                                            Combine combine, Value value, Add add) {
    if (largest_degree < int64(REDUCED_HUB)) { return; }
    synchronize(run);
    const uint64 chunks = load_relaxed(&run.counters()->hubs);
    const uint32 rank = lane_index();
    for (uint64 chunk = begin + warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        const edge length = part.last - part.first;
        T reduced = reduce_list<side_by_side>(lists, part.vertex_id, part.first + rank, rank < length ? length - rank : edge(0), 32,
                                              identity, combine, value);
        __syncwarp(FULL_WARP);
        reduced = warp_reduce(reduced, combine);
        if (rank == 0) { add(part.vertex_id, reduced); }
    }
}

// piece: reduce_until
// The same where no further edge changes a result that is `final`: a thread looks at the first edges of a list, its warp
// at what is left of it, 32 at a time, until the result is that; what is left of the longest goes to `reduce_hubs_until`.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_until(enactor& run, const Members& members, const Lists& lists, T identity, T final,
                                             Combine combine, Value value, Assign assign) {
    const uint64 size = members.size();
    uint64 visited = 0;
    for (uint64 base = warp_index() * 32; base < size; base += grid_warps() * 32) {
        const bool taken = base + lane_index() < size;
        const vertex near = taken ? members[base + lane_index()] : vertex(0);
        edge at = taken ? lists.first(near) : edge(0);
        const edge last = taken ? lists.last(near) : edge(0);
        visited += last - at;
        const edge tried = last - at > PULL_PREFIX ? at + PULL_PREFIX : last;
        T reduced = identity;
        while (at < tried && reduced != final) {
            const edge own = tried - at;
            vertex far[PULLED_AT_ONCE];
            T part[PULLED_AT_ONCE];
#pragma unroll
            for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) { far[k] = k < own ? lists.neighbor(at + k) : vertex(0); }
#pragma unroll
            for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) { part[k] = k < own ? value(near, far[k], at + k) : identity; }
#pragma unroll
            for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) { reduced = combine(reduced, part[k]); }
            at += minimum(own, edge(PULLED_AT_ONCE));
        }
        const bool open = at < last && reduced != final, hub = open && last - at >= HUB_DEGREE;
        defer_list(run, hub, near, at, last);
        for (uint32 left = __ballot_sync(FULL_WARP, open && !hub); left != 0; left &= left - 1) {
            const uint32 owner = __ffs(left) - 1;
            const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
            const edge end = edge(__shfl_sync(FULL_WARP, last, owner));
            T found = identity;
            for (edge start = edge(__shfl_sync(FULL_WARP, at, owner)); start < end && found != final; start += 32) {
                const edge own = start + lane_index();
                const T part = own < end ? value(owned, lists.neighbor(own), own) : identity;
                found = shuffle(warp_reduce(part, combine), 0);
            }
            if (lane_index() == owner) { reduced = combine(reduced, found); }
        }
        if (taken) { assign(near, reduced); }
    }
    count_visited(run, visited);
}

// piece: reduce_hubs_until
// The chunks that `reduce_until` left, a warp each, for as long as `result` is not `final`; `add` combines with it.
template <class T, class Lists, class Value, class Combine, class Result, class Add>
__device__ __forceinline__ void reduce_hubs_until(enactor& run, int64 largest_degree, const Lists& lists, T identity, T final,
                                                  Combine combine, Value value, Result result, Add add) {
    if (largest_degree < int64(HUB_DEGREE)) { return; }
    synchronize(run);
    const uint64 chunks = load_relaxed(&run.counters()->hubs);
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        for (edge start = part.first; start < part.last; start += 32) {
            if (shuffle(result(part.vertex_id), 0) == final) { break; }
            const edge at = start + lane_index();
            T reduced = at < part.last ? value(part.vertex_id, lists.neighbor(at), at) : identity;
            reduced = warp_reduce(reduced, combine);
            if (lane_index() == 0 && reduced == final) { add(part.vertex_id, reduced); }
        }
    }
}

// piece: reduce_threads
// For every member the reduction of `value` over its edges, a thread a member.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_threads(enactor& run, const Members& members, const Lists& lists, T identity,
                                               Combine combine, Value value, Assign assign) {
    uint64 visited = 0;
    for (uint64 i = thread_index(); i < members.size(); i += grid_threads()) {
        const vertex near = members[i];
        const edge first = lists.first(near), last = lists.last(near);
        visited += last - first;
        T reduced = identity;
        for (edge at = first; at < last; ++at) { reduced = combine(reduced, value(near, lists.neighbor(at), at)); }
        assign(near, reduced);
    }
    __syncwarp(FULL_WARP);
    count_visited(run, visited);
}

// piece: reduce_blocks
// For every member the reduction of `value` over its edges, a block a member.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_blocks(enactor& run, const Members& members, const Lists& lists, T identity,
                                              Combine combine, Value value, Assign assign) {
    uint64 visited = 0;
    for (uint64 i = blockIdx.x; i < members.size(); i += gridDim.x) {
        const vertex near = members[i];
        const edge last = lists.last(near);
        T reduced = identity;
        for (edge at = lists.first(near) + threadIdx.x; at < last; at += BLOCK_THREADS) {
            reduced = combine(reduced, value(near, lists.neighbor(at), at));
            visited += 1;
        }
        reduced = block_reduce(run.shared, reduced, identity, combine);
        if (threadIdx.x == 0) { assign(near, reduced); }
    }
    count_visited(run, visited);
}
