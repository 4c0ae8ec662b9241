// piece: free_room
// The first storage for a graph's arrays that no graph uses which may still be read.
__device__ __forceinline__ int64 free_room(const int64* taken, uint32 count) {
    int64 room = 0;
    for (uint32 i = 0; i < count;) {
        const bool is_taken = taken[i] == room;
        room += is_taken ? 1 : 0;
        i = is_taken ? 0 : i + 1;
    }
    return room;
}

// piece: kept_places
// Which places of lists are kept, a bit of each, and how many before the next word of bits.
struct kept_places {
    const uint32* bits;
    const edge* sums;
    __device__ __forceinline__ bool has(uint64 at) const { return (bits[at / 32] >> (at % 32) & 1) != 0; }
    // The kept places before this one, which may be the end of all lists: it begins no word of bits then.
    __device__ __forceinline__ edge before(uint64 at) const {
        const uint64 word = at / 32;
        const uint32 below = at % 32 == 0 ? 0 : bits[word] & ((1u << (at % 32)) - 1);
        return (word == 0 ? edge(0) : sums[word - 1]) + __popc(below);
    }
};

// piece: keep_list_places
// Filters lists by the marks of their edges: `keep(at, next, end)` copies each marked place, whose far end is `end`, and
// `new_offsets` get the new offsets of the lists. Without `ids` the marks are those of places.
// barriers: 4
template <class Keep>
__device__ __forceinline__ void keep_list_places(enactor& run, const graph_slice& g, const uint32* marks, const edge* offsets,
                                                 const edge* ids, const vertex* ends, edge* new_offsets, Keep keep) {
    const uint64 size = uint64(g.num_edges), words = (size + 31) / 32;
    edge* const counts = run.slice.graph_scratch[0];
    const uint32* bits = marks;
    if (ids == nullptr) {
        for (uint64 word = thread_index(); word < words; word += grid_threads()) { counts[word] = edge(__popc(marks[word])); }
    } else {
        uint32* const of_places = reinterpret_cast<uint32*>(counts + words);
        for (uint64 base = warp_index() * 32; base < size; base += grid_warps() * 32) {
            const uint64 at = base + lane_index();
            const uint64 id = at < size ? uint64(ids[at]) : 0;
            const uint32 kept = __ballot_sync(FULL_WARP, at < size && (marks[id / 32] >> (id % 32) & 1) != 0);
            if (lane_index() == 0) {
                of_places[base / 32] = kept;
                counts[base / 32] = edge(__popc(kept));
            }
        }
        bits = of_places;
    }
    const kept_places kept{bits, running_sums(run, counts, run.slice.graph_scratch[1], words)};
    for (uint64 v = thread_index(); v <= uint64(g.num_vertices); v += grid_threads()) { new_offsets[v] = kept.before(offsets[v]); }
    // What several places need is read before the first of them is written, which might be the same for the compiler.
    constexpr uint32 AT_ONCE = 4;
    for (uint64 base = thread_index(); base < size; base += AT_ONCE * grid_threads()) {
        edge next[AT_ONCE];
        vertex end[AT_ONCE];
        bool has[AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < AT_ONCE; ++k) {
            const uint64 at = base + k * grid_threads();
            has[k] = at < size && kept.has(at);
            next[k] = has[k] ? kept.before(at) : edge(0);
            end[k] = has[k] ? ends[at] : vertex(0);
        }
#pragma unroll
        for (uint32 k = 0; k < AT_ONCE; ++k) {
            if (has[k]) { keep(base + k * grid_threads(), next[k], end[k]); }
        }
    }
    synchronize(run);
}

// piece: subgraph_arrays
// The arrays of a graph of some edges of another one. Those that a program has no use for are null.
struct subgraph_arrays {
    edge *offsets, *edge_ids;
    vertex *neighbors, *sources;
    edge *in_offsets, *in_edges;
    vertex* in_sources;
    edge* reverse_edges;
};

// piece: point_to_subgraph
// Lets a graph have these out-lists.
__device__ __forceinline__ void point_to_subgraph(graph_slice& made, const subgraph_arrays& own) {
    made.offsets = own.offsets;
    made.neighbors = own.neighbors;
    if (own.edge_ids != nullptr) {
        made.edge_ids = own.edge_ids;
    } else {
        made.edge_sources = own.sources;
        made.columns = own.neighbors;
        made.edge_bound = made.num_edges;
    }
}

// piece: write_subgraph
// The graph of the `count` marked edges alone, in these arrays. The ends of edges stay in place, indexed by the ids of the
// edges; if there is no array for ids, edges get their positions as new ones.
// barriers: 5 to 10
__device__ __forceinline__ graph_slice write_subgraph(enactor& run, const graph_slice& g, const subgraph_arrays& own,
                                                      const uint32* marks, uint64 count) {
    graph_slice made = g;
    made.num_edges = count;
    // Of graphs whose edges are numbered by their places each edge's id is its place.
    const edge* const ids = own.edge_ids != nullptr ? g.edge_ids : nullptr;
    keep_list_places(run, g, marks, g.offsets, ids, g.neighbors, own.offsets, [&](uint64 at, edge next, vertex end) {
        own.neighbors[next] = end;
        if (own.edge_ids != nullptr) { own.edge_ids[next] = g.edge_ids[at]; }
        if (own.sources != nullptr) { own.sources[next] = g.edge_sources[at]; }
    });
    point_to_subgraph(made, own);
    turn_hoisted(run, g, made, marks, own);
    pair_edges(run, made, own.reverse_edges);
    synchronize(run);
    run.operators += 1;
    return made;
}

