// piece: first_values
// A vertex array whose first values the block caches in shared memory, as many as fit: if ids are ordered by decreasing
// degree, most edges lead to these. All threads of the block fill the cache. They wait for each other first, because an
// earlier reduction may have ended without a barrier.
template <class T>
struct first_values {
    const T* values;
    uint32 count;

    __device__ __forceinline__ first_values(const T* values, uint64 size) : values(values) {
        count = uint32(min(size, uint64(dynamic_shared_bytes() / sizeof(T))));
        __syncthreads();  // until no thread reads the former values
        for (uint32 i = threadIdx.x; i < count; i += BLOCK_THREADS) { static_cast<T*>(dynamic_shared_memory())[i] = values[i]; }
        __syncthreads();
    }
    __device__ __forceinline__ T operator[](vertex v) const {
        return uint64(v) < count ? static_cast<const T*>(dynamic_shared_memory())[v] : values[v];
    }
};

// piece: reduce_list
// The reduction of every `stride`-th of the `left` edges from `at` on, `side_by_side` at a time, so that their loads
// overlap: first all of the ends, then what is read there. In the place of those behind the last one, the first is read.
template <uint32 side_by_side, uint32 stride, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_list(const Lists& lists, vertex near, edge at, edge left, T identity, Combine combine,
                                         Value value) {
    T reduced = identity;
    for (; left > 0; left -= min(left, edge(stride * side_by_side)), at += stride * side_by_side) {
        vertex far[side_by_side];
        T part[side_by_side];
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { far[k] = lists.neighbor(k * stride < left ? at + k * stride : at); }
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { at_hand(far[k]); }
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { part[k] = k * stride < left ? value(near, far[k], at + k * stride) : identity; }
#pragma unroll
        for (uint32 k = 0; k < side_by_side; ++k) { reduced = combine(reduced, part[k]); }
    }
    return reduced;
}

// piece: reduce_in_groups
// Reduces the lists of the lanes in `waiting`, each with `lanes` lanes, and as many lists at a time as a warp has lanes
// for. Such a lane gets the reduction of its list, any other lane keeps `reduced`. The whole warp calls.
template <uint32 side_by_side, uint32 lanes, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_in_groups(uint32 waiting, const Lists& lists, vertex near, edge first, uint32 degree,
                                              T identity, Combine combine, Value value, T reduced) {
    const uint32 lane = lane_index(), group = lane / lanes, rank = lane % lanes;
    while (waiting != 0) {
        uint32 own = waiting;
        const uint32 rest = next_in_groups<lanes>(own, group);
        const uint32 owner = own != 0 ? __ffs(own) - 1 : lane;
        const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        const edge begin = edge(__shfl_sync(FULL_WARP, first, owner));
        const uint32 length = __shfl_sync(FULL_WARP, degree, owner);
        const edge left = own != 0 && rank < length ? edge(length - rank) : edge(0);
        T part = reduce_list<side_by_side, lanes>(lists, owned, begin + rank, left, identity, combine, value);
        __syncwarp(FULL_WARP);
#pragma unroll UNROLLED
        for (uint32 step = lanes / 2; step > 0; step /= 2) { part = combine(part, shuffle_down(part, step)); }
        // The first lane of a group has the reduction of its list.
        const T brought = shuffle(part, __popc(waiting & ((1u << lane) - 1)) * lanes & 31);
        if (((waiting & ~rest) >> lane & 1) != 0) { reduced = brought; }
        waiting = rest;
    }
    return reduced;
}

// piece: few_lists
// The lists of a few members, which the first lanes of a warp have. All lanes share their edges evenly, 32 at a time.
struct few_lists {
    vertex near;
    edge first;
    uint32 degree, inclusive;  // edges of this lane's member, and of all members up to it
    // This lane's edge among the first 32: the lane that has its member, and its neighbor.
    uint32 owner;
    edge at;
    vertex owned, far;

