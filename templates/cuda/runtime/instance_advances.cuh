// piece: found_instances
// What an advance has found, as a set.
struct found_instances {
    const uint64* words;
    __device__ __forceinline__ instance_word operator[](uint64 i) const { return words[i]; }
};

// piece: keep_found
// Of what an advance has found in the active instances the accepted ones, or all, become `set`, once the two have changed
// places.
template <bool all>
struct keep_found {
    enactor& run;
    const instance_set& set;
    uint64* found;
    __device__ __forceinline__ instance_word keep(uint64 i, instance_word accepted, instance_word active) const {
        const instance_word others = ~active != 0 ? set.words[i] & ~active : 0;
        if (!all || others != 0) { found[i] = accepted | others; }
        set.words[i] = 0;
        return accepted | others;
    }
    __device__ __forceinline__ void note(uint32 w, instance_word any) const { note_word(run, w, any); }
};

// piece: instance_visits
// What a run of instances has done so far: visits of edges, and for how many instances.
struct instance_visits {
    uint64 visited, served;
};

// piece: add_of_warp
__device__ __forceinline__ void add_of_warp(uint64* total, uint64 own) {
    const uint64 all = warp_sum(own);
    if (lane_index() == 0 && all != 0) { atomicAdd_grid(total, all); }
}

// piece: count_instance_visits
// Counts the edges of all members, for how many instances each will be visited, and the edges into vertices that are
// open. A walk over words, too, counts as visits.
// barriers: 1
template <class Members, class Lists, class Back, class FarTest>
__device__ __forceinline__ const instance_counts* count_instance_visits(enactor& run, instance_visits& visits, const Members& members,
                                                                        uint64 num_vertices, const Lists& lists, const Back& back,
                                                                        instance_word active, FarTest far_test) {
    uint64 edges = 0, served = 0, open = 0;
    const uint64 words = num_vertices * INSTANCE_WORDS;
    for (uint64 base = warp_index() * 32 * WORDS_AT_ONCE; base < words; base += grid_warps() * 32 * WORDS_AT_ONCE) {
        instance_word word[WORDS_AT_ONCE], wanted[WORDS_AT_ONCE];
        edge forward[WORDS_AT_ONCE], backward[WORDS_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            const uint64 i = base + 32 * k + lane_index();
            const vertex v = vertex(i < words ? i / INSTANCE_WORDS : 0);
            word[k] = i < words ? members[i] & active : 0;
            wanted[k] = i < words ? far_test(v) & active : 0;
            forward[k] = lists.degree(v);
            backward[k] = back.degree(v);
        }
#pragma unroll
        for (uint32 k = 0; k < WORDS_AT_ONCE; ++k) {
            served += uint64(forward[k]) * __popcll(word[k]);
            const uint32 some = __ballot_sync(FULL_WARP, word[k] != 0), open_in_some = __ballot_sync(FULL_WARP, wanted[k] != 0);
            if (own_word() == 0 && (some & words_lanes()) != 0) { edges += forward[k]; }
            if (own_word() == 0 && (open_in_some & words_lanes()) != 0) { open += backward[k]; }
        }
    }
    add_of_warp(&own_counts(run)->edges, edges);
    add_of_warp(&own_counts(run)->served, served);
    add_of_warp(&own_counts(run)->open, open);
    const instance_counts* const counts = end_counts(run);
    visits.visited += load_relaxed(&counts->edges) + num_vertices / 16;
    visits.served += load_relaxed(&counts->served);
    return counts;
}

// piece: in_neighbors
// The in-lists without the ids of their edges.
struct in_neighbors : in_lists {
    __device__ __forceinline__ edge id(edge) const { return 0; }
};

// piece: no_lists
struct no_lists {
    __device__ __forceinline__ edge degree(vertex) const { return 0; }
};

// piece: defer_chunks
// A long list is left to all warps, in chunks.
__device__ __forceinline__ void defer_chunks(enactor& run, vertex v, edge first, edge last) {
    uint64 at = atomicAdd_grid(&own_counts(run)->chunks, uint64((last - first + HUB_CHUNK - 1) / HUB_CHUNK));
    for (; first < last; first += HUB_CHUNK) {
        run.slice.hubs[at] = hub_chunk{v, first, min(last, edge(first + HUB_CHUNK))};
        at += 1;
    }
}

