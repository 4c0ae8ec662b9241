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

// piece: push_list
// Visits the edges of a member, or puts a long list aside for `push_chunks`.
template <class Lists, class Visit>
inline void push_list(run_state& run, vertex near, const Lists& lists, Visit& visit) {
    const int64 first = lists.first(near), last = lists.last(near);
    if (last - first >= HUB_DEGREE) {
        run.hubs.defer(near, first, last);
        return;
    }
    for (int64 at = first; at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
}

// piece: push_chunks
// Visits the edges of long lists. All threads of the region call it.
template <class Lists, class Visit>
inline void push_chunks(run_state& run, const Lists& lists, Visit& visit) {
    const int64 chunks = run.hubs.size();
    if (chunks == 0) { return; }
#pragma omp for schedule(dynamic, 1)
    for (int64 i = 0; i < chunks; ++i) {
        const hub_chunk part = run.hubs[i];
        for (int64 at = part.first; at < part.last; ++at) { visit(part.near, lists.neighbor(at), lists.id(at)); }
    }
#pragma omp single
    run.hubs.clear();
}

// piece: push_edges
// Visits the edges of every member: `visit(near, far, e)`. All threads of the region call it.
template <class Members, class Lists, class Visit>
inline void push_edges(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(dynamic, chunk_of(4 * int64(end)))
    for (place_in<Members> i = 0; i < end; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        visited += lists.degree(near);
        push_list(run, near, lists, visit);
    }
    reduce_add(&run.visited, visited);
    push_chunks(run, lists, visit);
}

// piece: push_lists
// The same with whole lists, and equal numbers of members for all threads.
template <class Members, class Lists, class Visit>
inline void push_lists(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(static) nowait
    for (place_in<Members> i = 0; i < end; ++i) {
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
    }
    reduce_add(&run.visited, visited);
}

// piece: push_by_one
// The same with one thread.
template <class Members, class Lists, class Visit>
inline void push_by_one(run_state& run, const Members& members, const Lists& lists, Visit visit) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
    for (place_in<Members> i = 0; i < end; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) { visit(near, lists.neighbor(at), lists.id(at)); }
    }
    run.visited += visited;
}

// piece: claim_by_one
// Visits the edges of every member with one thread, which claims their far ends: each is stored before it is known
// whether it stays. The rest of the body, and the count of edges, follow for many at a time. This is a function of its
// own, and copies what it is given, so that addresses stay in registers whatever is stored.
template <class Members, class Lists, class Counted, class Claim, class Body>
__attribute__((noinline)) void claim_by_one(run_state& run, const Members& members_given, const Lists& lists_given,
                                            const Counted counted, const Claim& claim_given, const Body& body) {
    constexpr int64 AT_ONCE = 512;
    const Members members = members_given;
    const Claim claim = claim_given;
    const graph_slice graph = lists_given.g;
    const Lists lists = lists_on(graph, lists_given);
    const Counted degrees = lists_on(graph, counted);
    const int64 count = members.size();
    vertex* const queue = run.next.queue;
    vertex nears[AT_ONCE];
    edge ids[AT_ONCE];
    int64 size = run.next.size, done = size, edges = run.next.edges, visited = 0;
    const auto run_bodies = [&]() {
        for (int64 i = done; i < size; ++i) {
            const vertex far = queue[i];
            body(nears[i - done], far, ids[i - done]);
            edges += degrees.degree(far);
        }
        done = size;
    };
    for (int64 i = 0; i < count; ++i) {
        fetch_member(members, i + 16);  // whose degree has been fetched when it was claimed
        const vertex near = members[i];
        visited += lists.degree(near);
        for (int64 at = lists.first(near), last = lists.last(near); at < last; ++at) {
            const vertex far = lists.neighbor(at);
            const edge e = lists.id(at);
            const bool claimed = claim(near, far, e);
            fetch_degree(degrees, far);
            nears[size - done] = near;
            ids[size - done] = e;
            queue[size] = far;
            size += claimed ? 1 : 0;
            if (size - done == AT_ONCE) { run_bodies(); }
        }
    }
    run_bodies();
    run.visited += visited;
    run.next.size = size;
    run.next.edges = edges;
}

