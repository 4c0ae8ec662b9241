// piece: nothing_owed
// In a program without reductions the trace is owed nothing.
struct nothing_owed {
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ bool due(bool) const { return false; }
    __device__ __forceinline__ uint64 edges() const { return 0; }
    __device__ __forceinline__ void tell(uint64) {}
};

// piece: owed_edges
// How many edges an operator has walked, which the trace is told at a barrier behind it. The leader's block only.
struct owed_edges {
    const uint64* counted;  // null where nothing is owed
    uint64* place;  // in the trace, if there is room
    bool whole;  // all had been counted before this barrier

    __device__ __forceinline__ void clear() { counted = nullptr; }
    // A load that no compiler takes ahead of the question who leads: other threads would read it while it changes.
    __device__ __forceinline__ bool due(bool early) const { return load_relaxed(&counted) != nullptr && (whole || !early); }
    __device__ __forceinline__ uint64 edges() const { return load_relaxed(counted); }
    __device__ __forceinline__ void tell(uint64 edges) {
        if (place != nullptr) { *place = edges; }
        clear();
    }
};

// piece: start_clock
// What the trace is timed by.
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
// One thread's view of the run: all threads of the grid hold the same values. What the first thread of a block alone
// asks for lies in shared memory: registers are every thread's.
struct enactor {
    const run_slice& slice;
    control_block* control;
    block_storage& shared;
    uint64 operators;      // operators finished
    bool stopped;          // leave at once

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

    // The same run for a function that is called, which finds what all runs are told at `slice`.
    __device__ __forceinline__ enactor(const enactor& run, const run_slice& slice)
        : slice(slice), control(run.control), shared(run.shared), operators(run.operators), stopped(run.stopped) {}

    // As such a function has left it.
    __device__ __forceinline__ void go_on_from(const enactor& called) {
        operators = called.operators;
        stopped = called.stopped;
    }

    __device__ operator_counters* counters() const { return &control->counters[operators % 8]; }
};

// piece: lend
// What is handed to a function that is not copied to where it is called lies in memory, and so does whatever it points
// to. So the function gets copies, and the caller's own stay in registers.
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

// piece: lead_arrivals
// The leader tells that its block has come. All leave a stopped run at the same barrier: the leader passes a request on with
// its next arrival, in the bit of that barrier's parity, since it may be one barrier ahead of those who still read the
// word, but never two.
__device__ __forceinline__ void lead_arrivals(block_storage& shared, control_block* control, uint64 stop, bool stopped) {
    const bool passes_on = shared.stop_requested && !stopped;
    const uint64 before = arrive(&control->arrived, passes_on ? stop + 1 : 1ull);
    shared.stop_requested = (before & STOP_REQUEST) != 0;
}

// piece: leave_barrier
// What the one thread of a block does behind its last barrier of so many: `stopped` says whether to leave the run there.
template <class Then>
__device__ __forceinline__ void leave_barrier(block_storage& shared, uint64 barriers, bool stopped, Then then) {
    const bool owed = shared.owed.due(false);
    const uint64 edges = owed ? shared.owed.edges() : 0;  // together with what `then` reads
    shared.stopped = stopped;
    shared.barriers = barriers;
    then();
    if (owed) { shared.owed.tell(edges); }
}

// piece: pass_barrier
// What one thread of a block does at a barrier: it tells that its block has come, waits for all others, and does
// `then` before its block goes on.
template <class Then>
__device__ __forceinline__ void pass_barrier(block_storage& shared, control_block* control, const uint32* host_stop,
                                             bool stopped, Then then) {
    const uint64 barriers = shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
    if (blockIdx.x == 0) {
        shared.waited -= poll_host(shared, control, host_stop);  // to which the time behind it is added
        const bool owed = shared.owed.due(true);
        const uint64 edges = owed ? shared.owed.edges() : 0;
        lead_arrivals(shared, control, stop, stopped);
        if (owed) { shared.owed.tell(edges); }
    } else {
        arrive_unasked(&control->arrived);
    }
    const uint64 found = wait_for_arrivals(&control->arrived, (barriers + 1) * gridDim.x);
    if (blockIdx.x == 0) { shared.waited += cycles(); }
    leave_barrier(shared, barriers + 1, (found & stop) != 0, then);
}

