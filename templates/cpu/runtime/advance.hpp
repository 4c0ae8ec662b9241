// piece: push_list
// Visits the edges of a member, or puts a long list aside for `push_chunks`.
template <class Lists, class Visit>
inline void push_list(run_state& run, vertex near, const Lists& lists, Visit& visit) {
    const int64 first = lists.first(near), last = lists.last(near);
    if (last - first >= HUB_DEGREE) {
        run.hubs.defer(near, first, last);
        return;
    }
    for (int64 at = first; at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
}

// piece: push_chunks
// Visits the edges of long lists. All threads of the region call it.
template <class Lists, class Visit>
inline void push_chunks(run_state& run, const Lists& lists, Visit& visit) {
    const int64 chunks = run.hubs.size();
    if (chunks == 0) { return; }
#pragma omp for schedule(dynamic, 1)
    for (int64 i = 0; i < chunks; ++i) {
        const hub_chunk part = run.hubs[i];
        for (int64 at = part.first; at < part.last; ++at) { visit(part.near, lists.neighbor(at), lists.id(at)); }
    }
#pragma omp single
    run.hubs.clear();
}

// piece: push_edges
// Visits the edges of every member: `visit(near, far, e)`. All threads of the region call it.
template <class Members, class Lists, class Visit>
inline void push_edges(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(dynamic, chunk_of(4 * int64(end)))
    for (place_in<Members> i = 0; i < end; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        visited += lists.degree(near);
        push_list(run, near, lists, visit);
    }
    reduce_add(&run.visited, visited);
    push_chunks(run, lists, visit);
}

// piece: push_lists
// The same with whole lists, and equal numbers of members for all threads.
template <class Members, class Lists, class Visit>
inline void push_lists(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(static) nowait
    for (place_in<Members> i = 0; i < end; ++i) {
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
    }
    reduce_add(&run.visited, visited);
}

// piece: push_by_one
// The same with one thread.
template <class Members, class Lists, class Visit>
inline void push_by_one(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
    for (place_in<Members> i = 0; i < end; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
    }
    run.visited += visited;
}

// piece: claim_by_one
// Visits the edges of every member with one thread, which claims their far ends: each is stored before it is known
// whether it stays. The rest of the body, and the count of edges, follow for many at a time. This is a function of its
// own, and copies what it is given, so that addresses stay in registers whatever is stored.
template <class Members, class Lists, class Counted, class Claim, class Body>
__attribute__((noinline)) void claim_by_one(run_state& run, const Members& members_given, const Lists& lists_given,
                                            const Counted counted, const Claim& claim_given, const Body& body) {
    constexpr int64 AT_ONCE = 512;
    const Members members = members_given;
    const Claim claim = claim_given;
    const graph_slice graph = lists_given.g;
    const Lists lists = lists_on(graph, lists_given);
    const Counted degrees = lists_on(graph, counted);
    const int64 count = members.size();
    vertex* const queue = run.next.queue;
    vertex nears[AT_ONCE];
    edge ids[AT_ONCE];
    int64 size = run.next.size, done = size, edges = run.next.edges, visited = 0;
    const auto run_bodies = [&]() {
        for (int64 i = done; i < size; ++i) {
            const vertex far = queue[i];
            body(nears[i - done], far, ids[i - done]);
            edges += degrees.degree(far);
        }
        done = size;
    };
    for (int64 i = 0; i < count; ++i) {
        fetch_member(members, i + 16);  // whose degree has been fetched when it was claimed
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) {
            const vertex far = lists.neighbor(at);
            const edge e = lists.id(at);
            const bool claimed = claim(near, far, e);
            fetch_degree(degrees, far);
            nears[size - done] = near;
            ids[size - done] = e;
            queue[size] = far;
            size += claimed ? 1 : 0;
            if (size - done == AT_ONCE) { run_bodies(); }
        }
    }
    run_bodies();
    run.visited += visited;
    run.next.size = size;
    run.next.edges = edges;
}

// piece: own_ends_of_thread own_ends
// The far ends of this thread of a region: a part of the ids that has about as many edges as any other. No two threads
// share a line of values, or of marks.
struct own_ends {
    vertex first, last;
};
inline own_ends own_ends_of_thread(const graph_slice& g) {
    const int64 threads = threads_of_region(), size = g.num_vertices;
    const auto start = [&](int64 part) {
        const int64 before = g.num_edges / threads * part;
        const int64 v = std::lower_bound(g.offsets, g.offsets + size, before) - g.offsets;
        return vertex(part == threads ? size : minimum(size, (v + 511) / 512 * 512));
    };
    return own_ends{start(thread_number()), start(thread_number() + 1)};
}

