// piece: add_by_runs
// Adds the lanes' parts to their members. Parts of adjacent lanes with the same member are combined first (a segmented
// scan).
template <class Member, class T, class Combine, class Add>
__device__ __forceinline__ void add_by_runs(bool active, Member near, T part, Combine combine, Add add) {
    const uint32 lane = lane_index(), all = __ballot_sync(FULL_WARP, active);
    const Member above = Member(__shfl_up_sync(FULL_WARP, near, 1));
    const bool follows = lane > 0 && active && (all >> (lane - 1) & 1) != 0 && above == near;
    const uint32 heads = __ballot_sync(FULL_WARP, !follows);
    uint32 head = lane;
    while ((heads >> head & 1) == 0) { head -= 1; }
    for (uint32 step = 1; step < 32; step *= 2) {
        const T below = shuffle_up(part, step);
        if (lane >= head + step) { part = combine(below, part); }
    }
    if (active && (lane == 31 || (heads >> (lane + 1) & 1) != 0)) { add(near, part); }
}

// piece: reduce_each_warp
// Reduces `value` over the edges of every member, one warp per member.
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_each_warp(enactor& run, const Members& members, const Lists& lists, T identity,
                                                 Combine combine, Value value, Assign assign) {
    uint64 visited = 0;
    for (uint64 i = warp_index(); i < members.size(); i += grid_warps()) {
        const vertex near = members[i];
        const edge last = lists.last(near);
        T reduced = identity;
        for (edge at = lists.first(near) + lane_index(); at < last; at += 32) {
            reduced = combine(reduced, value(near, lists.neighbor(at), at));
            visited += 1;
        }
        __syncwarp(FULL_WARP);
        reduced = warp_reduce(reduced, combine);
        if (lane_index() == 0) { assign(near, reduced, true); }
    }
    count_visited(run, visited);
}

// piece: reduce_merge
// Reduces with equal numbers of edges for all threads; `add` combines a part with the stored value.
// barriers: 2
template <class T, class Members, class Lists, class Value, class Combine, class Assign, class Add>
__device__ __forceinline__ void reduce_merge(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign, Add add) {
    uint64 visited = 0;
    const running_sum items = sum_degrees(run, members, lists, [&](vertex near) {
        visited += lists.degree(near);
        assign(near, identity, false);
    });
    each_share(items, members, lists, [&](bool active, vertex near, vertex far, edge at) {
        add_by_runs(active, near, active ? value(near, far, at) : identity, combine, add);
    });
    count_visited(run, visited);
}

// piece: reduce_lines
// The same for all vertices.
// barriers: 1
template <class T, class Members, class Lists, class Value, class Combine, class Assign, class Add>
__device__ __forceinline__ void reduce_lines(enactor& run, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Assign assign, Add add) {
    each_vertex(members, [&](vertex near) { assign(near, identity, false); });
    synchronize(run);
    const list_ends<Lists> items(lists, members.size());
    each_share(items, members, lists, [&](bool active, vertex near, vertex far, edge at) {
        add_by_runs(active, near, active ? value(near, far, at) : identity, combine, add);
    });
    count_visited(run, thread_index() == 0 ? items.total : 0);
}

