// piece: plain_min
// Where a single call can address the element; returns the former value. `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline T plain_min(T* x, T value) { const T former = *x; *x = minimum(former, value + T(0)); return former; }

// piece: plain_max
// `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline T plain_max(T* x, T value) { const T former = *x; *x = maximum(former, value + T(0)); return former; }

// piece: plain_add
template <class T>
inline T plain_add(T* x, T value) { const T former = *x; *x = sum(former, value); return former; }

// piece: plain_subtract
template <class T>
inline T plain_subtract(T* x, T value) { const T former = *x; *x = difference(former, value); return former; }

// piece: plain_multiply
template <class T>
inline T plain_multiply(T* x, T value) { const T former = *x; *x = product(former, value); return former; }

// piece: plain_and
template <class T>
inline T plain_and(T* x, T value) { const T former = *x; *x = T(former & value); return former; }

// piece: plain_or
template <class T>
inline T plain_or(T* x, T value) { const T former = *x; *x = T(former | value); return former; }

// piece: plain_xor
template <class T>
inline T plain_xor(T* x, T value) { const T former = *x; *x = T(former ^ value); return former; }

// piece: plain_compare_and_swap
template <class T>
inline bool plain_compare_and_swap(T* x, T old, T value) {
    const bool won = *x == old;
    if (won) { *x = value; }
    return won;
}

// piece: same_value
// NaN is the same as NaN.
template <class T>
inline bool same_value(T a, T b) { return a == b || (a != a && b != b); }

// piece: plain_changed
// Whether a plain reduction changed the element.
template <class T>
inline bool plain_changed(const T* x, T former) { return !same_value(*x, former); }

// piece: plain_put
// A write that is left out where nothing changes, as with most of these: what is read next need not wait for it.
template <class T>
inline bool plain_put(T* x, T former, T value) {
    if (same_value(former, value)) { return false; }
    *x = value;
    return true;
}

// piece: plain_changed_min
// `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline bool plain_changed_min(T* x, T value) { return plain_put(x, *x, minimum(*x, value + T(0))); }

// piece: plain_changed_max
// `+ T(0)`: -0.0 counts as 0.0.
template <class T>
inline bool plain_changed_max(T* x, T value) { return plain_put(x, *x, maximum(*x, value + T(0))); }

// piece: plain_changed_add
template <class T>
inline bool plain_changed_add(T* x, T value) { return plain_changed(x, plain_add(x, value)); }

// piece: plain_changed_subtract
template <class T>
inline bool plain_changed_subtract(T* x, T value) { return plain_changed(x, plain_subtract(x, value)); }

// piece: plain_changed_multiply
template <class T>
inline bool plain_changed_multiply(T* x, T value) { return plain_changed(x, plain_multiply(x, value)); }

// piece: plain_changed_and
template <class T>
inline bool plain_changed_and(T* x, T value) { return plain_put(x, *x, T(*x & value)); }

// piece: plain_changed_or
template <class T>
inline bool plain_changed_or(T* x, T value) { return plain_put(x, *x, T(*x | value)); }

// piece: plain_changed_xor
template <class T>
inline bool plain_changed_xor(T* x, T value) { return plain_changed(x, plain_xor(x, value)); }

// piece: has_opposite
// Whether an edge leads from u to w, where one leads from w to u: a symmetric graph has one list for both directions.
template <class Graph>
inline bool has_opposite(const Graph& g, vertex u, vertex w) { return g.in_offsets == g.offsets || has_edge(g, u, w); }
