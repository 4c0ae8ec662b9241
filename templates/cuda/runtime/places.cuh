// piece: exchange
template <class T>
__device__ __forceinline__ void exchange(T& a, T& b) {
    const T kept = a;
    a = b;
    b = kept;
}

// piece: turn
// A scalar goes to the next of its three places, which holds `value` already; the leader makes the one behind that
// ready. A word holds no more than one of them, since a bool is changed with all of its word.
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
