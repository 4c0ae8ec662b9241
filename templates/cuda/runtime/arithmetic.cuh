// piece: modulo
__device__ __forceinline__ float32 modulo(float32 a, float32 b) { return fmodf(a, b); }
__device__ __forceinline__ float64 modulo(float64 a, float64 b) { return fmod(a, b); }

// piece: wrapping_add wrapping_subtract wrapping_negate
__device__ __forceinline__ int32 wrapping_negate(int32 a) { return negated(a); }
__device__ __forceinline__ int64 wrapping_negate(int64 a) { return negated(a); }

// piece: wrapping_multiply
__device__ __forceinline__ uint64 wrapping_multiply(uint64 a, uint64 b) { return multiplied(a, b); }
__device__ __forceinline__ int64 wrapping_multiply(int64 a, int64 b) { return int64(multiplied(uint64(a), uint64(b))); }

// piece: shift_left
// The count is taken modulo the width. Wide numbers are multiplied by what a one is shifted to, for the reason that
// `multiplied` gives.
template <class T, class Count>
__device__ __forceinline__ T shift_left(T a, Count count) {
    const uint32 places = uint32(count) & (8 * sizeof(T) - 1);
    return sizeof(T) == 8 ? T(multiplied(uint64(a), 1ull << places)) : T(typename unsigned_of<T>::type(a) << places);
}

// piece: minimum maximum
__device__ __forceinline__ int32 minimum(int32 a, int32 b) { return smaller(a, b); }
__device__ __forceinline__ float32 minimum(float32 a, float32 b) { return smaller(a, b); }
__device__ __forceinline__ float64 minimum(float64 a, float64 b) { return smaller(a, b); }
__device__ __forceinline__ int32 maximum(int32 a, int32 b) { return larger(a, b); }
__device__ __forceinline__ float32 maximum(float32 a, float32 b) { return larger(a, b); }
__device__ __forceinline__ float64 maximum(float64 a, float64 b) { return larger(a, b); }

// piece: absolute
__device__ __forceinline__ float32 absolute(float32 a) { return magnitude(a); }
__device__ __forceinline__ float64 absolute(float64 a) { return magnitude(a); }

// piece: tangent
// Of a float32 by way of float64: CUDA's own may be 4 units in the last place off, and so may not differ from others'.
__device__ __forceinline__ float32 tangent(float32 a) { return float32(tan(float64(a))); }
__device__ __forceinline__ float64 tangent(float64 a) { return tan(a); }

// piece: popcount
template <class T>
__device__ __forceinline__ int32 popcount(T a) { return sizeof(T) == 8 ? __popcll(uint64(a)) : __popc(uint32(a)); }

// piece: ctz
// Of 0 the width.
template <class T>
__device__ __forceinline__ int32 ctz(T a) {
    return a == 0 ? int32(8 * sizeof(T)) : sizeof(T) == 8 ? __ffsll(int64(a)) - 1 : __ffs(int32(a)) - 1;
}

// piece: convert
// The conversions of the language: a float that does not fit gives the nearest number that does, NaN gives 0.
template <class To, class From>
struct conversion { static __device__ __forceinline__ To of(From x) { return To(x); } };
template <class From>
struct conversion<bool, From> { static __device__ __forceinline__ bool of(From x) { return x != From(0); } };
template <class To, class From>
__device__ __forceinline__ To convert_float(From x, From below, From above, To least, To most) {
    return x != x ? To(0) : x <= below ? least : x >= above ? most : To(x);
}
template <class From>
__device__ __forceinline__ int32 float_to(From x, int32) {
    return convert_float<int32, From>(x, From(-2147483648.0), From(2147483648.0), -0x7fffffff - 1, 0x7fffffff);
}
template <class From>
__device__ __forceinline__ uint32 float_to(From x, uint32) {
    return convert_float<uint32, From>(x, From(0.0), From(4294967296.0), 0u, 0xffffffffu);
}
template <class From>
__device__ __forceinline__ int64 float_to(From x, int64) {
    return convert_float<int64, From>(x, From(-9223372036854775808.0), From(9223372036854775808.0),
                                      -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll);
}
template <class From>
__device__ __forceinline__ uint64 float_to(From x, uint64) {
    return convert_float<uint64, From>(x, From(0.0), From(18446744073709551616.0), 0ull, 0xffffffffffffffffull);
}
template <> struct conversion<int32, float32> { static __device__ __forceinline__ int32 of(float32 x) { return float_to(x, int32()); } };
template <> struct conversion<uint32, float32> { static __device__ __forceinline__ uint32 of(float32 x) { return float_to(x, uint32()); } };
template <> struct conversion<int64, float32> { static __device__ __forceinline__ int64 of(float32 x) { return float_to(x, int64()); } };
template <> struct conversion<uint64, float32> { static __device__ __forceinline__ uint64 of(float32 x) { return float_to(x, uint64()); } };
template <> struct conversion<int32, float64> { static __device__ __forceinline__ int32 of(float64 x) { return float_to(x, int32()); } };
template <> struct conversion<uint32, float64> { static __device__ __forceinline__ uint32 of(float64 x) { return float_to(x, uint32()); } };
template <> struct conversion<int64, float64> { static __device__ __forceinline__ int64 of(float64 x) { return float_to(x, int64()); } };
template <> struct conversion<uint64, float64> { static __device__ __forceinline__ uint64 of(float64 x) { return float_to(x, uint64()); } };
template <class To, class From>
__device__ __forceinline__ To convert(From x) { return conversion<To, From>::of(x); }

// piece: FLOAT32_INF
#define FLOAT32_INF __int_as_float(0x7f800000)

// piece: FLOAT64_INF
#define FLOAT64_INF __longlong_as_double(0x7ff0000000000000ll)