// piece: make_subgraph
// The graph of some edges alone, stored in a room of the run.
// barriers: 6 to 11
__device__ __noinline__ graph_slice make_subgraph(enactor& run, const graph_slice& g, int64 room, const edge_frontier& edges) {
    const run_slice& slice = run.slice;
    const subgraph_arrays own = {
        slice.made_offsets[room], slice.made_edge_ids[room], slice.made_neighbors[room], nullptr, slice.made_in_offsets[room],
        slice.made_in_edges[room], slice.made_in_sources[room], slice.made_reverse[room]};
    begin_operator(run);
    uint32* const marks = marks_of_members(run, edges);
    graph_slice made = write_subgraph(run, g, own, marks, edges.size);
    clear_edge_marks(marks, edges);
    made.room = room;
    return made;
}

// piece: arrays_of_hoisted
// The arrays of a graph that stays with the given one.
__device__ __forceinline__ subgraph_arrays arrays_of_hoisted(const run_slice& slice, uint32 number) {
    return subgraph_arrays{
        slice.hoisted_offsets[number], slice.hoisted_edge_ids[number], slice.hoisted_neighbors[number],
        slice.hoisted_sources[number], slice.hoisted_in_offsets[number], slice.hoisted_in_edges[number],
        slice.hoisted_in_sources[number], slice.hoisted_reverse[number]};
}

// piece: is_hoisted
// Whether a run before this one, or a pass before this one, has made the graph. All threads find the same: who makes it
// says so between two barriers.
__device__ __forceinline__ bool is_hoisted(const run_slice& slice, uint32 number) {
    return load_relaxed(&slice.hoisted_graphs[number]->ready) != 0;
}

// piece: hoisted_subgraph
// The graph that is kept.
__device__ __forceinline__ graph_slice hoisted_subgraph(const run_slice& slice, const graph_slice& g, uint32 number) {
    const subgraph_arrays own = arrays_of_hoisted(slice, number);
    graph_slice made = g;
    made.num_edges = slice.hoisted_graphs[number]->num_edges;
    made.largest_degree = slice.hoisted_graphs[number]->largest_degree;
    point_to_subgraph(made, own);
    if (g.in_offsets != nullptr) { point_to_in_lists(made, own); }
    if (g.reverse_edges != nullptr) { made.reverse_edges = own.reverse_edges; }
    return made;
}

// piece: make_hoisted_graph
// The graph of some edges alone, which are marked in the room of a queue, for this run and all later ones. If the run is
// stopped, the next one makes it again.
// barriers: 7 to 12
__device__ __noinline__ graph_slice make_hoisted_graph(enactor& run, const graph_slice& g, uint32 number,
                                                    const edge_frontier& edges) {
    hoisted_graph* const kept = run.slice.hoisted_graphs[number];
    begin_operator(run);
    const uint32* const marks = reinterpret_cast<const uint32*>(edges.queue);
    graph_slice made = write_subgraph(run, g, arrays_of_hoisted(run.slice, number), marks, edges.size);
    uint64 largest = 0;
    for (uint64 v = thread_index(); v < uint64(made.num_vertices); v += grid_threads()) {
        largest = max(largest, uint64(made.offsets[v + 1] - made.offsets[v]));
        if (made.in_offsets != nullptr) { largest = max(largest, uint64(made.in_offsets[v + 1] - made.in_offsets[v])); }
    }
    largest = warp_reduce(largest, [](uint64 a, uint64 b) { return max(a, b); });
    if (lane_index() == 0) { reduce_max(&kept->largest_degree, int64(largest)); }
    if (leader()) { kept->num_edges = made.num_edges; }
    synchronize(run);
    if (leader() && !run.stopped) { kept->ready = 1; }
    made.largest_degree = load_relaxed(&kept->largest_degree);
    synchronize(run);
    return made;
}

// piece: point_to_in_lists
// Lets a graph have these in-lists.
__device__ __forceinline__ void point_to_in_lists(graph_slice& made, const subgraph_arrays& own) {
    made.in_offsets = own.in_offsets;
    made.in_sources = own.in_sources;
    if (own.in_edges != nullptr) { made.in_edges = own.in_edges; }
}

// piece: turn_hoisted
// The in-edges of a subgraph, if the program uses in-edges.
// barriers: 4 if in-edges are used
__device__ __forceinline__ void turn_hoisted(enactor& run, const graph_slice& g, graph_slice& made, const uint32* marks,
                                          const subgraph_arrays& own) {
    if (g.in_offsets == nullptr) { return; }
    keep_list_places(run, g, marks, g.in_offsets, g.in_edges, g.in_sources, own.in_offsets, [&](uint64 at, edge next, vertex end) {
        own.in_sources[next] = end;
        if (own.in_edges != nullptr) { own.in_edges[next] = g.in_edges[at]; }
    });
    point_to_in_lists(made, own);
}

// piece: pair_edges
// Pairs the k-th edge from each u to each w with the k-th edge from w to u, if the program uses reverse edges.
// barriers: 1 if reverse edges are used
__device__ __forceinline__ void pair_edges(enactor& run, graph_slice& made, edge* reverse) {
    if (reverse == nullptr) { return; }
    synchronize(run);
    const out_lists lists{made};
    for (uint64 e = thread_index(); e < uint64(made.edge_bound); e += grid_threads()) {
        const vertex u = made.edge_sources[e], w = made.columns[e];
        const edge own = lists.first(u) + edge(place_of(made, u, edge(e)));
        edge back = NO_EDGE;
        if (own < lists.last(u) && lists.id(own) == edge(e)) {
            const edge alike = own - first_to(lists, lists.first(u), lists.last(u), w);
            const edge at = first_to(lists, lists.first(w), lists.last(w), u) + alike;
            if (at < lists.last(w) && lists.neighbor(at) == u) { back = lists.id(at); }
        }
        reverse[e] = back;
    }
    made.reverse_edges = reverse;
}
