// piece: marks_of
// One bit for each vertex: whether it is already in the result. Operators with a barrier alternate between two bitmaps.
// Each clears its marks after its last barrier, when its result is complete. Meanwhile the next operator may begin: it
// marks in the other bitmap, and ends with a barrier before this one is used again.
__device__ __forceinline__ uint32* marks_of(const enactor& run) {
    return marks_turn(run) == 0 ? run.slice.marks[0] : run.slice.marks[1];
}

// piece: SAME_TURN marks_turn
// The bitmap in use. After an operator that ends without a barrier, marks may still be cleared; it adds `SAME_TURN` to
// the number of operators, and so does not count here.
constexpr uint64 SAME_TURN = 1ull << 63;
__device__ __forceinline__ uint32 marks_turn(const enactor& run) {
    return (uint32(run.operators) ^ uint32(run.operators >> 63)) & 1;
}

// piece: mark
// True for the first call with this vertex.
__device__ __forceinline__ bool mark(uint32* marks, vertex v) {
    uint32* const word = &marks[v / 32];
    const uint32 bit = 1u << (v % 32);
    return (load_relaxed(word) & bit) == 0 && (atomicOr_grid(word, bit) & bit) == 0;
}

// piece: mark_unread
// The same without reading the mark first, which would add a wait; for results with few duplicates.
__device__ __forceinline__ bool mark_unread(uint32* marks, vertex v) {
    const uint32 bit = 1u << (v % 32);
    return (atomicOr_grid(&marks[v / 32], bit) & bit) == 0;
}

// piece: former_marks is_unmarked
// The word of the mark of `v` before it was set or, without `marks`, all bits. No branch depends on it, so that several
// are in flight before the first is used.
__device__ __forceinline__ uint32 former_marks(uint32* marks, vertex v, bool active) {
    uint32 former = ~uint32(0);
    if (active) { former = atomicOr_grid(&marks[v / 32], 1u << (v % 32)); }
    return former;
}
__device__ __forceinline__ bool is_unmarked(uint32 former, vertex v) { return (former >> (v % 32) & 1) == 0; }

// piece: clear_marks
// Clears the marks of a result, after its barrier. The result's queue is not overwritten before the next barrier, since
// the next result uses other storage.
__device__ __forceinline__ void clear_marks(uint32* marks, const frontier& result) {
    for (uint64 i = thread_index(); i < result.size; i += grid_threads()) { store_relaxed(&marks[result.queue[i] / 32], 0u); }
}

// piece: queue_members members_of
struct queue_members {
    const vertex* queue;
    const uint32* bitmap;
    uint64 count;
    __device__ __forceinline__ uint64 size() const { return count; }
    __device__ __forceinline__ vertex operator[](uint64 i) const { return queue[i]; }
    __device__ __forceinline__ bool contains(vertex v) const { return (bitmap[v / 32] >> (v % 32) & 1) != 0; }
};
__device__ __forceinline__ queue_members members_of(const frontier& f) { return queue_members{f.queue, f.bitmap, f.size}; }

// piece: whole_members members_among
// For a set that may contain all vertices; its queue is then not read.
struct whole_members {
    const vertex* queue;
    const uint32* bitmap;
    uint64 count;
    bool whole;
    __device__ __forceinline__ uint64 size() const { return count; }
    __device__ __forceinline__ vertex operator[](uint64 i) const { return whole ? vertex(i) : queue[i]; }
    __device__ __forceinline__ bool contains(vertex v) const { return (bitmap[v / 32] >> (v % 32) & 1) != 0; }
};
__device__ __forceinline__ whole_members members_among(const frontier& f, uint64 num_vertices) {
    return whole_members{f.queue, f.bitmap, f.size, f.size == num_vertices};
}

// piece: all_members
struct all_members {
    uint64 count;
    __device__ __forceinline__ uint64 size() const { return count; }
    __device__ __forceinline__ vertex operator[](uint64 i) const { return vertex(i); }
    __device__ __forceinline__ bool contains(vertex) const { return true; }
};

