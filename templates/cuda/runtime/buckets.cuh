// piece: check_width
// Stops the run where levels have no width.
template <class Width>
__device__ __forceinline__ void check_width(enactor& run, const data_slice& d, Width width, uint32 check) {
    if (leader()) { checked_index(d, width > Width(0) ? 0 : -1, 1, check); }
    synchronize(run);
}
