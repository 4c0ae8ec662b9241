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

// piece: keep_list_places
// Filters lists by the marks of their edges: `keep(at, next)` copies each marked place, and `kept_offsets` get the new
// offsets of the lists.
// barriers: 4
template <class Keep>
__device__ __forceinline__ void keep_list_places(enactor& run, const graph_slice& g, const uint32* marks, const edge* offsets,
                                                 const edge* ids, edge* kept_offsets, Keep keep) {
    edge* const flags = run.slice.graph_scratch[0];
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) { flags[i] = marks[ids[i] / 32] >> (ids[i] % 32) & 1; }
    const edge* const sums = running_sums(run, flags, run.slice.graph_scratch[1], g.num_edges);
    for (uint64 v = thread_index(); v <= uint64(g.num_vertices); v += grid_threads()) {
        kept_offsets[v] = offsets[v] == 0 ? edge(0) : sums[offsets[v] - 1];
    }
    for (uint64 i = thread_index(); i < uint64(g.num_edges); i += grid_threads()) {
        if ((marks[ids[i] / 32] >> (ids[i] % 32) & 1) != 0) { keep(i, sums[i] - 1); }
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
    if (own.edge_ids != nullptr) { made.edge_ids = own.edge_ids; }
    if (own.sources != nullptr) {
        made.edge_sources = own.sources;
        made.columns = own.neighbors;
        made.edge_bound = made.num_edges;
    }
}

// piece: write_subgraph
// The graph of some edges alone, in these arrays. The ends of edges stay in place, indexed by the ids of the edges; if
// there is an array for sources, edges get their positions as new ids.
// barriers: 6 to 11
__device__ __forceinline__ graph_slice write_subgraph(enactor& run, const graph_slice& g, const subgraph_arrays& own,
                                                      const edge_frontier& edges) {
    begin_operator(run);
    uint32* const marks = marks_of_members(run, edges);
    graph_slice made = g;
    made.num_edges = edges.size;
    keep_list_places(run, g, marks, g.offsets, g.edge_ids, own.offsets, [&](uint64 at, edge next) {
        own.neighbors[next] = g.neighbors[at];
        if (own.edge_ids != nullptr) { own.edge_ids[next] = g.edge_ids[at]; }
        if (own.sources != nullptr) { own.sources[next] = g.edge_sources[g.edge_ids[at]]; }
    });
    point_to_subgraph(made, own);
    turn_kept(run, g, made, marks, own);
    pair_edges(run, made, own.reverse_edges);
    synchronize(run);
    clear_edge_marks(marks, edges);
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
    graph_slice made = write_subgraph(run, g, own, edges);
    made.room = room;
    return made;
}

// piece: arrays_of_kept
// The arrays of a graph that stays with the given one.
__device__ __forceinline__ subgraph_arrays arrays_of_kept(const run_slice& slice, uint32 number) {
    return subgraph_arrays{
        slice.kept_offsets[number], slice.kept_edge_ids[number], slice.kept_neighbors[number], slice.kept_sources[number],
        slice.kept_in_offsets[number], slice.kept_in_edges[number], slice.kept_in_sources[number], slice.kept_reverse[number]};
}

// piece: is_kept
// Whether a run before this one, or a pass before this one, has made the graph. All threads find the same: who makes it
// says so between two barriers.
__device__ __forceinline__ bool is_kept(const run_slice& slice, uint32 number) {
    return load_relaxed(&slice.kept_graphs[number]->ready) != 0;
}

// piece: kept_subgraph
// The graph that is kept.
__device__ __forceinline__ graph_slice kept_subgraph(const run_slice& slice, const graph_slice& g, uint32 number) {
    const subgraph_arrays own = arrays_of_kept(slice, number);
    graph_slice made = g;
    made.num_edges = slice.kept_graphs[number]->num_edges;
    made.largest_degree = slice.kept_graphs[number]->largest_degree;
    point_to_subgraph(made, own);
    if (g.in_offsets != nullptr) { point_to_in_lists(made, own); }
    if (g.reverse_edges != nullptr) { made.reverse_edges = own.reverse_edges; }
    return made;
}

