// piece: vote_edges
// For every member the best key of its ballots: `walk(near, votes)` counts them, `choice(near, key, total)` is the
// candidate that the votes for a key make, `elect(near, voted, key)` takes the result. Each thread counts in a table of its
// own. All threads of the region call it.
template <class Key, class Total, class Members, class Lists, class Walk, class Choice, class Elect>
inline void vote_edges(run_state& run, const Members& members, const Lists& lists, Walk walk, Choice choice, Elect elect) {
    const int64 size = members.size();
    int64 visited = 0;
    vote_table<Key, Total> votes;
#pragma omp for schedule(dynamic, chunk_of(4 * size))
    for (int64 i = 0; i < size; ++i) {
        if (stopping(run.control)) { continue; }
        const vertex near = members[i];
        const int64 edges = lists.degree(near);
        visited += edges;
        if (!votes.prepare(edges)) {
#pragma omp critical(gdsl_hubs)
            run.hubs.lost = true;
            continue;
        }
        walk(near, votes);
        decltype(choice(near, Key(), Total())) best = {};
        for (const std::size_t place : votes.taken) {
            const auto other = choice(near, votes.keys[place], votes.totals[place]);
            if (beats(other, best)) { best = other; }
        }
        elect(near, best.voted, best.key);
    }
    reduce_add(&run.visited, visited);
}

// piece: vote_table
// Keys and their totals, in twice as many places as there are edges, or more.
template <class Key, class Total>
struct vote_table {
    std::vector<Key> keys;
    std::vector<Total> totals;
    std::vector<char> used;
    std::vector<std::size_t> taken;   // the places that are used
    std::size_t mask = 0;

    // Empties the table and makes room for the votes of so many edges; false where there is no memory.
    bool prepare(int64 edges) {
        for (const std::size_t place : taken) { used[place] = 0; }
        taken.clear();
        std::size_t places = 8;
        while (places < 2 * std::size_t(edges)) { places *= 2; }
        mask = places - 1;
        if (places <= keys.size()) { return true; }
        try {
            keys.resize(places);
            totals.resize(places);
            used.resize(places);
            taken.reserve(places / 2);
        } catch (const std::exception&) { return false; }
        return true;
    }
    void count(Key key, Total weight) {
        const uint64 hash = uint64(key) * 0x9e3779b97f4a7c15ull;
        std::size_t place = std::size_t(hash ^ (hash >> 32)) & mask;
        while (used[place] && keys[place] != key) { place = (place + 1) & mask; }
        if (used[place]) {
            totals[place] = sum(totals[place], weight);
        } else {
            used[place] = 1;
            keys[place] = key;
            totals[place] = weight;
            taken.push_back(place);
        }
    }
};
