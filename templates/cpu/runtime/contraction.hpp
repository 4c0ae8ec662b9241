// piece: number_labels
// Replaces each label by its rank among all labels. Returns the number of distinct labels.
template <class Label>
inline int64 number_labels(Label* label, int64 num_vertices) {
    int64 beyond = 0;
#pragma omp parallel for schedule(static) reduction(+ : beyond) if (num_vertices > SMALL_WORK)
    for (int64 v = 0; v < num_vertices; ++v) { beyond += uint64(label[v]) < uint64(num_vertices) ? 0 : 1; }
    return beyond == 0 ? number_low_labels(label, num_vertices) : number_any_labels(label, num_vertices);
}

// piece: number_low_labels
// For labels that are all below the number of vertices.
template <class Label>
inline int64 number_low_labels(Label* label, int64 num_vertices) {
    std::vector<uint64> bits(std::size_t(num_vertices / 64 + 1), 0);
    each_id(num_vertices, [&](int64 v) {
        uint64* const word = &bits[std::size_t(label[v]) / 64];
        const uint64 bit = uint64(1) << (uint64(label[v]) % 64);
        if ((load_now(word) & bit) == 0) { __atomic_fetch_or(word, bit, __ATOMIC_RELAXED); }
    });
    array_of<Label> places(std::size_t(num_vertices) + 1);
    const int64 known = number_bits(bits.data(), num_vertices, [&](uint64 at, uint64 place) { places[at] = Label(place); });
    each_id(num_vertices, [&](int64 v) { label[v] = places[std::size_t(label[v])]; });
    return known;
}

// piece: number_any_labels
template <class Label>
inline int64 number_any_labels(Label* label, int64 num_vertices) {
    std::vector<Label> known(label, label + num_vertices);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    each_id(num_vertices, [&](int64 v) {
        label[v] = Label(std::lower_bound(known.begin(), known.end(), label[v]) - known.begin());
    });
    return int64(known.size());
}

// piece: label_groups
// The vertices ordered by label, then by id. Their concatenated lists form a range of places for each label.
struct label_groups {
    array_of<vertex> members;
    std::vector<int64> first;    // the first member of each label
    std::vector<int64> before;   // the number of places before the list of each member

    template <class Label>
    label_groups(const graph_slice& g, const Label* label, int64 count)
        : members(std::size_t(g.num_vertices) + 1), first(std::size_t(count) + 2, 0), before(std::size_t(g.num_vertices) + 1, 0) {
        for (int64 v = 0; v < g.num_vertices; ++v) { first[std::size_t(label[v]) + 2] += 1; }
        for (std::size_t i = 2; i < first.size(); ++i) { first[i] += first[i - 1]; }
        for (int64 v = 0; v < g.num_vertices; ++v) {
            int64& next = first[std::size_t(label[v]) + 1];
            members[std::size_t(next)] = vertex(v);
            next += 1;
        }
        for (std::size_t i = 0; i + 1 < before.size(); ++i) {
            before[i + 1] = before[i] + g.offsets[members[i] + 1] - g.offsets[members[i]];
        }
    }
    // Where the range of a label begins; it ends where that of the next label begins.
    int64 begin(int64 label) const { return before[std::size_t(first[std::size_t(label)])]; }
    // The member whose list contains a place.
    std::size_t member_at(int64 place) const {
        return std::size_t(std::upper_bound(before.begin(), before.end(), place) - before.begin()) - 1;
    }
};

// piece: sort_ids
// Sorts ids below `bound`; long lists by a radix sort of eight bits at a time.
inline void sort_ids(vertex* ids, vertex* scratch, int64 count, int64 bound) {
    if (count < 256) {
        std::sort(ids, ids + count);
        return;
    }
    vertex *from = ids, *to = scratch;
    for (int32 shift = 0; shift < int32(8 * sizeof(vertex)) && (uint64(bound - 1) >> shift) != 0; shift += 8) {
        int64 next[257] = {0};
        for (int64 i = 0; i < count; ++i) { next[(uint64(from[i]) >> shift & 255) + 1] += 1; }
        for (int32 digit = 1; digit < 257; ++digit) { next[digit] += next[digit - 1]; }
        for (int64 i = 0; i < count; ++i) {
            int64& place = next[uint64(from[i]) >> shift & 255];
            to[place] = from[i];
            place += 1;
        }
        std::swap(from, to);
    }
    if (from != ids) { std::memcpy(ids, from, std::size_t(count) * sizeof(vertex)); }
}

// piece: contraction_room
// The memory with which one thread combines edges.
template <class Total>
struct contraction_room {
    vote_table<vertex, Total> table;
    std::vector<vertex> scratch;
    explicit contraction_room(int64 count) { table.take(count); }
    bool prepare(int64 edges) {
        if (!table.prepare(edges)) { return false; }
        try {
            if (int64(scratch.size()) < edges) { scratch.resize(std::size_t(edges)); }
        } catch (const std::exception&) { return false; }
        return true;
    }
};

