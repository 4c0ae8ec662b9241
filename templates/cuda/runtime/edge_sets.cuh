// piece: marks_of_members
// Marks the members of a set of edges.
// barriers: 1
__device__ __forceinline__ uint32* marks_of_members(enactor& run, const edge_frontier& f) {
    uint32* const marks = edge_marks_of(run);
    for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { mark_edge(marks, f.queue[i]); }
    synchronize(run);
    return marks;
}

// piece: append_edges
// Collects the members that are marked, or those that are not.
template <bool marked, class Members>
__device__ __forceinline__ void append_edges(edge_collector& out, const Members& members, const uint32* marks) {
    const uint64 size = members.size();
    for (uint64 base = turn_base(size, 32); base < size; base += grid_warps() * 32) {
        const bool active = base + lane_index() < size;
        const edge e = active ? members[base + lane_index()] : edge(0);
        out.append(active && ((marks[e / 32] >> (e % 32) & 1) != 0) == marked, e);
    }
}

// piece: end_marked_edges
// Ends a result that was collected by the marks of `marked_set`.
// barriers: 1
__device__ __forceinline__ void end_marked_edges(enactor& run, edge_frontier& result, uint32* marks, const edge_frontier& marked_set) {
    end_edges(run, result);
    clear_edge_marks(marks, marked_set);
    run.operators += 1;
}

// piece: unite_edges
// All of the second set, and the members of the first that are not in it.
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
// The members of the first set that are in the second.
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
// The members of the first set that are not in the second.
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
