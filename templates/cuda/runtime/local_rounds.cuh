// piece: nothing_ahead no_reads_ahead
// For a visit before which nothing is read.
struct nothing_ahead {
    bool active;
};
__device__ __forceinline__ void no_reads_ahead(const vertex*, const vertex*, const edge*, nothing_ahead*) {}

// piece: publish_at_once
// Appends what a warp has gathered, so that others see it.
template <class Out>
__device__ __forceinline__ void publish_at_once(enactor& run, Out& out) {
    if (out.count > 0) { append_rest(run.counters(), out.result.queue, out.staged, out.count, out.counted); }
    out.count = 0;
}

// piece: local_worklist LEAVES
// The vertices that a block has accepted and works off by itself, round by round. Those of a round lie in one of two
// rooms, while those of the next one go into the other. Of three counters one has the number of a round, one counts for
// the next, and one is cleared; whoever adds `LEAVES` ends the rounds of the block.
constexpr uint32 LEAVES = 1u << 20;
struct local_worklist {
    block_storage& shared;
    uint32 round;  // the same for all threads of the block

    __device__ explicit local_worklist(enactor& run) : shared(run.shared), round(0) {
        if (threadIdx.x < 3) { shared.kept_counts[threadIdx.x] = 0; }
        __syncthreads();
    }
    // The number for this round; where it exceeds LOCAL_ROOM, the block leaves what it has to the others.
    __device__ __forceinline__ uint32 begin_round() {
        __syncthreads();
        round += 1;
        if (threadIdx.x == 0) { shared.kept_counts[(round + 2) % 3] = 0; }
        return shared.kept_counts[round % 3];
    }
    __device__ __forceinline__ vertex at(uint32 i) const { return shared.kept[round % 2][i]; }
    __device__ __forceinline__ void leave() { atomicAdd(&shared.kept_counts[(round + 1) % 3], LEAVES); }
    // The whole warp calls. Whether there is room for the calling lane's vertex, which is then kept for the next round.
    __device__ __forceinline__ bool keep(bool wanted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, wanted);
        if (votes == 0) { return false; }
        uint32 place = 0;
        if (lane_index() == 0) { place = atomicAdd(&shared.kept_counts[(round + 1) % 3], uint32(__popc(votes))); }
        place = __shfl_sync(FULL_WARP, place, 0) % LEAVES + __popc(votes & ((1u << lane_index()) - 1));
        const bool stays = wanted && place < LOCAL_ROOM;
        if (stays) { shared.kept[(round + 1) % 2][place] = v; }
        return stays;
    }
};

