// piece: vote_edges
// For every member the best key of its ballots: `walk(near, votes)` counts them, `choice(near, key, total)` is the
// candidate of the votes for a key, `elect(near, voted, key)` takes the result. Each thread counts in a table of its own.
// Long lists come first, so that no thread is left with one at the end. All threads of the region call it.
template <class Key, class Total, class Members, class Lists, class Walk, class Choice, class Elect>
inline void vote_edges(run_state& run, vote_tables<Key, Total>& tables, int64 keys, const Members& members,
                       const Lists& lists, Walk walk, Choice choice, Elect elect) {
    const int64 size = members.size();
    int64 visited = 0;
    vote_table<Key, Total>& table = tables.of_thread();
    vote_sums<Key, Total>& direct = tables.sums_of_thread();
    table.take(keys);
    direct.take(keys);
    const auto vote = [&](vertex near) {
        const int64 edges = lists.degree(near);
        if (stopping(run.control)) { return; }
        if (!table.prepare(edges) || !direct.prepare(edges)) {
            store_shared(&run.hubs.lost, true);
            return;
        }
        decltype(choice(near, Key(), Total())) best = {};
        if (!direct.elect(near, walk, choice, best)) {
            vote_round<Key, Total> votes = table.open(edges);
            walk(near, votes);
            for (std::size_t i = 0; i < votes.size; ++i) {
                const vote_place<Key, Total>& place = votes.place(i);
                const auto other = choice(near, place.mark.key(), place.total);
                if (beats(other, best)) { best = other; }
            }
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
        fetch_later(members, i);
        if (lists.degree(members[i]) < HUB_DEGREE) { vote(members[i]); }
    }
}

// piece: vote_mark
// A key and the number of the round that counts votes for it. Whether a key is new is as good as random; where both are one
// word, one comparison tests for the rare case, and the rest has no branch.
template <class Key, bool narrow = sizeof(Key) <= 4>
struct vote_mark {
    uint64 word = 0;
    vote_mark() = default;
    vote_mark(Key key, uint32 round) : word(uint64(round) << 32 | uint32(key)) {}
    Key key() const { return Key(uint32(word)); }
    // Whether it is of another round than `own`, or of the same one with another key.
    bool former(const vote_mark& own) const { return (word ^ own.word) >> 32 != 0; }
    bool other(const vote_mark& own) const { return (word ^ own.word) - 1 < 0xffffffffu; }
};
template <class Key>
struct vote_mark<Key, false> {
    Key one = 0;
    uint32 round = 0;
    vote_mark() = default;
    vote_mark(Key key, uint32 round) : one(key), round(round) {}
    Key key() const { return one; }
    bool former(const vote_mark& own) const { return round != own.round; }
    bool other(const vote_mark& own) const { return bool(round == own.round) & bool(one != own.one); }
};

// piece: vote_place
// Where the votes for one key are added up; used where its mark is of this round.
template <class Key, class Total>
struct vote_place {
    Total total;
    vote_mark<Key> mark;
};

// piece: vote_round
// Counts the votes of one list. A thread has it for itself, in registers.
template <class Key, class Total>
struct vote_round {
    vote_place<Key, Total>* const places;
    vote_place<Key, Total>** const taken;   // those that are used
    const uint64 own;                       // keys below this one have places of their own, in front
    const std::size_t mask;                 // of the others
    const int32 shift;
    const uint32 round;
    std::size_t size;                       // how many these are

    void count(Key key, Total weight) {
        change(key, [&](bool fresh, Total former) {
            const Total added = sum(former, weight);
            return fresh ? weight : added;
        });
    }
    // `next(fresh, former)` is the new total of a key.
    template <class Next>
    void change(Key key, Next next) {
        const vote_mark<Key> mark(key, round);
        vote_place<Key, Total>& place = places[place_of(key, mark)];
        const bool fresh = place.mark.former(mark);
        place.total = next(fresh, place.total);
        place.mark = mark;
        taken[size] = &place;
        size += fresh ? 1 : 0;
    }
    // The place that was taken as number `i`.
    const vote_place<Key, Total>& place(std::size_t i) const { return *taken[i]; }
    // The sum for a key that has votes.
    Total total_of(Key key) const {
        return places[place_of(key, vote_mark<Key>(key, round))].total;
    }
    // The place of a key, or the one that it is to have.
    std::size_t place_of(Key key, const vote_mark<Key>& mark) const {
        if (uint64(key) < own) { return std::size_t(key); }
        std::size_t at = std::size_t((uint64(key) * 0x9e3779b97f4a7c15ull) >> shift);
        while (places[own + at].mark.other(mark)) { at = (at + 1) & mask; }
        return own + at;
    }
};

// piece: vote_table
// At least twice as many places as a list has edges, preceded by a direct place for each key if keys are below a bound that
// is not too large.
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
        const std::size_t scattered = std::size_t(1) << bits_of(edges), wanted = std::size_t(own_places) + scattered;
        if (wanted <= places.size() && scattered / 2 < taken.size()) { return true; }
        try {
            places.resize(maximum(wanted, places.size()));
            taken.resize(maximum(scattered / 2 + 1, taken.size()));
        } catch (const std::exception&) { return false; }
        return true;
    }
    // An empty table for them.
    vote_round<Key, Total> open(int64 edges) {
        round += 1;
        if (round == 0) {
            for (vote_place<Key, Total>& place : places) { place.mark = vote_mark<Key>(); }
            round = 1;
        }
        const int32 bits = bits_of(edges);
        const std::size_t mask = (std::size_t(1) << bits) - 1;
        return vote_round<Key, Total>{places.data(), taken.data(), uint64(own_places), mask, 64 - bits, round, 0};
    }
    static int32 bits_of(int64 edges) {
        return 64 - __builtin_clzll(uint64(maximum<int64>(8, 2 * edges) - 1));
    }
};

