// piece: edge_frontier_at
// An empty edge frontier in storage slot `i`.
__device__ __forceinline__ edge_frontier edge_frontier_at(const run_slice& slice, uint32 i) {
    return edge_frontier{slice.edge_queues[i], 0};
}

// piece: edge_members edge_members_of
struct edge_members {
    const edge* queue;
    uint64 count;
    __device__ __forceinline__ uint64 size() const { return count; }
    __device__ __forceinline__ edge operator[](uint64 i) const { return queue[i]; }
};
__device__ __forceinline__ edge_members edge_members_of(const edge_frontier& f) { return edge_members{f.queue, f.size}; }

// piece: all_edges
struct all_edges {
    uint64 count;
    __device__ __forceinline__ uint64 size() const { return count; }
    __device__ __forceinline__ edge operator[](uint64 i) const { return edge(i); }
};

// piece: each_edge_of
// Visits every edge of a set, with its source and destination.
template <class Members, class Visit>
__device__ __forceinline__ void each_edge_of(const Members& members, const graph_slice& g, Visit visit) {
    for (uint64 i = thread_index(); i < members.size(); i += grid_threads()) {
        const edge e = members[i];
        visit(__ldg(&g.edge_sources[e]), __ldg(&g.columns[e]), e);
    }
}

// piece: each_edge_by_warps
// Visits every edge of a set, with whole warps: `visit(active, source, destination, e)`.
template <class Members, class Visit>
__device__ __forceinline__ void each_edge_by_warps(const Members& members, const graph_slice& g, Visit visit) {
    const uint64 size = members.size();
    for (uint64 base = turn_base(size, 32); base < size; base += grid_warps() * 32) {
        const bool active = base + lane_index() < size;
        const edge e = active ? members[base + lane_index()] : edge(0);
        visit(active, active ? __ldg(&g.edge_sources[e]) : vertex(0), active ? __ldg(&g.columns[e]) : vertex(0), e);
    }
}

// piece: edge_collector
// Collects a warp's accepted edges in shared memory and appends them to the result, STAGED at a time.
struct edge_collector {
    enactor& run;
    edge_frontier& result;
    edge* const staged;
    uint32 count;  // staged edges, the same for the whole warp

    __device__ edge_collector(enactor& run, edge_frontier& result)
        : run(run), result(result), staged(run.shared.staged_edges[threadIdx.x / 32]), count(0) {}

    // The whole warp must call it; each lane may add an edge.
    __device__ __forceinline__ void append(bool accepted, edge e) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (votes == 0) { return; }
        if (accepted) { staged[count + __popc(votes & ((1u << lane_index()) - 1))] = e; }
        count += __popc(votes);
        if (count >= STAGED) { write(STAGED); }
    }
    __device__ __forceinline__ void flush() {
        if (count > 0) { write(count); }
    }
    __device__ __forceinline__ void write(uint32 amount) {
        __syncwarp(FULL_WARP);
        const uint32 lane = lane_index();
        uint64 at = lane == 0 ? atomicAdd_grid(&run.counters()->accepted, uint64(amount)) : 0;
        at = __shfl_sync(FULL_WARP, at, 0);
        for (uint32 i = lane; i < amount; i += 32) { result.queue[at + i] = staged[i]; }
        const edge rest = staged[amount + lane];
        __syncwarp(FULL_WARP);
        if (amount == STAGED) { staged[lane] = rest; }
        count -= amount;
        __syncwarp(FULL_WARP);
    }
};

// piece: edge_marker
// Marks a warp's accepted edges, 32 in a row, in the room of a queue, and counts them.
struct edge_marker {
    enactor& run;
    uint32* const marks;
    uint64 count = 0;  // the same for the whole warp

    __device__ edge_marker(enactor& run, edge_frontier& result) : run(run), marks(reinterpret_cast<uint32*>(result.queue)) {}