// piece: make_kept_graph
// The graph of some edges alone, for this run and all later ones. If the run is stopped, the next one makes it again.
// barriers: 8 to 13
__device__ __noinline__ graph_slice make_kept_graph(enactor& run, const graph_slice& g, uint32 number,
                                                    const edge_frontier& edges) {
    kept_graph* const kept = run.slice.kept_graphs[number];
    graph_slice made = write_subgraph(run, g, arrays_of_kept(run.slice, number), edges);
    uint64 largest = 0;
    for (uint64 v = thread_index(); v < uint64(made.num_vertices); v += grid_threads()) {
        largest = maximum(largest, uint64(made.offsets[v + 1] - made.offsets[v]));
        if (made.in_offsets != nullptr) { largest = maximum(largest, uint64(made.in_offsets[v + 1] - made.in_offsets[v])); }
    }
    largest = warp_reduce(largest, [](uint64 a, uint64 b) { return maximum(a, b); });
    if (lane_index() == 0) { reduce_max(&kept->largest_degree, int64(largest)); }
    if (leader()) { kept->num_edges = made.num_edges; }
    synchronize(run);
    if (leader() && !run.stopped) { kept->ready = 1; }
    made.largest_degree = load_relaxed(&kept->largest_degree);
    synchronize(run);
    return made;
}

// piece: contracted_labels
// Replaces each label by its rank among all labels. Returns the number of distinct labels. Labels that are numbers of
// vertices, as most are, need not be sorted.
// barriers: 7 to some
template <class Label>
__device__ __forceinline__ uint64 contracted_labels(enactor& run, Label* label, uint64 num_vertices) {
    uint64 count = 0;
    return number_known_labels(run, label, num_vertices, count) ? count : number_sorted_labels(run, label, num_vertices);
}

// piece: label_place
// The rank of a label: those below `num_vertices`, then `none`, then all others.
template <class Label>
__device__ __forceinline__ uint64 label_place(Label label, uint64 num_vertices) {
    const bool none = Label(-1) > Label(0) && label == Label(-1);
    return none ? num_vertices : label >= Label(0) && uint64(label) < num_vertices ? uint64(label) : num_vertices + 1;
}

// piece: number_known_labels
// `contracted_labels` if every label is the number of a vertex or `none`. Returns false, and leaves the labels unchanged,
// if one is not.
// barriers: 2 to 6
template <class Label>
__device__ __forceinline__ bool number_known_labels(enactor& run, Label* label, uint64 num_vertices, uint64& count) {
    edge* const flags = run.slice.graph_scratch[2];
    for (uint64 i = thread_index(); i <= num_vertices; i += grid_threads()) { flags[i] = 0; }
    synchronize(run);
    for (uint64 v = thread_index(); v < num_vertices; v += grid_threads()) {
        const uint64 place = label_place(label[v], num_vertices);
        if (place <= num_vertices) {
            store_relaxed(&flags[place], edge(1));
        } else {
            store_relaxed(&run.counters()->accepted, uint64(1));
        }
    }
    if (synchronize_and_read(run, &run.counters()->accepted) != 0) { return false; }
    const edge* const numbers = running_sums(run, flags, run.slice.graph_scratch[3], num_vertices + 1);
    for (uint64 v = thread_index(); v < num_vertices; v += grid_threads()) {
        label[v] = Label(numbers[label_place(label[v], num_vertices)] - 1);
    }
    count = numbers[num_vertices];
    synchronize(run);
    return true;
}

// piece: number_sorted_labels
// `contracted_labels` for any labels.
// barriers: 5 to some
template <class Label>
__device__ __forceinline__ uint64 number_sorted_labels(enactor& run, Label* label, uint64 num_vertices) {
    edge *const ids = run.slice.graph_scratch[0], *const flags = run.slice.graph_scratch[2];
    for (uint64 v = thread_index(); v < num_vertices; v += grid_threads()) { ids[v] = edge(v); }
    const edge* const order = sort_ids(run, ids, run.slice.graph_scratch[1], num_vertices, 8 * sizeof(Label), label);
    for (uint64 i = thread_index(); i < num_vertices; i += grid_threads()) {
        flags[i] = i > 0 && label[order[i]] != label[order[i - 1]] ? 1 : 0;
    }
    const edge* const numbers = running_sums(run, flags, run.slice.graph_scratch[3], num_vertices);
    for (uint64 i = thread_index(); i < num_vertices; i += grid_threads()) { label[order[i]] = Label(numbers[i]); }
    const uint64 count = num_vertices > 0 ? uint64(numbers[num_vertices - 1]) + 1 : 0;
    synchronize(run);
    return count;
}

