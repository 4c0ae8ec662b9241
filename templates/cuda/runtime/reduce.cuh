// piece: IN_FLIGHT
// Loads of a lane that do not wait for each other.
constexpr uint32 IN_FLIGHT = 4;

// piece: reduce_list
// `reduced` and the edges `at`, `at + stride`, … of the `left` from `at` on.
template <uint32 stride, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_list(const Lists& lists, vertex near, edge at, edge left, T identity, Combine combine, Value value) {
    T reduced = identity;
    for (; left > 0; left -= minimum(left, edge(stride * IN_FLIGHT)), at += stride * IN_FLIGHT) {
        vertex far[IN_FLIGHT];
        T part[IN_FLIGHT];
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { far[k] = k * stride < left ? lists.neighbor(at + k * stride) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { part[k] = k * stride < left ? value(near, far[k], at + k * stride) : identity; }
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { reduced = combine(reduced, part[k]); }
    }
    return reduced;
}

// piece: reduce_stretch
// The same with a stride that is known when it runs.
template <class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_stretch(const Lists& lists, vertex near, edge at, edge left, uint32 stride, T identity, Combine combine, Value value) {
    T reduced = identity;
    const uint32 step = stride * IN_FLIGHT;
    for (; left > 0; left -= minimum(left, edge(step)), at += step) {
        vertex far[IN_FLIGHT];
        T part[IN_FLIGHT];
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { far[k] = k * stride < left ? lists.neighbor(at + k * stride) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { part[k] = k * stride < left ? value(near, far[k], at + k * stride) : identity; }
#pragma unroll
        for (uint32 k = 0; k < IN_FLIGHT; ++k) { reduced = combine(reduced, part[k]); }
    }
    return reduced;
}

// piece: reduce_in_groups
// The lists of the lanes in `left`, each by `lanes` lanes side by side; every lane gets its own list's result.
template <uint32 lanes, class T, class Lists, class Value, class Combine>
__device__ __forceinline__ T reduce_in_groups(uint32 left, vertex near, edge first, uint32 own, T reduced, const Lists& lists,
                                              T identity, Combine combine, Value value) {
    const uint32 lane = lane_index(), group = lane / lanes, rank = lane % lanes;
    while (left != 0) {
        uint32 mine = left, next = left;
#pragma unroll
        for (uint32 i = 0; i < 32 / lanes; ++i) {
            if (i < group) { mine &= mine - 1; }
            next &= next - 1;
        }
        const uint32 owner = mine != 0 ? __ffs(mine) - 1 : lane;
        const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
        const edge at = edge(__shfl_sync(FULL_WARP, first, owner));
        const uint32 count = __shfl_sync(FULL_WARP, own, owner);
        T part = reduce_list<lanes>(lists, owned, at + rank, edge(mine != 0 && rank < count ? count - rank : 0), identity, combine, value);
        __syncwarp(FULL_WARP);
#pragma unroll
        for (uint32 step = lanes / 2; step > 0; step /= 2) { part = combine(part, shuffle_down(part, step)); }
        const T brought = shuffle(part, __popc(left & ((1u << lane) - 1)) * lanes & 31);
        if (((left & ~next) >> lane & 1) != 0) { reduced = brought; }
        left = next;
    }
    return reduced;
}

// piece: reduce_short
// The same on a graph of short lists alone: a thread takes several members at once.
constexpr uint32 AT_ONCE = 2, SHORTEST = 4, SHORT_FLIGHT = 4;
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_short(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign) {
    const uint64 size = members.size();
    uint64 visited = 0;
    for (uint64 base = thread_index(); base < size; base += grid_threads() * AT_ONCE) {
        vertex near[AT_ONCE];
        edge first[AT_ONCE];
        uint32 own[AT_ONCE], longest = 0;
        T reduced[AT_ONCE];
#pragma unroll
        for (uint32 t = 0; t < AT_ONCE; ++t) {
            const uint64 place = base + t * grid_threads();
            near[t] = place < size ? members[place] : vertex(0);
            first[t] = place < size ? lists.first(near[t]) : edge(0);
            own[t] = place < size ? uint32(lists.last(near[t]) - first[t]) : 0;
            reduced[t] = identity;
        }
#pragma unroll
        for (uint32 t = 0; t < AT_ONCE; ++t) {
            longest = maximum(longest, own[t]);
            visited += own[t];
        }
        for (uint32 i = 0; i < longest; i += SHORT_FLIGHT) {
            vertex far[AT_ONCE][SHORT_FLIGHT];
            T part[AT_ONCE][SHORT_FLIGHT];
#pragma unroll
            for (uint32 t = 0; t < AT_ONCE; ++t) {
#pragma unroll
                for (uint32 k = 0; k < SHORT_FLIGHT; ++k) { far[t][k] = i + k < own[t] ? lists.neighbor(first[t] + i + k) : vertex(0); }
            }
#pragma unroll
            for (uint32 t = 0; t < AT_ONCE; ++t) {
#pragma unroll
                for (uint32 k = 0; k < SHORT_FLIGHT; ++k) { part[t][k] = i + k < own[t] ? value(near[t], far[t][k], first[t] + i + k) : identity; }
            }
#pragma unroll
            for (uint32 t = 0; t < AT_ONCE; ++t) {
#pragma unroll
                for (uint32 k = 0; k < SHORT_FLIGHT; ++k) { reduced[t] = combine(reduced[t], part[t][k]); }
            }
        }
#pragma unroll
        for (uint32 t = 0; t < AT_ONCE; ++t) {
            if (base + t * grid_threads() < size) { assign(near[t], reduced[t]); }
        }
    }
    __syncwarp(FULL_WARP);
    count_visited(run, visited);
}

// piece: reduce_warps
// For every member the reduction of `value` over its edges. A warp takes up to 32 members: short lists go a thread each,
// longer ones eight lanes each, then the whole warp; the longest are left to `reduce_hubs`. Few members are spread over
// all warps, which share their lanes out among them evenly.
constexpr uint32 GROUP_LIST = 4 * SHORT_LIST, REDUCED_HUB = 1 * HUB_DEGREE, REDUCED_CHUNK = 1 * HUB_CHUNK, GROUP = 8;
constexpr uint32 FORM = 5, SPREAD_FLIGHT = 4, AHEAD = 0, SPREAD = 4, TILES = 2;
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_warps(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign) {
    const uint64 size = members.size();
    const uint32 lane = lane_index(), width = members_a_warp(size);
    uint64 visited = 0;
    if constexpr (FORM == 5 || FORM == 6) {
        if (size >= grid_threads() * AT_ONCE && lists.g.largest_degree <= int64(SHORTEST)) {
            reduce_short(run, members, lists, identity, combine, value, assign);
            return;
        }
    }
    if constexpr (FORM == 6) {
        const bool few = width <= SPREAD;
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
            T reduced = reduce_list<1>(lists, near, first, edge(alone ? own : 0), identity, combine, value);
            uint32 shorter = __ballot_sync(FULL_WARP, !alone && (few || own <= GROUP_LIST)) & (few ? (1u << width) - 1 : FULL_WARP);
            uint32 longer = __ballot_sync(FULL_WARP, !few && own > GROUP_LIST);
            while ((shorter | longer) != 0) {
                const uint32 lanes = few ? 32 / width : shorter != 0 ? GROUP : 32;
                const uint32 left = shorter != 0 ? shorter : longer, rank = lane % lanes;
                uint32 mine = left, next = left;
                for (uint32 i = 0; i < 32 / lanes; ++i) {
                    if (i < lane / lanes) { mine &= mine - 1; }
                    next &= next - 1;
                }
                const uint32 owner = mine != 0 ? __ffs(mine) - 1 : 0;
                const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
                const edge at = edge(__shfl_sync(FULL_WARP, first, owner));
                const uint32 held = __shfl_sync(FULL_WARP, own, owner), length = mine != 0 ? held : 0;
                T part = reduce_stretch(lists, owned, at + rank, edge(rank < length ? length - rank : 0), lanes, identity, combine, value);
                __syncwarp(FULL_WARP);
                for (uint32 step = 1; step < lanes && __any_sync(FULL_WARP, length > step); step *= 2) {
                    part = combine(part, shuffle_down(part, step));
                }
                const T brought = shuffle(part, __popc(left & ((1u << lane) - 1)) * lanes & 31);
                if (((left & ~next) >> lane & 1) != 0) { reduced = brought; }
                if (shorter != 0) { shorter = next; } else { longer = next; }
            }
            if (taken) { assign(near, reduced); }
        }
        count_visited(run, visited);
        return;
    }
    if constexpr (FORM == 4) {
        const auto visit_tile = [&](bool taken, vertex near, edge first, uint32 own) {
            const uint32 wanted = own == 0 ? 0 : width <= SPREAD ? 32 / width : own <= SHORT_LIST ? 1 : own <= GROUP_LIST ? GROUP : 32;
            T reduced = identity;
            uint32 waiting = __ballot_sync(FULL_WARP, wanted != 0);
            while (waiting != 0) {
                const uint32 lanes = __shfl_sync(FULL_WARP, wanted, __ffs(waiting) - 1);
                const uint32 left = __ballot_sync(FULL_WARP, wanted == lanes) & waiting;
                uint32 owner = lane, rank = 0, next = 0;
                bool busy = (left >> lane & 1) != 0;
                if (lanes > 1) {
                    uint32 mine = left;
                    rank = lane % lanes;
                    for (uint32 i = lane / lanes; i > 0; --i) { mine &= mine - 1; }
                    busy = mine != 0;
                    owner = busy ? __ffs(mine) - 1 : 0;
                    next = left;
                    for (uint32 i = 32 / lanes; i > 0; --i) { next &= next - 1; }
                    __syncwarp(FULL_WARP);
                }
                const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
                const edge at = edge(__shfl_sync(FULL_WARP, first, owner));
                const uint32 length = __shfl_sync(FULL_WARP, own, owner);
                const uint32 count = busy && rank < length ? length - rank : 0;
                T part = reduce_stretch(lists, owned, at + rank, edge(count), lanes, identity, combine, value);
                __syncwarp(FULL_WARP);
                for (uint32 step = 1; step < lanes && __any_sync(FULL_WARP, busy && length > step); step *= 2) {
                    part = combine(part, shuffle_down(part, step));
                }
                const T brought = lanes == 1 ? part : shuffle(part, __popc(left & ((1u << lane) - 1)) * lanes & 31);
                const uint32 done = left & ~next;
                if ((done >> lane & 1) != 0) { reduced = brought; }
                waiting &= ~done;
            }
            if (taken) { assign(near, reduced); }
        };
        const uint32 tiles = size >= grid_warps() * 32 * TILES ? TILES : 1;
        for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width * tiles) {
            bool taken[TILES];
            vertex near[TILES];
            edge first[TILES];
            uint32 own[TILES];
            bool longer = false;
#pragma unroll
            for (uint32 t = 0; t < TILES; ++t) {
                const uint64 place = base + t * grid_warps() * width + lane;
                taken[t] = t < tiles && lane < width && place < size;
                near[t] = taken[t] ? members[place] : vertex(0);
                first[t] = taken[t] ? lists.first(near[t]) : edge(0);
                own[t] = taken[t] ? lists.last(near[t]) - first[t] : edge(0);
                longer |= own[t] > IN_FLIGHT;
            }
            if (tiles > 1 && !__any_sync(FULL_WARP, longer)) {
                vertex far[TILES][IN_FLIGHT];
                T part[TILES][IN_FLIGHT];
#pragma unroll
                for (uint32 t = 0; t < TILES; ++t) {
#pragma unroll
                    for (uint32 k = 0; k < IN_FLIGHT; ++k) { far[t][k] = k < own[t] ? lists.neighbor(first[t] + k) : vertex(0); }
                }
#pragma unroll
                for (uint32 t = 0; t < TILES; ++t) {
#pragma unroll
                    for (uint32 k = 0; k < IN_FLIGHT; ++k) { part[t][k] = k < own[t] ? value(near[t], far[t][k], first[t] + k) : identity; }
                }
#pragma unroll
                for (uint32 t = 0; t < TILES; ++t) {
                    T reduced = identity;
#pragma unroll
                    for (uint32 k = 0; k < IN_FLIGHT; ++k) { reduced = combine(reduced, part[t][k]); }
                    if (taken[t]) { assign(near[t], reduced); }
                    visited += own[t];
                }
                continue;
            }
#pragma unroll 1
            for (uint32 t = 0; t < tiles; ++t) {
                bool is_taken = taken[0];
                vertex v = near[0];
                edge begin = first[0], degree = own[0];
#pragma unroll
                for (uint32 k = 1; k < TILES; ++k) {
                    if (k == t) { is_taken = taken[k]; v = near[k]; begin = first[k]; degree = own[k]; }
                }
                visited += degree;
                const bool hub = degree >= REDUCED_HUB;
                defer_list<REDUCED_CHUNK>(run, hub, v, begin, begin + degree);
                visit_tile(is_taken, v, begin, hub ? 0 : uint32(degree));
            }
        }
        count_visited(run, visited);
        return;
    }
    if constexpr (FORM == 3) {
        const bool few = width <= SPREAD;
        for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
            const bool taken = lane < width && base + lane < size;
            const vertex near = taken ? members[base + lane] : vertex(0);
            const edge first = taken ? lists.first(near) : edge(0);
            const edge degree = taken ? lists.last(near) - first : edge(0);
            visited += degree;
            const bool hub = degree >= REDUCED_HUB;
            defer_list<REDUCED_CHUNK>(run, hub, near, first, first + degree);
            const uint32 own = hub ? 0 : uint32(degree);
            const uint32 wanted = own == 0 ? 0 : few ? 32 / width : own <= SHORT_LIST ? 1 : own <= GROUP_LIST ? GROUP : 32;
            T reduced = identity;
            uint32 waiting = __ballot_sync(FULL_WARP, wanted != 0);
            while (waiting != 0) {
                const uint32 lanes = __shfl_sync(FULL_WARP, wanted, __ffs(waiting) - 1);
                const uint32 left = __ballot_sync(FULL_WARP, wanted == lanes) & waiting;
                uint32 owner = lane, rank = 0, next = 0;
                bool busy = (left >> lane & 1) != 0;
                if (lanes > 1) {
                    uint32 mine = left;
                    rank = lane % lanes;
                    for (uint32 i = lane / lanes; i > 0; --i) { mine &= mine - 1; }
                    busy = mine != 0;
                    owner = busy ? __ffs(mine) - 1 : 0;
                    next = left;
                    for (uint32 i = 32 / lanes; i > 0; --i) { next &= next - 1; }
                    __syncwarp(FULL_WARP);
                }
                const vertex owned = vertex(__shfl_sync(FULL_WARP, near, owner));
                const edge at = edge(__shfl_sync(FULL_WARP, first, owner));
                const uint32 length = __shfl_sync(FULL_WARP, own, owner);
                const uint32 count = busy && rank < length ? length - rank : 0;
                T part = reduce_stretch(lists, owned, at + rank, edge(count), lanes, identity, combine, value);
                __syncwarp(FULL_WARP);
                for (uint32 step = 1; step < lanes && __any_sync(FULL_WARP, busy && length > step); step *= 2) {
                    part = combine(part, shuffle_down(part, step));
                }
                const T brought = lanes == 1 ? part : shuffle(part, __popc(left & ((1u << lane) - 1)) * lanes & 31);
                const uint32 done = left & ~next;
                if ((done >> lane & 1) != 0) { reduced = brought; }
                waiting &= ~done;
            }
            if (taken) { assign(near, reduced); }
        }
        count_visited(run, visited);
        return;
    }
    if (width <= SPREAD) {
        const uint32 lanes = 32 / width, group = lane / lanes, rank = lane % lanes;
        for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
            const bool taken = base + group < size;
            const vertex near = taken ? members[base + group] : vertex(0);
            const edge first = taken ? lists.first(near) : edge(0);
            const edge degree = taken ? lists.last(near) - first : edge(0);
            if (rank == 0) { visited += degree; }
            const bool hub = degree >= REDUCED_HUB;
            defer_list<REDUCED_CHUNK>(run, hub && rank == 0, near, first, first + degree);
            const uint32 own = hub ? 0 : uint32(degree);
            T reduced = identity;
            for (uint32 i = rank; i < own; i += lanes * SPREAD_FLIGHT) {
                vertex far[SPREAD_FLIGHT];
                T part[SPREAD_FLIGHT];
#pragma unroll
                for (uint32 k = 0; k < SPREAD_FLIGHT; ++k) { far[k] = i + k * lanes < own ? lists.neighbor(first + i + k * lanes) : vertex(0); }
#pragma unroll
                for (uint32 k = 0; k < SPREAD_FLIGHT; ++k) {
                    if (i + k * lanes < own) {
                        part[k] = value(near, far[k], first + i + k * lanes);
                        reduced = combine(reduced, part[k]);
                    }
                }
            }
            __syncwarp(FULL_WARP);
            for (uint32 step = 1; step < lanes && __any_sync(FULL_WARP, own > step); step *= 2) {
                const T other = shuffle(reduced, lane ^ step);
                reduced = combine(reduced, other);
            }
            if (taken && rank == 0) { assign(near, reduced); }
        }
        count_visited(run, visited);
        return;
    }
    vertex near_ahead = 0;
    edge first_ahead = 0, degree_ahead = 0;
    const auto fetch = [&](uint64 base) {
        const bool taken = lane < width && base + lane < size;
        near_ahead = taken ? members[base + lane] : vertex(0);
        first_ahead = taken ? lists.first(near_ahead) : edge(0);
        degree_ahead = taken ? lists.last(near_ahead) - first_ahead : edge(0);
    };
    if (AHEAD) { fetch(warp_index() * width); }
    for (uint64 base = warp_index() * width; base < size; base += grid_warps() * width) {
        const bool taken = lane < width && base + lane < size;
        if (!AHEAD) { fetch(base); }
        const vertex near = near_ahead;
        const edge first = first_ahead, degree = degree_ahead;
        if (AHEAD) { fetch(base + grid_warps() * width); }
        visited += degree;
        const bool hub = degree >= REDUCED_HUB;
        defer_list<REDUCED_CHUNK>(run, hub, near, first, first + degree);
        const uint32 own = hub ? 0 : uint32(degree);
        T reduced = reduce_list<1>(lists, near, first, edge(own <= SHORT_LIST ? own : 0), identity, combine, value);
        const uint32 grouped = __ballot_sync(FULL_WARP, own > SHORT_LIST && own <= GROUP_LIST);
        reduced = reduce_in_groups<GROUP>(grouped, near, first, own, reduced, lists, identity, combine, value);
        const uint32 whole = __ballot_sync(FULL_WARP, own > GROUP_LIST);
        reduced = reduce_in_groups<32>(whole, near, first, own, reduced, lists, identity, combine, value);
        if (taken) { assign(near, reduced); }
    }
    count_visited(run, visited);
}