// piece: push_locally
// Visits the edges of every member, `several` per lane at a time, and then, while members are few, those of the vertices
// that are accepted: a block keeps these and goes on with them, round by round, until none is left. What it has no room
// for, or whose list is cut into chunks, goes to `out`, for the next pass; then it leaves all the rest there, too. After
// some rounds it looks whether another block has done so, and does the same, so that all get their share.
// `neighbors` are those of `lists`. A round takes as long as its loads that wait for each other: each far end's list is
// looked up before it is known whether that is accepted, and fetched where a test (`tests`) is waited for in any case, or
// else while visits are under way, after the first round: it may be accepted in a later one.
// Calls `fetch(far)` and `load` before visits, `visit(active, near, far, e, early)`, which returns whether `far` is
// accepted, and `begin(v)` for each vertex that is kept. Returns how many edges the members assigned to this thread
// have, and adds to `kept` the vertices that blocks went on with.
template <uint32 several, class Values, bool tests, class Members, class Lists, class Fetch, class Load, class Visit, class Begin, class Out>
__device__ __forceinline__ uint64 push_locally(enactor& run, const Members& members, const Lists& lists, const vertex* neighbors,
                                               Fetch fetch, Load load, Visit visit, Begin begin, Out& out) {
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 lane = lane_index(), warp = threadIdx.x / 32;
    const bool keeps = size <= LOCAL_MEMBERS * warps;
    local_worklist kept(run);
    uint64 visited = 0;
    // Where `alone`, all lanes have the same member, and need not find out whose edge is whose.
    const auto walk = [&](bool alone, bool has_member, vertex member) {
        const edge first = has_member ? lists.first(member) : edge(0);
        const edge degree = has_member ? lists.last(member) - first : edge(0);
        const bool hub = degree >= HUB_DEGREE;
        visited += has_member && (!alone || lane == 0) ? lists.degree(member) : edge(0);
        if (!alone) { defer_list(run, hub, member, first, first + degree); }
        const uint32 own = hub ? 0 : uint32(degree);
        const uint32 inclusive = alone ? own : warp_inclusive_sum(own);
        const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
        const bool by_lanes = !keeps && goes_by_lanes(lists, first, own);
        for (uint32 start = 0; start < total; start += several * 32) {
            vertex near[several], far[several];
            edge at[several], begins[several], ends[several];
            Values values[several];
            bool accepted[several];
            side_by_side<several>([&](uint32 k) {
                values[k].active = start + k * 32 + lane < total;
                near[k] = near[0];
                at[k] = at[0];
                if (k == 0 || start + k * 32 < total) {
                    const uint32 item = min(start + k * 32 + lane, total - 1);
                    uint32 owner = lane, place = start / 32 + k;
                    if (!by_lanes) {
                        owner = alone ? lane : owner_of(inclusive, item);
                        place = item - __shfl_sync(FULL_WARP, inclusive - own, owner);
                    }
                    at[k] = __shfl_sync(FULL_WARP, first, owner) + place;
                    near[k] = vertex(__shfl_sync(FULL_WARP, member, owner));
                }
            });
            side_by_side<several>([&](uint32 k) { far[k] = lists.neighbor(at[k]); });
            side_by_side<several>([&](uint32 k) {
                begins[k] = keeps ? lists.first(far[k]) : edge(0);
                ends[k] = keeps ? lists.last(far[k]) : edge(0);
                if (keeps && tests) { fetch(far[k]); }
            });
            load(near, far, at, values);
            side_by_side<several>([&](uint32 k) {
                if (tests && values[k].active && begins[k] < ends[k]) { prefetch_to_l2(&neighbors[begins[k]]); }
            });
            side_by_side<several>([&](uint32 k) {
                accepted[k] = (k == 0 || start + k * 32 < total) && visit(values[k].active, near[k], far[k], at[k], values[k]);
            });
            side_by_side<several>([&](uint32 k) {
                const bool is_late = !tests && kept.round > 1 && values[k].active;
                if (is_late && begins[k] < ends[k]) { prefetch_to_l2(&neighbors[begins[k]]); }
            });
            side_by_side<several>([&](uint32 k) {
                const bool is_short = ends[k] - begins[k] < HUB_DEGREE;
                const bool stays = kept.keep(keeps && accepted[k] && is_short, far[k]);
                if (stays) { begin(far[k]); }
                if (keeps && accepted[k] && !is_short) { kept.leave(); }
                out.append(accepted[k] && !stays, far[k]);
            });
        }
    };
    {
        const uint32 width = members_per_warp(size);
        for (uint64 base = warp_index() * width; base < size; base += warps * width) {
            const bool has_member = lane < width && base + lane < size;
            walk(false, has_member, has_member ? members[base + lane] : vertex(0));
        }
    }
    uint64 taken = 0;
    while (keeps) {
        const uint32 found = kept.begin_round(), count = min(found % LEAVES, LOCAL_ROOM);
        if (count == 0) { break; }
        if (found > LOCAL_ROOM) {
            for (uint32 base = warp * 32; base < count; base += BLOCK_THREADS) {
                out.append(base + lane < count, kept.at(min(base + lane, count - 1)));
            }
            publish_at_once(run, out);
            break;
        }
        taken += count;
        if (threadIdx.x == 0 && kept.round % LOCAL_LOOK == 0) {
            if (kept.round >= LOCAL_ROUNDS || load_relaxed(&run.counters()->accepted) > 0) { kept.leave(); }
        }
        const uint32 width = min(32u, (count + BLOCK_THREADS / 32 - 1) / (BLOCK_THREADS / 32));
        for (uint32 base = warp * width; base < count; base += BLOCK_THREADS / 32 * width) {
            const bool alone = width == 1, has_member = alone || (lane < width && base + lane < count);
            walk(alone, has_member, has_member ? kept.at(alone ? base : base + lane) : vertex(0));
        }
    }
    if (threadIdx.x == 0 && taken > 0) { atomicAdd_grid(&run.counters()->kept, taken); }
    return visited;
}