    // The whole warp must call it; the first lane has the first edge of a row.
    __device__ __forceinline__ void append(bool accepted, edge e) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (lane_index() == 0) { marks[e / 32] = votes; }
        count += __popc(votes);
    }
    __device__ __forceinline__ void flush() {
        if (lane_index() == 0 && count > 0) { atomicAdd_grid(&run.counters()->accepted, count); }
    }
};

// piece: end_edges
// The barrier after which an edge frontier can be read.
// barriers: 1, publishes accepted
__device__ __forceinline__ void end_edges(enactor& run, edge_frontier& result) {
    result.size = synchronize_and_read(run, &run.counters()->accepted);
}

// piece: edge_marks_of
// One bit per edge: it is in the result already. Two bitmaps are used alternately.
__device__ __forceinline__ uint32* edge_marks_of(const enactor& run) {
    return marks_turn(run) == 0 ? run.slice.edge_marks[0] : run.slice.edge_marks[1];
}

// piece: mark_edge
// Marks an edge. Returns true for the first call with this edge.
__device__ __forceinline__ bool mark_edge(uint32* marks, edge e) {
    uint32* const word = &marks[e / 32];
    const uint32 bit = 1u << (e % 32);
    return (load_relaxed(word) & bit) == 0 && (atomicOr_grid(word, bit) & bit) == 0;
}

// piece: clear_edge_marks
// Clears the marks of a result after its barrier.
__device__ __forceinline__ void clear_edge_marks(uint32* marks, const edge_frontier& result) {
    for (uint64 i = thread_index(); i < result.size; i += grid_threads()) { store_relaxed(&marks[result.queue[i] / 32], 0u); }
}

// piece: define_edges
// Defines a set from a few edges, with possible duplicates.
// barriers: 1
__device__ __forceinline__ void define_edges(enactor& run, edge_frontier& result, const edge* members, uint32 count,
                                             uint64 num_edges) {
    begin_operator(run);
    if (leader() && num_edges > 0) {
        uint32 size = 0;
        for (uint32 i = 0; i < count; ++i) {
            bool is_duplicate = false;
            for (uint32 j = 0; j < i; ++j) { is_duplicate |= members[j] == members[i]; }
            if (is_duplicate) { continue; }
            result.queue[size] = members[i];
            size += 1;
        }
        run.counters()->accepted = size;
    }
    end_edges(run, result);
    run.operators += 1;
}

// piece: define_all_edges
// barriers: 1
__device__ __forceinline__ void define_all_edges(enactor& run, edge_frontier& result, uint64 num_edges) {
    for (uint64 i = thread_index(); i < num_edges; i += grid_threads()) { result.queue[i] = edge(i); }
    result.size = num_edges;
    synchronize(run);
}

// piece: copy_edges
// barriers: 1
__device__ __forceinline__ void copy_edges(enactor& run, edge_frontier& result, const edge_frontier& other) {
    for (uint64 i = thread_index(); i < other.size; i += grid_threads()) { result.queue[i] = other.queue[i]; }
    result.size = other.size;
    synchronize(run);
}

// piece: collect_far_ends
// Collects the far ends of a set of edges; `ends[e]` is that of edge e.
// barriers: 1
template <class Counted>
__device__ __forceinline__ void collect_far_ends(enactor& run, frontier& result, const edge_frontier& edges,
                                                 const vertex* ends, const Counted counted) {
    begin_operator(run);
    collector out(run, result, counted);
    uint32* const marks = marks_of(run);
    for (uint64 base = warp_index() * 32; base < edges.size; base += grid_warps() * 32) {
        const bool active = base + lane_index() < edges.size;
        const vertex far = active ? __ldg(&ends[edges.queue[base + lane_index()]]) : vertex(0);
        out.append(active && mark(marks, far), far);
    }
    out.flush();
    end_queue(run, result);
    clear_marks(marks, result);
    run.operators += 1;
}
