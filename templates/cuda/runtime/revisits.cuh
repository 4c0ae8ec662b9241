// piece: visited_values
// For each vertex, the rank of the value with which its edges were last visited in this loop (or of a better one), and 0
// if they were not visited. A vertex that still has that value need not be visited again.
template <class Key, bool Falls>
struct visited_values {
    typedef decltype(rank_word(Key())) word;
    const Key* values;
    key_word* visited;

    __device__ visited_values(enactor& run, const Key* values) : values(values), visited(run.slice.visited) {}

    // Better values have larger ranks.
    __device__ __forceinline__ static key_word rank(Key value) {
        const word rank = rank_word(value);
        return Falls ? word(~rank) : rank;
    }
    // The first 32 bits of a rank.
    __device__ __forceinline__ static uint32 first_bits(key_word rank) { return uint32(rank >> (8 * sizeof(word) - 32)); }
    __device__ __forceinline__ key_word rank_now(vertex v) const { return rank(value_now(v)); }
    __device__ __forceinline__ Key value_now(vertex v) const { return load_now(&values[v]); }
};

// piece: forget_visits
// The initial state of all vertices, so that the first pass skips none. 0 marks an unvisited vertex, since no later
// member has it as its rank: its value has improved on another one, so it is not the worst of all. Ends with a barrier.
// barriers: 1
template <class Known>
__device__ __forceinline__ void forget_visits(enactor& run, const Known& known, uint64 num_vertices) {
    each_id(num_vertices, [&](uint64 i) { known.visited[i] = 0; });
    synchronize(run);
}

// piece: CUT_DEGREE
// Lists of at least this many edges are cut into chunks, because a warp walks the lists of its members one row after the
// other. The room for chunks suffices, since only one list of each vertex is visited.
constexpr uint32 CUT_DEGREE = HUB_DEGREE / 2;

// piece: find_nearest
// Finds the nearest members of a pass: those whose rank is at least `run.shared.nearest`, which have about an eighth of
// the edges of all long lists. The chunks of their lists are visited first, so that the other lists see the changes and
// are visited again less often. The bound is the mean rank of a sample of members with long lists, weighted by edges,
// then the mean of those above it, and once more. In a pass of few members, all are near. Ends with `__syncthreads`.
template <class Members, class Known, class Lists>
__device__ __forceinline__ void find_nearest(enactor& run, const Members& members, const Known& known, const Lists& lists) {
    const uint64 size = members.size();
    if (threadIdx.x < 32) {
        uint32 bound = 0;
        if (size >= PARTED_MEMBERS && lists.g.largest_degree >= int64(CUT_DEGREE)) {
            constexpr uint32 several = 4;  // members sampled by each lane
            uint32 ranks[several], edges[several];
            side_by_side<several>([&](uint32 k) {
                const vertex some = members[size / (several * 32) * (k * 32 + lane_index())];
                const edge degree = lists.last(some) - lists.first(some);
                ranks[k] = known.first_bits(known.rank_now(some));
                edges[k] = degree < edge(CUT_DEGREE) ? 0 : uint32(min(degree, edge(1 << 20)));
            });
#pragma unroll 1
            for (uint32 halving = 0; halving < 3; ++halving) {
                uint64 sum = 0;
                uint32 count = 0;
                side_by_side<several>([&](uint32 k) {
                    const uint32 counts = ranks[k] >= bound ? edges[k] : 0;
                    sum += uint64(counts) * ranks[k];
                    count += counts;
                });
                sum = warp_sum(sum);
                count = warp_sum(count);
                if (count > 0) { bound = uint32(sum / count); }
            }
        }
        if (lane_index() == 0) { run.shared.nearest = bound; }
    }
    __syncthreads();
}

// piece: most_chunks
// An upper bound of the number of chunks of all lists of at least `CUT_DEGREE` edges.
__device__ __forceinline__ uint64 most_chunks(const graph_slice& g) {
    return uint64(g.num_edges) / HUB_CHUNK + uint64(g.num_edges) / CUT_DEGREE;
}

