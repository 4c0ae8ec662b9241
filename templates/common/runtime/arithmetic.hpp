// piece: unsigned_of
template <class T> struct unsigned_of { typedef T type; };
template <> struct unsigned_of<int32> { typedef uint32 type; };
template <> struct unsigned_of<int64> { typedef uint64 type; };

// piece: wrapping_add wrapping_subtract wrapping_negate
// Arithmetic modulo 2^bits, which C++ promises for unsigned types only.
template <class T>
inline T wrapping_add(T a, T b) { return T(typename unsigned_of<T>::type(a) + typename unsigned_of<T>::type(b)); }
template <class T>
inline T wrapping_subtract(T a, T b) { return T(typename unsigned_of<T>::type(a) - typename unsigned_of<T>::type(b)); }
template <class T>
inline T wrapping_negate(T a) { return wrapping_subtract(T(0), a); }

// piece: wrapping_multiply
template <class T>
inline T wrapping_multiply(T a, T b) { return T(typename unsigned_of<T>::type(a) * typename unsigned_of<T>::type(b)); }

// piece: divide
// Integer division towards zero; by zero the result is 0, and the smallest number by -1 wraps.
template <class T>
inline T divide(T a, T b) {
    if (b == 0) { return 0; }
    if (T(-1) < T(0) && b == T(-1)) { return wrapping_subtract(T(0), a); }
    return a / b;
}

// piece: modulo
// The remainder of a division that rounds toward zero, so with the sign of `a`; by zero it is 0.
template <class T>
inline T modulo(T a, T b) { return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b); }

// piece: shift_right
// The count is taken modulo the width; a signed number shifts right with its sign.
template <class T, class Count>
inline T shift_right(T a, Count count) { return T(a >> (uint32(count) & (8 * sizeof(T) - 1))); }

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
inline T add_saturating(T a, T b) {
    const T inf = largest_of<T>::value;
    if (a == inf || b == inf) { return inf; }
    const T wrapped = wrapping_add(a, b);
    return b < 0 ? (wrapped > a ? smallest_of<T>::value : wrapped) : (wrapped < a ? inf : wrapped);
}
template <class T>
inline T subtract_saturating(T a, T b) {
    const T inf = largest_of<T>::value;
    if (a == inf) { return inf; }
    if (b == inf) { return smallest_of<T>::value; }
    const T wrapped = wrapping_subtract(a, b);
    return b < 0 ? (wrapped < a ? inf : wrapped) : (wrapped > a ? smallest_of<T>::value : wrapped);
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

// piece: from_id to_id
// Ids are unsigned with `none` as all ones: `none` becomes -1, and what is none of the `count` ids becomes `none`.
template <class To, class Id>
inline To from_id(Id x) { return x == Id(-1) ? To(-1) : To(x); }
template <class Id, class From>
inline Id to_id(From x, int64 count) { return uint64(x) < uint64(count) ? Id(x) : Id(-1); }

// piece: number_id
// A literal compared with ids; one that is too large for any stays below `none` and above all others.
template <class Id>
inline Id number_id(uint64 x) { return x < uint64(Id(-2)) ? Id(x) : Id(-2); }

// piece: sum
// `+` of the language, for the reductions.
template <class T>
inline T sum(T a, T b) { return wrapping_add(a, b); }
inline float32 sum(float32 a, float32 b) { return a + b; }
inline float64 sum(float64 a, float64 b) { return a + b; }

// piece: difference
// `-` of the language, for the reductions.
template <class T>
inline T difference(T a, T b) { return wrapping_subtract(a, b); }
inline float32 difference(float32 a, float32 b) { return a - b; }
inline float64 difference(float64 a, float64 b) { return a - b; }

// piece: product
// `*` of the language, for the reductions.
template <class T>
inline T product(T a, T b) { return wrapping_multiply(a, b); }
inline float32 product(float32 a, float32 b) { return a * b; }
inline float64 product(float64 a, float64 b) { return a * b; }
