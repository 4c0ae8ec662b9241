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