// piece: begin_lists
// Computes the offsets of the lists of sorted edges: `end(i)` is the vertex whose list has the i-th edge.
template <class End>
__device__ __forceinline__ void begin_lists(edge* offsets, uint64 num_vertices, uint64 count, End end) {
    if (count == 0) {
        for (uint64 v = thread_index(); v <= num_vertices; v += grid_threads()) { offsets[v] = 0; }
        return;
    }
    for (uint64 i = thread_index(); i < count; i += grid_threads()) {
        for (uint64 v = i == 0 ? 0 : uint64(end(i - 1)) + 1; v <= uint64(end(i)); ++v) { offsets[v] = edge(i); }
        if (i + 1 < count) { continue; }
        for (uint64 v = uint64(end(i)) + 1; v <= num_vertices; ++v) { offsets[v] = edge(count); }
    }
}

// piece: make_contraction
// The graph in which all vertices with the same label are one vertex. `sums` combines the weights of merged edges.
// barriers: 15 to some
template <class Label, class Sums>
__device__ __noinline__ graph_slice make_contraction(enactor& run, const graph_slice& g, int64 room, Label* label, Sums sums) {
    begin_operator(run);
    const uint64 num_vertices = contracted_labels(run, label, g.num_vertices), old_edges = g.num_edges;
    const auto source = [&](edge e) { return vertex(label[g.edge_sources[e]]); };
    const auto destination = [&](edge e) { return vertex(label[g.columns[e]]); };
    edge* const flags = run.slice.graph_scratch[2];
    vertex *const columns = run.slice.made_columns[room], *const sources = run.slice.made_sources[room];
    carried_keys ids = {run.slice.graph_scratch[0], run.slice.graph_scratch[1], columns, sources};
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) { ids.ids[i] = g.edge_ids[i]; }
    const uint32 bits = bits_below(num_vertices);
    sort_ids_with_keys(run, ids, old_edges, bits, destination);
    sort_ids_with_keys(run, ids, old_edges, bits, source);
    const edge* const order = ids.ids;
    edge* const ends = ids.other_ids;  // looked up once, since they are scattered over the graph
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) { ends[i] = edge(destination(order[i])); }
    synchronize(run);
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) {
        const bool alike = i > 0 && ids.keys[i] == ids.keys[i - 1] && ends[i] == ends[i - 1];
        flags[i] = alike ? 0 : 1;
    }
    const edge* const numbers = running_sums(run, flags, run.slice.graph_scratch[3], old_edges);
    const uint64 num_edges = old_edges > 0 ? numbers[old_edges - 1] : 0;
    edge *const offsets = run.slice.made_offsets[room], *const own_ids = run.slice.made_edge_ids[room];
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) {
        if (i > 0 && numbers[i] == numbers[i - 1]) { continue; }
        columns[numbers[i] - 1] = vertex(ends[i]);
        sources[numbers[i] - 1] = source(order[i]);
        own_ids[numbers[i] - 1] = numbers[i] - 1;
    }
    sums(run, order, numbers, old_edges, num_edges);
    begin_lists(offsets, num_vertices, num_edges, [&](uint64 i) { return sources[i]; });
    synchronize(run);
    graph_slice made = g;
    made.num_vertices = num_vertices;
    made.num_edges = made.edge_bound = made.largest_degree = num_edges;
    made.room = made.ends_room = room;
    made.offsets = offsets;
    made.edge_ids = own_ids;
    made.columns = made.neighbors = columns;
    made.edge_sources = sources;
    turn_contracted(run, made);
    pair_edges(run, made, run.slice.made_reverse[room]);
    synchronize(run);
    run.operators += 1;
    return made;
}

