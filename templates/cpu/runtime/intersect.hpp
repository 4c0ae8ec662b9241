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

// piece: neighbor_lanes
// A list of up to LANES neighbors in vector registers: each member of another list is compared with all of them at once,
// without a branch.
struct neighbor_lanes {
#if defined(__AVX2__) && defined(__x86_64__)
    static constexpr int64 LANES = sizeof(vertex) == 4 ? 16 : 0;
    typedef int eight __attribute__((vector_size(32)));
    typedef float eight_floats __attribute__((vector_size(32)));
    eight low, high;
    uint32 once;  // a bit for each place, except for parallel edges after the first
    bool few;

    static uint32 bits_of(eight equal) { return uint32(__builtin_ia32_movmskps256(reinterpret_cast<eight_floats>(equal))); }
    static eight up_to(const vertex* list, int count) {
        const eight places = {0, 1, 2, 3, 4, 5, 6, 7};
        return __builtin_ia32_maskloadd256(reinterpret_cast<const eight*>(list), places < count);
    }
    neighbor_lanes(const vertex* list, int64 length) : few(length <= 8) {
        const int count = int(length);
        low = high = up_to(list, count);
        uint32 twice = bits_of(low == up_to(list + 1, count - 1));
        if (!few) {
            high = up_to(list + 8, count - 8);
            twice |= bits_of(high == up_to(list + 9, count - 9)) << 8;
        }
        const uint32 all = (uint32(1) << count) - 1;
        once = all & ~((twice & all >> 1) << 1);
    }
    // Whether lists of `m` and `n` neighbors, neither of them empty, may have some in common: up to four are compared.
    static bool may_meet(const vertex* a, int64 m, const vertex* b, int64 n) {
        typedef int four __attribute__((vector_size(16)));
        typedef float four_floats __attribute__((vector_size(16)));
        const four places = {0, 1, 2, 3}, held = places < int(m);
        const four in = __builtin_ia32_maskloadd(reinterpret_cast<const four*>(a), held) | ~held;
        const int64 second = minimum<int64>(1, n - 1), third = minimum<int64>(2, n - 1), fourth = minimum<int64>(3, n - 1);
        const four equal = (in == int(b[0])) | (in == int(b[second])) | (in == int(b[third])) | (in == int(b[fourth]));
        return (__builtin_ia32_movmskps(reinterpret_cast<four_floats>(equal)) != 0) | (m > 4) | (n > 4);
    }
    // The places of those that are in the list from `b` to `end`, too. Its first four neighbors, or the last one again, are
    // compared in any case: how many there are is unpredictable for short lists.
    uint32 common(const vertex* b, const vertex* end) const {
        if (b == end) { return 0; }
        const int64 last = end - b - 1;
        const int64 second = minimum<int64>(1, last), third = minimum<int64>(2, last), fourth = minimum<int64>(3, last);
        eight in_low = (low == int(b[0])) | (low == int(b[second])) | (low == int(b[third])) | (low == int(b[fourth]));
        if (few) {
            for (b += 4; b < end; ++b) { in_low |= low == int(*b); }
            return bits_of(in_low) & once;
        }
        eight in_high = (high == int(b[0])) | (high == int(b[second])) | (high == int(b[third])) | (high == int(b[fourth]));
        for (b += 4; b < end; ++b) {
            in_low |= low == int(*b);
            in_high |= high == int(*b);
        }
        return (bits_of(in_low) | bits_of(in_high) << 8) & once;
    }
#else
    static constexpr int64 LANES = 0;
    neighbor_lanes(const vertex*, int64) {}
    static bool may_meet(const vertex*, int64, const vertex*, int64) { return true; }
    uint32 common(const vertex*, const vertex*) const { return 0; }
#endif
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

// piece: common_by_lanes
// The same for the edges from `at` up to `end` in the list of u, which reaches from `first` up to `last`:
// `visit(u, w, e, x, eu, ew)`.
template <bool with_edges, class Visit>
inline int64 common_by_lanes(neighbor_marks& marks, vertex u, int64 first, int64 last, int64 at, int64 end, Visit visit) {
    constexpr int64 LONG = 8 * neighbor_lanes::LANES;  // from which on a few are looked up in a list instead
    const graph_slice& g = marks.g;
    const vertex* const neighbors = neighbors_at(g);
    const int64* const offsets = g.offsets;
    const neighbor_lanes lanes(neighbors + first, last - first);
    int64 places = 0;
    for (; at < end; ++at) {
        const vertex w = neighbors[at];
        const edge e = edge_of_place(g, at);
        const vertex *const b = neighbors + offsets[w], *const b_end = neighbors + offsets[w + 1];
        if (b_end - b > LONG) {
            places += common_neighbors<with_edges>(marks, u, w, [&](vertex x, edge eu, edge ew) { visit(u, w, e, x, eu, ew); });
            continue;
        }
        places += last - first + (b_end - b);
        for (uint32 found = lanes.common(b, b_end); found != 0; found &= found - 1) {
            const int64 place = first + __builtin_ctz(found);
            const vertex x = neighbors[place];
            if (with_edges) {
                visit(u, w, e, x, edge_of_place(g, place), edge_of_place(g, leap_to(b, b_end, x) - neighbors));
            } else {
                visit(u, w, e, x, NO_EDGE, NO_EDGE);
            }
        }
    }
    return places;
}

// piece: LANES_BLOCK edges_that_may_meet
constexpr int64 LANES_BLOCK = 64;
// The edges of some vertices whose lists are short and differ in length: those whose ends may have a neighbor in common.
struct edges_that_may_meet {
    static constexpr int64 FEW = 4, MOST = FEW * LANES_BLOCK;
    int64 count = 0, places = 0;  // the total length of the lists of all edges
    vertex owners[MOST + 1];
    int32 at[MOST];

