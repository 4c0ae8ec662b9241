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
    constexpr uint32 several = 4;
    const uint32 this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const int64 elements = int64(count);  // a count: lanes count the members of operators only
    const uint64 end = own_end(elements), step = own_threads(elements);
    for (uint64 first = own_thread(elements); first < end; first += several * step) {
        T least[several];
        side_by_side<several>([&](uint32 k) {
            const uint64 i = first + k * step;
            if (i < end) { least[k] = copy_of_gpu<T>(run, number, this_gpu)[i]; }
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
                if (first + k * step < end) { least[k] = minimum(least[k], theirs[k]); }
            });
        }
        side_by_side<several>([&](uint32 k) {
            const uint64 i = first + k * step;
            if (i < end) { labels[i] = least[k]; }
        });
    }
}

// piece: PACKED_VERTICES PACKED_ROOM
// Labels are packed for 1,024 vertices at a time, in the room of as many: a bit for each vertex whether its label is
// another one than its own id, and a bit whether it is also another one than the smallest such label, `usual`; then
// `usual`, and the labels that have both bits, if there is room for all of them.
constexpr uint32 PACKED_VERTICES = 1024, PACKED_USUAL = 64, PACKED_ROOM = PACKED_VERTICES - PACKED_USUAL - 1;

// piece: own_warp_index own_warp_count
// Of the warps on this GPU; consecutive ones belong to different blocks.
__device__ __forceinline__ uint64 own_warp_index() { return uint64(threadIdx.x / 32) * own_block_count() + own_block_index(); }
__device__ __forceinline__ uint64 own_warp_count() { return uint64(own_block_count()) * (blockDim.x / 32); }

// piece: shorten_label
// Follows the label of `v`, of which `next` is the label, to a root, or as far as calls see. Each step is stored, so that
// others that come by have a shorter way.
template <class T>
__device__ __forceinline__ T shorten_label(T* labels, uint64 v, T label, T next) {
    while (next < label) {
        label = next;
        store_relaxed(&labels[v], label);
        next = load_cached(&labels[label]);
    }
    return label;
}

// piece: each_label_side_by_side
// Follows the label of every member to a root, of `several` members per thread at a time: their labels and those of these
// are read before the first goes on. Then `visit(v, before, label)`. What leads to no vertex is left to `call(v)`.
template <uint32 several, class Members, class T, class Call, class Visit>
__device__ __forceinline__ void each_label_side_by_side(const Members& members, T* labels, uint64 count, Call call, Visit visit) {
    const uint64 size = own_end(members), step = own_threads(members);
    for (uint64 base = own_thread(members); base < size; base += several * step) {
        T before[several], next[several];
        side_by_side<several>([&](uint32 k) {
            const uint64 at = base + k * step;
            before[k] = load_relaxed(&labels[members[at < size ? at : base]]);
        });
        side_by_side<several>([&](uint32 k) { next[k] = uint64(before[k]) < count ? load_cached(&labels[before[k]]) : before[k]; });
        side_by_side<several>([&](uint32 k) {
            if (base + k * step >= size) { return; }
            const vertex v = members[base + k * step];
            if (uint64(before[k]) >= count) { call(v); }
            visit(v, before[k], shorten_label(labels, v, before[k], next[k]));
        });
    }
}

// piece: pack_labels
// After a barrier: each GPU shortens the labels in its copy, packs them in copy number `packed`, and says where that is.
// Vertices behind the last whole group are not packed.
template <class T>
__device__ __forceinline__ void pack_labels(enactor& run, T* labels, uint32 packed, uint64 count) {
    constexpr uint32 several = 4;
    T* const room = own_copy<T>(run, packed);
    const uint32 lane = lane_index();
    if (own_block_index() == 0 && threadIdx.x == 0) { run.slice.addresses[packed][own_gpu()] = reinterpret_cast<uint64>(room); }
    for (uint64 first = own_warp_index() * PACKED_VERTICES; first < count; first += own_warp_count() * PACKED_VERTICES) {
        const uint32 rows = uint32(min(count - first, uint64(PACKED_VERTICES)) + 31) / 32;
        T usual = T(-1);
#pragma unroll 1
        for (uint32 row = 0; row < rows; row += several) {
            T label[several], next[several];
            side_by_side<several>([&](uint32 k) {
                const uint64 v = first + (row + k) * 32 + lane;
                label[k] = v < count ? load_relaxed(&labels[v]) : T(-1);
            });
            side_by_side<several>([&](uint32 k) { next[k] = uint64(label[k]) < count ? load_cached(&labels[label[k]]) : label[k]; });
            side_by_side<several>([&](uint32 k) {
                const uint64 v = first + (row + k) * 32 + lane;
                const T root = shorten_label(labels, v, label[k], next[k]);
                usual = root == T(v) ? usual : minimum(usual, root);
            });
        }
        if (first + PACKED_VERTICES > count) { break; }
        for (uint32 step = 16; step > 0; step /= 2) { usual = minimum(usual, T(__shfl_xor_sync(FULL_WARP, usual, step))); }
        T* const group = room + first;
        uint32 linked = 0, apart = 0, listed = 0;  // this lane's words, and how many labels are written out
#pragma unroll several
        for (uint32 row = 0; row < 32; ++row) {
            const uint64 v = first + row * 32 + lane;
            const T label = load_relaxed(&labels[v]);
            const uint32 others = __ballot_sync(FULL_WARP, label != T(v));
            const uint32 unlike = __ballot_sync(FULL_WARP, label != T(v) && label != usual);
            const uint32 place = listed + __popc(unlike & ((1u << lane) - 1));
            if ((unlike >> lane & 1) != 0 && place < PACKED_ROOM) { group[PACKED_USUAL + 1 + place] = label; }
            listed += __popc(unlike);
            linked = lane == row ? others : linked;
            apart = lane == row ? unlike : apart;
        }
        reinterpret_cast<uint32*>(group)[lane] = linked;
        reinterpret_cast<uint32*>(group)[32 + lane] = apart;
        if (lane == 0) { group[PACKED_USUAL] = usual; }
    }
}

