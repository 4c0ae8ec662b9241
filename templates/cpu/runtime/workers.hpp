// piece: own_parts
// This worker's members of the operator's set.
struct own_parts {
    std::vector<vertex> members;
    std::vector<edge> edges;
};

// piece: own_range own_vertices
// The vertices of this worker; a graph that the schedule built may have fewer.
struct own_range {
    int64 begin, count;
    int64 size() const { return count; }
    vertex operator[](int64 i) const { return vertex(begin + i); }
};
inline own_range own_vertices(const run_state& run, const graph_slice& g) {
    const int64 first = minimum(run.control.first_vertex, g.num_vertices);
    return own_range{first, minimum(run.control.last_vertex, g.num_vertices) - first};
}

// piece: own_members_of
// This worker's members of a set.
inline queue_members own_members_of(run_state& run, frontier& f) {
    need_queue(f);
    const uint64 first = uint64(run.control.first_vertex), count = uint64(run.control.last_vertex) - first;
    run.own.members.resize(std::size_t(f.size + 1));
    int64 size = 0;
    for (int64 i = 0; i < f.size; ++i) {
        run.own.members[std::size_t(size)] = f.queue[i];
        size += uint64(f.queue[i]) - first < count ? 1 : 0;
    }
    return queue_members{run.own.members.data(), nullptr, size};
}

// piece: own_edges_of
// This worker's members of a set of edges.
inline edge_members own_edges_of(run_state& run, const edge_frontier& f) {
    const uint64 first = uint64(run.control.first_edge), count = uint64(run.control.last_edge) - first;
    run.own.edges.resize(std::size_t(f.size + 1));
    int64 size = 0;
    for (int64 i = 0; i < f.size; ++i) {
        run.own.edges[std::size_t(size)] = f.queue[i];
        size += uint64(f.queue[i]) - first < count ? 1 : 0;
    }
    return edge_members{run.own.edges.data(), size};
}

// piece: own_edges_by_source
// The same in a graph that the schedule built, whose edges may have other ids.
inline edge_members own_edges_by_source(run_state& run, const edge_frontier& f, const graph_slice& g) {
    const uint64 first = uint64(run.control.first_vertex), count = uint64(run.control.last_vertex) - first;
    run.own.edges.resize(std::size_t(f.size + 1));
    int64 size = 0;
    for (int64 i = 0; i < f.size; ++i) {
        run.own.edges[std::size_t(size)] = f.queue[i];
        size += uint64(g.edge_sources[f.queue[i]]) - first < count ? 1 : 0;
    }
    return edge_members{run.own.edges.data(), size};
}

// piece: each_edge
// Visits every edge that leaves a vertex of this worker, by source; threads share long lists.
template <class Visit>
inline void each_edge(run_state& run, const graph_slice& g, Visit visit) {
    push_edges(run, own_vertices(run, g), out_lists{g}, visit);
}

// piece: each_edge_of
// Visits every edge of a set, with its source and destination.
template <class Visit>
inline void each_edge_of(const edge_members& members, const graph_slice& g, Visit visit) {
#pragma omp for schedule(dynamic, chunk_of(members.count))
    for (int64 i = 0; i < members.count; ++i) {
        const edge e = members.queue[i];
        visit(g.edge_sources[e], g.columns[e], e);
    }
}

// piece: collect_own_far_ends
// Collects the far ends of this worker's members of a set of edges; `ends[e]` is the far end of edge e.
template <class Counted>
inline void collect_own_far_ends(run_state& run, frontier& result, const edge_frontier& edges, const vertex* ends,
                                 const Counted counted) {
    const edge_members own = own_edges_of(run, edges);
    collector_by_one<Counted> out(run.next, counted);
    for (int64 i = 0; i < own.count; ++i) { out.append_new_if(ends[own.queue[i]], true); }
    out.flush();
    finish_queue(run, result, true);
}

