// piece: check_width
// Stops the run if levels have no width.
template <class Width>
inline void check_width(run_state&, const data_slice& d, Width width, int64 check) {
    checked_index(d, width > Width(0) ? 0 : -1, 1, check);
}

// piece: choose_bound
// Stores the limit for the two filters that follow.
inline void choose_bound(run_state&, int64 size, int64 near_set, float64 nearest, float64 farthest, float64* bound) {
    *bound = near_bound(size, near_set, nearest, farthest);
}
