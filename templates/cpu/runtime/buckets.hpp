// piece: check_width
// Stops the run where levels have no width.
template <class Width>
inline void check_width(run_state&, const data_slice& d, Width width, int64 check) {
    checked_index(d, width > Width(0) ? 0 : -1, 1, check);
}

// piece: near_bound
// Up to which value members are taken out of a set whose values reach from `nearest` to `farthest`: about `near_set` of
// them if these are spread evenly, an eighth at least, and all of a set that is no larger.
inline float64 near_bound(int64 size, int64 near_set, float64 nearest, float64 farthest) {
    float64 bound = FLOAT64_INF;
    if (size > near_set) {
        const float64 part = float64(near_set) / float64(size);
        bound = nearest + (farthest - nearest) * (part < 0.125 ? 0.125 : part);
        if (!(bound > nearest)) { bound = nearest; }
    }
    return bound;
}

// piece: choose_bound
// Notes it for the two filters that come next.
inline void choose_bound(run_state&, int64 size, int64 near_set, float64 nearest, float64 farthest, float64* bound) {
    *bound = near_bound(size, near_set, nearest, farthest);
}
