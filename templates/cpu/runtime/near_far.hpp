// piece: near_far
// A worklist whose order does not matter, processed from near to far: a vertex is near while its value is within a
// bound, and far otherwise. When few vertices are near, the bound advances and the far ones are examined; one that has
// become near in the meantime has already been in the worklist and is dropped.
template <class Key, bool Falls>
struct near_far {
    const Key* values;
    frontier far, rest;  // the far vertices, and space for those that remain far
    Key bound, former;
    bool begun, missed;  // whether there is a bound, and whether the last one had nothing within it
    int64 rounds, edges, looked, peak;  // since the bound moved: rounds, their edges, far vertices, largest round
    float64 width, factor, speed;  // how far the bound advances, how that changes, and the last speed
    float64 mean_degree;

    near_far(const Key* values, frontier& f, const graph_slice& g)
        : values(values), far(g.num_vertices), rest(g.num_vertices), bound(), former(), begun(false), missed(true), rounds(0),
          edges(0), looked(0), peak(0), width(0), factor(2), speed(0),
          mean_degree(float64(g.num_edges) / float64(g.num_vertices)) {
        need_queue(f);
        collector<uncounted> out(far, uncounted{});
        far.mapped = true;
        for (int64 i = 0; i < f.size; ++i) {
            if (out.is_new(f.queue[i])) { out.append(f.queue[i]); }
        }
        out.flush();
        f.clear();
    }

    static bool before(Key a, Key b) { return Falls ? a < b : b < a; }
    bool is_far(Key value) const { return before(bound, value); }

    // `from` plus the width, or `from` itself.
    Key behind(Key from) const {
        const float64 end = Falls ? float64(from) + width : float64(from) - width;
        if (!(end == end)) { return from; }
        Key limit;
        if (end >= float64(std::numeric_limits<Key>::max())) {
            limit = std::numeric_limits<Key>::max();
        } else if (end <= float64(std::numeric_limits<Key>::lowest())) {
            limit = std::numeric_limits<Key>::lowest();
        } else {
            limit = Key(end);
        }
        return before(limit, from) ? from : limit;
    }
    Key nearest() const {
        Key least = values[far.queue[0]];
        for (int64 i = 1; i < far.size; ++i) {
            if (before(values[far.queue[i]], least)) { least = values[far.queue[i]]; }
        }
        return least;
    }

    // Searches for the width with which the bound advances fastest: doubled while that is faster, then back and forth
    // in smaller steps. A round costs as much as ROUND_EDGES edges besides those it visits; above WIDE_ROUND edges,
    // fewer are less work, unless most of the work is to look through the far vertices, as each new bound does.
    void adapt_width() {
        const float64 now = width / (float64(rounds + 1) * ROUND_EDGES + float64(edges + looked));
        if (edges > rounds * WIDE_ROUND + 4 * looked) {
            factor = 0.5;
        } else if (now < speed) {
            factor = factor > 1 ? 1 / 1.4 : 1.4;
        }
        speed = now;
        width *= factor;
    }

    // Which part of the distance to the nearest of all far vertices is the first width. Of k steps of any length up to L
    // the shortest is about L / (k + 1), which is about as wide as buckets should be where vertices have k edges (Meyer and
    // Sanders). Where the first have fewer, it is as much longer.
    float64 first_part() const { return minimum<float64>(1, (float64(far.size) + 1) / (mean_degree + 1)); }

    // Moves the bound beyond the last one or, if nothing was within it, beyond the nearest value. The first width is the
    // distance between the two, or a part of it.
    void move_bound() {
        Key from = bound;
        if (missed) {
            from = nearest();
            if (begun && !(width > 0)) {
                const float64 gap = std::abs(float64(from) - float64(bound));
                width = gap <= std::numeric_limits<float64>::max() ? gap * first_part() : 0;
            }
        } else if (width > 0 && rounds > 0) {
            adapt_width();
        }
        rounds = edges = 0;
        former = bound;
        bound = behind(from);
    }
};

// piece: near_far_collector
// Collects one thread's accepted vertices, near and far ones separately.
template <class Order>
struct near_far_collector {
    const Order& order;
    collector<uncounted> near, far;

