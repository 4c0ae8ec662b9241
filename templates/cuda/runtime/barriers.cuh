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