// piece: direct_votes
// Counts the votes of one list, for keys below a bound, by a sum for each, zero before and afterwards. A key whose sum is
// zero is taken again, which changes nothing.
template <class Key, class Total>
struct direct_votes {
    Total* const sums;
    Key* const taken;
    const uint64 bound;
    std::size_t size;
    bool beyond;      // there was another key

    void count(Key key, Total weight) {
        if (uint64(key) >= bound) {
            beyond = true;
            return;
        }
        Total& place = sums[std::size_t(key)];
        const Total former = place;
        place = sum(former, weight);
        taken[size] = key;
        size += former == 0 ? 1 : 0;
    }
};

// piece: vote_sums
// The sums of `direct_votes`, of whole numbers where keys are known to be below a bound that is not too large; half of what
// the places of a table need.
template <class Key, class Total>
struct vote_sums {
    std::vector<Total> sums;
    std::vector<Key> taken;
    int64 bound = 0;      // 0: there are none

    void take(int64 keys) { bound = std::is_integral<Total>::value && keys <= OWN_VOTES ? keys : 0; }
    // Makes room for the votes of so many edges; false where there is no memory.
    bool prepare(int64 edges) {
        if (bound <= int64(sums.size()) && edges < int64(taken.size())) { return true; }
        try {
            sums.resize(maximum(std::size_t(bound), sums.size()), Total(0));
            taken.resize(maximum(std::size_t(2 * edges + 1), taken.size()));
        } catch (const std::exception&) { return false; }
        return true;
    }
    // Finds the best key of a member; false where there is one beyond the bound.
    template <class Walk, class Choice, class Best>
    bool elect(vertex near, const Walk& walk, const Choice& choice, Best& best) {
        if (bound == 0) { return false; }
        direct_votes<Key, Total> votes{sums.data(), taken.data(), uint64(bound), 0, false};
        walk(near, votes);
        const std::size_t size = votes.beyond ? 0 : votes.size;
        for (std::size_t i = 0; i < size; ++i) {
            const auto other = choice(near, taken[i], sums[std::size_t(taken[i])]);
            if (beats(other, best)) { best = other; }
        }
        for (std::size_t i = 0; i < votes.size; ++i) { sums[std::size_t(taken[i])] = Total(0); }
        return !votes.beyond;
    }
};

// piece: vote_tables
// A table and sums for each thread, which an operator keeps from one time to the next.
template <class Key, class Total>
struct vote_tables {
    struct alignas(128) one {
        vote_table<Key, Total> table;
        vote_sums<Key, Total> sums;
    };
    std::vector<one> all = std::vector<one>(std::size_t(thread_count()));
    vote_table<Key, Total>& of_thread() { return all[std::size_t(thread_number())].table; }
    vote_sums<Key, Total>& sums_of_thread() { return all[std::size_t(thread_number())].sums; }
};
