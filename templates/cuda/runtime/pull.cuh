// piece: follow_edges
// Counts the edges that no frontier has had yet, starting with the first pass of a loop.
__device__ __forceinline__ void follow_edges(direction_state& state, uint64 edges, int32 iteration, const graph_slice& g) {
    if (iteration == 0) { state = direction_state{uint64(g.num_edges), false}; }
    state.unvisited -= min(state.unvisited, edges);
}

// piece: looks_of_pull
// An estimate of what a pull looks at: all vertices, and for those not yet visited (each of mean degree) edges until one
// leads to the frontier, which has so many `edges`.
__device__ __forceinline__ float looks_of_pull(const direction_state& state, uint64 edges, const graph_slice& g) {
    const float open = float(state.unvisited);
    const float all = float(g.num_vertices), vertices = open * all / float(g.num_edges);
    return all + fminf(open, vertices * (open / float(edges)));
}

// piece: add_accepted
// Adds how many vertices each thread of a pull has accepted, and their edges. All threads of the block must call it.
template <class Counted>
__device__ __forceinline__ void add_accepted(enactor& run, const Counted& counted, uint64 accepted, uint64 edges) {
    accepted = warp_sum(accepted);
    if (lane_index() == 0 && accepted > 0) { atomicAdd_grid(&run.counters()->accepted, accepted); }
    counted.add(run.counters(), edges);
}

// piece: bitmap_result
// The result of a pull, as a bitmap; each warp writes the word of its 32 vertices.
template <class Counted>
struct bitmap_result {
    enactor& run;
    frontier& result;
    const Counted counted;
    uint64 accepted_here, edges_here;

    __device__ bitmap_result(enactor& run, frontier& result, const Counted counted)
        : run(run), result(result), counted(counted), accepted_here(0), edges_here(0) {}

    __device__ __forceinline__ void put(uint64 word, bool accepted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (lane_index() == 0) { result.bitmap[word] = votes; }
        if (accepted) { count(v); }
    }
    // Called by one lane of a warp; several warps may add the same vertex.
    __device__ __forceinline__ void add(vertex v) {
        const uint32 bit = 1u << (v % 32);
        if ((atomicOr_grid(&result.bitmap[v / 32], bit) & bit) == 0) { count(v); }
    }
    __device__ __forceinline__ void count(vertex v) {
        accepted_here += 1;
        edges_here += counted.degree(v);
    }
    __device__ __forceinline__ void flush() {
        add_accepted(run, counted, accepted_here, edges_here);
        accepted_here = edges_here = 0;
    }
};

// piece: bitmap_discarder
struct bitmap_discarder {
    __device__ __forceinline__ void put(uint64, bool, vertex) {}
    __device__ __forceinline__ void add(vertex) {}
    __device__ __forceinline__ void flush() {}
};

// piece: pull_list
// Visits the neighbors from `at` to `end`, until the vertex is closed. Leaves `at` after the last visited neighbor.
template <bool closes, class Members, class Lists, class Select, class Visit>
__device__ __forceinline__ bool pull_list(const Members& members, const Lists& lists, Select select, Visit visit, vertex far,
                                          edge& at, edge end, bool& closed) {
    bool accepted = false;
    while (at < end && !closed) {
        const edge left = end - at;
        vertex near[PULLED_AT_ONCE];
#pragma unroll
        for (uint32 i = 0; i < PULLED_AT_ONCE; ++i) { near[i] = i < left ? lists.neighbor(at + i) : vertex(0); }
        uint32 hits = 0;
#pragma unroll
        for (uint32 i = 0; i < PULLED_AT_ONCE; ++i) { hits |= i < left && members.contains(near[i]) ? 1u << i : 0u; }
        for (; hits != 0 && !closed; hits &= hits - 1) {
            const edge place = at + (__ffs(hits) - 1);
            accepted |= visit(lists.neighbor(place), far, place);
            closed = closes && !select(far);
        }
        at += min(left, edge(PULLED_AT_ONCE));
    }
    return accepted;
}

// piece: pull_warps
// Each thread takes a vertex that may still be reached and searches its edges for those from the frontier. If the
// functor closes, it stops at the first store. Long lists are deferred in chunks to `pull_chunks`; a closing functor
// first tries PULL_PREFIX of their edges.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
__device__ __forceinline__ void pull_warps(enactor& run, uint64 num_vertices, const Members& members, const Lists& lists,
                                           Select select, Visit visit, Out& out) {
    const uint64 last_id = own_words_end(num_vertices), step = own_warps<all_warps>(int64(num_vertices));
    for (uint64 word = own_word(num_vertices); word * 32 < last_id; word += step) {
        const uint64 id = word * 32 + lane_index();
        const vertex far = vertex(id);
        const bool selected = id < num_vertices && select(far);
        edge at = selected ? lists.first(far) : edge(0);
        const edge last = selected ? lists.last(far) : edge(0);
        const bool hub = last - at >= HUB_DEGREE;
        const edge end = !hub ? last : closes ? at + PULL_PREFIX : at;
        bool closed = false;
        const bool accepted = pull_list<closes>(members, lists, select, visit, far, at, end, closed);
        out.put(word, accepted, far);
        defer_list(run, hub && !closed, far, at, last);
    }
}

// piece: pull_hubs
// `pull_chunks` once all chunks are known.
// barriers: 1 if there are long lists, publishes chunks
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
__device__ __forceinline__ void pull_hubs(enactor& run, int64 largest_degree, const Members& members, const Lists& lists,
                                          Select select, Visit visit, Out& out) {
    if (largest_degree < int64(HUB_DEGREE)) { return; }
    const uint64 chunks = synchronize_and_read(run, &run.counters()->hubs);
    pull_chunks<closes>(run, chunks, members, lists, select, visit, out);
}

// piece: pull_chunks
// Visits the chunks that `pull_warps` deferred, one warp per chunk. Several warps may write to the same far end.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
__device__ __forceinline__ void pull_chunks(enactor& run, uint64 chunks, const Members& members, const Lists& lists,
                                            Select select, Visit visit, Out& out) {
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const hub_chunk part = run.slice.hubs[chunk];
        const vertex far = part.vertex_id;
        for (edge start = part.first; start < part.last; start += 32) {
            if (closes && !__shfl_sync(FULL_WARP, select(far), 0)) { break; }
            const edge at = start + lane_index();
            const vertex near = at < part.last ? lists.neighbor(at) : vertex(0);
            const bool accepted = at < part.last && members.contains(near) && visit(near, far, at);
            if (__any_sync(FULL_WARP, accepted) && lane_index() == 0) { out.add(far); }
        }
    }
}