// piece: own_ends_of_thread own_ends
// The far ends of this thread of a region: a part of the ids that has about as many edges as any other. No two threads
// share a line of values, or of marks.
struct own_ends {
    vertex first, last;
};
inline own_ends own_ends_of_thread(const graph_slice& g) {
    const int64 threads = threads_of_region(), size = g.num_vertices;
    const auto start = [&](int64 part) {
        const int64 before = g.num_edges / threads * part;
        const int64 v = std::lower_bound(g.offsets, g.offsets + size, before) - g.offsets;
        return vertex(part == threads ? size : minimum(size, (v + 511) / 512 * 512));
    };
    return own_ends{start(thread_number()), start(thread_number() + 1)};
}

// piece: edges_of_members
// The edges of all members; 0 if there is one thread, which need not know.
template <class Members, class Lists>
inline int64 edges_of_members(const Members& members, const Lists& lists) {
    const int64 size = thread_count() == 1 ? 0 : members.size();
    int64 edges = 0;
    for (int64 i = 0; i < size; ++i) { edges += lists.degree(members[i]); }
    return edges;
}

// piece: lists_are_long
// Whether so many members have so many edges that each of several threads may look for its part of every list.
inline bool lists_are_long(int64 size, int64 edges) {
    return edges > maximum(8 * SMALL_WORK, OWN_ENDS * thread_count() * size);
}

// piece: push_to_own_ends
// Visits the edges of every member that lead to the thread's own far ends. All threads of the region call it.
template <class Members, class Visit>
inline void push_to_own_ends(run_state& run, const Members& members, const graph_slice& g, const own_ends own, Visit visit) {
    const int64 size = members.size();
    int64 visited = 0;
    for (int64 i = 0; i < size; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        const vertex* const end = g.columns + g.offsets[near + 1];
        const vertex* const first = std::lower_bound(g.columns + g.offsets[near], end, own.first);
        const vertex* const last = std::lower_bound(first, end, own.last);
        visited += last - first;
        for (const vertex* far = first; far < last; ++far) { visit(near, *far, edge(far - g.columns)); }
    }
    reduce_add(&run.visited, visited);
}

// piece: first_member
// The first place from `at` on whose neighbor is a member; `last` if there is none. Which one it is is unpredictable, so
// behind the next place, which often is the one, four are looked up for each branch.
template <class Members, class Lists>
inline int64 first_member(const Members& members, const Lists& lists, int64 at, const int64 last) {
    const auto four = [&](int64 from) {
        uint32 found = 0;
        for (int64 i = 0; i < 4; ++i) { found |= uint32(members.contains(lists.neighbor(from + i))) << i; }
        return found;
    };
    if (at == last || members.contains(lists.neighbor(at))) { return at; }
    const int64 behind = at + 1;
    for (at = behind; at + 4 <= last; at += 4) {
        if (const uint32 found = four(at)) { return at + __builtin_ctz(found); }
    }
    if (at < last && last - behind >= 4) {  // the last four, of which some are known not to be members
        const uint32 found = four(last - 4);
        return found != 0 ? last - 4 + __builtin_ctz(found) : last;
    }
    while (at < last && !members.contains(lists.neighbor(at))) { at += 1; }
    return at;
}

// piece: pull_list
// Visits the edges from members into `far`, until the functor closes, if it does. Returns whether it accepted one.
template <bool closes, class Members, class Lists, class Select, class Visit>
inline bool pull_list(vertex far, const Members& members, const Lists& lists, Select& select, Visit& visit) {
    bool accepted = false;
    const int64 last = lists.last(far);
    for (int64 at = lists.first(far); (at = first_member(members, lists, at, last)) < last; ++at) {
        accepted |= visit(lists.neighbor(at), far, lists.id(at));
        if (closes && !select(far)) { break; }
    }
    return accepted;
}

// piece: pull_edges
// Visits the edges from members into every vertex that `select` accepts, until the functor closes, if it does. Each far
// end is processed by one thread. A word of them is selected before the first is visited: which ones is unpredictable.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
inline void pull_edges(int64 num_vertices, const Members& members, const Lists& lists, Select select, Visit visit, Out& out) {
    const int64 words = (num_vertices + 63) / 64;
#pragma omp for schedule(dynamic, minimum<int64>(64, chunk_of(words)))
    for (int64 word = 0; word < words; ++word) {
        const int64 first = word * 64;
        uint64 bits = 0;
        uint64 selected = passing(all_members{num_vertices}, first, minimum<int64>(64, num_vertices - first), select);
        for (; selected != 0; selected &= selected - 1) {
            const int64 i = __builtin_ctzll(selected);
            bits |= uint64(pull_list<closes>(vertex(first + i), members, lists, select, visit)) << i;
        }
        out.put(word, bits);
    }
}

