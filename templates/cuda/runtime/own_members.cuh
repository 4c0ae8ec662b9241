// piece: own_part
// Where the part of `count` elements begins that the GPU of number `gpu` has: equal parts, of which the first ones have
// one more element if they cannot be equal. Arrays are divided so among the memories of the GPUs, too.
__device__ __forceinline__ uint64 own_part(uint64 count, uint64 gpu) {
    const uint64 gpus = gpu_count();
    const bool is_small = count >> 32 == 0;  // a division of 32 bits takes a fraction of the time
    const uint64 part = is_small ? uint64(uint32(count) / uint32(gpus)) : count / gpus;
    return gpu * part + min(gpu, count - part * gpus);
}

// piece: own_turns own_first own_end own_threads
// The end of a thread's elements, and how far it is to its next one. If members are divided by owner, those of all
// vertices are taken by the GPU whose memory has their values, and its threads take turns; others are taken in turns by
// the threads of all GPUs.
template <class Members>
__device__ __forceinline__ bool own_turns(const Members&) { return false; }
__device__ __forceinline__ bool own_turns(const all_members&) { return members_by_owner(); }
__device__ __forceinline__ bool own_turns(int64) { return members_by_owner(); }
template <class Members>
__device__ __forceinline__ uint64 own_size(const Members& members) { return members.size(); }
__device__ __forceinline__ uint64 own_size(int64 count) { return uint64(count); }
template <class Members>
__device__ __forceinline__ uint64 own_first(const Members& members) { return own_part(own_size(members), own_gpu()); }
template <class Members>
__device__ __forceinline__ uint64 own_end(const Members& members) {
    return own_turns(members) ? own_part(own_size(members), own_gpu() + 1) : own_size(members);
}
template <class Members>
__device__ __forceinline__ uint64 own_threads(const Members& members) {
    return own_turns(members) ? uint64(own_block_count()) * blockDim.x : grid_threads();
}

// piece: own_thread
// The first element of a thread.
template <class Members>
__device__ __forceinline__ uint64 own_thread(const Members& members) {
    if (!own_turns(members)) { return thread_index(); }
    return own_first(members) + uint64(own_block_index()) * blockDim.x + threadIdx.x;
}

// piece: first_base
// The same of a warp that takes `width` elements at a time.
template <class Warps, class Members>
__device__ __forceinline__ uint64 first_base(const Members& members, uint32 width) {
    if (Warps::operators > 1 || !own_turns(members)) { return Warps::index() * width; }
    const uint64 warp = uint64(threadIdx.x / 32) * own_block_count() + own_block_index();
    return own_first(members) + warp * width;
}

// piece: own_base
// The same of the members of an operator.
template <class Warps, class Members>
__device__ __forceinline__ uint64 own_base(const Members& members, uint32 width) { return first_base<Warps>(members, width); }

// piece: turn_base
// The same where all warps take `width` of `size` members in turns.
__device__ __forceinline__ uint64 turn_base(uint64 size, uint32 width) { return warp_index() * width; }

// piece: own_warps own_last
template <class Warps, class Members>
__device__ __forceinline__ uint64 own_warps(const Members& members) {
    const bool in_turns = Warps::operators > 1 || !own_turns(members);
    return in_turns ? grid_warps() : uint64(own_block_count()) * (blockDim.x / 32);
}
template <class Warps, class Members>
__device__ __forceinline__ uint64 own_last(const Members& members) {
    return Warps::operators > 1 ? own_size(members) : own_end(members);
}

// piece: own_word
// The same of warps that take a word of a bitmap over `count` elements at a time.
__device__ __forceinline__ uint64 own_word(uint64 count) {
    const all_members words{(count + 31) / 32};
    return first_base<all_warps>(words, 1);
}

// piece: own_words_end
__device__ __forceinline__ uint64 own_words_end(uint64 count) {
    const all_members words{(count + 31) / 32};
    return min(own_end(words) * 32, count);
}

// piece: add_accepted
// The same, added once for each block: from another GPU than the one that has the counters, the additions of all warps
// follow each other for 20 microseconds.
template <class Counted>
__device__ __forceinline__ void add_accepted(enactor& run, const Counted& counted, uint64 accepted, uint64 edges) {
    const auto sum = [](uint64 a, uint64 b) { return a + b; };
    accepted = block_reduce(run.shared, accepted, uint64(0), sum);
    edges = block_reduce(run.shared, edges, uint64(0), sum);
    if (threadIdx.x == 0 && accepted > 0) { atomicAdd_grid(&run.counters()->accepted, accepted); }
    if (threadIdx.x < 32) { counted.add(run.counters(), threadIdx.x == 0 ? edges : 0); }
}

// piece: first_values
// A vertex array whose first values the block caches in shared memory, as many as fit: of the part of each GPU, if
// vertices are dealt out to them by decreasing degree. All threads of the block fill the cache. They wait for each other
// first, because an earlier reduction may have ended without a barrier.
template <class T>
struct first_values {
    const T* values;
    uint64 parts, part, most;  // the first `most` parts have one value more than `part`
    uint32 count;

    __device__ __forceinline__ first_values(const T* values, uint64 size) : values(values) {
        parts = members_by_owner() ? gpu_count() : 1;
        part = size / parts;
        most = size % parts;
        count = uint32(min(part, uint64(dynamic_shared_bytes() / sizeof(T)) / parts));
        __syncthreads();  // until no thread reads the former values
        for (uint32 i = threadIdx.x; i < count * parts; i += BLOCK_THREADS) {
            static_cast<T*>(dynamic_shared_memory())[i] = values[first_of(i / count) + i % count];
        }
        __syncthreads();
    }
    __device__ __forceinline__ uint64 first_of(uint64 gpu) const { return gpu * part + min(gpu, most); }
    __device__ __forceinline__ T operator[](vertex v) const {
        for (uint64 gpu = 0; gpu < parts; ++gpu) {
            const uint64 at = uint64(v) - first_of(gpu);  // large if it is before
            if (at < count) { return static_cast<const T*>(dynamic_shared_memory())[gpu * count + at]; }
        }
        return values[v];
    }
};
