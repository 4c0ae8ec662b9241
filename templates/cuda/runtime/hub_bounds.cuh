// piece: hub_bounds
// Bounds in shared memory for the values of those vertices that have a place there. A bound is a value read earlier in
// this loop, in which values only improve. A word has first the bits of the vertex's id that do not follow from its
// place, then the first bits of the bound, rounded toward worse values. No element is NaN.
template <bool Falls>
struct hub_bounds {
    static constexpr uint32 PLACES = 1u << BOUND_BITS;
    uint32 first;  // how many bits of a word are of the id

    __device__ __forceinline__ hub_bounds(uint64 num_vertices) : first(1) {
        while ((num_vertices - 1) >> BOUND_BITS >> first != 0) { first += 1; }
    }
    __device__ __forceinline__ static uint32* at(vertex v) { return static_cast<uint32*>(dynamic_shared_memory()) + uint32(v) % PLACES; }
    __device__ __forceinline__ uint32 id(vertex v) const { return uint32(v >> BOUND_BITS) << (32 - first); }
    __device__ __forceinline__ uint32 word(vertex v) const { return load_relaxed(at(v)); }
    __device__ __forceinline__ bool is_of(uint32 word, vertex v) const { return (word ^ id(v)) >> (32 - first) == 0; }

    // The bound if the vertex has one, otherwise the value itself.
    __device__ __forceinline__ float32 look(vertex v, const float32* x) const {
        const uint32 found = word(v);
        return is_of(found, v) ? __int_as_float(int32(found << first)) : load_cached(x);
    }
    __device__ __forceinline__ static float32 worst() { return __int_as_float(Falls ? 0x7f800000 : int32(0xff800000u)); }
    __device__ __forceinline__ void note(vertex v, float32 seen) const {
        const uint32 bits = uint32(__float_as_int(seen)), up = Falls == (bits >> 31 == 0) ? (1u << first) - 1 : 0;
        store_relaxed(at(v), id(v) | (bits + up) >> first);
    }
};

// piece: choose_hubs
// Finds for each place the vertex with the most edges among those whose ids have the same last bits, with four lanes.
template <class Bounds>
__device__ __forceinline__ void choose_hubs(enactor& run, const Bounds& bounds, const graph_slice& g) {
    const uint32 lane = lane_index();
    for (uint64 base = warp_index() * 8; base < bounds.PLACES; base += grid_warps() * 8) {
        uint64 best = base + lane % 8;
        edge most = 0;
        for (uint64 start = best + uint64(lane / 8) * bounds.PLACES; start < g.num_vertices; start += uint64(32) * bounds.PLACES) {
            edge degrees[8];  // all loads are in flight before the first is used
            side_by_side<8>([&](uint32 k) {
                const uint64 v = start + uint64(4 * k) * bounds.PLACES;
                degrees[k] = v < g.num_vertices ? __ldg(&g.offsets[v + 1]) - __ldg(&g.offsets[v]) : edge(0);
            });
            side_by_side<8>([&](uint32 k) {
                if (degrees[k] > most) { best = start + uint64(4 * k) * bounds.PLACES; }
                most = max(most, degrees[k]);
            });
        }
        for (uint32 step = 8; step < 32; step *= 2) {
            const uint64 other = __shfl_xor_sync(FULL_WARP, best, step);
            const edge more = __shfl_xor_sync(FULL_WARP, most, step);
            if (more > most) { best = other; }
            most = max(most, more);
        }
        if (lane < 8) { run.slice.bounded[base + lane] = vertex(best); }
    }
}

// piece: begin_bounded
// Sets the bounds for a pass: in passes with many members, a new bound for each hub; in others, the worst bound. Before
// the `first` pass it also does the work of `forget_visits`. Bounds are used after all threads of the block have arrived.
// barriers: 1 if the loop begins
template <class Bounds, class Known>
__device__ __forceinline__ void begin_bounded(enactor& run, const Bounds& bounds, const graph_slice& g, const Known& known,
                                              bool first, uint64 members) {
    if (first) {
        choose_hubs(run, bounds, g);
        forget_visits(run, known, g.num_vertices);
    }
    if (!first && members * 8 < g.num_vertices) { return; }
#pragma unroll 4
    for (uint32 place = threadIdx.x; place < bounds.PLACES; place += BLOCK_THREADS) {
        const vertex hub = run.slice.bounded[place];
        if (hub < g.num_vertices) { bounds.note(hub, members * 8 < g.num_vertices ? bounds.worst() : load_cached(&known.values[hub])); }
    }
    __syncthreads();
}

// piece: bounded_changed_min
// `late_changed_min` of the value of `v` if a bound of it, or the value itself, has been `seen`. A value that is better
// than a bound is compared with the stored one.
template <class Bounds>
__device__ __forceinline__ bool bounded_changed_min(const Bounds& bounds, vertex v, float32* x, float32 value, float32 seen) {
    if (!(value < seen)) { return false; }
    if (bounds.is_of(bounds.word(v), v)) {
        seen = load_relaxed(x);
        bounds.note(v, minimum(seen, value));
    }
    return late_changed_min(x, value, seen);
}

// piece: bounded_changed_max
template <class Bounds>
__device__ __forceinline__ bool bounded_changed_max(const Bounds& bounds, vertex v, float32* x, float32 value, float32 seen) {
    if (!(seen < value)) { return false; }
    if (bounds.is_of(bounds.word(v), v)) {
        seen = load_relaxed(x);
        bounds.note(v, maximum(seen, value));
    }
    return late_changed_max(x, value, seen);
}