    __device__ __forceinline__ uint32 total() const { return __shfl_sync(FULL_WARP, inclusive, 31); }
    // Finds this lane's edge among the 32 from `start` on.
    template <class Lists>
    __device__ __forceinline__ void find(const Lists& lists, uint32 start) {
        const uint32 item = start + lane_index(), edges = total();
        owner = owner_of(inclusive, item < edges ? item : edges - 1);
        at = __shfl_sync(FULL_WARP, first, owner) + (item - __shfl_sync(FULL_WARP, inclusive - degree, owner));
        owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        far = item < edges ? lists.neighbor(at) : vertex(0);
    }
};

// piece: reduce_few
// Reduces these lists, whose first edges have been found: each lane gets the reduction of its list. The whole warp calls.
template <class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_few(const Lists& lists, few_lists few, T identity, Combine combine, Value value) {
    const uint32 lane = lane_index(), exclusive = few.inclusive - few.degree, total = few.total();
    T reduced = identity;
    for (uint32 start = 0; start < total; start += 32) {
        if (start > 0) { few.find(lists, start); }
        T part = start + lane < total ? value(few.owned, few.far, few.at) : identity;
        const uint32 before = __shfl_sync(FULL_WARP, exclusive, few.owner);
        const uint32 head = before > start ? before - start : 0;
        for (uint32 step = 1; step < 32 && __any_sync(FULL_WARP, few.degree > step); step *= 2) {
            const T below = shuffle_up(part, step);
            if (lane >= head + step) { part = combine(below, part); }
        }
        // The last lane with an edge of this lane's list has the reduction of those among these 32.
        const uint32 end = min(few.inclusive, start + 32);
        const T brought = shuffle(part, (end - start - 1) & 31);
        if (end > max(exclusive, start)) { reduced = combine(reduced, brought); }
    }
    return reduced;
}

// piece: longest_alone
// The longest list that one thread walks. Where lists are about equally long, a thread walks each of them: no lane waits
// long for another one, and a warp reads consecutive edges.
__device__ __forceinline__ uint32 longest_alone(const graph_slice& g) {
    const uint64 longest = uint64(g.largest_degree);
    const bool even = longest < REDUCED_HUB && longest * uint64(g.num_vertices) <= EVEN_LISTS * uint64(g.num_edges);
    return even ? max(uint32(longest), SHORT_LIST) : SHORT_LIST;
}

// piece: fair_share
// The edges beyond which a warp that reduces the lists of 32 of `size` members leaves the longer ones to all warps: a
// fourth of what it has of all members, if all warps have as many. PageRank takes the same with a half or an eighth on
// power laws, stars and R-MAT, and 8 percent more with all of it on R-MAT (H200). Where no list is cut anyway, it leaves
// none.
__device__ __forceinline__ uint64 fair_share(const graph_slice& g, uint64 size) {
    if (g.largest_degree < int64(REDUCED_HUB)) { return ~uint64(0); }
    const uint64 share = size * uint64(g.num_edges) / max(4 * uint64(g.num_vertices) * grid_warps(), uint64(1));
    return max(share, uint64(4 * REDUCED_CHUNK));
}

// piece: reduce_lists
// Reduces `value` over the edges of every member. A warp takes 32 members: a thread walks a short list, eight lanes a
// longer one, and the whole warp an even longer one; the longest are left to `reduce_hubs`. If there are few members, a
// warp takes fewer and shares their edges evenly. A warp that has few members, or more than its share of edges, as where
// ids are by degree, leaves lists of `HUB_DEGREE` edges to the others, too. All lanes call
// `finish(has_member, whole, near, reduced)`, of a list that is left to others with the identity.
template <uint32 side_by_side, class Warps = all_warps, class T, class Members, class Lists, class Value, class Combine, class Finish>
__device__ __forceinline__ void reduce_lists(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Finish finish) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_per_warp(size * Warps::operators), alone = longest_alone(lists.g);
    const uint32 chunk = 4 * size <= grid_warps() ? HUB_CHUNK : REDUCED_CHUNK;
    const uint64 share = fair_share(lists.g, size);
    uint64 visited = 0;
    for (uint64 base = own_base<Warps>(members, width); base < own_last<Warps>(members); base += own_warps<Warps>(members) * width) {
        const bool has_member = lane < width && base + lane < own_last<Warps>(members);
        const vertex near = has_member ? members[base + lane] : vertex(0);
        const edge first = has_member ? lists.first(near) : edge(0);
        const edge degree = has_member ? lists.last(near) - first : edge(0);
        visited += degree;
        bool hub = degree >= REDUCED_HUB;
        if (share != ~uint64(0) && __any_sync(FULL_WARP, !hub && degree >= HUB_DEGREE)) {
            const uint32 walked = warp_sum(hub ? 0 : uint32(degree));
            hub = degree >= (width < 32 || walked > share ? HUB_DEGREE : REDUCED_HUB);
        }
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
        finish(has_member, !hub, near, reduced);
    }
    count_visited(run, visited);
}

