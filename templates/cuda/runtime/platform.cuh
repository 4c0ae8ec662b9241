// piece: int32 uint32 int64 uint64 float32 float64 STOP_REQUEST ARRIVALS FULL_WARP
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;

// The word of the grid barrier: the number of arrivals, and three flags: stop at an even barrier, stop at an odd barrier,
// and a stop is requested.
constexpr uint64 STOP_EVEN = 1ull << 63, STOP_ODD = 1ull << 62, STOP_REQUEST = 1ull << 61;
constexpr uint64 ARRIVALS = STOP_REQUEST - 1;
constexpr uint32 FULL_WARP = 0xffffffffu;

// piece: block_index all_block_count gdsl_place
// The blocks of a run are numbered over all of its GPUs. The host stores the number of this GPU's first block, how many
// blocks there are on all GPUs, how many GPUs, which of them this is, for each but the first the address of its word for
// barriers, and last whether all vertices are divided by the GPUs that have their values, and where the blocks of this GPU
// arrive.
extern "C" { __constant__ uint64 gdsl_place[65]; }
__device__ __forceinline__ uint32 block_index() { return uint32(gdsl_place[0]) + blockIdx.x; }
__device__ __forceinline__ uint32 all_block_count() { return uint32(gdsl_place[1]); }

// piece: block_count
// Of the blocks that take part.
__device__ __forceinline__ uint32 block_count() { return all_block_count(); }

// piece: own_gpu all_gpu_count all_by_owner
__device__ __forceinline__ uint64 own_gpu() { return gdsl_place[3]; }
__device__ __forceinline__ uint64 all_gpu_count() { return gdsl_place[2]; }
__device__ __forceinline__ bool all_by_owner() { return gdsl_place[63] != 0; }

// piece: gpu_count members_by_owner
// Of the GPUs that take part.
__device__ __forceinline__ uint64 gpu_count() { return all_gpu_count(); }
__device__ __forceinline__ bool members_by_owner() { return all_by_owner(); }

// piece: own_block_index own_block_count
// Of the blocks on this GPU.
__device__ __forceinline__ uint32 own_block_index() { return blockIdx.x; }
__device__ __forceinline__ uint32 own_block_count() { return gridDim.x; }

// piece: smaller larger
// The smaller or larger of two values: of a number and NaN the number, of equal values (-0.0 and 0.0) the first.
// Written as PTX selections, which the compiler cannot transform. For sm_90, the assembler of CUDA 13.0 fuses two
// integer minima into one instruction that loses the sign of a negated operand, and the compiler replaces a selection
// between floats by a maximum that orders 0.0 above -0.0.
__device__ __forceinline__ int32 smaller(int32 a, int32 b) {
    int32 chosen;
    asm("{ .reg .pred less; setp.lt.s32 less, %2, %1; selp.b32 %0, %2, %1, less; }" : "=r"(chosen) : "r"(a), "r"(b));
    return chosen;
}
__device__ __forceinline__ float32 smaller(float32 a, float32 b) {
    float32 chosen;
    asm("{ .reg .pred less; setp.lt.f32 less, %2, %1; setp.nan.or.f32 less, %1, %1, less; selp.f32 %0, %2, %1, less; }"
        : "=f"(chosen) : "f"(a), "f"(b));
    return chosen;
}
__device__ __forceinline__ float64 smaller(float64 a, float64 b) {
    float64 chosen;
    asm("{ .reg .pred less; setp.lt.f64 less, %2, %1; setp.nan.or.f64 less, %1, %1, less; selp.f64 %0, %2, %1, less; }"
        : "=d"(chosen) : "d"(a), "d"(b));
    return chosen;
}
__device__ __forceinline__ int32 larger(int32 a, int32 b) {
    int32 chosen;
    asm("{ .reg .pred less; setp.lt.s32 less, %1, %2; selp.b32 %0, %2, %1, less; }" : "=r"(chosen) : "r"(a), "r"(b));
    return chosen;
}
__device__ __forceinline__ float32 larger(float32 a, float32 b) {
    float32 chosen;
    asm("{ .reg .pred less; setp.lt.f32 less, %1, %2; setp.nan.or.f32 less, %1, %1, less; selp.f32 %0, %2, %1, less; }"
        : "=f"(chosen) : "f"(a), "f"(b));
    return chosen;
}
__device__ __forceinline__ float64 larger(float64 a, float64 b) {
    float64 chosen;
    asm("{ .reg .pred less; setp.lt.f64 less, %1, %2; setp.nan.or.f64 less, %1, %1, less; selp.f64 %0, %2, %1, less; }"
        : "=d"(chosen) : "d"(a), "d"(b));
    return chosen;
}

