// piece: edge_members edge_members_of
struct edge_members {
    const edge* queue;
    int64 count;
    int64 size() const { return count; }
    edge operator[](int64 i) const { return queue[i]; }
};
inline edge_members edge_members_of(const edge_frontier& f) { return edge_members{f.queue, f.size}; }

// piece: all_edges
struct all_edges {
    int64 count;
    int64 size() const { return count; }
    edge operator[](int64 i) const { return edge(i); }
};

// piece: mark_members
// Marks the members of a set of edges in its bitmap. Edges usually ascend, so neighboring bits are written together.
inline void mark_members(edge_frontier& f) {
#pragma omp parallel if (f.size > SMALL_WORK)
    {
        int64 word = 0;
        uint64 bits = 0;
#pragma omp for schedule(static)
        for (int64 i = 0; i < f.size; ++i) {
            const int64 own = f.queue[i] / 64;
            if (own != word) {
                __atomic_fetch_or(&f.bitmap[word], bits, __ATOMIC_RELAXED);
                word = own;
                bits = 0;
            }
            bits |= uint64(1) << (f.queue[i] % 64);
        }
        if (bits != 0) { __atomic_fetch_or(&f.bitmap[word], bits, __ATOMIC_RELAXED); }
    }
}

// piece: unmark_members
// Clears these marks, which are the only ones.
inline void unmark_members(edge_frontier& f) {
#pragma omp parallel for schedule(static) if (f.size > SMALL_WORK)
    for (int64 i = 0; i < f.size; ++i) { store_shared(&f.bitmap[f.queue[i] / 64], uint64(0)); }
}

// piece: append_edges
// Collects the members that are (or are not) marked in a bitmap.
template <bool marked, class Members>
inline void append_edges(edge_collector& out, const Members& members, const uint64* bitmap) {
#pragma omp for schedule(static)
    for (int64 i = 0; i < members.size(); ++i) {
        const edge e = members[i];
        if (((bitmap[e / 64] >> (e % 64) & 1) != 0) == marked) { out.append(e); }
    }
}

// piece: unite_edges
// All members of the second set, and the members of the first that are not in the second.
inline void unite_edges(edge_frontier& next, edge_frontier& result, const edge_frontier& first, edge_frontier& second) {
    mark_members(second);
#pragma omp parallel if (first.size + second.size > SMALL_WORK)
    {
        edge_collector out(next);
        append_edges<true>(out, edge_members_of(second), second.bitmap);
        append_edges<false>(out, edge_members_of(first), second.bitmap);
        out.flush();
    }
    unmark_members(second);
    finish_edges(next, result, false);
}

// piece: intersect_edges
// The members of the first set that are in the second.
inline void intersect_edges(edge_frontier& next, edge_frontier& result, const edge_frontier& first, edge_frontier& second) {
    mark_members(second);
#pragma omp parallel if (first.size > SMALL_WORK)
    {
        edge_collector out(next);
        append_edges<true>(out, edge_members_of(first), second.bitmap);
        out.flush();
    }
    unmark_members(second);
    finish_edges(next, result, false);
}

// piece: subtract_edges
// The members of the first set that are not in the second.
template <class Members>
inline void subtract_edges(edge_frontier& next, edge_frontier& result, const Members& first, edge_frontier& second) {
    mark_members(second);
#pragma omp parallel if (first.size() > SMALL_WORK)
    {
        edge_collector out(next);
        append_edges<false>(out, first, second.bitmap);
        out.flush();
    }
    unmark_members(second);
    finish_edges(next, result, false);
}
