// piece: fetch_first
// Prefetches the beginning of the list at `x`, which is all of it for a short list. GCC removes calls of functions that
// only prefetch; the empty asm statement prevents that.
template <class T>
inline void fetch_first(const T* x) {
    asm volatile("" : : "r"(x));
    for (std::size_t byte = 0; byte <= 16 * sizeof(T); byte += 64) { __builtin_prefetch(reinterpret_cast<const char*>(x) + byte); }
}

// piece: fetch_start
// Prefetches one element, where the list of a vertex starts.
inline void fetch_start(const int64* start) {
    asm volatile("" : : "r"(start));
    __builtin_prefetch(start);
}

// piece: fetching_members fetching
// Members that prefetch data with `fetch(v)` while earlier members are processed; their lists start at `starts`.
template <class Members, class Fetch>
struct fetching_members : Members {
    const int64* starts;
    Fetch fetch;
    fetching_members(const Members& members, const int64* starts, Fetch fetch) : Members(members), starts(starts), fetch(fetch) {}
};
template <class Members, class Fetch>
inline fetching_members<Members, Fetch> fetching(const Members& members, const int64* starts, Fetch fetch) {
    return fetching_members<Members, Fetch>(members, starts, fetch);
}

// piece: fetch_member
// Prefetches for member `i`, if there is one: nothing, for plain members.
template <class Members>
inline void fetch_member(const Members&, int64) {}

// piece: fetch_member for fetching_members
template <class Members, class Fetch>
inline void fetch_member(const fetching_members<Members, Fetch>& members, int64 i) {
    if (i < members.size()) { members.fetch(members[i]); }
}

// piece: fetch_later
// Prefetches for later members while member `i` is processed. What is fetched lies where a list starts, so that this is
// fetched before.
template <class Members>
inline void fetch_later(const Members&, int64) {}

// piece: fetch_later for fetching_members
template <class Members, class Fetch>
inline void fetch_later(const fetching_members<Members, Fetch>& members, int64 i) {
    if (i + 16 < members.size()) { fetch_start(members.starts + members[i + 16]); }
    fetch_member(members, i + 8);
}

// piece: fetch_degree
// Prefetches what says how many edges a vertex has, if they are counted.
template <class Counted>
inline void fetch_degree(const Counted& counted, vertex v) {
    if constexpr (Counted::counts) { fetch_start(counted.starts() + v); }
}
