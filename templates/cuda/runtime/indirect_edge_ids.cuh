// piece: place_of
// The position of `e` in its source's list, whose ids ascend.
__device__ __forceinline__ int32 place_of(const graph_slice& g, vertex source, edge e) {
    const edge first = g.offsets[source];
    edge low = first, high = g.offsets[source + 1];
    while (low < high) {
        const edge middle = low + (high - low) / 2;
        if (g.edge_ids[middle] < e) { low = middle + 1; } else { high = middle; }
    }
    return int32(low - first);
}

// piece: existing_edge
// `e` if the graph has it; otherwise 0, and the run stops at the next barrier.
__device__ __forceinline__ uint64 existing_edge(const data_slice& d, uint64 e, uint32 check) {
    const graph_slice& g = d.graph;
    if (g.edge_bound == 0) { return 0; }
    const vertex source = g.edge_sources[e];
    const edge at = g.offsets[source] + edge(place_of(g, source, edge(e)));
    if (at < g.offsets[source + 1] && g.edge_ids[at] == edge(e)) { return e; }
    checked_index(d, edge(e), 0, check);
    return 0;
}

// piece: out_lists
// The lists of a graph whose edge ids may differ from the positions of its edges.
struct out_lists {
    const graph_slice& g;
    __device__ __forceinline__ edge first(vertex v) const { return g.offsets[v]; }
    __device__ __forceinline__ edge last(vertex v) const { return g.offsets[v + 1]; }
    __device__ __forceinline__ edge degree(vertex v) const { return last(v) - first(v); }
    __device__ __forceinline__ edge degree_with_prefetch(vertex v) const { return fetch_list(first(v), last(v), g.neighbors); }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.neighbors[at]; }
    __device__ __forceinline__ edge id(edge at) const { return g.edge_ids[at]; }
    __device__ __forceinline__ void add(operator_counters* counters, uint64 edges) const { count_edges(counters, edges); }
    __device__ __forceinline__ void begin(block_storage& shared) const { hold_no_edges(shared); }
    __device__ __forceinline__ void hold(block_storage& shared, uint64 edges) const { hold_edges(shared, edges); }
    __device__ __forceinline__ void publish(block_storage& shared, operator_counters* c) const { publish_edges(shared, c); }
};

// piece: read_once
// As `out_lists`, without keeping neighbors in the multiprocessor's cache.
struct read_once : out_lists {
    __device__ __forceinline__ vertex neighbor(edge at) const { return load_once(&g.neighbors[at]); }
};

// piece: edge_at
// The edge at a position of the list of `v`.
__device__ __forceinline__ edge edge_at(const graph_slice& g, uint64 v, uint64 place) {
    return g.edge_ids[g.offsets[v] + place];
}

// piece: checked_edge_at
// The edge at a position of the list of `v`; edge 0 if there is none, and the run stops at the next barrier.
template <class Place>
__device__ __forceinline__ edge checked_edge_at(const data_slice& d, uint64 v, Place place, uint32 check) {
    const edge first = d.graph.offsets[v], degree = d.graph.offsets[v + 1] - first;
    const uint64 known = checked_index(d, place, degree, check);
    return degree > 0 ? d.graph.edge_ids[first + known] : edge(0);
}

// piece: has_edge
// Whether an edge leads from u to w, by binary search.
__device__ __forceinline__ bool has_edge(const graph_slice& g, vertex u, vertex w) {
    if (uint64(u) >= uint64(g.num_vertices)) { return false; }
    const out_lists lists{g};
    const edge at = first_to(lists, lists.first(u), lists.last(u), w);
    return at < lists.last(u) && lists.neighbor(at) == w;
}

// piece: first_to
// The first position in `low` to `high` whose neighbor is not below `w`.
__device__ __forceinline__ edge first_to(const out_lists& lists, edge low, edge high, vertex w) {
    while (low < high) {
        const edge middle = low + (high - low) / 2;
        if (lists.neighbor(middle) < w) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: edge_range
// The edges from `first` up to, but not including, `last`.
struct edge_range {
    const edge *first, *last;
    __device__ __forceinline__ const edge* begin() const { return first; }
    __device__ __forceinline__ const edge* end() const { return last; }
};

// piece: out_edges
// The out-edges of `v`.
__device__ __forceinline__ edge_range out_edges(const graph_slice& g, uint64 v) {
    return edge_range{g.edge_ids + g.offsets[v], g.edge_ids + g.offsets[v + 1]};
}

// piece: nth_edge
// The edge at a place of a list.
__device__ __forceinline__ edge nth_edge(const edge_range& list, edge place) { return list.first[place]; }

// piece: all_edges
struct all_edges {
    const graph_slice& g;
    __device__ __forceinline__ uint64 size() const { return g.num_edges; }
    __device__ __forceinline__ edge operator[](uint64 i) const { return g.edge_ids[i]; }
};

// piece: out_table
// All edges by position, as out-edges.
struct out_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge at) const { return g.edge_sources[g.edge_ids[at]]; }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.neighbors[at]; }
};

// piece: in_table
// All edges by position, as in-edges.
struct in_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge at) const { return g.columns[g.edge_ids[at]]; }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.edge_sources[g.edge_ids[at]]; }
};

// piece: each_edge
template <class Visit>
__device__ __forceinline__ void each_edge(const graph_slice& g, Visit visit) {
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) {
        const edge e = g.edge_ids[i];
        visit(g.edge_sources[e], g.columns[e], e);
    }
}

// piece: define_all_edges
// barriers: 1
__device__ __forceinline__ void define_all_edges(enactor& run, edge_frontier& result, const graph_slice& g) {
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) { result.queue[i] = g.edge_ids[i]; }
    result.size = g.num_edges;
    synchronize(run);
}
