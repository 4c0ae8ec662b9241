// piece: each_vertex
template <class Members, class Visit>
__device__ __forceinline__ void each_vertex(const Members& members, Visit visit) {
    const uint64 end = own_end(members), step = own_threads(members);
    for (uint64 i = own_thread(members); i < end; i += step) { visit(members[i]); }
}

// piece: each_vertex_by_warps
// Visits every member, with whole warps: `visit(active, v)`.
template <class Members, class Visit>
__device__ __forceinline__ void each_vertex_by_warps(const Members& members, Visit visit) {
    const uint64 size = own_end(members), step = own_warps<all_warps>(members) * 32;
    for (uint64 base = own_base<all_warps>(members, 32); base < size; base += step) {
        const bool active = base + lane_index() < size;
        visit(active, active ? members[base + lane_index()] : vertex(0));
    }
}

// piece: side_by_side
template <uint32 several, class Step>
__device__ __forceinline__ void side_by_side(Step step) {
#pragma unroll
    for (uint32 k = 0; k < several; ++k) { step(k); }
}

// piece: each_vertex_side_by_side
// Visits every member, `several` per thread at a time: `load(vertices, values)` reads `Values` for all of them, then
// `visit(v, values)` is called for each active one. Beyond the end, the first vertex is repeated.
template <uint32 several, class Values, class Members, class Load, class Visit>
__device__ __forceinline__ void each_vertex_side_by_side(const Members& members, Load load, Visit visit) {
    const uint64 size = own_end(members), stride = own_threads(members);
    for (uint64 base = own_thread(members); base < size; base += several * stride) {
        vertex v[several];
        Values values[several];
        side_by_side<several>([&](uint32 k) {
            const uint64 at = base + k * stride;
            values[k].active = at < size;
            v[k] = members[at < size ? at : base];
        });
        load(v, values);
        side_by_side<several>([&](uint32 k) {
            if (values[k].active) { visit(v[k], values[k]); }
        });
    }
}

// piece: each_edge
template <class Visit>
__device__ __forceinline__ void each_edge(const graph_slice& g, Visit visit) {
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) {
        visit(__ldg(&g.edge_sources[i]), __ldg(&g.columns[i]), edge(i));
    }
}

// piece: each_id
template <class Visit>
__device__ __forceinline__ void each_id(int64 count, Visit visit) {
    for (uint64 i = own_thread(count); i < own_end(count); i += own_threads(count)) { visit(i); }
}

// piece: define_frontier
// Defines a set from a few vertices, with possible duplicates.
// barriers: 1
template <class Counted>
__device__ __forceinline__ void define_frontier(enactor& run, frontier& result, const vertex* members, uint32 count,
                                                uint64 num_vertices, const Counted counted) {
    begin_operator(run);
    if (leader() && num_vertices > 0) {
        uint32 size = 0;
        uint64 edges = 0;
        for (uint32 i = 0; i < count; ++i) {
            bool is_duplicate = false;
            for (uint32 j = 0; j < i; ++j) { is_duplicate |= members[j] == members[i]; }
            if (is_duplicate) { continue; }
            result.queue[size] = members[i];
            size += 1;
            edges += counted.degree(members[i]);
        }
        run.counters()->accepted = size;
        run.counters()->edges = edges;
    }
    end_queue(run, result);
    run.operators += 1;
}

// piece: define_everything
// barriers: 1
template <class Counted>
__device__ __forceinline__ void define_everything(enactor& run, frontier& result, uint64 num_vertices, const Counted counted) {
    begin_operator(run);
    uint64 edges = 0;
    for (uint64 i = thread_index(); i < num_vertices; i += grid_threads()) {
        result.queue[i] = vertex(i);
        edges += counted.degree(vertex(i));
    }
    __syncwarp(FULL_WARP);
    counted.add(run.counters(), edges);
    if (leader()) { run.counters()->accepted = num_vertices; }
    end_queue(run, result);
    run.operators += 1;
}

