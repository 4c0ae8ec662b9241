// What bench/link.py measures. Threads take operations in turns, SIDE of them at a time, which do not wait for each other.
// Each operation accesses an element that a hash of its number chooses. Every thread stores one sum at the end.
typedef unsigned int uint32;
typedef unsigned long long uint64;

#define FREE 0xffffffffu

__device__ __forceinline__ uint64 thread_number() { return uint64(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ uint64 thread_count() { return uint64(gridDim.x) * blockDim.x; }

__device__ __forceinline__ uint64 mixed(uint64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// What element `at` has before it is gathered, or after it is stored.
__device__ __forceinline__ uint32 content(uint64 at) { return uint32(at) * 2654435761u ^ 0x5bd1e995u; }

// What an operation proposes to a minimum or maximum: different for each, and neither 0 nor FREE.
__device__ __forceinline__ uint32 proposal(uint64 op) { return (uint32(op) + 1) * 2654435761u; }

// The element of an operation: GPU 0 has elements 0 to 2^bits - 1, GPU 1 as many after them. `far` of 128 are the other
// GPU's. If `skewed`, a quarter of the bits of a place are set, as in ends of edges of an R-MAT graph.
struct places {
    uint64 ops;
    uint32 bits, far, skewed;
    __device__ __forceinline__ uint64 of(uint64 op) const {
        const uint64 hash = mixed(op);
        const uint64 word = skewed ? hash & hash >> 28 : hash;
        const uint64 own = op < ops ? 0 : 1;
        const uint64 owner = hash >> 57 < far ? 1 - own : own;
        return (owner << bits) + (word & ((1ull << bits) - 1));
    }
};

// As in generated code: what other threads may change is read from the L2 cache, or over the link.
__device__ __forceinline__ uint32 load(const uint32* x) { return *static_cast<const volatile uint32*>(x); }

struct gather {
    __device__ static uint32 access(uint32* x, uint64, uint64) { return load(x); }
};
struct store {
    __device__ static uint32 access(uint32* x, uint64 at, uint64) { *static_cast<volatile uint32*>(x) = content(at); return 0; }
};
struct add {
    __device__ static uint32 access(uint32* x, uint64, uint64) { atomicAdd_system(x, 1u); return 0; }
};
struct fetch_add {
    __device__ static uint32 access(uint32* x, uint64, uint64) { return atomicAdd_system(x, 1u); }
};
struct minimum {
    __device__ static uint32 access(uint32* x, uint64, uint64 op) { atomicMin_system(x, proposal(op)); return 0; }
};
struct fetch_min {
    __device__ static uint32 access(uint32* x, uint64, uint64 op) { return atomicMin_system(x, proposal(op)); }
};
struct fetch_max {
    __device__ static uint32 access(uint32* x, uint64, uint64 op) { return atomicMax_system(x, proposal(op)); }
};
struct claim {
    __device__ static uint32 access(uint32* x, uint64, uint64 op) { return atomicCAS_system(x, FREE, uint32(op)) == FREE; }
};
struct look_claim {
    __device__ static uint32 access(uint32* x, uint64, uint64 op) {
        return load(x) == FREE && atomicCAS_system(x, FREE, uint32(op)) == FREE;
    }
};

template <class Kind, int SIDE>
__device__ __forceinline__ void access_all(uint32* values, uint64 gpu, const places& where, uint64* sums) {
    const uint64 threads = thread_count();
    uint64 sum = 0;
#pragma unroll 1
    for (uint64 i = thread_number(); i < where.ops; i += threads * SIDE) {
        uint64 at[SIDE];
        uint32 got[SIDE];
#pragma unroll
        for (int k = 0; k < SIDE; ++k) { at[k] = where.of(gpu * where.ops + i + k * threads); }
#pragma unroll
        for (int k = 0; k < SIDE; ++k) { got[k] = Kind::access(&values[at[k]], at[k], gpu * where.ops + i + k * threads); }
#pragma unroll
        for (int k = 0; k < SIDE; ++k) { sum += got[k]; }
    }
    sums[thread_number()] = sum;
}

#define KERNELS(KIND)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(512, 2)                                                                  \
    KIND##_1(uint32* values, uint64 gpu, uint64 ops, uint32 bits, uint32 far, uint32 skewed, uint64* sums) {              \
        access_all<KIND, 1>(values, gpu, places{ops, bits, far, skewed}, sums);                                           \
    }                                                                                                                     \
    extern "C" __global__ void __launch_bounds__(512, 2)                                                                  \
    KIND##_4(uint32* values, uint64 gpu, uint64 ops, uint32 bits, uint32 far, uint32 skewed, uint64* sums) {              \
        access_all<KIND, 4>(values, gpu, places{ops, bits, far, skewed}, sums);                                           \
    }
KERNELS(gather)
KERNELS(store)
KERNELS(add)
KERNELS(fetch_add)
KERNELS(minimum)
KERNELS(fetch_min)
KERNELS(fetch_max)
KERNELS(claim)
KERNELS(look_claim)

// Before a measurement: each GPU fills its own part. `content_of`: with what is gathered, otherwise with `value`.
extern "C" __global__ void fill(uint32* values, uint64 gpu, uint32 bits, uint32 content_of, uint32 value) {
    const uint64 first = gpu << bits;
    for (uint64 i = thread_number(); i < 1ull << bits; i += thread_count()) {
        values[first + i] = content_of ? content(first + i) : value;
    }
}

// Of a GPU's operations, for each thread: first[] counts those whose element is not as it must be after all have been made,
// second[] what `expect` says of the others. kind: 0 gather (the sum of what is read), 1 store, 2 add, 3 minimum and
// 4 maximum (how many have the value that is there), 5 claim.
extern "C" __global__ void check_operations(const uint32* values, uint64 gpu, uint64 ops, uint32 bits, uint32 far,
                                            uint32 skewed, uint32 kind, uint64* first, uint64* second) {
    const places where{ops, bits, far, skewed};
    uint64 wrong = 0, counted = 0;
    for (uint64 i = thread_number(); i < ops; i += thread_count()) {
        const uint64 op = gpu * ops + i, at = where.of(op);
        const uint32 value = load(&values[at]);
        if (kind == 0) { counted += content(at); }
        if (kind == 1) { wrong += value != content(at); }
        if (kind == 2) { wrong += value == 0; }
        if (kind == 3) { wrong += value > proposal(op); }
        if (kind == 4) { wrong += value < proposal(op); }
        if (kind == 3 || kind == 4) { counted += value == proposal(op); }
        if (kind == 5) { wrong += value == FREE; }
    }
    first[thread_number()] = wrong;
    second[thread_number()] = counted;
}

// Of a GPU's elements, for each thread. add: the sum of all, and the sum of what was returned on the way there. minimum,
// maximum: how many were changed. claim: how many were claimed by an operation that does not lead there, and how many in all.
extern "C" __global__ void check_elements(const uint32* values, uint64 gpu, uint64 ops, uint32 bits, uint32 far,
                                          uint32 skewed, uint32 kind, uint64* first, uint64* second) {
    const places where{ops, bits, far, skewed};
    uint64 one = 0, two = 0;
    for (uint64 i = thread_number(); i < 1ull << bits; i += thread_count()) {
        const uint64 at = (gpu << bits) + i;
        const uint64 value = load(&values[at]);
        if (kind == 2) { one += value; two += value * (value - 1) / 2; }
        if (kind == 3) { two += value != FREE; }
        if (kind == 4) { two += value != 0; }
        if (kind == 5 && value != FREE) { one += value >= 2 * ops || where.of(value) != at; two += 1; }
    }
    first[thread_number()] = one;
    second[thread_number()] = two;
}

// Reads in order, 8 bytes a thread and turn, as bitmaps are read.
extern "C" __global__ void __launch_bounds__(512, 2) read_words(const uint64* words, uint64 count, uint64* sums) {
    uint64 sum = 0;
    for (uint64 i = thread_number(); i < count; i += thread_count()) { sum += words[i]; }
    sums[thread_number()] = sum;
}

// Copies 16 bytes a thread and turn, as copies are filled.
struct alignas(16) pack { uint64 first, second; };
extern "C" __global__ void __launch_bounds__(512, 2) copy_packs(pack* to, const pack* from, uint64 count) {
    for (uint64 i = thread_number(); i < count; i += thread_count()) { to[i] = from[i]; }
}

// One thread follows a cycle through `1 << bits` elements, each access after the other.
extern "C" __global__ void follow(uint32* values, uint32 bits, uint32 steps, uint32 kind, uint64* last) {
    const uint32 mask = (1u << bits) - 1;
    uint32 at = 0;
    for (uint32 i = 0; i < steps; ++i) {
        if (kind == 0) { at = load(&values[at]); }
        if (kind == 1) { at = atomicAdd_system(&values[at], 0u); }
        if (kind == 2) { at = atomicCAS_system(&values[at], FREE, 0u); }
        at &= mask;
    }
    *last = at;
}
extern "C" __global__ void make_cycle(uint32* values, uint32 bits) {
    const uint32 mask = (1u << bits) - 1;
    for (uint64 i = thread_number(); i < 1ull << bits; i += thread_count()) {
        values[i] = (uint32(i) * 1664525u + 1013904223u) & mask;
    }
}

// One thread of each warp adds to the same counter, as warps do that append to a set.
extern "C" __global__ void __launch_bounds__(512, 2) count_up(uint32* counter, uint64 turns, uint64* sums) {
    uint64 sum = 0;
    if (threadIdx.x % 32 == 0) {
        for (uint64 i = 0; i < turns; ++i) { sum += atomicAdd_system(counter, 1u); }
    }
    sums[thread_number()] = sum;
}

// All threads read the same element, as they do where most labels are that of one root.
extern "C" __global__ void __launch_bounds__(512, 2) gather_one(const uint32* element, uint64 turns, uint64* sums) {
    uint64 sum = 0;
    for (uint64 i = 0; i < turns; ++i) { sum += load(element); }
    sums[thread_number()] = sum;
}

// Holds a GPU until both have been given their work.
extern "C" __global__ void hold(uint64 cycles) {
#ifdef __CUDA_ARCH__
    const uint64 begin = clock64();
    while (clock64() - begin < cycles) { }
#endif
}
