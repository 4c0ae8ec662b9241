// piece: request_stop
// Requests a stop at one of the next barriers.
__device__ __forceinline__ void request_stop(control_block* control) { atomicOr_grid(&control->arrived, STOP_REQUEST); }

// piece: poll_host
// Polls the host's stop flag, at most every 200,000 cycles (about 100 microseconds). Returns the current cycle count.
__device__ __forceinline__ uint64 poll_host(block_storage& shared, control_block* control, const uint32* host_stop) {
    const uint64 now = cycles();
    if (now - shared.polled_at >= 200000) {
        shared.polled_at = now;
        if (read_host_flag(host_stop) != 0) { request_stop(control); }
    }
    return now;
}

// piece: stop_requested
// For loops inside functors, which contain no barrier.
__device__ __forceinline__ bool stop_requested(const data_slice& d, uint32& polls) {
    polls += 1;
    if (polls % 1024 != 0) { return false; }
    if ((load_relaxed(&d.run.control->arrived) & STOP_REQUEST) != 0) { return true; }
    if (polls % 65536 != 0 || read_host_flag(d.run.host_stop) == 0) { return false; }
    request_stop(d.run.control);
    return true;
}

// piece: stop_requested_by_warp
// The same where a whole warp goes through a loop, all lanes alike.
__device__ __forceinline__ bool stop_requested_by_warp(const data_slice& d, uint32& polls) {
    return __any_sync(FULL_WARP, lane_index() == 0 && stop_requested(d, polls));
}

// piece: stop_requested_in_recursion
// For functions that call each other recursively. Polls the host in about one of a thousand calls, chosen by the clock.
__device__ __forceinline__ bool stop_requested_in_recursion(const data_slice& d) {
    if ((load_relaxed(&d.run.control->arrived) & STOP_REQUEST) != 0) { return true; }
    if ((cycles() >> 8) % 1024 != 0 || read_host_flag(d.run.host_stop) == 0) { return false; }
    request_stop(d.run.control);
    return true;
}

// piece: warp_stop_requested
// For long work inside an operator: whether a stop is requested, which takes effect at the next barrier. The whole warp
// must call it.
__device__ __forceinline__ bool warp_stop_requested(enactor& run) {
    if (is_trace_writer()) { poll_host(run.shared, run.control, run.slice.host_stop); }
    return __any_sync(FULL_WARP, lane_index() == 0 && (load_relaxed(&run.control->arrived) & STOP_REQUEST) != 0);
}

// piece: out_of_range
// Records the first index that is out of range. The run stops at the next barrier.
__device__ OUTLINED void out_of_range(control_block* control, int64 index, int64 length, uint32 check) {
    if (atomicCAS_grid(&control->failure, 0ull, uint64(check) + 1) == 0) {
        control->failed_value = index;
        control->failed_length = length;
    }
    request_stop(control);
}

// piece: checked_index
// `index` if it is below `length`; otherwise 0, and the run stops at the next barrier.
template <class Index>
__device__ __forceinline__ uint64 checked_index(const data_slice& d, Index index, uint64 length, uint32 check) {
    if (uint64(index) < length) { return uint64(index); }
    out_of_range(d.run.control, from_id<int64>(index), int64(length), check);
    return 0;
}
