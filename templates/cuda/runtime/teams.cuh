// piece: poll_host
// Polls the host's stop flag. All teams together poll as often as one team that has the whole device, since many
// requests over the bus would slow each other down.
__device__ __forceinline__ uint64 poll_host(block_storage& shared, control_block* control, const uint32* host_stop) {
    const uint64 now = cycles();
    if (now - shared.polled_at >= 200000ull * gridDim.y) {
        shared.polled_at = now;
        if (read_host_flag(host_stop) != 0) { request_stop(control); }
    }
    return now;
}

// piece: pass_barrier
//
// Run by the first thread of a block at a barrier of its team, with `then` before its block continues.
//
// Differs from the barrier of a whole-device run in three ways: it reads no clock, records no deferred edge counts
// before the wait, and does not wait in a team of one block.
template <class Then>
__device__ __forceinline__ void pass_barrier(block_storage& shared, control_block* control, const uint32* host_stop,
                                             bool stopped, Then then) {
    const uint64 barriers = shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
    uint64 word = 0;
    if (block_count() == 1) {
        poll_host(shared, control, host_stop);
        word = (load_relaxed(&control->arrived) & STOP_REQUEST) != 0 ? stop : 0;
    } else {
        if (block_index() == 0) {
            poll_host(shared, control, host_stop);
            lead_arrivals(shared, control, stop, stopped);
        } else {
            follow_arrivals(control);
        }
        word = await_arrivals(control, (barriers + 1) * block_count());
    }
    leave_barrier(shared, barriers + 1, (word & stop) != 0, then);
}

// piece: move
template <class T>
__device__ __forceinline__ void move(T*& x, uint64 bytes) {
    x = (T*)((char*)x + bytes);  // as an integer it would not be known to be global: atomics would wait for what was there
}

// piece: next_value
// Run when the run for one value has ended: all blocks of the team get their next value.
__device__ __forceinline__ uint64 next_value(enactor& run, const batch_slice& batch) {
    if (leader()) { run.control->answer = int64(atomicAdd_grid(batch.next, 1ull)); }
    synchronize_then(run, [&] { run.shared.next_value = uint64(load_relaxed(&run.control->answer)); });
    return run.stopped ? leave_batch(run, batch) : run.shared.next_value;
}

// piece: leave_batch
// Run after a stop: no team takes another value. Runs that have started end at their next barrier.
__device__ __forceinline__ uint64 leave_batch(enactor& run, const batch_slice& batch) {
    if (leader()) { atomicMax_grid(batch.next, ARRIVALS); }
    return ARRIVALS;
}
