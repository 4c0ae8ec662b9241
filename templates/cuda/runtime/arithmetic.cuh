// piece: divide
// Integer division towards zero; by zero it gives 0, and the smallest number by -1 wraps.
template <class T>
__device__ __forceinline__ T divide(T a, T b) {
    if (b == 0) { return 0; }
    if (T(-1) < T(0) && b == T(-1)) { return wrapping_subtract(T(0), a); }
    return a / b;
}

// piece: modulo
// The remainder of `divide`, with the sign of `a`; by zero it gives 0.
template <class T>
__device__ __forceinline__ T modulo(T a, T b) { return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b); }
__device__ __forceinline__ float32 modulo(float32 a, float32 b) { return fmodf(a, b); }
__device__ __forceinline__ float64 modulo(float64 a, float64 b) { return fmod(a, b); }

// piece: unsigned_of
template <class T> struct unsigned_of { typedef T type; };
template <> struct unsigned_of<int32> { typedef uint32 type; };
template <> struct unsigned_of<int64> { typedef uint64 type; };

// piece: wrapping_add wrapping_subtract wrapping_negate
// Arithmetic modulo 2^bits, which C++ promises for unsigned types only.
template <class T>
__device__ __forceinline__ T wrapping_add(T a, T b) { return T(typename unsigned_of<T>::type(a) + typename unsigned_of<T>::type(b)); }
template <class T>
__device__ __forceinline__ T wrapping_subtract(T a, T b) { return T(typename unsigned_of<T>::type(a) - typename unsigned_of<T>::type(b)); }
template <class T>
__device__ __forceinline__ T wrapping_negate(T a) { return wrapping_subtract(T(0), a); }
__device__ __forceinline__ int32 wrapping_negate(int32 a) { return negated(a); }
__device__ __forceinline__ int64 wrapping_negate(int64 a) { return negated(a); }

// piece: wrapping_multiply
template <class T>
__device__ __forceinline__ T wrapping_multiply(T a, T b) { return T(typename unsigned_of<T>::type(a) * typename unsigned_of<T>::type(b)); }
__device__ __forceinline__ uint64 wrapping_multiply(uint64 a, uint64 b) { return multiplied(a, b); }
__device__ __forceinline__ int64 wrapping_multiply(int64 a, int64 b) { return int64(multiplied(uint64(a), uint64(b))); }

// piece: shift_left shift_right
// The count is taken modulo the width; a signed number shifts right with its sign. Wide numbers are multiplied by what
// a one is shifted to, for the reason that `multiplied` gives.
template <class T, class Count>
__device__ __forceinline__ T shift_left(T a, Count count) {
    const uint32 places = uint32(count) & (8 * sizeof(T) - 1);
    return sizeof(T) == 8 ? T(multiplied(uint64(a), 1ull << places)) : T(typename unsigned_of<T>::type(a) << places);
}
template <class T, class Count>
__device__ __forceinline__ T shift_right(T a, Count count) { return T(a >> (uint32(count) & (8 * sizeof(T) - 1))); }

// piece: largest_of
template <class T> struct largest_of;
template <> struct largest_of<int32> { static constexpr int32 value = 0x7fffffff; };
template <> struct largest_of<uint32> { static constexpr uint32 value = 0xffffffffu; };
template <> struct largest_of<int64> { static constexpr int64 value = 0x7fffffffffffffffll; };
template <> struct largest_of<uint64> { static constexpr uint64 value = 0xffffffffffffffffull; };

// piece: smallest_of
template <class T> struct smallest_of { static constexpr T value = 0; };
template <> struct smallest_of<int32> { static constexpr int32 value = -0x7fffffff - 1; };
template <> struct smallest_of<int64> { static constexpr int64 value = -0x7fffffffffffffffll - 1; };

// piece: add_saturating subtract_saturating
// Sums and differences of a type whose `inf`, its largest number, the program writes: `inf` with anything added is
// `inf`, anything less `inf` the smallest number, and what does not fit the nearest number that does.
template <class T>
__device__ __forceinline__ T add_saturating(T a, T b) {
    const T inf = largest_of<T>::value;
    if (a == inf || b == inf) { return inf; }
    const T wrapped = wrapping_add(a, b);
    return b < 0 ? (wrapped > a ? smallest_of<T>::value : wrapped) : (wrapped < a ? inf : wrapped);
}
template <class T>
__device__ __forceinline__ T subtract_saturating(T a, T b) {
    const T inf = largest_of<T>::value;
    if (a == inf) { return inf; }
    if (b == inf) { return smallest_of<T>::value; }
    const T wrapped = wrapping_subtract(a, b);
    return b < 0 ? (wrapped < a ? inf : wrapped) : (wrapped > a ? smallest_of<T>::value : wrapped);
}

// piece: minimum maximum
// Of a number and NaN the number; of equal ones the first.
template <class T>
__device__ __forceinline__ T minimum(T a, T b) { return b < a || a != a ? b : a; }
__device__ __forceinline__ int32 minimum(int32 a, int32 b) { return smaller(a, b); }
__device__ __forceinline__ float32 minimum(float32 a, float32 b) { return smaller(a, b); }
__device__ __forceinline__ float64 minimum(float64 a, float64 b) { return smaller(a, b); }
template <class T>
__device__ __forceinline__ T maximum(T a, T b) { return a < b || a != a ? b : a; }
__device__ __forceinline__ int32 maximum(int32 a, int32 b) { return larger(a, b); }
__device__ __forceinline__ float32 maximum(float32 a, float32 b) { return larger(a, b); }
__device__ __forceinline__ float64 maximum(float64 a, float64 b) { return larger(a, b); }

// piece: least greatest
// The smaller and the larger value, never -0.0: so the order of a reduction cannot be seen.
template <class T>
__device__ __forceinline__ T least(T a, T b) { return minimum(a, b) + T(0); }
template <class T>
__device__ __forceinline__ T greatest(T a, T b) { return maximum(a, b) + T(0); }

// piece: absolute
template <class T>
__device__ __forceinline__ T absolute(T a) { return a < T(0) ? wrapping_negate(a) : a; }
__device__ __forceinline__ float32 absolute(float32 a) { return magnitude(a); }
__device__ __forceinline__ float64 absolute(float64 a) { return magnitude(a); }

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

// piece: from_id to_id
// Ids are unsigned with `none` as all ones: `none` becomes -1, and what is none of the `count` ids becomes `none`.
template <class To, class Id>
__device__ __forceinline__ To from_id(Id x) { return x == Id(-1) ? To(-1) : To(x); }
template <class Id, class From>
__device__ __forceinline__ Id to_id(From x, int64 count) { return uint64(x) < uint64(count) ? Id(x) : Id(-1); }

// piece: number_id
// A literal beside ids; one that is too large for any stays below `none` and above all others.
template <class Id>
__device__ __forceinline__ Id number_id(uint64 x) { return x < uint64(Id(-2)) ? Id(x) : Id(-2); }

// piece: FLOAT32_INF
#define FLOAT32_INF __int_as_float(0x7f800000)

// piece: FLOAT64_INF
#define FLOAT64_INF __longlong_as_double(0x7ff0000000000000ll)
