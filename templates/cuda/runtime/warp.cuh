// piece: lane_index
__device__ __forceinline__ uint32 lane_index() { return threadIdx.x % 32; }

// piece: few_members
// Whether a thread has an edge of a set of `size` at most, as lists go: then all wait for the slowest memory access.
__device__ __forceinline__ bool few_members(uint64 size, const graph_slice& g) {
    return size * uint64(g.num_edges) <= grid_threads() * uint64(g.num_vertices);
}

// piece: grid_warps warp_index
// Warps are numbered across blocks, so that a few warps' worth of work is spread over all multiprocessors.
__device__ __forceinline__ uint64 grid_warps() { return uint64(gridDim.x) * (blockDim.x / 32); }
__device__ __forceinline__ uint64 warp_index() { return uint64(threadIdx.x / 32) * gridDim.x + blockIdx.x; }

// piece: all_warps
// Which warps take the members of a set where these are few, and in which order.
struct all_warps {
    static constexpr uint32 operators = 1;
    static __device__ __forceinline__ uint64 index() { return warp_index(); }
};

// piece: first_warps last_warps
// Of two operators of which one does not wait for the other each has half of the warps, so that no warp has members of
// both.
struct first_warps {
    static constexpr uint32 operators = 2;
    static __device__ __forceinline__ uint64 index() { return warp_index(); }
};
struct last_warps {
    static constexpr uint32 operators = 2;
    static __device__ __forceinline__ uint64 index() { return grid_warps() - 1 - warp_index(); }
};

// piece: grid_threads thread_index
__device__ __forceinline__ uint64 grid_threads() { return uint64(gridDim.x) * blockDim.x; }
__device__ __forceinline__ uint64 thread_index() { return uint64(blockIdx.x) * blockDim.x + threadIdx.x; }

// piece: members_a_warp
// Of a set of `size`: few members are spread over all warps.
__device__ __forceinline__ uint32 members_a_warp(uint64 size) {
    uint32 width = 32;
    while (width > 1 && size <= grid_warps() * (width / 2)) { width /= 2; }
    return width;
}

// piece: even_members_a_warp
// The same for members of which each warp is to have as many: rounds are as many as with 32 a warp, and no last one is
// for some of the warps alone.
__device__ __forceinline__ uint32 even_members_a_warp(uint64 size) {
    const uint64 warps = grid_warps(), rounds = maximum((size + 32 * warps - 1) / (32 * warps), uint64(1));
    return uint32(maximum((size + rounds * warps - 1) / (rounds * warps), uint64(1)));
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
// Which lane's stretch holds item `item`, where lane i's stretch ends before item `inclusive` of lane i.
__device__ __forceinline__ uint32 owner_of(uint32 inclusive, uint32 item) {
    uint32 owner = 0;
    for (uint32 step = 16; step > 0; step /= 2) {
        const uint32 end = __shfl_sync(FULL_WARP, inclusive, owner + step - 1);
        if (end <= item) { owner += step; }
    }
    return owner;
}

// piece: nth_bit
// The place of bit number `n` of those that are set.
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

// piece: row_owners
// Says whose edges a warp has in a row of 32 after the other, where each lane has `own` of them, up to number
// `inclusive`: by counting the lists that begin in a row before an edge, which is one exchange of the warp and a look,
// where a search for it is five looks.
struct row_owners {
    uint32 lane_of;  // of the lanes that have any edges that of number `lane_index()`
    uint32 first;    // the number of this lane's first edge
    uint32 passed;   // lists that begin before the row

    __device__ __forceinline__ row_owners(uint32 own, uint32 inclusive)
        : lane_of(nth_bit(__ballot_sync(FULL_WARP, own > 0), lane_index())), first(own > 0 ? inclusive - own : ~0u), passed(0) {}

    // The lane that has edge `start + lane_index()`; of those behind the end the last lane that has any.
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
// The reduction of all threads' values, in thread 0. Everybody takes part.
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
