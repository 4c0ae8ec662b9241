// piece: check_width
// Stops the run where levels have no width.
// barriers: 1
template <class Width>
__device__ __forceinline__ void check_width(enactor& run, const data_slice& d, Width width, uint32 check) {
    if (leader()) { checked_index(d, width > Width(0) ? 0 : -1, 1, check); }
    synchronize(run);
}

// piece: choose_bound
// Notes it for the two filters that come next.
// barriers: 1
__device__ __forceinline__ void choose_bound(enactor& run, uint64 size, uint64 near_set, float64 nearest, float64 farthest,
                                              float64* bound) {
    if (leader()) { *bound = near_bound(size, near_set, nearest, farthest); }
    synchronize(run);
}
