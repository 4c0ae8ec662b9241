// piece: int32 uint32 int64 uint64 float32 float64 STOP_REQUEST ARRIVALS FULL_WARP
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;

// The word of the grid barrier: arrivals, and above them whether to stop at an even barrier, at an odd one, and whether
// a stop is requested.
constexpr uint64 STOP_EVEN = 1ull << 63, STOP_ODD = 1ull << 62, STOP_REQUEST = 1ull << 61;
constexpr uint64 ARRIVALS = STOP_REQUEST - 1;
constexpr uint32 FULL_WARP = 0xffffffffu;

// piece: smaller larger
// Of a number and NaN the number; of equal ones, as -0.0 and 0.0 are, the first. Said as a choice that compilers do not
// look into: of two minima of integers the assembler of CUDA 13.0 makes one instruction for sm_90 in which it loses the
// sign of a negated one, and of a choice between floats the compiler makes a maximum in which 0.0 is above -0.0.
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
// Without the sign, as bits: the assembler of CUDA 13.0 takes `fabs(x) >= -1` for true, which it is not of NaN.
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
// Hidden from the compiler, which makes a shift by 31 of a product with 2^31, of which the assembler of CUDA 13.0 makes
// a product with -2^31 in loops.
__device__ __forceinline__ uint64 multiplied(uint64 a, uint64 b) {
    uint64 result;
    asm("mul.lo.u64 %0, %1, %2;" : "=l"(result) : "l"(a), "l"(b));
    return result;
}

// piece: negated
// Hidden from the compiler, which takes `a < 0 ? -a : a` for a number that is never negative; the least one stays so.
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
// A read that may meet writes of other threads: never torn, never from a stale cache line.
template <class T>
__device__ __forceinline__ T load_relaxed(const T* x) { return *static_cast<const volatile T*>(x); }

// piece: load_seen
// A read that may meet writes of other threads and be from a cache line of the multiprocessor: as old as the last
// barrier at most, which throws these away.
template <class T>
__device__ __forceinline__ T load_seen(const T* x) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes");
    if constexpr (sizeof(T) == 4) {
        union { uint32 from; T to; } bits;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(bits.from) : "l"(x));
        return bits.to;
    } else {
        union { uint64 from; T to; } bits;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(bits.from) : "l"(x));
        return bits.to;
    }
}

// piece: load_once
// A read of data that is not written at the same time and not needed again: it takes no room in the multiprocessor's
// cache.
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

// piece: own_memory own_bytes
// Dynamic shared memory of the launch, whose size is not known here: it may be empty.
__device__ __forceinline__ void* own_memory() {
    extern __shared__ float4 lent[];
    return lent;
}
__device__ __forceinline__ uint32 own_bytes() {
    uint32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

// piece: store_relaxed
// A write that may meet reads and equal writes of other threads.
template <class T>
__device__ __forceinline__ void store_relaxed(T* x, T value) { *static_cast<volatile T*>(x) = value; }

// piece: load_acquire
// What other threads wrote before they released `x` is seen by what follows.
__device__ __forceinline__ uint64 load_acquire(const uint64* x) {
    uint64 value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(x) : "memory");
    return value;
}

// piece: arrive
// Adds to `x` once all that this thread has written or seen is there for others. Returns what was there.
__device__ __forceinline__ uint64 arrive(uint64* x, uint64 value) {
    uint64 before;
    asm volatile("atom.release.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(x), "l"(value) : "memory");
    return before;
}

// piece: arrive_unasked
// Adds one, and returns nothing.
__device__ __forceinline__ void arrive_unasked(uint64* x) {
    asm volatile("red.release.gpu.global.add.u64 [%0], 1;" : : "l"(x) : "memory");
}

// piece: wait_for_arrivals
// Spins until `x` counts `target` arrivals. Returns what it found.
__device__ __forceinline__ uint64 wait_for_arrivals(const uint64* x, uint64 target) {
    uint64 found = load_acquire(x);
    while ((found & ARRIVALS) < target) { found = load_acquire(x); }
    return found;
}

// piece: arrive_with
// The same with more to add.
__device__ __forceinline__ void arrive_with(uint64* x, uint64 value) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" : : "l"(x), "l"(value) : "memory");
}

// piece: wait_for_field
// Spins until these bits of `x` are as many as `target`. Returns what it found.
__device__ __forceinline__ uint64 wait_for_field(const uint64* x, uint64 field, uint64 target) {
    uint64 found = load_acquire(x);
    while ((found & field) < target) { found = load_acquire(x); }
    return found;
}

// piece: fetch_ahead
// Prefetches into the L2 cache what is read later.
template <class T>
__device__ __forceinline__ void fetch_ahead(const T* x) { asm volatile("prefetch.global.L2 [%0];" : : "l"(x)); }

// piece: or_of_warp
// The bits that any lane of the warp has.
__device__ __forceinline__ uint32 or_of_warp(uint32 bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(FULL_WARP, bits);
#else
    for (uint32 step = 16; step > 0; step /= 2) { bits |= __shfl_xor_sync(FULL_WARP, bits, step); }
    return bits;
#endif
}

// piece: cycles
// The multiprocessor's clock: cheap to read, and good enough to keep polls apart and to see what takes how long.
__device__ __forceinline__ uint64 cycles() { return uint64(clock64()); }

// piece: nanoseconds
// The GPU's clock, which ticks less often and is slow to read.
__device__ __forceinline__ uint64 nanoseconds() {
    uint64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// piece: read_host_flag
// The host's memory, so about a microsecond.
__device__ __forceinline__ uint32 read_host_flag(const uint32* flag) { return *static_cast<const volatile uint32*>(flag); }

// piece: exchange_wide
// One compare-and-swap of two words at a multiple of 16 bytes; what was expected becomes what was found.
__device__ __forceinline__ void exchange_wide(uint64* x, uint64& first, uint64& second, uint64 new_first, uint64 new_second) {
    asm volatile("{ .reg .b128 expected, value, found; mov.b128 expected, {%0, %1}; mov.b128 value, {%3, %4};"
                 " atom.relaxed.gpu.global.cas.b128 found, [%2], expected, value; mov.b128 {%0, %1}, found; }"
                 : "+l"(first), "+l"(second) : "l"(x), "l"(new_first), "l"(new_second) : "memory");
}

// piece: load_wide
// Both words of one moment.
__device__ __forceinline__ void load_wide(const uint64* x, uint64& first, uint64& second) {
    asm volatile("{ .reg .b128 found; ld.relaxed.gpu.global.b128 found, [%2]; mov.b128 {%0, %1}, found; }"
                 : "=l"(first), "=l"(second) : "l"(x) : "memory");
}

// piece: store_wide
// Both words in one access.
__device__ __forceinline__ void store_wide(uint64* x, uint64 first, uint64 second) {
    asm volatile("{ .reg .b128 value; mov.b128 value, {%1, %2}; st.relaxed.gpu.global.b128 [%0], value; }"
                 : : "l"(x), "l"(first), "l"(second) : "memory");
}
