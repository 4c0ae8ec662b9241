// piece: own_copy
// This GPU's copy of something, number `number`.
template <class T>
__device__ __forceinline__ T* own_copy(const enactor& run, uint32 number) { return reinterpret_cast<T*>(run.slice.mirrors[number]); }

// piece: copy_of_gpu
// The same of any GPU, once that has said where it is.
template <class T>
__device__ __forceinline__ T* copy_of_gpu(const enactor& run, uint32 number, uint32 gpu) {
    return reinterpret_cast<T*>(run.slice.addresses[number][gpu]);
}

// piece: own_marks_of
// One bit per element of this GPU's copy: it has changed. `marks` is the number of the two bitmaps, used alternately.
__device__ __forceinline__ uint64 first_own_mark(const enactor& run, uint64 count) { return marks_turn(run) * ((count + 31) / 32); }
__device__ __forceinline__ uint32* own_marks_of(const enactor& run, uint32 marks, uint64 count) {
    return own_copy<uint32>(run, marks) + first_own_mark(run, count);
}

// piece: begin_merging
// Before the first pass of a loop: each GPU fills its copy, clears its marks, and says where both are.
// barriers: 1
template <class T>
__device__ __forceinline__ void begin_merging(enactor& run, uint32 number, uint32 marks, const T* values, uint64 count) {
    copy_for_gpu(run, number, values, count);
    if (own_block_index() == 0 && threadIdx.x == 0) {
        run.slice.addresses[number][own_gpu()] = reinterpret_cast<uint64>(run.slice.mirrors[number]);
    }
    begin_marking(run, marks, count);
}

// piece: begin_marking
// The same where the copy is there already.
// barriers: 1
__device__ __forceinline__ void begin_marking(enactor& run, uint32 marks, uint64 count) {
    uint32* const bitmaps = own_copy<uint32>(run, marks);
    const uint64 words = 2 * ((count + 31) / 32), threads = uint64(own_block_count()) * blockDim.x;
    const uint64 own = uint64(own_block_index()) * blockDim.x + threadIdx.x;
    for (uint64 i = own; i < words; i += threads) { store_relaxed(&bitmaps[i], 0u); }
    if (own == 0) { run.slice.addresses[marks][own_gpu()] = reinterpret_cast<uint64>(run.slice.mirrors[marks]); }
    synchronize(run);
}

// piece: merge_copies
// After a barrier that ends all changes: brings this GPU's copy up to date with what is marked on others. All GPUs find
// the same values, so they take turns with the words of marks: one of them appends what is marked there to the result,
// and stores it in `values`, which is null if each GPU has all of them in its copy throughout. Other GPUs may merge an
// element into the copy that is read here at the same time, which is what this GPU would find later anyway. A warp takes
// 32 words of marks, and `several` of them at a time, so that it waits for another GPU once for all.
template <class T, class Combine, class Out>
__device__ __forceinline__ void merge_copies(enactor& run, uint32 number, uint32 marks, T* values, uint64 count, Combine combine,
                                             Out& out) {
    constexpr uint32 several = 4;
    const uint32 lane = lane_index(), this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const uint64 words = (count + 31) / 32, first_mark = first_own_mark(run, count);
    T* const copy = copy_of_gpu<T>(run, number, this_gpu);
    const uint64 warps = uint64(own_block_count()) * (blockDim.x / 32);
    const uint64 own_warp = uint64(threadIdx.x / 32) * own_block_count() + own_block_index();
    for (uint64 base = own_warp * 32; base < words; base += warps * 32) {
        uint32 here = 0, others = 0;
        if (base + lane < words) {
            for (uint32 gpu = 0; gpu < gpus; ++gpu) {
                const uint32 word = copy_of_gpu<uint32>(run, marks, gpu)[first_mark + base + lane];
                if (gpu == this_gpu) { here = word; } else { others |= word; }
            }
        }
        const uint32 taken = (base + lane) % gpus == this_gpu ? here | others : 0;
        uint32 rows = __ballot_sync(FULL_WARP, (others | taken) != 0);
        while (rows != 0) {
            bool merges[several], appends[several];
            vertex members[several];
            T former[several], merged[several];
            side_by_side<several>([&](uint32 k) {
                const uint32 row = rows != 0 ? __ffs(rows) - 1 : 0, is_row = rows != 0 ? 1 : 0;
                rows &= rows - 1;
                merges[k] = (__shfl_sync(FULL_WARP, others, row) >> lane & is_row) != 0;
                appends[k] = (__shfl_sync(FULL_WARP, taken, row) >> lane & is_row) != 0;
                members[k] = vertex((base + row) * 32 + lane);
                if (merges[k] || appends[k]) { former[k] = merged[k] = load_relaxed(&copy[members[k]]); }
            });
            for (uint32 gpu = 0; gpu < gpus; ++gpu) {
                if (gpu == this_gpu) { continue; }
                const T* const other = copy_of_gpu<T>(run, number, gpu);
                T theirs[several];
                side_by_side<several>([&](uint32 k) { if (merges[k]) { theirs[k] = load_relaxed(&other[members[k]]); } });
                side_by_side<several>([&](uint32 k) { if (merges[k]) { merged[k] = combine(merged[k], theirs[k]); } });
            }
            side_by_side<several>([&](uint32 k) {
                if (merges[k] && !bits_equal(merged[k], former[k])) { store_relaxed(&copy[members[k]], merged[k]); }
                if (values != nullptr && appends[k]) { store_relaxed(&values[members[k]], merged[k]); }
                out.append(appends[k], members[k]);
            });
        }
    }
}

// piece: clear_own_marks
// After the next barrier: this GPU's marks are cleared for the operator after the next one.
__device__ __forceinline__ void clear_own_marks(uint32* marks, uint64 count) {
    const uint64 words = (count + 31) / 32, threads = uint64(own_block_count()) * blockDim.x;
    for (uint64 i = uint64(own_block_index()) * blockDim.x + threadIdx.x; i < words; i += threads) {
        if (load_relaxed(&marks[i]) != 0) { store_relaxed(&marks[i], 0u); }
    }
}

// piece: best_values
// As `visited_values`, of the best value that any GPU has found: a visit with it saves the one that would follow when the
// copies are merged. Only where calls are handed this value: what they read is that of their own GPU. Other GPUs may change
// their copies at the same time.
template <class Key, bool Falls>
struct best_values : visited_values<Key, Falls> {
    const enactor& run;
    const uint32 number;  // of the copies

    __device__ best_values(enactor& run, const Key* values, uint32 number)
        : visited_values<Key, Falls>(run, values), run(run), number(number) {}

    __device__ __forceinline__ Key value_now(vertex v) const {
        Key best = load_now(&this->values[v]);
        const uint32 gpus = uint32(gpu_count());
        for (uint32 gpu = 0; gpu < gpus; ++gpu) {
            if (gpu == own_gpu()) { continue; }
            const Key other = load_now(&copy_of_gpu<Key>(run, number, gpu)[v]);
            best = Falls ? minimum(best, other) : maximum(best, other);
        }
        return best;
    }
    __device__ __forceinline__ key_word rank_now(vertex v) const { return this->rank(value_now(v)); }
};
