// piece: end_kernel
// Leaves the count of barriers for the next kernel of the unfused form.
__device__ __forceinline__ void end_kernel(enactor& run) {
    if (scribe()) {
        run.control->barriers = run.shared.barriers;
        end_clock(run);
    }
}

// piece: begin_pass
// Whether the loop may have one more pass; checks the limit that the caller set.
__device__ __forceinline__ bool begin_pass(enactor& run, int32 loop, int32 iteration) {
    if (run.stopped) { return false; }
    if (int64(iteration) < run.slice.max_iterations) { return true; }
    if (leader()) { run.control->exhausted = uint64(loop) + 1; }
    run.stopped = true;
    return false;
}

// piece: count_pass
// A pass of an outermost loop is over.
__device__ __forceinline__ void count_pass(enactor& run) {
    if (threadIdx.x == 0) { run.shared.passes += 1; }
}

// piece: begin_operator
// Clears the counters of the operator after the next. Of two operators in a row at least one has a barrier, so all are
// clear before they are used; and those of an earlier operator have been read within the next two barriers, which come
// within the next four operators.
__device__ __forceinline__ void begin_operator(enactor& run) {
    if (scribe()) {
        run.shared.began = cycles();
        run.control->counters[(run.operators + 2) % 8] = operator_counters();
    }
}

// piece: ticks
// Cycles as a record has them, in pieces of 32; more than a minute counts as one.
__device__ __forceinline__ uint32 ticks(uint64 cycles) { return uint32(minimum(cycles >> 5, uint64(0xffffffff))); }

// piece: write_record
__device__ OUTLINED void write_record(block_storage& shared, control_block* control, trace_record* trace, uint64 capacity,
                                      int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    const uint64 traced = shared.traced, now = cycles();
    if (traced < capacity) {
        trace[traced] = trace_record{
            site, iteration, size, edges, pulled ? 1 : 0,
            ticks(now - shared.began), ticks(shared.began - shared.noted), ticks(shared.waited)};
    }
    shared.began = shared.noted = now;
    shared.waited = 0;
    control->trace_length = shared.traced = traced + 1;
}

// piece: note_operator
// An operator's line in the trace.
__device__ __forceinline__ void note_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    if (scribe()) {
        write_record(run.shared, run.control, run.slice.trace, run.slice.trace_capacity, site, iteration, size, edges, pulled);
    }
}

// piece: end_operator
// After a barrier of an operator that counts: its line in the trace, for which only the trace writer needs `edges`. The
// next operator has counters of its own.
__device__ __forceinline__ void end_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    note_operator(run, site, iteration, size, edges, pulled);
    run.operators += 1;
}

// piece: end_walk
// The same for an operator that counts the edges it walks; `whole`: after a barrier. They are added to the trace at the
// next barrier, whichever that is: only the trace needs them, so no thread waits for the memory.
__device__ __forceinline__ void end_walk(enactor& run, int32 site, int32 iteration, uint64 size, bool whole) {
    if (scribe()) {
        owed_edges& owed = run.shared.owed;
        if (owed.due(false)) { owed.tell(owed.edges()); }
        const uint64 traced = run.shared.traced;
        uint64* const place = traced < run.slice.trace_capacity ? &run.slice.trace[traced].edges : nullptr;
        owed = owed_edges{&run.counters()->visited, place, whole};
    }
    end_operator(run, site, iteration, size, 0, false);
}

// piece: end_walks
// At the end of a kernel, once all have walked.
__device__ __forceinline__ void end_walks(enactor& run) {
    owed_edges& owed = run.shared.owed;
    if (scribe() && owed.due(false)) { owed.tell(owed.edges()); }
}

// piece: nothing_owed
// Programs without reductions have no deferred trace counts.
struct nothing_owed {
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ bool due(bool) const { return false; }
    __device__ __forceinline__ uint64 edges() const { return 0; }
    __device__ __forceinline__ void tell(uint64) {}
};

// piece: owed_edges
// How many edges an operator has walked, added to the trace at a later barrier. Only in the leader's block.
struct owed_edges {
    const uint64* counted;  // null if nothing is deferred
    uint64* place;  // in the trace, if there is room
    bool whole;  // all had been counted before this barrier

    __device__ __forceinline__ void clear() { counted = nullptr; }
    // A load that no compiler moves before the test for the leader: other threads would read it while it changes.
    __device__ __forceinline__ bool due(bool early) const { return load_relaxed(&counted) != nullptr && (whole || !early); }
    __device__ __forceinline__ uint64 edges() const { return load_relaxed(counted); }
    __device__ __forceinline__ void tell(uint64 edges) {
        if (place != nullptr) { *place = edges; }
        clear();
    }
};
