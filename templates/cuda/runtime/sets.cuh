// piece: worth_a_bitmap
// Whether marking this many members costs as much as writing the words of a bitmap, which stays valid afterwards.
__device__ __forceinline__ bool worth_a_bitmap(uint64 members, uint64 num_vertices) { return members * 32 >= num_vertices; }

// piece: bits_of_members
// A bit for each member: the bitmap of a set or, if it has none and is small, marks set from its queue. Only one set can
// be marked at a time, since there is one bitmap of marks.
// barriers: 3 if there is no bitmap of them yet
__device__ __noinline__ const uint32* bits_of_members(enactor& run, frontier& f, uint64 num_vertices) {
    if (!f.mapped && worth_a_bitmap(f.size, num_vertices)) { need_bitmap(run, f, num_vertices); }
    if (f.mapped) { return f.bitmap; }
    uint32* const marks = marks_of(run);
    for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { mark(marks, f.queue[i]); }
    synchronize(run);
    return marks;
}

// piece: forget_members
// Clears the marks of `bits_of_members` after their last use.
__device__ __forceinline__ void forget_members(enactor& run, const frontier& f) {
    if (!f.mapped) { clear_marks(marks_of(run), f); }
}

// piece: append_members
// Collects the members that are (or are not) among those of some bits.
template <bool among, class Members, class Counted>
__device__ __forceinline__ void append_members(collector<Counted>& out, const Members& members, const uint32* bits) {
    each_vertex_by_warps(members, [&](bool active, vertex v) {
        out.append(active && ((bits[v / 32] >> (v % 32) & 1) != 0) == among, v);
    });
}

// piece: grows_in_place
// Whether members can be added to a set in place: it has a bitmap for marks, or both sets are so large that building one
// pays off. Additions to an empty set are copied, which needs no bitmap.
// barriers: 2 if its bitmap is worth it
__device__ __forceinline__ bool grows_in_place(enactor& run, frontier& f, const frontier& added, uint64 num_vertices) {
    if (!added.queued || (f.size == 0 && !f.mapped)) { return false; }
    if (!f.mapped && worth_a_bitmap(f.size + added.size, num_vertices)) { need_bitmap(run, f, num_vertices); }
    return f.mapped;
}

// piece: grow_in_place
// Appends new members to the queue of a set, and adds them to its bitmap. No thread reads them before the barrier.
// Not inlined, like all functions here that fill a set: a schedule may combine sets in many places, and each copy would
// take as long to compile as an advance.
// barriers: 1
template <class Counted>
__device__ __noinline__ void grow_in_place(enactor& run, frontier& f, const frontier& added, const Counted counted) {
    begin_operator(run);
    frontier rest = f;
    rest.queue += f.size;
    collector out(run, rest, counted);
    each_vertex_by_warps(members_of(added), [&](bool active, vertex v) { out.append(active && mark(f.bitmap, v), v); });
    out.flush();
    end_queue(run, rest);
    f.size += rest.size;
    f.edges += rest.edges;
    run.operators += 1;
}

// piece: grows_in_order
// Whether so many members are added that it pays to rebuild the queue in the order of ids: the values of consecutive
// members are then adjacent in memory.
__device__ __forceinline__ bool grows_in_order(const frontier& f, const frontier& added, uint64 num_vertices) {
    return 4 * added.size >= f.size && worth_a_bitmap(f.size + added.size, num_vertices);
}

// piece: grow_in_order
// Adds new members to the bitmap of a set, and builds its queue from that, in the storage of `spare`.
// barriers: 1 to 2
template <class Counted>
__device__ __noinline__ void grow_in_order(enactor& run, frontier& f, frontier& spare, const frontier& added,
                                           uint64 num_vertices, const Counted counted) {
    begin_operator(run);
    uint64 members = 0, edges = 0;
    each_vertex(members_of(added), [&](vertex v) {
        if (!mark(f.bitmap, v)) { return; }
        members += 1;
        edges += counted.degree(v);
    });
    __syncwarp(FULL_WARP);
    members = warp_sum(members);
    if (lane_index() == 0 && members > 0) { atomicAdd_grid(&run.counters()->accepted, members); }
    counted.add(run.counters(), edges);
    const accepted_count accepted = synchronize_and_count(run);
    f.size += accepted.members;
    f.edges += accepted.edges;
    run.operators += 1;
    exchange(f.queue, spare.queue);
    exchange(f.room, spare.room);
    f.queued = false;
    need_queue(run, f, num_vertices);
}

