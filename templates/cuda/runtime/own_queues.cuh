// piece: OWN_QUEUE_HEAD own_queue_counter own_queue
// A queue in this GPU's memory, copy number `number`: how many members it has, and behind some words the members.
constexpr uint32 OWN_QUEUE_HEAD = 8;
__device__ __forceinline__ uint64* own_queue_counter(const enactor& run, uint32 number) { return own_copy<uint64>(run, number); }
__device__ __forceinline__ vertex* own_queue(const enactor& run, uint32 number) {
    return reinterpret_cast<vertex*>(own_copy<uint64>(run, number) + OWN_QUEUE_HEAD);
}

// piece: begin_own_queue
// No GPU appends before the next barrier.
__device__ __forceinline__ void begin_own_queue(const enactor& run, uint32 number) {
    if (own_block_index() == 0 && threadIdx.x == 0) { store_relaxed(own_queue_counter(run, number), uint64(0)); }
}

// piece: own_queue_members own_members_of
// Those that this GPU has found, of as many as `total` on all GPUs.
struct own_queue_members {
    const vertex* queue;
    uint64 count, total;
    __device__ __forceinline__ uint64 size() const { return total; }
    __device__ __forceinline__ vertex operator[](uint64 i) const { return queue[i]; }
};
__device__ __forceinline__ bool own_turns(const own_queue_members&) { return true; }
__device__ __forceinline__ uint64 own_first(const own_queue_members&) { return 0; }
__device__ __forceinline__ uint64 own_end(const own_queue_members& members) { return members.count; }
__device__ __forceinline__ own_queue_members own_members_of(const enactor& run, const frontier& f, uint32 number) {
    return own_queue_members{own_queue(run, number), load_relaxed(own_queue_counter(run, number)), f.size};
}

// piece: own_collector
// `collector` for a queue of this GPU, whose edges no later operator needs. What all GPUs have found is added up at the
// end, once for each block: all its threads call `flush`.
struct own_collector {
    enactor& run;
    vertex* const queue;
    uint64* const counter;
    vertex* const staged;
    uint32 count;  // staged so far, the same for the whole warp
    uint64 appended;  // before these

    __device__ own_collector(enactor& run, uint32 number)
        : run(run), queue(own_queue(run, number)), counter(own_queue_counter(run, number)),
          staged(run.shared.staged[threadIdx.x / 32]), count(0), appended(0) {}

    // The whole warp calls; each lane may bring a vertex.
    __device__ __forceinline__ void append(bool accepted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (votes == 0) { return; }
        if (accepted) { staged[count + __popc(votes & ((1u << lane_index()) - 1))] = v; }
        count += __popc(votes);
        if (count >= STAGED) {
            write(STAGED);
            const vertex rest = staged[STAGED + lane_index()];
            __syncwarp(FULL_WARP);
            staged[lane_index()] = rest;
            count -= STAGED;
            __syncwarp(FULL_WARP);
        }
    }
    __device__ __forceinline__ void flush() {
        if (count > 0) { write(count); }
        count = 0;
        const uint64 found = block_reduce(run.shared, lane_index() == 0 ? appended : uint64(0), uint64(0), [](uint64 a, uint64 b) { return a + b; });
        if (threadIdx.x == 0 && found > 0) { atomicAdd_grid(&run.counters()->accepted, found); }
    }
    // Appends the first `taken` of those that are staged.
    __device__ __forceinline__ void write(uint32 taken) {
        __syncwarp(FULL_WARP);
        const uint32 lane = lane_index();
        uint64 at = lane == 0 ? atomicAdd_grid(counter, uint64(taken)) : 0;
        at = __shfl_sync(FULL_WARP, at, 0);
        for (uint32 i = lane; i < taken; i += 32) { queue[at + i] = staged[i]; }
        appended += taken;
        __syncwarp(FULL_WARP);
    }
};