// piece: wait_for_all
// The same with the two words, if any are given, told to the block. Long programs have dozens of barriers, and this is as
// long as a short operator; it is for one thread, so that the others save no registers where it is called.
__device__ OUTLINED void wait_for_all(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                      const uint64* word, const uint64* second) {
    pass_barrier(shared, control, host_stop, stopped, [&] {
        const uint64 found = word != nullptr ? load_relaxed(word) : 0;
        const uint64 found_second = second != nullptr ? load_relaxed(second) : 0;  // side by side
        if (word != nullptr) { shared.found = found; }
        if (second != nullptr) { shared.found_second = found_second; }
    });
}

// piece: meet
// Waits until every block is here; what any thread wrote before is seen by all after. Tells whether the run is stopped, and
// in shared memory what the two words hold behind the barrier, if any are given. One thread a block reads them: the warps of
// a whole grid would wait in one line for the slice of the L2 cache that has them.
// It is told of the run by parts, so that these stay in registers.
__device__ __forceinline__ bool meet(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                     const uint64* word = nullptr, const uint64* second = nullptr) {
    __syncthreads();
    if (waits_for_others()) { wait_for_all(shared, control, host_stop, stopped, word, second); }
    __syncthreads();
    return stopped | shared.stopped;
}

// piece: synchronize
// A barrier of the whole grid.
__device__ __forceinline__ void synchronize(enactor& run) {
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped);
}