// piece: found_at_edges
// Where a walk notes the instances that reach a vertex: `closing` has the words of the test that then no longer holds,
// `next` those of the set that is found. Either may be null.
struct found_at_edges {
    uint64 *closing, *next;

    // Of several threads that find the same instances at a vertex only the first does.
    __device__ __forceinline__ void add(vertex far, instance_word instances) const {
        const uint64 i = uint64(far) * INSTANCE_WORDS + own_word();
        if (closing != nullptr) { instances = close_instances(&closing[i], instances); }
        if (next != nullptr) { add_instances(&next[i], instances); }
    }
    // No other thread has this word.
    __device__ __forceinline__ void add_alone(vertex far, instance_word instances) const {
        const uint64 i = uint64(far) * INSTANCE_WORDS + own_word();
        closing[i] &= ~instances;
        next[i] = instances;
    }
};

// piece: push_part
// Visits the edges from `first` to `last`, each `step`-th of them, of a member in the instances of the own word `from`.
template <class Lists, class FarTest, class Shared>
__device__ __forceinline__ void push_part(vertex near, edge first, edge last, edge step, instance_word from, const Lists& lists,
                                          FarTest far_test, Shared shared, const found_at_edges& found) {
    for (edge at = first; at < last; at += PULLED_AT_ONCE * step) {
        vertex far[PULLED_AT_ONCE];
        instance_word instances[PULLED_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) { far[k] = at + k * step < last ? lists.neighbor(at + k * step) : vertex(0); }
#pragma unroll
        for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) { instances[k] = at + k * step < last && from != 0 ? from & far_test(far[k]) : 0; }
#pragma unroll
        for (uint32 k = 0; k < PULLED_AT_ONCE; ++k) {
            if (instances[k] != 0 && shared(near, far[k], lists.id(at + k * step))) { found.add(far[k], instances[k]); }
        }
    }
}

// piece: push_instances
// Visits the edges of every member once for all instances that have it: `near_test(near)` and `far_test(far)` say in
// which of the own word the ends pass their tests, `shared(near, far, e)` whether the edge passes those that are the
// same for all. The lanes of a vertex walk a list that is no longer than a warp, a warp a longer one, and all of them a
// long one.
// barriers: 1 if LongLists
template <class Members, class Lists, class NearTest, class FarTest, class Shared>
__device__ __forceinline__ void push_instances(enactor& run, const graph_slice& g, const Members& members, const Lists& lists,
                                               instance_word active, NearTest near_test, FarTest far_test, Shared shared,
                                               const found_at_edges found) {
    const uint64 num_vertices = uint64(g.num_vertices);
    const uint32 own_lanes = lane_index() / INSTANCE_WORDS;
    const auto push = [&](vertex near, edge first, edge last, edge step) {
        const instance_word from = members[uint64(near) * INSTANCE_WORDS + own_word()] & active & near_test(near);
        push_part(near, first, last, step, from, lists, far_test, shared, found);
    };
    publish_instances(run, active);
    for (uint64 base = warp_index() * 32; base < num_vertices; base += grid_warps() * 32) {
        const vertex v = vertex(base + lane_index());
        instance_word some = 0;
        if (base + lane_index() < num_vertices) {
            for (uint32 w = 0; w < INSTANCE_WORDS; ++w) { some |= members[uint64(v) * INSTANCE_WORDS + w] & run.shared.instances.among[w]; }
        }
        const edge first = some != 0 ? lists.first(v) : edge(0), last = some != 0 ? lists.last(v) : edge(0);
        const edge degree = last - first;
        if (__ballot_sync(FULL_WARP, degree != 0) == 0) { continue; }
        if (degree >= HUB_DEGREE) { defer_chunks(run, v, first, last); }
        for (uint32 rest = __ballot_sync(FULL_WARP, degree > 32 && degree < HUB_DEGREE); rest != 0; rest &= rest - 1) {
            const uint32 lane = uint32(__ffs(int32(rest)) - 1);
            push(vertex(base + lane), shuffle(first, lane) + own_lanes, shuffle(last, lane), 32 / INSTANCE_WORDS);
            __syncwarp();
        }
        const edge end = degree <= 32 && degree < HUB_DEGREE ? last : first;
        for (uint32 lane = own_lanes * INSTANCE_WORDS, behind = lane + INSTANCE_WORDS; lane < behind; ++lane) {
            const edge from = shuffle(first, lane), to = shuffle(end, lane);
            if (from < to) { push(vertex(base + lane), from, to, 1); }
            __syncwarp();
        }
    }
    if (uint64(g.largest_degree) < HUB_DEGREE) { return; }
    const uint64 chunks = load_relaxed(&end_counts(run)->chunks);
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) {
        const hub_chunk chunk = run.slice.hubs[i];
        push(chunk.vertex_id, chunk.first + own_lanes, chunk.last, 32 / INSTANCE_WORDS);
    }
}

