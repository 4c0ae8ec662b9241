// piece: fetch_first
// Prefetches the beginning of the list at `x`, which is all of it for a short list. GCC removes calls of functions that
// only prefetch; the empty asm statement prevents that.
template <class T>
inline void fetch_first(const T* x) {
    asm volatile("" : : "r"(x));
    for (std::size_t byte = 0; byte <= 16 * sizeof(T); byte += 64) { __builtin_prefetch(reinterpret_cast<const char*>(x) + byte); }
}

// piece: fetching_members fetching
// Members that prefetch data with `fetch(v)` while earlier members are processed.
template <class Members, class Fetch>
struct fetching_members : Members {
    Fetch fetch;
    fetching_members(const Members& members, Fetch fetch) : Members(members), fetch(fetch) {}
};
template <class Members, class Fetch>
inline fetching_members<Members, Fetch> fetching(const Members& members, Fetch fetch) {
    return fetching_members<Members, Fetch>(members, fetch);
}

// piece: fetch_later
// Prefetches for the member so many places `ahead` while member `i` is processed: nothing, for plain members.
template <class Members>
inline void fetch_later(const Members&, int64, int64 = 0) {}

// piece: fetch_later for fetching_members
template <class Members, class Fetch>
inline void fetch_later(const fetching_members<Members, Fetch>& members, int64 i, int64 ahead = 8) {
    if (i + ahead < members.size()) { members.fetch(members[i + ahead]); }
}

// piece: fetch_degree
// Prefetches what says how many edges a vertex has, if they are counted.
template <class Counted>
inline void fetch_degree(const Counted& counted, vertex v) {
    if constexpr (Counted::counts) {
        const int64* const first = counted.starts() + v;
        asm volatile("" : : "r"(first));
        __builtin_prefetch(first);
    }
}