// piece: edges_of_members
// The edges of all members; 0 if there is one thread, which need not know.
template <class Members, class Lists>
inline int64 edges_of_members(const Members& members, const Lists& lists) {
    const int64 size = thread_count() == 1 ? 0 : members.size();
    int64 edges = 0;
    for (int64 i = 0; i < size; ++i) { edges += lists.degree(members[i]); }
    return edges;
}

// piece: lists_are_long
// Whether so many members have so many edges that each of several threads may look for its part of every list.
inline bool lists_are_long(int64 size, int64 edges) {
    return edges > maximum(8 * SMALL_WORK, OWN_ENDS * thread_count() * size);
}

// piece: push_to_own_ends
// Visits the edges of every member that lead to the thread's own far ends. All threads of the region call it.
template <class Members, class Visit>
inline void push_to_own_ends(run_state& run, const Members& members, const graph_slice& g, const own_ends own, Visit visit) {
    const int64 size = members.size();
    int64 visited = 0;
    for (int64 i = 0; i < size; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        const vertex* const end = g.columns + g.offsets[near + 1];
        const vertex* const first = std::lower_bound(g.columns + g.offsets[near], end, own.first);
        const vertex* const last = std::lower_bound(first, end, own.last);
        visited += last - first;
        for (const vertex* far = first; far < last; ++far) { visit(near, *far, edge(far - g.columns)); }
    }
    reduce_add(&run.visited, visited);
}

// piece: first_member
// The first place from `at` on whose neighbor is a member; `last` if there is none. No processor predicts which one that is, so
// behind the next place, which often is the one, four are looked up for each branch.
template <class Members, class Lists>
inline int64 first_member(const Members& members, const Lists& lists, int64 at, const int64 last) {
    const auto four = [&](int64 from) {
        uint32 found = 0;
        for (int64 i = 0; i < 4; ++i) { found |= uint32(members.contains(lists.neighbor(from + i))) << i; }
        return found;
    };
    if (at == last || members.contains(lists.neighbor(at))) { return at; }
    const int64 behind = at + 1;
    for (at = behind; at + 4 <= last; at += 4) {
        if (const uint32 found = four(at)) { return at + __builtin_ctz(found); }
    }
    if (at < last && last - behind >= 4) {  // the last four, of which some are known not to be members
        const uint32 found = four(last - 4);
        return found != 0 ? last - 4 + __builtin_ctz(found) : last;
    }
    while (at < last && !members.contains(lists.neighbor(at))) { at += 1; }
    return at;
}

// piece: pull_list
// Visits the edges from members into `far`, until the functor closes, if it does. Returns whether it accepted one.
template <bool closes, class Members, class Lists, class Select, class Visit>
inline bool pull_list(vertex far, const Members& members, const Lists& lists, Select& select, Visit& visit) {
    bool accepted = false;
    const int64 last = lists.last(far);
    for (int64 at = lists.first(far); (at = first_member(members, lists, at, last)) < last; ++at) {
        accepted |= visit(lists.neighbor(at), far, lists.id(at));
        if (closes && !select(far)) { break; }
    }
    return accepted;
}

// piece: pull_edges
// Visits the edges from members into every vertex that `select` accepts, until the functor closes, if it does. Each far
// end is processed by one thread. A word of them is selected before the first is visited: which ones is unpredictable.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
inline void pull_edges(int64 num_vertices, const Members& members, const Lists& lists, Select select, Visit visit, Out& out) {
    const int64 words = (num_vertices + 63) / 64;
#pragma omp for schedule(dynamic, minimum<int64>(64, chunk_of(words)))
    for (int64 word = 0; word < words; ++word) {
        const int64 first = word * 64;
        uint64 bits = 0;
        uint64 selected = passing(all_members{num_vertices}, first, minimum<int64>(64, num_vertices - first), select);
        for (; selected != 0; selected &= selected - 1) {
            const int64 i = __builtin_ctzll(selected);
            bits |= uint64(pull_list<closes>(vertex(first + i), members, lists, select, visit)) << i;
        }
        out.put(word, bits);
    }
}

// piece: follow_edges direction_state
// The state of an automatic direction between passes.
struct direction_state {
    int64 unvisited;  // edges of vertices that have not been in a frontier
    bool pull;
};
// Counts the edges of vertices that have not been in a frontier since the first pass of a loop.
inline void follow_edges(direction_state& state, const frontier& f, int32 iteration, const graph_slice& g) {
    if (iteration == 0) { state = direction_state{g.num_edges, false}; }
    state.unvisited -= minimum(state.unvisited, f.edges);
}

// piece: looks_of_pull
// An estimate of what a pull looks at: all vertices, and for those not yet visited (each of mean degree) edges until one
// leads to the frontier, which has so many `edges`.
inline float looks_of_pull(const direction_state& state, int64 edges, const graph_slice& g) {
    const float open = float(state.unvisited);
    const float all = float(g.num_vertices), vertices = open * all / float(g.num_edges);
    return all + minimum(open, vertices * (open / float(edges)));
}