// piece: magnitude
// The absolute value, by clearing the sign bit. The assembler of CUDA 13.0 folds `fabs(x) >= -1` to true, which is
// wrong for NaN.
__device__ __forceinline__ float32 magnitude(float32 a) {
    float32 result;
    asm("and.b32 %0, %1, 0x7fffffff;" : "=f"(result) : "f"(a));
    return result;
}
__device__ __forceinline__ float64 magnitude(float64 a) {
    float64 result;
    asm("and.b64 %0, %1, 0x7fffffffffffffff;" : "=d"(result) : "d"(a));
    return result;
}

// piece: multiplied
// A product that the compiler cannot transform. It replaces a product with 2^31 by a shift, which the assembler of CUDA
// 13.0 replaces in loops by a product with -2^31.
__device__ __forceinline__ uint64 multiplied(uint64 a, uint64 b) {
    uint64 result;
    asm("mul.lo.u64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
    return result;
}

// piece: negated
// A negation that the compiler cannot transform. It assumes that `a < 0 ? -a : a` is never negative, but the least
// integer stays negative.
__device__ __forceinline__ int32 negated(int32 a) {
    int32 result;
    asm("neg.s32 %0, %1;" : "=r"(result) : "r"(a));
    return result;
}
__device__ __forceinline__ int64 negated(int64 a) {
    int64 result;
    asm("neg.s64 %0, %1;" : "=l"(result) : "l"(a));
    return result;
}

// piece: load_relaxed
// Loads a value that other threads may write: never torn, never from a stale cache line.
template <class T>
__device__ __forceinline__ T load_relaxed(const T* x) { return *static_cast<const volatile T*>(x); }

// piece: load_cached
// Loads a value that other threads may write. It may come from the multiprocessor's cache, which barriers invalidate,
// so it is at most as old as the last barrier.
template <class T>
__device__ __forceinline__ T load_cached(const T* x) {
    if constexpr (sizeof(T) == 1) {
        uint32 byte;
        asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(byte) : "l"(x));
        return T(byte);
    } else if constexpr (sizeof(T) == 2) {
        uint32 half;
        asm volatile("ld.global.ca.u16 %0, [%1];" : "=r"(half) : "l"(x));
        return T(half);
    } else if constexpr (sizeof(T) == 4) {
        union { uint32 from; T to; } bits;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(bits.from) : "l"(x));
        return bits.to;
    } else {
        static_assert(sizeof(T) == 8, "values of 1, 2, 4 or 8 bytes");
        union { uint64 from; T to; } bits;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(bits.from) : "l"(x));
        return bits.to;
    }
}

// piece: load_gathered
// As `load_cached`, at a place that another load has said. As this one follows that, it needs no other order.
template <class T>
__device__ __forceinline__ T load_gathered(const T* x) {
    if constexpr (sizeof(T) != 4) {
        return load_cached(x);
    } else {
        union { uint32 from; T to; } bits;
        asm("ld.global.ca.u32 %0, [%1];" : "=r"(bits.from) : "l"(x));
        return bits.to;
    }
}

// piece: load_once
// Loads data that nobody writes meanwhile and that is not needed again. It is not kept in the multiprocessor's cache.
template <class T>
__device__ __forceinline__ T load_once(const T* x) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        union { uint32 from; T to; } bits;
        asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(bits.from) : "l"(x));
        return bits.to;
    } else {
        union { uint64 from; T to; } bits;
        asm volatile("ld.global.L1::no_allocate.u64 %0, [%1];" : "=l"(bits.from) : "l"(x));
        return bits.to;
    }
}

// piece: at_hand
// Requests an id that has been loaded here. The compiler moves a load behind the condition under which its value is used,
// if no more than that uses it: of several that are meant to be side by side, each would wait for the one before.
__device__ __forceinline__ void at_hand(uint32& id) { asm volatile("" : "+r"(id)); }
__device__ __forceinline__ void at_hand(uint64& id) { asm volatile("" : "+l"(id)); }

