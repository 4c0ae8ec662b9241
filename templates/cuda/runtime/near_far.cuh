// piece: no_small_frontier carry_over
// The members of a worklist with an order are always in its queue.
struct no_small_frontier {
    static constexpr bool holds = false;
};
template <class Out>
__device__ __forceinline__ void carry_over(no_small_frontier&, Out&) {}

// piece: near_far_state
// The state of a loop from near to far. The first thread of each block updates it, with the same values in all blocks.
// Ranks are words whose order is that of the values: nearer values have larger ranks.
struct near_far_state {
    key_word bound;    // the least rank of near values
    key_word former;   // the previous bound
    key_word nearest;  // the largest rank that was still far at the last scan
    bool looked;       // at least one scan was made
    bool missed;       // the last scan found no near vertex
    bool spilled;      // a near vertex was put off since the last scan, for lack of room
    bool left;         // far vertices were left by the last scan
    uint64 visited;    // edges visited by this block in this round
    uint64 rounds;     // rounds since the bound moved
    uint64 edges;      // edges visited in these rounds
    float64 width;     // distance by which the bound moves
    float64 factor;    // factor by which the width changes
    float64 speed;     // speed of the bound with the previous width
};

// piece: near_far
// A worklist whose order does not matter, processed from near to far (Davidson, Baxter, Garland, Owens, Work-Efficient
// Parallel GPU Methods for Single-Source Shortest Paths, IPDPS 2014). A vertex is near if its new value is within a
// bound; it then has an entry in the queue, with the rank of that value. An entry is skipped if its vertex has a newer
// value, since that value has its own entry. All other vertices are far: each has a bit, and the bits are scanned when
// no vertex is near.
template <class Key, bool Falls>
struct near_far {
    typedef decltype(rank_word(Key())) word;
    const Key* values;    // of all vertices
    key_word* keys;       // of the entries that are being processed
    key_word* next_keys;  // of the entries for the next round
    uint32* far;
    uint64 room;          // entries that fit in the queue
    uint64 peak;          // entries of the largest round since the bound moved
    uint32 usual;         // entries that a warp usually processes together
    near_far_state& state;

    __device__ near_far(enactor& run, const Key* values, const graph_slice& g)
        : values(values), keys(run.slice.keys[0]), next_keys(run.slice.keys[1]), far(marks_of(run)),
          room(g.num_vertices), peak(0), usual(32), state(run.shared.near_far) {
        while (usual > 1 && usual * g.num_edges > 16 * g.num_vertices) { usual /= 2; }
        if (threadIdx.x == 0) {
            state = near_far_state();
            state.bound = ~key_word(0);
        }
    }

    __device__ __forceinline__ static key_word rank(Key value) { return Falls ? word(~rank_word(value)) : rank_word(value); }
    __device__ __forceinline__ key_word rank_now(vertex v) const { return rank(load_now(&values[v])); }
    __device__ __forceinline__ void put_off(vertex v) const { atomicOr_grid(&far[v / 32], 1u << (v % 32)); }

    // For `push_small_frontier`: the rank with which a member was found, whether it still has that rank, and whether an
    // accepted vertex is near.
    __device__ __forceinline__ key_word rank_of_member(uint64 place) const { return keys[place]; }
    __device__ __forceinline__ bool counts(vertex v, key_word key) const { return rank_now(v) == key; }
    __device__ __forceinline__ bool keeps(bool accepted, vertex v, key_word key) const {
        const bool near = accepted && key >= state.bound;
        if (accepted && !near) { put_off(v); }
        return near;
    }
    __device__ __forceinline__ void end_round(uint64 edges) const {
        state.rounds += 1;
        state.edges += edges;
    }

    __device__ __forceinline__ static float64 number(key_word rank) {
        return ranked_number(Falls ? word(~word(rank)) : word(rank), Key());
    }
    // The rank of the value that is farther by `width`, or `from` if there is no such value.
    __device__ __forceinline__ static key_word behind(key_word from, float64 width) {
        const float64 end = number(from) + (Falls ? width : -width);
        if (!(end == end)) { return from; }
        return min(from, rank(nearest_number(end, Key())));
    }
};