// piece: synchronize_then
// The same where more is to be read: `then` is what one thread of each block does behind the barrier.
template <class Then>
__device__ __forceinline__ void synchronize_then(enactor& run, Then then) {
    __syncthreads();
    if (waits_for_others()) { pass_barrier(run.shared, run.control, run.slice.host_stop, run.stopped, then); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_meanwhile
// The same with `meanwhile` done by all warps but the one that waits.
template <class Meanwhile>
__device__ __forceinline__ void synchronize_meanwhile(enactor& run, Meanwhile meanwhile) {
    __syncthreads();
    if (waits_for_others()) { wait_for_all(run.shared, run.control, run.slice.host_stop, run.stopped, nullptr, nullptr); }
    if (threadIdx.x / 32 != WAITING_THREAD / 32) { meanwhile(); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_and_read
// A barrier, and for everybody what `word` holds behind it.
__device__ __forceinline__ uint64 synchronize_and_read(enactor& run, const uint64* word) {
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, word);
    return run.shared.found;
}

// piece: synchronize_and_count accepted_count
// A barrier, and for everybody how much the operator has accepted, and how many edges that has.
struct accepted_count {
    uint64 members, edges;
};
__device__ __forceinline__ accepted_count synchronize_and_count(enactor& run) {
    const operator_counters* const counters = run.counters();
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->accepted, &counters->edges);
    return accepted_count{run.shared.found, run.shared.found_second};
}

// piece: share
// A value that all threads of a block have alike goes where they all find it: nobody reads what was there any more, and
// nobody goes on before it is there.
template <class T>
__device__ __forceinline__ void share(T& place, const T& value) {
    __syncthreads();
    if (threadIdx.x == 0) { place = value; }
    __syncthreads();
}

// piece: request_stop
// Asks all to leave at one of the next barriers.
__device__ __forceinline__ void request_stop(control_block* control) { atomicOr(&control->arrived, STOP_REQUEST); }

// piece: poll_host
// Asks the host now and then, every 200,000 cycles at most (about 100 microseconds), whether to stop; gives the time.
__device__ __forceinline__ uint64 poll_host(block_storage& shared, control_block* control, const uint32* host_stop) {
    const uint64 now = cycles();
    if (now - shared.polled_at >= 200000) {
        shared.polled_at = now;
        if (read_host_flag(host_stop) != 0) { request_stop(control); }
    }
    return now;
}

// piece: stop_requested
// For loops inside a functor, which no barrier interrupts.
__device__ __forceinline__ bool stop_requested(const data_slice& d, uint32& polls) {
    polls += 1;
    if (polls % 1024 != 0) { return false; }
    if ((load_relaxed(&d.run.control->arrived) & STOP_REQUEST) != 0) { return true; }
    if (polls % 65536 != 0 || read_host_flag(d.run.host_stop) == 0) { return false; }
    request_stop(d.run.control);
    return true;
}

// piece: stop_requested_at_once
// For functions that call others without end. The host is asked by the clock, once in about a thousand times.
__device__ __forceinline__ bool stop_requested_at_once(const data_slice& d) {
    if ((load_relaxed(&d.run.control->arrived) & STOP_REQUEST) != 0) { return true; }
    if ((cycles() >> 8) % 1024 != 0 || read_host_flag(d.run.host_stop) == 0) { return false; }
    request_stop(d.run.control);
    return true;
}

// piece: asked_to_stop
// For long work within an operator: whether anybody asks for a stop, which comes at the next barrier. The whole warp
// calls.
__device__ __forceinline__ bool asked_to_stop(enactor& run) {
    if (scribe()) { poll_host(run.shared, run.control, run.slice.host_stop); }
    return __any_sync(FULL_WARP, lane_index() == 0 && (load_relaxed(&run.control->arrived) & STOP_REQUEST) != 0);
}

// piece: out_of_range
// Notes the first index that no element has; the run stops at the next barrier.
__device__ OUTLINED void out_of_range(control_block* control, int64 index, int64 length, uint32 check) {
    if (atomicCAS(&control->failure, 0ull, uint64(check) + 1) == 0) {
        control->failed_value = index;
        control->failed_length = length;
    }
    request_stop(control);
}

// piece: checked_index
// `index`, if there is such an element; otherwise 0, and the run stops at the next barrier.
template <class Index>
__device__ __forceinline__ uint64 checked_index(const data_slice& d, Index index, uint64 length, uint32 check) {
    if (uint64(index) < length) { return uint64(index); }
    out_of_range(d.run.control, from_id<int64>(index), int64(length), check);
    return 0;
}

// piece: end_kernel
// Leaves the count of barriers for the next kernel of the unfused form.
__device__ __forceinline__ void end_kernel(enactor& run) {
    if (scribe()) {
        run.control->barriers = run.shared.barriers;
        end_clock(run);
    }
}

// piece: begin_pass
// Whether the loop may have one more pass; sees to the limit that the caller set.
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
// Clears the counters of the operator after the next. Of two operators in a row one waits at least, so all are clear
// before anybody adds to them; and whoever reads those of an operator before has done so within the next two barriers,
// which lie within the four operators that come first.
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
// Behind a barrier of an operator that counts: its line in the trace, for which only the scribe needs `edges`. The next
// one has counters of its own.
__device__ __forceinline__ void end_operator(enactor& run, int32 site, int32 iteration, uint64 size, uint64 edges, bool pulled) {
    note_operator(run, site, iteration, size, edges, pulled);
    run.operators += 1;
}

// piece: end_walk
// The same of an operator that counts the edges it walks, where `whole` behind a barrier. They are told with the next one,
// whichever that is: nobody but the trace asks for them, so that nobody waits for the memory on their account.
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

// piece: exchange
template <class T>
__device__ __forceinline__ void exchange(T& a, T& b) {
    const T kept = a;
    a = b;
    b = kept;
}

// piece: turn
// A scalar goes to the next of its three places, which holds `value` already; the leader makes the one behind that ready.
// A word holds no more than one of them, since a bool is changed with all of its word.
template <class T, class Value>
__device__ __forceinline__ void turn(T*& current, T* places, Value value) {
    constexpr uint32 apart = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    current = current == places + 2 * apart ? places : current + apart;
    if (leader()) { *(current == places + 2 * apart ? places : current + apart) = value; }
}

// piece: hand_back
// A scalar where the host looks for it.
template <class T>
__device__ __forceinline__ void hand_back(const T* current, T* places) {
    if (leader() && current != places) { *places = *current; }
}

// piece: frontier_at
// An empty frontier with the storage of number `i`.
__device__ __forceinline__ frontier frontier_at(const run_slice& slice, uint32 i) {
    return frontier{slice.queues[i], slice.bitmaps[i], 0, 0, true, false, slice.queues[i]};
}
