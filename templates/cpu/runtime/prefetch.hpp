// piece: fetch_first
// Has the cache load the first of what begins at `x`, which is all of it for a short list. A function that does nothing else
// does nothing at all for GCC, which leaves out its calls; an empty statement keeps them.
template <class T>
inline void fetch_first(const T* x) {
    asm volatile("" : : "r"(x));
    for (std::size_t byte = 0; byte <= 16 * sizeof(T); byte += 64) { __builtin_prefetch(reinterpret_cast<const char*>(x) + byte); }
}

// piece: fetching_members fetching
// Members of which something is fetched, by `fetch(v)`, while those before them are worked on.
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
// What is fetched while member `i` is worked on: nothing, of members as they are.
template <class Members>
inline void fetch_later(const Members&, int64) {}

// piece: fetch_later for fetching_members
template <class Members, class Fetch>
inline void fetch_later(const fetching_members<Members, Fetch>& members, int64 i) {
    if (i + 2 < members.size()) { members.fetch(members[i + 2]); }
}
