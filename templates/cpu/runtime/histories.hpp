// piece: push_level
// Appends a set as a level of a history, unless it is empty. More members than vertices stop the run.
inline void push_level(run_state&, const data_slice& d, frontier& f, vertex* members, int64* ends, int64* levels, int64 check) {
    need_queue(f);
    const int64 level = *levels;
    const int64 first = level > 0 ? ends[level - 1] : 0;
    const int64 last = first + f.size;
    if (f.size == 0 || int64(checked_index(d, last, d.graph.num_vertices + 1, check)) != last) { return; }
    std::memcpy(members + first, f.queue, std::size_t(f.size) * sizeof(vertex));
    ends[level] = last;
    *levels = level + 1;
}

// piece: copy_level
// A copy of a level of a history.
template <class Counted>
inline void copy_level(run_state&, frontier& result, const vertex* members, const int64* ends, int64 level, const Counted counted) {
    const int64 first = level > 0 ? ends[level - 1] : 0;
    const int64 size = ends[level] - first;
    result.clear();
    int64 edges = 0;
#pragma omp parallel for schedule(static) reduction(+ : edges) if (size > SMALL_WORK)
    for (int64 i = 0; i < size; ++i) {
        const vertex v = members[first + i];
        result.queue[i] = v;
        edges += counted.degree(v);
    }
    result.size = size;
    result.edges = edges;
}
