// CUDA's words for g++: what the generated text, compiled as C++, is given in place of NVRTC's built-in declarations.
// No standard header is included, so that no name of the C library can meet one of a program.
#pragma once

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __forceinline__ inline  // g++ would take many times as long; who called whom, the emulator notes by itself
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __restrict__ __restrict

struct uint3 { unsigned x, y, z; };

#define EMULATOR_MEMBER inline __attribute__((always_inline))
#define EMULATOR_INLINE static EMULATOR_MEMBER

namespace emulator {

// What a thread may ask of itself; the same at every call, so the compiler may keep it.
__attribute__((const)) uint3 thread_index();
__attribute__((const)) uint3 block_index();
__attribute__((const)) uint3 block_size();
__attribute__((const)) uint3 grid_size();
__attribute__((const)) unsigned own_block_index();
__attribute__((const)) unsigned own_block_count();
__attribute__((const)) unsigned own_gpu();
__attribute__((const)) unsigned gpu_count();
__attribute__((const)) bool members_by_owner();  // with every second seed

enum warp_operation : unsigned {
    SYNC, BALLOT, ANY, ALL, SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR, MATCH_ANY,
    ADD, MIN_SIGNED, MAX_SIGNED, MIN_UNSIGNED, MAX_UNSIGNED, AND, OR, XOR
};
enum block_operation : unsigned { BARRIER, BARRIER_OR, BARRIER_AND, BARRIER_COUNT };

// One lane's part of a warp collective; returns when all lanes of `mask` have come.
unsigned long long warp_collective(unsigned operation, unsigned mask, unsigned long long value, unsigned argument);
int block_barrier(unsigned operation, int predicate);
void fence(bool system);
void pause();
unsigned long long clock();
void* shared_storage(unsigned declaration, unsigned long long size);

template <int Size> struct bits_of_size;
template <> struct bits_of_size<1> { typedef unsigned char type; };
template <> struct bits_of_size<2> { typedef unsigned short type; };
template <> struct bits_of_size<4> { typedef unsigned type; };
template <> struct bits_of_size<8> { typedef unsigned long long type; };

template <class T>
EMULATOR_INLINE unsigned long long to_bits(T value) {
    return __builtin_bit_cast(typename bits_of_size<sizeof(T)>::type, value);
}
template <class T>
EMULATOR_INLINE T from_bits(unsigned long long bits) {
    return __builtin_bit_cast(T, typename bits_of_size<sizeof(T)>::type(bits));
}

// Only what CUDA shuffles: 32- and 64-bit numbers.
template <class T> struct shuffled { static constexpr bool value = false; };
template <> struct shuffled<int> { static constexpr bool value = true; };
template <> struct shuffled<unsigned> { static constexpr bool value = true; };
template <> struct shuffled<long> { static constexpr bool value = true; };
template <> struct shuffled<unsigned long> { static constexpr bool value = true; };
template <> struct shuffled<long long> { static constexpr bool value = true; };
template <> struct shuffled<unsigned long long> { static constexpr bool value = true; };
template <> struct shuffled<float> { static constexpr bool value = true; };
template <> struct shuffled<double> { static constexpr bool value = true; };
// A bool becomes an int, as CUDA's overloads make it.
template <class T> struct promoted { typedef T type; };
template <> struct promoted<bool> { typedef int type; };

template <class T>
EMULATOR_INLINE auto shuffle(unsigned operation, unsigned mask, T value, unsigned argument, int width) {
    typedef typename promoted<T>::type word;
    static_assert(shuffled<word>::value, "CUDA has no shuffle of this type");
    if (width != 32) { __builtin_trap(); }
    return from_bits<word>(warp_collective(operation, mask, to_bits(word(value)), argument));
}

// Reads through the non-coherent cache: an error where the same kernel writes.
unsigned long long load_read_only(const void* address, unsigned size);

template <int... I> struct places {};

// Calls a kernel with its arguments by address, as the driver of a GPU is given them.
template <class... Parameters, int... I>
__attribute__((no_sanitize("thread"))) void call(void (*kernel)(Parameters...), void** arguments, places<I...>) {
    kernel(*static_cast<Parameters*>(arguments[I])...);
}
template <class... Parameters>
__attribute__((no_sanitize("thread"))) void call(void (*kernel)(Parameters...), void** arguments) {
    call(kernel, arguments, places<__integer_pack(int(sizeof...(Parameters)))...>());
}

}  // namespace emulator

// Variables as in CUDA, not macros: a program may use their names for its own.
namespace emulator {
template <uint3 (*function)(), unsigned uint3::*member>
struct number {
    EMULATOR_MEMBER operator unsigned() const { return function().*member; }
};
template <uint3 (*function)()>
struct numbers {
    number<function, &uint3::x> x;
    number<function, &uint3::y> y;
    number<function, &uint3::z> z;
};
}  // namespace emulator
static const emulator::numbers<emulator::thread_index> threadIdx = {};
static const emulator::numbers<emulator::block_index> blockIdx = {};
static const emulator::numbers<emulator::block_size> blockDim = {};
static const emulator::numbers<emulator::grid_size> gridDim = {};
constexpr int warpSize = 32;

