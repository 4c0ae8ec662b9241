// piece: history_state
// Each thread's view of a history.
struct history_state {
    int64 levels = 0;  // number of levels
    uint64 end = 0;  // end of the last level
    int64 known = -1;  // the level that is taken next if its ends have been read, otherwise -1
    uint64 first = 0, last = 0;
};

// piece: history_at
// Its state at the start of a launch.
// barriers: 1
__device__ __forceinline__ history_state history_at(enactor& run, const int64* ends, const int64* levels) {
    const int64 count = *levels;
    history_state state;
    state.levels = count;
    state.end = count > 0 ? uint64(ends[count - 1]) : 0;
    synchronize(run);  // all threads have read it
    return state;
}

// piece: push_level
// Appends a set to a history as a level, unless it is empty. More members than vertices stop the run. Needs no barrier
// at its end, since all threads know the place of the next level.
// barriers: 1 if there is no queue yet
__device__ __forceinline__ void push_level(enactor& run, const data_slice& d, frontier& f, vertex* members, int64* ends,
                                           int64* levels, history_state& state, uint32 check) {
    const uint64 room = d.graph.num_vertices;
    need_queue(run, f, room);
    const uint64 last = state.end + f.size;
    if (leader()) { checked_index(d, int64(last), room + 1, check); }
    if (f.size == 0 || last > room) { return; }
    // With the last warps, since the first ones take the members of a small set that follows.
    for (uint64 i = last_warps::index() * 32 + lane_index(); i < f.size; i += grid_threads()) { members[state.end + i] = f.queue[i]; }
    if (leader()) {
        ends[state.levels] = last;
        *levels = state.levels + 1;
    }
    state.levels += 1;
    state.end = last;
}

// piece: take_level
// A level of a history as a set whose queue is a part of the history. The set keeps its own storage for when it is next
// filled, as a queue is written only then. The end of the next level is read early, so that no thread waits for it.
template <bool backward>
__device__ __forceinline__ void take_level(frontier& f, history_state& state, vertex* members, const int64* ends, int64 level) {
    const bool known = state.known == level;
    const uint64 first = known ? state.first : level > 0 ? ends[level - 1] : 0, last = known ? state.last : ends[level];
    f.queue = members + first;
    f.size = last - first;
    f.edges = 0;
    f.queued = true;
    f.mapped = false;
    state.known = backward ? level - 1 : level + 1 < state.levels ? level + 1 : -1;
    state.first = backward ? level > 1 ? ends[level - 2] : 0 : last;
    state.last = backward ? first : state.known > 0 ? ends[level + 1] : 0;
}

// piece: exchange for take_level
// The set that a result replaces may have its queue in a history, so the next result goes into the set's own storage.
__device__ __forceinline__ void exchange(frontier& f, frontier& result) {
    const frontier former = f;
    f = result;
    result = former;
    result.queue = result.room;
}

// piece: copy_level
// A copy of a level of a history.
// barriers: 1
template <class Counted>
__device__ __forceinline__ void copy_level(enactor& run, frontier& result, const vertex* members, const int64* ends,
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
    counted.add(run.counters(), edges);
    if (leader()) { run.counters()->accepted = size; }
    end_queue(run, result);
    run.operators += 1;
}
