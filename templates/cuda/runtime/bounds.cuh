// piece: value_bounds
// In the block's own memory, of the vertices that have a place there, a bound of the value: what was seen of it, or made, in
// this loop, in which values get better only. A word has above what is left of the vertex's id without its place, below it
// the first bits of the bound's rank, rounded to the worse side.
template <class Key, bool Falls>
struct value_bounds {
    static constexpr uint32 PLACES = 1u << BOUND_BITS;
    uint32 upper;  // bits of a word above the bound; 0: there are no bounds

    __device__ __forceinline__ value_bounds(uint64 num_vertices) : upper(0) {
        if (own_bytes() < PLACES * 4) { return; }
        const uint64 rests = (num_vertices - 1) >> BOUND_BITS;
        upper = 1;
        while (rests >> upper != 0) { upper += 1; }
        if (upper > 16) { upper = 0; }
    }
    __device__ __forceinline__ uint32 places() const { return upper != 0 ? PLACES : 0; }
    __device__ __forceinline__ uint32* at(uint32 place) const { return static_cast<uint32*>(own_memory()) + place; }
    __device__ __forceinline__ uint32 place(vertex v) const { return uint32(v) % PLACES; }
    __device__ __forceinline__ uint32 rest(vertex v) const { return uint32(v >> BOUND_BITS); }
    __device__ __forceinline__ uint32 word(vertex v) const { return upper != 0 ? load_relaxed(at(place(v))) : 0; }
    __device__ __forceinline__ bool is_of(uint32 word, vertex v) const { return upper != 0 && word >> (32 - upper) == rest(v); }

    // What `x`, the value of `v`, is, unless there is a bound of it.
    __device__ __forceinline__ Key look(vertex v, const Key* x) const { return is_of(word(v), v) ? Key() : load_seen(x); }

    // Whether a value may be better than what the bound stands for; where nothing is known, all but NaN may.
    __device__ __forceinline__ bool may_improve(uint32 word, Key value) const {
        const uint32 rank = rank_word(value), bound = word << upper;
        return Falls ? rank < bound : rank > bound;
    }
    __device__ __forceinline__ void forget(uint32 place, vertex v) const {
        store_relaxed(at(place), rest(v) << (32 - upper) | (Falls ? ~uint32(0) >> upper : uint32(0)));
    }
    __device__ __forceinline__ void note(vertex v, Key seen) const {
        const uint32 up = Falls ? (1u << upper) - 1 : 0;
        if (seen == seen) { store_relaxed(at(place(v)), rest(v) << (32 - upper) | (rank_word(seen) + up) >> upper); }
    }
};

// piece: choose_bounded
// By place the vertex of most edges, among those whose ids end alike. Four lanes look for each.
template <class Bounds>
__device__ __forceinline__ void choose_bounded(enactor& run, const Bounds& bounds, const graph_slice& g) {
    const uint32 lane = lane_index(), places = bounds.places();
    for (uint64 base = warp_index() * 8; base < places; base += grid_warps() * 8) {
        uint64 best = base + lane % 8;
        edge most = 0;
#pragma unroll 4
        for (uint64 v = best + uint64(lane / 8) * places; v < uint64(g.num_vertices); v += uint64(4) * places) {
            const edge degree = __ldg(&g.offsets[v + 1]) - __ldg(&g.offsets[v]);
            if (degree > most) { best = v; }
            most = maximum(most, degree);
        }
        for (uint32 step = 8; step < 32; step *= 2) {
            const uint64 other = __shfl_xor_sync(FULL_WARP, best, step);
            const edge more = __shfl_xor_sync(FULL_WARP, most, step);
            if (more > most) { best = other; }
            most = maximum(most, more);
        }
        if (lane < 8) { run.slice.bounded[base + lane] = vertex(best); }
    }
}

// piece: forget_bounds
// Nothing is known of those vertices yet.
template <class Bounds>
__device__ __forceinline__ void forget_bounds(enactor& run, const Bounds& bounds) {
    for (uint32 place = threadIdx.x; place < bounds.places(); place += BLOCK_THREADS) { bounds.forget(place, run.slice.bounded[place]); }
    __syncthreads();
}

// piece: bounded_changed_min
// `late_changed_min` of the value of `v`, where who is no better than its bound comes too late. `seen` is what `look` has
// given.
template <class Bounds, class T>
__device__ __forceinline__ bool bounded_changed_min(const Bounds& bounds, vertex v, T* x, T value, T seen) {
    const uint32 word = bounds.word(v);
    if (bounds.is_of(word, v)) {
        if (!bounds.may_improve(word, value)) { return false; }
        seen = load_relaxed(x);
        bounds.note(v, minimum(seen, value));
    }
    return late_changed_min(x, value, seen);
}

// piece: bounded_changed_max
template <class Bounds, class T>
__device__ __forceinline__ bool bounded_changed_max(const Bounds& bounds, vertex v, T* x, T value, T seen) {
    const uint32 word = bounds.word(v);
    if (bounds.is_of(word, v)) {
        if (!bounds.may_improve(word, value)) { return false; }
        seen = load_relaxed(x);
        bounds.note(v, maximum(seen, value));
    }
    return late_changed_max(x, value, seen);
}