// piece: reduce_tiles
// Reduces in tiles, with the values of ROWS rows of edges at a time. Of a list that fills rows each lane holds a part
// until the list ends: adding every row to the same few words would take longer than reading it.
template <uint32 ROWS, uint32 LENGTH, class T, class Items, class Members, class Lists, class Value, class Combine, class Add>
__device__ __forceinline__ void reduce_tiles(const Items& items, const Members& members, const Lists& lists, T identity,
                                             Combine combine, Value value, Add add) {
    bool holds = false;
    vertex holder = vertex(0);
    T held = identity;
    const auto release = [&] {
        const T reduced = warp_reduce(held, combine);
        if (lane_index() == 0) { add(holder, reduced); }
        holds = false;
    };
    each_tile<ROWS, LENGTH>(items, members, lists, [&](const bool* active, const vertex* near, const vertex* far, const edge* at) {
        T parts[ROWS];
        side_by_side<ROWS>([&](uint32 k) { parts[k] = active[k] ? value(near[k], far[k], at[k]) : identity; });
        side_by_side<ROWS>([&](uint32 k) {
            const vertex first = __shfl_sync(FULL_WARP, near[k], 0);
            const bool fills = __all_sync(FULL_WARP, active[k] && near[k] == first);
            if (holds && !(fills && first == holder)) { release(); }
            if (fills) {
                held = holds ? combine(held, parts[k]) : parts[k];
                holds = true;
                holder = first;
            } else {
                add_by_runs(active[k], near[k], parts[k], combine, add);
            }
        });
    });
    if (holds) { release(); }
}

// piece: reduce_merge_tiles
// As `reduce_merge`, in tiles.
// barriers: 2
template <uint32 ROWS, uint32 LENGTH, class T, class Members, class Lists, class Value, class Combine, class Assign, class Add>
__device__ __forceinline__ void reduce_merge_tiles(enactor& run, const Members& members, const Lists& lists, T identity,
                                                   Combine combine, Value value, Assign assign, Add add) {
    uint64 visited = 0;
    const running_sum items = sum_degrees(run, members, lists, [&](vertex near) {
        visited += lists.degree(near);
        assign(near, identity, false);
    });
    reduce_tiles<ROWS, LENGTH>(items, members, lists, identity, combine, value, add);
    count_visited(run, visited);
}

// piece: reduce_line_tiles
// As `reduce_lines`, in tiles: a row of edges is a line of memory, or two.
// barriers: 1
template <uint32 ROWS, uint32 LENGTH, class T, class Members, class Lists, class Value, class Combine, class Assign, class Add>
__device__ __forceinline__ void reduce_line_tiles(enactor& run, const Members& members, const Lists& lists, T identity,
                                                  Combine combine, Value value, Assign assign, Add add) {
    each_vertex(members, [&](vertex near) { assign(near, identity, false); });
    synchronize(run);
    const list_ends<Lists> items(lists, members.size());
    reduce_tiles<ROWS, LENGTH>(items, members, lists, identity, combine, value, add);
    count_visited(run, thread_index() == 0 ? items.total : 0);
}

// piece: reduce_bins
// Reduces with a block, a warp or a thread per member, depending on its degree.
// barriers: 1
template <class T, class Members, class Lists, class Value, class Combine, class Assign>
__device__ __forceinline__ void reduce_bins(enactor& run, const Members& members, const Lists& lists, T identity, Combine combine,
                                            Value value, Assign assign, const bin_sizes begin = bin_sizes()) {
    sort_into_bins(run, members, lists);
    const bin_sizes end = current_bin_sizes(run);
    const auto bins = run.slice.bins;
    reduce_blocks(run, binned{bins[2], begin.of_blocks, end.of_blocks}, lists, identity, combine, value, assign);
    reduce_each_warp(run, binned{bins[1], begin.of_warps, end.of_warps}, lists, identity, combine, value, assign);
    reduce_threads(run, binned{bins[0], begin.of_threads, end.of_threads}, lists, identity, combine, value, assign);
}

// piece: reduce_by_edges
// Reduces with one thread per edge of the graph.
// barriers: 1
template <class T, class Members, class Table, class Value, class Combine, class Assign, class Add>
__device__ __forceinline__ void reduce_by_edges(enactor& run, const Members& members, const Table& table, T identity,
                                                Combine combine, Value value, Assign assign, Add add) {
    each_vertex(members, [&](vertex near) { assign(near, identity, false); });
    synchronize(run);
    const uint64 visited = push_edges(run, members, table, [&](bool active, vertex near, vertex far, edge at) {
        add_by_runs(active, near, active ? value(near, far, at) : identity, combine, add);
    });
    count_visited(run, visited);
}
