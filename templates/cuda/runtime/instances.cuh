// piece: instance_word INSTANCES
// A bit for each of 64 instances of the program that run together. A vertex has INSTANCE_WORDS of them, one behind the
// other, each of which is another lane's: what is said of an `own` word is said of that of this thread.
typedef uint64 instance_word;
constexpr uint32 INSTANCES = 64 * INSTANCE_WORDS;

// piece: own_word
__device__ __forceinline__ uint32 own_word() { return threadIdx.x % INSTANCE_WORDS; }

// piece: words_lanes
// The lanes that have the words of the same vertex as this one.
__device__ __forceinline__ uint32 words_lanes() {
    constexpr uint32 all = INSTANCE_WORDS == 32 ? FULL_WARP : (1u << INSTANCE_WORDS % 32) - 1;
    return all << lane_index() / INSTANCE_WORDS * INSTANCE_WORDS;
}

// piece: first_instance
// The lowest instance of a word that is not 0.
__device__ __forceinline__ int32 first_instance(instance_word word) { return __ffsll(int64(word)) - 1; }

// piece: or_of_words
// The bitwise or of all lanes' words.
__device__ __forceinline__ instance_word or_of_words(instance_word word) {
    return instance_word(or_of_warp(uint32(word >> 32))) << 32 | or_of_warp(uint32(word));
}

// piece: instance_storage
// What a block knows of all instances: the words of those in question, the outcomes of their tests, and the instances
// in which each set has members.
struct instance_storage {
    uint64 among[INSTANCE_WORDS];
    uint32 holds[2 * INSTANCE_WORDS];
    uint64 any[INSTANCE_SETS][INSTANCE_WORDS];
};

// piece: instance_set
// A set of vertices for each instance: the words of each vertex say in which it is a member. All threads of a block have
// the same.
struct instance_set {
    const block_storage& shared;
    uint64* words;
    uint32 slot;
    __device__ __forceinline__ instance_word any() const { return shared.instances.any[slot][own_word()]; }
    __device__ __forceinline__ bool any_in(int32 instance) const {
        return (shared.instances.any[slot][instance / 64] >> instance % 64 & 1) != 0;
    }
    __device__ __forceinline__ instance_word operator[](uint64 i) const { return words[i]; }
};

// piece: instance_set_at
__device__ __forceinline__ instance_set instance_set_at(enactor& run, uint32 slot) {
    return instance_set{run.shared, run.slice.instance_sets[slot], slot};
}

// piece: every_instance
// All vertices in all instances, as a set.
struct every_instance {
    __device__ __forceinline__ instance_word operator[](uint64) const { return ~instance_word(0); }
};

// piece: publish_instances
// The words of all threads become known to the block.
__device__ __forceinline__ void publish_instances(enactor& run, instance_word word) {
    __syncthreads();
    if (threadIdx.x < INSTANCE_WORDS) { run.shared.instances.among[threadIdx.x] = word; }
    __syncthreads();
}

// piece: is_among
__device__ __forceinline__ bool is_among(enactor& run, uint32 instance) {
    return (run.shared.instances.among[instance / 64] >> instance % 64 & 1) != 0;
}

// piece: instances_where
// Those of the instances `among` for which a test holds: the own word of them. Each thread tests instances of its own.
template <class Test>
__device__ __forceinline__ instance_word instances_where(enactor& run, instance_word among, Test test) {
    publish_instances(run, among);
    for (uint32 instance = threadIdx.x; instance < INSTANCES; instance += blockDim.x) {
        const uint32 holds = __ballot_sync(FULL_WARP, is_among(run, instance) && test(int32(instance)));
        if (lane_index() == 0) { run.shared.instances.holds[instance / 32] = holds; }
    }
    __syncthreads();
    const uint32* const halves = &run.shared.instances.holds[2 * own_word()];
    return instance_word(halves[1]) << 32 | halves[0];
}

// piece: any_instance
// Whether there is one; all threads of the block must ask.
__device__ __forceinline__ bool any_instance(instance_word word) { return __syncthreads_or(word != 0) != 0; }

