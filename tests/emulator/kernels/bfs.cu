// A breadth-first search in one persistent kernel, written by hand: grid barrier, appends by whole warps, block scan.

// ==== platform ====
#error "the emulator brings its own"
// ==== end of platform ====

typedef uint32 vertex;
constexpr uint32 BLOCK_THREADS = 64;

struct problem {
    const int32* offsets;
    const vertex* columns;
    int32* distance;
    vertex* queues;    // two of num_vertices
    uint64* arrived;   // blocks at the grid barrier, counted for ever
    uint64* sizes;     // of three frontiers that take turns
    int32* reached;    // vertices with a distance, summed by block scans
    int32 num_vertices;
    vertex source;
};

struct block_storage {
    vertex staged[BLOCK_THREADS / 32][32];
    int32 sums[BLOCK_THREADS];
    uint64 size;
};

__device__ void grid_barrier(const problem& p, uint64& passed) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(p.arrived, 1ull);
        wait_for_arrivals(p.arrived, (passed + 1) * gridDim.x);
    }
    __syncthreads();
    passed += 1;
}

// The whole warp calls; the accepted go through shared memory so that lane i writes the i-th.
__device__ void append(block_storage& shared, vertex* queue, uint64* size, bool accepted, vertex v) {
    const uint32 lane = threadIdx.x % 32;
    vertex* const staged = shared.staged[threadIdx.x / 32];
    const uint32 votes = __ballot_sync(FULL_WARP, accepted);
    if (votes == 0) { return; }
    if (accepted) { staged[__popc(votes & ((1u << lane) - 1))] = v; }
    __syncwarp();
    const uint32 count = __popc(votes);
    uint64 at = 0;
    if (lane == 0) { at = atomicAdd(size, uint64(count)); }
    at = __shfl_sync(FULL_WARP, at, 0);
    if (lane < count) { queue[at + lane] = staged[lane]; }
    __syncwarp();
}

__device__ int32 block_sum(block_storage& shared, int32 value) {
    shared.sums[threadIdx.x] = value;
    __syncthreads();
    for (uint32 step = 1; step < BLOCK_THREADS; step *= 2) {
        const int32 below = threadIdx.x >= step ? shared.sums[threadIdx.x - step] : 0;
        __syncthreads();
        shared.sums[threadIdx.x] += below;
        __syncthreads();
    }
    return shared.sums[BLOCK_THREADS - 1];
}

extern "C" __global__ void __launch_bounds__(BLOCK_THREADS) bfs(const problem p) {
    __shared__ block_storage shared;
    const uint64 first = uint64(blockIdx.x) * BLOCK_THREADS + threadIdx.x, threads = uint64(gridDim.x) * BLOCK_THREADS;
    uint64 passed = 0;
    for (uint64 v = first; v < p.num_vertices; v += threads) { p.distance[v] = v == p.source ? 0 : -1; }
    if (first == 0) {
        p.queues[0] = p.source;
        p.sizes[0] = 1;
    }
    grid_barrier(p, passed);
    for (int32 level = 0;; ++level) {
        const vertex* const queue = p.queues + (level % 2 ? p.num_vertices : 0);
        vertex* const next = p.queues + (level % 2 ? 0 : p.num_vertices);
        if (threadIdx.x == 0) { shared.size = load_relaxed(&p.sizes[level % 3]); }
        __syncthreads();
        const uint64 size = shared.size;
        if (size == 0) { break; }
        if (first == 0) { p.sizes[(level + 2) % 3] = 0; }
        for (uint64 base = first - threadIdx.x % 32; base < size; base += threads) {
            const bool taken = base + threadIdx.x % 32 < size;
            const vertex v = taken ? queue[base + threadIdx.x % 32] : 0;
            int32 at = taken ? p.offsets[v] : 0;
            const int32 end = taken ? p.offsets[v + 1] : 0;
            while (__any_sync(FULL_WARP, at < end)) {
                const vertex far = at < end ? p.columns[at] : 0;
                const bool won = at < end && atomicCAS(&p.distance[far], -1, level + 1) == -1;
                append(shared, next, &p.sizes[(level + 1) % 3], won, far);
                at += 1;
            }
        }
        grid_barrier(p, passed);
    }
    int32 own = 0;
    for (uint64 v = first; v < p.num_vertices; v += threads) { own += p.distance[v] >= 0; }
    const int32 total = block_sum(shared, own);
    if (threadIdx.x == 0) { atomicAdd(p.reached, total); }
}