// piece: pull_lists
// `LANES` lanes share a list: their own words of a vertex, which is open in `open`, look for members among the neighbors
// from `first` to `last`, until none is left. Each lane reads neighbors for the others, the next ones meanwhile. Returns
// those that are left, of which lanes that have looked at other neighbors know another part. All lanes of a warp must
// call it.
template <uint32 LANES, class Members, class Lists, class NearTest, class Shared>
__device__ __forceinline__ instance_word pull_lists(vertex far, edge first, edge last, instance_word open, const Members& members,
                                                    const Lists& lists, NearTest near_test, Shared shared) {
    constexpr uint32 READ = PULLED_AT_ONCE > INSTANCE_WORDS ? PULLED_AT_ONCE / INSTANCE_WORDS : 1;  // neighbors by each lane
    constexpr uint32 VISITED = READ * INSTANCE_WORDS, SIDE_BY_SIDE = LANES / INSTANCE_WORDS;
    const uint32 lane = lane_index() % LANES, first_lane = lane_index() - lane;
    const auto neighbor_at = [&](edge at) { return at < last ? lists.neighbor(at) : vertex(0); };
    vertex ids[READ];
#pragma unroll
    for (uint32 k = 0; k < READ; ++k) { ids[k] = neighbor_at(first + k * LANES + lane); }
    while (__ballot_sync(FULL_WARP, first < last && open != 0) != 0) {
        vertex next[READ], near[VISITED];
        instance_word from[VISITED];
        const auto place = [&](uint32 k) { return first + (k / INSTANCE_WORDS * LANES + k % INSTANCE_WORDS * SIDE_BY_SIDE + lane / INSTANCE_WORDS); };
#pragma unroll
        for (uint32 k = 0; k < READ; ++k) { next[k] = neighbor_at(first + (READ + k) * LANES + lane); }
#pragma unroll
        for (uint32 k = 0; k < VISITED; ++k) {  // reads anything rather than branches where there is no edge
            near[k] = shuffle(ids[k / INSTANCE_WORDS], first_lane + k % INSTANCE_WORDS * SIDE_BY_SIDE + lane / INSTANCE_WORDS);
            from[k] = members[uint64(open != 0 ? near[k] : vertex(0)) * INSTANCE_WORDS + own_word()];
        }
#pragma unroll
        for (uint32 k = 0; k < VISITED; ++k) {
            instance_word instances = place(k) < last ? open & from[k] : 0;
            if (instances != 0) { instances &= near_test(near[k]); }
            if (instances != 0 && shared(near[k], far, lists.id(place(k)))) { open &= ~instances; }
        }
#pragma unroll
        for (uint32 k = 0; k < READ; ++k) { ids[k] = next[k]; }
        first += READ * LANES;
    }
    return open;
}