// piece: end_entries
// The barrier after which the new entries can be visited. `visited` is the number of edges that this thread has visited.
// Blocks sum these numbers first: atomic additions by many warps would delay the warps that append entries.
// barriers: 1, publishes accepted
template <class Order>
__device__ __forceinline__ void end_entries(enactor& run, frontier& result, Order& order, uint64 visited) {
    const operator_counters* const counters = run.counters();
    visited = warp_sum(visited);
    if (lane_index() == 0 && visited > 0) { atomicAdd(&order.state.visited, visited); }
    __syncthreads();
    if (threadIdx.x == 0 && order.state.visited > 0) {
        atomicAdd_grid(&run.counters()->visited, order.state.visited);
        order.state.visited = 0;
    }
    synchronize_then(run, [&] {
        const uint64 found = load_relaxed(&counters->accepted), edges = load_relaxed(&counters->visited);
        const bool spilled = load_relaxed(&counters->spilled) != 0;
        run.shared.value = found;
        order.state.rounds += 1;
        order.state.edges += edges;
        order.state.spilled |= spilled;
    });
    result.queued = true;
    result.mapped = false;
    result.size = min(run.shared.value, order.room);
    order.peak = max(order.peak, result.size);
    exchange(order.keys, order.next_keys);
}

// piece: hold_visited
// Adds the edges that a warp has visited to those of its block, which `are_entries_ended` adds up.
template <class Order>
__device__ __forceinline__ void hold_visited(Order& order, uint64 visited) {
    visited = warp_sum(visited);
    if (lane_index() == 0 && visited > 0) { atomicAdd(&order.state.visited, visited); }
}

// piece: are_entries_ended
// Appends what `out` holds; then the new entries can be visited. False if chunks of long lists have to be visited first,
// which is looked for while it `looks`: before anything is appended where the last pass has met chunks.
// barriers: 1, publishes chunks, accepted
template <class Order, class Out>
__device__ __forceinline__ bool are_entries_ended(enactor& run, frontier& result, Order& order, Out& out, bool& looks) {
    const bool expects = looks && run.shared.chunks != 0;
    if (!expects) { out.flush(); }
    operator_counters* const counters = run.counters();
    __syncthreads();
    if (threadIdx.x == 0 && order.state.visited > 0) {
        atomicAdd_grid(&counters->visited, order.state.visited);
        order.state.visited = 0;
    }
    synchronize_then(run, [&] {
        const uint64 found = load_relaxed(&counters->accepted), edges = load_relaxed(&counters->visited);
        const uint64 chunks = load_relaxed(&counters->hubs);
        const bool spilled = load_relaxed(&counters->spilled) != 0;
        run.shared.value = found;
        run.shared.chunks = chunks;
        if (expects || (looks && chunks != 0)) { return; }
        order.state.rounds += 1;
        order.state.edges += edges;
        order.state.spilled |= spilled;
    });
    const bool ended = !expects && (!looks || run.shared.chunks == 0);
    looks = false;
    if (!ended) { return false; }
    result.queued = true;
    result.mapped = false;
    result.size = min(run.shared.value, order.room);
    order.peak = max(order.peak, result.size);
    exchange(order.keys, order.next_keys);
    return true;
}

// piece: entry_collector
// Gathers a warp's near vertices in shared memory, with the ranks of their values, and appends them to the result
// STAGED at a time. Far vertices, and those that do not fit, are put off.
template <class Order>
struct entry_collector {
    enactor& run;
    frontier& result;
    Order& order;
    vertex* const staged;
    key_word* const staged_keys;
    key_word* const keys;
    const uint64 occupied;  // places that already have entries
    const key_word bound;
    uint32 count;  // staged so far, the same for the whole warp

    __device__ entry_collector(enactor& run, frontier& result, Order& order, key_word* keys, uint64 occupied)
        : run(run), result(result), order(order), staged(run.shared.staged[threadIdx.x / 32]),
          staged_keys(run.shared.staged_keys[threadIdx.x / 32]), keys(keys), occupied(occupied), bound(order.state.bound), count(0) {}

    // The whole warp calls; each lane may bring a vertex.
    __device__ __forceinline__ void append(bool accepted, vertex v, key_word key) {
        const bool near = accepted && key >= bound;
        if (accepted && !near) { order.put_off(v); }
        const uint32 votes = __ballot_sync(FULL_WARP, near);
        if (votes == 0) { return; }
        if (near) {
            const uint32 at = count + __popc(votes & ((1u << lane_index()) - 1));
            staged[at] = v;
            staged_keys[at] = key;
        }
        count += __popc(votes);
        if (count >= STAGED) { write(STAGED); }
    }
    __device__ __forceinline__ void flush() {
        if (count > 0) { write(count); }
    }
    __device__ __forceinline__ void write(uint32 amount) {
        __syncwarp(FULL_WARP);
        const uint32 lane = lane_index();
        uint64 at = lane == 0 ? atomicAdd_grid(&run.counters()->accepted, uint64(amount)) : 0;
        at = occupied + __shfl_sync(FULL_WARP, at, 0);
        for (uint32 i = lane; i < amount; i += 32) {
            if (at + i < order.room) {
                result.queue[at + i] = staged[i];
                keys[at + i] = staged_keys[i];
            } else {
                order.put_off(staged[i]);
                atomicOr_grid(&run.counters()->spilled, 1ull);
            }
        }
        const vertex rest = staged[amount + lane];
        const key_word rest_key = staged_keys[amount + lane];
        __syncwarp(FULL_WARP);
        if (amount == STAGED) {
            staged[lane] = rest;
            staged_keys[lane] = rest_key;
        }
        count -= amount;
        __syncwarp(FULL_WARP);
    }
};