// piece: HUB_AHEAD
constexpr uint32 HUB_AHEAD = 0;

// piece: reduce_hubs
// The chunks that `reduce_warps` left, from number `begin` on, a warp each; `add` combines a chunk's part with what
// stands there.
template <class T, class Lists, class Value, class Combine, class Add>
__device__ __forceinline__ void reduce_hubs(enactor& run, int64 largest_degree, const Lists& lists, uint64 begin, T identity,
                                            Combine combine, Value value, Add add) {
    if (largest_degree < int64(HUB_DEGREE)) { return; }
    synchronize(run);
    const uint64 chunks = load_relaxed(&run.counters()->hubs);
    hub_chunk ahead = hub_chunk{0, 0, 0};
    if (HUB_AHEAD && begin + warp_index() < chunks) { ahead = run.slice.hubs[begin + warp_index()]; }
    for (uint64 chunk = begin + warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = HUB_AHEAD ? ahead : run.slice.hubs[chunk];
        if (HUB_AHEAD && chunk + grid_warps() < chunks) { ahead = run.slice.hubs[chunk + grid_warps()]; }
        const edge length = part.last - part.first, rank = lane_index();
        T reduced = reduce_list<32>(lists, part.vertex_id, part.first + rank, rank < length ? length - rank : edge(0), identity, combine, value);
        __syncwarp(FULL_WARP);
        reduced = warp_reduce(reduced, combine);
        if (lane_index() == 0) { add(part.vertex_id, reduced); }
    }
}

// piece: UNTIL_AT_ONCE
constexpr uint32 UNTIL_AT_ONCE = 4;

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
            vertex far[UNTIL_AT_ONCE];
            T part[UNTIL_AT_ONCE];
#pragma unroll
            for (uint32 k = 0; k < UNTIL_AT_ONCE; ++k) { far[k] = k < own ? lists.neighbor(at + k) : vertex(0); }
#pragma unroll
            for (uint32 k = 0; k < UNTIL_AT_ONCE; ++k) { part[k] = k < own ? value(near, far[k], at + k) : identity; }
#pragma unroll
            for (uint32 k = 0; k < UNTIL_AT_ONCE; ++k) { reduced = combine(reduced, part[k]); }
            at += minimum(own, edge(UNTIL_AT_ONCE));
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