// piece: note_parted_chunks
// Appends the lanes' long lists to the chunks so far. Chunks of `nearest` lanes are stored from the front of the room on,
// the others from its end backward. The low half of `counter` counts the former, the high half the latter.
__device__ OUTLINED void note_parted_chunks(uint64* counter, hub_chunk* room, uint64 places, uint32 deferring, uint32 nearest,
                                            vertex v, edge first, edge last) {
    const bool defer = (deferring >> lane_index() & 1) != 0, front = (nearest >> lane_index() & 1) != 0;
    const uint32 chunks = defer ? uint32((last - first + HUB_CHUNK - 1) / HUB_CHUNK) : 0;
    const uint32 in_front = warp_inclusive_sum(front ? chunks : 0), behind = warp_inclusive_sum(front ? 0 : chunks);
    uint64 before = 0;
    if (lane_index() == 31) { before = atomicAdd_grid(counter, uint64(behind) << 32 | in_front); }
    before = __shfl_sync(FULL_WARP, before, 31);
    const uint64 at = front ? uint32(before) + (in_front - chunks) : places - (before >> 32) - behind;
    write_chunks(room, at, chunks, deferring, v, first, last, HUB_CHUNK);
}

// piece: defer_parted_list
// Defers a lane's long list, in chunks, after `find_nearest`; the value of its member has this `rank`.
template <class Known>
__device__ __forceinline__ void defer_parted_list(enactor& run, const graph_slice& g, const Known& known, bool defer, vertex v,
                                                  key_word rank, edge first, edge last) {
    const uint32 deferring = __ballot_sync(FULL_WARP, defer);
    if (deferring == 0) { return; }
    const uint32 nearest = __ballot_sync(FULL_WARP, known.first_bits(rank) >= run.shared.nearest);
    note_parted_chunks(&run.counters()->hubs, run.slice.hubs, most_chunks(g), deferring, nearest, v, first, last);
}

// piece: parted_chunks
// Where the chunks are stored, in the order of visits: nearest first.
struct parted_chunks {
    uint64 nearest, count, places;

    __device__ __forceinline__ parted_chunks(uint64 counted, const graph_slice& g)
        : nearest(uint32(counted)), count(uint32(counted) + (counted >> 32)), places(most_chunks(g)) {}

    __device__ __forceinline__ uint64 place(uint64 chunk) const { return chunk < nearest ? chunk : places + nearest - 1 - chunk; }
};

// piece: read_once
// Lists that are read past the L1 cache, which is left to the values at the ends of their edges.
struct read_once : out_lists {
    __device__ __forceinline__ vertex neighbor(edge at) const { return load_once(&g.columns[at]); }
};

// piece: bound_visits
// Runs after a pass of the first loop, which leaves `left` members. If the passes have visited more edges than the host
// allows, requests a stop at the next barrier, so that the host can start the run again in another order. The host looks
// for it at the word of all blocks, which those of the first GPU do not come to while it is alone.
__device__ __forceinline__ void bound_visits(enactor& run, int32 iteration, uint64 visited, uint64 left) {
    if (!is_trace_writer()) { return; }
    block_storage& shared = run.shared;
    const uint64 visits = visited + (iteration == 0 ? 0 : shared.visits), most = run.slice.most_visits;
    run.control->visits = shared.visits = visits;
    if (most > 0 && visits > most && left > 0 && run.control->stopped_after == 0) {
        run.control->stopped_after = nanoseconds() - shared.started_at;
        shared.stop_requested = true;
        request_stop(run.control);
    }
}