EMULATOR_INLINE void __syncthreads() { emulator::block_barrier(emulator::BARRIER, 0); }
EMULATOR_INLINE int __syncthreads_or(int p) { return emulator::block_barrier(emulator::BARRIER_OR, p); }
EMULATOR_INLINE int __syncthreads_and(int p) { return emulator::block_barrier(emulator::BARRIER_AND, p); }
EMULATOR_INLINE int __syncthreads_count(int p) { return emulator::block_barrier(emulator::BARRIER_COUNT, p); }
EMULATOR_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { emulator::warp_collective(emulator::SYNC, mask, 0, 0); }
EMULATOR_INLINE unsigned __ballot_sync(unsigned mask, int p) {
    return unsigned(emulator::warp_collective(emulator::BALLOT, mask, p != 0, 0));
}
EMULATOR_INLINE int __any_sync(unsigned mask, int p) {
    return int(emulator::warp_collective(emulator::ANY, mask, p != 0, 0));
}
EMULATOR_INLINE int __all_sync(unsigned mask, int p) {
    return int(emulator::warp_collective(emulator::ALL, mask, p != 0, 0));
}
template <class T>
EMULATOR_INLINE unsigned __match_any_sync(unsigned mask, T value) {
    return unsigned(emulator::warp_collective(emulator::MATCH_ANY, mask, value, 0));
}
template <class T>
EMULATOR_INLINE auto __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    return emulator::shuffle(emulator::SHUFFLE, mask, value, unsigned(lane), width);
}
template <class T>
EMULATOR_INLINE auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return emulator::shuffle(emulator::SHUFFLE_UP, mask, value, delta, width);
}
template <class T>
EMULATOR_INLINE auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    return emulator::shuffle(emulator::SHUFFLE_DOWN, mask, value, delta, width);
}
template <class T>
EMULATOR_INLINE auto __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
    return emulator::shuffle(emulator::SHUFFLE_XOR, mask, value, unsigned(lanes), width);
}
#define EMULATOR_REDUCE(name, T, operation) \
    EMULATOR_INLINE T name(unsigned mask, T value) { \
        return T(emulator::warp_collective(emulator::operation, mask, unsigned(value), 0)); \
    }
EMULATOR_REDUCE(__reduce_add_sync, int, ADD)
EMULATOR_REDUCE(__reduce_add_sync, unsigned, ADD)
EMULATOR_REDUCE(__reduce_min_sync, int, MIN_SIGNED)
EMULATOR_REDUCE(__reduce_min_sync, unsigned, MIN_UNSIGNED)
EMULATOR_REDUCE(__reduce_max_sync, int, MAX_SIGNED)
EMULATOR_REDUCE(__reduce_max_sync, unsigned, MAX_UNSIGNED)
EMULATOR_REDUCE(__reduce_and_sync, unsigned, AND)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, OR)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, XOR)
#undef EMULATOR_REDUCE

EMULATOR_INLINE void __threadfence() { emulator::fence(false); }
EMULATOR_INLINE void __threadfence_block() { emulator::fence(false); }
EMULATOR_INLINE void __threadfence_system() { emulator::fence(true); }
EMULATOR_INLINE void __nanosleep(unsigned) { emulator::pause(); }
EMULATOR_INLINE long long clock64() { return (long long)emulator::clock(); }

template <class T>
EMULATOR_INLINE void __stcs(T* address, T value) {
    *address = value;
}

template <class T>
EMULATOR_INLINE T __ldg(const T* address) {
    return emulator::from_bits<T>(emulator::load_read_only(address, sizeof(T)));
}

// The atomics that CUDA has, and no others.
#define EMULATOR_ATOMIC(name, T) \
    T name(T* address, T value); \
    T name##_system(T* address, T value);
EMULATOR_ATOMIC(atomicAdd, int)
EMULATOR_ATOMIC(atomicAdd, unsigned)
EMULATOR_ATOMIC(atomicAdd, unsigned long long)
EMULATOR_ATOMIC(atomicAdd, float)
EMULATOR_ATOMIC(atomicAdd, double)
EMULATOR_ATOMIC(atomicSub, int)
EMULATOR_ATOMIC(atomicSub, unsigned)
EMULATOR_ATOMIC(atomicMin, int)
EMULATOR_ATOMIC(atomicMin, unsigned)
EMULATOR_ATOMIC(atomicMin, long long)
EMULATOR_ATOMIC(atomicMin, unsigned long long)
EMULATOR_ATOMIC(atomicMax, int)
EMULATOR_ATOMIC(atomicMax, unsigned)
EMULATOR_ATOMIC(atomicMax, long long)
EMULATOR_ATOMIC(atomicMax, unsigned long long)
EMULATOR_ATOMIC(atomicAnd, int)
EMULATOR_ATOMIC(atomicAnd, unsigned)
EMULATOR_ATOMIC(atomicAnd, unsigned long long)
EMULATOR_ATOMIC(atomicOr, int)
EMULATOR_ATOMIC(atomicOr, unsigned)
EMULATOR_ATOMIC(atomicOr, unsigned long long)
EMULATOR_ATOMIC(atomicXor, int)
EMULATOR_ATOMIC(atomicXor, unsigned)
EMULATOR_ATOMIC(atomicXor, unsigned long long)
EMULATOR_ATOMIC(atomicExch, int)
EMULATOR_ATOMIC(atomicExch, unsigned)
EMULATOR_ATOMIC(atomicExch, unsigned long long)
EMULATOR_ATOMIC(atomicExch, float)
#undef EMULATOR_ATOMIC
#define EMULATOR_EXCHANGE(T) \
    T atomicCAS(T* address, T expected, T value); \
    T atomicCAS_system(T* address, T expected, T value);
EMULATOR_EXCHANGE(int)
EMULATOR_EXCHANGE(unsigned)
EMULATOR_EXCHANGE(unsigned long long)
#undef EMULATOR_EXCHANGE

#include "arithmetic.h"