// piece: uncounted
// For results whose edges no later operator needs.
struct uncounted {
    __device__ __forceinline__ edge degree(vertex) const { return 0; }
    __device__ __forceinline__ edge degree_with_prefetch(vertex) const { return 0; }
    __device__ __forceinline__ void add(operator_counters*, uint64) const {}
    __device__ __forceinline__ void begin(block_storage&) const {}
    __device__ __forceinline__ void hold(block_storage&, uint64) const {}
    __device__ __forceinline__ void publish(block_storage&, operator_counters*) const {}
};

// piece: collector
// Gathers a warp's accepted vertices in shared memory and appends them to the result STAGED at a time. The lists of the
// last ones (all of them, if the result is small) are prefetched. Edges of the others are added at the end, because all
// additions go to the slice of the L2 cache that has the counters.
template <class Counted>
struct collector {
    enactor& run;
    frontier& result;
    const Counted counted;
    vertex* const staged;
    uint32 count;  // staged so far, the same for the whole warp

    __device__ collector(enactor& run, frontier& result, const Counted counted)
        : run(run), result(result), counted(counted), staged(run.shared.staged[threadIdx.x / 32]), count(0) {
        counted.begin(run.shared);
    }

    // The whole warp calls; each lane may bring a vertex.
    __device__ __forceinline__ void append(bool accepted, vertex v) {
        const uint32 votes = __ballot_sync(FULL_WARP, accepted);
        if (votes == 0) { return; }
        if (accepted) { staged[count + __popc(votes & ((1u << lane_index()) - 1))] = v; }
        count += __popc(votes);
        if (count >= STAGED) { write(); }
    }
    __device__ __forceinline__ void flush() {
        if (count > 0) { append_rest(run.counters(), result.queue, staged, count, counted); }
        counted.publish(run.shared, run.counters());
        count = 0;
    }
    __device__ __forceinline__ void write() {
        __syncwarp(FULL_WARP);
        const uint32 lane = lane_index();
        uint64 at = lane == 0 ? atomicAdd_grid(&run.counters()->accepted, uint64(STAGED)) : 0;
        uint64 edges = 0;  // loaded while the atomic is in flight
        for (uint32 i = lane; i < STAGED; i += 32) { edges += counted.degree(staged[i]); }
        at = __shfl_sync(FULL_WARP, at, 0);
        for (uint32 i = lane; i < STAGED; i += 32) { result.queue[at + i] = staged[i]; }
        const vertex rest = staged[STAGED + lane];
        __syncwarp(FULL_WARP);
        staged[lane] = rest;
        count -= STAGED;
        counted.hold(run.shared, edges);
        __syncwarp(FULL_WARP);
    }
};

// piece: append_rest
// Appends the last `count` vertices that a warp has gathered.
template <class Counted>
__device__ __forceinline__ void append_rest(operator_counters* counters, vertex* queue, const vertex* staged, uint32 count,
                                            const Counted& counted) {
    __syncwarp(FULL_WARP);
    const uint32 lane = lane_index();
    uint64 at = lane == 0 ? atomicAdd_grid(&counters->accepted, uint64(count)) : 0;
    uint64 edges = 0;  // loaded while the atomic is in flight
    for (uint32 i = lane; i < count; i += 32) { edges += counted.degree_with_prefetch(staged[i]); }
    at = __shfl_sync(FULL_WARP, at, 0);
    for (uint32 i = lane; i < count; i += 32) { queue[at + i] = staged[i]; }
    counted.add(counters, edges);
    __syncwarp(FULL_WARP);
}

// piece: end_queue
// The barrier after which a result can be read as a queue.
// barriers: 1, publishes accepted
__device__ __forceinline__ void end_queue(enactor& run, frontier& result) {
    const accepted_count accepted = synchronize_and_count(run);
    result.size = accepted.members;
    result.edges = accepted.edges;
    result.queued = true;
    result.mapped = false;
}