// piece: each_block_from
// `each_block` of the ids from `begin` up to, but not including, `end`.
template <class Visit>
inline void each_block_from(int64 begin, int64 end, int64 bytes, Visit visit) {
    each_block(end - begin, bytes, [&](int64 first, int64 last) { visit(begin + first, begin + last); });
}

// piece: call_host
// Hands data to the host, which exchanges them with other workers. Returns the size of the set afterwards.
inline int64 call_host(run_state& run, int64 number, int64 moment, int64 turn, std::initializer_list<void*> data,
                       void* queue, int64 size) {
    exchange_call call = {number, moment, turn, data.begin(), queue, size};
    reinterpret_cast<void (*)(exchange_call*)>(run.control.exchange)(&call);
    return call.size;
}

// piece: note_data
// Copies values before a step, so that the host can find what the step changes.
inline void note_data(run_state& run, int64 number, std::initializer_list<void*> data) {
    call_host(run, number, 0, 0, data, nullptr, 0);
}

// piece: note_members
// The same for a step that changes only values of a set's members and of the far ends in their lists.
inline void note_members(run_state& run, int64 number, frontier& f, std::initializer_list<void*> data) {
    need_queue(f);
    call_host(run, number, 0, 0, data, f.queue, f.size);
}

// piece: exchange_data
// Exchanges values, so that all workers have the same.
inline void exchange_data(run_state& run, int64 number, int64 turn, std::initializer_list<void*> data) {
    call_host(run, number, 1, turn, data, nullptr, 0);
}

// piece: exchange_set
// The same, and the set becomes the union of all workers' sets.
template <class Counted>
inline void exchange_set(run_state& run, int64 number, frontier& f, const Counted counted, std::initializer_list<void*> data) {
    need_queue(f);
    if (f.mapped) {
        for (int64 i = 0; i < f.size; ++i) { f.bitmap[f.queue[i] / 64] = 0; }
        f.mapped = false;
    }
    f.size = call_host(run, number, 1, 0, data, f.queue, f.size);
    f.edges = 0;
    for (int64 i = 0; Counted::counts && i < f.size; ++i) { f.edges += counted.degree(f.queue[i]); }
}

// piece: exchange_edges
// The same for a set of edges.
inline void exchange_edges(run_state& run, int64 number, edge_frontier& f, std::initializer_list<void*> data) {
    f.size = call_host(run, number, 1, 0, data, f.queue, f.size);
}

// piece: resumes
// Whether the run resumes in a later loop, so that the steps before it are skipped.
inline bool resumes(const run_state& run) { return run.control.resume_loop != 0; }

// piece: enters_loop
// Whether the run enters this loop, as it does unless it resumes in a later one.
inline bool enters_loop(const run_state& run, int64 loop) { return !resumes(run) || run.control.resume_loop == loop + 1; }

// piece: resumes_in
// Whether the run resumes in one of these loops.
inline bool resumes_in(const run_state& run, std::initializer_list<int64> loops) {
    for (const int64 loop : loops) {
        if (run.control.resume_loop == loop + 1) { return true; }
    }
    return false;
}

// piece: pass_ended
// Reports the number of passes of a loop to the host. True if the host saves the data; it then needs the sets, too.
inline bool pass_ended(run_state& run, int64 loop, int64 pass, int64 passes, std::initializer_list<void*> data) {
    return run.control.checkpoints != 0 && call_host(run, loop, 2, pass, data, nullptr, passes) != 0;
}

// piece: hand_over
// Passes the members of a set to the host.
inline void hand_over(run_state& run, int64 number, frontier& f) {
    need_queue(f);
    call_host(run, number, 3, 0, {}, f.queue, f.size);
}

// piece: hand_over_edges
inline void hand_over_edges(run_state& run, int64 number, edge_frontier& f) {
    call_host(run, number, 3, 0, {}, f.queue, f.size);
}

