// piece: poll_host
// Asks the host now and then whether to stop: all teams together as often as the one team of a run that has all blocks.
// What is asked for over the bus by many at once makes all wait.
__device__ __forceinline__ void poll_host(enactor& run) {
    const uint64 now = cycles();
    if (now - run.shared.polled_at < 200000ull * gridDim.y) { return; }
    run.shared.polled_at = now;
    if (read_host_flag(run.slice.host_stop) != 0) { request_stop(run.control); }
}

// piece: synchronize
// Waits until every block of the team is here; what any thread of it wrote before is seen by all after.
//
// All leave a stopped run at the same barrier: the leader passes a request on with its next arrival, in the bit of that
// barrier's parity, since it may be one barrier ahead of those who still read the word, but never two. A team of one
// block has nobody to wait for.
//
// `then` is what the first thread of each block does behind the barrier, before its block goes on.
template <class Then>
__device__ __forceinline__ void synchronize(enactor& run, Then then) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint64 barriers = run.shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
        uint64 found = 0;
        if (gridDim.x == 1) {
            poll_host(run);
            found = (load_relaxed(&run.control->arrived) & STOP_REQUEST) != 0 ? stop : 0;
        } else {
            __threadfence();
            if (blockIdx.x == 0) {
                poll_host(run);
                const bool passes_on = run.shared.stop_requested && !run.stopped;
                const uint64 before = atomicAdd(&run.control->arrived, passes_on ? stop + 1 : 1ull);
                run.shared.stop_requested = (before & STOP_REQUEST) != 0;
            } else {
                atomicAdd(&run.control->arrived, 1ull);
            }
            found = wait_for_arrivals(&run.control->arrived, (barriers + 1) * gridDim.x);
        }
        const bool owed = run.shared.owed.due(false);
        const uint64 edges = owed ? run.shared.owed.edges() : 0;  // together with what `then` reads
        run.shared.stopped = (found & stop) != 0;
        run.shared.barriers = barriers + 1;
        then();
        if (owed) { run.shared.owed.tell(edges); }
    }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}
__device__ __forceinline__ void synchronize(enactor& run) {
    synchronize(run, [] {});
}

// piece: move
template <class T>
__device__ __forceinline__ void move(T*& x, uint64 bytes) { x = reinterpret_cast<T*>(reinterpret_cast<uint64>(x) + bytes); }

// piece: next_value
// The run with a value is over: all blocks of the team learn which it takes next.
__device__ __forceinline__ uint64 next_value(enactor& run, const batch_slice& batch) {
    if (leader()) { run.control->answer = int64(atomicAdd(batch.next, 1ull)); }
    synchronize(run, [&] { run.shared.next_value = uint64(load_relaxed(&run.control->answer)); });
    return run.stopped ? leave_batch(run, batch) : run.shared.next_value;
}

// piece: leave_batch
// The run was stopped: no team takes another value. Those before this one have been taken, and end.
__device__ __forceinline__ uint64 leave_batch(enactor& run, const batch_slice& batch) {
    if (leader()) { atomicMax(batch.next, ARRIVALS); }
    return ARRIVALS;
}
