// piece: edge_id_array
// Edge ids that equal positions, without an array.
struct edge_id_array {
    edge operator[](int64 at) const { return edge(at); }
    edge_id_array data() const { return *this; }
};

// piece: graph_slice
// A graph whose edge ids are the positions of its edges.
struct graph_slice : host_graph {
    const vertex* neighbors;
    edge_id_array edge_ids;
    int64 edge_bound;
};

// piece: all_ids
inline edge_id_array all_ids(int64) { return edge_id_array{}; }

// piece: place_of
// The position of `e` in its source's list.
inline int32 place_of(const graph_slice& g, vertex source, edge e) { return int32(int64(e) - g.offsets[source]); }

// piece: name_edges
// Nobody reads ids of edges, which are numbered by their places.
inline void name_edges(graph_slice& made, const hoisted_graph& kept) {
    made.columns = kept.neighbors;
    made.edge_bound = kept.num_edges;
}

// piece: keep_names
inline void keep_names(const graph_slice&, edge_frontier&, hoisted_graph&) {}

// piece: ids_of_edges
inline const edge* ids_of_edges(const graph_slice&) { return nullptr; }

// piece: subgraph_of_ids
// No graph leaves out edges.
inline made_graph subgraph_of_ids(const made_graph& whole, edge_frontier&) { return whole; }