// piece: pull_instances
// The same from the far ends, whose lists are walked until they have been reached in all instances that they are open
// in. The lanes of a vertex walk its list; a warp shares a chunk of a long one.
// barriers: 1 if LongLists
template <class Members, class Lists, class NearTest, class FarTest, class Shared>
__device__ __forceinline__ void pull_instances(enactor& run, const graph_slice& g, const Members& members, const Lists& lists,
                                               instance_word active, NearTest near_test, FarTest far_test, Shared shared,
                                               const found_at_edges found) {
    const uint64 words = uint64(g.num_vertices) * INSTANCE_WORDS;
    for (uint64 base = warp_index() * 32; base < words; base += grid_warps() * 32) {
        const uint64 i = base + lane_index();
        const vertex far = vertex(i / INSTANCE_WORDS);
        const instance_word open = i < words ? active & far_test(far) : 0;
        const uint32 wanted = __ballot_sync(FULL_WARP, open != 0);
        if (wanted == 0) { continue; }
        const bool is_wanted = (wanted & words_lanes()) != 0;
        const edge first = is_wanted ? lists.first(far) : edge(0), last = is_wanted ? lists.last(far) : edge(0);
        const bool is_long = last - first >= HUB_DEGREE;
        const edge end = is_long ? first + PULL_PREFIX : last;
        const instance_word left = pull_lists<INSTANCE_WORDS>(far, first, end, open, members, lists, near_test, shared);
        if (left != open) { found.add_alone(far, open & ~left); }
        const uint32 more = __ballot_sync(FULL_WARP, is_long && left != 0);
        if (own_word() == 0 && (more & words_lanes()) != 0) { defer_chunks(run, far, end, last); }
    }
    if (uint64(g.largest_degree) < HUB_DEGREE) { return; }
    const uint64 chunks = load_relaxed(&end_counts(run)->chunks);
    const auto chunk_at = [&](uint64 i) { return i < chunks ? run.slice.hubs[i] : hub_chunk{}; };
    const auto open_at = [&](const hub_chunk& chunk) { return chunk.first < chunk.last ? active & far_test(chunk.vertex_id) : 0; };
    hub_chunk chunk = chunk_at(warp_index()), following = chunk_at(warp_index() + grid_warps());
    instance_word open = open_at(chunk);
    for (uint64 i = warp_index(); i < chunks; i += grid_warps()) {  // what comes next is on its way meanwhile
        const hub_chunk after = chunk_at(i + 2 * grid_warps());
        const instance_word open_next = open_at(following);
        const instance_word left = pull_lists<32>(chunk.vertex_id, chunk.first, chunk.last, open, members, lists, near_test, shared);
        if (left != open) { found.add(chunk.vertex_id, open & ~left); }
        __syncwarp();
        chunk = following, following = after, open = open_next;
    }
}

// piece: end_advance
// The set that an advance has found becomes `set` for the active instances; the others keep theirs. `next`, into which
// the next advance puts what it finds, is empty again.
// barriers: 2
__device__ __forceinline__ void end_advance(enactor& run, instance_set& set, uint64*& next, uint64 num_vertices, instance_word active) {
    synchronize(run);
    instance_word any = 0;
    each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) {
        const instance_word former = set.words[i] & ~active, word = next[i] | former;
        if (former != 0) { next[i] = word; }
        set.words[i] = 0;
        any |= word;
    });
    exchange(set.words, next);
    note_instances(run, any);
    end_set(run, set);
}

// piece: begin_pass_of_instances
// Whether the loop runs another pass for any instance. Checks the caller's limit on iterations.
__device__ __forceinline__ bool begin_pass_of_instances(enactor& run, instance_word active, int32 loop, int32 iteration) {
    if (run.stopped || !any_instance(active)) { return false; }
    if (int64(iteration) < run.slice.max_iterations) { return true; }
    if (leader()) { run.control->exhausted = uint64(loop) + 1; }
    run.stopped = true;
    return false;
}

// piece: are_apart
// Whether the instances share too few visits of edges: few of them meet at a vertex in the same pass.
__device__ __forceinline__ bool are_apart(const instance_visits& visits, const graph_slice& g) {
    const uint64 enough = 4 * (uint64(g.num_edges) + uint64(g.num_vertices));
    return visits.visited > enough && visits.served < visits.visited * SHARED_VISITS;
}
