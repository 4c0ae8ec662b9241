// What stands in templates/cuda/runtime/platform.cuh, for the emulator: the same names with the same meaning.
#pragma once

// Which functions of the text have the scope of the system, as `translate` in build.py found.
#ifndef EMULATOR_SYSTEM
#define EMULATOR_SYSTEM 0
#endif
enum : unsigned {
    SYSTEM_LOAD_ACQUIRE = 1, SYSTEM_ARRIVE = 2, SYSTEM_ARRIVE_WITHOUT_RESULT = 4, SYSTEM_ARRIVE_WITH = 8,
    SYSTEM_EXCHANGE_WIDE = 16, SYSTEM_LOAD_WIDE = 32, SYSTEM_STORE_WIDE = 64, SYSTEM_ARRIVE_EVERYWHERE = 128,
    SYSTEM_ARRIVE_EVERYWHERE_WITHOUT_RESULT = 256
};
constexpr bool has_system_scope(unsigned function) { return ((EMULATOR_SYSTEM) & function) != 0; }

typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long long int64;
typedef unsigned long long uint64;
typedef float float32;
typedef double float64;

constexpr uint64 STOP_EVEN = 1ull << 63, STOP_ODD = 1ull << 62, STOP_REQUEST = 1ull << 61;
constexpr uint64 ARRIVALS = STOP_REQUEST - 1;
constexpr uint32 FULL_WARP = 0xffffffffu;

namespace emulator {
unsigned long long load(const void* address, unsigned size, bool acquire, bool system);
unsigned long long load_cached(const void* address, unsigned size);
void fetch(const void* address);
void store(void* address, unsigned size, unsigned long long bits, bool release);
unsigned long long wait_for_field(const unsigned long long* address, unsigned long long field, unsigned long long target,
                                  bool system);
unsigned read_host(const unsigned* flag);
void load_wide(const unsigned long long* address, unsigned long long* words, bool system);
void store_wide(unsigned long long* address, const unsigned long long* words, bool system);
void exchange_wide(unsigned long long* address, unsigned long long* expected, const unsigned long long* words,
                   bool system);
}  // namespace emulator

