// piece: graph_arrays kept_arrays
// The arrays of a graph that the schedule made.
struct graph_arrays {
    std::vector<int64> offsets, in_offsets;
    std::vector<vertex> columns, in_sources, edge_sources;
    std::vector<edge> edge_ids, in_edges, reverse_edges;
    std::shared_ptr<graph_arrays> ends;  // of a subgraph: what has the ends of its edges
};
typedef std::shared_ptr<graph_arrays> kept_arrays;

// piece: made_graph
// A graph, with what is kept for it; nothing is for the given one.
struct made_graph {
    graph_slice graph;
    kept_arrays kept;
};

// piece: all_ids
// The ids below `count`, ascending.
inline std::vector<edge> all_ids(int64 count) {
    std::vector<edge> ids(std::size_t(count) + 1);
    for (int64 i = 0; i < count; ++i) { ids[std::size_t(i)] = edge(i); }
    return ids;
}

// piece: given_graph
// The graph that the program was given, with the ids of its edges.
inline graph_slice given_graph(const host_graph& given, const std::vector<edge>& ids) {
    graph_slice g;
    static_cast<host_graph&>(g) = given;
    g.edge_ids = ids.data();
    g.edge_bound = given.num_edges;
    return g;
}

// piece: kept_lists
// Of the lists at `offsets` those places that `keeps` accepts: where they begin, and for each place `put(old, new)`.
template <class Keeps, class Put>
inline std::vector<int64> kept_lists(const int64* offsets, int64 num_vertices, Keeps keeps, Put put) {
    std::vector<int64> kept(std::size_t(num_vertices) + 1, 0);
    int64* const begin = kept.data();
    each_id(num_vertices, [&](int64 v) {
        for (int64 at = offsets[v]; at < offsets[v + 1]; ++at) { begin[v + 1] += keeps(at) ? 1 : 0; }
    });
    for (int64 v = 0; v < num_vertices; ++v) { begin[v + 1] += begin[v]; }
    each_id(num_vertices, [&](int64 v) {
        int64 next = begin[v];
        for (int64 at = offsets[v]; at < offsets[v + 1]; ++at) {
            if (keeps(at)) {
                put(at, next);
                next += 1;
            }
        }
    });
    return kept;
}

// piece: make_subgraph
// The graph of some edges alone. Ends of edges stay where they are, by the ids of the edges.
inline made_graph make_subgraph(const graph_slice& g, const kept_arrays& around, edge_frontier& edges) {
    made_graph made{g, std::make_shared<graph_arrays>()};
    graph_arrays& kept = *made.kept;
    kept.ends = around;
    mark_members(edges, true);
    const auto among = [&](edge e) { return (edges.bitmap[e / 64] >> (e % 64) & 1) != 0; };
    kept.edge_ids.resize(std::size_t(edges.size) + 1);
    kept.offsets = kept_lists(g.offsets, g.num_vertices, [&](int64 at) { return among(g.edge_ids[at]); },
                              [&](int64 at, int64 next) { kept.edge_ids[std::size_t(next)] = g.edge_ids[at]; });
    if (g.in_offsets != nullptr) {
        kept.in_edges.resize(std::size_t(edges.size) + 1);
        kept.in_sources.resize(std::size_t(edges.size) + 1);
        kept.in_offsets = kept_lists(g.in_offsets, g.num_vertices, [&](int64 at) { return among(g.in_edges[at]); },
                                     [&](int64 at, int64 next) {
                                         kept.in_edges[std::size_t(next)] = g.in_edges[at];
                                         kept.in_sources[std::size_t(next)] = g.in_sources[at];
                                     });
    }
    mark_members(edges, false);
    made.graph.num_edges = edges.size;
    point_to_lists(made);
    return made;
}

// piece: point_to_lists
// Has the slice speak of the lists that are kept, and pairs the edges where the program asks for that.
inline void point_to_lists(made_graph& made) {
    graph_slice& g = made.graph;
    graph_arrays& kept = *made.kept;
    g.offsets = kept.offsets.data();
    g.edge_ids = kept.edge_ids.data();
    if (g.in_offsets != nullptr) {
        g.in_offsets = kept.in_offsets.data();
        g.in_edges = kept.in_edges.data();
        g.in_sources = kept.in_sources.data();
    }
    if (g.reverse_edges != nullptr) {
        kept.reverse_edges.assign(std::size_t(g.edge_bound) + 1, NO_EDGE);
        edge* const reverse = kept.reverse_edges.data();
        each_id(g.num_vertices, [&](int64 u) { pair_list(g, vertex(u), reverse); });
        g.reverse_edges = reverse;
    }
}

// piece: pair_list
// Pairs the k-th edge from u to each w with the k-th of those from w to u.
inline void pair_list(const graph_slice& g, vertex u, edge* reverse) {
    int64 alike = 0;
    for (int64 at = g.offsets[u]; at < g.offsets[u + 1]; ++at) {
        const vertex w = g.columns[g.edge_ids[at]];
        alike = at > g.offsets[u] && g.columns[g.edge_ids[at - 1]] == w ? alike + 1 : 0;
        const int64 back = first_to(g, w, u) + alike;
        if (back < g.offsets[w + 1] && g.columns[g.edge_ids[back]] == u) { reverse[g.edge_ids[at]] = g.edge_ids[back]; }
    }
}

