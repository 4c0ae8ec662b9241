// piece: ONE_MEMBER ONE_ARRIVAL ARRIVED LEAVE TALLIED
// A word in which the threads of an operator count places (24 bits), members (24 bits) and arrived blocks (15 bits).
// Its highest bit requests a stop. A thread that sees the last block arrive has read the complete counts.
constexpr uint64 ONE_MEMBER = 1ull << 24, ONE_ARRIVAL = 1ull << 48, LEAVE = 1ull << 63;
constexpr uint64 TALLIED = ONE_MEMBER - 1, ARRIVED = LEAVE - ONE_ARRIVAL;

// piece: synchronize_and_tally
// A barrier at which blocks arrive at such a word, and add the members that their threads have counted in shared
// memory. Returns the word to all threads. One thread of each block runs `then(word)` after it.
template <class Then>
__device__ __forceinline__ uint64 synchronize_and_tally(enactor& run, uint64* word, Then then) {
    __syncthreads();
    if (waits_for_others()) {
        block_storage& shared = run.shared;
        const bool leads = block_index() == 0;
        uint64 own = ONE_ARRIVAL + ONE_MEMBER * shared.members, others = 0;
        shared.members = 0;
        if (leads) {
            shared.waited -= poll_host(shared, run.control, run.slice.host_stop);
            if (shared.stop_requested && !run.stopped) { own += LEAVE; }
            others = load_relaxed(&run.control->arrived);  // may hold a stop request, passed on at the next barrier
        }
        arrive_with(word, own);
        const uint64 tallied = wait_for_field(word, ARRIVED, ONE_ARRIVAL * block_count());
        if (leads) {
            shared.waited += cycles();
            shared.stop_requested = (others & STOP_REQUEST) != 0;
        }
        leave_barrier(shared, shared.barriers, (tallied & LEAVE) != 0, [&] {
            shared.value = tallied;
            then(tallied);
        });
    }
    __syncthreads();
    run.stopped |= run.shared.stopped;
    return run.shared.value;
}

// piece: small_frontier small_frontier_of
// A small frontier as a list: its members with their neighbor lists, as `push_small_frontier` leaves it. Places without
// an accepted vertex have NO_VERTEX.
struct small_frontier {
    small_frontier_member* now;   // the members
    small_frontier_member* next;  // the members of the result
    uint64 places;
    bool holds;           // whether the members are here, not in the frontier's queue
};
__device__ __forceinline__ small_frontier small_frontier_of(enactor& run) {
    share(run.shared.members, 0u);
    return small_frontier{run.slice.listed[0], run.slice.listed[1], 0, false};
}

// piece: fits_small_frontier
// Whether a set of `size` members is small for the grid: judging by the average degree, the grid has a thread for each
// of their edges, and no list is cut into chunks.
__device__ __forceinline__ bool fits_small_frontier(uint64 size, const graph_slice& g) {
    const uint64 most = size * uint64(g.largest_degree), vertices = uint64(g.num_vertices);
    return g.largest_degree < int64(HUB_DEGREE) && most <= LISTED_PLACES && most <= vertices
        && size * uint64(g.num_edges) <= LISTED_EDGES * grid_threads() * vertices;
}

// piece: each_small_frontier_member
// Calls `visit(active, member)` for all places, with whole warps.
template <class Visit>
__device__ __forceinline__ void each_small_frontier_member(const small_frontier& set, Visit visit) {
    for (uint64 base = warp_index() * 32; base < set.places; base += grid_warps() * 32) {
        const uint64 place = base + lane_index();
        const small_frontier_member member = set.now[place < set.places ? place : base];
        visit(place < set.places && member.id != NO_VERTEX, member);
    }
}

// piece: unordered_worklist
// The policy of `push_small_frontier` for a worklist without an order: all members count, and all accepted vertices are
// kept.
struct unordered_worklist {
    __device__ __forceinline__ key_word rank_of_member(uint64) const { return 0; }
    __device__ __forceinline__ bool counts(vertex, key_word) const { return true; }
    __device__ __forceinline__ bool keeps(bool accepted, vertex, key_word) const { return accepted; }
    __device__ __forceinline__ void end_round(uint64) const {}
};

