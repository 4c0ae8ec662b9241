// piece: kept_ids
// The edge at each place of the lists is that of this number: no array need say so.
struct kept_ids {
    edge operator[](int64 at) const { return edge(at); }
    kept_ids data() const { return *this; }
};

// piece: graph_slice
// A graph whose edges are stored in the order of their ids.
struct graph_slice : host_graph {
    const vertex* neighbors;
    kept_ids edge_ids;
    int64 edge_bound;
};

// piece: all_ids
inline kept_ids all_ids(int64) { return kept_ids{}; }

// piece: place_of
// How many edges come before `e` in its source's list.
inline int32 place_of(const graph_slice& g, vertex source, edge e) { return int32(int64(e) - g.offsets[source]); }
