// piece: copy_for_gpu
// This GPU's copy, number `number`, of `count` values, which its own threads fill; it is there after the next barrier.
template <class T>
__device__ __forceinline__ T* copy_for_gpu(enactor& run, uint32 number, const T* values, uint64 count) {
    struct alignas(16) pack { uint64 first, second; };
    uint64* const room = run.slice.mirrors[number];
    const uint64 packs = count * sizeof(T) / sizeof(pack), threads = uint64(own_block_count()) * blockDim.x;
    const uint64 own = uint64(own_block_index()) * blockDim.x + threadIdx.x;
    for (uint64 i = own; i < packs; i += threads) {
        reinterpret_cast<pack*>(room)[i] = reinterpret_cast<const pack*>(values)[i];
    }
    T* const copy = reinterpret_cast<T*>(room);
    for (uint64 i = packs * sizeof(pack) / sizeof(T) + own; i < count; i += threads) { copy[i] = values[i]; }
    return copy;
}
