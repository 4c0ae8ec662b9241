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
// The graph in which all vertices with the same label are one vertex. `sums` combines the weights of merged edges. Edges
// are combined in blocks' own memory first, then what is left of them is put in lists, ordered and combined for good.
// barriers: 28 to some
template <class Label, class Sums>
__device__ __noinline__ graph_slice make_contraction(enactor& run, const graph_slice& g, int64 room, Label* label, Sums sums) {
    begin_operator(run);
    const uint64 num_vertices = contracted_labels(run, label, g.num_vertices);
    edge *const offsets = run.slice.made_offsets[room], *const own_ids = run.slice.made_edge_ids[room];
    vertex *const columns = run.slice.made_columns[room], *const sources = run.slice.made_sources[room];
    edge *const ids = run.slice.graph_scratch[0], *const marks = run.slice.graph_scratch[1];
    edge *const ends = run.slice.graph_scratch[2], *const destinations = run.slice.graph_scratch[3];
    const uint64 old_edges = combine_edges(run, g, label, num_vertices, sums, combined_edges{ids, sources, columns});
    for (uint64 v = thread_index(); v < num_vertices; v += grid_threads()) { ends[v] = 0; }
    synchronize(run);
    edge *const places = marks, *const order = own_ids;
    for (uint64 base = warp_index() * 32; base < old_edges; base += grid_warps() * 32) {
        const uint64 i = base + lane_index();
        const bool active = i < old_edges;
        const edge place = place_in_list(ends, active, active ? uint64(sources[ids[i]]) : 0);
        if (active) { places[i] = place; }
    }
    running_sums(run, ends, destinations, num_vertices);
    const contracted_lists lists = {columns, destinations, ends, num_vertices};
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) {
        const edge at = lists.first(uint64(sources[ids[i]])) + places[i];
        order[at] = ids[i];
        destinations[at] = edge(columns[ids[i]]);
    }
    const longer_lists longer = find_longer(run, lists, offsets);
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) { columns[i] = sources[order[i]]; }
    mark_first_edges(run, lists, old_edges, longer, [&](uint64 i, bool is_first) { marks[i] = is_first ? 1 : 0; });
    running_sums(run, marks, ids, old_edges);
    const uint64 num_edges = old_edges > 0 ? marks[old_edges - 1] : 0;
    const auto is_first = [&](uint64 i) { return marks[i] != (i > 0 ? marks[i - 1] : edge(0)); };
    edge* const numbers = ids;
    rank_edges(run, lists, old_edges, longer, marks, [&](uint64 i, edge number) {
        numbers[i] = number + 1;
        if (is_first(i)) { sources[number] = columns[i]; }
    });
    synchronize(run);
    for (uint64 i = thread_index(); i < old_edges; i += grid_threads()) {
        if (is_first(i)) { columns[numbers[i] - 1] = vertex(destinations[i]); }
    }
    sums(run, order, numbers, old_edges, num_edges);
    for (uint64 i = thread_index(); i < num_edges; i += grid_threads()) { own_ids[i] = edge(i); }
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
// For edges without weights. The barrier waits for earlier stores, and before arrays are used again.
struct no_sums {
    typedef uint32 type;
    __device__ __forceinline__ uint32 load(edge) const { return 0; }
    __device__ __forceinline__ uint32 identity() const { return 0; }
    __device__ __forceinline__ void add(uint32*, uint32) const {}
    __device__ __forceinline__ void store(edge, uint32) const {}
    // barriers: 1
    __device__ __forceinline__ void operator()(enactor& run, const edge*, const edge*, uint64, uint64) const { synchronize(run); }
};

// piece: joined_weights
// Combines the weights of merged edges: first in a block's own memory (`add`), from where `store` puts them aside; then
// for good. `numbers` has the id of each edge's new edge, plus 1. Merged edges are adjacent there, so lanes combine their
// weights before they write to memory.
template <class Weight, class Combine, class Reduce, class Add>
struct joined_weights {
    typedef Weight type;
    Weight* const weight;
    Weight* const aside;
    const Weight none;
    const Combine combine;
    const Reduce reduce;
    const Add add_in_block;
    __device__ __forceinline__ Weight load(edge e) const { return weight[e]; }
    __device__ __forceinline__ Weight identity() const { return none; }
    __device__ __forceinline__ void add(Weight* x, Weight value) const { add_in_block(x, value); }
    __device__ __forceinline__ void store(edge at, Weight value) const { aside[at] = value; }
    // barriers: 2
    __device__ __forceinline__ void operator()(enactor& run, const edge* order, const edge* numbers, uint64 old_edges,
                                               uint64 num_edges) const {
        for (uint64 i = thread_index(); i < num_edges; i += grid_threads()) { weight[i] = none; }
        synchronize(run);
        for (uint64 base = warp_index() * 32; base < old_edges; base += grid_warps() * 32) {
            const uint64 i = base + lane_index();
            const bool active = i < old_edges;
            const edge joined = active ? numbers[i] - 1 : edge(0);
            const Weight own = active ? aside[order[i]] : none;
            __syncwarp(FULL_WARP);
            add_by_runs(active, joined, own, combine, [&](edge e, Weight part) { reduce(&weight[e], part); });
        }
        synchronize(run);
    }
};

// piece: join_weights
template <class Weight, class Combine, class Reduce, class Add>
__device__ __forceinline__ joined_weights<Weight, Combine, Reduce, Add> join_weights(
    Weight* weight, Weight* aside, Weight identity, Combine combine, Reduce reduce, Add add_in_block) {
    return {weight, aside, identity, combine, reduce, add_in_block};
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
