// piece: pair_of
// Two values, ordered by the first, then by the second.
template <class A, class B>
struct pair_of {
    A first;
    B second;
};
template <class A, class B>
inline bool operator==(const pair_of<A, B>& a, const pair_of<A, B>& b) { return a.first == b.first && a.second == b.second; }
template <class A, class B>
inline bool operator!=(const pair_of<A, B>& a, const pair_of<A, B>& b) { return !(a == b); }
template <class A, class B>
inline bool operator<(const pair_of<A, B>& a, const pair_of<A, B>& b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}
template <class A, class B>
inline bool operator<=(const pair_of<A, B>& a, const pair_of<A, B>& b) {
    return a.first < b.first || (a.first == b.first && a.second <= b.second);
}
template <class A, class B>
inline bool operator>(const pair_of<A, B>& a, const pair_of<A, B>& b) { return b < a; }
template <class A, class B>
inline bool operator>=(const pair_of<A, B>& a, const pair_of<A, B>& b) { return b <= a; }

// piece: paired
template <class A, class B>
inline pair_of<A, B> paired(A first, B second) {
    pair_of<A, B> result;
    result.first = first;
    result.second = second;
    return result;
}

// piece: lower_wins higher_wins
// Whether `value` takes the place of `former` in a minimum or a maximum. NaN in any part never wins.
template <class A, class B>
inline bool has_nan(const pair_of<A, B>& a) { return a.first != a.first || a.second != a.second; }
template <class A, class B>
inline bool lower_wins(const pair_of<A, B>& former, const pair_of<A, B>& value) {
    return (value < former || has_nan(former)) && !has_nan(value);
}
template <class A, class B>
inline bool higher_wins(const pair_of<A, B>& former, const pair_of<A, B>& value) {
    return (former < value || has_nan(former)) && !has_nan(value);
}

// piece: minimum for pair_of
template <class A, class B>
inline pair_of<A, B> minimum(pair_of<A, B> a, pair_of<A, B> b) { return lower_wins(a, b) ? b : a; }

// piece: maximum for pair_of
template <class A, class B>
inline pair_of<A, B> maximum(pair_of<A, B> a, pair_of<A, B> b) { return higher_wins(a, b) ? b : a; }

// piece: without_negative_zeros
template <class A, class B>
inline pair_of<A, B> without_negative_zeros(pair_of<A, B> a) { return paired<A, B>(A(a.first + A(0)), B(a.second + B(0))); }

// piece: least for pair_of
template <class A, class B>
inline pair_of<A, B> least(pair_of<A, B> a, pair_of<A, B> b) { return without_negative_zeros(lower_wins(a, b) ? b : a); }

// piece: greatest for pair_of
template <class A, class B>
inline pair_of<A, B> greatest(pair_of<A, B> a, pair_of<A, B> b) { return without_negative_zeros(higher_wins(a, b) ? b : a); }

// piece: rank_of unrank
// Numbers without a sign in the order of the values (-0.0 right before 0.0, NaN at the ends), and back.
template <class T>
inline uint64 rank_of(T x) { return uint64(x); }
inline uint64 rank_of(int32 x) { return uint32(x) ^ 0x80000000u; }
inline uint64 rank_of(int64 x) { return uint64(x) ^ 0x8000000000000000ull; }
inline uint64 rank_of(float32 x) {
    const uint32 bits = bits_of<uint32>(x);
    return (bits >> 31) != 0 ? ~bits : bits ^ 0x80000000u;
}
inline uint64 rank_of(float64 x) {
    const uint64 bits = bits_of<uint64>(x);
    return (bits >> 63) != 0 ? ~bits : bits ^ 0x8000000000000000ull;
}
template <class T>
inline void unrank(uint64 rank, T& x) { x = T(rank); }
inline void unrank(uint64 rank, int32& x) { x = int32(uint32(rank) ^ 0x80000000u); }
inline void unrank(uint64 rank, int64& x) { x = int64(rank ^ 0x8000000000000000ull); }
inline void unrank(uint64 rank, float32& x) {
    const uint32 word = uint32(rank);
    x = bits_of<float32>((word >> 31) != 0 ? word ^ 0x80000000u : ~word);
}
inline void unrank(uint64 rank, float64& x) {
    x = bits_of<float64>((rank >> 63) != 0 ? rank ^ 0x8000000000000000ull : ~rank);
}

