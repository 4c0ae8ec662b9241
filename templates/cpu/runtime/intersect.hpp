// piece: neighbors_at
// The neighbors by position in the out-lists, and the edge at a position.
inline const vertex* neighbors_at(const graph_slice& g) { return g.columns; }
inline edge edge_of_place(const graph_slice&, int64 at) { return edge(at); }

// piece: neighbor_marks
// A bitmap of the neighbors of one vertex, for consecutive edges of the same source; each thread has its own. It is not
// used if memory runs out, or for a few edges of a large graph.
struct neighbor_marks {
    static constexpr int64 FEW = HUB_DEGREE < 8 ? HUB_DEGREE : 8;
    const graph_slice& g;
    std::vector<uint64> bits;
    vertex owner, marked;   // the source of the last edge, and the vertex whose neighbors are marked
    bool usable;

    neighbor_marks(const graph_slice& g, int64 edges)
        : g(g), owner(NO_VERTEX), marked(NO_VERTEX), usable(edges > g.num_vertices / 64) {}

    bool contains(vertex x) const { return (bits[x / 64] >> (x % 64) & 1) != 0; }

    // Whether the neighbors of u are marked: from its second edge on, unless they are few.
    bool has(vertex u) {
        if (u == marked) { return true; }
        if (g.offsets[u + 1] - g.offsets[u] < FEW) { return false; }
        const bool again = u == owner;
        owner = u;
        if (!again || !usable) { return false; }
        if (bits.empty()) {
            try {
                bits.resize(std::size_t(g.num_vertices / 64 + 1), 0);
            } catch (const std::exception&) { usable = false; }
        }
        if (!usable) { return false; }
        if (marked != NO_VERTEX) { each_mark(marked, [](uint64& word, uint64) { word = 0; }); }
        each_mark(u, [](uint64& word, uint64 bit) { word |= bit; });
        marked = u;
        return true;
    }
    template <class Change>
    void each_mark(vertex u, Change change) {
        const vertex* const neighbors = neighbors_at(g);
        for (int64 at = g.offsets[u]; at < g.offsets[u + 1]; ++at) {
            change(bits[neighbors[at] / 64], uint64(1) << (neighbors[at] % 64));
        }
    }
};

// piece: common_neighbors
// Visits each vertex in the lists of both u and w once: `visit(x, eu, ew)`, with the first edges to it from u and from
// w if `with_edges`. Returns the total length of both lists.
template <bool with_edges, class Visit>
inline int64 common_neighbors(neighbor_marks& marks, vertex u, vertex w, Visit visit) {
    const graph_slice& g = marks.g;
    const vertex* const neighbors = neighbors_at(g);
    const vertex *a = neighbors + g.offsets[u], *a_end = neighbors + g.offsets[u + 1];
    const vertex *b = neighbors + g.offsets[w], *b_end = neighbors + g.offsets[w + 1];
    const int64 places = (a_end - a) + (b_end - b);
    const auto report = [&](vertex x, const vertex* of_u, const vertex* of_w) {
        if (with_edges) {
            visit(x, edge_of_place(g, of_u - neighbors), edge_of_place(g, of_w - neighbors));
        } else {
            visit(x, NO_EDGE, NO_EDGE);
        }
    };
    vertex last = NO_VERTEX;  // the last one reported: parallel edges are adjacent
    if ((b_end - b) / 16 <= a_end - a && marks.has(u)) {
        for (; b < b_end; ++b) {
            if (marks.contains(*b) && *b != last) {
                last = *b;
                if (with_edges) { a = leap_to(a, a_end, last); }
                report(last, a, b);
            }
        }
        return places;
    }
    const bool swapped = a_end - a > b_end - b;
    if (swapped) {
        std::swap(a, b);
        std::swap(a_end, b_end);
    }
    const bool leaps = (b_end - b) / 16 > a_end - a;
    while (a < a_end && b < b_end) {
        if (leaps) { b = leap_to(b, b_end, *a); }
        if (b == b_end) { break; }
        const vertex x = *a, y = *b;
        if (x == y && x != last) {
            report(x, swapped ? b : a, swapped ? a : b);
            last = x;
        }
        a += x <= y ? 1 : 0;  // without a branch, which would be unpredictable
        b += y <= x ? 1 : 0;
    }
    return places;
}

// piece: each_pair
// Visits every vertex of a set with its partner; NO_VERTEX if it has none.
template <class Members, class Visit>
inline void each_pair(const Members& members, const vertex* partners, Visit visit) {
    const int64 size = members.size();
#pragma omp for schedule(dynamic, chunk_of(size))
    for (int64 i = 0; i < size; ++i) {
        const vertex u = members[i], w = partners[u];
        if (w != NO_VERTEX) { visit(u, w, edge(0)); }
    }
}

// piece: leap_to
// The first position from `b` on that is not below `x`, by galloping search.
inline const vertex* leap_to(const vertex* b, const vertex* end, vertex x) {
    std::ptrdiff_t step = 1;
    while (end - b > step && b[step] < x) {
        b += step;
        step *= 2;
    }
    const vertex* high = end - b > step ? b + step : end;
    while (b < high) {
        const vertex* const middle = b + (high - b) / 2;
        if (*middle < x) { b = middle + 1; } else { high = middle; }
    }
    return b;
}

// piece: check_pairs
// Stops the run if two sets differ in size.
inline void check_pairs(run_state&, const data_slice& d, int64 more, int64 check) {
    if (more != 0) { checked_index(d, more, 0, check); }
}
