// piece: start_clock
// Starts the clock of the trace.
__device__ __forceinline__ void start_clock(block_storage& shared) {
    shared.started_at = nanoseconds();
    shared.started = shared.began = shared.noted = cycles();
    shared.waited = 0;
}

// piece: end_clock
// Run at the end of a kernel. From both clocks the host computes the length of a cycle.
__device__ __forceinline__ void end_clock(enactor& run) {
    run.control->cycles += cycles() - run.shared.started;
    run.control->nanoseconds += nanoseconds() - run.shared.started_at;
}

// piece: waits_for_others
// Whether this is the thread of its block that waits at barriers.
__device__ __forceinline__ bool waits_for_others() { return threadIdx.x == WAITING_THREAD; }

// piece: is_trace_writer
// Whether this is the waiting thread of the first block, which writes the trace.
__device__ __forceinline__ bool is_trace_writer() { return block_index() == 0 && waits_for_others(); }

// piece: enactor
// One thread's state of the run. Its members have the same values in all threads of the grid. What only one thread of a
// block needs is in shared memory, because registers are allocated for every thread.
struct enactor {
    const run_slice& slice;
    control_block* control;
    block_storage& shared;
    uint64 operators;      // operators finished
    bool stopped;          // the run ends at the next opportunity

    __device__ enactor(const run_slice& slice, block_storage& shared)
        : slice(slice), control(slice.control), shared(shared), operators(0), stopped(false) {
        if (threadIdx.x == 0) { shared.passes = 0; }
        if (waits_for_others()) {
            shared.barriers = load_relaxed(&slice.control->barriers);
            shared.traced = load_relaxed(&slice.control->trace_length);
            shared.polled_at = 0;
            if (block_index() == 0) { start_clock(shared); }
            shared.stop_requested = (load_relaxed(&control->arrived) & STOP_REQUEST) != 0;
            shared.deferred.clear();
        }
    }

    // A copy for a function that is not inlined, which reads the run's data from `slice`.
    __device__ __forceinline__ enactor(const enactor& run, const run_slice& slice)
        : slice(slice), control(run.control), shared(run.shared), operators(run.operators), stopped(run.stopped) {}

    // Continue with the state that such a function returned.
    __device__ __forceinline__ void continue_from(const enactor& called) {
        operators = called.operators;
        stopped = called.stopped;
    }

    __device__ operator_counters* counters() const { return &control->counters[operators % 8]; }
};

// piece: call_outlined
// Calls a function that is not inlined. Its arguments must be in memory, with all they refer to, so it gets copies; the
// caller's own variables stay in registers.
template <class Call, class... Own>
__device__ __forceinline__ void call_outlined(const run_slice& slice, Call call, enactor& run, Own&... own) {
    [&](enactor called, Own... copy) {
        call(called, copy...);
        run.continue_from(called);
        ((own = copy), ...);
    }(enactor(run, slice), own...);
}

// piece: leader
// Whether this is the thread that does what must be done once.
__device__ __forceinline__ bool leader() { return block_index() == 0 && threadIdx.x == 0; }
