// piece: push_level
// Puts a set behind the levels of a history, unless it is empty. More members than vertices stop the run.
__device__ __forceinline__ void push_level(enactor& run, const data_slice& d, frontier& f, vertex* members, int64* ends,
                                           int64* levels, uint32 check) {
    const uint64 room = d.graph.num_vertices;
    need_queue(run, f, room);
    const int64 level = *levels;
    const uint64 first = level > 0 ? ends[level - 1] : 0;
    const uint64 last = first + f.size;
    if (last <= room) {
        for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { members[first + i] = f.queue[i]; }
    }
    synchronize(run);  // all have seen how many levels there are
    if (leader() && f.size > 0 && checked_index(d, int64(last), room + 1, check) == last) {
        ends[level] = last;
        *levels = level + 1;
    }
    synchronize(run);
}

// piece: take_level
// A level of a history as a set.
template <class Counted>
__device__ __forceinline__ void take_level(enactor& run, frontier& result, const vertex* members, const int64* ends,
                                           int64 level, const Counted counted) {
    begin_operator(run);
    const uint64 first = level > 0 ? ends[level - 1] : 0;
    const uint64 size = ends[level] - first;
    uint64 edges = 0;
    for (uint64 i = thread_index(); i < size; i += grid_threads()) {
        const vertex v = members[first + i];
        result.queue[i] = v;
        edges += counted.degree(v);
    }
    __syncwarp(FULL_WARP);
    counted.add(run, edges);
    if (leader()) { run.counters()->accepted = size; }
    end_queue(run, result);
    run.operators += 1;
}