// piece: take_back
// Restores the saved members of a set.
template <class Counted>
inline void take_back(run_state& run, int64 number, frontier& f, const Counted counted) {
    f.clear();
    f.size = call_host(run, number, 6, 0, {}, f.queue, 0);
    for (int64 i = 0; Counted::counts && i < f.size; ++i) { f.edges += counted.degree(f.queue[i]); }
}

// piece: take_back_edges
inline void take_back_edges(run_state& run, int64 number, edge_frontier& f) {
    f.size = call_host(run, number, 6, 0, {}, f.queue, 0);
}

// piece: hand_over_graph
// Passes what a graph is made of to the host: the ends of its edges unless they are the input graph's, and the ids of
// its edges unless it has all that have ends.
inline void hand_over_graph(run_state& run, int64 number, const graph_slice& g, const graph_slice& input) {
    const bool own_ends = g.columns != input.columns, some_edges = g.neighbors != g.columns;
    int64 sizes[] = {g.num_vertices, own_ends ? g.edge_bound : -1, some_edges ? g.num_edges : -1};
    call_host(run, number, 7, 0,
              {const_cast<vertex*>(g.columns), const_cast<vertex*>(g.edge_sources), const_cast<edge*>(ids_of_edges(g))}, sizes, 3);
}

// piece: take_back_graph
// Builds that graph again.
inline made_graph take_back_graph(run_state& run, int64 number, const made_graph& input) {
    int64 sizes[3] = {0, -1, -1};
    call_host(run, number, 8, 0, {}, sizes, 3);
    const int64 num_vertices = sizes[0], bound = sizes[1];
    made_graph built = input;
    if (bound >= 0) { built.arrays = std::make_shared<graph_arrays>(); }
    vertex *columns = nullptr, *sources = nullptr;
    if (bound >= 0) {
        built.arrays->columns.resize(std::size_t(bound) + 1);
        built.arrays->edge_sources.resize(std::size_t(bound) + 1);
        columns = built.arrays->columns.data();
        sources = built.arrays->edge_sources.data();
        columns[bound] = sources[bound] = 0;  // place 0 always exists, for checked indices
    }
    edge_frontier edges(bound >= 0 ? bound : input.graph.num_edges);
    edges.size = sizes[2];
    call_host(run, number, 9, 0, {columns, sources, edges.queue}, sizes, 3);
    if (run.control.host_stop != 0) { return input; }  // the host has nothing to restore
    if (bound >= 0) {
        std::vector<int64>& offsets = built.arrays->offsets;
        offsets.assign(std::size_t(num_vertices) + 1, 0);
        for (int64 e = 0; e < bound; ++e) { offsets[std::size_t(sources[e]) + 1] += 1; }
        for (std::size_t u = 1; u < offsets.size(); ++u) { offsets[u] += offsets[u - 1]; }
        finish_contraction(built, num_vertices, bound);
    }
    return sizes[2] >= 0 ? subgraph_of_ids(built, edges) : built;
}

// piece: pull_edges
// Visits the edges from members into every vertex of this worker that `select` accepts, until the functor closes, if it
// does. Each far end is processed by one thread. Words of the bitmap without an own vertex become 0.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
inline void pull_edges(const own_range& own, int64 num_vertices, const Members& members, const Lists& lists, Select select,
                       Visit visit, Out& out) {
    const int64 words = (num_vertices + 63) / 64;
#pragma omp for schedule(dynamic, minimum<int64>(64, chunk_of(words)))
    for (int64 word = 0; word < words; ++word) {
        uint64 bits = 0;
        const int64 end = minimum<int64>(own.begin + own.count, word * 64 + 64);
        for (int64 i = maximum<int64>(own.begin, word * 64); i < end; ++i) {
            const vertex far = vertex(i);
            if (!select(far)) { continue; }
            bits |= uint64(pull_list<closes>(far, members, lists, select, visit)) << (i - word * 64);
        }
        out.put(word, bits);
    }
}
