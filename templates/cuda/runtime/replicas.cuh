// piece: begin_replica
// This GPU's copy, number `number`, of an array that each GPU has whole. The first GPU's copy of a result is that itself.
// Where it is, all GPUs know after the next barrier.
template <class T>
__device__ __forceinline__ T* begin_replica(const enactor& run, uint32 number, T* result) {
    T* const copy = result != nullptr && own_gpu() == 0 ? result : own_copy<T>(run, number);
    if (own_block_index() == 0 && threadIdx.x == 0) { run.slice.addresses[number][own_gpu()] = reinterpret_cast<uint64>(copy); }
    return copy;
}

// piece: gpu_leader
// Whether this is the thread that does what must be done once on each GPU.
__device__ __forceinline__ bool gpu_leader() { return own_block_index() == 0 && threadIdx.x == 0; }

// piece: keep_addresses
// After a barrier: the block keeps in its own memory where all GPUs have a copy, as calls ask for that.
__device__ __forceinline__ void keep_addresses(uint64*& addresses, uint64* kept) {
    for (uint32 gpu = threadIdx.x; gpu < gpu_count(); gpu += BLOCK_THREADS) { kept[gpu] = load_relaxed(&addresses[gpu]); }
    __syncthreads();
    addresses = kept;
}

// piece: each_id_on_gpu
// All ids, on each GPU.
template <class Visit>
__device__ __forceinline__ void each_id_on_gpu(int64 count, Visit visit) {
    const uint64 threads = uint64(own_block_count()) * blockDim.x;
    for (uint64 i = uint64(own_block_index()) * blockDim.x + threadIdx.x; i < uint64(count); i += threads) { visit(i); }
}

// piece: publish_element
// Stores an element of this GPU's copy in those of the others if it is no longer `before`. This call alone writes it.
template <class T>
__device__ __forceinline__ void publish_element(const run_slice& slice, uint32 number, uint64 at, T value, T before) {
    if (bits_equal(value, before)) { return; }
    const uint32 this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    for (uint32 gpu = 0; gpu < gpus; ++gpu) {
        if (gpu != this_gpu) { store_relaxed(&reinterpret_cast<T*>(slice.addresses[number][gpu])[at], value); }
    }
}

// piece: reduce_on_others
// Reduces the element at `x`, in this GPU's copy, in those of the others as well.
template <class T, class Reduce>
__device__ __forceinline__ void reduce_on_others(const run_slice& slice, uint32 number, const T* x, Reduce reduce) {
    const uint32 this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const uint64 at = uint64(x - reinterpret_cast<const T*>(slice.addresses[number][this_gpu]));
    for (uint32 gpu = 0; gpu < gpus; ++gpu) {
        if (gpu != this_gpu) { reduce(&reinterpret_cast<T*>(slice.addresses[number][gpu])[at]); }
    }
}

// piece: changed_min_everywhere
// `changed_min` in all copies: whether it changed this GPU's. A value that is not smaller there is no news for the others.
// These are not read first: each look would be waited for.
template <class T>
__device__ __forceinline__ bool changed_min_everywhere(const run_slice& slice, uint32 number, T* x, T value) {
    const bool changed = changed_min(x, value);
    if (changed) { reduce_on_others(slice, number, x, [&](T* other) { atomicMin_grid(other, value); }); }
    return changed;
}

// piece: changed_max_everywhere
template <class T>
__device__ __forceinline__ bool changed_max_everywhere(const run_slice& slice, uint32 number, T* x, T value) {
    const bool changed = changed_max(x, value);
    if (changed) { reduce_on_others(slice, number, x, [&](T* other) { atomicMax_grid(other, value); }); }
    return changed;
}

// piece: fetch_min_everywhere
// The former value of a minimum in all copies, where a value that it had earlier will do as long as nothing is changed by
// this. The first GPU's copy decides what it was, and every value that this copy has goes to the others.
template <class T>
__device__ __forceinline__ T fetch_min_everywhere(const run_slice& slice, uint32 number, T* x, T value) {
    const T former = load_relaxed(x);
    if (!(value < former)) { return former; }
    const uint32 this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const uint64 at = uint64(x - reinterpret_cast<const T*>(slice.addresses[number][this_gpu]));
    const T before = atomicMin_grid(&reinterpret_cast<T*>(slice.addresses[number][0])[at], value);
    if (value < before) {
        for (uint32 gpu = 1; gpu < gpus; ++gpu) { atomicMin_grid(&reinterpret_cast<T*>(slice.addresses[number][gpu])[at], value); }
    }
    return before;
}