// piece: first_instances
// The own word of the first `count` instances.
__device__ __forceinline__ instance_word first_instances(uint64 count) {
    const uint64 before = 64 * own_word();
    if (count <= before) { return 0; }
    return count - before >= 64 ? ~instance_word(0) : (instance_word(1) << (count - before)) - 1;
}

// piece: each_instance
// Calls `visit(instance)` once for each active instance, by one thread of the first block.
template <class Visit>
__device__ __forceinline__ void each_instance(enactor& run, instance_word active, Visit visit) {
    if (block_index() != 0) { return; }
    publish_instances(run, active);
    for (uint32 instance = threadIdx.x; instance < INSTANCES; instance += blockDim.x) {
        if (is_among(run, instance)) { visit(int32(instance)); }
    }
}

// piece: all_threads_each_instance
// Calls `visit(instance)` for one active instance after the other, by all threads.
template <class Visit>
__device__ __forceinline__ void all_threads_each_instance(enactor& run, instance_word active, Visit visit) {
    publish_instances(run, active);
    for (uint32 w = 0; w < INSTANCE_WORDS; ++w) {
        for (instance_word rest = run.shared.instances.among[w]; rest != 0; rest &= rest - 1) {
            visit(int32(64 * w) + first_instance(rest));
        }
    }
}

// piece: instance_counts
// What the threads of a team count together in a step. Each step has counters of its own; the next ones are cleared
// before its barrier.
struct instance_counts {
    uint64 any[INSTANCE_WORDS];  // instances in which a set has members
    uint64 edges, served, open, chunks;
};

// piece: own_counts
__device__ __forceinline__ instance_counts* own_counts(enactor& run, uint64 after = 0) {
    return reinterpret_cast<instance_counts*>(run.slice.instance_counts[0]) + (run.operators + after) % 4;
}

// piece: end_counts
// Waits for all threads. Returns what they have counted; from now on they count anew.
// barriers: 1
__device__ __forceinline__ const instance_counts* end_counts(enactor& run) {
    const instance_counts* const counts = own_counts(run);
    if (leader()) { *own_counts(run, 1) = instance_counts(); }
    synchronize(run);
    run.operators += 1;
    return counts;
}

// piece: begin_instances
// Before anything else: sets are empty, and nothing is counted.
__device__ __forceinline__ void begin_instances(enactor& run, uint64 num_vertices) {
    for (uint32 slot = 0; slot < INSTANCE_SETS; ++slot) {
        uint64* const words = run.slice.instance_sets[slot];
        each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) { words[i] = 0; });
        if (threadIdx.x < INSTANCE_WORDS) { run.shared.instances.any[slot][threadIdx.x] = 0; }
    }
    if (leader()) { *own_counts(run) = instance_counts(); }
}

// piece: note_instances
// Adds the own word of instances that this thread has found.
__device__ __forceinline__ void note_instances(enactor& run, instance_word found) {
    for (uint32 step = 16; step >= INSTANCE_WORDS; step /= 2) { found |= __shfl_xor_sync(FULL_WARP, found, step); }
    if (lane_index() < INSTANCE_WORDS) {
        uint64* const any = &own_counts(run)->any[own_word()];
        if ((found & ~load_relaxed(any)) != 0) { atomicOr_grid(any, found); }
    }
}

// piece: end_set
// Ends a step that has made `set`: waits for all, and keeps in which instances it has members.
// barriers: 1
__device__ __forceinline__ void end_set(enactor& run, instance_set& set) {
    const instance_counts* const counts = end_counts(run);
    if (threadIdx.x < INSTANCE_WORDS) {
        run.shared.instances.any[set.slot][threadIdx.x] = load_relaxed(&counts->any[threadIdx.x]);
    }
    __syncthreads();
}