// piece: packed_group
// What a GPU has packed of 1,024 labels, as a warp reads it: `labels` is where they are themselves. A group that is not
// whole, or whose labels there was no room for, is read there; its GPU may have stored smaller ones by now.
template <class T>
struct packed_group {
    const T *group, *labels;
    uint32 linked, apart, before;  // the words of row `lane`, and how many labels were written out before it
    T usual;
    bool has_room;

    __device__ __forceinline__ packed_group(const T* room, const T* labels, uint64 first, uint64 count)
        : group(room + first), labels(labels) {
        const bool whole = first + PACKED_VERTICES <= count;
        linked = whole ? reinterpret_cast<const uint32*>(group)[lane_index()] : ~0u;
        apart = whole ? reinterpret_cast<const uint32*>(group)[32 + lane_index()] : ~0u;
        usual = whole ? group[PACKED_USUAL] : T(-1);
        const uint32 listed = warp_inclusive_sum(__popc(apart));
        before = listed - __popc(apart);
        has_room = whole && __shfl_sync(FULL_WARP, listed, 31) <= PACKED_ROOM;
    }
    // The label of this lane's vertex `v` in a row; the whole warp calls.
    __device__ __forceinline__ T label(uint32 row, uint64 v, uint64 count) const {
        const uint32 bit = lane_index(), unlike = __shfl_sync(FULL_WARP, apart, row);
        const bool is_linked = (__shfl_sync(FULL_WARP, linked, row) >> bit & 1) != 0 && v < count;
        const uint32 place = __shfl_sync(FULL_WARP, before, row) + __popc(unlike & ((1u << bit) - 1));
        if (!is_linked) { return T(v); }
        if ((unlike >> bit & 1) == 0) { return usual; }
        return has_room ? group[PACKED_USUAL + 1 + place] : load_relaxed(&labels[v]);
    }
};

// piece: unpack_labels
// After a barrier: each GPU takes the labels that the others have packed into its copy, number `number`, where they are
// smaller. If a vertex has other labels on two GPUs, one of these lowers the larger label's own label to the smaller one,
// in all copies: otherwise what linked the vertex to the larger one would be lost with it.
template <class T>
__device__ __forceinline__ void unpack_labels(enactor& run, T* labels, uint32 number, uint32 packed, uint64 count) {
    constexpr uint32 several = 4;
    const uint32 lane = lane_index(), this_gpu = uint32(own_gpu()), gpus = uint32(gpu_count());
    const auto lower = [&](T label, T value) {  // in all copies; nothing of it is waited for
        atomicMin_grid(&labels[label], value);
        reduce_on_others(run.slice, number, &labels[label], [&](T* other) { atomicMin_grid(other, value); });
    };
    for (uint64 first = own_warp_index() * PACKED_VERTICES; first < count; first += own_warp_count() * PACKED_VERTICES) {
        const packed_group<T> own(own_copy<T>(run, packed), labels, first, count);
        for (uint32 gpu = 0; gpu < gpus; ++gpu) {
            if (gpu == this_gpu) { continue; }
            const packed_group<T> others(copy_of_gpu<T>(run, packed, gpu), copy_of_gpu<T>(run, number, gpu), first, count);
            const bool joins = (first / PACKED_VERTICES + (this_gpu < gpu)) % 2 == 0;
            const uint32 both = own.linked & ~own.apart & others.linked & ~others.apart;
            if (joins && own.usual != others.usual && __any_sync(FULL_WARP, both != 0) && lane == 0) {
                const T larger = maximum(own.usual, others.usual), smaller = minimum(own.usual, others.usual);
                if (smaller < load_relaxed(&labels[larger])) { lower(larger, smaller); }
            }
            const uint32 rows = __ballot_sync(FULL_WARP, others.linked != 0);
#pragma unroll 1
            for (uint32 row = 0; row < 32; row += several) {
                if ((rows >> row & ((1u << several) - 1)) == 0) { continue; }
                T ours[several], theirs[several], looks[several];  // the larger one's own label; 0: nothing is lost
                side_by_side<several>([&](uint32 k) {
                    const uint64 v = first + (row + k) * 32 + lane;
                    ours[k] = own.label(row + k, v, count);
                    theirs[k] = others.label(row + k, v, count);
                });
                side_by_side<several>([&](uint32 k) {
                    const T v = T(first + (row + k) * 32 + lane);
                    const bool differ = ours[k] != theirs[k] && ours[k] != v && theirs[k] != v;
                    const bool lost = joins && differ && !(ours[k] == own.usual && theirs[k] == others.usual);
                    looks[k] = lost ? load_relaxed(&labels[maximum(ours[k], theirs[k])]) : T(0);
                });
                side_by_side<several>([&](uint32 k) {
                    if (theirs[k] < ours[k]) { atomicMin_grid(&labels[first + (row + k) * 32 + lane], theirs[k]); }
                    const T smaller = minimum(ours[k], theirs[k]);
                    if (smaller < looks[k]) { lower(maximum(ours[k], theirs[k]), smaller); }
                });
            }
        }
    }
}
