// piece: graph_slice
// A graph whose edge ids may differ from the positions of its edges: position `at` of the lists has edge
// `edge_ids[at]`, which leads to `neighbors[at]`. The ends of an edge are stored by its id, which is below
// `edge_bound`.
struct graph_slice : host_graph {
    const vertex* neighbors;
    const edge* edge_ids;
    int64 edge_bound;
};

// piece: place_of
// The position of `e` in its source's list, whose ids ascend.
inline int32 place_of(const graph_slice& g, vertex source, edge e) {
    int64 low = g.offsets[source], high = g.offsets[source + 1];
    while (low < high) {
        const int64 middle = low + (high - low) / 2;
        if (g.edge_ids[middle] < e) { low = middle + 1; } else { high = middle; }
    }
    return int32(low - g.offsets[source]);
}

// piece: existing_edge
// `e` if the graph has it; otherwise 0, and the run stops after this operator.
inline uint64 existing_edge(const data_slice& d, uint64 e, int64 check) {
    const graph_slice& g = d.graph;
    if (g.edge_bound == 0) { return 0; }
    const vertex source = g.edge_sources[e];
    const int64 at = g.offsets[source] + place_of(g, source, edge(e));
    if (at < g.offsets[source + 1] && g.edge_ids[at] == edge(e)) { return e; }
    checked_index(d, edge(e), 0, check);
    return 0;
}

// piece: neighbor_at edge_id_at
// What is at a position of the lists of out-edges.
inline const vertex& neighbor_at(const graph_slice& g, int64 at) { return g.neighbors[at]; }
inline edge edge_id_at(const graph_slice& g, int64 at) { return g.edge_ids[at]; }

// piece: edge_at
// The edge at a position of the list of `v`.
inline edge edge_at(const graph_slice& g, uint64 v, uint64 place) { return g.edge_ids[uint64(g.offsets[v]) + place]; }

// piece: has_edge
// Whether an edge leads from u to w, by binary search.
inline bool has_edge(const graph_slice& g, vertex u, vertex w) {
    if (uint64(u) >= uint64(g.num_vertices)) { return false; }
    const out_lists lists{g};
    int64 first = lists.first(u), left = lists.last(u) - first;
    if (left == 0) { return false; }
    while (left > 1) {
        const int64 half = left / 2;
        first = lists.neighbor(first + half) <= w ? first + half : first;
        left -= half;
    }
    return lists.neighbor(first) == w;
}

// piece: edge_range
// The edges at the positions from `first` up to, but not including, `last`.
struct edge_range {
    struct iterator {
        const graph_slice& g;
        int64 at;
        edge operator*() const { return g.edge_ids[at]; }
        void operator++() { at += 1; }
        bool operator!=(const iterator& other) const { return at != other.at; }
    };
    const graph_slice& g;
    int64 first, last;
    iterator begin() const { return iterator{g, first}; }
    iterator end() const { return iterator{g, last}; }
};

// piece: out_edges
// The out-edges of `v`.
inline edge_range out_edges(const graph_slice& g, uint64 v) {
    return edge_range{g, g.offsets[v], g.offsets[v + 1]};
}

// piece: all_edges
struct all_edges {
    const graph_slice& g;
    int64 size() const { return g.num_edges; }
    edge operator[](int64 i) const { return g.edge_ids[i]; }
};

// piece: define_all_edges
inline void define_all_edges(edge_frontier& f, const graph_slice& g) {
    each_id(g.num_edges, [&](int64 i) { f.queue[i] = g.edge_ids[i]; });
    f.size = g.num_edges;
}

// piece: fill_edges
// Stores a value for every edge of the graph, in an array of `count` values per edge.
template <class T>
inline void fill_edges(T* values, const graph_slice& g, int64 count, T value) {
    each_id(g.num_edges, [&](int64 i) {
        T* const first = values + int64(g.edge_ids[i]) * count;
        for (int64 place = 0; place < count; ++place) { first[place] = value; }
    });
}

// piece: neighbors_at
// The neighbors by position in the out-lists, and the edge at a position.
inline const vertex* neighbors_at(const graph_slice& g) { return g.neighbors; }
inline edge edge_of_place(const graph_slice& g, int64 at) { return g.edge_ids[at]; }
