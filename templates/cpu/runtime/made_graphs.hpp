// piece: unset array_of
// An uninitialized array, so that its pages are placed near the thread that first writes them.
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

// piece: edge_id_array
// The edge at each position of the lists.
typedef array_of<edge> edge_id_array;

// piece: graph_arrays shared_arrays
// The arrays of a graph that the schedule built.
struct graph_arrays {
    std::vector<int64> offsets, in_offsets;
    array_of<vertex> columns, in_sources, edge_sources;
    array_of<vertex> neighbors;  // of a subgraph, whose columns are those of another
    edge_id_array edge_ids;
    array_of<edge> in_edges;
    std::vector<edge> reverse_edges;
    std::shared_ptr<graph_arrays> ends;  // of a subgraph: the graph that has the ends of its edges
};
typedef std::shared_ptr<graph_arrays> shared_arrays;

// piece: made_graph
// A graph with the arrays it owns; the input graph owns none.
struct made_graph {
    graph_slice graph;
    shared_arrays arrays;
};

// piece: all_ids
// The ids below `count`, ascending.
inline edge_id_array all_ids(int64 count) {
    edge_id_array ids(std::size_t(count) + 1);
    each_id(count, [&](int64 i) { ids[std::size_t(i)] = edge(i); });
    return ids;
}

// piece: input_graph
// The input graph, with the ids of its edges.
inline graph_slice input_graph(const host_graph& input, const edge_id_array& ids) {
    graph_slice g;
    static_cast<host_graph&>(g) = input;
    g.neighbors = input.columns;
    g.edge_ids = ids.data();
    g.edge_bound = input.num_edges;
    return g;
}

// piece: filtered_lists
// Filters the lists at `offsets` by position with `keeps`, and calls `put(old, new)` for each position that stays.
// Returns the new offsets.
template <class Keeps, class Put>
inline std::vector<int64> filtered_lists(const int64* offsets, int64 num_vertices, Keeps keeps, Put put) {
    std::vector<int64> new_offsets(std::size_t(num_vertices) + 1, 0);
    int64* const begin = new_offsets.data();
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
    return new_offsets;
}

// piece: marked_lists
// The same for the out-lists by a bitmap of positions, one word at a time.
template <class Put>
inline std::vector<int64> marked_lists(const graph_slice& g, const uint64* bits, Put put) {
    const int64 words = g.num_edges / 64 + 1;
    std::vector<int64> before(std::size_t(words), 0), offsets(std::size_t(g.num_vertices) + 1, 0);
    for (int64 word = 1; word < words; ++word) {
        before[std::size_t(word)] = before[std::size_t(word - 1)] + __builtin_popcountll(bits[word - 1]);
    }
#pragma omp parallel if (g.num_edges + g.num_vertices > SMALL_WORK)
    {
#pragma omp for schedule(static) nowait
        for (int64 v = 0; v <= g.num_vertices; ++v) {
            const int64 at = g.offsets[v];
            const uint64 below = bits[at / 64] & ((uint64(1) << (at % 64)) - 1);
            offsets[std::size_t(v)] = before[std::size_t(at / 64)] + __builtin_popcountll(below);
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
    return offsets;
}

// piece: make_subgraph
// The graph of some edges alone. The ends of edges stay where they are, by edge id.
inline made_graph make_subgraph(const graph_slice& g, const shared_arrays& around, edge_frontier& edges) {
    made_graph built{g, std::make_shared<graph_arrays>()};
    graph_arrays& arrays = *built.arrays;
    arrays.ends = around;
    mark_members(edges);
    const auto among = [&](edge e) { return (edges.bitmap[e / 64] >> (e % 64) & 1) != 0; };
    arrays.edge_ids.resize(std::size_t(edges.size) + 1);
    arrays.neighbors.resize(std::size_t(edges.size) + 1);
    const auto put = [&](int64 at, int64 next) {
        arrays.edge_ids[std::size_t(next)] = g.edge_ids[at];
        arrays.neighbors[std::size_t(next)] = g.neighbors[at];
    };
    const bool has_all_edges = g.num_edges == g.edge_bound;  // positions are ids
    arrays.offsets = has_all_edges ? marked_lists(g, edges.bitmap, put)
                            : filtered_lists(g.offsets, g.num_vertices, [&](int64 at) { return among(g.edge_ids[at]); }, put);
    if (g.in_offsets != nullptr) {
        arrays.in_edges.resize(std::size_t(edges.size) + 1);
        arrays.in_sources.resize(std::size_t(edges.size) + 1);
        arrays.in_offsets = filtered_lists(g.in_offsets, g.num_vertices, [&](int64 at) { return among(g.in_edges[at]); },
                                     [&](int64 at, int64 next) {
                                         arrays.in_edges[std::size_t(next)] = g.in_edges[at];
                                         arrays.in_sources[std::size_t(next)] = g.in_sources[at];
                                     });
    }
    unmark_members(edges);
    built.graph.num_edges = edges.size;
    built.graph.neighbors = arrays.neighbors.data();
    point_to_lists(built);
    return built;
}

// piece: point_to_lists
// Points the slice to these lists, and pairs opposite edges if the program uses reverse edges.
inline void point_to_lists(made_graph& built) {
    graph_slice& g = built.graph;
    graph_arrays& arrays = *built.arrays;
    g.offsets = arrays.offsets.data();
    g.edge_ids = arrays.edge_ids.data();
    if (g.in_offsets != nullptr) {
        g.in_offsets = arrays.in_offsets.data();
        g.in_edges = arrays.in_edges.data();
        g.in_sources = arrays.in_sources.data();
    }
    if (g.reverse_edges != nullptr) {
        arrays.reverse_edges.assign(std::size_t(g.edge_bound) + 1, NO_EDGE);
        edge* const reverse = arrays.reverse_edges.data();
        each_id(g.num_vertices, [&](int64 u) { pair_list(g, vertex(u), reverse); });
        g.reverse_edges = reverse;
    }
}

// piece: pair_list
// Pairs the k-th edge from u to each w with the k-th edge from w to u.
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

// piece: ids_of_edges
// The ids of the edges of a subgraph, for the host of several workers.
inline const edge* ids_of_edges(const graph_slice& g) { return g.edge_ids; }

// piece: subgraph_of_ids
// The graph of the edges that the host has put into `edges`.
inline made_graph subgraph_of_ids(const made_graph& whole, edge_frontier& edges) {
    return make_subgraph(whole.graph, whole.arrays, edges);
}