    near_far_collector(frontier& result, Order& order) : order(order), near(result, uncounted{}), far(order.far, uncounted{}) {}

    template <class Key>
    void append(vertex v, Key value) {
        collector<uncounted>& out = order.is_far(value) ? far : near;
        if (out.is_new(v)) { out.append(v); }
    }
    void flush() {
        near.flush();
        far.flush();
    }
};

// piece: near_far_of_own_ends
// The same where no other thread has the same vertices.
template <class Order>
struct near_far_of_own_ends : near_far_collector<Order> {
    near_far_of_own_ends(frontier& result, Order& order) : near_far_collector<Order>(result, order) {}

    template <class Key>
    void append(vertex v, Key value) {
        collector<uncounted>& out = this->order.is_far(value) ? this->far : this->near;
        uint64& word = out.result.bitmap[v / 64];
        const uint64 bit = uint64(1) << (v % 64);
        if ((word & bit) != 0) { return; }
        word |= bit;
        out.append(v);
    }
};

// piece: near_far_by_one
// The same with one thread.
template <class Order>
struct near_far_by_one {
    const Order& order;
    collector_by_one<uncounted> near, far;

    near_far_by_one(frontier& result, Order& order) : order(order), near(result, uncounted{}), far(order.far, uncounted{}) {}

    template <class Key>
    void append(vertex v, Key value) {
        if (order.is_far(value)) { far.append_new_if(v, true); } else { near.append_new_if(v, true); }
    }
    void flush() {
        near.flush();
        far.flush();
    }
};

// piece: look_through
// Adds the vertices to `f` that have become near, and drops those that were near before. Vertices that stay far stay in
// the bitmap.
template <class Order, class Near, class Rest, class Leave>
inline void look_at(const Order& order, const frontier& f, vertex v, Near& near, Rest& rest, Leave leave) {
    const auto value = order.values[v];
    const bool stays = order.is_far(value);
    rest.append_if(v, stays);
    if (stays) { return; }
    leave(&order.far.bitmap[v / 64], ~(uint64(1) << (v % 64)));
    if (order.begun && !Order::before(order.former, value)) { return; }
    if (!f.mapped || near.is_new(v)) { near.append(v); }
}
template <class Order>
inline void look_through(run_state& run, Order& order, frontier& f) {
    const int64 size = order.looked = order.far.size;
    if (by_all(run, size > little_work(4))) {
#pragma omp parallel
        {
            collector<uncounted> near(f, uncounted{}), rest(order.rest, uncounted{});
#pragma omp for schedule(static)
            for (int64 i = 0; i < size; ++i) {
                look_at(order, f, order.far.queue[i], near, rest,
                        [](uint64* word, uint64 others) { __atomic_fetch_and(word, others, __ATOMIC_RELAXED); });
            }
            near.flush();
            rest.flush();
        }
    } else {
        collector_by_one<uncounted> near(f, uncounted{}), rest(order.rest, uncounted{});
        for (int64 i = 0; i < size; ++i) {
            look_at(order, f, order.far.queue[i], near, rest, [](uint64* word, uint64 others) { *word &= others; });
        }
        near.flush();
        rest.flush();
    }
    order.missed = f.size == 0;
    order.begun = true;
    std::swap(order.rest.queue, order.far.queue);
    order.far.size = order.rest.size;
    order.rest.size = 0;
}

// piece: find_near
// Ensures that the worklist has entries, and advances the bound when there are much fewer than in the largest round: a
// round of few entries takes as long as one of somewhat more. False if nothing is left.
template <class Order>
inline bool find_near(run_state& run, Order& order, frontier& f) {
    while (f.size <= order.peak / THIN_ROUND && order.far.size > 0) {
        const int64 before = f.size;
        order.missed = order.missed && before == 0;
        order.move_bound();
        look_through(run, order, f);
        order.peak = f.size;
        if (f.size > 0) { break; }
    }
    return f.size > 0;
}

// piece: note_round
template <class Order>
inline void note_round(Order& order, const frontier& result, int64 visited) {
    order.rounds += 1;
    order.edges += visited;
    order.peak = maximum(order.peak, result.size);
}