// piece: dynamic_shared_memory dynamic_shared_bytes
// The dynamic shared memory of the launch. Its size is only known at run time and may be 0.
__device__ __forceinline__ void* dynamic_shared_memory() {
    extern __shared__ float4 dynamic[];
    return dynamic;
}
__device__ __forceinline__ uint32 dynamic_shared_bytes() {
    uint32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// piece: store_relaxed
// Stores a value that other threads may read, or write with an equal value.
template <class T>
__device__ __forceinline__ void store_relaxed(T* x, T value) { *static_cast<volatile T*>(x) = value; }

// piece: place_in_block
// Where something lies in the block's own memory. The compiler takes most pointers for ones that lead anywhere, with
// slower loads, and atomics that look where they lead.
__device__ __forceinline__ uint32 place_in_block(const void* x) { return uint32(__cvta_generic_to_shared(x)); }

// piece: load_in_block store_in_block
// `load_relaxed` and `store_relaxed` of values in the block's own memory.
template <class T>
__device__ __forceinline__ T load_in_block(const T* x) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        union { uint32 from; T to; } bits;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(bits.from) : "r"(place_in_block(x)));
        return bits.to;
    } else {
        union { uint64 from; T to; } bits;
        asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(bits.from) : "r"(place_in_block(x)));
        return bits.to;
    }
}
template <class T>
__device__ __forceinline__ void store_in_block(T* x, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        union { T from; uint32 to; } bits = {value};
        asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(place_in_block(x)), "r"(bits.to));
    } else {
        union { T from; uint64 to; } bits = {value};
        asm volatile("st.volatile.shared.u64 [%0], %1;" : : "r"(place_in_block(x)), "l"(bits.to));
    }
}

// piece: swap_in_block
// A compare-and-swap in the block's own memory. Returns the former value.
template <class T>
__device__ __forceinline__ T swap_in_block(T* x, T former, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        uint32 found;
        asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(found) : "r"(place_in_block(x)), "r"(uint32(former)), "r"(uint32(value)));
        return T(found);
    } else {
        uint64 found;
        asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                     : "=l"(found) : "r"(place_in_block(x)), "l"(uint64(former)), "l"(uint64(value)));
        return T(found);
    }
}

// piece: add_word_in_block
// Adds to a word of the block's own memory. Returns its former value.
__device__ __forceinline__ uint32 add_word_in_block(uint32* x, uint32 value) {
    uint32 found;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(found) : "r"(place_in_block(x)), "r"(value));
    return found;
}

// piece: load_acquire
// Later reads see all that other threads wrote before they released `x`.
__device__ __forceinline__ uint64 load_acquire(const uint64* x) {
    uint64 value;
    asm volatile("ld.acquire.grid.global.u64 %0, [%1];" : "=l"(value) : "l"(x) : "memory");
    return value;
}

// piece: arrive
// Adds to `x` and returns its former value. All that this thread has written or seen before is visible to threads that
// acquire `x`.
__device__ __forceinline__ uint64 arrive(uint64* x, uint64 value) {
    uint64 before;
    asm volatile("atom.release.grid.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(x), "l"(value) : "memory");
    return before;
}

// piece: arrive_without_result
// Adds 1, as `arrive`, without a result.
__device__ __forceinline__ void arrive_without_result(uint64* x) {
    asm volatile("red.release.grid.global.add.u64 [%0], 1;" : : "l"(x) : "memory");
}

// piece: wait_for_arrivals
// Spins until `x` counts `target` arrivals. Returns its value.
__device__ __forceinline__ uint64 wait_for_arrivals(const uint64* x, uint64 target) {
    uint64 value = load_acquire(x);
    while ((value & ARRIVALS) < target) { value = load_acquire(x); }
    return value;
}

// piece: is_last_of_gpu
// Counts the arrival of a block at a word of its GPU. Returns whether all blocks of the GPU have arrived, by which it has
// seen what they wrote before; the word is 0 again.
__device__ __forceinline__ bool is_last_of_gpu() {
    uint32 before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(gdsl_place[64]), "r"(gridDim.x - 1) : "memory");
    return before == gridDim.x - 1;
}

// piece: arrive_everywhere_without_result
// Arrives, as `arrive_without_result`, at a word on each GPU, of which `x` is that of the first: each GPU waits at a word in
// its own memory. The last block of a GPU arrives for all of them: where each did so itself, they took turns on the link,
// and each waited until others could see what it had stored on their GPUs.
__device__ __forceinline__ void arrive_everywhere_without_result(uint64* x) {
    if (!is_last_of_gpu()) { return; }
    asm volatile("fence.acq_rel.sys;" : : : "memory");
    const uint64 blocks = gridDim.x;
    for (uint64 gpu = 1; gpu < gdsl_place[2]; ++gpu) {
        asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" : : "l"(gdsl_place[3 + gpu]), "l"(blocks) : "memory");
    }
    asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" : : "l"(x), "l"(blocks) : "memory");
}

