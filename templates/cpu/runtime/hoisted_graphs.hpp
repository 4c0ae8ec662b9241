// piece: hoisted_graph_of_run
// A graph that the host keeps with the given one, in arrays of the C library: the first run makes them, later ones read
// them. The host's own struct has what another run has made; a run that finds it empty, and others making the same graph
// meanwhile, uses what it has made itself, and frees that at its end where another run was first.
struct hoisted_graph_of_run {
    hoisted_graph* const kept;  // the host's; null if it keeps nothing
    hoisted_graph own = {};
    bool handed_over = false;

    explicit hoisted_graph_of_run(void* slot) : kept(static_cast<hoisted_graph*>(slot)) {}
    hoisted_graph_of_run(const hoisted_graph_of_run&) = delete;
    hoisted_graph_of_run& operator=(const hoisted_graph_of_run&) = delete;
    ~hoisted_graph_of_run() {
        if (handed_over) { return; }
        void* const arrays[] = {own.offsets, own.neighbors, own.edge_ids, own.in_offsets, own.in_sources, own.in_edges, own.reverse};
        for (void* const each : arrays) { std::free(each); }
    }
    bool is_made() const { return kept != nullptr && __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) == 2; }
    bool is_there() const { return own.state != 0 || is_made(); }
    const hoisted_graph& arrays() const { return own.state != 0 ? own : *kept; }

    // Gives the host what this run has made, unless another run has been first, or this one is being stopped.
    void hand_over(bool stopped) {
        own.state = 2;
        int64 empty = 0;
        if (kept == nullptr || stopped || !__atomic_compare_exchange_n(&kept->state, &empty, int64(1), false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
        kept->num_edges = own.num_edges;
        kept->offsets = own.offsets;
        kept->neighbors = own.neighbors;
        kept->edge_ids = own.edge_ids;
        kept->in_offsets = own.in_offsets;
        kept->in_sources = own.in_sources;
        kept->in_edges = own.in_edges;
        kept->reverse = own.reverse;
        handed_over = true;
        __atomic_store_n(&kept->state, int64(2), __ATOMIC_RELEASE);
    }
};

// piece: kept_array
// Memory of the C library for so many values, which the host frees.
template <class T>
inline T* kept_array(int64 count) {
    void* const memory = std::malloc(std::size_t(count + 1) * sizeof(T));
    if (memory == nullptr) { throw std::bad_alloc(); }
    return static_cast<T*>(memory);
}
template <class T, class Values>
inline T* kept_array(const Values& values) {
    T* const copy = kept_array<T>(int64(values.size()));
    std::copy(values.begin(), values.end(), copy);
    return copy;
}

// piece: hoisted_slice
// The given graph with the edges of a kept one.
inline graph_slice hoisted_slice(const graph_slice& g, const hoisted_graph& kept) {
    graph_slice made = g;
    made.num_edges = kept.num_edges;
    made.offsets = kept.offsets;
    made.neighbors = kept.neighbors;
    name_edges(made, kept);
    if (g.in_offsets != nullptr) {
        made.in_offsets = kept.in_offsets;
        made.in_sources = kept.in_sources;
    }
    return made;
}

// piece: name_edges
// Edges keep their ids, by which their ends are found in the given graph.
inline void name_edges(graph_slice& made, const hoisted_graph& kept) {
    made.edge_ids = kept.edge_ids;
    if (made.in_offsets != nullptr) { made.in_edges = kept.in_edges; }
    if (made.reverse_edges != nullptr) { made.reverse_edges = kept.reverse; }
}

// piece: keep_names
inline void keep_names(const graph_slice& g, edge_frontier& edges, hoisted_graph& kept) {
    kept.edge_ids = kept_array<edge>(edges.size);
    const auto put = [&](int64 at, int64 next) { kept.edge_ids[next] = g.edge_ids[at]; };
    marked_lists(g, edges.bitmap, put);
    if (g.in_offsets != nullptr) {
        kept.in_edges = kept_array<edge>(edges.size);
        filtered_lists(g.in_offsets, g.num_vertices, [&](int64 at) { return is_marked(edges, g.in_edges[at]); },
                       [&](int64 at, int64 next) { kept.in_edges[next] = g.in_edges[at]; });
    }
    if (g.reverse_edges != nullptr) {
        kept.reverse = kept_array<edge>(g.edge_bound);
        std::fill(kept.reverse, kept.reverse + g.edge_bound + 1, NO_EDGE);
        graph_slice made = g;
        made.offsets = kept.offsets;
        made.neighbors = kept.neighbors;
        made.edge_ids = kept.edge_ids;
        each_id(g.num_vertices, [&](int64 u) { pair_list(made, vertex(u), kept.reverse); });
    }
}

// piece: is_marked
inline bool is_marked(const edge_frontier& edges, edge e) { return (edges.bitmap[e / 64] >> (e % 64) & 1) != 0; }

// piece: make_hoisted_graph
// The graph of some edges of the given one, whose ids are their positions.
inline void make_hoisted_graph(run_state& run, hoisted_graph_of_run& keeping, const graph_slice& g, edge_frontier& edges) {
    hoisted_graph& kept = keeping.own;
    mark_members(edges);
    kept.num_edges = edges.size;
    kept.neighbors = kept_array<vertex>(edges.size);
    kept.offsets = kept_array<int64>(marked_lists(g, edges.bitmap, [&](int64 at, int64 next) { kept.neighbors[next] = g.neighbors[at]; }));
    if (g.in_offsets != nullptr) {
        kept.in_sources = kept_array<vertex>(edges.size);
        kept.in_offsets = kept_array<int64>(
            filtered_lists(g.in_offsets, g.num_vertices, [&](int64 at) { return is_marked(edges, g.in_edges[at]); },
                           [&](int64 at, int64 next) { kept.in_sources[next] = g.in_sources[at]; }));
    }
    keep_names(g, edges, kept);
    unmark_members(edges);
    keeping.hand_over(must_stop(run.control));
}