// piece: put_off_all
// Makes all members of a set far, before the first round.
// barriers: 1 to 2
template <class Order>
__device__ __forceinline__ void put_off_all(enactor& run, Order& order, frontier& f, uint64 num_vertices) {
    need_queue(run, f, num_vertices);
    for (uint64 i = thread_index(); i < f.size; i += grid_threads()) { order.put_off(f.queue[i]); }
    synchronize(run);
    f.queue = f.room;
    f.size = 0;
    f.mapped = false;
}

// piece: adapt_width
// Searches for the width with which the bound moves fastest, given the speed of the last one: doubles it while that is
// faster, then moves back and forth in smaller steps. The cost of a round is its edges plus ROUND_EDGES for each warp;
// that of a scan is its `words` plus as much. With more than WIDE_ROUND edges for each warp, smaller rounds are less
// work.
__device__ __forceinline__ void adapt_width(near_far_state& state, uint64 words) {
    const float64 warps = float64(grid_warps()), edges = float64(state.edges);
    const float64 steps = warps * float64(state.rounds + 1) * ROUND_EDGES;
    const float64 speed = state.width / (steps + edges + float64(words / 8));
    if (edges > warps * float64(state.rounds) * WIDE_ROUND) {
        state.factor = 0.5;
    } else if (speed < state.speed) {
        state.factor = state.factor > 1 ? 1 / 1.4 : 1.4;
    }
    state.speed = speed;
    state.width *= state.factor;
}

// piece: move_bound
// Moves the bound beyond the former one or, if that scan found nothing, beyond the nearest value. The first width is
// the distance between the two.
template <class Order>
__device__ __forceinline__ void move_bound(Order& order) {
    near_far_state& state = order.state;
    if (!state.looked) { return; }
    if (state.missed && !(state.width > 0)) {
        const float64 gap = absolute(order.number(state.nearest) - order.number(state.bound));
        state.width = gap < FLOAT64_INF ? gap : 0;
        state.factor = 2;
    } else if (state.width > 0 && state.rounds > 0) {
        adapt_width(state, order.room / 32);
    }
    state.rounds = 0;
    state.edges = 0;
    state.former = state.bound;
    state.bound = order.behind(state.missed ? state.nearest : state.bound, state.width);
}

// piece: look_through
// Moves to `out` the far vertices that are near now, and removes those that were near before. The bits of a warp's
// words are shared evenly among its lanes, since far vertices are close together. The whole grid calls.
template <class Order, class Out>
__device__ __forceinline__ void look_through(enactor& run, Order& order, Out& out, uint64 num_vertices) {
    const near_far_state& state = order.state;
    const bool was_near = state.looked && !state.spilled;  // vertices within the former bound already have entries
    const key_word bound = state.bound, former = state.former;
    const uint64 words = (num_vertices + 31) / 32, stride = grid_warps() * 32;
    const uint32 lane = lane_index();
    uint64 nearest = 0;
    uint32 seen = 0;
    for (uint64 begin = warp_index() * 32; begin < words; begin += FAR_WORDS * stride) {
        uint32 rest[FAR_WORDS];  // all loads are in flight before the first is used
        side_by_side<FAR_WORDS>([&](uint32 k) {
            const uint64 own = begin + k * stride + lane;
            rest[k] = own < words ? load_relaxed(&order.far[own]) : 0;
        });
#pragma unroll 1
        for (uint32 k = 0; k < FAR_WORDS; ++k) {
            const uint32 own = __popc(rest[0]), inclusive = warp_inclusive_sum(own);
            const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
            row_owners owners(own, inclusive);
            for (uint32 start = 0; start < total; start += 32) {
                const uint32 item = start + lane, owner = owners.in_row(start);
                const bool member = item < total;
                const uint32 bits = __shfl_sync(FULL_WARP, rest[0], owner);
                const uint32 place = nth_bit(bits, item - __shfl_sync(FULL_WARP, inclusive - own, owner));
                const uint64 word = begin + k * stride + owner;
                const vertex v = member ? vertex(word * 32 + place) : vertex(0);
                const key_word key = order.rank_now(v);
                const bool near = member && key >= bound, found = near && !(was_near && key >= former);
                if (near) {
                    atomicAnd_grid(&order.far[word], ~(1u << place));
                } else if (member) {
                    nearest = max(nearest, uint64(key));
                }
                seen |= found ? FOUND_NEAR : member && !near ? STILL_FAR : 0;
                out.append(found, v, key);
            }
            side_by_side<FAR_WORDS - 1>([&](uint32 i) { rest[i] = rest[i + 1]; });
        }
    }
    seen = or_of_warp(seen);
    for (uint32 step = 16; step > 0; step /= 2) {
        nearest = max(nearest, uint64(__shfl_xor_sync(FULL_WARP, nearest, step)));
    }
    if (lane == 0 && seen != 0) {
        atomicMax_grid(&run.counters()->nearest, nearest);
        atomicOr_grid(&run.counters()->seen, uint64(seen));
    }
}