// piece: copy_frontier
// barriers: 1
__device__ __forceinline__ void copy_frontier(enactor& run, frontier& result, const frontier& other, uint64 num_vertices) {
    if (other.queued) {
        for (uint64 i = thread_index(); i < other.size; i += grid_threads()) { result.queue[i] = other.queue[i]; }
    }
    if (other.mapped) {
        for (uint64 i = thread_index(); i * 32 < num_vertices; i += grid_threads()) { result.bitmap[i] = other.bitmap[i]; }
    }
    result.size = other.size;
    result.edges = other.edges;
    result.queued = other.queued;
    result.mapped = other.mapped;
    synchronize(run);
}

// piece: copy_and_count
// A copy of a set of which other edges are counted than of the set copied.
// barriers: 1
template <class Counted>
__device__ __forceinline__ void copy_and_count(enactor& run, frontier& result, const frontier& other, uint64 num_vertices,
                                               const Counted counted) {
    const bool queued = other.queued, mapped = other.mapped;
    begin_operator(run);
    uint64 edges = 0;
    for (uint64 i = thread_index(); queued && i < other.size; i += grid_threads()) {
        const vertex v = other.queue[i];
        result.queue[i] = v;
        edges += counted.degree(v);
    }
    for (uint64 word = thread_index(); mapped && word * 32 < num_vertices; word += grid_threads()) {
        uint32 bits = other.bitmap[word];
        result.bitmap[word] = bits;
        for (; !queued && bits != 0; bits &= bits - 1) { edges += counted.degree(vertex(word * 32 + __ffs(bits) - 1)); }
    }
    __syncwarp(FULL_WARP);
    counted.add(run.counters(), edges);
    if (leader()) { run.counters()->accepted = other.size; }
    end_queue(run, result);
    result.queued = queued;
    result.mapped = mapped;
    run.operators += 1;
}

// piece: fetch_sector
// Prefetches a 32-byte sector into the L2 cache if `x[i]` is its first element.
template <class T, class Id>
__device__ __forceinline__ void fetch_sector(const T* x, Id i) {
    constexpr uint32 elements = sizeof(T) < 32 ? 32 / sizeof(T) : 1;
    if (i % elements == 0) { prefetch_to_l2(&x[i]); }
}

// piece: fetch_first_edge
// Prefetches the beginning of a list into the L2 cache.
__device__ __forceinline__ void fetch_first_edge(const edge* offsets, const vertex* neighbors, vertex v, int64 num_edges) {
    const edge first = __ldg(&offsets[v]);
    if (int64(first) < num_edges) { prefetch_to_l2(&neighbors[first]); }
}

// piece: with_row_prefetch prefetching_members
// Members that a thread takes with a stride. Access to a member prefetches the data of the next one, and part of the
// data of the one after.
template <class Members, class Fetch>
struct prefetching_members {
    const Members members;
    const Fetch fetch;
    const uint64 stride;
    const bool prefetches;
    __device__ __forceinline__ uint64 size() const { return members.size(); }
    __device__ __forceinline__ vertex operator[](uint64 i) const {
        if (prefetches && i + 2 * stride < size()) { fetch(vertex(i + stride), vertex(i + 2 * stride)); }
        return members[i];
    }
};
template <class Members, class Fetch>
__device__ __forceinline__ prefetching_members<Members, Fetch> with_row_prefetch(const Members& members, const Fetch& fetch) {
    return prefetching_members<Members, Fetch>{members, fetch, grid_threads(), is_in_id_order(members)};
}

// piece: is_in_id_order
// Whether a set is all vertices in id order.
template <class Members>
__device__ __forceinline__ bool is_in_id_order(const Members&) { return false; }

// piece: is_in_id_order for all_members
__device__ __forceinline__ bool is_in_id_order(const all_members&) { return true; }

// piece: is_in_id_order for whole_members
__device__ __forceinline__ bool is_in_id_order(const whole_members& members) { return members.whole; }
