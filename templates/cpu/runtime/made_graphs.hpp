// piece: unset array_of
// An array that is not written yet: its pages belong to the thread that writes them first.
template <class T>
struct unset : std::allocator<T> {
    template <class U> struct rebind { typedef unset<U> other; };
    T* allocate(std::size_t count) {
        if (count > std::size_t(-1) / sizeof(T)) { throw std::bad_alloc(); }
        return static_cast<T*>(allocated(count * sizeof(T)));
    }
    void deallocate(T* memory, std::size_t) { freed(memory); }
    template <class U> void construct(U* at) { ::new (static_cast<void*>(at)) U; }
    template <class U, class V> void construct(U* at, const V& value) { ::new (static_cast<void*>(at)) U(value); }
};
template <class T>
using array_of = std::vector<T, unset<T>>;

// piece: kept_ids
// The edge at each place of the lists.
typedef array_of<edge> kept_ids;

// piece: graph_arrays kept_arrays
// The arrays of a graph that the schedule built.
struct graph_arrays {
    std::vector<int64> offsets, in_offsets;
    array_of<vertex> columns, in_sources, edge_sources;
    array_of<vertex> neighbors;  // of a subgraph, whose columns are those of another
    kept_ids edge_ids;
    array_of<edge> in_edges;
    std::vector<edge> reverse_edges;
    std::shared_ptr<graph_arrays> ends;  // of a subgraph: what has the ends of its edges
};
typedef std::shared_ptr<graph_arrays> kept_arrays;

// piece: made_graph
// A graph with the arrays it owns; the input graph owns none.
struct made_graph {
    graph_slice graph;
    kept_arrays kept;
};

// piece: all_ids
// The ids below `count`, ascending.
inline kept_ids all_ids(int64 count) {
    kept_ids ids(std::size_t(count) + 1);
    each_id(count, [&](int64 i) { ids[std::size_t(i)] = edge(i); });
    return ids;
}

// piece: given_graph
// The input graph, with the ids of its edges.
inline graph_slice given_graph(const host_graph& given, const kept_ids& ids) {
    graph_slice g;
    static_cast<host_graph&>(g) = given;
    g.neighbors = given.columns;
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

// piece: marked_lists
// The same of the out-lists for the places whose bits are set, a word of them at a time.
template <class Put>
inline std::vector<int64> marked_lists(const graph_slice& g, const uint64* bits, Put put) {
    const int64 words = g.num_edges / 64 + 1;
    std::vector<int64> before(std::size_t(words), 0), kept(std::size_t(g.num_vertices) + 1, 0);
    for (int64 word = 1; word < words; ++word) {
        before[std::size_t(word)] = before[std::size_t(word - 1)] + __builtin_popcountll(bits[word - 1]);
    }
#pragma omp parallel if (g.num_edges + g.num_vertices > SMALL_WORK)
    {
#pragma omp for schedule(static) nowait
        for (int64 v = 0; v <= g.num_vertices; ++v) {
            const int64 at = g.offsets[v];
            const uint64 below = bits[at / 64] & ((uint64(1) << (at % 64)) - 1);
            kept[std::size_t(v)] = before[std::size_t(at / 64)] + __builtin_popcountll(below);
        }
#pragma omp for schedule(static)
        for (int64 word = 0; word < words; ++word) {
            int64 next = before[std::size_t(word)];
            for (uint64 left = bits[word]; left != 0; left &= left - 1) {
                put(word * 64 + __builtin_ctzll(left), next);
                next += 1;
            }
        }
    }
    return kept;
}

// piece: make_subgraph
// The graph of some edges alone. Ends of edges stay where they are, by the ids of the edges.
inline made_graph make_subgraph(const graph_slice& g, const kept_arrays& around, edge_frontier& edges) {
    made_graph made{g, std::make_shared<graph_arrays>()};
    graph_arrays& kept = *made.kept;
    kept.ends = around;
    mark_members(edges);
    const auto among = [&](edge e) { return (edges.bitmap[e / 64] >> (e % 64) & 1) != 0; };
    kept.edge_ids.resize(std::size_t(edges.size) + 1);
    kept.neighbors.resize(std::size_t(edges.size) + 1);
    const auto put = [&](int64 at, int64 next) {
        kept.edge_ids[std::size_t(next)] = g.edge_ids[at];
        kept.neighbors[std::size_t(next)] = g.neighbors[at];
    };
    const bool in_order = g.num_edges == g.edge_bound;  // no edge is left out, so that places are ids
    kept.offsets = in_order ? marked_lists(g, edges.bitmap, put)
                            : kept_lists(g.offsets, g.num_vertices, [&](int64 at) { return among(g.edge_ids[at]); }, put);
    if (g.in_offsets != nullptr) {
        kept.in_edges.resize(std::size_t(edges.size) + 1);
        kept.in_sources.resize(std::size_t(edges.size) + 1);
        kept.in_offsets = kept_lists(g.in_offsets, g.num_vertices, [&](int64 at) { return among(g.in_edges[at]); },
                                     [&](int64 at, int64 next) {
                                         kept.in_edges[std::size_t(next)] = g.in_edges[at];
                                         kept.in_sources[std::size_t(next)] = g.in_sources[at];
                                     });
    }
    unmark_members(edges);
    made.graph.num_edges = edges.size;
    made.graph.neighbors = kept.neighbors.data();
    point_to_lists(made);
    return made;
}

// piece: point_to_lists
// Points the slice to these lists, and pairs the edges where the program needs that.
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
        const vertex w = g.neighbors[at];
        alike = at > g.offsets[u] && g.neighbors[at - 1] == w ? alike + 1 : 0;
        const int64 back = first_to(g, w, u) + alike;
        if (back < g.offsets[w + 1] && g.neighbors[back] == u) { reverse[g.edge_ids[at]] = g.edge_ids[back]; }
    }
}

// piece: first_to
// The first place in the list of u whose neighbor is not below w.
inline int64 first_to(const graph_slice& g, vertex u, vertex w) {
    int64 low = g.offsets[u], high = g.offsets[u + 1];
    while (low < high) {
        const int64 middle = low + (high - low) / 2;
        if (g.neighbors[middle] < w) { low = middle + 1; } else { high = middle; }
    }
    return low;
}