// piece: first_to
// The first place in the list of u whose neighbour is not below w.
inline int64 first_to(const graph_slice& g, vertex u, vertex w) {
    int64 low = g.offsets[u], high = g.offsets[u + 1];
    while (low < high) {
        const int64 middle = low + (high - low) / 2;
        if (g.columns[g.edge_ids[middle]] < w) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: number_labels
// Each label becomes its place among all labels that there are; returns how many these are.
template <class Label>
inline int64 number_labels(Label* label, int64 num_vertices) {
    std::vector<Label> known(label, label + num_vertices);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    each_id(num_vertices, [&](int64 v) {
        label[v] = Label(std::lower_bound(known.begin(), known.end(), label[v]) - known.begin());
    });
    return int64(known.size());
}

// piece: make_contraction
// The graph in which the vertices of one label are one; `sums` is given what becomes of the edges: which of the old ones,
// by their places in an order, lie between the same two vertices as the one before.
template <class Label, class Sums>
inline made_graph make_contraction(const graph_slice& g, Label* label, Sums sums) {
    const int64 num_vertices = number_labels(label, g.num_vertices);
    std::vector<edge> order(g.edge_ids, g.edge_ids + g.num_edges);
    const auto source = [&](edge e) { return label[g.edge_sources[e]]; };
    const auto destination = [&](edge e) { return label[g.columns[e]]; };
    std::sort(order.begin(), order.end(), [&](edge a, edge b) {
        if (source(a) != source(b)) { return source(a) < source(b); }
        return destination(a) != destination(b) ? destination(a) < destination(b) : a < b;
    });
    made_graph made{g, std::make_shared<graph_arrays>()};
    graph_arrays& kept = *made.kept;
    kept.offsets.assign(std::size_t(num_vertices) + 1, 0);
    const auto is_new = [&](std::size_t i) {
        return i == 0 || source(order[i]) != source(order[i - 1]) || destination(order[i]) != destination(order[i - 1]);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (!is_new(i)) { continue; }
        kept.edge_sources.push_back(vertex(source(order[i])));
        kept.columns.push_back(vertex(destination(order[i])));
        kept.offsets[std::size_t(source(order[i])) + 1] += 1;
    }
    for (int64 v = 0; v < num_vertices; ++v) { kept.offsets[std::size_t(v) + 1] += kept.offsets[std::size_t(v)]; }
    sums(order, is_new);
    made.graph.num_vertices = num_vertices;
    made.graph.num_edges = made.graph.edge_bound = int64(kept.columns.size());
    kept.edge_ids = all_ids(made.graph.num_edges);
    if (g.in_offsets != nullptr) { turn_lists(kept, num_vertices); }
    kept.columns.push_back(0);       // a checked place 0 is always there
    kept.edge_sources.push_back(0);
    made.graph.columns = kept.columns.data();
    made.graph.edge_sources = kept.edge_sources.data();
    point_to_lists(made);
    return made;
}

// piece: turn_lists
// The in-edges of each vertex, in the order of their ids.
inline void turn_lists(graph_arrays& kept, int64 num_vertices) {
    const std::size_t count = kept.columns.size();
    kept.in_offsets.assign(std::size_t(num_vertices) + 2, 0);
    for (std::size_t e = 0; e < count; ++e) { kept.in_offsets[std::size_t(kept.columns[e]) + 2] += 1; }
    for (std::size_t v = 2; v < kept.in_offsets.size(); ++v) { kept.in_offsets[v] += kept.in_offsets[v - 1]; }
    kept.in_edges.resize(count + 1);
    kept.in_sources.resize(count + 1);
    for (std::size_t e = 0; e < count; ++e) {
        const std::size_t at = std::size_t(kept.in_offsets[std::size_t(kept.columns[e]) + 1]++);
        kept.in_edges[at] = edge(e);
        kept.in_sources[at] = kept.edge_sources[e];
    }
}

// piece: no_sums
// For edges without weights.
struct no_sums {
    template <class IsNew>
    void operator()(const std::vector<edge>&, IsNew) const {}
};

// piece: joined_weights
// Makes one of the weights of the edges that become one, in the order of their ids.
template <class Weight, class Combine>
struct joined_weights {
    Weight* const weight;
    const Weight identity;
    const Combine combine;
    template <class IsNew>
    void operator()(const std::vector<edge>& order, IsNew is_new) const {
        std::vector<Weight> joined;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (is_new(i)) { joined.push_back(identity); }
            joined.back() = combine(joined.back(), weight[order[i]]);
        }
        for (std::size_t i = 0; i < joined.size(); ++i) { weight[i] = joined[i]; }
    }
};

// piece: join_weights
template <class Weight, class Combine>
inline joined_weights<Weight, Combine> join_weights(Weight* weight, Weight identity, Combine combine) {
    return {weight, identity, combine};
}
