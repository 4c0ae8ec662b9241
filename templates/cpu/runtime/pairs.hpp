// piece: bits_of
// The bits of a value as another type of the same size.
template <class To, class From>
inline To bits_of(From x) {
    static_assert(sizeof(To) == sizeof(From), "of the same size");
    To bits;
    std::memcpy(&bits, &x, sizeof(To));
    return bits;
}

// piece: stored_pair
// A pair in memory: the ranks of both parts, in one word of 64 bits if they fit, otherwise in two words.
template <class A, class B, bool narrow = (sizeof(A) <= 4 && sizeof(B) <= 4)>
struct stored_pair {
    uint64 word;
    stored_pair() = default;
    stored_pair(pair_of<A, B> x) : word(rank_of(x.first) << 32 | rank_of(x.second)) {}
};
template <class A, class B>
struct alignas(16) stored_pair<A, B, false> {
    uint64 first, second;
    stored_pair() = default;
    stored_pair(pair_of<A, B> x) : first(rank_of(x.first)), second(rank_of(x.second)) {}
};

// piece: exchange_wide
// One compare-and-swap of two words, which hold the expected values, and the former values afterwards.
inline bool exchange_wide(uint64* x, uint64& first, uint64& second, uint64 new_first, uint64 new_second) {
#if defined(__x86_64__)
    bool done;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(done), "+m"(*reinterpret_cast<unsigned __int128*>(x)), "+a"(first), "+d"(second)
                 : "b"(new_first), "c"(new_second)
                 : "memory");
    return done;
#else
    typedef unsigned __int128 wide;
    const wide expected = bits_of<wide>(paired<uint64, uint64>(first, second));
    const wide value = bits_of<wide>(paired<uint64, uint64>(new_first, new_second));
    const wide former = __sync_val_compare_and_swap(reinterpret_cast<wide*>(x), expected, value);
    const pair_of<uint64, uint64> words = bits_of<pair_of<uint64, uint64>>(former);
    first = words.first;
    second = words.second;
    return former == expected;
#endif
}

// piece: load_wide
// Loads both words in one access: with AVX a 16-byte load is atomic, otherwise a compare-and-swap that changes nothing.
inline void load_wide(const uint64* x, uint64& first, uint64& second) {
#if defined(__x86_64__) && defined(__AVX__)
    typedef uint64 words __attribute__((vector_size(16), may_alias));
    words loaded;
    asm volatile("vmovdqa %1, %0" : "=x"(loaded) : "m"(*reinterpret_cast<const words*>(x)));
    first = loaded[0];
    second = loaded[1];
#else
    first = second = 0;
    exchange_wide(const_cast<uint64*>(x), first, second, 0, 0);
#endif
}

// piece: store_wide
// Stores both words in one access.
inline void store_wide(uint64* x, uint64 first, uint64 second) {
    uint64 former_first = 0, former_second = 0;
    load_wide(x, former_first, former_second);
    while (!exchange_wide(x, former_first, former_second, first, second)) {}
}

// piece: load_pair
template <class A, class B>
inline stored_pair<A, B, true> load_pair(const stored_pair<A, B, true>* x) {
    stored_pair<A, B, true> loaded;
    loaded.word = load_now(&x->word);
    return loaded;
}
template <class A, class B>
inline stored_pair<A, B, false> load_pair(const stored_pair<A, B, false>* x) {
    stored_pair<A, B, false> loaded;
    load_wide(&x->first, loaded.first, loaded.second);
    return loaded;
}

// piece: exchange_pair
// One compare-and-swap. `former` holds the expected pair, and the former pair if it fails.
template <class A, class B>
inline bool exchange_pair(stored_pair<A, B, true>* x, stored_pair<A, B, true>& former, stored_pair<A, B, true> value) {
    return exchange(&x->word, former.word, value.word);
}
template <class A, class B>
inline bool exchange_pair(stored_pair<A, B, false>* x, stored_pair<A, B, false>& former, stored_pair<A, B, false> value) {
    return exchange_wide(&x->first, former.first, former.second, value.first, value.second);
}

// piece: reduce_min for stored_pair
template <class A, class B, bool narrow>
inline pair_of<A, B> reduce_min(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    return reduce_pair(x, value, [](pair_of<A, B> former, pair_of<A, B> own) { return lower_wins(former, own); });
}

// piece: reduce_max for stored_pair
template <class A, class B, bool narrow>
inline pair_of<A, B> reduce_max(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    return reduce_pair(x, value, [](pair_of<A, B> former, pair_of<A, B> own) { return higher_wins(former, own); });
}

// piece: changed_min for stored_pair
template <class A, class B, bool narrow>
inline bool changed_min(stored_pair<A, B, narrow>* x, pair_of<A, B> value) { return lower_wins(reduce_min(x, value), value); }

// piece: changed_max for stored_pair
template <class A, class B, bool narrow>
inline bool changed_max(stored_pair<A, B, narrow>* x, pair_of<A, B> value) { return higher_wins(reduce_max(x, value), value); }