// piece: follow_edges direction_state
// The state of an automatic direction between passes.
struct direction_state {
    int64 unvisited;  // edges of vertices that have not been in a frontier
    bool pull;
};
// Counts the edges of vertices that have not been in a frontier since the first pass of a loop.
inline void follow_edges(direction_state& state, const frontier& f, int32 iteration, const graph_slice& g) {
    if (iteration == 0) { state = direction_state{g.num_edges, false}; }
    state.unvisited -= minimum(state.unvisited, f.edges);
}

// piece: looks_of_pull
// An estimate of what a pull looks at: all vertices, and for those not yet visited (each of mean degree) edges until one
// leads to the frontier, which has so many `edges`.
inline float looks_of_pull(const direction_state& state, int64 edges, const graph_slice& g) {
    const float open = float(state.unvisited);
    const float all = float(g.num_vertices), vertices = open * all / float(g.num_edges);
    return all + minimum(open, vertices * (open / float(edges)));
}

// piece: reduce_list
// The reduction of `value(at)` over a list with four partial results, so that an addition need not wait for the last one.
template <class T, class Combine, class Value>
inline T reduce_list(int64 first, int64 last, T identity, Combine combine, Value value) {
    T a = identity, b = identity, c = identity, d = identity;
    int64 at = first;
    for (; at + 4 <= last; at += 4) {
        a = combine(a, value(at));
        b = combine(b, value(at + 1));
        c = combine(c, value(at + 2));
        d = combine(d, value(at + 3));
    }
    for (; at < last; ++at) { a = combine(a, value(at)); }
    return combine(combine(a, b), combine(c, d));
}

// piece: reduce_short_list
// The same with two partial results where the list is short: what is left over is one value, not another loop, whose end is
// a branch that is mispredicted. The empty statement keeps the compiler from making vectors of the values, which are slower
// to gather.
template <class T, class Combine, class Value>
inline T reduce_short_list(int64 first, int64 last, T identity, Combine combine, Value value) {
    T a = identity, b = identity;
    int64 at = first;
    for (; at + 2 <= last; at += 2) {
        __asm__("" : "+r"(at));
        a = combine(a, value(at));
        b = combine(b, value(at + 1));
    }
    if (at < last) { a = combine(a, value(at)); }
    return combine(a, b);
}

// piece: in_vectors
// How two values are combined that are computed for several edges at a time, in vectors.
template <class Combine>
struct in_vectors : Combine {
    explicit in_vectors(Combine combine) : Combine(combine) {}
    static constexpr bool vectors = true;
};

// piece: has_vectors
// Whether values are combined in this way, and from how many edges on.
constexpr int64 VECTORS_FROM = 16;
template <class Combine, class = void>
constexpr bool has_vectors = false;
template <class Combine>
constexpr bool has_vectors<Combine, decltype(void(Combine::vectors))> = true;

// piece: in_lanes
// How the elements of `values` at far ends are added up, where the processor may fetch several of them by one instruction.
template <class Combine, class T>
struct of_elements : Combine {
    const T* const values;
    of_elements(Combine combine, const T* values) : Combine(combine), values(values) {}
    static constexpr bool lanes = true;
};
template <class Combine, class T>
inline of_elements<Combine, T> in_lanes(Combine combine, const T* values) { return of_elements<Combine, T>(combine, values); }

// piece: has_lanes
// Whether that is quicker than one after the other: as far as is known, on processors that have half floats in vectors. Ids
// must be 32 bits wide, and neighbors one behind the other in memory.
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512VL__) && (defined(__AVX512FP16__) || defined(QUICK_GATHERS))
#define HAS_LANES
#endif
template <class Combine, class Lists, class = void>
constexpr bool has_lanes = false;
#ifdef HAS_LANES
template <class Combine, class Lists>
constexpr bool has_lanes<Combine, Lists, decltype(void(Combine::lanes))> =
    sizeof(vertex) == 4 && std::is_reference<decltype(std::declval<const Lists&>().neighbor(0))>::value;
#endif