// piece: reduce_warps
// The same for lanes that have a member: `assign` is told whether the result is complete.
template <uint32 side_by_side, class Warps = all_warps, class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_warps(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign) {
    reduce_lists<side_by_side, Warps>(run, members, lists, identity, combine, value,
        [&](bool has_member, bool whole, vertex near, T reduced) { if (has_member) { assign(near, reduced, whole); } });
}

// piece: lists_ahead
// The lists of the set that is walked next, as far as a warp has looked them up. They depend on the graph alone, so they
// can be looked up before the barrier.
struct lists_ahead {
    const vertex* queue = nullptr;  // of the set; null if nothing has been looked up
    uint64 size = 0;
    bool has_member = false;
    few_lists few;
};

// piece: look_ahead
// Looks up the lists of the next level of a history during a barrier, if members are few. The whole warp calls.
template <class Lists>
__device__ __forceinline__ void look_ahead(lists_ahead& next, const history_state& history, const vertex* members,
                                           const Lists& lists) {
    const uint64 size = history.known >= 0 ? history.last - history.first : 0;
    const vertex* const queue = members + history.first;
    const uint32 lane = lane_index(), width = members_per_warp(size);
    const uint64 place = warp_index() * width + lane;
    next.queue = nullptr;
    if (size == 0 || width == 32) { return; }
    next.has_member = lane < width && place < size;
    next.few.near = next.has_member ? queue[place] : vertex(0);
    next.few.first = next.has_member ? lists.first(next.few.near) : edge(0);
    const edge degree = next.has_member ? lists.last(next.few.near) - next.few.first : edge(0);
    if (__any_sync(FULL_WARP, degree >= (lists.g.largest_degree >= int64(REDUCED_HUB) ? HUB_DEGREE : REDUCED_HUB))) { return; }
    next.few.degree = uint32(degree);
    next.few.inclusive = warp_inclusive_sum(next.few.degree);
    next.few.find(lists, 0);
    next.queue = queue;
    next.size = size;
}

// piece: reduce_ahead
// Reduces the list of every member, where the lists have been looked up before.
template <uint32 side_by_side, class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_ahead(enactor& run, const lists_ahead& found, const Members& members, const Lists& lists,
                                             T identity, Combine combine, Value value, Assign assign) {
    if (found.queue != members.queue || found.size != members.size()) {
        reduce_warps<side_by_side>(run, members, lists, identity, combine, value, assign);
        return;
    }
    const T reduced = reduce_few(lists, found.few, identity, combine, value);
    if (found.has_member) { assign(found.few.near, reduced, true); }
    count_visited(run, found.few.degree);
}

