// piece: place_of
// The position of `e` in its source's list.
__device__ __forceinline__ int32 place_of(const graph_slice& g, vertex source, edge e) { return int32(e - g.offsets[source]); }

// piece: existing_edge
// `e`: no graph leaves out edges of another one.
__device__ __forceinline__ uint64 existing_edge(const data_slice& d, uint64 e, uint32) { return d.graph.edge_bound == 0 ? 0 : e; }

// piece: out_lists
// The lists of a graph whose edge ids are the positions of its edges. Not read through the read-only cache, because the
// program may build the graph.
struct out_lists {
    const graph_slice& g;
    __device__ __forceinline__ edge first(vertex v) const { return g.offsets[v]; }
    __device__ __forceinline__ edge last(vertex v) const { return g.offsets[v + 1]; }
    __device__ __forceinline__ edge degree(vertex v) const { return last(v) - first(v); }
    __device__ __forceinline__ edge degree_with_prefetch(vertex v) const { return fetch_list(first(v), last(v), g.neighbors); }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.neighbors[at]; }
    __device__ __forceinline__ edge id(edge at) const { return at; }
    __device__ __forceinline__ void add(operator_counters* counters, uint64 edges) const { count_edges(counters, edges); }
    __device__ __forceinline__ void begin(block_storage& shared) const { hold_no_edges(shared); }
    __device__ __forceinline__ void hold(block_storage& shared, uint64 edges) const { hold_edges(shared, edges); }
    __device__ __forceinline__ void publish(block_storage& shared, operator_counters* c) const { publish_edges(shared, c); }
};

// piece: all_edges
struct all_edges {
    const graph_slice& g;
    __device__ __forceinline__ uint64 size() const { return g.num_edges; }
    __device__ __forceinline__ edge operator[](uint64 i) const { return edge(i); }
};

// piece: out_table
// All edges, as out-edges.
struct out_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge at) const { return g.edge_sources[at]; }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.neighbors[at]; }
};

// piece: in_table
// All edges, as in-edges.
struct in_table {
    const graph_slice& g;
    __device__ __forceinline__ vertex near(edge at) const { return g.columns[at]; }
    __device__ __forceinline__ vertex neighbor(edge at) const { return g.edge_sources[at]; }
};

// piece: each_edge
template <class Visit>
__device__ __forceinline__ void each_edge(const graph_slice& g, Visit visit) {
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) {
        visit(g.edge_sources[i], g.columns[i], edge(i));
    }
}

// piece: define_all_edges
// barriers: 1
__device__ __forceinline__ void define_all_edges(enactor& run, edge_frontier& result, const graph_slice& g) {
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) { result.queue[i] = edge(i); }
    result.size = g.num_edges;
    synchronize(run);
}