// piece: unpacked
// A pair as it is stored in memory.
template <class A, class B>
inline pair_of<A, B> unpacked(stored_pair<A, B, true> x) {
    pair_of<A, B> result;
    unrank(x.word >> 32, result.first);
    unrank(x.word & 0xffffffffull, result.second);
    return result;
}
template <class A, class B>
inline pair_of<A, B> unpacked(stored_pair<A, B, false> x) {
    pair_of<A, B> result;
    unrank(x.first, result.first);
    unrank(x.second, result.second);
    return result;
}

// piece: plain_min for pair_of
template <class A, class B>
inline pair_of<A, B> plain_min(pair_of<A, B>* x, pair_of<A, B> value) {
    const pair_of<A, B> former = *x;
    if (lower_wins(former, value)) { *x = without_negative_zeros(value); }
    return former;
}

// piece: plain_max for pair_of
template <class A, class B>
inline pair_of<A, B> plain_max(pair_of<A, B>* x, pair_of<A, B> value) {
    const pair_of<A, B> former = *x;
    if (higher_wins(former, value)) { *x = without_negative_zeros(value); }
    return former;
}

// piece: plain_min for stored_pair
template <class A, class B, bool narrow>
inline pair_of<A, B> plain_min(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    const pair_of<A, B> former = unpacked(*x);
    if (lower_wins(former, value)) { *x = without_negative_zeros(value); }
    return former;
}

// piece: plain_max for stored_pair
template <class A, class B, bool narrow>
inline pair_of<A, B> plain_max(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    const pair_of<A, B> former = unpacked(*x);
    if (higher_wins(former, value)) { *x = without_negative_zeros(value); }
    return former;
}

// piece: plain_changed_min for stored_pair
template <class A, class B, bool narrow>
inline bool plain_changed_min(stored_pair<A, B, narrow>* x, pair_of<A, B> value) { return lower_wins(plain_min(x, value), value); }

// piece: plain_changed_max for stored_pair
template <class A, class B, bool narrow>
inline bool plain_changed_max(stored_pair<A, B, narrow>* x, pair_of<A, B> value) { return higher_wins(plain_max(x, value), value); }

// piece: plain_compare_and_swap for stored_pair
template <class A, class B, bool narrow>
inline bool plain_compare_and_swap(stored_pair<A, B, narrow>* x, pair_of<A, B> old, pair_of<A, B> value) {
    const bool won = unpacked(*x) == old;
    if (won) { *x = value; }
    return won;
}

// piece: load_now for stored_pair
template <class A, class B, bool narrow>
inline pair_of<A, B> load_now(const stored_pair<A, B, narrow>* x) { return unpacked(load_pair(x)); }

// piece: store_shared for stored_pair
template <class A, class B>
inline void store_shared(stored_pair<A, B, true>* x, pair_of<A, B> value) {
    store_shared(&x->word, stored_pair<A, B>(value).word);
}
template <class A, class B>
inline void store_shared(stored_pair<A, B, false>* x, pair_of<A, B> value) {
    const stored_pair<A, B> stored(value);
    store_wide(&x->first, stored.first, stored.second);
}

// piece: compare_and_swap for stored_pair
template <class A, class B, bool narrow>
inline bool compare_and_swap(stored_pair<A, B, narrow>* x, pair_of<A, B> old, pair_of<A, B> value) {
    stored_pair<A, B, narrow> former = load_pair(x);
    while (unpacked(former) == old) {
        if (exchange_pair(x, former, stored_pair<A, B, narrow>(value))) { return true; }
    }
    return false;
}

// piece: reduce_pair
// A minimum or maximum by compare-and-swap, as `wins` has it; returns the former value.
template <class A, class B, bool narrow, class Wins>
inline pair_of<A, B> reduce_pair(stored_pair<A, B, narrow>* x, pair_of<A, B> value, Wins wins) {
    stored_pair<A, B, narrow> former = load_pair(x);
    const stored_pair<A, B, narrow> stored(without_negative_zeros(value));
    while (wins(unpacked(former), value) && !exchange_pair(x, former, stored)) {}
    return unpacked(former);
}
