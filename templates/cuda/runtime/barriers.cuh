// piece: lead_arrivals
// The leader's arrival for its block. All threads must leave a stopped run at the same barrier, so the leader passes a
// stop request on with its next arrival, as a flag for that barrier's parity. It may be one barrier ahead of threads
// that still read the word, but never two.
__device__ __forceinline__ void lead_arrivals(block_storage& shared, control_block* control, uint64 stop, bool stopped) {
    const bool passes_on = shared.stop_requested && !stopped;
    const uint64 before = arrive_everywhere(&control->arrived, passes_on ? stop + 1 : 1ull);
    shared.stop_requested = (before & STOP_REQUEST) != 0;
}

// piece: follow_arrivals
// The arrival of any other block.
__device__ __forceinline__ void follow_arrivals(control_block* control) { arrive_everywhere_without_result(&control->arrived); }

// piece: await_arrivals
// Waits until `target` blocks have arrived. Returns the word that counts them.
__device__ __forceinline__ uint64 await_arrivals(const control_block* control, uint64 target) {
    return wait_here_for_arrivals(&control->arrived, target);
}

// piece: leave_barrier
// Run by the block's waiting thread after a barrier. `stopped`: the run ends here.
template <class Then>
__device__ __forceinline__ void leave_barrier(block_storage& shared, uint64 barriers, bool stopped, Then then) {
    const bool ready = shared.deferred.is_ready(false);
    const uint64 edges = ready ? shared.deferred.edges() : 0;  // overlaps with the loads of `then`
    shared.stopped = stopped;
    shared.barriers = barriers;
    then();
    if (ready) { shared.deferred.record(edges); }
}

// piece: measures_waits
// Whether this block measures how long it waits at barriers: the trace has the times of the first block.
__device__ __forceinline__ bool measures_waits() { return block_index() == 0; }

// piece: pass_barrier
// Run by the block's waiting thread: reports the arrival of its block, waits for all other blocks, and runs `then`
// before its own block continues.
template <class Then>
__device__ __forceinline__ void pass_barrier(block_storage& shared, control_block* control, const uint32* host_stop,
                                             bool stopped, Then then) {
    const uint64 barriers = shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
    if (block_index() == 0) {
        shared.waited -= poll_host(shared, control, host_stop);  // the end of the wait is added below
        const bool ready = shared.deferred.is_ready(true);
        const uint64 edges = ready ? shared.deferred.edges() : 0;
        lead_arrivals(shared, control, stop, stopped);
        if (ready) { shared.deferred.record(edges); }
    } else {
        if (measures_waits()) { shared.waited -= cycles(); }
        follow_arrivals(control);
    }
    const uint64 word = await_arrivals(control, (barriers + 1) * block_count());
    if (measures_waits()) { shared.waited += cycles(); }
    leave_barrier(shared, barriers + 1, (word & stop) != 0, then);
}

// piece: wait_for_all
// A barrier after which the block's shared memory holds the values of the two words, if they are not null. Long
// programs have dozens of barriers, so this is not inlined. Only one thread calls it, so the other threads save no
// registers.
__device__ OUTLINED void wait_for_all(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                      const uint64* word, const uint64* second) {
    pass_barrier(shared, control, host_stop, stopped, [&] {
        const uint64 value = word != nullptr ? load_relaxed(word) : 0;
        const uint64 value_of_second = second != nullptr ? load_relaxed(second) : 0;  // both loads overlap
        if (word != nullptr) { shared.value = value; }
        if (second != nullptr) { shared.second_value = value_of_second; }
    });
}

// piece: meet
// Waits until every block has arrived; all threads then see what any thread wrote before. Returns whether the run is
// stopped, and leaves the values of the two words in shared memory, if they are not null. One thread per block reads
// them: if every warp did, they would queue for the same slice of the L2 cache. The members of the run are separate
// parameters, so that they stay in registers.
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
// A barrier after which one thread of each block runs `then`.
template <class Then>
__device__ __forceinline__ void synchronize_then(enactor& run, Then then) {
    __syncthreads();
    if (waits_for_others()) { pass_barrier(run.shared, run.control, run.slice.host_stop, run.stopped, then); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_meanwhile
// A barrier during which all warps except the waiting one run `meanwhile`.
template <class Meanwhile>
__device__ __forceinline__ void synchronize_meanwhile(enactor& run, Meanwhile meanwhile) {
    __syncthreads();
    if (waits_for_others()) { wait_for_all(run.shared, run.control, run.slice.host_stop, run.stopped, nullptr, nullptr); }
    if (threadIdx.x / 32 != WAITING_THREAD / 32) { meanwhile(); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: synchronize_and_read
// A barrier that returns the value that `word` has after it, to all threads.
__device__ __forceinline__ uint64 synchronize_and_read(enactor& run, const uint64* word) {
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, word);
    return run.shared.value;
}

// piece: synchronize_and_count accepted_count
// A barrier that returns how many elements the operator has accepted, and their edges, to all threads.
struct accepted_count {
    uint64 members, edges;
};
__device__ __forceinline__ accepted_count synchronize_and_count(enactor& run) {
    const operator_counters* const counters = run.counters();
    run.stopped = meet(run.shared, run.control, run.slice.host_stop, run.stopped, &counters->accepted, &counters->edges);
    return accepted_count{run.shared.value, run.shared.second_value};
}

// piece: wait_for_chunks
// A barrier after which the block's shared memory holds what the operator has accepted, and how many chunks it has.
__device__ OUTLINED void wait_for_chunks(block_storage& shared, control_block* control, const uint32* host_stop, bool stopped,
                                         const operator_counters* counters) {
    pass_barrier(shared, control, host_stop, stopped, [&] {
        const uint64 accepted = load_relaxed(&counters->accepted), edges = load_relaxed(&counters->edges);
        const uint64 chunks = load_relaxed(&counters->hubs);  // all loads overlap
        shared.value = accepted;
        shared.second_value = edges;
        shared.chunks = chunks;
    });
}

// piece: synchronize_and_look
// The same for all threads.
__device__ __forceinline__ void synchronize_and_look(enactor& run) {
    __syncthreads();
    if (waits_for_others()) { wait_for_chunks(run.shared, run.control, run.slice.host_stop, run.stopped, run.counters()); }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}

// piece: share
// Stores a value that is the same in all threads of a block in shared memory. All threads have read the former value
// before, and none continues before the new one is stored.
template <class T>
__device__ __forceinline__ void share(T& place, const T& value) {
    __syncthreads();
    if (threadIdx.x == 0) { place = value; }
    __syncthreads();
}
