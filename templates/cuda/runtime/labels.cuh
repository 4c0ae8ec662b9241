// piece: copy_labels
// Each GPU fills its copy, number `number`, and says where it is; both are known after the next barrier.
template <class T>
__device__ __forceinline__ void copy_labels(enactor& run, uint32 number, const T* labels, uint64 count) {
    copy_for_gpu(run, number, labels, count);
    if (own_block_index() == 0 && threadIdx.x == 0) {
        run.slice.addresses[number][own_gpu()] = reinterpret_cast<uint64>(run.slice.mirrors[number]);
    }
}

// piece: join_labels
// After a barrier: each GPU stores for the vertices that it has the smallest label of all copies. A thread reads `several`
// labels before it stores the first one, so that it waits for another GPU once for all.
template <class T>
__device__ __forceinline__ void join_labels(enactor& run, uint32 number, T* labels, uint64 count) {
    each_least_label<T>(run, number, count, [&](uint64 i, T least, uint64) { labels[i] = least; });
}

// piece: join_labels_everywhere
// The same where they are stored in all copies, which a GPU reads for no vertices but its own: in those that have another.
template <class T>
__device__ __forceinline__ void join_labels_everywhere(enactor& run, uint32 number, T*, uint64 count) {
    each_least_label<T>(run, number, count, [&](uint64 i, T least, uint64 larger) {
        for (; larger != 0; larger &= larger - 1) { copy_of_gpu<T>(run, number, uint32(__ffsll(larger)) - 1)[i] = least; }
    });
}

// piece: each_least_label
// Calls `store` with each smallest label and the GPUs whose copies have a larger one, a bit for each.
template <class T, class Store>
__device__ __forceinline__ void each_least_label(enactor& run, uint32 number, uint64 count, Store store) {
    constexpr uint32 several = 4;
    const uint32 this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const int64 elements = int64(count);  // a count: lanes count the members of operators only
    const uint64 end = own_end(elements), step = own_threads(elements);
    for (uint64 first = own_thread(elements); first < end; first += several * step) {
        T least[several];
        uint64 larger[several] = {}, seen = 1ull << this_gpu;
        side_by_side<several>([&](uint32 k) {
            const uint64 i = first + k * step;
            if (i < end) { least[k] = own_copy<T>(run, number)[i]; }
        });
        for (uint32 gpu = 0; gpu < gpus; ++gpu) {
            if (gpu == this_gpu) { continue; }
            const T* const others = copy_of_gpu<T>(run, number, gpu);
            T theirs[several];
            side_by_side<several>([&](uint32 k) {
                const uint64 i = first + k * step;
                if (i < end) { theirs[k] = others[i]; }
            });
            side_by_side<several>([&](uint32 k) {
                if (first + k * step >= end) { return; }
                if (theirs[k] < least[k]) { larger[k] = seen; }
                if (theirs[k] > least[k]) { larger[k] |= 1ull << gpu; }
                least[k] = minimum(least[k], theirs[k]);
            });
            seen |= 1ull << gpu;
        }
        side_by_side<several>([&](uint32 k) {
            const uint64 i = first + k * step;
            if (i < end) { store(i, least[k], larger[k]); }
        });
    }
}