__device__ __forceinline__ uint32 block_index() { return blockIdx.x; }
__device__ __forceinline__ uint32 block_count() { return gridDim.x; }
__device__ __forceinline__ uint32 all_block_count() { return gridDim.x; }
__device__ __forceinline__ uint32 own_block_index() { return emulator::own_block_index(); }
__device__ __forceinline__ uint32 own_block_count() { return emulator::own_block_count(); }
__device__ __forceinline__ uint64 own_gpu() { return emulator::own_gpu(); }
__device__ __forceinline__ uint64 gpu_count() { return emulator::gpu_count(); }
__device__ __forceinline__ uint64 all_gpu_count() { return emulator::gpu_count(); }
__device__ __forceinline__ bool all_by_owner() { return emulator::members_by_owner(); }
__device__ __forceinline__ bool members_by_owner() { return emulator::members_by_owner(); }
template <class T>
__device__ __forceinline__ T smaller(T a, T b) { return b < a || a != a ? b : a; }
template <class T>
__device__ __forceinline__ T larger(T a, T b) { return a < b || a != a ? b : a; }
__device__ __forceinline__ float32 magnitude(float32 a) { return __builtin_fabsf(a); }
__device__ __forceinline__ float64 magnitude(float64 a) { return __builtin_fabs(a); }
__device__ __forceinline__ uint64 multiplied(uint64 a, uint64 b) { return a * b; }
__device__ __forceinline__ int32 negated(int32 a) { return int32(0u - uint32(a)); }
__device__ __forceinline__ int64 negated(int64 a) { return int64(0ull - uint64(a)); }
template <class T>
__device__ __forceinline__ T load_relaxed(const T* x) {
    return emulator::from_bits<T>(emulator::load(x, sizeof(T), false, true));
}
template <class T>
__device__ __forceinline__ T load_cached(const T* x) {
    return emulator::from_bits<T>(emulator::load_cached(x, sizeof(T)));
}
template <class T>
__device__ __forceinline__ T load_gathered(const T* x) { return load_cached(x); }
template <class T>
__device__ __forceinline__ void store_relaxed(T* x, T value) {
    emulator::store(x, sizeof(T), emulator::to_bits(value), false);
}
template <class T>
__device__ __forceinline__ T load_in_block(const T* x) { return load_relaxed(x); }
template <class T>
__device__ __forceinline__ void store_in_block(T* x, T value) { store_relaxed(x, value); }
__device__ __forceinline__ uint32 swap_in_block(uint32* x, uint32 former, uint32 value) { return atomicCAS(x, former, value); }
__device__ __forceinline__ uint64 swap_in_block(uint64* x, uint64 former, uint64 value) { return atomicCAS(x, former, value); }
__device__ __forceinline__ int32 swap_in_block(int32* x, int32 former, int32 value) {
    return int32(atomicCAS(reinterpret_cast<uint32*>(x), uint32(former), uint32(value)));
}
__device__ __forceinline__ int64 swap_in_block(int64* x, int64 former, int64 value) {
    return int64(atomicCAS(reinterpret_cast<uint64*>(x), uint64(former), uint64(value)));
}
__device__ __forceinline__ uint32 add_word_in_block(uint32* x, uint32 value) { return atomicAdd(x, value); }
__device__ __forceinline__ uint64 load_acquire(const uint64* x) {
    return emulator::load(x, sizeof(uint64), true, has_system_scope(SYSTEM_LOAD_ACQUIRE));
}
__device__ __forceinline__ void store_release(uint64* x, uint64 value) {
    emulator::store(x, sizeof(uint64), value, true);
}
__device__ __forceinline__ uint64 wait_for_arrivals(const uint64* x, uint64 target) {
    return emulator::wait_for_field(x, ARRIVALS, target, has_system_scope(SYSTEM_LOAD_ACQUIRE));
}
__device__ __forceinline__ uint64 wait_for_field(const uint64* x, uint64 field, uint64 target) {
    return emulator::wait_for_field(x, field, target, has_system_scope(SYSTEM_LOAD_ACQUIRE));
}
__device__ __forceinline__ uint32 or_of_warp(uint32 bits) { return __reduce_or_sync(FULL_WARP, bits); }
template <class T>
__device__ __forceinline__ T load_once(const T* x) { return *x; }
template <class T>
__device__ __forceinline__ void at_hand(T&) {}
constexpr uint32 OWN_BYTES = 64;
__device__ __forceinline__ void* dynamic_shared_memory() { return emulator::shared_storage(1 << 10, OWN_BYTES); }
__device__ __forceinline__ uint32 dynamic_shared_bytes() { return OWN_BYTES; }
template <class T>
__device__ __forceinline__ void prefetch_to_l2(const T* x) { emulator::fetch(x); }
template <bool system>
__device__ __forceinline__ uint64 add_and_release(uint64* x, uint64 value) {
    emulator::fence(system);
    return system ? atomicAdd_system(x, value) : atomicAdd(x, value);
}
__device__ __forceinline__ uint64 arrive(uint64* x, uint64 value) {
    return add_and_release<has_system_scope(SYSTEM_ARRIVE)>(x, value);
}
__device__ __forceinline__ void arrive_without_result(uint64* x) {
    add_and_release<has_system_scope(SYSTEM_ARRIVE_WITHOUT_RESULT)>(x, 1);
}
__device__ __forceinline__ void arrive_with(uint64* x, uint64 value) {
    add_and_release<has_system_scope(SYSTEM_ARRIVE_WITH)>(x, value);
}
// One word stands for those of all GPUs: the emulator's memory is equally near to each.
__device__ __forceinline__ uint64 arrive_everywhere(uint64* x, uint64 value) {
    return add_and_release<has_system_scope(SYSTEM_ARRIVE_EVERYWHERE)>(x, value);
}
__device__ __forceinline__ void arrive_everywhere_without_result(uint64* x) {
    add_and_release<has_system_scope(SYSTEM_ARRIVE_EVERYWHERE_WITHOUT_RESULT)>(x, 1);
}
__device__ __forceinline__ uint64 wait_here_for_arrivals(const uint64* x, uint64 target) {
    return wait_for_arrivals(x, target);
}
// Of blocks of one GPU, whatever else has the scope of the system.
__device__ __forceinline__ void arrive_on_gpu(uint64* x, uint64 value) { add_and_release<false>(x, value); }
__device__ __forceinline__ uint64 wait_on_gpu(const uint64* x, uint64 target) {
    return emulator::wait_for_field(x, ARRIVALS, target, false);
}
__device__ __forceinline__ uint64 cycles() { return emulator::clock(); }
__device__ __forceinline__ uint64 nanoseconds() { return emulator::clock(); }
__device__ __forceinline__ uint32 read_host_flag(const uint32* flag) { return emulator::read_host(flag); }
__device__ __forceinline__ void load_wide(const uint64* x, uint64& first, uint64& second) {
    uint64 words[2];
    emulator::load_wide(x, words, has_system_scope(SYSTEM_LOAD_WIDE));
    first = words[0];
    second = words[1];
}
__device__ __forceinline__ void store_wide(uint64* x, uint64 first, uint64 second) {
    const uint64 words[2] = {first, second};
    emulator::store_wide(x, words, has_system_scope(SYSTEM_STORE_WIDE));
}
__device__ __forceinline__ void exchange_wide(uint64* x, uint64& first, uint64& second, uint64 new_first, uint64 new_second) {
    uint64 expected[2] = {first, second};
    const uint64 words[2] = {new_first, new_second};
    emulator::exchange_wide(x, expected, words, has_system_scope(SYSTEM_EXCHANGE_WIDE));
    first = expected[0];
    second = expected[1];
}
__device__ __forceinline__ void pause() { emulator::pause(); }
