// piece: near_bound
// Up to which value members are taken out of a set whose values reach from `nearest` to `farthest`: about `near_set` of
// them if these are spread evenly, an eighth at least, and all of a set that is no larger.
template <class Count>
inline float64 near_bound(Count size, Count near_set, float64 nearest, float64 farthest) {
    float64 bound = FLOAT64_INF;
    if (size > near_set) {
        const float64 part = float64(near_set) / float64(size);
        bound = nearest + (farthest - nearest) * (part < 0.125 ? 0.125 : part);
        if (!(bound > nearest)) { bound = nearest; }
    }
    return bound;
}
