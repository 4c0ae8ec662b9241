// piece: load_now
// A read of a place that other threads may write; it is never torn.
template <class T>
inline T load_now(const T* x) {
    T value;
    __atomic_load(x, &value, __ATOMIC_RELAXED);
    return value;
}

// piece: store_shared
// A plain store to a place that other threads may write, too: all store the same value, or any of them may win.
template <class T>
inline void store_shared(T* x, T value) { __atomic_store(x, &value, __ATOMIC_RELAXED); }

// piece: exchange
// One compare-and-swap on the bits of a value. If it fails, `former` becomes the value found.
template <class T>
inline bool exchange(T* x, T& former, T value) {
    return __atomic_compare_exchange(x, &former, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// piece: compare_and_swap
// True for the one call that changes `x` from `old` to `value`. Reads first, since most calls come too late.
template <class T>
inline bool compare_and_swap(T* x, T old, T value) {
    T former = load_now(x);
    while (former == old) {
        if (exchange(x, former, value)) { return true; }
    }
    return false;
}

// piece: claim_alone
// The same where no other thread is there, without a branch: what is stored may be what was there.
template <class T>
inline bool claim_alone(T* x, T old, T value) {
    const T former = *x;
    const bool claims = former == old;
    *x = claims ? value : former;
    return claims;
}

// piece: same_bits
// Whether a write of one over the other can be omitted. Zeros of different signs differ, since a division distinguishes
// them.
template <class T>
inline bool same_bits(T a, T b) { return same_value(a, b); }
inline bool same_bits(float32 a, float32 b) { return same_value(a, b) && std::signbit(a) == std::signbit(b); }
inline bool same_bits(float64 a, float64 b) { return same_value(a, b) && std::signbit(a) == std::signbit(b); }

// piece: reduce_with
// Any reduction, by compare-and-swap, without a write where nothing changes; returns the former value.
template <class T, class Combine>
inline T reduce_with(T* x, Combine combine) {
    T former = load_now(x);
    for (T combined = combine(former); !same_bits(former, combined); combined = combine(former)) {
        if (exchange(x, former, combined)) { return former; }
    }
    return former;
}

// piece: changed_with
// The same; true if it changed the value.
template <class T, class Combine>
inline bool changed_with(T* x, Combine combine) {
    T former = load_now(x);
    for (T combined = combine(former); !same_bits(former, combined); combined = combine(former)) {
        if (exchange(x, former, combined)) { return !same_value(former, combined); }
    }
    return false;
}

// piece: reduce_min
// `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline T reduce_min(T* x, T value) { return reduce_with(x, [=](T former) { return minimum(former, value + T(0)); }); }

// piece: changed_min
template <class T>
inline bool changed_min(T* x, T value) { return changed_with(x, [=](T former) { return minimum(former, value + T(0)); }); }

// piece: reduce_max
// `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline T reduce_max(T* x, T value) { return reduce_with(x, [=](T former) { return maximum(former, value + T(0)); }); }

// piece: changed_max
template <class T>
inline bool changed_max(T* x, T value) { return changed_with(x, [=](T former) { return maximum(former, value + T(0)); }); }

// piece: reduce_add
template <class T>
inline T reduce_add(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    return T(__atomic_fetch_add(reinterpret_cast<word*>(x), word(value), __ATOMIC_RELAXED));
}
template <class T>
inline T reduce_add_float(T* x, T value) { return reduce_with(x, [=](T former) { return sum(former, value); }); }
inline float32 reduce_add(float32* x, float32 value) { return reduce_add_float(x, value); }
inline float64 reduce_add(float64* x, float64 value) { return reduce_add_float(x, value); }

// piece: changed_add
template <class T>
inline bool changed_add(T* x, T value) { return changed_with(x, [=](T former) { return sum(former, value); }); }

// piece: reduce_subtract
template <class T>
inline T reduce_subtract(T* x, T value) {
    typedef typename unsigned_of<T>::type word;
    return T(__atomic_fetch_sub(reinterpret_cast<word*>(x), word(value), __ATOMIC_RELAXED));
}
template <class T>
inline T reduce_subtract_float(T* x, T value) { return reduce_with(x, [=](T former) { return difference(former, value); }); }
inline float32 reduce_subtract(float32* x, float32 value) { return reduce_subtract_float(x, value); }
inline float64 reduce_subtract(float64* x, float64 value) { return reduce_subtract_float(x, value); }

// piece: changed_subtract
template <class T>
inline bool changed_subtract(T* x, T value) { return changed_with(x, [=](T former) { return difference(former, value); }); }

// piece: reduce_multiply
template <class T>
inline T reduce_multiply(T* x, T value) { return reduce_with(x, [=](T former) { return product(former, value); }); }

// piece: changed_multiply
template <class T>
inline bool changed_multiply(T* x, T value) { return changed_with(x, [=](T former) { return product(former, value); }); }

// piece: reduce_and
template <class T>
inline T reduce_and(T* x, T value) { return reduce_with(x, [=](T former) { return T(former & value); }); }

// piece: changed_and
template <class T>
inline bool changed_and(T* x, T value) { return changed_with(x, [=](T former) { return T(former & value); }); }

// piece: reduce_or
template <class T>
inline T reduce_or(T* x, T value) { return reduce_with(x, [=](T former) { return T(former | value); }); }

// piece: changed_or
template <class T>
inline bool changed_or(T* x, T value) { return changed_with(x, [=](T former) { return T(former | value); }); }

// piece: reduce_xor
template <class T>
inline T reduce_xor(T* x, T value) { return reduce_with(x, [=](T former) { return T(former ^ value); }); }

// piece: changed_xor
template <class T>
inline bool changed_xor(T* x, T value) { return changed_with(x, [=](T former) { return T(former ^ value); }); }
