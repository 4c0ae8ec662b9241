// piece: vote_edges
// Finds the best key of every member's ballots: `walk(near, votes)` counts them, `choice(near, key, total)` makes a
// candidate of the votes for a key, `elect(near, voted, key)` receives the result. Each thread counts in its own table.
// Long lists come first, so that no thread ends with one. All threads of the region must call it.
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
        const int64 edges = lists.degree(near) + 1;  // and a key without votes
        if (must_stop(run.control)) { return; }
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
        fetch_member(members, i + 8);  // whose degree has just been looked at
        if (lists.degree(members[i]) < HUB_DEGREE) { vote(members[i]); }
    }
}

// piece: vote_mark
// A key with the number of the round that counts its votes. Whether a key is new is unpredictable. If both fit in one
// word, one comparison handles the rare case and the rest is branchless.
template <class Key, bool narrow = sizeof(Key) <= 4>
struct vote_mark {
    uint64 word = 0;
    vote_mark() = default;
    vote_mark(Key key, uint32 round) : word(uint64(round) << 32 | uint32(key)) {}
    Key key() const { return Key(uint32(word)); }
    // Whether it differs from `own` in its round or its key.
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
// The total of one key; valid if its mark is of this round.
template <class Key, class Total>
struct vote_place {
    Total total;
    vote_mark<Key> mark;
};

// piece: vote_round
// Counts the votes of one list. A local object of one thread, in registers.
template <class Key, class Total>
struct vote_round {
    vote_place<Key, Total>* const places;
    vote_place<Key, Total>** const used;   // the places in use
    const uint64 own;                       // keys below this have direct places, in front
    const std::size_t mask;                 // for the other places
    const int32 shift;
    const uint32 round;
    std::size_t size;                       // the number of places in use

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
        used[size] = &place;
        size += fresh ? 1 : 0;
    }
    // The i-th place in use.
    const vote_place<Key, Total>& place(std::size_t i) const { return *used[i]; }
    // The total of a key that has votes.
    Total total_of(Key key) const {
        return places[place_of(key, vote_mark<Key>(key, round))].total;
    }
    // The place of a key, or the free place for it.
    std::size_t place_of(Key key, const vote_mark<Key>& mark) const {
        if (uint64(key) < own) { return std::size_t(key); }
        std::size_t at = std::size_t((uint64(key) * 0x9e3779b97f4a7c15ull) >> shift);
        while (places[own + at].mark.other(mark)) { at = (at + 1) & mask; }
        return own + at;
    }
};

// piece: vote_table
// At least twice as many places as a list has edges, preceded by a direct place for each key if keys are below a
// moderate bound.
template <class Key, class Total>
struct vote_table {
    std::vector<vote_place<Key, Total>> places;
    std::vector<vote_place<Key, Total>*> used;
    uint32 round = 0;
    int64 own_places = 0;     // the number of direct places; 0: keys are hashed

    // Most keys are below this bound; 0: unknown.
    void take(int64 keys) { own_places = keys <= OWN_VOTES ? keys : 0; }
    // Reserves room for the votes of `edges` edges; false if memory runs out.
    bool prepare(int64 edges) {
        const std::size_t scattered = std::size_t(1) << bits_of(edges), wanted = std::size_t(own_places) + scattered;
        if (wanted <= places.size() && scattered / 2 < used.size()) { return true; }
        try {
            places.resize(maximum(wanted, places.size()));
            used.resize(maximum(scattered / 2 + 1, used.size()));
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
        return vote_round<Key, Total>{places.data(), used.data(), uint64(own_places), mask, 64 - bits, round, 0};
    }
    static int32 bits_of(int64 edges) {
        return 64 - __builtin_clzll(uint64(maximum<int64>(8, 2 * edges) - 1));
    }
};

// piece: direct_votes
// Counts the votes of one list with one sum per key, for keys below a bound. Sums are zero before and after. A key
// whose sum returns to zero is listed twice, which changes nothing.
template <class Key, class Total>
struct direct_votes {
    Total* const sums;
    Key* const used;
    const uint64 bound;
    std::size_t size;
    bool beyond;      // there was a key beyond the bound

    void count(Key key, Total weight) {
        if (uint64(key) >= bound) {
            beyond = true;
            return;
        }
        Total& place = sums[std::size_t(key)];
        const Total former = place;
        place = sum(former, weight);
        used[size] = key;
        size += former == 0 ? 1 : 0;
    }
};

// piece: vote_sums
// The sums of `direct_votes`, used for integers if keys are below a moderate bound; half the size of the table's
// places.
template <class Key, class Total>
struct vote_sums {
    std::vector<Total> sums;
    std::vector<Key> used;
    int64 bound = 0;      // 0: not used

    void take(int64 keys) { bound = std::is_integral<Total>::value && keys <= OWN_VOTES ? keys : 0; }
    // Reserves room for the votes of `edges` edges; false if memory runs out.
    bool prepare(int64 edges) {
        if (bound <= int64(sums.size()) && edges < int64(used.size())) { return true; }
        try {
            sums.resize(maximum(std::size_t(bound), sums.size()), Total(0));
            used.resize(maximum(std::size_t(2 * edges + 1), used.size()));
        } catch (const std::exception&) { return false; }
        return true;
    }
    // Finds the best key of a member; false if a key is beyond the bound.
    template <class Walk, class Choice, class Best>
    bool elect(vertex near, const Walk& walk, const Choice& choice, Best& best) {
        if (bound == 0) { return false; }
        direct_votes<Key, Total> votes{sums.data(), used.data(), uint64(bound), 0, false};
        walk(near, votes);
        const std::size_t size = votes.beyond ? 0 : votes.size;
        for (std::size_t i = 0; i < size; ++i) {
            const auto other = choice(near, used[i], sums[std::size_t(used[i])]);
            if (beats(other, best)) { best = other; }
        }
        for (std::size_t i = 0; i < votes.size; ++i) { sums[std::size_t(used[i])] = Total(0); }
        return !votes.beyond;
    }
};

// piece: vote_tables
// A table and sums for each thread, which an operator keeps for its next run.
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
