// piece: common_neighbors
// The vertices that stand in the lists of both u and w, each once: `visit(x, eu, ew)` with the first edges that lead to it
// from u and from w. Returns how long both lists are.
template <class Visit>
inline int64 common_neighbors(const graph_slice& g, vertex u, vertex w, Visit visit) {
    const vertex *a = g.columns + g.offsets[u], *a_end = g.columns + g.offsets[u + 1];
    const vertex *b = g.columns + g.offsets[w], *b_end = g.columns + g.offsets[w + 1];
    const int64 places = (a_end - a) + (b_end - b);
    const bool swapped = a_end - a > b_end - b;
    if (swapped) {
        std::swap(a, b);
        std::swap(a_end, b_end);
    }
    const bool leaps = (b_end - b) / 16 > a_end - a;
    vertex last = NO_VERTEX;  // found last: parallel edges stand side by side
    while (a < a_end && b < b_end) {
        if (leaps) { b = leap_to(b, b_end, *a); }
        if (b == b_end) { break; }
        const vertex x = *a, y = *b;
        if (x == y && x != last) {
            const edge of_a = edge(a - g.columns), of_b = edge(b - g.columns);
            visit(x, swapped ? of_b : of_a, swapped ? of_a : of_b);
            last = x;
        }
        a += x <= y ? 1 : 0;  // without branches, which nobody could foretell
        b += y <= x ? 1 : 0;
    }
    return places;
}

// piece: each_pair
// Every vertex of a set with its partner; NO_VERTEX is none.
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
// The first place from `b` on that does not stand below `x`, in steps that double.
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
// Stops the run where one of two sets has members more than the other.
inline void check_pairs(run_state&, const data_slice& d, int64 more, int64 check) {
    if (more != 0) { checked_index(d, more, 0, check); }
}