// piece: unite_queues
// All members of the second set, and the members of the first that are not in the second.
// barriers: 1 to 4
template <class Counted>
__device__ __noinline__ void unite_queues(enactor& run, frontier& result, const frontier& first, frontier& second,
                                          uint64 num_vertices, const Counted counted) {
    const bool may_overlap = first.size > 0;
    const uint32* const bits = may_overlap ? bits_of_members(run, second, num_vertices) : nullptr;
    begin_operator(run);
    collector out(run, result, counted);
    each_vertex_by_warps(members_of(second), [&](bool active, vertex v) { out.append(active, v); });
    append_members<false>(out, members_of(first), bits);
    out.flush();
    end_queue(run, result);
    if (may_overlap) { forget_members(run, second); }
    run.operators += 1;
}

// piece: intersect_queues
// Walks one set and tests membership in the other. It walks the second if only that has a queue, or if that is cheaper
// and the first has a bitmap.
// barriers: 1 to 4
template <class Counted>
__device__ __noinline__ void intersect_queues(enactor& run, frontier& result, frontier& first, frontier& second,
                                              uint64 num_vertices, const Counted counted) {
    const bool smaller = !second.mapped || second.size < first.size;
    const bool turned = !first.queued || (second.queued && first.mapped && smaller);
    const frontier& walked = turned ? second : first;
    frontier& asked = turned ? first : second;
    const uint32* const bits = bits_of_members(run, asked, num_vertices);
    begin_operator(run);
    collector out(run, result, counted);
    append_members<true>(out, members_of(walked), bits);
    out.flush();
    end_queue(run, result);
    forget_members(run, asked);
    run.operators += 1;
}

// piece: subtract_queue
// Walks the first set and omits members of the second.
// barriers: 1 to 4
template <class Members, class Counted>
__device__ __noinline__ void subtract_queue(enactor& run, frontier& result, const Members& first, frontier& second,
                                            uint64 num_vertices, const Counted counted) {
    const uint32* const bits = bits_of_members(run, second, num_vertices);
    begin_operator(run);
    collector out(run, result, counted);
    append_members<false>(out, first, bits);
    out.flush();
    end_queue(run, result);
    forget_members(run, second);
    run.operators += 1;
}

// piece: collect_rest
// The members of a set that do not pass the test of a filter.
// barriers: 1
template <class Members, class Test, class Counted>
__device__ __forceinline__ void collect_rest(enactor& run, frontier& result, const Members& members, Test test,
                                             const Counted counted) {
    begin_operator(run);
    collector out(run, result, counted);
    each_vertex_by_warps(members, [&](bool active, vertex v) { out.append(active && test(v), v); });
    out.flush();
    end_queue(run, result);
    run.operators += 1;
}

// piece: either_bits
struct either_bits {
    __device__ __forceinline__ uint32 operator()(uint32 first, uint32 second) const { return first | second; }
};

// piece: both_bits
struct both_bits {
    __device__ __forceinline__ uint32 operator()(uint32 first, uint32 second) const { return first & second; }
};

// piece: first_bits
struct first_bits {
    __device__ __forceinline__ uint32 operator()(uint32 first, uint32 second) const { return first & ~second; }
};

// piece: combine_words
// Combines two sets word by word, at least one of which has a bitmap; each thread takes a word of 32 vertices. Another
// barrier waits until marks are cleared, since their set may be written next.
// barriers: 1 to 8
template <class Counted, class Combine>
__device__ __noinline__ void combine_words(enactor& run, frontier& result, frontier& first, frontier& second,
                                           uint64 num_vertices, const Counted counted, Combine combine) {
    const uint32* const bits_of_first = bits_of_members(run, first, num_vertices);
    const uint32* const bits_of_second = bits_of_members(run, second, num_vertices);
    begin_operator(run);
    uint64 members = 0, edges = 0;
#pragma unroll 1
    for (uint64 word = thread_index(); word * 32 < num_vertices; word += grid_threads()) {
        uint32 bits = combine(bits_of_first[word], bits_of_second[word]);
        result.bitmap[word] = bits;
        members += __popc(bits);
#pragma unroll 1
        for (; bits != 0; bits &= bits - 1) { edges += counted.degree(vertex(word * 32 + __ffs(bits) - 1)); }
    }
    __syncwarp(FULL_WARP);
    members = warp_sum(members);
    if (lane_index() == 0 && members > 0) { atomicAdd_grid(&run.counters()->accepted, members); }
    counted.add(run.counters(), edges);
    end_bitmap(run, result);
    if (!first.mapped || !second.mapped) {
        forget_members(run, first);
        forget_members(run, second);
        synchronize(run);
    }
    run.operators += 1;
}

// piece: unite_sets
// The union of two sets that may have no queue.
// barriers: 1 to 8
template <class Counted>
__device__ __noinline__ void unite_sets(enactor& run, frontier& result, frontier& first, frontier& second,
                                        uint64 num_vertices, const Counted counted) {
    if (first.queued && second.queued) {
        unite_queues(run, result, first, second, num_vertices, counted);
    } else {
        combine_words(run, result, first, second, num_vertices, counted, either_bits{});
    }
}

