// piece: bitmap_collector
// Adds a warp's accepted vertices to the result's bitmap, which is empty at first. No vertex may be added twice.
template <class Counted>
struct bitmap_collector {
    enactor& run;
    frontier& result;
    const Counted counted;
    uint64 accepted_here, edges_here;

    __device__ bitmap_collector(enactor& run, frontier& result, const Counted counted)
        : run(run), result(result), counted(counted), accepted_here(0), edges_here(0) {}

    __device__ __forceinline__ void append(bool accepted, vertex v) {
        if (accepted && mark(result.bitmap, v)) {
            accepted_here += 1;
            edges_here += counted.degree(v);
        }
        __syncwarp(FULL_WARP);
    }
    __device__ __forceinline__ void flush() {
        const uint64 accepted = warp_sum(accepted_here);
        if (lane_index() == 0 && accepted > 0) { atomicAdd_grid(&run.counters()->accepted, accepted); }
        counted.add(run.counters(), edges_here);
    }
};

// piece: clear_bitmap
// barriers: 1
__device__ __forceinline__ void clear_bitmap(enactor& run, frontier& result, uint64 num_vertices) {
    for (uint64 word = thread_index(); word < (num_vertices + 31) / 32; word += grid_threads()) { result.bitmap[word] = 0; }
    synchronize(run);
}

// piece: late_collector
// Collects a warp's accepted vertices and appends them to the result, 32 at a time. While the first half of the queue
// has room, duplicates are appended, too. The rest are marked, and go to the second half without duplicates. Each half
// has room for all vertices.
template <class Counted>
struct late_collector {
    enactor& run;
    frontier& result;
    const Counted counted;
    const uint64 room;
    uint32* const marks;
    vertex* const staged;
    uint32 count;  // staged so far, the same for the whole warp

    __device__ late_collector(enactor& run, frontier& result, const Counted counted, uint64 room)
        : run(run), result(result), counted(counted), room(room), marks(marks_of(run)),
          staged(run.shared.staged[threadIdx.x / 32]), count(0) {}

    // The whole warp must call it; each lane may add a vertex.
    __device__ __forceinline__ void append(bool accepted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (votes == 0) { return; }
        if (accepted) { staged[count + __popc(votes & ((1u << lane_index()) - 1))] = v; }
        count += __popc(votes);
        if (count >= 32) { write(32); }
    }
    __device__ __forceinline__ void flush() {
        if (count > 0) { write(count); }
    }
    __device__ __forceinline__ void write(uint32 amount) {
        __syncwarp(FULL_WARP);
        const uint32 lane = lane_index();
        const bool writes = lane < amount;
        const vertex v = writes ? staged[lane] : vertex(0);
        const vertex rest = staged[32 + lane];
        __syncwarp(FULL_WARP);
        if (amount == 32) { staged[lane] = rest; }
        count -= amount;
        uint64 at = lane == 0 ? atomicAdd_grid(&run.counters()->accepted, uint64(amount)) : 0;
        at = __shfl_sync(FULL_WARP, at, 0) + lane;
        const bool has_room = writes && at < room;
        const bool is_new = writes && !has_room && mark(marks, v);
        if (has_room) { result.queue[at] = v; }
        const uint32 votes = __ballot_sync(FULL_WARP, is_new);
        if (votes != 0) {
            at = lane == 0 ? atomicAdd_grid(&run.counters()->late, uint64(__popc(votes))) : 0;
            at = __shfl_sync(FULL_WARP, at, 0) + __popc(votes & ((1u << lane) - 1));
            if (is_new) { result.queue[room + at] = v; }
        }
        counted.add(run.counters(), has_room || is_new ? counted.degree(v) : edge(0));
        __syncwarp(FULL_WARP);
    }
};

// piece: end_late_queue
// The barrier after which such a result can be read. Clears its marks, as `clear_marks` does.
// barriers: 1, publishes accepted
__device__ __forceinline__ void end_late_queue(enactor& run, frontier& result, uint64 room) {
    end_queue(run, result);
    uint32* const marks = marks_of(run);
    result.size = min(result.size, room) + load_relaxed(&run.counters()->late);
    for (uint64 i = room + thread_index(); i < result.size; i += grid_threads()) {
        store_relaxed(&marks[result.queue[i] / 32], 0u);
    }
}
