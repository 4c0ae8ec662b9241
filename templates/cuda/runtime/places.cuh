// piece: exchange
template <class T>
__device__ __forceinline__ void exchange(T& a, T& b) {
    const T kept = a;
    a = b;
    b = kept;
}

// piece: rotate
// Moves a scalar to the next of its three copies, which already holds `value`. The leader prepares the copy after that.
// Copies are at least one word apart, since storing a bool rewrites its whole word.
template <class T, class Value>
__device__ __forceinline__ void rotate(T*& current, T* places, Value value) {
    constexpr uint32 apart = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    current = current == places + 2 * apart ? places : current + apart;
    if (leader()) { *(current == places + 2 * apart ? places : current + apart) = value; }
}

// piece: store_for_host
// Stores a scalar where the host reads it.
template <class T>
__device__ __forceinline__ void store_for_host(const T* current, T* places) {
    if (leader() && current != places) { *places = *current; }
}

// piece: frontier_at
// An empty frontier in storage slot `i`.
__device__ __forceinline__ frontier frontier_at(const run_slice& slice, uint32 i) {
    return frontier{slice.queues[i], slice.bitmaps[i], 0, 0, true, false, slice.queues[i]};
}
