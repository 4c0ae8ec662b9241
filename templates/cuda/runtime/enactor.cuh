// piece: start_clock
// The clock of the trace.
__device__ __forceinline__ void start_clock(block_storage& shared) {
    shared.started_at = nanoseconds();
    shared.started = shared.began = shared.noted = cycles();
    shared.waited = 0;
}

// piece: end_clock
// At the end of a kernel: by both clocks together the host knows how long a cycle was.
__device__ __forceinline__ void end_clock(enactor& run) {
    run.control->cycles += cycles() - run.shared.started;
    run.control->nanoseconds += nanoseconds() - run.shared.started_at;
}

// piece: waits_for_others
// Whether this is the thread of a block that waits for all other blocks.
__device__ __forceinline__ bool waits_for_others() { return threadIdx.x == WAITING_THREAD; }

// piece: scribe
// The one of these that keeps the trace.
__device__ __forceinline__ bool scribe() { return blockIdx.x == 0 && waits_for_others(); }

// piece: enactor
// One thread's view of the run: all threads of the grid have the same values. What only the first thread of a block
// needs is in shared memory: registers are needed in every thread.
struct enactor {
    const run_slice& slice;
    control_block* control;
    block_storage& shared;
    uint64 operators;      // operators finished
    bool stopped;          // leave immediately

    __device__ enactor(const run_slice& slice, block_storage& shared)
        : slice(slice), control(slice.control), shared(shared), operators(0), stopped(false) {
        if (threadIdx.x == 0) { shared.passes = 0; }
        if (waits_for_others()) {
            shared.barriers = load_relaxed(&slice.control->barriers);
            shared.traced = load_relaxed(&slice.control->trace_length);
            shared.polled_at = 0;
            if (blockIdx.x == 0) { start_clock(shared); }
            shared.stop_requested = (load_relaxed(&control->arrived) & STOP_REQUEST) != 0;
            shared.owed.clear();
        }
    }

    // The same run for a function that is not inlined, which reads the run's data at `slice`.
    __device__ __forceinline__ enactor(const enactor& run, const run_slice& slice)
        : slice(slice), control(run.control), shared(run.shared), operators(run.operators), stopped(run.stopped) {}

    // The run after such a function.
    __device__ __forceinline__ void go_on_from(const enactor& called) {
        operators = called.operators;
        stopped = called.stopped;
    }

    __device__ operator_counters* counters() const { return &control->counters[operators % 8]; }
};

// piece: lend
// Arguments of a function that is not inlined are in memory, and so is whatever they point to. So the function gets
// copies, and the caller's own variables stay in registers.
template <class Call, class... Own>
__device__ __forceinline__ void lend(const run_slice& slice, Call call, enactor& run, Own&... own) {
    [&](enactor called, Own... copy) {
        call(called, copy...);
        run.go_on_from(called);
        ((own = copy), ...);
    }(enactor(run, slice), own...);
}

// piece: leader
// The one thread that does what must be done once.
__device__ __forceinline__ bool leader() { return blockIdx.x == 0 && threadIdx.x == 0; }