// piece: push_unvisited
// Visits the edges of the members that have not been visited with their current value (in the first pass, all). A list
// that is deferred has no value until its chunks are visited.
template <class Members, class Known, class Lists, class Visit>
__device__ __forceinline__ uint64 push_unvisited(enactor& run, const Members& members, const Known& known, bool all,
                                                 const Lists& lists, Visit visit) {
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 width = members_per_warp(size);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = turn_base(size, width); base < size; base += warps * width) {
        const bool has_member = lane < width && base + lane < size;
        const vertex near = members[has_member ? base + lane : base];  // without a branch, so that all loads overlap
        const key_word now = known.rank_now(near), former = has_member ? known.visited[near] : key_word(0);
        const edge first = lists.first(near), last = lists.last(near);
        const bool counts = has_member && (all || now != former);
        const edge degree = counts ? last - first : edge(0);
        visited += counts ? lists.degree(near) : edge(0);
        const bool hub = degree >= CUT_DEGREE;
        if (counts) { known.visited[near] = hub ? ~key_word(0) : now; }
        defer_parted_list(run, lists.g, known, hub, near, now, first, last);
        visit_row_pairs(lists, near, first, hub ? 0 : uint32(degree), visit);
    }
    return visited;
}

// piece: push_unvisited_hubs
// `push_unvisited_chunks` once all chunks are known.
// barriers: 1 if there are long lists, publishes chunks
template <class Known, class Lists, class Visit>
__device__ __forceinline__ void push_unvisited_hubs(enactor& run, int64 largest_degree, const Known& known, const Lists& lists,
                                                    Visit visit) {
    if (largest_degree < int64(CUT_DEGREE)) { return; }
    push_unvisited_chunks(run, synchronize_and_read(run, &run.counters()->hubs), known, lists, visit);
}

// piece: push_unvisited_chunks
// Visits the chunks of the lists that were deferred, one warp for each. Chunks of one list may start with different
// values; the worst of them is stored.
template <class Known, class Lists, class Visit>
__device__ __forceinline__ void push_unvisited_chunks(enactor& run, uint64 counted, const Known& known, const Lists& lists,
                                                      Visit visit) {
    const parted_chunks chunks(counted, lists.g);
    for (uint64 chunk = warp_index(); chunk < chunks.count; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunks.place(chunk)];
        if (lane_index() == 0) { atomicMin_grid(&known.visited[part.vertex_id], known.rank_now(part.vertex_id)); }
        __syncwarp(FULL_WARP);  // before any lane reads the value
        for (edge start = part.first; start < part.last; start += 64) {
            const edge at = start + lane_index(), next = at + 32;
            const bool active = at < part.last, two = next < part.last;
            const vertex far = active ? lists.neighbor(at) : vertex(0), other = two ? lists.neighbor(next) : vertex(0);
            visit(active, part.vertex_id, far, at);
            if (start + 32 < part.last) { visit(two, part.vertex_id, other, next); }
        }
    }
}