// piece: lengths_vary
// Whether the ends of lists are mispredicted so often that lanes pay for what they cost themselves: a quarter of some members
// have another number of edges than the next member.
template <class Members, class Lists>
inline bool lengths_vary(const Members& members, const Lists& lists) {
    const int64 size = members.size() - 1, looks = minimum<int64>(size, 128);
    int64 others = 0;
    for (int64 look = 0; look < looks; ++look) {
        const int64 i = uint64(uint32(look) * 0x9e3779b9u) * uint64(size) >> 32;
        others += lists.degree(members[i]) != lists.degree(members[i + 1]);
    }
    return 4 * others >= looks && looks > 0;
}

// piece: sum_in_lanes
// The sum of the elements at the neighbors in a list, up to eight at a time. What is left over is masked: how long a list is
// would be a branch that is mispredicted.
#ifdef HAS_LANES
typedef int32 four_ids __attribute__((vector_size(16)));
typedef int32 eight_ids __attribute__((vector_size(32)));
typedef float32 four_floats __attribute__((vector_size(16)));
typedef float32 eight_floats __attribute__((vector_size(32)));
typedef float64 four_doubles __attribute__((vector_size(32)));
typedef float64 eight_doubles __attribute__((vector_size(64)));
inline four_floats fetch_lanes(const float32* values, four_ids ids, unsigned char lanes) {
    return __builtin_ia32_gather3siv4sf(four_floats{}, values, ids, lanes, 4);
}
inline eight_floats fetch_lanes(const float32* values, eight_ids ids, unsigned char lanes) {
    return __builtin_ia32_gather3siv8sf(eight_floats{}, values, ids, lanes, 4);
}
inline four_doubles fetch_lanes(const float64* values, four_ids ids, unsigned char lanes) {
    return __builtin_ia32_gather3siv4df(four_doubles{}, values, ids, lanes, 8);
}
inline eight_doubles fetch_lanes(const float64* values, eight_ids ids, unsigned char lanes) {
    return __builtin_ia32_gathersiv8df(eight_doubles{}, values, ids, lanes, 8);
}
template <class Four>
inline auto sum_of_four(Four x) { return (x[0] + x[2]) + (x[1] + x[3]); }
template <class Lists, class T>
inline T sum_in_lanes(const Lists& lists, int64 at, const int64 last, const T* values) {
    const auto first_lanes = [](int64 count) { return (unsigned char)((1u << count) - 1); };
    const auto ids_at = [&](int64 place) { return reinterpret_cast<const int*>(&lists.neighbor(place)); };
    if (last - at <= 4) {
        const auto lanes = first_lanes(last - at);
        return sum_of_four(fetch_lanes(values, __builtin_ia32_loaddqusi128_mask(ids_at(at), four_ids{}, lanes), lanes));
    }
    auto sums = fetch_lanes(values, eight_ids{}, 0);
    do {
        const auto lanes = first_lanes(minimum<int64>(last - at, 8));
        sums += fetch_lanes(values, __builtin_ia32_loaddqusi256_mask(ids_at(at), eight_ids{}, lanes), lanes);
        at += 8;
    } while (at < last);
    return sum_of_four(__builtin_shufflevector(sums, sums, 0, 1, 2, 3) + __builtin_shufflevector(sums, sums, 4, 5, 6, 7));
}
#else
template <class Lists, class T>
T sum_in_lanes(const Lists& lists, int64 at, int64 last, const T* values);  // not called
#endif

// piece: reduce_in_vectors
// The same in one loop, of which the compiler makes vectors.
template <class T, class Combine, class Value>
inline T reduce_in_vectors(int64 first, int64 last, T identity, Combine combine, Value value) {
    T reduced = identity;
    for (int64 at = first; at < last; ++at) { reduced = combine(reduced, value(at)); }
    return reduced;
}

// piece: reduce_neighbors
// The reduction over the values of the edges of a list.
template <class T, class Lists, class Combine, class Value>
inline T reduce_neighbors(const Lists& lists, vertex near, int64 first, int64 last, T identity, Combine combine, Value value) {
    const auto of_edge = [&](int64 at) { return value(near, lists.neighbor(at), lists.id(at)); };
    if constexpr (has_vectors<Combine>) {
        return reduce_in_vectors(first, last, identity, combine, of_edge);
    } else {
        return reduce_list(first, last, identity, combine, of_edge);
    }
}

