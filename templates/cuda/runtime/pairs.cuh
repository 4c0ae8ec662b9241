// piece: stored_pair
// A pair in memory: the ranks of both parts, in one word of 64 bits if they fit, otherwise in two words.
template <class A, class B, bool narrow = (sizeof(A) <= 4 && sizeof(B) <= 4)>
struct stored_pair {
    uint64 word;
    stored_pair() = default;
    __device__ __forceinline__ stored_pair(pair_of<A, B> x)
        : word(rank_of(x.first) << 32 | rank_of(x.second)) {}
};
template <class A, class B>
struct alignas(16) stored_pair<A, B, false> {
    uint64 first, second;
    stored_pair() = default;
    __device__ __forceinline__ stored_pair(pair_of<A, B> x) : first(rank_of(x.first)), second(rank_of(x.second)) {}
};

// piece: load_pair
template <class A, class B>
__device__ __forceinline__ stored_pair<A, B, true> load_pair(const stored_pair<A, B, true>* x) {
    stored_pair<A, B, true> loaded;
    loaded.word = load_relaxed(&x->word);
    return loaded;
}
template <class A, class B>
__device__ __forceinline__ stored_pair<A, B, false> load_pair(const stored_pair<A, B, false>* x) {
    stored_pair<A, B, false> loaded;
    load_wide(&x->first, loaded.first, loaded.second);
    return loaded;
}

// piece: exchange_pair
// One compare-and-swap. `former` holds the expected pair, and the former pair afterwards.
template <class A, class B>
__device__ __forceinline__ bool exchange_pair(stored_pair<A, B, true>* x, stored_pair<A, B, true>& former,
                                              stored_pair<A, B, true> value) {
    const uint64 expected = former.word;
    former.word = atomicCAS_grid(&x->word, expected, value.word);
    return former.word == expected;
}
template <class A, class B>
__device__ __forceinline__ bool exchange_pair(stored_pair<A, B, false>* x, stored_pair<A, B, false>& former,
                                              stored_pair<A, B, false> value) {
    const uint64 first = former.first, second = former.second;
    exchange_wide(&x->first, former.first, former.second, value.first, value.second);
    return former.first == first && former.second == second;
}

// piece: is_ordered
// Whether the order of 64-bit words is the order of the pairs. Only -0.0 and NaN break it.
template <class A, class B>
__device__ __forceinline__ bool is_ordered(stored_pair<A, B, true> x) {
    const pair_of<A, B> value = unpacked(x);
    return !has_nan(value) && stored_pair<A, B, true>(without_negative_zeros(value)).word == x.word;
}

// piece: reduce_min for stored_pair
// Reads before the atomic: most updates do not lower the minimum.
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> reduce_min(stored_pair<A, B, true>* x, pair_of<A, B> value) {
    stored_pair<A, B, true> former = load_pair(x);
    if (!lower_wins(unpacked(former), value)) { return unpacked(former); }
    if (!is_ordered(former)) { return reduce_lower(x, value); }
    former.word = atomicMin_grid(&x->word, stored_pair<A, B, true>(without_negative_zeros(value)).word);
    return unpacked(former);
}
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> reduce_min(stored_pair<A, B, false>* x, pair_of<A, B> value) {
    return reduce_lower(x, value);
}

// piece: reduce_lower
template <class A, class B, bool narrow>
__device__ __forceinline__ pair_of<A, B> reduce_lower(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    return reduce_pair(x, value, [](pair_of<A, B> former, pair_of<A, B> own) { return lower_wins(former, own); });
}

// piece: reduce_max for stored_pair
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> reduce_max(stored_pair<A, B, true>* x, pair_of<A, B> value) {
    stored_pair<A, B, true> former = load_pair(x);
    if (!higher_wins(unpacked(former), value)) { return unpacked(former); }
    if (!is_ordered(former)) { return reduce_higher(x, value); }
    former.word = atomicMax_grid(&x->word, stored_pair<A, B, true>(without_negative_zeros(value)).word);
    return unpacked(former);
}
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> reduce_max(stored_pair<A, B, false>* x, pair_of<A, B> value) {
    return reduce_higher(x, value);
}

// piece: reduce_higher
template <class A, class B, bool narrow>
__device__ __forceinline__ pair_of<A, B> reduce_higher(stored_pair<A, B, narrow>* x, pair_of<A, B> value) {
    return reduce_pair(x, value, [](pair_of<A, B> former, pair_of<A, B> own) { return higher_wins(former, own); });
}

// piece: changed_min for stored_pair
// As `changed_min` of one value: the pair read may be outdated, but only larger than the current one. It is in order from
// the first change on, since what is stored has no -0.0 or NaN.
template <class A, class B>
__device__ __forceinline__ bool changed_min(stored_pair<A, B, true>* x, pair_of<A, B> value) {
    stored_pair<A, B, true> seen;
    seen.word = load_cached(&x->word);
    if (!lower_wins(unpacked(seen), value)) { return false; }
    if (!is_ordered(seen)) { return lower_wins(reduce_lower(x, value), value); }
    seen.word = atomicMin_grid(&x->word, stored_pair<A, B, true>(without_negative_zeros(value)).word);
    return lower_wins(unpacked(seen), value);
}
template <class A, class B>
__device__ __forceinline__ bool changed_min(stored_pair<A, B, false>* x, pair_of<A, B> value) {
    return lower_wins(reduce_lower(x, value), value);
}

// piece: changed_max for stored_pair
template <class A, class B>
__device__ __forceinline__ bool changed_max(stored_pair<A, B, true>* x, pair_of<A, B> value) {
    stored_pair<A, B, true> seen;
    seen.word = load_cached(&x->word);
    if (!higher_wins(unpacked(seen), value)) { return false; }
    if (!is_ordered(seen)) { return higher_wins(reduce_higher(x, value), value); }
    seen.word = atomicMax_grid(&x->word, stored_pair<A, B, true>(without_negative_zeros(value)).word);
    return higher_wins(unpacked(seen), value);
}
template <class A, class B>
__device__ __forceinline__ bool changed_max(stored_pair<A, B, false>* x, pair_of<A, B> value) {
    return higher_wins(reduce_higher(x, value), value);
}

// piece: shuffle for pair_of
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> shuffle(pair_of<A, B> value, uint32 lane) {
    return paired<A, B>(shuffle(value.first, lane), shuffle(value.second, lane));
}

// piece: shuffle_up for pair_of
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> shuffle_up(pair_of<A, B> value, uint32 step) {
    return paired<A, B>(shuffle_up(value.first, step), shuffle_up(value.second, step));
}

// piece: shuffle_down for pair_of
template <class A, class B>
__device__ __forceinline__ pair_of<A, B> shuffle_down(pair_of<A, B> value, uint32 step) {
    return paired<A, B>(shuffle_down(value.first, step), shuffle_down(value.second, step));
}

// piece: block_reduce for pair_of
template <class A, class B, class Combine>
__device__ __forceinline__ pair_of<A, B> block_reduce(block_storage& shared, pair_of<A, B> value, pair_of<A, B> identity,
                                                      Combine combine) {
    value = warp_reduce(value, combine);
    __syncthreads();
    if (lane_index() == 0) {
        shared.partials[threadIdx.x / 32] = rank_of(value.first);
        shared.partial_seconds[threadIdx.x / 32] = rank_of(value.second);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        value = identity;
        if (threadIdx.x < blockDim.x / 32) {
            unrank(shared.partials[threadIdx.x], value.first);
            unrank(shared.partial_seconds[threadIdx.x], value.second);
        }
        value = warp_reduce(value, combine);
    }
    return value;
}