// piece: is_queue_ended
// Appends what `out` holds; then the result can be read as a queue. False if chunks of long lists have to be visited
// first, which is looked for while it `looks`: before anything is appended where the last operator that did so has met
// chunks, since this one will most likely, too.
// barriers: 1, publishes chunks, accepted
template <class Out>
__device__ __forceinline__ bool is_queue_ended(enactor& run, frontier& result, Out& out, bool& looks) {
    const bool expects = looks && run.shared.chunks != 0;
    if (!expects) { out.flush(); }
    synchronize_and_look(run);
    const bool ended = !expects && (!looks || run.shared.chunks == 0);
    looks = false;
    result.size = run.shared.value;
    result.edges = run.shared.second_value;
    result.queued = true;
    result.mapped = false;
    return ended;
}

// piece: is_bitmap_ended
// The same for a bitmap.
// barriers: 1, publishes chunks, accepted
template <class Out>
__device__ __forceinline__ bool is_bitmap_ended(enactor& run, frontier& result, Out& out, bool& looks) {
    const bool ended = is_queue_ended(run, result, out, looks);
    result.queued = false;
    result.mapped = true;
    return ended;
}

// piece: end_bitmap
// The barrier after which a result can be read as a bitmap.
// barriers: 1, publishes accepted
__device__ __forceinline__ void end_bitmap(enactor& run, frontier& result) {
    end_queue(run, result);
    result.queued = false;
    result.mapped = true;
}

// piece: map_queue
// Builds the bitmap of a set that has only a queue; returns whether the run is stopped.
// barriers: 2
__device__ OUTLINED bool map_queue(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                       const vertex* queue, uint64 size, uint32* bitmap, uint64 num_vertices) {
    for (uint64 word = thread_index(); word < (num_vertices + 31) / 32; word += grid_threads()) { bitmap[word] = 0; }
    stopped = meet(shared, control, host_stop, stopped);
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const vertex v = queue[i];
        atomicOr_grid(&bitmap[v / 32], 1u << (v % 32));
    }
    return meet(shared, control, host_stop, stopped);
}

// piece: need_bitmap
// Builds the bitmap of a frontier that has only a queue.
// barriers: 2 if there is no bitmap yet
__device__ __forceinline__ void need_bitmap(enactor& run, frontier& f, uint64 num_vertices) {
    if (f.mapped) { return; }
    run.stopped = map_queue(run.shared, run.control, run.slice.host_stop, run.stopped, f.queue, f.size, f.bitmap, num_vertices);
    f.mapped = true;
}

// piece: make_queue
// Builds the queue of a set that has only a bitmap, whose members `counter` counts.
// barriers: 1
__device__ OUTLINED bool make_queue(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                        uint64* counter, vertex* queue, const uint32* bitmap, uint64 num_vertices) {
    const uint64 words = (num_vertices + 31) / 32;
    const uint32 lane = lane_index();
    for (uint64 word = warp_index() * 32; word < words; word += grid_warps() * 32) {
        const uint32 mine = word + lane < words ? bitmap[word + lane] : 0;
        const uint32 own = __popc(mine), inclusive = warp_inclusive_sum(own);
        uint64 at = lane == 31 && inclusive > 0 ? atomicAdd_grid(counter, uint64(inclusive)) : 0;
        at = __shfl_sync(FULL_WARP, at, 31);
        for (uint32 rows = __ballot_sync(FULL_WARP, mine != 0); rows != 0; rows &= rows - 1) {
            const uint32 row = __ffs(rows) - 1;
            const uint32 bits = __shfl_sync(FULL_WARP, mine, row);
            const uint64 place = at + __popc(bits & ((1u << lane) - 1));
            if ((bits >> lane & 1) != 0) { queue[place] = vertex((word + row) * 32 + lane); }
            at += __popc(bits);
        }
    }
    return meet(shared, control, host_stop, stopped);
}

// piece: need_queue
// Builds the queue of a frontier that has only a bitmap.
// barriers: 1 if there is no queue yet
__device__ __forceinline__ void need_queue(enactor& run, frontier& f, uint64 num_vertices) {
    if (f.queued) { return; }
    begin_operator(run);
    run.stopped = make_queue(run.shared, run.control, run.slice.host_stop, run.stopped, &run.counters()->accepted, f.queue,
                             f.bitmap, num_vertices);
    run.operators += 1;
    f.queued = true;
}
