// piece: nothing_ahead no_reads_ahead
// For a visit before which nothing is read.
struct nothing_ahead {
    bool active;
};
__device__ __forceinline__ void no_reads_ahead(const vertex*, const vertex*, const edge*, nothing_ahead*) {}

// piece: local_worklist
// The vertices that a warp has accepted and works off by itself, the first ones first. All lanes know where they lie.
struct local_worklist {
    vertex* const room;
    uint32 first, count;

    __device__ explicit local_worklist(enactor& run) : room(run.shared.kept[threadIdx.x / 32]), first(0), count(0) {}
    __device__ __forceinline__ vertex& at(uint32 i) const { return room[(first + i) % LOCAL_ROOM]; }
    // The whole warp calls. Where there is room for all that are `wanted`, the lanes' vertices are kept.
    __device__ __forceinline__ bool keep(bool wanted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, wanted), number = __popc(votes);
        if (count + number > LOCAL_ROOM) { return false; }
        if (wanted) { at(count + __popc(votes & ((1u << lane_index()) - 1))) = v; }
        count += number;
        return true;
    }
    // Takes the next vertices, up to one for each lane; returns whether the calling lane has one.
    __device__ __forceinline__ bool take(vertex& v) {
        const uint32 number = minimum(count, 32u);
        const bool has_one = lane_index() < number;
        __syncwarp(FULL_WARP);
        v = has_one ? at(lane_index()) : vertex(0);
        __syncwarp(FULL_WARP);
        first = (first + number) % LOCAL_ROOM;
        count -= number;
        return has_one;
    }
};

// piece: publish_at_once
// Appends what a warp has gathered, so that the other warps see it.
template <class Out>
__device__ __forceinline__ void publish_at_once(enactor& run, Out& out) {
    if (out.count > 0) { append_rest(run.counters(), out.result.queue, out.staged, out.count, out.counted); }
    out.count = 0;
}

// piece: others_have_work
// Whether any warp has left vertices to the next pass. The same for the whole warp.
__device__ __forceinline__ bool others_have_work(enactor& run) {
    const uint32 has = lane_index() == 0 && load_relaxed(&run.counters()->accepted) > 0 ? 1 : 0;
    return __shfl_sync(FULL_WARP, has, 0) != 0;
}

// piece: push_locally
// Visits the edges of every member, as `push_warps_side_by_side`, and then, while members are few, those of the vertices
// that it accepts: a warp keeps these and goes on with them. A vertex for which it has no room, or whose list is cut
// into chunks, goes to `out`, for the next pass. Others see that, and put theirs there, too, so that all get their share.
// While members are few, a round takes as long as its loads that wait for each other. So the list of each far end is
// looked up, and prefetched, before it is known whether that is accepted.
// `neighbors` are those of `lists`. Calls `fetch(far)` and `load` before visits, `visit(active, near, far, e, early)`, which returns whether `far` is
// accepted, and `begin(v)` for each vertex that it keeps. Returns how many edges the members assigned to this thread
// have, and adds to `kept` the vertices that the warp went on with.
template <uint32 several, class Values, class Members, class Lists, class Fetch, class Load, class Visit, class Begin, class Out>
__device__ __forceinline__ uint64 push_locally(enactor& run, const Members& members, const Lists& lists, const vertex* neighbors,
                                               Fetch fetch, Load load, Visit visit, Begin begin, Out& out) {
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 width = members_per_warp(size), lane = lane_index();
    local_worklist kept(run);
    bool keeps = size <= LOCAL_MEMBERS * warps;
    uint64 visited = 0, base = warp_index() * width;
    uint32 rounds = 0, taken = 0;
    while (kept.count > 0 || base < size) {
        vertex member = 0;
        bool has_member;
        if (kept.count > 0) {
            taken += minimum(kept.count, 32u);
            has_member = kept.take(member);
            rounds += 1;
        } else {
            has_member = lane < width && base + lane < size;
            if (has_member) { member = members[base + lane]; }
            base += warps * width;
        }
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
            edge at[several], begins[several], ends[several];
            Values values[several];
            side_by_side<several>([&](uint32 k) {
                values[k].active = start + k * 32 + lane < total;
                near[k] = near[0];
                at[k] = at[0];
                if (k == 0 || start + k * 32 < total) {
                    const uint32 item = minimum(start + k * 32 + lane, total - 1);
                    const uint32 owner = owner_of(inclusive, item);
                    const uint32 before = __shfl_sync(FULL_WARP, inclusive - own, owner);
                    at[k] = __shfl_sync(FULL_WARP, first, owner) + (item - before);
                    near[k] = vertex(__shfl_sync(FULL_WARP, member, owner));
                }
            });
            side_by_side<several>([&](uint32 k) { far[k] = lists.neighbor(at[k]); });
            if (keeps) {
                side_by_side<several>([&](uint32 k) {
                    begins[k] = lists.first(far[k]);
                    ends[k] = lists.last(far[k]);
                    fetch(far[k]);
                });
            }
            load(near, far, at, values);
            if (keeps) {
                side_by_side<several>([&](uint32 k) {
                    if (values[k].active && begins[k] < ends[k]) { prefetch_to_l2(&neighbors[begins[k]]); }
                });
            }
            side_by_side<several>([&](uint32 k) {
                if (k > 0 && start + k * 32 >= total) { return; }
                const bool accepted = visit(values[k].active, near[k], far[k], at[k], values[k]);
                const bool wanted = keeps && accepted && ends[k] - begins[k] < HUB_DEGREE;
                const bool stays = kept.keep(wanted, far[k]) && wanted;
                if (stays) { begin(far[k]); }
                out.append(accepted && !stays, far[k]);
            });
        }
        if (keeps && (out.count > 0 || rounds == LOCAL_ROUNDS || (rounds % LOCAL_LOOK == LOCAL_LOOK - 1 && others_have_work(run)))) {
            while (kept.count > 0) {
                vertex v;
                const bool has_one = kept.take(v);
                out.append(has_one, v);
            }
            publish_at_once(run, out);
            keeps = false;
        }
    }
    if (lane == 0 && taken > 0) { atomicAdd_grid(&run.counters()->kept, uint64(taken)); }
    return visited;
}