// piece: arrive_everywhere
// The same for a block that adds `value`, which is 1 with or without a flag; returns a value that `x` has had. A flag is
// there before the arrival of its block.
__device__ __forceinline__ uint64 arrive_everywhere(uint64* x, uint64 value) {
    if (value > 1) {
        for (uint64 gpu = 1; gpu < gdsl_place[2]; ++gpu) {
            asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" : : "l"(gdsl_place[3 + gpu]), "l"(value - 1) : "memory");
        }
        asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" : : "l"(x), "l"(value - 1) : "memory");
    }
    arrive_everywhere_without_result(x);
    return load_relaxed(x);
}

// piece: wait_here_for_arrivals
// As `wait_for_arrivals`, at this GPU's word.
__device__ __forceinline__ uint64 wait_here_for_arrivals(const uint64* x, uint64 target) {
    const uint64 own = gdsl_place[3];
    return wait_for_arrivals(own == 0 ? x : reinterpret_cast<const uint64*>(gdsl_place[3 + own]), target);
}

// piece: arrive_on_gpu
// Adds to a word at which blocks of one GPU wait, as `arrive` without a result, while all other GPUs wait elsewhere.
__device__ __forceinline__ void arrive_on_gpu(uint64* x, uint64 value) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" : : "l"(x), "l"(value) : "memory");
}

// piece: wait_on_gpu
// As `wait_for_arrivals`, at such a word.
__device__ __forceinline__ uint64 wait_on_gpu(const uint64* x, uint64 target) {
    uint64 value;
    do {
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(x) : "memory");
    } while ((value & ARRIVALS) < target);
    return value;
}

// piece: arrive_with
// Adds `value`, as `arrive`, without a result.
__device__ __forceinline__ void arrive_with(uint64* x, uint64 value) {
    asm volatile("red.release.grid.global.add.u64 [%0], %1;" : : "l"(x), "l"(value) : "memory");
}

// piece: wait_for_field
// Spins until the bits `field` of `x` have at least the value `target`. Returns the whole word.
__device__ __forceinline__ uint64 wait_for_field(const uint64* x, uint64 field, uint64 target) {
    uint64 value = load_acquire(x);
    while ((value & field) < target) { value = load_acquire(x); }
    return value;
}

// piece: prefetch_to_l2
// Prefetches data into the L2 cache.
template <class T>
__device__ __forceinline__ void prefetch_to_l2(const T* x) { asm volatile("prefetch.global.L2 [%0];" : : "l"(x)); }

// piece: or_of_warp
// The bitwise or of all lanes' bits.
__device__ __forceinline__ uint32 or_of_warp(uint32 bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL_WARP, bits);
#else
    for (uint32 step = 16; step > 0; step /= 2) { bits |= __shfl_xor_sync(FULL_WARP, bits, step); }
    return bits;
#endif
}

// piece: cycles
// The multiprocessor's clock. It is cheap to read, and precise enough to space polls and to time operators.
__device__ __forceinline__ uint64 cycles() { return uint64(clock64()); }

// piece: nanoseconds
// The GPU's global timer. It has a coarser resolution than the clock, and is slow to read.
__device__ __forceinline__ uint64 nanoseconds() {
    uint64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// piece: read_host_flag
// Reads host memory, which takes about a microsecond.
__device__ __forceinline__ uint32 read_host_flag(const uint32* flag) { return *static_cast<const volatile uint32*>(flag); }

// piece: exchange_wide
// One 16-byte compare-and-swap of two words at a multiple of 16 bytes. `first` and `second` hold the expected values,
// and the former values afterwards.
__device__ __forceinline__ void exchange_wide(uint64* x, uint64& first, uint64& second, uint64 new_first, uint64 new_second) {
    asm volatile("{ .reg .b128 expected, value, former; mov.b128 expected, {%0, %1}; mov.b128 value, {%3, %4};"
                 " atom.relaxed.grid.global.cas.b128 former, [%2], expected, value; mov.b128 {%0, %1}, former; }"
                 : "+l"(first), "+l"(second) : "l"(x), "l"(new_first), "l"(new_second) : "memory");
}

// piece: load_wide
// Loads both words in one access.
__device__ __forceinline__ void load_wide(const uint64* x, uint64& first, uint64& second) {
    asm volatile("{ .reg .b128 both; ld.relaxed.grid.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(first), "=l"(second) : "l"(x) : "memory");
}

// piece: store_wide
// Stores both words in one access.
__device__ __forceinline__ void store_wide(uint64* x, uint64 first, uint64 second) {
    asm volatile("{ .reg .b128 value; mov.b128 value, {%1, %2}; st.relaxed.grid.global.b128 [%0], value; }"
                 : : "l"(x), "l"(first), "l"(second) : "memory");
}
