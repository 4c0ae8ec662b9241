// piece: end_kernel
// Stores the number of barriers for the next kernel of the unfused form.
__device__ __forceinline__ void end_kernel(enactor& run) {
    if (is_trace_writer()) {
        run.control->barriers = run.shared.barriers;
        end_clock(run);
    }
}

// piece: begin_pass
// Whether the loop runs another pass. Checks the caller's limit on iterations.
__device__ __forceinline__ bool begin_pass(enactor& run, int32 loop, int32 iteration) {
    if (run.stopped) { return false; }
    if (int64(iteration) < run.slice.max_iterations) { return true; }
    if (leader()) { run.control->exhausted = uint64(loop) + 1; }
    run.stopped = true;
    return false;
}

// piece: passes_in_vain
// Passes of a loop in a row that have left its set as large as it was. All threads count the same.
struct passes_in_vain {
    static constexpr uint32 most = 1000;
    uint64 former = ~uint64(0);
    uint32 count = 0;

    // Before a pass on `size` members.
    __device__ __forceinline__ bool few(uint64 size) {
        count = size == former ? count + 1 : 0;
        former = size;
        return count < most;
    }
};

// piece: count_pass
// Counts a finished pass of an outermost loop.
__device__ __forceinline__ void count_pass(enactor& run) {
    if (threadIdx.x == 0) { run.shared.passes += 1; }
}

// piece: begin_operator
// Clears the counters for the operator after the next one. Of two consecutive operators at least one has a barrier, so
// counters are clear before they are used. Those of earlier operators are read within two barriers, which means within
// four operators.
__device__ __forceinline__ void begin_operator(enactor& run) {
    if (is_trace_writer()) {
        run.shared.began = cycles();
        run.control->counters[(run.operators + 2) % 8] = operator_counters();
    }
}

// piece: ticks
// Cycles in units of 32, as trace records store them. More than about a minute saturates.
__device__ __forceinline__ uint32 ticks(uint64 cycles) { return uint32(min(cycles >> 5, uint64(0xffffffff))); }

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
// Writes the trace record of an operator.
__device__ __forceinline__ void note_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    if (is_trace_writer()) {
        write_record(run.shared, run.control, run.slice.trace, run.slice.trace_capacity, site, iteration, size, edges, pulled);
    }
}

// piece: end_operator
// Ends an operator after a barrier: writes its trace record and moves on to the next counters. Only the trace writer
// needs `edges`.
__device__ __forceinline__ void end_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    note_operator(run, site, iteration, size, edges, pulled);
    run.operators += 1;
}

// piece: end_walk
// Ends an operator that counts the edges it walks. `complete`: its count is final. Only the trace needs the count, so
// it is added at the next barrier, and no thread waits for the load.
__device__ __forceinline__ void end_walk(enactor& run, int32 site, int32 iteration, uint64 size, bool complete) {
    if (is_trace_writer()) {
        deferred_edges& deferred = run.shared.deferred;
        if (deferred.is_ready(false)) { deferred.record(deferred.edges()); }
        const uint64 traced = run.shared.traced;
        uint64* const destination = traced < run.slice.trace_capacity ? &run.slice.trace[traced].edges : nullptr;
        deferred = deferred_edges{&run.counters()->visited, destination, complete};
    }
    end_operator(run, site, iteration, size, 0, false);
}

// piece: end_walks
// Adds the last deferred count at the end of a kernel.
__device__ __forceinline__ void end_walks(enactor& run) {
    deferred_edges& deferred = run.shared.deferred;
    if (is_trace_writer() && deferred.is_ready(false)) { deferred.record(deferred.edges()); }
}

// piece: no_deferred_edges
// Programs without reductions have no deferred edge counts.
struct no_deferred_edges {
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ bool is_ready(bool) const { return false; }
    __device__ __forceinline__ uint64 edges() const { return 0; }
    __device__ __forceinline__ void record(uint64) {}
};

// piece: deferred_edges
// The edge count of an operator, to be added to the trace at a later barrier. Only the leader's block uses it.
struct deferred_edges {
    const uint64* counter;  // null: nothing is deferred
    uint64* destination;  // in the trace; null: the trace is full
    bool complete;  // the count was final before this barrier

    __device__ __forceinline__ void clear() { counter = nullptr; }
    // A relaxed load, which the compiler cannot hoist above the test for the leader, where it would race.
    __device__ __forceinline__ bool is_ready(bool before_barrier) const { return load_relaxed(&counter) != nullptr && (complete || !before_barrier); }
    __device__ __forceinline__ uint64 edges() const { return load_relaxed(counter); }
    __device__ __forceinline__ void record(uint64 edges) {
        if (destination != nullptr) { *destination = edges; }
        clear();
    }
};
