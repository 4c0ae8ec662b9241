// piece: number_bits
// Numbers the bits that are set: counts them in groups of words, then assigns the numbers from the prefix sum of the
// counts. Returns the number of bits.
template <class Store>
inline int64 number_bits(const uint64* bits, int64 count, Store store) {
    constexpr int64 CHUNK = 512;
    const int64 words = (count + 63) / 64, chunks = (words + CHUNK - 1) / CHUNK;
    std::vector<int64> places(std::size_t(chunks + 1), 0);
#pragma omp parallel for schedule(static) if (count > SMALL_WORK)
    for (int64 chunk = 0; chunk < chunks; ++chunk) {
        int64 members = 0;
        for (int64 word = chunk * CHUNK; word < minimum(words, (chunk + 1) * CHUNK); ++word) {
            members += __builtin_popcountll(bits[word]);
        }
        places[std::size_t(chunk + 1)] = members;
    }
    for (int64 chunk = 0; chunk < chunks; ++chunk) { places[std::size_t(chunk + 1)] += places[std::size_t(chunk)]; }
#pragma omp parallel for schedule(static) if (count > SMALL_WORK)
    for (int64 chunk = 0; chunk < chunks; ++chunk) {
        int64 place = places[std::size_t(chunk)];
        for (int64 word = chunk * CHUNK; word < minimum(words, (chunk + 1) * CHUNK); ++word) {
            for (uint64 rest = bits[word]; rest != 0; rest &= rest - 1) {
                store(uint64(word * 64 + __builtin_ctzll(rest)), uint64(place));
                place += 1;
            }
        }
    }
    return places[std::size_t(chunks)];
}

// piece: number_vertices
template <class Store>
inline void number_vertices(run_state&, frontier& f, int64 num_vertices, Store store) {
    need_bitmap(f);
    number_bits(f.bitmap, num_vertices, store);
}

// piece: number_edges
// Numbers the members of a set of edges. Its bitmap is zero again afterwards.
template <class Store>
inline void number_edges(run_state&, edge_frontier& f, int64 num_edges, Store store) {
    each_id(f.size, [&](int64 i) {
        const edge e = f.queue[i];
        __atomic_fetch_or(&f.bitmap[e / 64], uint64(1) << (e % 64), __ATOMIC_RELAXED);
    });
    number_bits(f.bitmap, num_edges, store);
    for (int64 i = 0; i < f.size; ++i) { f.bitmap[f.queue[i] / 64] = 0; }
}

// piece: number_everything
template <class Store>
inline void number_everything(run_state&, int64 count, Store store) {
    each_id(count, [&](int64 id) { store(uint64(id), uint64(id)); });
}
