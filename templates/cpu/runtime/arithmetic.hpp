// piece: unsigned_of
template <class T> struct unsigned_of { typedef T type; };
template <> struct unsigned_of<int32> { typedef uint32 type; };
template <> struct unsigned_of<int64> { typedef uint64 type; };

// piece: wrapping_add wrapping_subtract wrapping_multiply wrapping_negate
// Arithmetic modulo 2^bits, which C++ promises for unsigned types only.
template <class T>
inline T wrapping_add(T a, T b) { return T(typename unsigned_of<T>::type(a) + typename unsigned_of<T>::type(b)); }
template <class T>
inline T wrapping_subtract(T a, T b) { return T(typename unsigned_of<T>::type(a) - typename unsigned_of<T>::type(b)); }
template <class T>
inline T wrapping_multiply(T a, T b) { return T(typename unsigned_of<T>::type(a) * typename unsigned_of<T>::type(b)); }
template <class T>
inline T wrapping_negate(T a) { return wrapping_subtract(T(0), a); }

// piece: divide
// Integer division towards zero; by zero it gives 0, and the smallest number by -1 wraps.
template <class T>
inline T divide(T a, T b) {
    if (b == 0) { return 0; }
    if (T(-1) < T(0) && b == T(-1)) { return wrapping_negate(a); }
    return a / b;
}

// piece: modulo
// The remainder of `divide`, with the sign of `a`; by zero it gives 0.
template <class T>
inline T modulo(T a, T b) { return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b); }
inline float32 modulo(float32 a, float32 b) { return std::fmod(a, b); }
inline float64 modulo(float64 a, float64 b) { return std::fmod(a, b); }

// piece: shift_left shift_right
// The count is taken modulo the width; a signed number shifts right with its sign.
template <class T, class Count>
inline T shift_left(T a, Count count) {
    return T(typename unsigned_of<T>::type(a) << (uint32(count) & (8 * sizeof(T) - 1)));
}
template <class T, class Count>
inline T shift_right(T a, Count count) { return T(a >> (uint32(count) & (8 * sizeof(T) - 1))); }

// piece: add_saturating subtract_saturating
// Sums and differences of a type whose `inf`, its largest number, the program writes: `inf` with anything added is
// `inf`, anything less `inf` the smallest number, and what does not fit the nearest number that does.
template <class T>
inline T add_saturating(T a, T b) {
    const T inf = std::numeric_limits<T>::max();
    if (a == inf || b == inf) { return inf; }
    const T wrapped = wrapping_add(a, b);
    return b < 0 ? (wrapped > a ? std::numeric_limits<T>::min() : wrapped) : (wrapped < a ? inf : wrapped);
}
template <class T>
inline T subtract_saturating(T a, T b) {
    const T inf = std::numeric_limits<T>::max();
    if (a == inf) { return inf; }
    if (b == inf) { return std::numeric_limits<T>::min(); }
    const T wrapped = wrapping_subtract(a, b);
    return b < 0 ? (wrapped < a ? inf : wrapped) : (wrapped > a ? std::numeric_limits<T>::min() : wrapped);
}

// piece: minimum maximum
// Of a number and NaN the number; of equal ones the first.
template <class T>
inline T minimum(T a, T b) { return b < a || a != a ? b : a; }
template <class T>
inline T maximum(T a, T b) { return a < b || a != a ? b : a; }

// piece: least greatest
// The smaller and the larger value, never -0.0: so the order of a reduction cannot be seen.
template <class T>
inline T least(T a, T b) { return minimum(a, b) + T(0); }
template <class T>
inline T greatest(T a, T b) { return maximum(a, b) + T(0); }

// piece: absolute
template <class T>
inline T absolute(T a) { return a < T(0) ? wrapping_negate(a) : a; }
inline float32 absolute(float32 a) { return std::fabs(a); }
inline float64 absolute(float64 a) { return std::fabs(a); }

// piece: convert
// A float as an integer: one that does not fit gives the nearest number that does, NaN gives 0.
template <class To, class From>
inline To convert(From x) {
    typedef std::numeric_limits<To> limits;
    const From above = std::ldexp(From(1), limits::digits);
    const From below = limits::is_signed ? -above : From(0);
    return x != x ? To(0) : x <= below ? limits::min() : x >= above ? limits::max() : To(x);
}
// By way of int64, which holds every uint32: under -frounding-math g++ 12 takes a constant uint32 and a constant uint64
// of which both have nothing but ones for the same number where AVX-512 converts them.
template <>
inline float32 convert<float32, uint32>(uint32 x) { return float32(int64(x)); }

// piece: from_id to_id
// Ids are unsigned with `none` as all ones: `none` becomes -1, and what is none of the `count` ids becomes `none`.
template <class To, class Id>
inline To from_id(Id x) { return x == Id(-1) ? To(-1) : To(x); }
template <class Id, class From>
inline Id to_id(From x, int64 count) { return uint64(x) < uint64(count) ? Id(x) : Id(-1); }

// piece: number_id
// A literal beside ids; one that is too large for any stays below `none` and above all others.
template <class Id>
inline Id number_id(uint64 x) { return x < uint64(Id(-2)) ? Id(x) : Id(-2); }

// piece: sum difference product
// `+ - *` of the language, for the reductions.
template <class T>
inline T sum(T a, T b) { return wrapping_add(a, b); }
inline float32 sum(float32 a, float32 b) { return a + b; }
inline float64 sum(float64 a, float64 b) { return a + b; }
template <class T>
inline T difference(T a, T b) { return wrapping_subtract(a, b); }
inline float32 difference(float32 a, float32 b) { return a - b; }
inline float64 difference(float64 a, float64 b) { return a - b; }
template <class T>
inline T product(T a, T b) { return wrapping_multiply(a, b); }
inline float32 product(float32 a, float32 b) { return a * b; }
inline float64 product(float64 a, float64 b) { return a * b; }
