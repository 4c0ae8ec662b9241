// piece: load_now
// `now a[i]`: some value from before the operator or written during it.
template <class T>
__device__ __forceinline__ T load_now(const T* x) { return load_relaxed(x); }

// piece: store_shared
// A plain store to a place that other threads may write, too: all store the same value, or any of them may win.
template <class T>
__device__ __forceinline__ void store_shared(T* x, T value) { store_relaxed(x, value); }

// piece: bits_of
// The bits of a value as another type of the same size.
template <class To, class From>
__device__ __forceinline__ To bits_of(From x) {
    union { From from; To to; } bits;
    bits.from = x;
    return bits.to;
}

// piece: word_of_size exchange_word
// One compare-and-swap on the bits of a value; a bool is a byte of an aligned 32-bit word.
template <int Size> struct word_of_size;
template <> struct word_of_size<4> { typedef uint32 type; };
template <> struct word_of_size<8> { typedef uint64 type; };
template <class T>
__device__ __forceinline__ bool exchange_word(T* x, T former, T value) {
    typedef typename word_of_size<sizeof(T)>::type word;
    const word expected = bits_of<word>(former);
    return atomicCAS_grid(reinterpret_cast<word*>(x), expected, bits_of<word>(value)) == expected;
}
__device__ __forceinline__ bool exchange_word(bool* x, bool former, bool value) {
    const uint64 address = reinterpret_cast<uint64>(x);
    uint32* const word = reinterpret_cast<uint32*>(address & ~3ull);
    const uint32 shift = 8 * uint32(address & 3), mask = 0xffu << shift;
    uint32 found = load_relaxed(word);
    while ((found & mask) == uint32(former) << shift) {
        const uint32 before = atomicCAS_grid(word, found, (found & ~mask) | uint32(value) << shift);
        if (before == found) { return true; }
        found = before;
    }
    return false;
}

// piece: compare_and_swap
// True for the one call that changes `x` from `old` to `value`.
template <class T>
__device__ __forceinline__ bool compare_and_swap(T* x, T old, T value) {
    while (true) {
        const T former = load_relaxed(x);
        if (former != old) { return false; }
        if (exchange_word(x, former, value)) { return true; }
    }
}

// piece: claim_alone
// Changes `x` from `old` to `value` where no other thread does: whether it was `old`.
template <class T>
__device__ __forceinline__ bool claim_alone(T* x, T old, T value) {
    const bool claims = load_relaxed(x) == old;
    if (claims) { store_relaxed(x, value); }
    return claims;
}

// piece: claim
// True for the one call that changes `x`, which is not a float, from `old` to `value`. With `few` members the value is
// not read first: a losing thread learns this from the compare-and-swap.
template <class T>
__device__ __forceinline__ bool claim(T* x, T old, T value, bool few) {
    return (few || load_relaxed(x) == old) && exchange_word(x, old, value);
}

// piece: reduce_by_exchange
// Any reduction, by compare-and-swap; returns the former value.
template <class T, class Combine>
__device__ __forceinline__ T reduce_by_exchange(T* x, T value, Combine combine) {
    while (true) {
        const T former = load_relaxed(x);
        const T combined = combine(former, value);
        if (bits_equal(former, combined) || exchange_word(x, former, combined)) { return former; }
    }
}

// piece: bits_equal
// Compares bits for floats, too: == does not distinguish the two zeros, but a division does.
template <class T>
__device__ __forceinline__ bool bits_equal(T a, T b) {
    typedef typename word_of_size<sizeof(T)>::type word;
    return bits_of<word>(a) == bits_of<word>(b);
}
__device__ __forceinline__ bool bits_equal(bool a, bool b) { return a == b; }

// piece: lower_to
// The minimum, if it is less than `former`, the value read before: most updates of a minimum do not change it. Returns
// the previous value. `+ T(0)`: -0.0 counts as 0.0.
template <class T>
__device__ __forceinline__ T lower_to(T* x, T value, T former) { return value < former ? atomicMin_grid(x, value) : former; }
template <class T>
__device__ __forceinline__ T lower_float_to(T* x, T value, T former) {
    const bool lower = value < former || former != former;
    return lower ? reduce_by_exchange(x, value + T(0), [](T a, T b) { return minimum(a, b); }) : former;
}
__device__ __forceinline__ float64 lower_to(float64* x, float64 value, float64 former) { return lower_float_to(x, value, former); }
__device__ __forceinline__ float32 lower_to(float32* x, float32 value, float32 former) {
    // Non-negative floats are ordered like their bits.
    if (!(value < former) && former == former) { return former; }
    if (value > 0 && former == former) { return __int_as_float(atomicMin_grid(reinterpret_cast<int32*>(x), __float_as_int(value))); }
    return lower_float_to(x, value, former);
}

// piece: reduce_min
template <class T>
__device__ __forceinline__ T reduce_min(T* x, T value) { return lower_to(x, value, load_relaxed(x)); }

// piece: raise_to
// The same for a maximum.
template <class T>
__device__ __forceinline__ T raise_to(T* x, T value, T former) { return former < value ? atomicMax_grid(x, value) : former; }
template <class T>
__device__ __forceinline__ T raise_float_to(T* x, T value, T former) {
    const bool higher = former < value || former != former;
    return higher ? reduce_by_exchange(x, value + T(0), [](T a, T b) { return maximum(a, b); }) : former;
}
__device__ __forceinline__ float32 raise_to(float32* x, float32 value, float32 former) { return raise_float_to(x, value, former); }
__device__ __forceinline__ float64 raise_to(float64* x, float64 value, float64 former) { return raise_float_to(x, value, former); }

// piece: reduce_max
template <class T>
__device__ __forceinline__ T reduce_max(T* x, T value) { return raise_to(x, value, load_relaxed(x)); }