// piece: count_members_of_instances
// Counts the members of a set in each instance.
// barriers: 2
__device__ __forceinline__ void count_members_of_instances(enactor& run, const instance_set& set, uint64 num_vertices) {
    uint64* const sizes = run.slice.instance_sizes[set.slot];
    each_id(INSTANCES, [&](uint64 i) { sizes[i] = 0; });
    synchronize(run);
    for (uint32 w = 0; w < INSTANCE_WORDS; ++w) {
        uint64 low = 0, high = 0;  // of the instances lane_index() and lane_index() + 32 of the word
        for (uint64 base = warp_index() * 32; base < num_vertices; base += grid_warps() * 32) {
            const uint64 v = base + lane_index();
            const instance_word word = v < num_vertices ? set[v * INSTANCE_WORDS + w] : 0;
            for (instance_word rest = or_of_words(word); rest != 0; rest &= rest - 1) {
                const uint32 bit = uint32(first_instance(rest));
                const uint32 count = __popc(__ballot_sync(FULL_WARP, (word >> bit & 1) != 0));
                if (bit % 32 == lane_index()) { (bit < 32 ? low : high) += count; }
            }
        }
        if (low != 0) { atomicAdd_grid(&sizes[64 * w + lane_index()], low); }
        if (high != 0) { atomicAdd_grid(&sizes[64 * w + 32 + lane_index()], high); }
    }
    synchronize(run);
}

// piece: members_in_instance
__device__ __forceinline__ int64 members_in_instance(enactor& run, const instance_set& set, int32 instance) {
    return int64(load_relaxed(&run.slice.instance_sizes[set.slot][instance]));
}

// piece: close_instances
// Clears the bits of some instances, and returns those that no other thread has cleared before.
__device__ __forceinline__ instance_word close_instances(uint64* open, instance_word instances) {
    return instances & atomicAnd_grid(open, ~instances);
}

// piece: add_instances
// Sets the bits of some instances.
__device__ __forceinline__ void add_instances(uint64* members, instance_word instances) {
    if ((instances & ~load_relaxed(members)) != 0) { atomicOr_grid(members, instances); }
}

// piece: renew_bit
// The bit of an instance becomes the outcome of its test; other threads may change other bits of the word.
__device__ __forceinline__ void renew_bit(uint64* words, uint64 v, int32 instance, bool holds) {
    uint64* const word = &words[v * INSTANCE_WORDS + uint64(instance / 64)];
    const uint64 bit = 1ull << instance % 64;
    if (holds) { atomicOr_grid(word, bit); } else { atomicAnd_grid(word, ~bit); }
}

// piece: renew_all
// The bits of all vertices in the active instances become the outcomes of their test. Where these are `alike`, that of
// one says it for all.
template <class Test>
__device__ __forceinline__ void renew_all(enactor& run, uint64* words, uint64 num_vertices, instance_word active, bool alike, Test test) {
    publish_instances(run, active);
    if (alike) {
        each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) { words[i] = test(0, vertex(i / INSTANCE_WORDS)) ? active : 0; });
        return;
    }
    for (uint64 base = warp_index() * 32; base < num_vertices; base += grid_warps() * 32) {
        const uint64 v = base + lane_index();
        for (uint32 w = 0; w < INSTANCE_WORDS && v < num_vertices; ++w) {
            const instance_word among = run.shared.instances.among[w];
            instance_word word = words[v * INSTANCE_WORDS + w] & ~among;
            for (instance_word rest = among; rest != 0; rest &= rest - 1) {
                const int32 bit = first_instance(rest);
                word |= instance_word(test(int32(64 * w) + bit, vertex(v))) << bit;
            }
            words[v * INSTANCE_WORDS + w] = word;
        }
    }
}

// piece: store_instances
// A set becomes `combine(i)` for the active instances, for each word `i` of a vertex; the others keep theirs.
// barriers: 1
template <class Combine>
__device__ __forceinline__ void store_instances(enactor& run, instance_set& set, uint64 num_vertices, instance_word active, Combine combine) {
    instance_word any = 0;
    each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) {
        const instance_word word = (combine(i) & active) | (set.words[i] & ~active);
        set.words[i] = word;
        any |= word;
    });
    note_instances(run, any);
    end_set(run, set);
}

// piece: define_instances
// A set becomes what `add(instance, put)` puts into it, for each active instance.
// barriers: 2
template <class Add>
__device__ __forceinline__ void define_instances(enactor& run, instance_set& set, uint64 num_vertices, instance_word active, Add add) {
    instance_word any = 0;
    each_id(int64(num_vertices * INSTANCE_WORDS), [&](uint64 i) {
        const instance_word word = set.words[i] & ~active;
        set.words[i] = word;
        any |= word;
    });
    synchronize(run);
    each_instance(run, active, [&](int32 instance) {
        add(instance, [&](vertex v) {
            const uint64 bit = 1ull << instance % 64;
            atomicOr_grid(&set.words[uint64(v) * INSTANCE_WORDS + uint64(instance / 64)], bit);
            atomicOr_grid(&own_counts(run)->any[instance / 64], bit);
        });
    });
    note_instances(run, any);
    end_set(run, set);
}