// piece: contracted_lists
// Combines the edges of each label into one for each destination, sorted, from the beginning of the label's range.
// Places are divided into parts of equal length. If a range is in several parts, their results are combined afterwards,
// so the result is the same for any number of threads.
template <class Label, class Sums>
struct contracted_lists {
    typedef typename Sums::total Total;
    static constexpr int64 PART = 16 * HUB_CHUNK;
    const graph_slice& g;
    const Label* const label;
    const Sums sums;
    const int64 count, parts;
    const label_groups groups;
    array_of<vertex> ends;
    array_of<Total> totals;
    std::vector<int64> sizes;        // the number of edges of each label
    std::vector<int64> head, tail;   // a part's edges of a range that began earlier, and of one that continues
    bool lost;                       // memory ran out; threads must not throw

    contracted_lists(const graph_slice& g, const Label* label, Sums sums, int64 count)
        : g(g), label(label), sums(sums), count(count), parts((g.num_edges + PART - 1) / PART), groups(g, label, count),
          ends(std::size_t(g.num_edges) + 1), totals(std::size_t(g.num_edges) + 1), sizes(std::size_t(count) + 1, 0),
          head(std::size_t(parts) + 1, 0), tail(std::size_t(parts) + 1, 0), lost(false) {
#pragma omp parallel if (g.num_edges > SMALL_WORK / 4)
        {
            contraction_room<Total> room(count);
#pragma omp for schedule(dynamic, 1)
            for (int64 part = 0; part < parts; ++part) { contract_part(room, part); }
#pragma omp for schedule(dynamic, 1)
            for (int64 part = 0; part < parts; ++part) { join_run(room, part); }
        }
        if (lost) { throw std::bad_alloc(); }
    }

    // Whether there is room for so many edges, which become no more than there are labels.
    bool prepare(contraction_room<Total>& room, int64 edges) {
        if (room.prepare(minimum(edges, count))) { return true; }
        store_shared(&lost, true);
        return false;
    }

    // Combines the ranges in a part.
    void contract_part(contraction_room<Total>& room, int64 part) {
        const int64 begin = part * PART, end = minimum(begin + PART, g.num_edges);
        std::size_t member = groups.member_at(begin);
        for (int64 at = begin; at < end;) {
            const int64 own = int64(label[groups.members[member]]), behind = groups.begin(own + 1), last = minimum(behind, end);
            if (last == at) {  // a vertex without edges
                member += 1;
                continue;
            }
            if (!prepare(room, last - at)) { return; }
            vote_round<vertex, Total> votes = room.table.open(minimum(last - at, count));
            const int64 start = at;
            for (; at < last; ++member) { at = count_list(votes, member, at, last); }
            int64& size = groups.begin(own) < begin ? head[part] : behind > end ? tail[part] : sizes[own];
            size = put(votes, room, start);
        }
    }
    // Counts the edges of a member from a place on, before `last`; returns how far it came.
    int64 count_list(vote_round<vertex, Total>& votes, std::size_t member, int64 at, int64 last) const {
        const int64 end = minimum(groups.before[member + 1], last);
        const int64 moved = g.offsets[groups.members[member]] - groups.before[member];
        for (; at < end; ++at) {
            const edge e = g.edge_ids[at + moved];
            join(votes, vertex(label[g.columns[e]]), sums.of(e));
        }
        return end;
    }
    // Stores the counted edges from a place on, sorted by destination. Returns their number.
    int64 put(const vote_round<vertex, Total>& votes, contraction_room<Total>& room, int64 at) {
        vertex* const own = ends.data() + at;
        for (std::size_t i = 0; i < votes.size; ++i) { own[i] = votes.place(i).mark.key(); }
        sort_ids(own, room.scratch.data(), int64(votes.size), count);
        for (std::size_t i = 0; i < votes.size; ++i) { totals[std::size_t(at) + i] = votes.total_of(own[i]); }
        return int64(votes.size);
    }
    // Combines the results of the range that begins in this part and continues in later ones.
    void join_run(contraction_room<Total>& room, int64 part) {
        const int64 end = (part + 1) * PART;
        if (end >= g.num_edges || lost) { return; }
        const int64 own = int64(label[groups.members[groups.member_at(end)]]), begin = groups.begin(own);
        if (begin == end || begin < part * PART) { return; }
        const int64 last = (groups.begin(own + 1) - 1) / PART;
        int64 edges = tail[part];
        for (int64 other = part + 1; other <= last; ++other) { edges += head[other]; }
        if (!prepare(room, edges)) { return; }
        vote_round<vertex, Total> votes = room.table.open(minimum(edges, count));
        recount(votes, begin, tail[part]);
        for (int64 other = part + 1; other <= last; ++other) { recount(votes, other * PART, head[other]); }
        sizes[own] = put(votes, room, begin);
    }
    void recount(vote_round<vertex, Total>& votes, int64 at, int64 size) const {
        for (const int64 end = at + size; at < end; ++at) { join(votes, ends[std::size_t(at)], totals[std::size_t(at)]); }
    }
    void join(vote_round<vertex, Total>& votes, vertex end, Total own) const {
        votes.change(end, [&](bool fresh, Total former) { return sums.joined(fresh, former, own); });
    }
};