// piece: push_unvisited_side_by_side
// Visits the edges of the members that have not been visited with their current value (in the first pass, all),
// `several` edges of each lane at a time. `own` is the value with which an edge's member is visited, and `load` reads the
// rest of `Values`. `visit` is then called for each edge, and `ends` with its results, so that no call waits for the
// result of another. Edges beyond the end repeat the last one. A list that is deferred has no value until its chunks are
// visited.
template <uint32 several, class Values, class Members, class Known, class Lists, class Load, class Visit, class Ends>
__device__ __forceinline__ uint64 push_unvisited_side_by_side(enactor& run, const Members& members, const Known& known, bool all,
                                                              const Lists& lists, Load load, Visit visit,
                                                              Ends ends) {
    const vertex size = vertex(members.size());  // with the width of an id, which takes half of the registers
    const uint32 width = even_members_per_warp(size), lane = lane_index();
    const vertex stride = vertex(grid_warps() * width);
    uint64 visited = 0;
    vertex base = vertex(min(turn_base(size, width), uint64(size)));
    for (; base < size; base += min(stride, vertex(size - base))) {
        const bool has_member = lane < min(vertex(width), vertex(size - base));
        const vertex member = members[has_member ? base + lane : base];  // without a branch, so that all loads overlap
        const auto value = known.value_now(member);
        const key_word now = known.rank(value), former = has_member ? known.visited[member] : key_word(0);
        const edge first = lists.first(member), last = lists.last(member);
        const bool counts = has_member && (all || now != former);
        const edge degree = counts ? last - first : edge(0);
        visited += counts ? lists.degree(member) : edge(0);
        const bool hub = degree >= CUT_DEGREE;
        if (counts) { known.visited[member] = hub ? ~key_word(0) : now; }
        defer_parted_list(run, lists.g, known, hub, member, now, first, last);
        const uint32 own = hub ? 0 : uint32(degree);
        const uint32 inclusive = warp_inclusive_sum(own);
        const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
        const edge begin = first - (inclusive - own);  // wraps if it is below 0
        row_owners owners(own, inclusive);
        for (uint32 start = 0; start < total; start += several * 32) {
            vertex near[several], far[several];
            edge at[several];
            Values values[several];
            side_by_side<several>([&](uint32 k) {
                const uint32 item = min(start + k * 32 + lane, total - 1);
                values[k].active = start + k * 32 + lane < total;
                const uint32 owner = owners.in_row(start + k * 32);
                at[k] = __shfl_sync(FULL_WARP, begin, owner) + item;
                near[k] = vertex(__shfl_sync(FULL_WARP, member, owner));
                values[k].own = __shfl_sync(FULL_WARP, value, owner);
                far[k] = lists.neighbor(at[k]);
            });
            load(near, far, at, values);
            uint32 marks[several];
            side_by_side<several>([&](uint32 k) { marks[k] = visit(values[k].active, near[k], far[k], at[k], values[k]); });
            side_by_side<several>([&](uint32 k) { ends(marks[k], far[k]); });
        }
    }
    return visited;
}

// piece: push_unvisited_hubs_side_by_side
// `push_unvisited_chunks_side_by_side` once all chunks are known.
// barriers: 1 if there are long lists, publishes chunks
template <uint32 several, class Values, class Known, class Lists, class Load, class Visit, class Ends>
__device__ __forceinline__ void push_unvisited_hubs_side_by_side(enactor& run, int64 largest_degree, const Known& known,
                                                                 const Lists& lists, Load load, Visit visit,
                                                                 Ends ends) {
    if (largest_degree < int64(CUT_DEGREE)) { return; }
    const uint64 counted = synchronize_and_read(run, &run.counters()->hubs);
    push_unvisited_chunks_side_by_side<several, Values>(run, counted, known, lists, load, visit, ends);
}

// piece: push_unvisited_chunks_side_by_side
// Visits the chunks of the lists that were deferred, one warp for each, with the value that the chunk records. Chunks of
// one list may start with different values; the worst of them is stored.
template <uint32 several, class Values, class Known, class Lists, class Load, class Visit, class Ends>
__device__ __forceinline__ void push_unvisited_chunks_side_by_side(enactor& run, uint64 counted, const Known& known,
                                                                   const Lists& lists, Load load, Visit visit,
                                                                   Ends ends) {
    const parted_chunks chunks(counted, lists.g);
    for (uint64 chunk = warp_index(); chunk < chunks.count; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunks.place(chunk)];
        auto value = known.value_now(part.vertex_id);
        for (edge start = part.first; start < part.last; start += several * 32) {
            vertex near[several], far[several];
            edge at[several];
            Values values[several];
            side_by_side<several>([&](uint32 k) {
                const edge place = start + k * 32 + lane_index();
                values[k].active = place < part.last;
                at[k] = min(place, edge(part.last - 1));
                near[k] = part.vertex_id;
                far[k] = lists.neighbor(at[k]);
            });
            load(near, far, at, values);
            if (start == part.first) {  // while the loads are in flight
                value = __shfl_sync(FULL_WARP, value, 0);
                if (lane_index() == 0) { atomicMin_grid(&known.visited[part.vertex_id], known.rank(value)); }
            }
            uint32 marks[several];
            side_by_side<several>([&](uint32 k) {
                values[k].own = value;
                marks[k] = visit(values[k].active, near[k], far[k], at[k], values[k]);
            });
            side_by_side<several>([&](uint32 k) { ends(marks[k], far[k]); });
        }
    }
}
