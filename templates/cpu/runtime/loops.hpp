// piece: chunk_of
// The number of elements that a thread takes at a time.
inline int64 chunk_of(int64 count) {
    return maximum<int64>(1, minimum<int64>(2048, count / (8 * int64(thread_count()))));
}

// piece: place_in
// How places in members are counted. A place among all vertices is an id, and as an id it does not wrap in a loop, so that
// the compiler can make vectors of the elements of vertices.
template <class Members>
using place_in = typename std::conditional<std::is_base_of<all_members, Members>::value, vertex, int64>::type;

// piece: each_vertex
// Visits every member with all threads of a region, which do not wait for each other at the end.
template <class Members, class Visit>
inline void each_vertex(const Members& members, Visit visit) {
    const auto end = place_in<Members>(members.size());
#pragma omp for schedule(dynamic, chunk_of(int64(end))) nowait
    for (place_in<Members> i = 0; i < end; ++i) { visit(members[i]); }
}

// piece: each_of_equal_shares
// The same, with one part of the members for each thread: what it changed of these before is still in its cache.
template <class Members, class Visit>
inline void each_of_equal_shares(const Members& members, Visit visit) {
    const auto end = place_in<Members>(members.size());
#pragma omp for schedule(static) nowait
    for (place_in<Members> i = 0; i < end; ++i) { visit(members[i]); }
}

// piece: each_by_one
// Visits every member with one thread.
template <class Members, class Visit>
inline void each_by_one(const Members& members, Visit visit) {
    const auto end = place_in<Members>(members.size());
    for (place_in<Members> i = 0; i < end; ++i) { visit(members[i]); }
}

// piece: bits_of_bytes
// Eight bools as bits, the first one as the lowest: the product moves each byte to its own bit of the highest byte.
inline uint64 bits_of_bytes(const bool* bytes) {
    uint64 word;
    std::memcpy(&word, bytes, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word * 0x0102040810204080ull >> 56;
}

// piece: passing
// Which of up to 64 members pass a test that writes nothing. All are tested before the first is collected, so that the
// compiler can vectorize the tests. Each test of a program has this loop once.
template <class Members, class Test>
__attribute__((noinline)) uint64 passing(const Members members, int64 first, int64 count, const Test test) {
    bool passed[64];
    if (count < 64) { std::memset(passed, 0, sizeof(passed)); }
    const auto from = place_in<Members>(first), end = place_in<Members>(first + count);
    for (place_in<Members> i = from; i < end; ++i) { passed[i - from] = test(members[i]); }
    uint64 bits = 0;
    for (int64 i = 0; i < 64; i += 8) { bits |= bits_of_bytes(passed + i) << i; }
    return bits;
}

// piece: keep_block
// Collects those of up to 64 members that pass a test.
template <class Members, class Out, class Test>
inline void keep_block(const Members& members, int64 first, int64 count, Out& out, const Test& test) {
    out.append_block(members, first, count, passing(members, first, count, test));
}

// piece: keep_vertices
// Collects the members that pass a test. All threads of the region call it.
template <class Members, class Out, class Test>
inline void keep_vertices(const Members& members, Out& out, const Test& test) {
    const int64 size = members.size(), blocks = (size + 63) / 64;
#pragma omp for schedule(dynamic, minimum<int64>(32, chunk_of(blocks))) nowait
    for (int64 block = 0; block < blocks; ++block) {
        keep_block(members, block * 64, minimum<int64>(64, size - block * 64), out, test);
    }
}

// piece: keep_by_one
// The same with one thread.
template <class Members, class Out, class Test>
inline void keep_by_one(const Members& members, Out& out, const Test& test) {
    const int64 size = members.size();
    for (int64 first = 0; first < size; first += 64) { keep_block(members, first, minimum<int64>(64, size - first), out, test); }
}

// piece: each_edge
// Visits every edge of the graph, by source; threads share long lists.
template <class Visit>
inline void each_edge(run_state& run, const graph_slice& g, Visit visit) {
    push_edges(run, all_members{g.num_vertices}, out_lists{g}, visit);
}

// piece: each_id
// Visits every id below `count`.
template <class Visit>
inline void each_id(int64 count, Visit visit) {
#pragma omp parallel for schedule(static) if (count > SMALL_WORK)
    for (int64 i = 0; i < count; ++i) { visit(i); }
}

// piece: each_block
// Visits every id below `count` by blocks: `visit(first, last)` writes so many bytes for each id. A block of one array is
// still in the cache when the next array is written. If all data fit there, one thread is done before others could start.
template <class Visit>
inline void each_block(int64 count, int64 bytes, Visit visit) {
    constexpr int64 length = 4096;
#pragma omp parallel for schedule(static) if (count * bytes > little_work(128))
    for (int64 first = 0; first < count; first += length) { visit(first, minimum(first + length, count)); }
}

// piece: each_neighbor
// The edges in one list of a vertex: `visit(near, far, e)`.
template <class Lists, class Visit>
inline void each_neighbor(const Lists& lists, vertex near, Visit visit) {
    for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
}

// piece: little_work
// The number of edges or elements up to which one thread does all the work: unlimited if it is the only thread, and
// `times` the usual number if there are two.
inline int64 little_work(int64 times) {
    const int32 threads = thread_count();
    return threads == 1 ? std::numeric_limits<int64>::max() : threads == 2 ? SMALL_WORK * times : SMALL_WORK;
}

// piece: little_now
// The same where an operator begins: a second thread that still looks for work takes a part within a microsecond, one that
// sleeps after dozens.
inline int64 little_now(const run_state& run) { return thread_count() == 2 && run.awake ? SMALL_WORK / 4 : little_work(1); }

// piece: by_all
// Whether there is so `much` work that all threads share it.
inline bool by_all(run_state& run, bool much) {
    if (much) {
        run.other.keep_off();
        run.alone = false;
        run.shared = true;
    }
    return much;
}

// piece: keep_at_hand
// One thread has changed data that two would have had to exchange; the data are in its cache now.
inline void keep_at_hand(run_state& run) { run.alone |= run.visited > SMALL_WORK; }

// piece: at_hand
// How many times the usual number of elements one thread processes if they are in its cache.
inline int64 at_hand(const run_state& run) { return run.alone ? 32 : 1; }

// piece: much_work
// Whether the members have enough edges for more than one thread. Edges are counted only until this is known.
template <class Members, class Lists>
inline bool much_work(const Members& members, const Lists& lists, int64 little = little_work(1)) {
    const int64 size = members.size();
    if (size > little) { return true; }
    if (thread_count() == 1) { return false; }
    int64 edges = 0;
    for (int64 i = 0; i < size && edges <= little; ++i) { edges += lists.degree(members[i]); }
    return edges > little;
}

// piece: fill
template <class T>
inline void fill(T* values, int64 count, T value) {
    each_id(count, [&](int64 i) { values[i] = value; });
}
