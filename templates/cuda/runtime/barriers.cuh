// piece: lead_arrivals
// The leader reports the arrival of its block. All threads leave a stopped run at the same barrier: the leader passes a
// request on with its next arrival, in the bit of that barrier's parity, since it may be one barrier ahead of threads
// that still read the word, but never two.
__device__ __forceinline__ void lead_arrivals(block_storage& shared, control_block* control, uint64 stop, bool stopped) {
    const bool passes_on = shared.stop_requested && !stopped;
    const uint64 before = arrive(&control->arrived, passes_on ? stop + 1 : 1ull);
    shared.stop_requested = (before & STOP_REQUEST) != 0;
}

// piece: leave_barrier
// Run by the waiting thread of a block after its last barrier so far; `stopped`: the run ends there.
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
// Run by one thread of a block at a barrier: it reports the arrival of its block, waits for all others, and runs `then`
// before its block continues.
template <class Then>
__device__ __forceinline__ void pass_barrier(block_storage& shared, control_block* control, const uint32* host_stop,
                                             bool stopped, Then then) {
    const uint64 barriers = shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
    if (blockIdx.x == 0) {
        shared.waited -= poll_host(shared, control, host_stop);  // the time after it is added below
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
// The same, and the block learns the values of the two words, if there are any. Long programs have dozens of barriers,
// and this is as long as a short operator. Only one thread calls it, so the others save no registers.
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
// Waits until every block has arrived; all threads then see what any thread wrote before. Returns whether the run is
// stopped, and leaves in shared memory the values of the two words after the barrier, if there are any. One thread of
// each block reads them: the warps of a whole grid would queue for the slice of the L2 cache that has them.
// The parts of the run are separate parameters, so that they stay in registers.
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
// The same, with `then` run by one thread of each block after the barrier.
template <class Then>
__device__ __forceinline__ void synchronize_then(enactor& run, Then then) {
    __syncthreads();
    if (waits_for_others()) { pass_barrier(run.shared, run.control, run.slice.host_stop, run.stopped, then); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_meanwhile
// The same, with `meanwhile` run by all warps but the one that waits.
template <class Meanwhile>
__device__ __forceinline__ void synchronize_meanwhile(enactor& run, Meanwhile meanwhile) {
    __syncthreads();
    if (waits_for_others()) { wait_for_all(run.shared, run.control, run.slice.host_stop, run.stopped, nullptr, nullptr); }
    if (threadIdx.x / 32 != WAITING_THREAD / 32) { meanwhile(); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_and_read
// A barrier that returns the value of `word` after it to all threads.
__device__ __forceinline__ uint64 synchronize_and_read(enactor& run, const uint64* word) {
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, word);
    return run.shared.found;
}

// piece: synchronize_and_count accepted_count
// A barrier after which all threads know how many elements the operator has accepted, and their edges.
struct accepted_count {
    uint64 members, edges;
};
__device__ __forceinline__ accepted_count synchronize_and_count(enactor& run) {
    const operator_counters* const counters = run.counters();
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->accepted, &counters->edges);
    return accepted_count{run.shared.found, run.shared.found_second};
}

// piece: share
// Stores a value that is the same in all threads of a block in shared memory. All threads have read the former value,
// and none continues before the new one is stored.
template <class T>
__device__ __forceinline__ void share(T& place, const T& value) {
    __syncthreads();
    if (threadIdx.x == 0) { place = value; }
    __syncthreads();
}