// piece: reduce_add reduce_subtract
template <class T>
__device__ __forceinline__ T reduce_add(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    return T(atomicAdd_grid(reinterpret_cast<word*>(x), word(value)));
}
__device__ __forceinline__ float32 reduce_add(float32* x, float32 value) { return atomicAdd_grid(x, value); }
__device__ __forceinline__ float64 reduce_add(float64* x, float64 value) { return atomicAdd_grid(x, value); }
template <class T>
__device__ __forceinline__ T reduce_subtract(T* x, T value) { return reduce_add(x, T(T(0) - value)); }
__device__ __forceinline__ float32 reduce_subtract(float32* x, float32 value) { return reduce_add(x, -value); }
__device__ __forceinline__ float64 reduce_subtract(float64* x, float64 value) { return reduce_add(x, -value); }

// piece: reduce_multiply
template <class T>
__device__ __forceinline__ T reduce_multiply(T* x, T value) {
    return reduce_by_exchange(x, value, [](T a, T b) { return product(a, b); });
}

// piece: reduce_and reduce_or reduce_xor
template <class T>
__device__ __forceinline__ T reduce_and(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    const T former = load_relaxed(x);
    return (former & value) != former ? T(atomicAnd_grid(reinterpret_cast<word*>(x), word(value))) : former;
}
template <class T>
__device__ __forceinline__ T reduce_or(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    const T former = load_relaxed(x);
    return (former | value) != former ? T(atomicOr_grid(reinterpret_cast<word*>(x), word(value))) : former;
}
template <class T>
__device__ __forceinline__ T reduce_xor(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    return T(atomicXor_grid(reinterpret_cast<word*>(x), word(value)));
}
__device__ __forceinline__ bool reduce_and(bool* x, bool value) {
    return reduce_by_exchange(x, value, [](bool a, bool b) { return a && b; });
}
__device__ __forceinline__ bool reduce_or(bool* x, bool value) {
    return reduce_by_exchange(x, value, [](bool a, bool b) { return a || b; });
}
__device__ __forceinline__ bool reduce_xor(bool* x, bool value) {
    return reduce_by_exchange(x, value, [](bool a, bool b) { return a != b; });
}

// piece: changed_min
// The value read may be outdated, but only larger than the current one, since other threads only decrease it until the
// next barrier. So a value that is not smaller has lost; any other learns the outcome from the exchange.
template <class T>
__device__ __forceinline__ bool changed_min(T* x, T value) {
    const T former = lower_to(x, value, load_cached(x));
    return value < former || (former != former && value == value);
}

// piece: changed_max
template <class T>
__device__ __forceinline__ bool changed_max(T* x, T value) {
    const T former = raise_to(x, value, load_cached(x));
    return former < value || (former != former && value == value);
}

// piece: own_changed_min own_min
// Where no other thread writes `*x`, whose value the caller has in `own`; those that read it find some value of it.
template <class T>
__device__ __forceinline__ bool own_changed_min(T* x, T& own, T value) {
    if (!(value < own)) { return false; }
    store_relaxed(x, value);
    own = value;
    return true;
}
template <class T>
__device__ __forceinline__ T own_min(T* x, T& own, T value) { const T former = own; own_changed_min(x, own, value); return former; }

// piece: own_changed_max own_max
template <class T>
__device__ __forceinline__ bool own_changed_max(T* x, T& own, T value) {
    if (!(own < value)) { return false; }
    store_relaxed(x, value);
    own = value;
    return true;
}
template <class T>
__device__ __forceinline__ T own_max(T* x, T& own, T value) { const T former = own; own_changed_max(x, own, value); return former; }

// piece: late_changed_min
// Whether `x` has changed since the last barrier, by this call or an earlier one. It has if `value` is less than the
// value read, so no thread waits for the exchange.
template <class T>
__device__ __forceinline__ bool late_changed_min(T* x, T value, T seen) {
    const bool lower = value < seen || (seen != seen && value == value);
    if (lower) { lower_to(x, value, seen); }
    return lower;
}
template <class T>
__device__ __forceinline__ bool late_changed_min(T* x, T value) { return late_changed_min(x, value, load_cached(x)); }

// piece: late_changed_max
template <class T>
__device__ __forceinline__ bool late_changed_max(T* x, T value, T seen) {
    const bool higher = seen < value || (seen != seen && value == value);
    if (higher) { raise_to(x, value, seen); }
    return higher;
}
template <class T>
__device__ __forceinline__ bool late_changed_max(T* x, T value) { return late_changed_max(x, value, load_cached(x)); }

// piece: changed_add changed_subtract changed_multiply changed_and changed_or changed_xor
template <class T>
__device__ __forceinline__ bool changed_add(T* x, T value) {
    const T former = reduce_add(x, value);
    return !same_value(former, sum(former, value));
}
template <class T>
__device__ __forceinline__ bool changed_subtract(T* x, T value) {
    const T former = reduce_subtract(x, value);
    return !same_value(former, difference(former, value));
}
template <class T>
__device__ __forceinline__ bool changed_multiply(T* x, T value) {
    const T former = reduce_multiply(x, value);
    return !same_value(former, product(former, value));
}
template <class T>
__device__ __forceinline__ bool changed_and(T* x, T value) {
    const T former = reduce_and(x, value);
    return T(former & value) != former;
}
template <class T>
__device__ __forceinline__ bool changed_or(T* x, T value) {
    const T former = reduce_or(x, value);
    return T(former | value) != former;
}
template <class T>
__device__ __forceinline__ bool changed_xor(T* x, T value) {
    const T former = reduce_xor(x, value);
    return T(former ^ value) != former;
}
