// piece: poll_host
// Asks the host now and then whether to stop: all teams together as often as the one team of a run that has all blocks.
// What is asked for over the bus by many at once makes all wait.
__device__ __forceinline__ uint64 poll_host(enactor& run) {
    const uint64 now = cycles();
    if (now - run.shared.polled_at >= 200000ull * gridDim.y) {
        run.shared.polled_at = now;
        if (read_host_flag(run.slice.host_stop) != 0) { request_stop(run.control); }
    }
    return now;
}

// piece: synchronize
// Waits until every block of the team is here; what any thread of it wrote before is seen by all after.
//
// All leave a stopped run at the same barrier: the leader passes a request on with its next arrival, in the bit of that
// barrier's parity, since it may be one barrier ahead of those who still read the word, but never two. A team of one
// block has nobody to wait for.
//
// `then` is what the first thread of each block does behind the barrier, before its block goes on.
template <class Then>
__device__ __forceinline__ void synchronize(enactor& run, Then then) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint64 barriers = run.shared.barriers, stop = barriers % 2 == 0 ? STOP_EVEN : STOP_ODD;
        uint64 found = 0;
        if (gridDim.x == 1) {
            poll_host(run);
            found = (load_relaxed(&run.control->arrived) & STOP_REQUEST) != 0 ? stop : 0;
        } else {
            __threadfence();
            if (blockIdx.x == 0) {
                poll_host(run);
                const bool passes_on = run.shared.stop_requested && !run.stopped;
                const uint64 before = atomicAdd(&run.control->arrived, passes_on ? stop + 1 : 1ull);
                run.shared.stop_requested = (before & STOP_REQUEST) != 0;
            } else {
                atomicAdd(&run.control->arrived, 1ull);
            }
            found = wait_for_arrivals(&run.control->arrived, (barriers + 1) * gridDim.x);
        }
        const bool owed = run.shared.owed.due(false);
        const uint64 edges = owed ? run.shared.owed.edges() : 0;  // together with what `then` reads
        run.shared.stopped = (found & stop) != 0;
        run.shared.barriers = barriers + 1;
        then();
        if (owed) { run.shared.owed.tell(edges); }
    }
    __syncthreads();
    run.stopped |= run.shared.stopped;
}
__device__ __forceinline__ void synchronize(enactor& run) {
    synchronize(run, [] {});
}

// piece: move
template <class T>
__device__ __forceinline__ void move(T*& x, uint64 bytes) { x = reinterpret_cast<T*>(reinterpret_cast<uint64>(x) + bytes); }

// piece: next_value
// The run with a value is over: all blocks of the team learn which it takes next.
__device__ __forceinline__ uint64 next_value(enactor& run, const batch_slice& batch) {
    if (leader()) { run.control->answer = int64(atomicAdd(batch.next, 1ull)); }
    synchronize(run, [&] { run.shared.next_value = uint64(load_relaxed(&run.control->answer)); });
    return run.stopped ? leave_batch(run, batch) : run.shared.next_value;
}

// piece: leave_batch
// The run was stopped: no team takes another value. Those before this one have been taken, and end.
__device__ __forceinline__ uint64 leave_batch(enactor& run, const batch_slice& batch) {
    if (leader()) { atomicMax(batch.next, ARRIVALS); }
    return ARRIVALS;
}

// piece: vertices_with_edges
// Behind so many vertices none has an edge: in the order of degrees these are all that have none. Ends of lists ascend.
template <class Lists>
__device__ __forceinline__ uint64 vertices_with_edges(const Lists& lists, uint64 num_vertices) {
    uint64 low = 0, high = num_vertices;
    const edge all = num_vertices > 0 ? lists.last(vertex(num_vertices - 1)) : edge(0);
    while (low < high) {
        const uint64 middle = low + (high - low) / 2;
        if (lists.first(vertex(middle)) < all) { low = middle + 1; } else { high = middle; }
    }
    return low;
}

// piece: pulled_vertex
// What a thread knows of a vertex that may still be reached: its list, as far as it is looked at, whether that is long,
// and its first neighbour.
struct pulled_vertex {
    bool selected, hub, found;
    edge at, end, last;
    vertex near;
};

// piece: pull_warps
// As where a run has the whole device, but for what makes little memory of many wait: of WORDS_AT_ONCE vertices a thread
// looks at the same time whether they may still be reached, where their lists lie, and at their first neighbours. Those
// behind the last one that has an edge are passed over.
template <bool closes, class Members, class Lists, class Select, class Visit, class Out>
__device__ __forceinline__ void pull_warps(enactor& run, uint64 num_vertices, const Members& members, const Lists& lists,
                                           Select select, Visit visit, Out& out) {
    const uint64 known = vertices_with_edges(lists, num_vertices);
    for (uint64 first = warp_index(); first * 32 < num_vertices; first += WORDS_AT_ONCE * grid_warps()) {
        pulled_vertex rows[WORDS_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const uint64 id = (first + k * grid_warps()) * 32 + lane_index();
            rows[k].selected = id < known && select(vertex(id));
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const vertex far = vertex((first + k * grid_warps()) * 32 + lane_index());
            rows[k].at = rows[k].selected ? lists.first(far) : edge(0);
            rows[k].last = rows[k].selected ? lists.last(far) : edge(0);
            rows[k].hub = rows[k].last - rows[k].at >= HUB_DEGREE;
            rows[k].end = !rows[k].hub ? rows[k].last : closes ? rows[k].at + PULL_PREFIX : rows[k].at;
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            rows[k].near = rows[k].at < rows[k].end ? lists.neighbor(rows[k].at) : vertex(0);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            rows[k].found = rows[k].at < rows[k].end && members.contains(rows[k].near);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const uint64 word = first + k * grid_warps();
            if (word * 32 < num_vertices) {
                const vertex far = vertex(word * 32 + lane_index());
                bool closed = false;
                edge at = rows[k].at;
                bool accepted = rows[k].found && visit(rows[k].near, far, at);
                if (rows[k].found) { closed = closes && !select(far); }
                at += at < rows[k].end ? 1 : 0;
                accepted |= pull_rest<closes>(members, lists, select, visit, far, at, rows[k].end, closed);
                out.put(word, accepted, far);
                defer_list(run, rows[k].hub && !closed, far, at, rows[k].last);
            }
        }
    }
}

// piece: pull_rest
// The neighbours from `at` to `end`, which `at` is afterwards, unless the vertex is closed before.
template <bool closes, class Members, class Lists, class Select, class Visit>
__device__ __forceinline__ bool pull_rest(const Members& members, const Lists& lists, Select select, Visit visit, vertex far,
                                          edge& at, edge end, bool& closed) {
    bool accepted = false;
    while (at < end && !closed) {
        const edge left = end - at;
        vertex near[PULLED_AT_ONCE];
#pragma unroll
        for (uint32 i = 0; i < PULLED_AT_ONCE; ++i) { near[i] = i < left ? lists.neighbor(at + i) : vertex(0); }
        uint32 found = 0;
#pragma unroll
        for (uint32 i = 0; i < PULLED_AT_ONCE; ++i) { found |= i < left && members.contains(near[i]) ? 1u << i : 0u; }
        for (; found != 0 && !closed; found &= found - 1) {
            const edge place = at + (__ffs(found) - 1);
            accepted |= visit(lists.neighbor(place), far, place);
            closed = closes && !select(far);
        }
        at += minimum(left, edge(PULLED_AT_ONCE));
    }
    return accepted;
}
