// piece: lane_index
__device__ __forceinline__ uint32 lane_index() { return threadIdx.x % 32; }

// piece: few_members
// Whether a set has few members: at average degree, at most one edge per thread. Then the slowest memory access
// determines the time.
__device__ __forceinline__ bool few_members(uint64 size, const graph_slice& g) {
    return size * uint64(g.num_edges) <= grid_threads() * uint64(g.num_vertices);
}

// piece: grid_warps warp_index
// Consecutive warp numbers belong to different blocks, so that little work is spread over all multiprocessors.
__device__ __forceinline__ uint64 grid_warps() { return uint64(block_count()) * (blockDim.x / 32); }
__device__ __forceinline__ uint64 warp_index() { return uint64(threadIdx.x / 32) * block_count() + block_index(); }

// piece: all_warps
// Assigns the members of a set to all warps.
struct all_warps {
    static constexpr uint32 operators = 1;
    static __device__ __forceinline__ uint64 index() { return warp_index(); }
};

// piece: first_warps last_warps
// Two operators without a barrier between them use half of the warps each, so that no warp has members of both.
struct first_warps {
    static constexpr uint32 operators = 2;
    static __device__ __forceinline__ uint64 index() { return warp_index(); }
};
struct last_warps {
    static constexpr uint32 operators = 2;
    static __device__ __forceinline__ uint64 index() { return grid_warps() - 1 - warp_index(); }
};

// piece: grid_threads thread_index
__device__ __forceinline__ uint64 grid_threads() { return uint64(block_count()) * blockDim.x; }
__device__ __forceinline__ uint64 thread_index() { return uint64(block_index()) * blockDim.x + threadIdx.x; }

// piece: members_per_warp
// How many members of a set of `size` a warp takes at a time. Few members are spread over all warps.
__device__ __forceinline__ uint32 members_per_warp(uint64 size) {
    uint32 width = 32;
    while (width > 1 && size <= grid_warps() * (width / 2)) { width /= 2; }
    return width;
}

// piece: even_members_per_warp
// How many members of a set of `size` a warp takes at a time, so that all warps take the same number of members: as many
// rounds as with 32 members per warp, and no partial last round.
__device__ __forceinline__ uint32 even_members_per_warp(uint64 size) {
    const uint64 warps = grid_warps(), rounds = max((size + 32 * warps - 1) / (32 * warps), uint64(1));
    return uint32(max((size + rounds * warps - 1) / (rounds * warps), uint64(1)));
}

// piece: warp_inclusive_sum
__device__ __forceinline__ uint32 warp_inclusive_sum(uint32 value) {
    for (uint32 step = 1; step < 32; step *= 2) {
        const uint32 below = __shfl_up_sync(FULL_WARP, value, step);
        if (lane_index() >= step) { value += below; }
    }
    return value;
}

// piece: warp_sum
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
    for (uint32 step = 16; step > 0; step /= 2) { value += __shfl_down_sync(FULL_WARP, value, step); }
    return __shfl_sync(FULL_WARP, value, 0);
}

// piece: owner_of
// The lane whose range contains `item`; lane i's range ends before its `inclusive`.
__device__ __forceinline__ uint32 owner_of(uint32 inclusive, uint32 item) {
    uint32 owner = 0;
    for (uint32 step = 16; step > 0; step /= 2) {
        const uint32 end = __shfl_sync(FULL_WARP, inclusive, owner + step - 1);
        if (end <= item) { owner += step; }
    }
    return owner;
}

// piece: nth_bit
// The position of the n-th set bit.
__device__ __forceinline__ uint32 nth_bit(uint32 word, uint32 n) {
    uint32 place = 0;
    for (uint32 step = 16; step > 0; step /= 2) {
        const uint32 below = __popc(word >> place & ((1u << step) - 1));
        if (n >= below) {
            n -= below;
            place += step;
        }
    }
    return place;
}

// piece: next_in_groups
// Each `group` of `lanes` lanes takes a lane in `waiting`: the lowest in its own `waiting`, which is 0 if there are fewer.
// Returns the lanes that are left.
template <uint32 lanes>
__device__ __forceinline__ uint32 next_in_groups(uint32& waiting, uint32 group) {
    uint32 rest = waiting;
#pragma unroll
    for (uint32 i = 0; i < 32 / lanes; ++i) {
        if (i < group) { waiting &= waiting - 1; }
        rest &= rest - 1;
    }
    return rest;
}

// piece: row_owners
// Finds the lanes that own the edges of a warp, one row of 32 edges after another; each lane has `own` edges, which end
// before number `inclusive`. Counts the lists that begin in the row at or before an edge, which takes one exchange and
// one read; a binary search takes five reads.
struct row_owners {
    uint32 lane_of;  // the `lane_index()`-th of the lanes that have edges
    uint32 first;    // the index of this lane's first edge
    uint32 passed;   // the number of lists that begin before the row

    __device__ __forceinline__ row_owners(uint32 own, uint32 inclusive)
        : lane_of(nth_bit(__ballot_sync(FULL_WARP, own > 0), lane_index())), first(own > 0 ? inclusive - own : ~0u), passed(0) {}

    // The lane that owns edge `start + lane_index()`; beyond the end, the last lane that has edges.
    __device__ __forceinline__ uint32 in_row(uint32 start) {
        const uint32 begins = or_of_warp(first - start < 32 ? 1u << (first - start) : 0u);
        const uint32 owner = __shfl_sync(FULL_WARP, lane_of, passed + __popc(begins << (31 - lane_index())) - 1);
        passed += __popc(begins);
        return owner;
    }
};

// piece: shuffle
// The value of another lane.
template <class T>
__device__ __forceinline__ T shuffle(T value, uint32 lane) { return T(__shfl_sync(FULL_WARP, value, lane)); }

// piece: shuffle_up
// The value of the lane `step` below.
template <class T>
__device__ __forceinline__ T shuffle_up(T value, uint32 step) { return T(__shfl_up_sync(FULL_WARP, value, step)); }

// piece: shuffle_down
// The value of the lane `step` above.
template <class T>
__device__ __forceinline__ T shuffle_down(T value, uint32 step) { return T(__shfl_down_sync(FULL_WARP, value, step)); }

// piece: warp_reduce
// The reduction of all lanes' values, in lane 0.
template <class T, class Combine>
__device__ __forceinline__ T warp_reduce(T value, Combine combine) {
#pragma unroll UNROLLED
    for (uint32 step = 16; step > 0; step /= 2) {
        value = combine(value, shuffle_down(value, step));
    }
    return value;
}

// piece: block_reduce
// The reduction of all threads' values, in thread 0. All threads must call it.
template <class T, class Combine>
__device__ __forceinline__ T block_reduce(block_storage& shared, T value, T identity, Combine combine) {
    value = warp_reduce(value, combine);
    __syncthreads();
    if (lane_index() == 0) { shared.partials[threadIdx.x / 32] = bits_of<uint64>(padded<T>{value}); }
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < blockDim.x / 32 ? bits_of<padded<T>>(shared.partials[threadIdx.x]).value : identity;
        value = warp_reduce(value, combine);
    }
    return value;
}

// piece: padded
template <class T>
struct alignas(8) padded { T value; };