// piece: make_contraction
// The graph in which all vertices with the same label are one vertex. `sums` has the weights to combine, and receives
// the combined ones.
template <class Label, class Sums>
inline made_graph make_contraction(const graph_slice& g, Label* label, Sums sums) {
    const int64 count = number_labels(label, g.num_vertices);
    const contracted_lists<Label, Sums> lists(g, label, sums, count);
    made_graph built{g, std::make_shared<graph_arrays>()};
    graph_arrays& arrays = *built.arrays;
    arrays.offsets.resize(std::size_t(count) + 1);
    arrays.offsets[0] = 0;
    for (std::size_t u = 0; u < std::size_t(count); ++u) { arrays.offsets[u + 1] = arrays.offsets[u] + lists.sizes[u]; }
    const int64 num_edges = arrays.offsets[std::size_t(count)];
    arrays.columns.resize(std::size_t(num_edges) + 1);
    arrays.edge_sources.resize(std::size_t(num_edges) + 1);
    arrays.columns.back() = arrays.edge_sources.back() = 0;  // place 0 always exists, for checked indices
    each_id(count, [&](int64 u) {
        std::size_t from = std::size_t(lists.groups.begin(u));
        for (std::size_t e = arrays.offsets[u]; e < std::size_t(arrays.offsets[u + 1]); ++e, ++from) {
            arrays.columns[e] = lists.ends[from];
            arrays.edge_sources[e] = vertex(u);
            sums.put(e, lists.totals[from]);
        }
    });
    finish_contraction(built, count, num_edges);
    return built;
}

// piece: finish_contraction
// Completes a contraction whose offsets and whose edges' ends are there.
inline void finish_contraction(made_graph& built, int64 num_vertices, int64 num_edges) {
    graph_arrays& arrays = *built.arrays;
    built.graph.num_vertices = num_vertices;
    built.graph.num_edges = built.graph.edge_bound = num_edges;
    arrays.edge_ids = all_ids(num_edges);
    if (built.graph.in_offsets != nullptr) { build_in_lists(arrays, num_vertices, num_edges); }
    built.graph.columns = built.graph.neighbors = arrays.columns.data();
    built.graph.edge_sources = arrays.edge_sources.data();
    point_to_lists(built);
}

// piece: build_in_lists
// The in-edges of each vertex, in the order of their ids.
inline void build_in_lists(graph_arrays& arrays, int64 num_vertices, int64 num_edges) {
    const std::size_t count = std::size_t(num_edges);
    arrays.in_offsets.assign(std::size_t(num_vertices) + 2, 0);
    for (std::size_t e = 0; e < count; ++e) { arrays.in_offsets[std::size_t(arrays.columns[e]) + 2] += 1; }
    for (std::size_t v = 2; v < arrays.in_offsets.size(); ++v) { arrays.in_offsets[v] += arrays.in_offsets[v - 1]; }
    arrays.in_edges.resize(count + 1);
    arrays.in_sources.resize(count + 1);
    for (std::size_t e = 0; e < count; ++e) {
        const std::size_t at = std::size_t(arrays.in_offsets[std::size_t(arrays.columns[e]) + 1]++);
        arrays.in_edges[at] = edge(e);
        arrays.in_sources[at] = arrays.edge_sources[e];
    }
}

// piece: no_sums
// For edges without weights.
struct no_sums {
    typedef uint32 total;
    total of(edge) const { return 0; }
    total joined(bool, total former, total) const { return former; }
    void put(std::size_t, total) const {}
};

// piece: joined_weights
// For edges whose weights are combined.
template <class Weight, class Combine>
struct joined_weights {
    typedef Weight total;
    Weight* const weight;
    const Weight identity;
    const Combine combine;
    total of(edge e) const { return weight[e]; }
    total joined(bool fresh, total former, total own) const { return combine(fresh ? identity : former, own); }
    void put(std::size_t e, total whole) const { weight[e] = whole; }
};

// piece: join_weights
template <class Weight, class Combine>
inline joined_weights<Weight, Combine> join_weights(Weight* weight, Weight identity, Combine combine) {
    return {weight, identity, combine};
}