// piece: without_totals
// Of an operator that adds nothing to scalars.
struct without_totals {};

// piece: end_of_list
// Where the list of `v` ends; with `whole` lists the address is not computed from another id, which might wrap, so that it
// is that of where the list begins.
template <bool whole, class Lists>
inline int64 end_of_list(const Lists& lists, vertex v) {
    if constexpr (whole) {
        return (lists.starts() + v)[1];
    } else {
        return lists.last(v);
    }
}

// piece: reduce_members
// For members from `begin` on the reduction of `value(near, far, e)` over the edges of each, passed to
// `assign(near, reduced, totals)`. Returns the first of them that has a list to be `cut`, or `end`. This is a function of its
// own, calls no other, and copies what it is given, so that addresses and totals stay in registers whatever is stored.
template <bool cut, bool lanes, class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
__attribute__((noinline)) int64 reduce_members(const int64 begin, const int64 end, const Members& members_given,
                                               const Lists& lists_given, const T identity, const Combine& combine_given,
                                               const Value& value_given, const Assign& assign_given, Totals& totals_given,
                                               int64& visited) {
    constexpr int64 LONG_LIST = HUB_DEGREE < 256 ? HUB_DEGREE : 256;  // additions of a longer one would wait for each other
    constexpr bool in_order = Lists::whole && std::is_base_of<all_members, Members>::value;  // a list begins where one ended
    const Members members = members_given;
    const graph_slice graph = lists_given.g;
    const Lists lists = lists_on(graph, lists_given);
    const Combine combine = combine_given;
    const Value value = value_given;
    const Assign assign = assign_given;
    Totals totals = totals_given;
    const int64 start = in_order && begin < end ? lists.first(members[begin]) : 0;
    int64 reached = start, edges = 0;
    const auto behind = place_in<Members>(end);
    auto i = place_in<Members>(begin);
    for (; i < behind; ++i) {
        fetch_later(members, i);
        const vertex near = members[i];
        const int64 first = in_order ? reached : lists.first(near), last = end_of_list<in_order>(lists, near);
        const auto of_edge = [&](int64 at) { return value(near, lists.neighbor(at), lists.id(at)); };
        if constexpr (lanes) {
            if (cut && last - first >= HUB_DEGREE) { break; }
            assign(near, sum_in_lanes(lists, first, last, combine.values), totals);
        } else if (has_vectors<Combine> && last - first >= VECTORS_FROM) {
            if (cut && last - first >= HUB_DEGREE) { break; }
            assign(near, reduce_in_vectors(first, last, identity, combine, of_edge), totals);
        } else if (__builtin_expect(last - first < LONG_LIST, 1)) {
            assign(near, reduce_short_list(first, last, identity, combine, of_edge), totals);
        } else {
            if (cut && last - first >= HUB_DEGREE) { break; }
            assign(near, reduce_list(first, last, identity, combine, of_edge), totals);
        }
        if (!in_order) { edges += lists.degree(near); }
        reached = last;
    }
    totals_given = totals;
    visited += in_order ? reached - start : edges;
    return int64(i);
}

// piece: reduce_in_turn
// The same, in lanes if the lengths of lists vary.
template <bool cut, class T, class Members, class Lists, class Combine, class... Others>
inline int64 reduce_in_turn(bool vary, int64 begin, int64 end, const Members& members, const Lists& lists, T identity,
                            const Combine& combine, Others&... others) {
    if constexpr (has_lanes<Combine, Lists>) {
        if (vary) { return reduce_members<cut, true, T>(begin, end, members, lists, identity, combine, others...); }
    }
    return reduce_members<cut, false, T>(begin, end, members, lists, identity, combine, others...);
}

