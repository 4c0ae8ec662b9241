// piece: vertices_with_edges
// The number of vertices up to the last one with edges. If vertices are ordered by degree, all vertices after it have
// none. List ends ascend.
template <class Lists>
__device__ __forceinline__ uint64 vertices_with_edges(const Lists& lists, uint64 num_vertices) {
    uint64 low = 0, high = num_vertices;
    const edge all = num_vertices > 0 ? lists.last(vertex(num_vertices - 1)) : edge(0);
    while (low < high) {
        const uint64 middle = low + (high - low) / 2;
        if (lists.first(vertex(middle)) < all) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: pulled_vertex
// A vertex that may still be reached: the part of its list that is searched, whether the list is long, and its first
// neighbor.
struct pulled_vertex {
    bool selected, hub, hit;
    edge at, end, last;
    vertex near;
};

// piece: pull_warps
// As `pull_warps` of a whole-device run, with more memory accesses in flight. For WORDS_AT_ONCE vertices at a time,
// each thread tests whether they may still be reached, loads their list bounds, and tests their first neighbors.
// Vertices after the last one with edges are skipped. Instructions are the bottleneck here, so a warp skips vertices
// none of which may be reached, and counts in words as narrow as ids.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
__device__ __forceinline__ void pull_warps(enactor& run, uint64 num_vertices, const Members& members, const Lists& lists,
                                           Select select, Visit visit, Out& out) {
    const vertex candidates = vertex(vertices_with_edges(lists, num_vertices));
    const vertex words = vertex((num_vertices + 31) / 32), warps = vertex(grid_warps());
    for (vertex first = vertex(warp_index()); first < words; first += WORDS_AT_ONCE * warps) {
        pulled_vertex rows[WORDS_AT_ONCE];
        bool some = false;
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const vertex far = (first + k * warps) * 32 + lane_index();
            rows[k].selected = far < candidates && select(far);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) { some |= rows[k].selected; }
        if (!__any_sync(FULL_WARP, some)) {
#pragma unroll
            for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
                if (first + k * warps < words) { out.put(first + k * warps, false, vertex(0)); }
            }
            continue;
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const vertex far = (first + k * warps) * 32 + lane_index();
            rows[k].at = rows[k].selected ? lists.first(far) : edge(0);
            rows[k].last = rows[k].selected ? lists.last(far) : edge(0);
            rows[k].hub = rows[k].last - rows[k].at >= HUB_DEGREE;
            rows[k].end = !rows[k].hub ? rows[k].last : closes ? rows[k].at + PULL_PREFIX : rows[k].at;
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            rows[k].near = rows[k].at < rows[k].end ? lists.neighbor(rows[k].at) : vertex(0);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            rows[k].hit = rows[k].at < rows[k].end && members.contains(rows[k].near);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const vertex word = first + k * warps;
            if (word < words) {
                const vertex far = word * 32 + lane_index();
                bool closed = false;
                edge at = rows[k].at;
                bool accepted = rows[k].hit && visit(rows[k].near, far, at);
                if (rows[k].hit) { closed = closes && !select(far); }
                at += at < rows[k].end ? 1 : 0;
                accepted |= pull_list<closes>(members, lists, select, visit, far, at, rows[k].end, closed);
                out.put(word, accepted, far);
                defer_list(run, rows[k].hub && !closed, far, at, rows[k].last);
            }
        }
    }
}
