// piece: append_members
// Collects the members that are (or are not) among those of another set.
template <bool among, class Members, class Counted>
inline void append_members(collector<Counted>& out, const Members& members, const queue_members& others) {
    each_vertex(members, [&](vertex v) {
        if (others.contains(v) == among) { out.append(v); }
    });
}

// piece: grow_set
// Puts behind the queue of a set, and into its bitmap, what it does not have yet.
template <class Counted>
inline void grow_set(run_state&, frontier& f, const frontier& added, const Counted counted) {
    need_bitmap(f);
    const queue_members members = members_of(added);
#pragma omp parallel if (members.size() > SMALL_WORK)
    {
        collector<Counted> out(f, counted);
        each_vertex(members, [&](vertex v) {
            if (out.is_new(v)) { out.append(v); }
        });
        out.flush();
    }
}

// piece: unite_queues
// All of the second set, and of the first what is not in it.
template <class Counted>
inline void unite_queues(run_state& run, frontier& result, const frontier& first, frontier& second, const Counted counted) {
    need_bitmap(second);
#pragma omp parallel if (first.size + second.size > SMALL_WORK)
    {
        collector<Counted> out(run.next, counted);
        each_vertex(members_of(second), [&](vertex v) { out.append(v); });
        append_members<false>(out, members_of(first), members_of(second));
        out.flush();
    }
    finish_queue(run, result, false);
}

// piece: intersect_queues
// Walks one set and asks for the other: the second where it alone has a queue, or is the better one to walk while the
// first has a bitmap.
template <class Counted>
inline void intersect_queues(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    const bool smaller = !second.mapped || second.size < first.size;
    const bool turned = !first.queued || (second.queued && first.mapped && smaller);
    const frontier& walked = turned ? second : first;
    frontier& asked = turned ? first : second;
    need_bitmap(asked);
#pragma omp parallel if (walked.size > SMALL_WORK)
    {
        collector<Counted> out(run.next, counted);
        append_members<true>(out, members_of(walked), members_of(asked));
        out.flush();
    }
    finish_queue(run, result, false);
}

// piece: subtract_queue
// Walks the first set and leaves out the second.
template <class Members, class Counted>
inline void subtract_queue(run_state& run, frontier& result, const Members& first, frontier& second, const Counted counted) {
    need_bitmap(second);
#pragma omp parallel if (first.size() > SMALL_WORK)
    {
        collector<Counted> out(run.next, counted);
        append_members<false>(out, first, members_of(second));
        out.flush();
    }
    finish_queue(run, result, false);
}

// piece: either_bits
struct either_bits {
    uint64 operator()(uint64 first, uint64 second) const { return first | second; }
};

// piece: both_bits
struct both_bits {
    uint64 operator()(uint64 first, uint64 second) const { return first & second; }
};

// piece: first_bits
struct first_bits {
    uint64 operator()(uint64 first, uint64 second) const { return first & ~second; }
};

// piece: combine_words
// Two sets word by word, a word of 64 vertices at a time.
template <class Counted, class Combine>
inline void combine_words(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted,
                          Combine combine) {
    need_bitmap(first);
    need_bitmap(second);
#pragma omp parallel if (first.words * 64 > SMALL_WORK)
    {
        bitmap_collector<Counted> out(run.next, counted);
#pragma omp for schedule(static)
        for (int64 word = 0; word < first.words; ++word) { out.put(word, combine(first.bitmap[word], second.bitmap[word])); }
        out.flush();
    }
    finish_bitmap(run, result);
}

// piece: unite_sets
// A union of sets that may have no queue.
template <class Counted>
inline void unite_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued && second.queued) {
        unite_queues(run, result, first, second, counted);
    } else {
        combine_words(run, result, first, second, counted, either_bits{});
    }
}

// piece: intersect_sets
// What is in both of two sets that may have no queue.
template <class Counted>
inline void intersect_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued || second.queued) {
        intersect_queues(run, result, first, second, counted);
    } else {
        combine_words(run, result, first, second, counted, both_bits{});
    }
}

// piece: subtract_sets
// A difference of sets that may have no queue.
template <class Counted>
inline void subtract_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued) {
        subtract_queue(run, result, members_of(first), second, counted);
    } else {
        combine_words(run, result, first, second, counted, first_bits{});
    }
}

// piece: grow_any_set
// The growth of a set by one that may have no queue.
template <class Counted>
inline void grow_any_set(run_state& run, frontier& f, frontier& added, const Counted counted) {
    if (added.queued) {
        grow_set(run, f, added, counted);
    } else {
        combine_words(run, f, f, added, counted, either_bits{});
    }
}
