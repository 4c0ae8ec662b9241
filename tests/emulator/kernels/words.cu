// Every word of CUDA that the emulator offers, each in a kernel that says in numbers what it gave.

// ==== platform ====
// ==== end of platform ====

extern "C" __global__ void collectives(unsigned* out) {
    const unsigned lane = threadIdx.x % 32;
    unsigned* const mine = out + 16 * threadIdx.x;
    mine[0] = __ballot_sync(FULL_WARP, lane % 3 == 0);
    mine[1] = __any_sync(FULL_WARP, lane == 7) + 2 * __all_sync(FULL_WARP, lane < 32);
    mine[1] += 4 * __all_sync(FULL_WARP, lane != 3);
    mine[2] = __shfl_sync(FULL_WARP, lane * 10, 5);
    mine[3] = __shfl_up_sync(FULL_WARP, lane, 3);
    mine[4] = __shfl_down_sync(FULL_WARP, lane, 3);
    mine[5] = __shfl_xor_sync(FULL_WARP, lane, 1);
    mine[6] = __reduce_add_sync(FULL_WARP, lane);
    mine[7] = __reduce_min_sync(FULL_WARP, int(lane) - 5);
    mine[8] = __reduce_max_sync(FULL_WARP, lane);
    mine[9] = __syncthreads_count(lane < 4);
    mine[10] = __syncthreads_or(threadIdx.x == 9) + 2 * __syncthreads_and(threadIdx.x != 9);
    mine[11] = __match_any_sync(FULL_WARP, lane / 8);
    mine[12] = unsigned(__shfl_sync(FULL_WARP, (1ull << 40) + lane, 2) >> 38);
    mine[13] = unsigned(__shfl_sync(FULL_WARP, 0.5 * lane, 6));
    mine[14] = blockDim.x + 1000 * gridDim.x;
    mine[15] = __shfl_sync(FULL_WARP, lane == 1, 1);
}

extern "C" __global__ void bits(unsigned* out) {
    out[0] = __popc(0xf0f0u) + 100 * __popcll(~0ull);
    out[1] = __ffs(8) + 100 * __ffs(0) + 10000 * __ffsll(1ll << 40);
    out[2] = __clz(1) + 100 * __clz(0) + 10000 * __clzll(1);
    out[3] = __brev(1u);
    out[4] = __float_as_uint(1.0f);
    out[5] = unsigned(__int_as_float(0x40400000));
    out[6] = min(3u, 4u) + 10 * max(3, 4);
    out[7] = unsigned(__double_as_longlong(1.0) >> 52) + unsigned(__longlong_as_double(0x4000000000000000ll));
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* w, float* f, double* d) {
    atomicAdd(&i[0], 1);
    atomicSub(&i[1], 2);
    atomicMin(&i[2], -int(threadIdx.x));
    atomicMax(&i[3], int(threadIdx.x));
    atomicAnd(&u[0], ~(1u << threadIdx.x % 32));
    atomicOr(&u[1], 1u << threadIdx.x % 32);
    atomicXor(&u[2], 1u << threadIdx.x % 2);
    atomicAdd(&w[0], 1ull << 33);
    atomicMax(&w[1], (unsigned long long)threadIdx.x << 40);
    if (atomicCAS(&w[2], 0ull, threadIdx.x + 1ull) == 0) { atomicExch(&u[3], threadIdx.x + 1u); }
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
}

// The writer sees what it wrote at once, its block behind a barrier of the block, another block perhaps not.
extern "C" __global__ void caches(unsigned* x, unsigned* late) {
    load_cached(x);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 5) {
        atomicAdd(x, 1u);
        if (load_cached(x) == 0) { atomicAdd(&late[0], 1u); }
    }
    __syncthreads();
    if (load_cached(x) == 0) { atomicAdd(&late[1 + blockIdx.x], 1u); }
}
