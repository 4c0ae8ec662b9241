// piece: number_bits
// Numbers the bits that are set, in three sweeps: count them per 1024 bits, compute the prefix sum of the counts with
// one warp, and assign the numbers.
// barriers: 3
template <class Store>
__device__ __forceinline__ void number_bits(enactor& run, const uint32* bits, uint64 count, Store store) {
    const uint64 words = (count + 31) / 32, chunks = (words + 31) / 32;
    const uint32 lane = lane_index();
    uint64* const places = run.slice.places;
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const uint64 word = chunk * 32 + lane;
        const uint32 members = warp_sum(word < words ? uint32(__popc(bits[word])) : 0u);
        if (lane == 0) { places[chunk] = members; }
    }
    synchronize(run);
    if (block_index() == 0 && threadIdx.x < 32) {
        uint64 before = 0;
        for (uint64 base = 0; base < chunks; base += 32) {
            const bool active = base + lane < chunks;
            const uint32 own = active ? uint32(places[base + lane]) : 0;
            const uint32 inclusive = warp_inclusive_sum(own);
            if (active) { places[base + lane] = before + (inclusive - own); }
            before += __shfl_sync(FULL_WARP, inclusive, 31);
        }
    }
    synchronize(run);
    for (uint64 chunk = warp_index(); chunk < chunks; chunk += grid_warps()) {
        const uint64 word = chunk * 32 + lane;
        const uint32 mine = word < words ? bits[word] : 0;
        const uint32 own = __popc(mine);
        const uint32 exclusive = warp_inclusive_sum(own) - own;
        const uint64 first = places[chunk];
        for (uint32 rows = __ballot_sync(FULL_WARP, mine != 0); rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const uint32 members = __shfl_sync(FULL_WARP, mine, row);
            const uint32 before = __shfl_sync(FULL_WARP, exclusive, row) + __popc(members & ((1u << lane) - 1));
            if ((members >> lane & 1) != 0) { store((chunk * 32 + row) * 32 + lane, first + before); }
        }
    }
    synchronize(run);
}

// piece: number_vertices
// barriers: 3 to 5
template <class Store>
__device__ __forceinline__ void number_vertices(enactor& run, frontier& f, uint64 num_vertices, Store store) {
    need_bitmap(run, f, num_vertices);
    number_bits(run, f.bitmap, num_vertices, store);
}

// piece: number_edges
// Edge frontiers have no bitmap, so marks take its place.
// barriers: 5
template <class Store>
__device__ __forceinline__ void number_edges(enactor& run, const edge_frontier& f, uint64 num_edges, Store store) {
    begin_operator(run);
    uint32* const marks = edge_marks_of(run);
    for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { mark_edge(marks, f.queue[i]); }
    synchronize(run);
    number_bits(run, marks, num_edges, store);
    clear_edge_marks(marks, f);
    synchronize(run);  // the set may be written after this
    run.operators += 1;
}

// piece: number_everything
// barriers: 1
template <class Store>
__device__ __forceinline__ void number_everything(enactor& run, uint64 count, Store store) {
    for (uint64 id = thread_index(); id < count; id += grid_threads()) { store(id, id); }
    synchronize(run);
}