// piece: no_sums
// For edges without weights. The barrier waits for earlier stores.
struct no_sums {
    // barriers: 1
    __device__ __forceinline__ void operator()(enactor& run, const edge*, const edge*, uint64, uint64) const { synchronize(run); }
};

// piece: joined_weights
// Combines the weights of merged edges; `numbers` has the id of each edge's new edge, plus 1. Merged edges are adjacent,
// and may be half of all edges, so lanes combine their weights before they write to memory.
template <class Weight, class Combine, class Reduce>
struct joined_weights {
    Weight* const weight;
    Weight* const aside;
    const Weight identity;
    const Combine combine;
    const Reduce reduce;
    // barriers: 2
    __device__ __forceinline__ void operator()(enactor& run, const edge* order, const edge* numbers, uint64 old_edges,
                                               uint64 num_edges) const {
        for (uint64 i = thread_index(); i < num_edges; i += grid_threads()) { aside[i] = identity; }
        synchronize(run);
        for (uint64 base = warp_index() * 32; base < old_edges; base += grid_warps() * 32) {
            const uint64 i = base + lane_index();
            const bool active = i < old_edges;
            const edge joined = active ? numbers[i] - 1 : edge(0);
            const Weight own = active ? weight[order[i]] : identity;
            __syncwarp(FULL_WARP);
            add_by_runs(active, joined, own, combine, [&](edge e, Weight part) { reduce(&aside[e], part); });
        }
        synchronize(run);
        for (uint64 i = thread_index(); i < num_edges; i += grid_threads()) { weight[i] = aside[i]; }
    }
};

// piece: join_weights
template <class Weight, class Combine, class Reduce>
__device__ __forceinline__ joined_weights<Weight, Combine, Reduce> join_weights(Weight* weight, Weight* aside, Weight identity,
                                                                                Combine combine, Reduce reduce) {
    return {weight, aside, identity, combine, reduce};
}

// piece: point_to_in_lists
// Lets a graph have these in-lists.
__device__ __forceinline__ void point_to_in_lists(graph_slice& made, const subgraph_arrays& own) {
    made.in_offsets = own.in_offsets;
    made.in_sources = own.in_sources;
    if (own.in_edges != nullptr) { made.in_edges = own.in_edges; }
}

// piece: turn_kept
// The in-edges of a subgraph, if the program uses in-edges.
// barriers: 4 if in-edges are used
__device__ __forceinline__ void turn_kept(enactor& run, const graph_slice& g, graph_slice& made, const uint32* marks,
                                          const subgraph_arrays& own) {
    if (g.in_offsets == nullptr) { return; }
    keep_list_places(run, g, marks, g.in_offsets, g.in_edges, own.in_offsets, [&](uint64 at, edge next) {
        own.in_sources[next] = g.in_sources[at];
        if (own.in_edges != nullptr) { own.in_edges[next] = g.in_edges[at]; }
    });
    point_to_in_lists(made, own);
}

// piece: turn_contracted
// The in-edges of a contraction, if the program uses in-edges.
// barriers: some if in-edges are used
__device__ __forceinline__ void turn_contracted(enactor& run, graph_slice& made) {
    if (made.in_offsets == nullptr) { return; }
    const uint64 count = made.num_edges;
    edge *const ids = run.slice.graph_scratch[0], *const own_ids = run.slice.made_in_edges[made.room];
    vertex* const own_sources = run.slice.made_in_sources[made.room];
    for (uint64 i = thread_index(); i < count; i += grid_threads()) { ids[i] = edge(i); }
    const edge* const order = sort_ids(run, ids, run.slice.graph_scratch[1], count, bits_below(made.num_vertices),
                                       made.columns);
    for (uint64 i = thread_index(); i < count; i += grid_threads()) {
        own_ids[i] = order[i];
        own_sources[i] = made.edge_sources[order[i]];
    }
    edge* const offsets = run.slice.made_in_offsets[made.room];
    begin_lists(offsets, made.num_vertices, count, [&](uint64 i) { return made.columns[order[i]]; });
    made.in_offsets = offsets;
    made.in_edges = own_ids;
    made.in_sources = own_sources;
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