// piece: each_member_of_instances
// Visits each member in each active instance. A warp has one word of some vertices, those of a lane side by side, in one
// instance after the other, so that their data are read in the order of memory: `visit(v, instance, totals)` says (if it
// `says` anything) whether it accepts one, and `combine(instance, totals)` is called by all lanes after them.
// `keep(i, accepted, active)` gets the accepted of the word `i` and returns all that are there then, and `note(w, any)` is
// called by all lanes.
template <class Totals, bool says, class Members, class Visit, class Combine, class Result>
__device__ __forceinline__ void each_member_of_instances(enactor& run, const Members& members, uint64 num_vertices, instance_word active,
                                                         Visit visit, Combine combine, Result result) {
    publish_instances(run, active);
    constexpr uint64 tile = 32 * MEMBERS_AT_ONCE;
    const uint64 parts = (num_vertices + tile - 1) / tile * INSTANCE_WORDS;
    for (uint64 part = warp_index(); part < parts; part += grid_warps()) {
        const uint32 w = uint32(part % INSTANCE_WORDS);
        const uint64 own = part / INSTANCE_WORDS * tile + lane_index();
        const instance_word among = run.shared.instances.among[w];
        instance_word accepted[MEMBERS_AT_ONCE];
#pragma unroll
        for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
            const uint64 v = own + 32 * k;
            accepted[k] = v < num_vertices ? members[v * INSTANCE_WORDS + w] & among : 0;
        }
#pragma unroll
        for (uint32 half = 0; half < 2; ++half) {  // shifts of 32 bits are one instruction each
            uint32 some = 0;
#pragma unroll
            for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) { some |= uint32(accepted[k] >> 32 * half); }
            for (uint32 rest = or_of_warp(some); rest != 0; rest &= rest - 1) {
                const uint32 bit = rest & -rest;
                const int32 instance = int32(64 * w + 32 * half) + __ffs(int32(rest)) - 1;
                Totals totals;
#pragma unroll
                for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
                    if ((uint32(accepted[k] >> 32 * half) & bit) == 0) { continue; }
                    const bool accepts = visit(vertex(own + 32 * k), instance, totals);
                    if (says && !accepts) { accepted[k] &= ~(instance_word(bit) << 32 * half); }
                }
                __syncwarp();
                combine(instance, totals);
            }
        }
        instance_word any = 0;
#pragma unroll
        for (uint32 k = 0; k < MEMBERS_AT_ONCE; ++k) {
            const uint64 v = own + 32 * k;
            if (v < num_vertices) { any |= result.keep(v * INSTANCE_WORDS + w, accepted[k], among); }
        }
        result.note(w, any);
    }
}

// piece: no_totals
struct no_totals {};

// piece: note_word
// Adds the instances of word `w` that the lanes of a warp have found.
__device__ __forceinline__ void note_word(enactor& run, uint32 w, instance_word found) {
    found = or_of_words(found);
    uint64* const any = &own_counts(run)->any[w];
    if (lane_index() == 0 && (found & ~load_relaxed(any)) != 0) { atomicOr_grid(any, found); }
}

// piece: discard_members
struct discard_members {
    __device__ __forceinline__ instance_word keep(uint64, instance_word, instance_word) const { return 0; }
    __device__ __forceinline__ void note(uint32, instance_word) const {}
};

// piece: keep_members
// Accepted members become those of a set, in the active instances.
struct keep_members {
    enactor& run;
    instance_set& set;
    __device__ __forceinline__ instance_word keep(uint64 i, instance_word accepted, instance_word active) const {
        return set.words[i] = accepted | (set.words[i] & ~active);
    }
    __device__ __forceinline__ void note(uint32 w, instance_word any) const { note_word(run, w, any); }
};

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
