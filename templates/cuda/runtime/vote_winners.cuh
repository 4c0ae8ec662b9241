// piece: best_of
// The best candidate of `lanes` adjacent lanes, in all of them.
template <uint32 lanes, class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> best_of(candidate<Key, Score> own) {
#pragma unroll UNROLLED
    for (uint32 step = lanes / 2; step > 0; step /= 2) {
        candidate<Key, Score> other;
        other.key = Key(__shfl_xor_sync(FULL_WARP, own.key, step));
        other.score = Score(__shfl_xor_sync(FULL_WARP, own.score, step));
        const uint32 marks = __shfl_xor_sync(FULL_WARP, uint32(own.voted) | uint32(own.kept) << 1, step);
        other.voted = (marks & 1) != 0;
        other.kept = (marks & 2) != 0;
        if (beats(other, own)) { own = other; }
    }
    return own;
}

// piece: block_winners
// The candidates of a block's warps, as structure of arrays, and the list that the block takes after the next two.
struct block_winners {
    uint64 next;
    uint64 keys[32], scores[32];
    uint32 marks[32];
};

// piece: block_best
// The best candidate of a block's warps, in all threads. The block must be synchronized between two calls.
template <class Key, class Score>
__device__ __forceinline__ candidate<Key, Score> block_best(block_storage& shared, const candidate<Key, Score>& own) {
    block_winners& winners = shared.winners;
    if (lane_index() == 0) {
        winners.keys[threadIdx.x / 32] = bits_of<uint64>(padded<Key>{own.key});
        winners.scores[threadIdx.x / 32] = bits_of<uint64>(padded<Score>{own.score});
        winners.marks[threadIdx.x / 32] = uint32(own.voted) | uint32(own.kept) << 1;
    }
    __syncthreads();
    const uint32 warp = lane_index() % (BLOCK_THREADS / 32), marks = winners.marks[warp];
    candidate<Key, Score> best;
    best.key = bits_of<padded<Key>>(winners.keys[warp]).value;
    best.score = bits_of<padded<Score>>(winners.scores[warp]).value;
    best.voted = (marks & 1) != 0;
    best.kept = (marks & 2) != 0;
    return best_of<32>(best);
}

// piece: block_pause
// Synchronizes the threads of a block.
struct block_pause {
    __device__ __forceinline__ void operator()() const { __syncthreads(); }
};

// piece: warp_pause
// Synchronizes the lanes of a warp.
struct warp_pause {
    __device__ __forceinline__ void operator()() const { __syncwarp(FULL_WARP); }
};