// piece: intersect_sets
// The intersection of two sets that may have no queue.
// barriers: 1 to 8
template <class Counted>
__device__ __noinline__ void intersect_sets(enactor& run, frontier& result, frontier& first, frontier& second,
                                            uint64 num_vertices, const Counted counted) {
    if (first.queued || second.queued) {
        intersect_queues(run, result, first, second, num_vertices, counted);
    } else {
        combine_words(run, result, first, second, num_vertices, counted, both_bits{});
    }
}

// piece: subtract_sets
// The difference of two sets that may have no queue.
// barriers: 1 to 8
template <class Counted>
__device__ __noinline__ void subtract_sets(enactor& run, frontier& result, frontier& first, frontier& second,
                                           uint64 num_vertices, const Counted counted) {
    if (first.queued) {
        subtract_queue(run, result, members_of(first), second, num_vertices, counted);
    } else {
        combine_words(run, result, first, second, num_vertices, counted, first_bits{});
    }
}

// piece: append_few
// Appends the members of two queues to the queue of a result, one thread for each member. Members are marked, so that
// none is appended twice. The parts of the run are separate parameters, so that they stay in registers.
template <class Counted>
__device__ OUTLINED void append_few(operator_counters* counters, uint32* marks, const vertex* first, uint64 first_size,
                                    const vertex* second, uint64 second_size, vertex* result, const Counted counted) {
    const uint64 base = warp_index() * 32, place = base + lane_index(), size = first_size + second_size;
    if (base >= size) { return; }
    const vertex v = place < first_size ? first[place] : place < size ? second[place - first_size] : vertex(0);
    const bool accepted = place < size && mark_unread(marks, v);
    const uint32 votes = __ballot_sync(FULL_WARP, accepted);
    uint64 at = lane_index() == 0 && votes != 0 ? atomicAdd_grid(&counters->accepted, uint64(__popc(votes))) : 0;
    const uint64 edges = accepted ? counted.degree_with_prefetch(v) : 0;  // loaded while the atomic is in flight
    at = __shfl_sync(FULL_WARP, at, 0);
    if (accepted) { result[at + __popc(votes & ((1u << lane_index()) - 1))] = v; }
    counted.add(counters, edges);
}

// piece: grow_few
// Adds the members of another set in one sweep if both are short queues; otherwise returns false. Longer sets take no
// atomic for each member: the members of one set are marked, and after a barrier the other is walked.
// barriers: 1 if both sets are small
template <class Counted>
__device__ __forceinline__ bool grow_few(enactor& run, frontier& f, frontier& spare, const frontier& added,
                                         uint64 num_vertices, const Counted counted) {
    const uint64 size = f.size + added.size;
    const bool few = size <= grid_threads() && !worth_a_bitmap(size, num_vertices);
    if (!few || !f.queued || !added.queued || f.mapped || added.mapped) { return false; }
    if (added.size == 0) {
        synchronize(run);  // as after every addition to a set
        return true;
    }
    begin_operator(run);
    uint32* const marks = marks_of(run);
    append_few(run.counters(), marks, f.queue, f.size, added.queue, added.size, spare.queue, counted);
    end_queue(run, spare);
    clear_marks(marks, spare);
    run.operators += 1;
    exchange(f, spare);
    return true;
}

// piece: grow_or_unite
// Adds the members of another set: in place if that pays off, otherwise `unite` fills `spare` with both.
// barriers: 4 if the set grows in its place
template <class Counted, class Unite>
__device__ __forceinline__ void grow_or_unite(enactor& run, frontier& f, frontier& spare, const frontier& added,
                                              uint64 num_vertices, const Counted counted, Unite unite) {
    if (grows_in_place(run, f, added, num_vertices)) {
        if (grows_in_order(f, added, num_vertices)) {
            grow_in_order(run, f, spare, added, num_vertices, counted);
        } else {
            grow_in_place(run, f, added, counted);
        }
    } else {
        unite();
        exchange(f, spare);
    }
}

// piece: grow_set
// Adds the members of another set.
// barriers: 1 to 8
template <class Counted>
__device__ __noinline__ void grow_set(enactor& run, frontier& f, frontier& spare, frontier& added, uint64 num_vertices,
                                      const Counted counted) {
    const auto unite = [&] { unite_queues(run, spare, f, added, num_vertices, counted); };
    grow_or_unite(run, f, spare, added, num_vertices, counted, unite);
}

// piece: grow_any_set
// The same for sets that may have no queue.
// barriers: 1 to 12
template <class Counted>
__device__ __noinline__ void grow_any_set(enactor& run, frontier& f, frontier& spare, frontier& added, uint64 num_vertices,
                                          const Counted counted) {
    const auto unite = [&] { unite_sets(run, spare, f, added, num_vertices, counted); };
    grow_or_unite(run, f, spare, added, num_vertices, counted, unite);
}