    // False if lists are longer, or so much alike that their ends are predicted. Otherwise whether a vertex has edges, and
    // how many its neighbor has, are branches that are mispredicted, so that all edges are tested before one is visited.
    bool find(const graph_slice& g, vertex begin, vertex end) {
        const int64* const offsets = g.offsets;
        const vertex* const neighbors = neighbors_at(g);
        const int64 start = offsets[begin], edges = offsets[end] - start;
        if (neighbor_lanes::LANES == 0 || edges > FEW * int64(end - begin)) { return false; }
        const int64* const places_of = offsets + begin;
        const int64 size = int64(end - begin);
        int64 longest = places_of[size] - places_of[size - 1], changes = 0, walked = 0;
        for (int64 i = 0; i + 1 < size; ++i) {
            const int64 length = places_of[i + 1] - places_of[i], next = places_of[i + 2] - places_of[i + 1];
            longest = maximum(longest, length);
            changes += length != next ? 1 : 0;
        }
        if (longest > neighbor_lanes::LANES || 8 * changes < size) { return false; }
        std::memset(owners, 0, std::size_t(edges) * sizeof(vertex));
        for (int64 i = 0; i < size; ++i) {
            const int64 length = places_of[i + 1] - places_of[i];
            walked += length * length;
            owners[places_of[i] - start] = begin + vertex(i);  // of the first edge of its list
        }
        vertex u = begin;
        int64 some = 0;
        for (int64 i = 0; i < edges; ++i) {
            u = maximum(u, owners[i]);
            const vertex w = neighbors[start + i];
            const int64 of_w = offsets[w], length = offsets[w + 1] - of_w;
            owners[some] = u;
            at[some] = int32(i);
            some += (length > 0) & (neighbors[minimum<int64>(of_w, g.num_edges - 1)] <= neighbors[offsets[u + 1] - 1]) ? 1 : 0;
            walked += length;
        }
        int64 met = 0;
        for (int64 i = 0; i < some; ++i) {
            const vertex u = owners[i], w = neighbors[start + at[i]];
            const int64 of_u = offsets[u], of_w = offsets[w];
            owners[met] = u;
            at[met] = at[i];
            const bool may = neighbor_lanes::may_meet(neighbors + of_u, offsets[u + 1] - of_u, neighbors + of_w, offsets[w + 1] - of_w);
            met += may ? 1 : 0;
        }
        count = met;
        places = walked;
        return true;
    }
};

// piece: each_edge_by_lanes
// Visits every edge of the graph, by source: those of short lists with `visit_list(near, first, last, at, end)`, some edges
// of the list from `first` up to `last`, all others edge by edge. Returns the lengths of lists that no visit has counted.
// Short lists look whether the run stops now and then: each is done at once.
template <class VisitList, class Visit>
inline int64 each_edge_by_lanes(run_state& run, const graph_slice& g, VisitList visit_list, Visit visit) {
    const int64 blocks = (g.num_vertices + LANES_BLOCK - 1) / LANES_BLOCK;
    int64 places = 0;
#pragma omp for schedule(dynamic, minimum<int64>(2048 / LANES_BLOCK, chunk_of(4 * blocks)))
    for (int64 block = 0; block < blocks; ++block) {
        if (must_stop(run.control)) { continue; }
        const vertex begin = vertex(block * LANES_BLOCK), end = vertex(minimum<int64>(g.num_vertices, (block + 1) * LANES_BLOCK));
        edges_that_may_meet some;
        const bool found = some.find(g, begin, end);
        const int64 start = g.offsets[begin];
        places += some.places;
        const int64 count = found ? some.count : int64(end - begin);
        for (int64 i = 0; i < count; ++i) {
            const vertex u = found ? some.owners[i] : begin + vertex(i);
            const int64 first = g.offsets[u], last = g.offsets[u + 1];
            if (last - first > neighbor_lanes::LANES) {
                push_list(run, u, out_lists{g}, visit);
            } else if (first < last) {
                const int64 at = found ? start + some.at[i] : first;
                const int64 length = visit_list(u, first, last, at, found ? at + 1 : last);
                places += found ? 0 : length;
            }
        }
    }
    push_chunks(run, out_lists{g}, visit);
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
