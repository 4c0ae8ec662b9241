// piece: out_degree
inline int32 out_degree(const graph_slice& g, vertex v) { return int32(g.offsets[v + 1] - g.offsets[v]); }

// piece: in_degree
inline int32 in_degree(const graph_slice& g, vertex v) { return int32(g.in_offsets[v + 1] - g.in_offsets[v]); }

// piece: place_of
// The number of edges before `e` in its source's list.
inline int32 place_of(const graph_slice& g, vertex source, edge e) { return int32(int64(e) - g.offsets[source]); }

// piece: is_known
// Tells the compiler what holds in any case.
inline void is_known(bool fact) {
    if (!fact) { __builtin_unreachable(); }
}

// piece: neighbor_at edge_id_at
// What is at a position of the lists of out-edges.
inline const vertex& neighbor_at(const graph_slice& g, int64 at) { return g.columns[at]; }
inline edge edge_id_at(const graph_slice&, int64 at) { return edge(at); }

// piece: out_lists
struct out_lists {
    static constexpr bool counts = true;
    static constexpr bool whole = true;
    const graph_slice& g;
    const int64* starts() const { return g.offsets; }
    int64 first(vertex v) const { return g.offsets[v]; }
    int64 last(vertex v) const { return g.offsets[v + 1]; }
    int64 degree(vertex v) const { return last(v) - first(v); }
    const vertex& neighbor(int64 at) const { return neighbor_at(g, at); }
    edge id(int64 at) const { return edge_id_at(g, at); }
};

// piece: first_places
// The first `limit` out-edges of each vertex.
struct first_places {
    static constexpr bool whole = false;
    const graph_slice& g;
    const int64 limit;
    int64 first(vertex v) const { return g.offsets[v]; }
    int64 last(vertex v) const { return minimum(g.offsets[v + 1], g.offsets[v] + limit); }
    int64 degree(vertex v) const { return g.offsets[v + 1] - g.offsets[v]; }
    vertex neighbor(int64 at) const { return neighbor_at(g, at); }
    edge id(int64 at) const { return edge_id_at(g, at); }
};

// piece: in_lists
struct in_lists {
    static constexpr bool whole = true;
    const graph_slice& g;
    const int64* starts() const { return g.in_offsets; }
    int64 first(vertex v) const { return g.in_offsets[v]; }
    int64 last(vertex v) const { return g.in_offsets[v + 1]; }
    int64 degree(vertex v) const { return last(v) - first(v); }
    const vertex& neighbor(int64 at) const { return g.in_sources[at]; }
    edge id(int64 at) const { return g.in_edges[at]; }
};

// piece: in_neighbors
// In-edges whose ids are not needed.
struct in_neighbors : in_lists {
    static constexpr bool counts = true;
    edge id(int64) const { return NO_EDGE; }
};

// piece: all_lists
// Both lists of a vertex, for their degrees.
struct all_lists {
    static constexpr bool counts = true;
    const graph_slice& g;
    const int64* starts() const { return g.offsets; }
    int64 degree(vertex v) const { return out_lists{g}.degree(v) + in_neighbors{g}.degree(v); }
};

// piece: lists_on
// The same lists, of a copy of the graph's addresses.
template <class Lists>
inline Lists lists_on(const graph_slice& g, const Lists&) { return Lists{g}; }

// piece: lists_on for first_places
inline first_places lists_on(const graph_slice& g, const first_places& lists) { return first_places{g, lists.limit}; }