// piece: reduce_hubs
// Reduces the chunks of the lists that were deferred, from number `begin` on, one warp for each; `add` combines the
// result of a chunk with the stored value.
// barriers: 1 if there are long lists, publishes chunks
template <uint32 side_by_side, class T, class Lists, class Value, class Combine, class Add>
__device__ __forceinline__ void reduce_hubs(enactor& run, int64 largest_degree, const Lists& lists, uint64 begin, T identity,
                                            Combine combine, Value value, Add add) {
    if (largest_degree < int64(REDUCED_HUB)) { return; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    const uint32 rank = lane_index();
    for (uint64 chunk = begin + warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        const edge length = part.last - part.first;
        const edge left = rank < length ? length - rank : edge(0);
        T reduced = reduce_list<side_by_side, 32>(lists, part.vertex_id, part.first + rank, left, identity, combine, value);
        __syncwarp(FULL_WARP);
        reduced = warp_reduce(reduced, combine);
        if (rank == 0) { add(part.vertex_id, reduced); }
    }
}

// piece: each_hub
// Calls `visit` for each vertex that has chunks, once those from number `begin` on, of lists of at least `least` edges,
// are reduced. Chunks of one vertex are consecutive.
// barriers: 1 if there are long lists
template <class Visit>
__device__ __forceinline__ void each_hub(enactor& run, int64 largest_degree, int64 least, uint64 begin, Visit visit) {
    if (largest_degree < least) { return; }
    synchronize(run);
    const uint64 chunks = load_relaxed(&run.counters()->hubs);
    for (uint64 chunk = begin + thread_index(); chunk < chunks; chunk += grid_threads()) {
        const vertex near = run.slice.hubs[chunk].vertex_id;
        if (chunk == begin || run.slice.hubs[chunk - 1].vertex_id != near) { visit(near); }
    }
}

// piece: each_hub_together
// Calls `finish(active, near)` by whole warps, for each vertex whose list `reduce_lists` has left to others: one of at least
// REDUCED_HUB edges, or of HUB_DEGREE where its warp has few members or more than its share of edges.
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

// piece: until_in_groups
// Reduces the unread part of the lists of the lanes in `waiting`, each with `lanes` lanes, and as many lists at a time as
// a warp has lanes for, until their results are final. Such a lane's part is combined with `reduced`. The whole warp
// calls.
template <uint32 lanes, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T until_in_groups(uint32 waiting, const Lists& lists, vertex near, edge first, edge last, T identity,
                                             T final, Combine combine, Value value, T reduced) {
    const uint32 lane = lane_index(), group = lane / lanes, rank = lane % lanes;
    while (waiting != 0) {
        uint32 own = waiting;
        const uint32 rest = next_in_groups<lanes>(own, group);
        const uint32 owner = own != 0 ? __ffs(own) - 1 : lane;
        const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        edge start = edge(__shfl_sync(FULL_WARP, first, owner));
        const edge end = edge(__shfl_sync(FULL_WARP, last, owner));
        T found = identity;
        bool open = own != 0;
        while (__any_sync(FULL_WARP, open)) {
            const bool active = open && start + rank < end;
            T part = active ? value(owned, lists.neighbor(start + rank), start + rank) : identity;
            __syncwarp(FULL_WARP);
#pragma unroll UNROLLED
            for (uint32 step = lanes / 2; step > 0; step /= 2) { part = combine(part, shuffle_down(part, step)); }
            found = combine(found, shuffle(part, group * lanes));
            start += lanes;
            open = open && start < end && found != final;
        }
        const T brought = shuffle(found, __popc(waiting & ((1u << lane) - 1)) * lanes & 31);
        if (((waiting & ~rest) >> lane & 1) != 0) { reduced = combine(reduced, brought); }
        waiting = rest;
    }
    return reduced;
}

// piece: reduce_until
// Reduces the list of every member, where no further edge changes a result that is `final`. A thread reads the first
// edges of a list, and eight lanes or the warp the rest, until the result is final; the rest of the longest lists is left
// to `reduce_hubs_until`.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_until(enactor& run, const Members& members, const Lists& lists, T identity, T final,
                                             Combine combine, Value value, Assign assign) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_per_warp(size);
    uint64 visited = 0;
    for (uint64 base = own_base<all_warps>(members, width); base < own_last<all_warps>(members); base += own_warps<all_warps>(members) * width) {
        const bool has_member = lane < width && base + lane < own_last<all_warps>(members);
        const vertex near = has_member ? members[base + lane] : vertex(0);
        edge at = has_member ? lists.first(near) : edge(0);
        const edge last = has_member ? lists.last(near) : edge(0);
        visited += last - at;
        const edge tried = last - at > SHORT_LIST ? at + SHORT_LIST : last;
        T reduced = identity;
        while (at < tried && reduced != final) {
            const edge own = tried - at;
            reduced = combine(reduced, reduce_list<PULLED_AT_ONCE, 1>(lists, near, at, min(own, edge(PULLED_AT_ONCE)),
                                                                      identity, combine, value));
            at += min(own, edge(PULLED_AT_ONCE));
        }
        const bool open = at < last && reduced != final, hub = open && last - at >= HUB_DEGREE;
        defer_list(run, hub, near, at, last);
        const uint32 by_eight = __ballot_sync(FULL_WARP, open && !hub && last - at <= GROUPED_LIST);
        reduced = until_in_groups<8>(by_eight, lists, near, at, last, identity, final, combine, value, reduced);
        const uint32 by_warp = __ballot_sync(FULL_WARP, open && !hub && last - at > GROUPED_LIST);
        reduced = until_in_groups<32>(by_warp, lists, near, at, last, identity, final, combine, value, reduced);
        if (has_member) { assign(near, reduced, !hub); }
    }
    count_visited(run, visited);
}

