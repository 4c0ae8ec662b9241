// piece: edge_frontier
// A set of edges as a queue. The bitmap holds marks against duplicates, and is zero between operators.
struct edge_frontier {
    edge* queue;     // the members, in any order
    uint64* bitmap;  // one bit per edge
    int64 size;      // number of members

    explicit edge_frontier(int64 num_edges) : size(0) {
        queue = static_cast<edge*>(std::malloc(std::size_t(num_edges + 1) * sizeof(edge)));
        bitmap = static_cast<uint64*>(std::calloc(std::size_t(num_edges / 64 + 1), sizeof(uint64)));
        if (queue == nullptr || bitmap == nullptr) { throw std::bad_alloc(); }
    }
    edge_frontier(const edge_frontier&) = delete;
    edge_frontier& operator=(const edge_frontier&) = delete;
    ~edge_frontier() {
        std::free(queue);
        std::free(bitmap);
    }
};

// piece: each_edge_of
// Visits every edge of a set, with its source and destination.
template <class Visit>
inline void each_edge_of(const edge_frontier& members, const graph_slice& g, Visit visit) {
#pragma omp for schedule(dynamic, chunk_of(members.size))
    for (int64 i = 0; i < members.size; ++i) {
        const edge e = members.queue[i];
        visit(g.edge_sources[e], g.columns[e], e);
    }
}

// piece: edge_collector
// Collects one thread's accepted edges in a buffer and appends them to the result when it is full.
struct edge_collector {
    edge_frontier& result;
    int64 staged_size;
    edge staged[1024];

    explicit edge_collector(edge_frontier& result) : result(result), staged_size(0) {}

    // Marks an edge. Returns true for the first call with it, in any thread.
    bool is_new(edge e) {
        uint64* const word = &result.bitmap[e / 64];
        const uint64 bit = uint64(1) << (e % 64);
        return (load_now(word) & bit) == 0 && (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit) == 0;
    }
    void append(edge e) {
        staged[staged_size] = e;
        staged_size += 1;
        if (staged_size == 1024) { flush(); }
    }
    void append_if(edge e, bool accepted) {
        staged[staged_size] = e;
        staged_size += accepted ? 1 : 0;
        if (staged_size == 1024) { flush(); }
    }
    void flush() {
        const int64 at = __atomic_fetch_add(&result.size, staged_size, __ATOMIC_RELAXED);
        std::memcpy(result.queue + at, staged, std::size_t(staged_size) * sizeof(edge));
        staged_size = 0;
    }
};

// piece: finish_edges
// Makes the edges that an operator has collected its result, and clears their marks.
inline void finish_edges(edge_frontier& next, edge_frontier& result, bool marked) {
    for (int64 i = 0; marked && i < next.size; ++i) { next.bitmap[next.queue[i] / 64] = 0; }
    std::swap(next.queue, result.queue);
    result.size = next.size;
    next.size = 0;
}

// piece: define_edges
// Defines a set from a few edges, with possible duplicates.
inline void define_edges(edge_frontier& f, std::initializer_list<edge> members) {
    f.size = 0;
    for (const edge e : members) {
        bool is_duplicate = false;
        for (int64 i = 0; i < f.size; ++i) { is_duplicate = is_duplicate || f.queue[i] == e; }
        if (is_duplicate) { continue; }
        f.queue[f.size] = e;
        f.size += 1;
    }
}

// piece: define_all_edges
inline void define_all_edges(edge_frontier& f, int64 num_edges) {
    each_id(num_edges, [&](int64 i) { f.queue[i] = edge(i); });
    f.size = num_edges;
}

// piece: copy_edges
inline void copy_edges(edge_frontier& f, const edge_frontier& other) {
    if (&f == &other) { return; }
    std::memcpy(f.queue, other.queue, std::size_t(other.size) * sizeof(edge));
    f.size = other.size;
}

// piece: collect_far_ends
// Collects the far ends of a set of edges; `ends[e]` is the far end of edge e.
template <class Counted>
inline void collect_far_ends(run_state& run, frontier& result, const edge_frontier& edges, const vertex* ends,
                             const Counted counted) {
#pragma omp parallel if (edges.size > SMALL_WORK)
    {
        collector<Counted> out(run.next, counted);
#pragma omp for schedule(static)
        for (int64 i = 0; i < edges.size; ++i) {
            const vertex far = ends[edges.queue[i]];
            if (out.is_new(far)) { out.append(far); }
        }
        out.flush();
    }
    finish_queue(run, result, true);
}
