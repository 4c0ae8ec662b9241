// piece: vote_edges
// For every member the best key of its ballots: `walk(near, votes)` counts them, `choice(near, key, total)` is the
// candidate that the votes for a key make, `elect(near, voted, key)` takes the result. Each thread counts in a table of its
// own. Long lists come first, so that no thread is left with one at the end. All threads of the region call it.
template <class Key, class Total, class Members, class Lists, class Walk, class Choice, class Elect>
inline void vote_edges(run_state& run, vote_tables<Key, Total>& tables, int64 keys, const Members& members,
                       const Lists& lists, Walk walk, Choice choice, Elect elect) {
    const int64 size = members.size();
    int64 visited = 0;
    vote_table<Key, Total>& table = tables.of_thread();
    table.take(keys);
    const auto vote = [&](vertex near) {
        const int64 edges = lists.degree(near);
        if (stopping(run.control)) { return; }
        if (!table.prepare(edges)) {
            store_shared(&run.hubs.lost, true);
            return;
        }
        vote_round<Key, Total> votes = table.open(edges);
        walk(near, votes);
        decltype(choice(near, Key(), Total())) best = {};
        for (std::size_t i = 0; i < votes.size; ++i) {
            const auto other = choice(near, votes.taken[i]->key, votes.taken[i]->total);
            if (beats(other, best)) { best = other; }
        }
        elect(near, best.voted, best.key);
    };
#pragma omp for schedule(static)
    for (int64 i = 0; i < size; ++i) {
        const int64 edges = lists.degree(members[i]);
        visited += edges;
        if (edges >= HUB_DEGREE) { run.hubs.set_aside(members[i]); }
    }
    reduce_add(&run.visited, visited);
    const int64 hubs = run.hubs.size();
#pragma omp for schedule(dynamic, 1) nowait
    for (int64 i = 0; i < hubs; ++i) { vote(run.hubs[i].near); }
#pragma omp for schedule(dynamic, chunk_of(size / 4))
    for (int64 i = 0; i < size; ++i) {
        if (lists.degree(members[i]) < HUB_DEGREE) { vote(members[i]); }
    }
}

// piece: vote_place
// Where the votes for one key are added up; used where it has the number of the round.
template <class Key, class Total>
struct vote_place {
    Total total;
    Key key;
    uint32 round;
};

// piece: vote_round
// Counts the votes of one list. A thread has it for itself, in registers.
template <class Key, class Total>
struct vote_round {
    vote_place<Key, Total>* const places;
    vote_place<Key, Total>** const taken;   // those that are used
    const std::size_t mask;
    const uint64 factor;
    const int32 shift;
    const uint32 round;
    std::size_t size;                       // how many these are

    void count(Key key, Total weight) {
        change(key, [&](bool fresh, Total former) {
            const Total added = sum(former, weight);
            return fresh ? weight : added;
        });
    }
    // `next(fresh, former)` is the new total of a key. Whether it is new is as good as drawn, so no branch asks for it.
    template <class Next>
    void change(Key key, Next next) {
        std::size_t at = place_of_key(key);
        while (bool(places[at].round == round) & bool(places[at].key != key)) { at = (at + 1) & mask; }
        vote_place<Key, Total>& place = places[at];
        const bool fresh = place.round != round;
        place = vote_place<Key, Total>{next(fresh, place.total), key, round};
        taken[size] = &place;
        size += fresh ? 1 : 0;
    }
    // The sum for a key that has votes.
    Total total_of(Key key) const {
        std::size_t at = place_of_key(key);
        while (places[at].key != key || places[at].round != round) { at = (at + 1) & mask; }
        return places[at].total;
    }
    std::size_t place_of_key(Key key) const { return std::size_t((uint64(key) * factor) >> shift) & mask; }
};

// piece: vote_table
// Twice as many places as a list has edges, or more. Where keys are known to be below a bound that is not too large there
// is a place for each of them: others come there seldom, and the loop that looks on has one turn.
template <class Key, class Total>
struct vote_table {
    std::vector<vote_place<Key, Total>> places;
    std::vector<vote_place<Key, Total>*> taken;
    uint32 round = 0;
    int64 own_places = 0;     // how many keys have one; 0: keys are scattered

    // What comes are keys below this bound, most of them; 0: nothing is known of them.
    void take(int64 keys) { own_places = keys <= OWN_VOTES ? keys : 0; }
    // Makes room for the votes of so many edges; false where there is no memory.
    bool prepare(int64 edges) {
        const std::size_t wanted = std::size_t(1) << bits_of(edges);
        if (wanted <= places.size()) { return true; }
        try {
            places.resize(wanted);
            taken.resize(wanted / 2 + 1);
        } catch (const std::exception&) { return false; }
        return true;
    }
    // An empty table for them.
    vote_round<Key, Total> open(int64 edges) {
        round += 1;
        if (round == 0) {
            for (vote_place<Key, Total>& place : places) { place.round = 0; }
            round = 1;
        }
        const int32 bits = bits_of(edges);
        const std::size_t mask = (std::size_t(1) << bits) - 1;
        if (own_places > 0) { return vote_round<Key, Total>{places.data(), taken.data(), mask, 1, 0, round, 0}; }
        return vote_round<Key, Total>{places.data(), taken.data(), mask, 0x9e3779b97f4a7c15ull, 64 - bits, round, 0};
    }
    int32 bits_of(int64 edges) const {
        const int64 wanted = maximum(2 * edges, own_places);
        int32 bits = 3;
        while ((int64(1) << bits) < wanted) { bits += 1; }
        return bits;
    }
};

// piece: vote_tables
// A table for each thread, which an operator keeps from one time to the next.
template <class Key, class Total>
struct vote_tables {
    struct alignas(128) one { vote_table<Key, Total> table; };
    std::vector<one> all = std::vector<one>(std::size_t(thread_count()));
    vote_table<Key, Total>& of_thread() { return all[std::size_t(thread_number())].table; }
};
