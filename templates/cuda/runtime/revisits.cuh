// piece: visited_values
// Of each vertex the rank of a value that all its edges were visited with, or better, since a loop began; where there
// were none, of the value that it began with. Who still has that value need not be visited once more.
template <class Key, bool Falls>
struct visited_values {
    typedef decltype(rank_word(Key())) word;
    const Key* values;
    key_word* visited;

    __device__ visited_values(enactor& run, const Key* values) : values(values), visited(run.slice.visited) {}

    // What comes first is larger.
    __device__ __forceinline__ key_word rank_now(vertex v) const {
        const word rank = rank_word(load_now(&values[v]));
        return Falls ? word(~rank) : rank;
    }
};

// piece: note_values
// What all vertices begin a loop with, whose first pass passes nobody over. It ends with a barrier.
template <class Known>
__device__ __forceinline__ void note_values(enactor& run, const Known& known, uint64 num_vertices) {
    each_id(num_vertices, [&](uint64 i) { known.visited[i] = known.rank_now(vertex(i)); });
    synchronize(run);
}

// piece: CUT_DEGREE
// Lists of so many edges are cut into chunks: those of a warp's members are gone through one row after the other. There is
// room for these chunks, too, as only one list of a vertex is visited.
constexpr uint32 CUT_DEGREE = HUB_DEGREE / 2;

// piece: read_once
// Lists whose neighbours take no room in the multiprocessor's cache, which is to keep the values at their ends.
struct read_once : out_lists {
    __device__ __forceinline__ vertex neighbor(edge at) const { return load_once(&g.columns[at]); }
};

// piece: push_unvisited
// `push_warps` for those that were not visited with the value that they have; in the first pass for all. A list that is
// left for later has no value until its chunks are visited.
template <class Members, class Known, class Lists, class Visit>
__device__ __forceinline__ uint64 push_unvisited(enactor& run, const Members& members, const Known& known, bool all,
                                                 const Lists& lists, Visit visit) {
    const uint64 size = members.size(), warps = grid_warps();
    const uint32 width = members_a_warp(size);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = warp_index() * width; base < size; base += warps * width) {
        const bool taken = lane < width && base + lane < size;
        const vertex near = members[taken ? base + lane : base];  // no branch, so that all is loaded side by side
        const key_word now = known.rank_now(near), former = taken ? known.visited[near] : key_word(0);
        const edge first = lists.first(near), last = lists.last(near);
        const bool counts = taken && (all || now != former);
        const edge degree = counts ? last - first : edge(0);
        visited += counts ? lists.degree(near) : edge(0);
        const bool hub = degree >= CUT_DEGREE;
        if (counts) { known.visited[near] = hub ? ~key_word(0) : now; }
        defer_list(run, hub, near, first, last);
        visit_two_rows(lists, near, first, hub ? 0 : uint32(degree), visit);
    }
    return visited;
}

// piece: push_unvisited_hubs
// The chunks that `push_unvisited` left, a warp each; of the values that those of a list begin with the worst is kept.
template <class Known, class Lists, class Visit>
__device__ __forceinline__ void push_unvisited_hubs(enactor& run, int64 largest_degree, const Known& known, const Lists& lists,
                                                    Visit visit) {
    if (largest_degree < int64(CUT_DEGREE)) { return; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        if (lane_index() == 0) { atomicMin(&known.visited[part.vertex_id], known.rank_now(part.vertex_id)); }
        __syncwarp(FULL_WARP);  // no lane looks at the value before
        for (edge start = part.first; start < part.last; start += 64) {
            const edge at = start + lane_index(), next = at + 32;
            const bool active = at < part.last, two = next < part.last;
            const vertex far = active ? lists.neighbor(at) : vertex(0), other = two ? lists.neighbor(next) : vertex(0);
            visit(active, part.vertex_id, far, at);
            if (start + 32 < part.last) { visit(two, part.vertex_id, other, next); }
        }
    }
}