// piece: push_small_frontier
// Visits the edges of few members, where latency dominates. Each edge has a place in the result before it is known
// whether its end is accepted, and the lists of all ends are looked up meanwhile. So a level takes three memory
// accesses and a barrier, which also publishes the size of the result. Calls `visit(active, near, far, e, key)`, which
// returns whether `far` is accepted, and sets its key; calls `fetch(v, first, last)` for accepted vertices. Returns the
// number of edges.
// barriers: 1
template <class Order, class Lists, class Visit, class Fetch>
__device__ __forceinline__ uint64 push_small_frontier(enactor& run, small_frontier& set, const frontier& input, frontier& result,
                                              const Order& order, const Lists& lists, Visit visit, Fetch fetch) {
    uint64* const word = &run.counters()->accepted;
    const uint32 size = uint32(set.holds ? set.places : input.size), warps = uint32(grid_warps());
    const uint32 lane = lane_index(), width = min(32u, (size + warps - 1) / warps);
    uint32 members = 0;
    for (uint32 base = uint32(warp_index()) * width; base < size; base += warps * width) {
        const bool has_member = lane < width && base + lane < size;
        small_frontier_member member = {};
        if (set.holds) {
            if (has_member) { member = set.now[base + lane]; }
        } else if (has_member) {
            const vertex v = input.queue[base + lane];
            const edge first = lists.first(v);
            member = small_frontier_member{v, first, uint32(lists.last(v) - first), order.rank_of_member(base + lane)};
        }
        const uint32 own = member.degree > 0 && order.counts(member.id, member.key) ? member.degree : 0;
        const uint32 inclusive = warp_inclusive_sum(own);
        const uint32 total = __shfl_sync(FULL_WARP, inclusive, 31);
        const uint64 before = lane == 0 && total > 0 ? atomicAdd_grid(word, uint64(total)) : 0;
        row_owners owners(own, inclusive);
        for (uint32 start = 0; start < total; start += 32) {
            const uint32 item = start + lane, owner = owners.in_row(start);
            const bool active = item < total;
            const edge at = __shfl_sync(FULL_WARP, member.first, owner)
                + (item - __shfl_sync(FULL_WARP, inclusive - own, owner));
            const vertex near = vertex(__shfl_sync(FULL_WARP, member.id, owner));
            const vertex far = active ? lists.neighbor(at) : vertex(0);
            const edge first = lists.first(far), last = lists.last(far);
            key_word key = 0;
            const bool changed = visit(active, near, far, at, key), accepted = order.keeps(changed, far, key);
            const uint64 place = (__shfl_sync(FULL_WARP, before, 0) & TALLIED) + item;
            const uint32 degree = accepted ? uint32(last - first) : 0;
            if (active) { set.next[place] = small_frontier_member{accepted ? far : NO_VERTEX, first, degree, key}; }
            if (accepted) { fetch(far, first, last); }
            members += __popc(__ballot_sync(FULL_WARP, accepted));
        }
    }
    if (lane == 0 && members > 0) { atomicAdd(&run.shared.members, members); }
    const uint64 tallied = synchronize_and_tally(run, word, [&](uint64 tallied) { order.end_round(tallied & TALLIED); });
    exchange(set.now, set.next);
    set.places = tallied & TALLIED;
    set.holds = true;
    result.queue = result.room;
    result.size = (tallied / ONE_MEMBER) & TALLIED;
    result.queued = true;
    result.mapped = false;
    return set.places;
}

// piece: write_queue
// Writes the members to the queue of `f` and counts their edges.
// barriers: 1
template <class Counted>
__device__ __forceinline__ void write_queue(enactor& run, small_frontier& set, frontier& f, const Counted counted) {
    begin_operator(run);
    collector out(run, f, counted);
    each_small_frontier_member(set, [&](bool active, const small_frontier_member& member) { out.append(active, member.id); });
    out.flush();
    end_queue(run, f);
    run.operators += 1;
    set.holds = false;
}

// piece: write_entries
// Writes the members of an ordered worklist as entries.
// barriers: 1
template <class Order>
__device__ __forceinline__ void write_entries(enactor& run, small_frontier& set, frontier& f, Order& order) {
    begin_operator(run);
    entry_collector out(run, f, order, order.keys, 0);
    carry_over(set, out);
    out.flush();
    f.size = synchronize_and_read(run, &run.counters()->accepted);
    run.operators += 1;
}

// piece: carry_over for small_frontier
// Carries all members over as entries. The whole grid must call it.
template <class Out>
__device__ __forceinline__ void carry_over(small_frontier& set, Out& out) {
    each_small_frontier_member(set, [&](bool active, const small_frontier_member& member) { out.append(active, member.id, member.key); });
    set.holds = false;
}