// piece: STILL_FAR FOUND_NEAR FAR_WORDS
// Flags of a scan's result, and the number of words that a lane loads at a time.
constexpr uint32 STILL_FAR = 1, FOUND_NEAR = 2, FAR_WORDS = 4;

// piece: find_near
// Provides entries to visit. It moves the bound once a round has become much smaller than the largest one, because a
// round of few entries takes as long as one of many. False if no entries are left or the run is stopped.
// barriers: some if few members are left
template <class Order, class Listed>
__device__ __forceinline__ bool find_near(enactor& run, Order& order, Listed& set, frontier& f, uint64 num_vertices) {
    while (!run.stopped && f.size <= order.peak / THIN_ROUND) {
        if (threadIdx.x == 0) { move_bound(order); }
        __syncthreads();
        begin_operator(run);
        const uint64 occupied = set.holds ? 0 : f.size;
        entry_collector out(run, f, order, order.keys, occupied);
        if (set.holds) { carry_over(set, out); }
        look_through(run, order, out, num_vertices);
        out.flush();
        const operator_counters* const counters = run.counters();
        synchronize_then(run, [&] {
            const uint64 accepted = load_relaxed(&counters->accepted), nearest = load_relaxed(&counters->nearest);
            const uint64 seen = load_relaxed(&counters->seen), spilled = load_relaxed(&counters->spilled);
            run.shared.value = accepted;
            order.state.left = (seen & STILL_FAR) != 0;
            order.state.nearest = key_word(nearest);
            order.state.looked = true;
            order.state.missed = seen == STILL_FAR;
            order.state.spilled = spilled != 0;
        });
        const uint64 found = run.shared.value;
        const bool left = order.state.left;
        run.operators += 1;
        f.size = min(occupied + found, order.room);
        order.peak = f.size;
        if (f.size == 0 && !left) { return false; }
        if (f.size > 0) { break; }
    }
    return !run.stopped;
}

// piece: entries entries_of
// The entries of an ordered worklist's queue.
template <class Order>
struct entries {
    const vertex* queue;
    uint64 size;
    const Order& order;
};
template <class Order>
__device__ __forceinline__ entries<Order> entries_of(const frontier& f, const Order& order) {
    return entries<Order>{f.queue, f.size, order};
}

// piece: push_entries
// Visits the edges of the entries, except those whose vertices have newer values. Returns the number of edges of the
// entries that this thread visited.
template <class Order, class Lists, class Visit>
__device__ __forceinline__ uint64 push_entries(enactor& run, const entries<Order>& members, const Lists& lists, Visit visit) {
    const uint64 size = members.size, warps = grid_warps();
    const uint32 width = max(members_per_warp(size), members.order.usual);
    const uint32 lane = lane_index();
    uint64 visited = 0;
    for (uint64 base = turn_base(size, width); base < size; base += warps * width) {
        const bool has_member = lane < width && base + lane < size;
        const uint64 place = has_member ? base + lane : base;  // without a branch, so that all loads overlap
        const vertex near = members.queue[place];
        const key_word key = members.order.keys[place], now = members.order.rank_now(near);
        const edge first = lists.first(near), last = lists.last(near);
        const bool counts = has_member && key == now;
        const edge degree = counts ? last - first : edge(0);
        visited += counts ? lists.degree(near) : edge(0);
        const bool hub = degree >= HUB_DEGREE;
        defer_list(run, hub, near, first, last);
        visit_row_pairs(lists, near, first, hub ? 0 : uint32(degree), visit);
    }
    return visited;
}
