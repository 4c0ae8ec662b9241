// piece: source_of
inline vertex source_of(const graph_slice& g, uint64 e) { return g.edge_sources[e]; }

// piece: destination_of
inline vertex destination_of(const graph_slice& g, uint64 e) { return g.columns[e]; }

// piece: reverse_of
// The edge that leads back, or NO_EDGE.
inline edge reverse_of(const graph_slice& g, uint64 e) { return g.reverse_edges[e]; }

// piece: edge_at
// The edge at a place of the list of `v`.
inline edge edge_at(const graph_slice& g, uint64 v, uint64 place) { return edge(uint64(g.offsets[v]) + place); }

// piece: checked_edge_at
// The same if the place exists; otherwise edge 0, and the run stops after this operator.
template <class Place>
inline edge checked_edge_at(const data_slice& d, uint64 v, Place place, int64 check) {
    const int64 degree = d.graph.offsets[v + 1] - d.graph.offsets[v];
    const uint64 known = checked_index(d, place, degree, check);
    return degree > 0 ? edge_at(d.graph, v, known) : edge(0);
}

// piece: has_edge
// Whether an edge leads from u to w. The list of u is sorted. Halves are chosen without a branch, which would be
// unpredictable.
inline bool has_edge(const graph_slice& g, vertex u, vertex w) {
    if (uint64(u) >= uint64(g.num_vertices)) { return false; }
    const vertex* first = g.columns + g.offsets[u];
    int64 left = int64(g.offsets[u + 1]) - int64(g.offsets[u]);
    if (left == 0) { return false; }
    while (left > 1) {
        const int64 half = left / 2;
        first = first[half] <= w ? first + half : first;
        left -= half;
    }
    return *first == w;
}

// piece: edge_range
// The edges at the positions from `first` up to, but not including, `last`.
struct edge_range {
    struct iterator {
        edge at;
        edge operator*() const { return at; }
        void operator++() { at += 1; }
        bool operator!=(const iterator& other) const { return at != other.at; }
    };
    edge first, last;
    iterator begin() const { return iterator{first}; }
    iterator end() const { return iterator{last}; }
};

// piece: out_edges
// The list of `v`.
inline edge_range out_edges(const graph_slice& g, uint64 v) {
    return edge_range{edge(g.offsets[v]), edge(g.offsets[v + 1])};
}