// piece: reduce_hubs_until
// Reduces the chunks that `reduce_until` left, one warp for each, while `result` is not `final`; `add` combines with it.
// barriers: 1 if there are long lists, publishes chunks
template <class T, class Lists, class Value, class Combine, class Result, class Add>
__device__ __forceinline__ void reduce_hubs_until(enactor& run, int64 largest_degree, const Lists& lists, T identity, T final,
                                                  Combine combine, Value value, Result result, Add add) {
    if (largest_degree < int64(HUB_DEGREE)) { return; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    const uint32 rank = lane_index();
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        for (edge start = part.first; start < part.last; start += 32 * PULLED_AT_ONCE) {
            if (shuffle(result(part.vertex_id), 0) == final) { break; }
            const edge left = min(part.last - start, edge(32 * PULLED_AT_ONCE));
            const edge own = rank < left ? left - rank : edge(0);
            T reduced = reduce_list<PULLED_AT_ONCE, 32>(lists, part.vertex_id, start + rank, own, identity, combine, value);
            __syncwarp(FULL_WARP);
            reduced = warp_reduce(reduced, combine);
            if (rank == 0 && reduced == final) { add(part.vertex_id, reduced); }
        }
    }
}

// piece: reduce_threads
// Reduces `value` over the edges of every member, one thread for each member.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_threads(enactor& run, const Members& members, const Lists& lists, T identity,
                                               Combine combine, Value value, Assign assign) {
    uint64 visited = 0;
    for (uint64 i = own_thread(members); i < own_end(members); i += own_threads(members)) {
        const vertex near = members[i];
        const edge first = lists.first(near), last = lists.last(near);
        visited += last - first;
        T reduced = identity;
        for (edge at = first; at < last; ++at) { reduced = combine(reduced, value(near, lists.neighbor(at), at)); }
        assign(near, reduced, true);
    }
    __syncwarp(FULL_WARP);
    count_visited(run, visited);
}

// piece: reduce_blocks
// Reduces `value` over the edges of every member, one block for each member.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_blocks(enactor& run, const Members& members, const Lists& lists, T identity,
                                              Combine combine, Value value, Assign assign) {
    uint64 visited = 0;
    for (uint64 i = block_index(); i < members.size(); i += block_count()) {
        const vertex near = members[i];
        const edge last = lists.last(near);
        T reduced = identity;
        for (edge at = lists.first(near) + threadIdx.x; at < last; at += BLOCK_THREADS) {
            reduced = combine(reduced, value(near, lists.neighbor(at), at));
            visited += 1;
        }
        reduced = block_reduce(run.shared, reduced, identity, combine);
        if (threadIdx.x == 0) { assign(near, reduced, true); }
    }
    count_visited(run, visited);
}
