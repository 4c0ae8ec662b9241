// CUDA's arithmetic functions without side effects.
#pragma once

EMULATOR_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
EMULATOR_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
EMULATOR_INLINE int __ffs(int x) { return __builtin_ffs(x); }
EMULATOR_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
EMULATOR_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
EMULATOR_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
EMULATOR_INLINE unsigned long long __brevll(unsigned long long x) {
    unsigned long long reversed = 0;
    for (int i = 0; i < 64; ++i) { reversed |= (x >> i & 1) << (63 - i); }
    return reversed;
}
EMULATOR_INLINE unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
EMULATOR_INLINE unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
EMULATOR_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

EMULATOR_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
EMULATOR_INLINE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
EMULATOR_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
EMULATOR_INLINE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
EMULATOR_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
EMULATOR_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }

#define EMULATOR_MINMAX(T) \
    EMULATOR_INLINE T min(T a, T b) { return b < a ? b : a; } \
    EMULATOR_INLINE T max(T a, T b) { return a < b ? b : a; }
EMULATOR_MINMAX(int)
EMULATOR_MINMAX(unsigned)
EMULATOR_MINMAX(long long)
EMULATOR_MINMAX(unsigned long long)
#undef EMULATOR_MINMAX
EMULATOR_INLINE float min(float a, float b) { return __builtin_fminf(a, b); }
EMULATOR_INLINE float max(float a, float b) { return __builtin_fmaxf(a, b); }
EMULATOR_INLINE double min(double a, double b) { return __builtin_fmin(a, b); }
EMULATOR_INLINE double max(double a, double b) { return __builtin_fmax(a, b); }

// float overloads beside the functions of C, as CUDA has them.
#define EMULATOR_MATH(name) \
    EMULATOR_INLINE float name##f(float x) { return __builtin_##name##f(x); } \
    EMULATOR_INLINE double name(double x) { return __builtin_##name(x); } \
    EMULATOR_INLINE float name(float x) { return __builtin_##name##f(x); }
EMULATOR_MATH(fabs)
EMULATOR_MATH(floor)
EMULATOR_MATH(ceil)
EMULATOR_MATH(sqrt)
EMULATOR_MATH(exp)
EMULATOR_MATH(log)
EMULATOR_MATH(trunc)
EMULATOR_MATH(sin)
EMULATOR_MATH(cos)
EMULATOR_MATH(tan)
EMULATOR_MATH(asin)
EMULATOR_MATH(acos)
EMULATOR_MATH(atan)
EMULATOR_MATH(sinh)
EMULATOR_MATH(cosh)
EMULATOR_MATH(tanh)
#undef EMULATOR_MATH
#define EMULATOR_MATH(name) \
    EMULATOR_INLINE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
    EMULATOR_INLINE double name(double x, double y) { return __builtin_##name(x, y); } \
    EMULATOR_INLINE float name(float x, float y) { return __builtin_##name##f(x, y); }
EMULATOR_MATH(pow)
EMULATOR_MATH(atan2)
EMULATOR_MATH(fmod)
EMULATOR_MATH(fmin)
EMULATOR_MATH(fmax)
#undef EMULATOR_MATH
