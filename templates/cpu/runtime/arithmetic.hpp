// piece: modulo
inline float32 modulo(float32 a, float32 b) { return std::fmod(a, b); }
inline float64 modulo(float64 a, float64 b) { return std::fmod(a, b); }

// piece: wrapping_add wrapping_subtract wrapping_negate
// Signed numbers wrap by -fwrapv and are not converted: g++ 12 vectorizes several sums side by side, as of `reduce_list`, to
// sums without most of their terms where each addition converts to unsigned numbers and back.
inline int32 wrapping_add(int32 a, int32 b) { return a + b; }
inline int64 wrapping_add(int64 a, int64 b) { return a + b; }
inline int32 wrapping_subtract(int32 a, int32 b) { return a - b; }
inline int64 wrapping_subtract(int64 a, int64 b) { return a - b; }

// piece: wrapping_multiply
inline int32 wrapping_multiply(int32 a, int32 b) { return a * b; }
inline int64 wrapping_multiply(int64 a, int64 b) { return a * b; }

// piece: shift_left
// The count is taken modulo the width.
template <class T, class Count>
inline T shift_left(T a, Count count) {
    return T(typename unsigned_of<T>::type(a) << (uint32(count) & (8 * sizeof(T) - 1)));
}

// piece: absolute
inline float32 absolute(float32 a) { return std::fabs(a); }
inline float64 absolute(float64 a) { return std::fabs(a); }

// piece: tangent
template <class T>
inline T tangent(T a) { return std::tan(a); }

// piece: popcount
template <class T>
inline int32 popcount(T a) { return __builtin_popcountll(typename unsigned_of<T>::type(a)); }

// piece: ctz
// The width for 0.
template <class T>
inline int32 ctz(T a) { return a == 0 ? int32(8 * sizeof(T)) : __builtin_ctzll(uint64(a)); }

// piece: convert
// A float as an integer: the nearest integer that fits; NaN becomes 0.
template <class To, class From>
inline To convert(From x) {
    typedef std::numeric_limits<To> limits;
    const From above = std::ldexp(From(1), limits::digits);
    const From below = limits::is_signed ? -above : From(0);
    return x != x ? To(0) : x <= below ? limits::min() : x >= above ? limits::max() : To(x);
}
// Converts through int64, which holds every uint32: with -frounding-math and AVX-512, g++ 12 confuses a constant uint32
// and a constant uint64 whose bits are all ones.
template <>
inline float32 convert<float32, uint32>(uint32 x) { return float32(int64(x)); }