// piece: reduce_edges
// The same for every member. All threads of the region call it.
template <class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
inline void reduce_edges(run_state& run, const Members& members, const Lists& lists, T identity, Combine combine,
                         Value value, Assign assign, Totals& totals) {
    const int64 size = members.size(), length = chunk_of(4 * size);
    const bool vary = has_lanes<Combine, Lists> && lengths_vary(members, lists);
    int64 visited = 0;
#pragma omp for schedule(dynamic, 1)
    for (int64 begin = 0; begin < size; begin += length) {
        const int64 end = minimum(begin + length, size);
        for (int64 i = begin; i < end; ++i) {
            i = reduce_in_turn<true, T>(vary, i, end, members, lists, identity, combine, value, assign, totals, visited);
            if (i == end) { break; }
            visited += lists.degree(members[i]);
            run.hubs.defer(members[i], lists.first(members[i]), lists.last(members[i]));
        }
    }
    reduce_add(&run.visited, visited);
    const int64 chunks = run.hubs.size();
    if (chunks == 0) { return; }
#pragma omp for schedule(dynamic, 1)
    for (int64 i = 0; i < chunks; ++i) {
        hub_chunk& part = run.hubs[i];
        const T reduced = reduce_neighbors<T>(lists, part.near, part.first, part.last, identity, combine, value);
        static_assert(sizeof(T) <= sizeof(part.reduced), "a chunk has room for it");
        std::memcpy(part.reduced, &reduced, sizeof(T));
    }
#pragma omp single
    {
        T reduced = identity;
        for (int64 i = 0; i < chunks; ++i) {
            T brought;
            std::memcpy(&brought, run.hubs[i].reduced, sizeof(T));
            reduced = combine(reduced, brought);
            if (i + 1 == chunks || run.hubs[i + 1].near != run.hubs[i].near) {
                assign(run.hubs[i].near, reduced, totals);
                reduced = identity;
            }
        }
        run.hubs.clear();
    }
}

// piece: reduce_list_until
// The reduction of `value(at)` over a list until it is `final`.
template <class T, class Combine, class Value>
inline T reduce_list_until(int64 first, int64 last, T identity, T final, Combine combine, Value value) {
    T reduced = identity;
    for (int64 at = first; at < last && reduced != final; ++at) { reduced = combine(reduced, value(at)); }
    return reduced;
}

// piece: reduce_until
// The same where no further edge changes a result that is `final`.
template <class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
inline void reduce_until(run_state& run, const Members& members, const Lists& lists, T identity, T final, Combine combine,
                         Value value, Assign assign, Totals& totals) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(dynamic, chunk_of(4 * int64(end))) nowait
    for (place_in<Members> i = 0; i < end; ++i) {
        const vertex near = members[i];
        visited += lists.degree(near);
        assign(near, reduce_list_until(lists.first(near), lists.last(near), identity, final, combine,
                                       [&](int64 at) { return value(near, lists.neighbor(at), lists.id(at)); }), totals);
    }
    reduce_add(&run.visited, visited);
}

// piece: reduce_until_by_one
// The same with one thread.
template <class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
inline void reduce_until_by_one(run_state& run, const Members& members, const Lists& lists, T identity, T final,
                                Combine combine, Value value, Assign assign, Totals& totals) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
    for (place_in<Members> i = 0; i < end; ++i) {
        const vertex near = members[i];
        visited += lists.degree(near);
        assign(near, reduce_list_until(lists.first(near), lists.last(near), identity, final, combine,
                                       [&](int64 at) { return value(near, lists.neighbor(at), lists.id(at)); }), totals);
    }
    run.visited += visited;
}

// piece: reduce_lists
// Visits whole lists, with equal numbers of members for all threads.
template <class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
inline void reduce_lists(run_state& run, const Members& members, const Lists& lists, T identity, Combine combine,
                         Value value, Assign assign, Totals& totals) {
    const auto end = place_in<Members>(members.size());
    int64 visited = 0;
#pragma omp for schedule(static) nowait
    for (place_in<Members> i = 0; i < end; ++i) {
        const vertex near = members[i];
        visited += lists.degree(near);
        assign(near, reduce_neighbors<T>(lists, near, lists.first(near), lists.last(near), identity, combine, value), totals);
    }
    reduce_add(&run.visited, visited);
}

// piece: reduce_by_one
// Visits whole lists with one thread.
template <class T, class Members, class Lists, class Combine, class Value, class Assign, class Totals>
inline void reduce_by_one(run_state& run, const Members& members, const Lists& lists, T identity, Combine combine,
                          Value value, Assign assign, Totals& totals) {
    int64 visited = 0;
    const bool vary = has_lanes<Combine, Lists> && lengths_vary(members, lists);
    reduce_in_turn<false, T>(vary, 0, members.size(), members, lists, identity, combine, value, assign, totals, visited);
    run.visited += visited;
}

// piece: fill
template <class T>
inline void fill(T* values, int64 count, T value) {
    each_id(count, [&](int64 i) { values[i] = value; });
}
