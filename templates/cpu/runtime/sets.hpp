// piece: collect_members
// Collects a result with all threads or one: `collect(out, each)` appends to `out`, and visits members with
// `each(members, visit)`.
template <class Counted, class Collect>
inline void collect_members(run_state& run, frontier& result, const Counted counted, int64 size, Collect collect) {
    if (by_all(run, size > little_work(4))) {
#pragma omp parallel
        {
            collector<Counted> out(result, counted);
            collect(out, [](const auto& members, auto visit) { each_vertex(members, visit); });
            out.flush();
        }
    } else {
        collector_by_one<Counted> out(result, counted);
        collect(out, [](const auto& members, auto visit) { each_by_one(members, visit); });
        out.flush();
    }
}

// piece: grow_set
// Adds members to the queue and the bitmap of a set, without those that it already has.
template <class Counted>
inline void grow_set(run_state& run, frontier& f, const frontier& added, const Counted counted) {
    need_bitmap(f);
    const queue_members members = members_of(added);
    collect_members(run, f, counted, members.size(), [&](auto& out, auto each) {
        each(members, [&](vertex v) { out.append_new_if(v, true); });
    });
}

// piece: unite_queues
// All members of the second set, and the members of the first that are not in the second.
template <class Counted>
inline void unite_queues(run_state& run, frontier& result, const frontier& first, frontier& second, const Counted counted) {
    need_bitmap(second);
    const queue_members others = members_of(second);
    collect_members(run, run.next, counted, first.size + second.size, [&](auto& out, auto each) {
        each(others, [&](vertex v) { out.append(v); });
        each(members_of(first), [&](vertex v) { out.append_if(v, !others.contains(v)); });
    });
    finish_queue(run, result, false);
}

// piece: intersect_queues
// Walks one set and tests membership in the other. It walks the second if only that has a queue, or if that is cheaper
// and the first has a bitmap.
template <class Counted>
inline void intersect_queues(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    const bool smaller = !second.mapped || second.size < first.size;
    const bool turned = !first.queued || (second.queued && first.mapped && smaller);
    const frontier& walked = turned ? second : first;
    frontier& looked_up = turned ? first : second;
    need_bitmap(looked_up);
    const queue_members others = members_of(looked_up);
    collect_members(run, run.next, counted, walked.size, [&](auto& out, auto each) {
        each(members_of(walked), [&](vertex v) { out.append_if(v, others.contains(v)); });
    });
    finish_queue(run, result, false);
}

// piece: subtract_queue
// Walks the first set and omits members of the second.
template <class Members, class Counted>
inline void subtract_queue(run_state& run, frontier& result, const Members& first, frontier& second, const Counted counted) {
    need_bitmap(second);
    const queue_members others = members_of(second);
    collect_members(run, run.next, counted, first.size(), [&](auto& out, auto each) {
        each(first, [&](vertex v) { out.append_if(v, !others.contains(v)); });
    });
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
// Combines two sets word by word, 64 vertices at a time.
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
// The union of two sets that may have no queue.
template <class Counted>
inline void unite_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued && second.queued) {
        unite_queues(run, result, first, second, counted);
    } else {
        combine_words(run, result, first, second, counted, either_bits{});
    }
}

// piece: intersect_sets
// The intersection of two sets that may have no queue.
template <class Counted>
inline void intersect_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued || second.queued) {
        intersect_queues(run, result, first, second, counted);
    } else {
        combine_words(run, result, first, second, counted, both_bits{});
    }
}

// piece: subtract_sets
// The difference of two sets that may have no queue.
template <class Counted>
inline void subtract_sets(run_state& run, frontier& result, frontier& first, frontier& second, const Counted counted) {
    if (first.queued) {
        subtract_queue(run, result, members_of(first), second, counted);
    } else {
        combine_words(run, result, first, second, counted, first_bits{});
    }
}

// piece: grow_any_set
// Adds to a set the members of another one that may have no queue.
template <class Counted>
inline void grow_any_set(run_state& run, frontier& f, frontier& added, const Counted counted) {
    if (added.queued) {
        grow_set(run, f, added, counted);
    } else {
        combine_words(run, f, f, added, counted, either_bits{});
    }
}
