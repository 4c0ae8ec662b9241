// piece: marks_of_members
// Marks that are made of a set of edges.
// barriers: 1
__device__ __forceinline__ uint32* marks_of_members(enactor& run, const edge_frontier& f) {
    uint32* const marks = edge_marks_of(run);
    for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { mark_edge(marks, f.queue[i]); }
    synchronize(run);
    return marks;
}

// piece: append_edges
// Collects the members that are (or are not) marked.
template <bool marked, class Members>
__device__ __forceinline__ void append_edges(edge_collector& out, const Members& members, const uint32* marks) {
    const uint64 size = members.size();
    for (uint64 base = warp_index() * 32; base < size; base += grid_warps() * 32) {
        const bool active = base + lane_index() < size;
        const edge e = active ? members[base + lane_index()] : edge(0);
        out.append(active && ((marks[e / 32] >> (e % 32) & 1) != 0) == marked, e);
    }
}

// piece: end_marked_edges
// The end of a result that was collected by the marks of `asked`.
// barriers: 1
__device__ __forceinline__ void end_marked_edges(enactor& run, edge_frontier& result, uint32* marks, const edge_frontier& asked) {
    end_edges(run, result);
    clear_edge_marks(marks, asked);
    run.operators += 1;
}

// piece: unite_edges
// All of the second set, and of the first what is not in it.
// barriers: 2
__device__ __noinline__ void unite_edges(enactor& run, edge_frontier& result, const edge_frontier& first,
                                         const edge_frontier& second) {
    begin_operator(run);
    uint32* const marks = marks_of_members(run, second);
    edge_collector out(run, result);
    append_edges<true>(out, edge_members_of(second), marks);
    append_edges<false>(out, edge_members_of(first), marks);
    out.flush();
    end_marked_edges(run, result, marks, second);
}

// piece: intersect_edges
// Walks the first set and asks for the second.
// barriers: 2
__device__ __noinline__ void intersect_edges(enactor& run, edge_frontier& result, const edge_frontier& first,
                                             const edge_frontier& second) {
    begin_operator(run);
    uint32* const marks = marks_of_members(run, second);
    edge_collector out(run, result);
    append_edges<true>(out, edge_members_of(first), marks);
    out.flush();
    end_marked_edges(run, result, marks, second);
}

// piece: subtract_edges
// Walks the first set and leaves out the second.
// barriers: 2
template <class Members>
__device__ __noinline__ void subtract_edges(enactor& run, edge_frontier& result, const Members& first,
                                            const edge_frontier& second) {
    begin_operator(run);
    uint32* const marks = marks_of_members(run, second);
    edge_collector out(run, result);
    append_edges<false>(out, first, marks);
    out.flush();
    end_marked_edges(run, result, marks, second);
}
