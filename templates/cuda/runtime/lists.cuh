// piece: source_of
__device__ __forceinline__ vertex source_of(const graph_slice& g, uint64 e) { return __ldg(&g.edge_sources[e]); }

// piece: destination_of
__device__ __forceinline__ vertex destination_of(const graph_slice& g, uint64 e) { return __ldg(&g.columns[e]); }

// piece: reverse_of
// The edge that leads back, or NO_EDGE.
__device__ __forceinline__ edge reverse_of(const graph_slice& g, uint64 e) { return __ldg(&g.reverse_edges[e]); }

// piece: edge_at
// The edge at a place of the list of `v`.
__device__ __forceinline__ edge edge_at(const graph_slice& g, uint64 v, uint64 place) {
    return edge(__ldg(&g.offsets[v]) + place);
}

// piece: checked_edge_at
// The same if the place exists; otherwise edge 0, and the run stops at the next barrier.
template <class Place>
__device__ __forceinline__ edge checked_edge_at(const data_slice& d, uint64 v, Place place, uint32 check) {
    const edge first = __ldg(&d.graph.offsets[v]), degree = __ldg(&d.graph.offsets[v + 1]) - first;
    const uint64 known = checked_index(d, place, degree, check);
    return degree > 0 ? edge(first + known) : edge(0);
}

// piece: has_edge
// Whether an edge leads from u to w. The list of u is sorted.
__device__ __forceinline__ bool has_edge(const graph_slice& g, vertex u, vertex w) {
    if (uint64(u) >= uint64(g.num_vertices)) { return false; }
    edge low = __ldg(&g.offsets[u]), high = __ldg(&g.offsets[u + 1]);
    while (low < high) {
        const edge middle = low + (high - low) / 2;
        const vertex x = __ldg(&g.columns[middle]);
        if (x == w) { return true; }
        if (x < w) { low = middle + 1; } else { high = middle; }
    }
    return false;
}

// piece: edge_range
// The edges at the positions from `first` up to, but not including, `last`.
struct edge_range {
    struct iterator {
        edge at;
        __device__ __forceinline__ edge operator*() const { return at; }
        __device__ __forceinline__ void operator++() { at += 1; }
        __device__ __forceinline__ bool operator!=(const iterator& other) const { return at != other.at; }
    };
    edge first, last;
    __device__ __forceinline__ iterator begin() const { return iterator{first}; }
    __device__ __forceinline__ iterator end() const { return iterator{last}; }
};

// piece: out_edges
// The list of `v`.
__device__ __forceinline__ edge_range out_edges(const graph_slice& g, uint64 v) {
    return edge_range{__ldg(&g.offsets[v]), __ldg(&g.offsets[v + 1])};
}
